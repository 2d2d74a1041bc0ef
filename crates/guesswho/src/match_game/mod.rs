//! The interface of Guess Who to matches, logs and the command line.
//!
//! | module | content |
//! |---|---|
//! | `settings` | the settings of a match, above all its board |
//! | `table` | the referee's table, where a game is played |
//! | `agents` | the strategies as agents for matches |
//! | `lines` | the protocol for external programs |
//! | `board` | pictures of the candidates of both players |
//! | `position` | reading and writing positions as text |
//! | `study` | the best guesses of a position, and how much each guess of a game lost |
//! | `view` | what people at the table see |

mod agents;
mod board;
mod how_to_play;
mod lines;
mod position;
mod settings;
mod study;
mod table;
mod view;

use std::path::Path;

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::fields::Fields;
use turnwise_engine::outside::Lines;
use turnwise_engine::player::Counts;
use turnwise_engine::plugin::{
    About, AgentAbout, AgentOptions, Example, GameRules, Help, Judging, Level, Look, LossJudge,
    Meaning, OptionAbout, Scoring, Studied, Studying, Thresholds, Told, UntypedGame, Victory,
};
use turnwise_engine::words::counted;

use crate::player::{Player, Seat};
pub use settings::Settings;
use study::Judge;
use table::{Ending, Kept};
pub use table::{GuessWhoTable, Move, Seen};

/// The game Guess Who, under its name in the list of games.
pub type GuessWho = Settings;

const ROLES: [&str; 2] = ["Player 1", "Player 2"];

/// The levels of strength. `scripts/measure-levels` measures the gaps between them.
static LEVELS: [Level; 4] = [
    Level::new("random", None, 0),
    Level::new("binary", None, 20),
    Level::new("turnwise", None, 33),
    Level::new("turnwise", None, 0),
];

static ABOUT: About = About {
    name: "guesswho",
    title: "Guess Who",
    roles: ROLES,
    scoring: Scoring::Win,
    thresholds: Thresholds::CHANCE,
    victory: Some(Victory {
        by: "by finding the other's person",
        margin: "",
    }),
    counts: Counts::Wall,
    agents: &[
        AgentAbout::new("turnwise", &["nodes=NUMBER", "level=1-4", "time=PART"]),
        AgentAbout::plain("random"),
        AgentAbout::plain("binary"),
        AgentAbout::plain("optimal"),
        AgentAbout::plain("lookahead"),
    ],
    levels: &LEVELS,
    random_agent: "random",
    wires: &["guesswho"],
    has_daemons: false,
    options: &[
        OptionAbout::checked(
            "board",
            "FILE",
            "Configuration file of Guess Who: attributes with their values, then persons; the \
             course's 10 persons by default",
            &|_| Ok(()),
        ),
        OptionAbout {
            offered: &["named", "course"],
            ..OptionAbout::choice(
                "cast",
                "WHO",
                &[
                    ("named", "14 persons with faces"),
                    ("course", "the course's 10 persons"),
                ],
                "Play with these persons instead of a file's; the course's by default",
            )
        },
        OptionAbout::switch(
            "all-persons",
            "Play every combination of two persons in turn instead of random ones; 10 persons \
             need --pairs 100",
        ),
    ],
    help: Help {
        summary: "Ask questions, and find the other player's person first",
        agents: "  turnwise[:nodes=N,level=1-4,time=PART]
      this program's player, `custom` elsewhere: plays the race
  random, binary
      the course's players: any question, the most even split
  optimal, lookahead
      the fewest rounds on average, exactly or two questions ahead
  cmd:WORDS
      a process for each game on stdin and stdout, as protocol/guesswho.md says; a player of the course's Java \
      framework by adapters/guesswho-java
",
        shared: "persons",
        examples: &[
            Example::new("arena", "turnwise binary --game guesswho --board game1.config", ""),
            Example::new("stdio", "guesswho", "under the Java adapter of the Guess Who course"),
            Example::new("export", "guesswho-java framework", "for the framework of the Guess Who course"),
        ],
    },
    rules: &how_to_play::RULES,
    has_puzzles: true,
    look: Look {
        pieces: None,
        verb: "moves",
        column_first: false,
        measures: &["persons left for Player 1", "persons left for Player 2"],
    },
    lacks: &["luck"],
};

impl GameRules for Settings {
    type Table = GuessWhoTable;
    type Resources = ();

    const ABOUT: &'static About = &ABOUT;

    fn by_options(given: &dyn Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let all_persons = given("all-persons").is_some();
        match (given("board"), given("cast").as_deref()) {
            (Some(_), Some(_)) => Err("expected --board or --cast, got both".to_owned()),
            (None, Some("named")) => Ok(Settings::with_named_persons(all_persons)),
            (board, _) => Settings::with_board(board.as_deref().map(Path::new), all_persons),
        }
    }

    fn agent(
        &self,
        name: &str,
        _resources: &(),
        _options: &AgentOptions,
        seed: u64,
    ) -> BoxedAgent<Seen, Move> {
        agents::agent(name, seed)
    }

    /// Reads a position from text: the knowledge of both players, one item per line.
    ///
    /// The items are `round 3`, `turn 2` (the guesser), `candidates 1 NAME NAME …` and `candidates 2 …` (each player's
    /// candidates), `asked GUESS` (an unanswered guess), `found` (player 1 has found player 2's person, and player 2
    /// must guess), and `person 1 NAME` and `person 2 NAME` (the players' own persons). All items are optional; see
    /// `docs/reference/guesswho.md` for details.
    fn set_up(&self, text: &str) -> Result<GuessWhoTable, String> {
        position::set_up(self.shared_board(), text)
    }

    fn set_up_text(&self, table: &GuessWhoTable) -> Option<String> {
        position::text(table)
    }

    fn reopen(&self, result: &Fields) -> Result<GuessWhoTable, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        let board = self.shared_board();
        let mut players = Vec::new();
        for (name, seat) in kept.chosen.iter().zip([Seat::First, Seat::Second]) {
            let person = board.configuration().person(name);
            let person = person.ok_or_else(|| stranger(name))?;
            players.push(Player::new(board, person).in_seat(seat));
        }
        let players = players.try_into().expect("two of them");
        Ok(GuessWhoTable::seated(board, players))
    }

    fn study(&self, table: &mut GuessWhoTable, how: &Studying, told: Told) -> Studied {
        study::study(table, how, told)
    }

    fn lines(_wire: &str) -> Option<Box<dyn Lines<Seen, Move>>> {
        Some(Box::new(lines::GuessWhoLines::default()))
    }
}

impl UntypedGame for Settings {
    fn conditions(&self) -> String {
        format!("Guess Who {}", self.of_whom())
    }

    fn place(&self) -> String {
        format!("of Guess Who {}", self.of_whom())
    }

    fn meaning(&self, result: &Fields) -> Result<Meaning, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        let (score, ending) = (kept.player1_score, kept.ending);
        let possible: &[f64] = match ending {
            Ending::Found | Ending::Fault => &[0.0, 1.0],
            Ending::Tie | Ending::Rounds => &[0.5],
        };
        if !possible.contains(&score) {
            return Err(format!("a score of {score}, but {}", ending.name()));
        }
        let persons = self.shared_board().configuration();
        if let Some(stranger) = (kept.chosen.iter()).find(|name| persons.person(name).is_none()) {
            return Err(self::stranger(stranger));
        }
        Meaning::won(score, ending.name(), ending == Ending::Found)
    }

    fn loss_judge(&self, by: &Judging) -> Result<Option<Box<dyn LossJudge>>, String> {
        Ok(Some(Box::new(Judge::new(self.clone(), by.nodes))))
    }
}

fn stranger(name: &str) -> String {
    format!("a person {name:?} who is not on the board")
}

impl Settings {
    fn of_whom(&self) -> String {
        let configuration = self.shared_board().configuration();
        let order = match self.has_all_persons() {
            true => ", each two in turn",
            false => "",
        };
        format!(
            "with {} of {}{order}",
            counted(configuration.persons.len(), "person"),
            counted(configuration.attributes.len(), "attribute")
        )
    }
}
