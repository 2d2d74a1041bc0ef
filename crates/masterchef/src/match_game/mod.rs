//! MasterChef as others see it: in matches, in logs, on the command line.
//!
//! | module | what it is for |
//! |---|---|
//! | `table` | the referee's table |
//! | `agents` | this program's captains |
//! | `files` | the assignment's files for programs of either captain |
//! | `board` | a logged draft, pick by pick |

mod agents;
mod board;
mod files;
mod table;

use std::ops::RangeInclusive;
use std::time::Duration;

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::fields::Fields;
use turnwise_engine::outside::{FileVenue, Files};
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::plugin::{
    About, AgentAbout, Board, GameRules, Look, MatchGame, Meaning, OptionAbout, Scoring,
    UnplayableError, in_range,
};

use crate::literal::Algorithm;
use crate::pools::Family;
use agents::{Greedy, Random, Searcher};
use files::{LARGEST_OUTPUT, MasterChefFiles};
use table::{Kept, MOST_POWER};
pub use table::{MasterChefTable, Position, Settings};

/// MasterChef, to be put among the games.
pub type MasterChef = Settings;

/// Contestants of a pool. One more than both teams need: the second captain's last file lists one less.
const POOL: RangeInclusive<i64> = 11..=200;
const USUAL_POOL: u32 = 20;

/// A program that takes longer than its time by so much is killed.
const GRACE: Duration = Duration::from_secs(1);

const FAMILIES: &[(&str, &str)] = &[
    (
        "uniform",
        "Capacity and happiness independent: the assignment's own kind",
    ),
    (
        "close",
        "Everybody is worth nearly the same: the bonus outweighs all else",
    ),
    (
        "contested",
        "Both want the same contestants: each pick takes from the other",
    ),
    (
        "digits",
        "Five last digits, one of them rare: a fight for the bonus",
    ),
    (
        "hard",
        "Whoever is worth something to both is worth most: the hardest to search",
    ),
];

fn family(text: &str) -> Option<Family> {
    let mut families = Family::ALL.into_iter();
    families.find(|family| family.name() == text)
}

static ABOUT: About = About {
    name: "masterchef",
    title: "MasterChef",
    summary: "Captains A and Bob pick teams of five in turn",
    roles: ["A", "Bob"],
    scoring: Scoring::Points,
    victory: None,
    counts: Counts::Cpu,
    agents: &[
        AgentAbout {
            name: "turnwise",
            options: &["nodes=NUMBER", "time=PART"],
        },
        AgentAbout::plain("minimax"),
        AgentAbout::plain("ab"),
        AgentAbout::plain("greedy"),
        AgentAbout::plain("random"),
    ],
    agents_help: "  turnwise[:nodes=N,time=PART]  this program's exact solver, stopped after N nodes or a little more
  minimax, ab                  the assignment's algorithms; they pick as greedy does where they cannot
                               search to the end, as with more than a dozen free contestants
  greedy, random               baselines: what adds most to its team's power at once; any pick
  cmd:WORDS                    a command for each pick that reads input.txt and writes output.txt in
                               a folder of its own; its CPU time counts
",
    refused: &[],
    wires: &[],
    has_daemons: false,
    options: &[
        OptionAbout {
            name: "family",
            alias: None,
            value: Some("FAMILY"),
            choices: FAMILIES,
            help: "What the contestants of MasterChef's pools are like; uniform by default",
            check: |text| match family(text) {
                Some(_) => Ok(()),
                None => Err(format!(
                    "expected {}",
                    Family::ALL.map(Family::name).join(" or ")
                )),
            },
        },
        OptionAbout {
            name: "pool",
            alias: None,
            value: Some("NUMBER"),
            choices: &[],
            help: "Contestants of a pool; 20 by default",
            check: |text| in_range(text, POOL),
        },
    ],
    measures: &["A's power", "Bob's power"],
    look: Look {
        pieces: None,
        verb: "moves",
        column_first: false,
    },
};

impl MatchGame for Settings {
    type Table = MasterChefTable;
    type Resources = ();

    fn about() -> &'static About {
        &ABOUT
    }

    fn by_options(given: &dyn Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let pool = given("pool").and_then(|pool| pool.parse().ok());
        let family = given("family").and_then(|name| family(&name));
        Ok(Settings {
            family: family.unwrap_or_default(),
            pool: pool.unwrap_or(USUAL_POOL),
        })
    }

    fn check(&self) -> Result<(), UnplayableError> {
        match POOL.contains(&self.pool.into()) {
            true => Ok(()),
            false => Err(UnplayableError::Unknown {
                what: "the number of contestants",
                got: self.pool.to_string(),
                expected: format!("{} to {}", POOL.start(), POOL.end()),
            }),
        }
    }

    fn agent(
        &self,
        name: &str,
        _resources: &(),
        _nodes: Option<u64>,
        seed: u64,
    ) -> BoxedAgent<Position, u32> {
        match name {
            "minimax" => Box::new(Searcher::Literal(Algorithm::Minimax)),
            "ab" => Box::new(Searcher::Literal(Algorithm::AlphaBeta)),
            "greedy" => Box::new(Greedy),
            "random" => Box::new(Random::new(seed)),
            _ => Box::new(Searcher::Exact),
        }
    }

    fn files(&self, _time: TimeControl) -> Option<Box<dyn Files<Position, u32>>> {
        Some(Box::new(MasterChefFiles))
    }
}

impl GameRules for Settings {
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
        let (score, contestants) = (kept.a_score, kept.pool.len());
        if !(-MOST_POWER..=MOST_POWER).contains(&score) {
            return Err(format!(
                "a score of {score}, expected {} to {MOST_POWER}",
                -MOST_POWER
            ));
        }
        if contestants != self.pool as usize {
            let of = self.pool;
            return Err(format!(
                "a pool of {contestants} in a match with pools of {of}"
            ));
        }
        kept.draft()?;
        Ok(Meaning {
            score,
            ending: None,
            is_won_on_board: false,
            margin: None,
        })
    }

    fn board(&self, result: &Fields) -> Box<dyn Board> {
        let kept = result.read().ok();
        let draft = kept.and_then(|kept: Kept| kept.draft().ok());
        Box::new(board::LoggedDraft::new(draft))
    }
}
