//! The interface of MasterChef to matches, logs and the command line.
//!
//! | module | content |
//! |---|---|
//! | `table` | the referee's table, where a draft takes place |
//! | `agents` | the agents that this program offers as captains |
//! | `files` | the assignment's files for external programs that play either captain |
//! | `board` | pictures of the pool and the teams |
//! | `study` | the best picks of a position, and how much each pick of a game lost |
//! | `view` | what people at the table see |

mod agents;
mod board;
mod files;
mod how_to_play;
mod study;
mod table;
mod view;

use std::ops::RangeInclusive;
use std::time::Duration;

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::fields::Fields;
use turnwise_engine::outside::{FileVenue, Files};
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::plugin::{
    About, AgentAbout, AgentOptions, Example, GameRules, Help, Judging, Level, Look, LossJudge,
    Meaning, OptionAbout, Scoring, Studied, Studying, Thresholds, Told, UnplayableError,
    UntypedGame, in_range,
};
use turnwise_engine::table::Table;

use crate::literal::Algorithm;
use crate::pools::Family;
use agents::{Searcher, greedy_captain, random_captain};
use files::{LARGEST_OUTPUT, MasterChefFiles};
use study::Judge;
use table::{Kept, LARGEST_POOL, MOST_POWER};
pub use table::{MasterChefTable, Position, Settings};

/// The game MasterChef, under its name in the list of games.
pub type MasterChef = Settings;

/// The valid sizes of a pool.
///
/// The smallest size is 11, because a file must list at least ten contestants, and the last file for the second
/// captain omits one.
const POOL: RangeInclusive<i64> = 11..=LARGEST_POOL as i64;
const USUAL_POOL: u32 = 20;

/// How long a program that has run out of time may continue before it is killed.
const GRACE: Duration = Duration::from_secs(1);

const FAMILIES: &[(&str, &str)] = &[
    (
        "uniform",
        "Independent capacity and happiness, as in the assignment",
    ),
    (
        "close",
        "All contestants are worth nearly the same: the bonus decides",
    ),
    (
        "contested",
        "Both captains want the same contestants: each pick takes from the other",
    ),
    (
        "digits",
        "Five last digits, one of them rare: a fight for the bonus",
    ),
    (
        "hard",
        "Contestants worth something to both are worth most: the hardest to search",
    ),
];

fn family(text: &str) -> Option<Family> {
    let mut families = Family::ALL.into_iter();
    families.find(|family| family.name() == text)
}

/// The levels of strength. `scripts/measure-levels` measures the gaps between them.
static LEVELS: [Level; 8] = [
    Level::new("turnwise", None, 90),
    Level::new("turnwise", None, 70),
    Level::new("turnwise", None, 52),
    Level::new("turnwise", None, 37),
    Level::new("turnwise", None, 25),
    Level::new("turnwise", None, 15),
    Level::new("turnwise", None, 7),
    Level::new("turnwise", None, 0),
];

static ABOUT: About = About {
    name: "masterchef",
    title: "MasterChef",
    roles: ["A", "Bob"],
    scoring: Scoring::Points,
    thresholds: Thresholds::new(50.0, 100.0, 150.0),
    victory: None,
    counts: Counts::Cpu,
    agents: &[
        AgentAbout::new("turnwise", &["nodes=NUMBER", "level=1-8", "time=PART"]),
        AgentAbout::plain("minimax"),
        AgentAbout::plain("ab"),
        AgentAbout::plain("greedy"),
        AgentAbout::plain("random"),
    ],
    levels: &LEVELS,
    random_agent: "random",
    wires: &[],
    has_daemons: false,
    options: &[
        OptionAbout::choice(
            "family",
            "FAMILY",
            FAMILIES,
            "Kind of contestants in MasterChef's pools; uniform by default",
        ),
        OptionAbout::checked(
            "pool",
            "NUMBER",
            "Contestants in a pool; 20 by default",
            &|text| in_range(text, POOL),
        ),
    ],
    help: Help {
        summary: "Two captains pick teams of five from one pool in turn",
        agents: "  turnwise[:nodes=N,level=1-8,time=PART]
      this program's exact solver, stopped after N nodes or a little more
  minimax, ab
      the assignment's algorithms; they pick like greedy where they cannot search to the end, as with more than a \
      dozen free contestants
  greedy, random
      baselines: the pick that adds most power at once; any pick
  cmd:WORDS
      a command for each pick that reads input.txt and writes output.txt in a folder of its own; its CPU time counts
",
        shared: "pool",
        examples: &[
            Example::new("arena", "'cmd:python3 project2.py' greedy --game masterchef --openings 4", ""),
        ],
    },
    rules: &how_to_play::RULES,
    has_puzzles: true,
    look: Look {
        pieces: None,
        verb: "moves",
        column_first: false,
        measures: &["A's power", "Bob's power"],
    },
    lacks: &["luck"],
};

impl GameRules for Settings {
    type Table = MasterChefTable;
    type Resources = ();

    const ABOUT: &'static About = &ABOUT;

    fn by_options(given: &dyn Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let pool = given("pool").and_then(|pool| pool.parse().ok());
        let family = given("family").and_then(|name| family(&name));
        Ok(Settings {
            family: family.unwrap_or_default(),
            pool: pool.unwrap_or(USUAL_POOL),
        })
    }

    fn check(&self) -> Result<(), UnplayableError> {
        UnplayableError::unless_within(&POOL, "the number of contestants", self.pool.into())
    }

    fn agent(
        &self,
        name: &str,
        _resources: &(),
        _options: &AgentOptions,
        seed: u64,
    ) -> BoxedAgent<Position, u32> {
        match name {
            "minimax" => Box::new(Searcher::Literal(Algorithm::Minimax)),
            "ab" => Box::new(Searcher::Literal(Algorithm::AlphaBeta)),
            "greedy" => greedy_captain(),
            "random" => random_captain(seed),
            _ => Box::new(Searcher::Exact),
        }
    }

    /// Reads a position in the format of the assignment's input file, as described in `docs/reference/masterchef.md`.
    ///
    /// Numbers have at most six decimals. If A has made one more pick than Bob, it is Bob's turn.
    fn set_up(&self, text: &str) -> Result<MasterChefTable, String> {
        MasterChefTable::set_up(text)
    }

    fn set_up_text(&self, table: &MasterChefTable) -> Option<String> {
        table.set_up_text()
    }

    fn reopen(&self, result: &Fields) -> Result<MasterChefTable, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        kept.beginning(self)
    }

    fn study(&self, table: &mut MasterChefTable, how: &Studying, told: Told) -> Studied {
        study::study(&table.position().draft, how, told)
    }

    fn files(&self, _time: TimeControl) -> Option<Box<dyn Files<Position, u32>>> {
        Some(Box::new(MasterChefFiles))
    }
}

impl UntypedGame for Settings {
    fn conditions(&self) -> String {
        let Settings { family, pool } = self;
        format!("MasterChef with {} pools of {pool}", family.name())
    }

    fn place(&self) -> String {
        format!(
            "of MasterChef with {} pools of {}",
            self.family.name(),
            self.pool
        )
    }

    fn file_venue(&self) -> Option<FileVenue> {
        Some(FileVenue {
            input: "input.txt",
            output: "output.txt",
            memory: &[],
            largest: LARGEST_OUTPUT,
            grace: GRACE,
            tells_time: false,
            preparation: |_| None,
        })
    }

    fn meaning(&self, result: &Fields) -> Result<Meaning, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        let score = kept.a_score;
        if !(-MOST_POWER..=MOST_POWER).contains(&score) {
            return Err(format!(
                "a score of {score}, expected {} to {MOST_POWER}",
                -MOST_POWER
            ));
        }
        kept.beginning(self)?;
        Ok(Meaning::points(score))
    }

    fn loss_judge(&self, by: &Judging) -> Result<Option<Box<dyn LossJudge>>, String> {
        Ok(Some(Box::new(Judge::new(*self, by.nodes))))
    }
}
