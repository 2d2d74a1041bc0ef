//! TwentyOne as others see it: in matches, in logs, on the command line.
//!
//! A match is between two participants at a table; a named strategy has the other seats, if there are
//! any. Both games of a pair have the same shoe, and the participants swap seats. A game scores the points
//! of Left less those of Right, so that a pair's difference is what one participant won more than the other
//! in both games together.
//!
//! | module | what it is for |
//! |---|---|
//! | `table` | the referee's table |
//! | `agents` | the crate's players as agents |
//! | `lines` | the words for programs outside |
//! | `board` | a logged game, move by move |

mod agents;
mod board;
mod lines;
mod table;

use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::fields::Fields;
use turnwise_engine::outside::Lines;
use turnwise_engine::player::Counts;
use turnwise_engine::plugin::{
    About, AgentAbout, Board, GameRules, Look, MatchGame, Meaning, OptionAbout, Scoring,
    UnplayableError, in_range,
};
use turnwise_engine::words::counted;
use turnwise_protocol::twentyone::LINE_LIMIT;

use crate::actions::Action;
use crate::baselines::Baseline;
use crate::cards::MOST_DECKS;
use crate::rules::{MOST_POINTS, Points, RuleSet, Settings};
use crate::strong::Strong;
use agents::{RandomAgent, Strategist};
use board::LoggedBoard;
use table::{Kept, LEFT, RIGHT};
pub use table::{Question, TwentyOneTable};

/// Seats of a table.
const SEATS: RangeInclusive<u32> = 2..=10;

/// Rounds of a game unless something else is asked for.
const USUAL_ROUNDS: u32 = 100;

/// Whoever sits in the other seats unless something else is asked for.
const USUAL_HOUSE: Baseline = Baseline::Basic;

/// TwentyOne at a table of its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TwentyOne {
    /// Parameters of each game.
    settings: Settings,
    /// Seats at the table, those of the participants included.
    seats: u32,
    /// Who has the other seats.
    house: Baseline,
}

const RULE_SETS: &[(&str, &str)] = &[
    ("text", "As the assignment's text has it"),
    ("engine", "As the course's engine has it"),
];

const HOUSES: &[(&str, &str)] = &[
    ("naive", "Draws to 17"),
    ("basic", "Basic strategy, flat bids"),
    ("timid", "Bids the minimum, never risks to go bust"),
    ("gambler", "Basic strategy, bids the maximum"),
    ("counter", "Basic strategy, counts by hi-lo"),
    ("chart", "Our player without its count"),
];

/// Checks that a setting's value is a number of points.
fn points(text: &str) -> Result<(), String> {
    in_range(text, 1..=MOST_POINTS as i64)
}

/// A setting whose value is a number.
const fn number(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    check: fn(&str) -> Result<(), String>,
) -> OptionAbout {
    OptionAbout {
        name,
        alias: None,
        value: Some(value),
        choices: &[],
        help,
        check,
    }
}

/// A setting whose value is one of these words; nothing else comes to its check.
const fn word(
    name: &'static str,
    value: &'static str,
    choices: &'static [(&'static str, &'static str)],
    help: &'static str,
    check: fn(&str) -> Result<(), String>,
) -> OptionAbout {
    OptionAbout {
        name,
        alias: None,
        value: Some(value),
        choices,
        help,
        check,
    }
}

static ABOUT: About = About {
    name: "twentyone",
    title: "TwentyOne",
    summary: "A shoe, a dealer, and who wins more points",
    roles: ["Left", "Right"],
    scoring: Scoring::Points,
    victory: None,
    counts: Counts::Wall,
    agents: &[
        AgentAbout::plain("turnwise"),
        AgentAbout::plain("chart"),
        AgentAbout::plain("counter"),
        AgentAbout::plain("basic"),
        AgentAbout::plain("naive"),
        AgentAbout::plain("timid"),
        AgentAbout::plain("gambler"),
        AgentAbout::plain("random"),
    ],
    agents_help: "  turnwise                     this program's player: counts, exact play, growth-optimal bids
  chart, counter, basic        the same without its count; hi-lo; basic strategy with flat bids
  naive, timid, gambler        draw to 17; bid the minimum and never bust; bid the maximum
  random                       any legal action
  cmd:WORDS                    a process for each game on stdin and stdout, one JSON line a call
",
    refused: &[("ours", "in matches this program's player is called turnwise")],
    wires: &["twentyone"],
    has_daemons: false,
    options: &[
        word(
            "rules",
            "RULES",
            RULE_SETS,
            "Rule set; text by default",
            |text| text.parse::<RuleSet>().map(drop),
        ),
        number(
            "seats",
            "N",
            "Seats at the table, the participants' two included; 2 by default",
            |text| in_range(text, whole(SEATS)),
        ),
        word(
            "house",
            "NAME",
            HOUSES,
            "Who has the other seats; basic by default",
            |text| text.parse::<Baseline>().map(drop),
        ),
        number(
            "rounds",
            "N",
            "Rounds of a game; 100 by default",
            |text| in_range(text, 1..=u32::MAX.into()),
        ),
        number(
            "starting-points",
            "POINTS",
            "Points of each player at the start; 10000 by default",
            points,
        ),
        number("min-bid", "POINTS", "Smallest bid; 10 by default", points),
        number(
            "max-bid",
            "POINTS",
            "Largest bid; 1000 by default, 100 by the engine's rules",
            points,
        ),
        number("decks", "N", "Decks in the shoe; 3 by default", |text| {
            in_range(text, 1..=MOST_DECKS.into())
        }),
    ],
    measures: &["points of Left", "points of Right"],
    look: Look {
        pieces: None,
        verb: "moves",
        column_first: false,
    },
};

fn whole(range: RangeInclusive<u32>) -> RangeInclusive<i64> {
    let (least, most) = range.into_inner();
    least.into()..=most.into()
}

impl MatchGame for TwentyOne {
    type Table = TwentyOneTable;
    type Resources = ();

    fn about() -> &'static About {
        &ABOUT
    }

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
        match SEATS.contains(&self.seats) {
            true => Ok(()),
            false => Err(UnplayableError::Unknown {
                what: "the number of seats",
                got: self.seats.to_string(),
                expected: format!("{} to {}", SEATS.start(), SEATS.end()),
            }),
        }
    }

    fn agent(
        &self,
        name: &str,
        _resources: &(),
        _nodes: Option<u64>,
        seed: u64,
    ) -> BoxedAgent<Question, Action> {
        match (name, name.parse::<Baseline>()) {
            ("random", _) => Box::new(RandomAgent::new(seed)),
            (_, Ok(baseline)) => Box::new(Strategist::new(baseline)),
            (_, Err(_)) => Box::new(Strategist::new(Strong)),
        }
    }

    fn lines(_wire: &str) -> Option<Box<dyn Lines<Question, Action>>> {
        Some(Box::new(lines::TwentyOneLines::default()))
    }
}

impl GameRules for TwentyOne {
    fn conditions(&self) -> String {
        let Settings {
            rules,
            starting_points,
            min_bid,
            max_bid,
            rounds,
            decks,
        } = self.settings;
        let others = match self.seats - 2 {
            0 => String::new(),
            others => format!(
                ", {} for {}",
                counted(others, "more seat"),
                self.house.name()
            ),
        };
        format!(
            "TwentyOne by the rules of the {rules}, {} from {starting_points} points, bids {min_bid} to \
             {max_bid}, {}{others}",
            counted(rounds, "round"),
            counted(decks, "deck"),
        )
    }

    fn place(&self) -> String {
        match self.seats - 2 {
            0 => format!("of TwentyOne by the {}", self.settings.rules),
            others => format!(
                "of TwentyOne by the {} with {} at the table",
                self.settings.rules,
                counted(others, self.house.name()),
            ),
        }
    }

    fn longest_line(&self, _wire: &str) -> Option<usize> {
        Some(LINE_LIMIT)
    }

    fn meaning(&self, result: &Fields) -> Result<Meaning, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        kept.check(self.seats)?;
        Ok(Meaning {
            score: kept.points[LEFT] as f64 - kept.points[RIGHT] as f64,
            ending: None,
            is_won_on_board: false,
            margin: None,
        })
    }

    fn board(&self, result: &Fields) -> Box<dyn Board> {
        let kept: Option<Kept> = result.read().ok();
        let kept = kept.filter(|kept| kept.check(self.seats).is_ok());
        Box::new(LoggedBoard::new(self, &kept.unwrap_or_default()))
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
