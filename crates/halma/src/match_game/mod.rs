//! Connects Halma to matches, logs and the command line.
//!
//! | module | content |
//! |---|---|
//! | `table` | the state of a game, which the referee keeps |
//! | `judge` | checks whether an `output.txt` holds a legal move |
//! | `loss` | computes the loss of each move |
//! | `study` | finds the best moves of a position |
//! | `view` | builds what people at the table see |

mod how_to_play;
pub(crate) mod judge;
mod loss;
mod study;
mod table;
mod view;

use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::fields::Fields;
use turnwise_engine::outside::{FileVenue, Files, Preparation};
use turnwise_engine::player::{Counts, Failure, TimeControl, Turn, allowed_times, is_time};
use turnwise_engine::plugin::{
    About, AgentAbout, AgentOptions, Example, GameRules, Help, Judging, Level, Look, LossJudge,
    Meaning, OptionAbout, Scoring, Studied, Studying, Thresholds, Told, UnplayableError,
    UntypedGame, Victory, in_range,
};
use turnwise_engine::table::Table;
use turnwise_protocol::halma::{Input, LARGEST_FILE, Mode};

use crate::baselines::{self, Stayer};
use crate::files::{board as board_of_file, numbered, player as player_of_file};
use crate::parse::parse;
use crate::picture;
use crate::rules::{Color, Move, Position, Rules};
use crate::search_agent::{LARGEST_TABLE, SearchAgent, table_bytes};
use judge::judge;
use table::{Ending, Kept};
pub use table::{HalmaTable, Settings};

/// The type that represents Halma in the list of games.
pub type Halma = Settings;

/// The maximum run time of a calibration; the assignment sets no limit.
const LONGEST_CALIBRATION: Duration = Duration::from_secs(120);

/// The allowed numbers of plies after which a game ends; `USUAL_PLIES` is the default number.
///
/// `USUAL_GRACE` is the default number of seconds that a process may use beyond its time before it is killed.
const PLIES: RangeInclusive<i64> = 1..=100_000;
const USUAL_PLIES: u32 = 600;
const USUAL_GRACE: f64 = 10.0;

const RULES: &[(&str, &str)] = &[
    ("base", "Only the assignment's text"),
    ("addendum", "With the addendum published after it"),
];
const COLOURS: &[(&str, &str)] = &[
    ("black", "Starts in the top left corner"),
    ("white", "Starts in the bottom right corner"),
];

/// The levels of strength. `scripts/measure-levels` measures the gaps between them.
static LEVELS: [Level; 8] = [
    Level::new("turnwise", Some(1_000), 33),
    Level::new("turnwise", Some(1_000), 28),
    Level::new("turnwise", Some(1_000), 23),
    Level::new("turnwise", Some(1_000), 18),
    Level::new("turnwise", Some(1_000), 13),
    Level::new("turnwise", Some(1_000), 8),
    Level::new("turnwise", Some(1_000), 3),
    Level::new("turnwise", Some(1_000), 0),
];

static ABOUT: About = About {
    name: "halma",
    title: "Halma",
    roles: ["Black", "White"],
    scoring: Scoring::Win,
    thresholds: Thresholds::CHANCE,
    victory: Some(Victory {
        by: "by filling the opposing camp",
        margin: "steps",
    }),
    counts: Counts::Cpu,
    agents: &[
        AgentAbout::new("turnwise", &["nodes=NUMBER", "level=1-8", "time=PART", "hash=MB"]),
        AgentAbout::plain("random"),
        AgentAbout::plain("minimax"),
        AgentAbout::plain("distance"),
        AgentAbout::plain("stayer"),
    ],
    levels: &LEVELS,
    random_agent: "random",
    wires: &[],
    has_daemons: false,
    options: &[
        OptionAbout::choice("rules", "RULES", RULES, "Choose the rule set; addendum by default"),
        OptionAbout::checked(
            "max-plies",
            "PLIES",
            "End a game after this many plies: the player with more time left wins, else it is a \
             draw; 600 by default",
            &|text| in_range(text, PLIES),
        ),
        OptionAbout::choice(
            "begins",
            "COLOUR",
            COLOURS,
            "Choose the color that moves first; random for each pair by default",
        ),
        OptionAbout::checked(
            "grace",
            "SECONDS",
            "Kill a process this long after its time has run out; 10 by default",
            &|text| match text.parse() {
                Ok(seconds) if is_time(seconds) => Ok(()),
                _ => Err(format!("expected {}, such as 60 or 0.5", allowed_times())),
            },
        ),
        OptionAbout::switch("lenient", "Accept trailing blanks and carriage returns in output.txt"),
    ],
    help: Help {
        summary: "Move and jump all pieces into the opposite corner first",
        agents: "  turnwise[:nodes=N,level=1-8,time=PART,hash=MB]
      this program's player, with time=0.1 at a tenth of the clock
  random, minimax, distance
      baselines: any move, minimax two plies deep, the best public player
  stayer
      baseline: keeps its last pieces at home and blocks lanes
  cmd:WORDS
      a command for each move that reads input.txt and writes output.txt in a folder of its own; its CPU time \
      counts; homeworkN first runs the calibrateN beside it, once
  cmd:time=0.1:WORDS
      the same with a tenth of the clock, as input.txt says
",
        shared: "first mover and opening",
        examples: &[
            Example::new("arena", "turnwise distance --game halma --clock 100 --openings 4", ""),
            Example::new("arena", "turnwise 'cmd:./homework' --game halma --rules base --clock 300", ""),
            Example::new("arena", "human turnwise --game halma", "play yourself; the log is the usual one"),
            Example::new("check", "'cmd:./player' --game halma --clock 20 --max-plies 60", "keeps its games short"),
            Example::new("new", "halma --lang java my-player", ""),
        ],
    },
    rules: &how_to_play::RULES,
    has_puzzles: true,
    look: Look {
        pieces: Some(['B', 'W']),
        verb: "moves",
        column_first: true,
        measures: &["Black's steps to go", "White's steps to go"],
    },
    lacks: &["luck"],
};

/// Writes `input.txt` and reads `output.txt`, as the assignment specifies them.
struct HalmaFiles {
    mode: Mode,
    is_lenient: bool,
}

impl Files<Position, Move> for HalmaFiles {
    fn input(&self, turn: &Turn<Position, Move>) -> String {
        Input {
            mode: self.mode,
            player: player_of_file(turn.position.to_move()),
            seconds: turn.allowance.left.as_secs_f64(),
            board: board_of_file(turn.position),
        }
        .to_string()
    }

    fn answer(&self, output: &[u8], position: &Position) -> Result<Move, Failure> {
        judge(output, position, self.is_lenient)
    }
}

/// Returns the command that runs a player's calibration, such as `calibrate11` for `homework11`.
///
/// Returns `None` unless both files exist in one folder, with equal digits and extensions. As the assignment requires,
/// the calibration runs once, before the first game.
fn calibration(command: &[String]) -> Option<Preparation> {
    command.iter().enumerate().find_map(|(at, word)| {
        let path = Path::new(word);
        let digits = numbered(path.file_stem()?.to_str()?, "homework")?;
        let mut name = format!("calibrate{digits}");
        if let Some(extension) = path.extension() {
            name = format!("{name}.{}", extension.to_str()?);
        }
        let calibrate = path.with_file_name(name);
        if !path.is_file() || !calibrate.is_file() {
            return None;
        }
        let mut words = command.to_vec();
        words[at] = calibrate.to_str()?.to_owned();
        Some(Preparation {
            words,
            file: "calibration.txt",
            at_most: LONGEST_CALIBRATION,
        })
    })
}

fn parsed<T: FromStr>(given: Option<String>) -> Option<T> {
    given?.parse().ok()
}

/// Returns the mode that `input.txt` names under a time control.
fn mode(time: TimeControl) -> Mode {
    match time {
        TimeControl::Clock { .. } => Mode::Game,
        TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => Mode::Single,
    }
}

impl GameRules for Settings {
    type Table = HalmaTable;
    type Resources = ();

    const ABOUT: &'static About = &ABOUT;

    fn by_options(given: &dyn Fn(&str) -> Option<String>) -> Result<Settings, String> {
        Ok(Settings {
            rules: parsed(given("rules")).unwrap_or_default(),
            plies: parsed(given("max-plies")).unwrap_or(USUAL_PLIES),
            begins: given("begins").map(|colour| match &*colour {
                "white" => Color::White,
                _ => Color::Black,
            }),
            grace_s: parsed(given("grace")).unwrap_or(USUAL_GRACE),
            lenient: given("lenient").is_some(),
        })
    }

    fn check(&self) -> Result<(), UnplayableError> {
        UnplayableError::unless_within(&PLIES, "the number of plies", self.plies.into())?;
        match is_time(self.grace_s) {
            true => Ok(()),
            false => Err(UnplayableError::Unknown {
                what: "grace_s",
                got: format!("{:?}", self.grace_s),
                expected: allowed_times(),
            }),
        }
    }

    fn agent(
        &self,
        name: &str,
        _resources: &(),
        options: &AgentOptions,
        seed: u64,
    ) -> BoxedAgent<Position, Move> {
        match name {
            "random" => baselines::random(seed),
            "minimax" => baselines::minimax(seed),
            "distance" => baselines::distance(seed),
            "stayer" => Box::new(Stayer::new(seed)),
            _ => {
                let usual = options.nodes.map_or(LARGEST_TABLE, table_bytes);
                Box::new(SearchAgent::new(options.table_bytes(usual)))
            }
        }
    }

    fn files(&self, time: TimeControl) -> Option<Box<dyn Files<Position, Move>>> {
        Some(Box::new(HalmaFiles {
            mode: mode(time),
            is_lenient: self.lenient,
        }))
    }

    fn set_up(&self, text: &str) -> Result<HalmaTable, String> {
        let parsed = parse(text, self.rules).map_err(|error| error.to_string())?;
        let plies_left = parsed.plies_left.unwrap_or(self.plies);
        if plies_left > self.plies {
            let most = self.plies;
            return Err(format!(
                "expected at most {most} plies left, got {plies_left}"
            ));
        }
        Ok(HalmaTable::beginning(parsed.position, plies_left))
    }

    fn set_up_text(&self, table: &HalmaTable) -> Option<String> {
        Some(picture::position(table.position(), table.plies_left()))
    }

    fn reopen(&self, result: &Fields) -> Result<HalmaTable, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        let position = Position::start(kept.begins, self.rules);
        Ok(HalmaTable::beginning(position, self.plies))
    }

    fn study(&self, table: &mut HalmaTable, how: &Studying, told: Told) -> Studied {
        study::study(table, how, told)
    }
}

impl UntypedGame for Settings {
    fn conditions(&self) -> String {
        match self.rules {
            Rules::Base => "Halma by the base rules".to_owned(),
            Rules::Addendum => "Halma by the rules of the addendum".to_owned(),
        }
    }

    fn place(&self) -> String {
        match self.rules {
            Rules::Base => "of Halma by the base rules".to_owned(),
            Rules::Addendum => "of Halma by the addendum".to_owned(),
        }
    }

    fn file_venue(&self) -> Option<FileVenue> {
        Some(FileVenue {
            input: "input.txt",
            output: "output.txt",
            memory: &["playdata.txt"],
            largest: LARGEST_FILE,
            grace: Duration::from_secs_f64(self.grace_s),
            tells_time: true,
            preparation: calibration,
        })
    }

    fn meaning(&self, result: &Fields) -> Result<Meaning, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        let is_won_on_board = kept.ending == Ending::Goal;
        Ok(Meaning {
            margin: kept.margin,
            ..Meaning::won(kept.black_score, kept.ending.name(), is_won_on_board)?
        })
    }

    fn loss_judge(&self, by: &Judging) -> Result<Option<Box<dyn LossJudge>>, String> {
        Ok(Some(Box::new(loss::Judge::new(*self, by.nodes))))
    }
}
