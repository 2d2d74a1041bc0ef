//! Integrates Entropy with matches, logs and the command line.
//!
//! | module | contents |
//! |---|---|
//! | `table` | the referee's board and tiles |
//! | `lines` | conversion to and from the lines of external programs |
//! | [`luck`] | the luck of the tiles in a result |
//! | `loss` | the loss of each move |
//! | `study` | the best moves of a position |
//! | `view` | what players and spectators see |

mod how_to_play;
mod lines;
mod loss;
pub mod luck;
mod study;
mod table;
mod view;

use std::sync::Arc;

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::fields::Fields;
use turnwise_engine::outside::Lines;
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::plugin::{
    About, AgentAbout, AgentOptions, AnyGame, Example, GameRules, Help, Judging, Level, Look,
    LossJudge, LuckJudge, Meaning, OptionAbout, SET_UP, Scoring, Studied, Studying, Thresholds,
    Told, UnplayableError, UntypedGame, in_range,
};
use turnwise_engine::table::Table;
use turnwise_protocol::entropy::{Wire, codecup};

use crate::agents::{self, BuiltIn};
use crate::evaluation::Evaluation;
use crate::parse::parse;
use crate::picture;
use crate::rules::{Colour, MAX_SIZE, MIN_SIZE, Move, Phase, Position, Rules};
use crate::solution;
use crate::weights::{Weights, best_known, last_release};
use lines::EntropyLines;
use table::{EntropyTable, Kept};

/// The default number of rows of the board.
const USUAL_SIZE: u8 = 5;

/// The type that represents Entropy in the list of games.
pub type Entropy = Rules;

/// Returns the log fields of a game's result: the board size, the tiles in drawing order, and Order's score.
pub fn result(size: u8, tiles: &[Colour], order_score: u32) -> Fields {
    Fields::of(&Kept {
        tiles: tiles.iter().map(|&tile| picture::letter(tile)).collect(),
        order_score,
        size: Some(size),
    })
}

fn size(text: &str) -> Result<(), String> {
    in_range(text, MIN_SIZE.into()..=MAX_SIZE.into())
}

/// The levels of strength. `scripts/measure-levels` measures the gaps between them.
static LEVELS: [Level; 8] = [
    Level::new("turnwise", Some(300), 80),
    Level::new("turnwise", Some(300), 66),
    Level::new("turnwise", Some(300), 52),
    Level::new("turnwise", Some(300), 38),
    Level::new("turnwise", Some(300), 24),
    Level::new("turnwise", Some(300), 11),
    Level::new("turnwise", Some(1_000), 0),
    Level::new("turnwise", Some(30_000), 0),
];

static ABOUT: About = About {
    name: "entropy",
    title: "Entropy",
    roles: ["Order", "Chaos"],
    scoring: Scoring::Points,
    thresholds: Thresholds::new(1.0, 2.0, 4.0),
    victory: None,
    counts: Counts::Wall,
    agents: &[
        AgentAbout::new(
            "turnwise",
            &[
                "nodes=NUMBER",
                "depth=NUMBER",
                "level=1-8",
                "time=PART",
                "hash=MB",
                "weights=FILE",
            ],
        ),
        AgentAbout::new("last", &["nodes=NUMBER", "depth=NUMBER", "time=PART", "hash=MB"]),
        AgentAbout::plain("random"),
        AgentAbout::plain("greedy"),
        AgentAbout::plain("holes"),
        AgentAbout::plain("passer"),
    ],
    levels: &LEVELS,
    random_agent: "random",
    wires: &["entropy", "codecup"],
    has_daemons: true,
    options: &[
        OptionAbout {
            alias: Some("n"),
            offered: &["5", "4", "7"],
            ..OptionAbout::checked(
                "size",
                "N",
                "Set the size of the board, which is also the number of colors; 5 by default",
                &size,
            )
        },
        OptionAbout::switch("pass", "Allow Order to pass"),
    ],
    help: Help {
        summary: "Chaos puts down random tiles, and Order slides them into palindromes",
        agents: "  turnwise[:nodes=N,depth=N,time=PART,hash=MB,weights=FILE]
      our search; level=3: for people, of 8; time=0.1: a tenth of the clock
  last[:nodes=N,depth=N,time=PART,hash=MB]
      our search with the weights of the previous release
  random, greedy, holes, passer
      baselines: any move, best score at once, four plies full width, passing
  cmd:WORDS, cmd/codecup:WORDS
      a process for each game on stdin and stdout, plain lines or CodeCup; cmd:time=0.1:WORDS loses its games after \
      a tenth of the clock
  daemon:WORDS
      a process for each pair that connects by TCP; {port} in its words is the port; without it, `127.0.0.1 PORT` is \
      appended
",
        shared: "tiles",
        examples: &[
            Example::new("check", "'cmd:python3 player.py' --game entropy", ""),
            Example::new(
                "check",
                "'cmd/codecup:./player' --game entropy --size 7",
                "by the rules of CodeCup",
            ),
            Example::new("new", "entropy --lang python my-player", ""),
            Example::new(
                "report",
                "match.jsonl --luck",
                "how much was luck of the tiles; 1.5 s of CPU time per pair on 7x7",
            ),
            Example::new(
                "stdio",
                "entropy",
                "under the stock Python client, which starts it for each game",
            ),
            Example::new("stdio", "codecup --clock 30", "under a CodeCup manager"),
            Example::new("export", "codecup player.rs", "for CodeCup, which compiles one file"),
        ],
    },
    rules: &how_to_play::RULES,
    has_puzzles: true,
    look: Look {
        pieces: None,
        verb: "slides",
        column_first: false,
        measures: &["points on the board"],
    },
    lacks: &[],
};

impl GameRules for Rules {
    type Table = EntropyTable;
    /// The evaluation from the agent's weights file, if one was given.
    type Resources = Option<Arc<Evaluation>>;

    const ABOUT: &'static About = &ABOUT;

    fn by_options(given: &dyn Fn(&str) -> Option<String>) -> Result<Rules, String> {
        let size = given("size").and_then(|size| size.parse().ok());
        Ok(Rules {
            size: size.unwrap_or(USUAL_SIZE),
            pass: given("pass").is_some(),
        })
    }

    fn check(&self) -> Result<(), UnplayableError> {
        UnplayableError::unless_within(&(MIN_SIZE..=MAX_SIZE), "the board's size", self.size)
    }

    fn load(&self, _name: &str, options: &AgentOptions) -> Result<Self::Resources, String> {
        let Some(path) = &options.weights else {
            return Ok(None);
        };
        let weights = Weights::read(path, self.size).map_err(|error| error.to_string())?;
        Ok(Some(Arc::new(weights.into_evaluation())))
    }

    fn agent(
        &self,
        name: &str,
        resources: &Self::Resources,
        options: &AgentOptions,
        seed: u64,
    ) -> BoxedAgent<Position, Move> {
        let agent: BuiltIn = name.parse().unwrap_or(BuiltIn::Turnwise);
        let evaluation = match agent {
            BuiltIn::Turnwise => Some(resources.clone().unwrap_or_else(|| best_known(self.size))),
            BuiltIn::Last => Some(last_release(self.size)),
            _ => None,
        };
        let usual = agents::table_bytes(options.nodes.unwrap_or(u64::MAX));
        agent.start(
            seed,
            agents::Resources {
                table: options.table_bytes(usual),
                evaluation,
                ..agents::Resources::default()
            },
        )
    }

    fn lines(wire: &str) -> Option<Box<dyn Lines<Position, Move>>> {
        let wire = match wire {
            "entropy" => Wire::Line,
            "codecup" => Wire::Codecup,
            _ => return None,
        };
        Some(Box::new(EntropyLines { wire }))
    }

    /// Parses a board in the format of `turnwise analyse`.
    fn set_up(&self, text: &str) -> Result<EntropyTable, String> {
        let position =
            parse(text.as_bytes(), self.pass, None).map_err(|error| error.to_string())?;
        if position.size() != self.size {
            let (expected, got) = (self.size, position.size());
            return Err(format!("expected a board of {expected} rows, got {got}"));
        }
        Ok(EntropyTable::set_up(position))
    }

    fn set_up_text(&self, table: &EntropyTable) -> Option<String> {
        let position = table.position();
        // A position before a draw has no text, because the text would look like that of a position with Order to move.
        (position.phase() != Phase::Draw).then(|| position.to_string())
    }

    fn reopen(&self, result: &Fields) -> Result<EntropyTable, String> {
        let table = self.watched(result)?;
        match table.knows_all_tiles() {
            true => Ok(table),
            false => Err(table::wrong_tiles(self.size)),
        }
    }

    fn watched(&self, result: &Fields) -> Result<EntropyTable, String> {
        match result.get(SET_UP) {
            Some(_) => self.begun(result),
            None => {
                let kept: Kept = result.read().map_err(|error| error.to_string())?;
                EntropyTable::with_tiles(*self, &kept.tiles)
            }
        }
    }

    fn study(&self, table: &mut EntropyTable, how: &Studying, told: Told) -> Studied {
        study::study(table.position(), how, told)
    }
}

impl UntypedGame for Rules {
    fn conditions(&self) -> String {
        format!("Entropy on {size} x {size}", size = self.size)
    }

    fn place(&self) -> String {
        format!("on {size}x{size}", size = self.size)
    }

    fn wire_objection(&self, wire: &str) -> Option<&'static str> {
        let fits = wire != "codecup" || (self.size == codecup::SIZE && self.pass);
        (!fits).then_some("speaks codecup, whose board is 7x7 with passing: add --size 7 --pass")
    }

    fn with_passes(&self) -> Option<(Arc<dyn AnyGame>, &'static str)> {
        Some((
            Arc::new(Rules {
                pass: true,
                ..*self
            }),
            "passer",
        ))
    }

    fn daemon_words(&self, agent: &str, name: &str, time: TimeControl, seed: u64) -> Vec<String> {
        let seed = seed.to_string();
        let words = [
            ["play", "127.0.0.1", "{port}"].as_slice(),
            &["--agent", agent, "--seed", &seed, "--name", name],
            &["--wire", "json", "--reconnect", "never"],
        ];
        let mut words: Vec<String> = words.concat().into_iter().map(str::to_owned).collect();
        if let TimeControl::Clock { seconds, .. } = time {
            words.extend(["--clock".to_owned(), seconds.to_string()]);
        }
        if self.pass {
            words.push("--pass".to_owned());
        }
        words
    }

    fn meaning(&self, result: &Fields) -> Result<Meaning, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        let (size, of) = (kept.size.unwrap_or(self.size), self.size);
        if size != of {
            return Err(format!("a board of size {size} in a match of size {of}"));
        }
        Ok(Meaning::points(f64::from(kept.order_score)))
    }

    fn luck_judge(&self) -> Option<Box<dyn LuckJudge>> {
        Some(Box::new(luck::Judge::new(*self)))
    }

    fn loss_judge(&self, by: &Judging) -> Result<Option<Box<dyn LossJudge>>, String> {
        let solution = match by.solutions {
            Some(folder) => solution::at_hand(folder, *self).map_err(|error| error.to_string())?,
            None => None,
        };
        let judge = loss::Judge::new(*self, solution, by.nodes);
        Ok(Some(Box::new(judge)))
    }
}
