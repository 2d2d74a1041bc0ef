//! Connects TwentyOne to matches, logs and the command line.
//!
//! A match is between two participants at a table. A named strategy, called the house, plays all other seats. Both
//! games of a pair share one shoe, and the participants swap seats after the first game. A game scores the points of
//! Left minus the points of Right. The difference of a pair is therefore one participant's lead over the other in both
//! games together. In a tournament, more participants can share a table. Then all games of a meeting share one shoe,
//! and each participant has every seat in one game. A fault puts a participant out, and the others continue.
//!
//! | module | purpose |
//! |---|---|
//! | `table` | the state of a game, which the referee keeps |
//! | `agents` | adapts this crate's players to the engine's interface for agents |
//! | `lines` | the lines exchanged with external programs |
//! | `board` | pictures of the table |
//! | `position` | converts a hand in play to text and back |
//! | `study` | evaluates actions, and computes the losses of a game's actions |
//! | `view` | the table as people see it |

mod agents;
mod board;
mod how_to_play;
mod lines;
mod position;
mod study;
mod table;
mod view;

use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::fields::Fields;
use turnwise_engine::outside::Lines;
use turnwise_engine::player::Counts;
use turnwise_engine::plugin::{
    About, AgentAbout, AgentOptions, Example, GameRules, Help, Judging, Level, Look, LossJudge,
    Meaning, OptionAbout, Scoring, Studied, Studying, Thresholds, Told, UnplayableError,
    UntypedGame, in_range,
};
use turnwise_engine::words::counted;
use turnwise_protocol::twentyone::LINE_LIMIT;

use crate::actions::Action;
use crate::baselines::{self, Baseline};
use crate::cards::MOST_DECKS;
use crate::rules::{MOST_POINTS, Points, RuleSet, Settings};
use crate::strong::Strong;
use agents::Strategist;
use study::Judge;
use table::{Kept, LEFT, RIGHT};
pub use table::{Question, TwentyOneTable};

/// The allowed number of seats at a table.
const SEATS: RangeInclusive<u32> = 2..=10;

/// The default number of rounds in a game.
const USUAL_ROUNDS: u32 = 100;

/// The default strategy of the house, which plays the seats without a participant.
const USUAL_HOUSE: Baseline = Baseline::Basic;

/// The settings of TwentyOne in a match: the game's parameters, the number of seats, and the house's strategy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TwentyOne {
    /// The parameters of each game.
    settings: Settings,
    /// The number of seats at the table, including the participants' seats.
    seats: u32,
    /// The strategy of the house, which plays the seats without a participant.
    house: Baseline,
}

const RULE_SETS: &[(&str, &str)] = &[
    ("text", "The rules of the assignment's text"),
    ("engine", "The rules of the course's engine"),
];

const HOUSES: &[(&str, &str)] = &[
    ("naive", "Draws to 17"),
    ("basic", "Basic strategy, flat bids"),
    ("timid", "Bids the minimum, never risks going bust"),
    ("gambler", "Basic strategy, bids the maximum"),
    ("counter", "Basic strategy, counts by hi-lo"),
    ("chart", "This program's player without its count"),
    ("engine-table", "Best basic strategy by the engine's rules"),
];

/// Checks that a setting's value is a number of points.
fn points(text: &str) -> Result<(), String> {
    in_range(text, 1..=MOST_POINTS as i64)
}

const ROLES: [&str; 2] = ["Left", "Right"];

/// The levels of strength. `scripts/measure-levels` measures the gaps between them.
static LEVELS: [Level; 4] = [
    Level::new("random", None, 0),
    Level::new("naive", None, 0),
    Level::new("timid", None, 0),
    Level::new("turnwise", None, 0),
];

static ABOUT: About = About {
    name: "twentyone",
    title: "TwentyOne",
    roles: ROLES,
    scoring: Scoring::Points,
    thresholds: Thresholds::new(5.0, 10.0, 20.0),
    victory: None,
    counts: Counts::Wall,
    agents: &[
        AgentAbout::new("turnwise", &["level=1-4"]),
        AgentAbout::plain("chart"),
        AgentAbout::plain("engine-table"),
        AgentAbout::plain("counter"),
        AgentAbout::plain("basic"),
        AgentAbout::plain("naive"),
        AgentAbout::plain("timid"),
        AgentAbout::plain("gambler"),
        AgentAbout::plain("random"),
    ],
    levels: &LEVELS,
    random_agent: "random",
    wires: &["twentyone"],
    has_daemons: false,
    options: &[
        OptionAbout::choice(
            "rules",
            "RULES",
            RULE_SETS,
            "Choose the rule set; text by default",
        ),
        OptionAbout::checked(
            "seats",
            "N",
            "Set the number of seats, including the participants; 2 by default",
            &|text| in_range(text, whole(SEATS)),
        ),
        OptionAbout::choice(
            "house",
            "NAME",
            HOUSES,
            "Choose the agent in the other seats; basic by default",
        ),
        OptionAbout {
            offered: &["10", "25", "100"],
            ..OptionAbout::checked(
                "rounds",
                "N",
                "Play this many rounds in a game; 100 by default",
                &|text| in_range(text, 1..=u32::MAX.into()),
            )
        },
        OptionAbout::checked(
            "starting-points",
            "POINTS",
            "Give each player this many points at the start; 10000 by default",
            &points,
        ),
        OptionAbout::checked(
            "min-bid",
            "POINTS",
            "Set the smallest bid; 10 by default",
            &points,
        ),
        OptionAbout::checked(
            "max-bid",
            "POINTS",
            "Set the largest bid; 1000 by default, 100 by the engine's rules",
            &points,
        ),
        OptionAbout::checked(
            "decks",
            "N",
            "Set the number of decks in the shoe; 3 by default",
            &|text| in_range(text, 1..=MOST_DECKS.into()),
        ),
    ],
    help: Help {
        summary: "Bid, take cards up to 21, and win more points from the dealer",
        agents: "  turnwise[:level=1-4]
      this program's player: counts, exact play, growth-optimal bids
  chart, counter, basic
      the same without its count; hi-lo; basic strategy with flat bids
  engine-table
      the best basic strategy by the engine's rules, with flat bids
  naive, timid, gambler
      draw to 17; bid the minimum and never bust; bid the maximum
  random
      any legal action
  cmd:WORDS
      a process for each game on stdin and stdout, one JSON line a call
",
        shared: "shoe",
        examples: &[
            Example::new(
                "arena",
                "turnwise chart --game twentyone --rules engine --seats 4",
                "",
            ),
            Example::new(
                "arena",
                "turnwise chart basic --game twentyone --tables --seats 3",
                "all at one table",
            ),
            Example::new(
                "stdio",
                "twentyone",
                "at a TwentyOne table, one JSON line a call",
            ),
            Example::new(
                "export",
                "twentyone-haskell submission/Player.hs",
                "for the engine of the TwentyOne course",
            ),
        ],
    },
    rules: &how_to_play::RULES,
    has_puzzles: true,
    look: Look {
        pieces: None,
        verb: "moves",
        column_first: false,
        measures: &["points of Left", "points of Right"],
    },
    lacks: &["luck"],
};

fn whole(range: RangeInclusive<u32>) -> RangeInclusive<i64> {
    let (least, most) = range.into_inner();
    least.into()..=most.into()
}

impl GameRules for TwentyOne {
    type Table = TwentyOneTable;
    type Resources = ();

    const ABOUT: &'static About = &ABOUT;

    fn by_options(given: &dyn Fn(&str) -> Option<String>) -> Result<TwentyOne, String> {
        fn parsed<T: FromStr>(text: Option<String>) -> Option<T> {
            text.and_then(|text| text.parse().ok())
        }
        let usual = Settings::of(parsed(given("rules")).unwrap_or(RuleSet::Text));
        let points = |name, usual: Points| parsed(given(name)).unwrap_or(usual);
        let settings = Settings {
            rules: usual.rules,
            starting_points: points("starting-points", usual.starting_points),
            min_bid: points("min-bid", usual.min_bid),
            max_bid: points("max-bid", usual.max_bid),
            rounds: parsed(given("rounds")).unwrap_or(USUAL_ROUNDS),
            decks: parsed(given("decks")).unwrap_or(usual.decks),
        };
        Ok(TwentyOne {
            settings: settings.validated().map_err(|error| error.to_string())?,
            seats: parsed(given("seats")).unwrap_or(*SEATS.start()),
            house: parsed(given("house")).unwrap_or(USUAL_HOUSE),
        })
    }

    fn check(&self) -> Result<(), UnplayableError> {
        let settings = self.settings.clone().validated();
        settings.map_err(|error| UnplayableError::Malformed(error.to_string()))?;
        UnplayableError::unless_within(&SEATS, "the number of seats", self.seats)
    }

    fn agent(
        &self,
        name: &str,
        _resources: &(),
        _options: &AgentOptions,
        seed: u64,
    ) -> BoxedAgent<Question, Action> {
        match (name, name.parse::<Baseline>()) {
            ("random", _) => agents::random(seed),
            (_, Ok(baseline)) => Box::new(Strategist::new(baseline, baselines::recalled)),
            (_, Err(_)) => Box::new(Strategist::new(Strong, |memory, _| {
                memory.to_limited_string()
            })),
        }
    }

    /// Creates a table from a text that states what the player of a hand knows, one fact per line.
    ///
    /// Lines: `turn Left`, `points 9900 10000` (of Left and Right, without the bid; default: the starting
    /// points), `bid 100`, `dealer SA`, `hand S8 H8`, `gone AA 2 KKK` (ranks of other cards seen; default: no
    /// cards), `insured` (if the player took insurance). See `docs/reference/twentyone.md` for details.
    fn set_up(&self, text: &str) -> Result<TwentyOneTable, String> {
        position::set_up(self, text)
    }

    fn set_up_text(&self, table: &TwentyOneTable) -> Option<String> {
        position::text(table)
    }

    fn reopen(&self, result: &Fields) -> Result<TwentyOneTable, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        kept.check(self.seats)?;
        Ok(TwentyOneTable::seated(self, kept.shoe, kept.seats))
    }

    /// Evaluates the actions. Ignores all limits, because computing the values takes only a few milliseconds.
    fn study(&self, table: &mut TwentyOneTable, how: &Studying, _told: Told) -> Studied {
        study::study(table, how.top)
    }

    fn lines(_wire: &str) -> Option<Box<dyn Lines<Question, Action>>> {
        Some(Box::new(lines::TwentyOneLines::default()))
    }
}

impl UntypedGame for TwentyOne {
    fn conditions(&self) -> String {
        let Settings {
            rules,
            starting_points,
            min_bid,
            max_bid,
            rounds,
            decks,
        } = self.settings;
        let others = match self.seats {
            2 => String::new(),
            seats => format!(", {seats} seats, {} in the others", self.house.name()),
        };
        format!(
            "TwentyOne by the rules of the {rules}, {} from {starting_points} points, bids {min_bid} to \
             {max_bid}, {}{others}",
            counted(rounds, "round"),
            counted(decks, "deck"),
        )
    }

    fn place(&self) -> String {
        let rules = self.settings.rules;
        match self.seats {
            2 => format!("of TwentyOne by the {rules}"),
            seats => format!("of TwentyOne by the {rules} at a table of {seats}"),
        }
    }

    fn seats(&self) -> usize {
        self.seats as usize
    }

    fn longest_line(&self, _wire: &str) -> Option<usize> {
        Some(LINE_LIMIT)
    }

    fn meaning(&self, result: &Fields) -> Result<Meaning, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        kept.check(self.seats)?;
        let began = self.settings.starting_points as f64;
        let won = kept.points.iter().map(|&points| points as f64 - began);
        Ok(Meaning {
            won: won.collect(),
            ..Meaning::points(kept.points[LEFT] as f64 - kept.points[RIGHT] as f64)
        })
    }

    fn loss_judge(&self, _by: &Judging) -> Result<Option<Box<dyn LossJudge>>, String> {
        Ok(Some(Box::new(Judge(self.clone()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_baseline_can_be_an_agent_and_the_house() {
        for baseline in Baseline::ALL {
            let name = baseline.name();
            assert!(ABOUT.agents.iter().any(|agent| agent.name == name));
            assert!(HOUSES.iter().any(|(house, _)| *house == name));
            assert_eq!(name.parse(), Ok(baseline));
            let logged = serde_json::to_string(&baseline).expect("a name");
            assert_eq!(logged, format!("{name:?}"));
        }
    }

    #[test]
    fn impossible_settings_are_refused() {
        let by = |options: &[(&str, &str)]| {
            TwentyOne::by_options(&|wanted| {
                let mut options = options.iter();
                let found = options.find(|(name, _)| *name == wanted);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        let usual = by(&[]).expect("settings");
        assert_eq!((usual.seats, usual.settings.rounds), (2, USUAL_ROUNDS));
        assert_eq!(
            by(&[("rules", "engine")])
                .expect("settings")
                .settings
                .max_bid,
            100
        );
        let reason = by(&[("min-bid", "20"), ("max-bid", "10")]).expect_err("no game");
        assert!(reason.contains("bids from 20 to 10"), "{reason}");
        let crowded = TwentyOne { seats: 11, ..usual };
        let error = crowded.check().expect_err("too many").to_string();
        assert!(error.contains("2 to 10"), "{error}");
    }
}
