//! Simpler players, against which the strong player is measured.
//!
//! They see only a [`View`]. They remember only the bid, a letter for the state of the turn, and the hi-lo count of the
//! cards.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::actions::{Action, Situation, check_bid};
use super::bidding::RISK;
use super::cards::{ACE_VALUE, Card, Rank, RankCounts, TEN_VALUE, points_of};
use super::expected::{Decision, Unseen};
use super::memory::{Double, Memory};
use super::next_hand::{basic_strategy, mean_and_variance};
use super::player::{Fault, Player, Reply, View};
use super::rules::{Points, RuleSet, Total, total_of};

/// The simpler players that a tournament offers by name, in addition to the strong player `ours`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Baseline {
    /// Bids 1 % of the starting points and draws until it has 17 or more. It never doubles, splits or insures.
    Naive,
    /// Plays blackjack's basic strategy and always bids 1 % of the starting points.
    Basic,
    /// Bids the minimum and never risks a bust.
    Timid,
    /// Bids the maximum and plays basic strategy.
    Gambler,
    /// Plays basic strategy, counts cards with the hi-lo system and bids by the true count.
    Counter,
    /// Plays like the strong player, but without counting cards.
    ///
    /// It takes the action that would be best if only its hand and the up-card had left the shoe. Its bid is a fixed
    /// share of its points: the share that the strong player bids when the shoe is fresh.
    Chart,
    /// Plays the best basic strategy for the rules of the course's engine, and always bids 1 % of the starting points.
    ///
    /// The strategy is computed, with doubled Combos, resplits, Charlies and insurance. It looks at the up-card, and at
    /// the hand's total, number of cards and pair.
    #[serde(rename = "engine-table")]
    EngineTable,
}

impl Baseline {
    /// All baselines, in the order of their declaration.
    pub const ALL: [Baseline; 7] = [
        Baseline::Naive,
        Baseline::Basic,
        Baseline::Timid,
        Baseline::Gambler,
        Baseline::Counter,
        Baseline::Chart,
        Baseline::EngineTable,
    ];

    /// Returns the baseline's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Baseline::Naive => "naive",
            Baseline::Basic => "basic",
            Baseline::Timid => "timid",
            Baseline::Gambler => "gambler",
            Baseline::Counter => "counter",
            Baseline::Chart => "chart",
            Baseline::EngineTable => "engine-table",
        }
    }

    fn bid(self, view: &View<'_>, count: &HiLo) -> Points {
        let flat = view.settings.starting_points / 100;
        let wanted = match self {
            Baseline::Naive | Baseline::Basic | Baseline::EngineTable => flat,
            Baseline::Timid => 0,
            Baseline::Gambler => Points::MAX,
            Baseline::Counter => {
                let true_count = count.true_count(view).floor();
                flat * (true_count.clamp(0.0, 7.0) as Points + 1)
            }
            Baseline::Chart => {
                let fresh = RankCounts::of_decks(view.settings.decks);
                let hand = mean_and_variance(view.settings.rules, &fresh);
                (RISK * hand.mean / hand.variance * view.own_points() as f64) as Points
            }
        };
        legal_bid(view, wanted)
    }

    fn play(self, view: &View<'_>, up: Card, note: Note) -> Action {
        let total = total_of(view.hand);
        match self {
            Baseline::Naive if total.best() < 17 => Action::Hit,
            Baseline::Timid if total.best() <= 11 => Action::Hit,
            Baseline::Naive | Baseline::Timid => Action::Stand,
            Baseline::Chart => due(view, note).unwrap_or_else(|| chart_play(view, up, note)),
            Baseline::EngineTable => due(view, note).unwrap_or_else(|| table_play(view, up, note)),
            Baseline::Basic | Baseline::Gambler | Baseline::Counter => {
                due(view, note).unwrap_or_else(|| basic_play(view, up, note))
            }
        }
    }
}

impl FromStr for Baseline {
    type Err = String;

    fn from_str(name: &str) -> Result<Baseline, String> {
        let mut all = Baseline::ALL.into_iter();
        all.find(|known| known.name() == name).ok_or_else(|| {
            let known = Baseline::ALL.map(Baseline::name).join(", ");
            format!("expected one of {known}, got {name:?}")
        })
    }
}

/// Returns the legal bid nearest to `wanted`.
fn legal_bid(view: &View<'_>, wanted: Points) -> Points {
    let points = view.own_points();
    let lowest = view.settings.min_bid.min(points);
    let bid = wanted.clamp(lowest, view.settings.max_bid.min(points).max(lowest));
    debug_assert!(check_bid(view.settings, bid, points).is_ok());
    bid
}

/// A baseline's memory within a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Note {
    bid: Points,
    /// The state of the turn as a letter.
    ///
    /// After a double down, `h` means that Hit is due and `s` that Stand is due. Otherwise, `i` means that the player
    /// took insurance, `a` that it took another action, and `-` that it took none.
    last: char,
}

impl Note {
    fn read(text: &str) -> Note {
        let mut words = text.split(' ');
        let bid = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let last = words.next().and_then(|word| word.chars().next());
        Note {
            bid,
            last: last.unwrap_or('-'),
        }
    }
}

/// Converts the strong player's memory into a baseline's memory. `hand` is the hand to play next.
pub(super) fn recalled(memory: &Memory, hand: &[Card]) -> String {
    let turn = &memory.turn;
    let last = match turn.double {
        Double::HitDue => 'h',
        Double::StandDue => 's',
        Double::None if turn.insured => 'i',
        Double::None if turn.pair.is_some() || hand.len() > 2 => 'a',
        Double::None => '-',
    };
    let count = HiLo::of(&memory.seen);
    format!("{} {last} {} {}", turn.bid, count.running, count.dealt)
}

/// The running count of the hi-lo system (H. Dubner, 1963): low cards +1, tens and aces -1.
#[derive(Default)]
struct HiLo {
    running: i64,
    dealt: u64,
}

impl HiLo {
    /// Parses the count in the memory `text`, and adds the cards shown in the last round.
    fn read(text: &str, view: &View<'_>) -> HiLo {
        let numbers = text.split(' ').skip(2);
        let mut numbers = numbers.map(|word| word.parse::<i64>().unwrap_or(0));
        let running = numbers.next().unwrap_or(0);
        let dealt = numbers.next().unwrap_or(0).max(0) as u64;
        let cards = view
            .shown
            .iter()
            .flat_map(|shown| shown.hands.iter().flatten());
        let mut count = HiLo { running, dealt };
        cards
            .chain(view.dealer)
            .for_each(|card| count.add(card.rank, 1));
        match count.dealt < RankCounts::of_decks(view.settings.decks).total() as u64 {
            true => count,
            false => HiLo::default(),
        }
    }

    /// Returns the count after all cards in `seen` were seen.
    fn of(seen: &RankCounts) -> HiLo {
        let mut count = HiLo::default();
        for (rank, cards) in Rank::all().zip(seen.0) {
            count.add(rank, cards);
        }
        count
    }

    fn add(&mut self, rank: Rank, cards: u8) {
        self.dealt += u64::from(cards);
        self.running += i64::from(cards)
            * match rank.value() {
                ACE_VALUE | TEN_VALUE => -1,
                1..=5 => 1,
                _ => 0,
            };
    }

    fn true_count(&self, view: &View<'_>) -> f64 {
        let left = RankCounts::of_decks(view.settings.decks).total() as f64 - self.dealt as f64;
        self.running as f64 / (left / 52.0).max(0.5)
    }
}

impl Player for Baseline {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        let text = view.memory.unwrap_or("");
        let Some(up) = view.up_card else {
            let count = HiLo::read(text, view);
            let bid = self.bid(view, &count);
            return Ok(Reply {
                action: Action::Bid(bid),
                memory: format!("{bid} - {} {}", count.running, count.dealt),
            });
        };
        let note = Note::read(text);
        let action = self.play(view, up, note);
        let combo = total_of(view.hand).is_combo();
        let last = match (action, note.last) {
            (Action::DoubleDown, _) if !combo => 'h',
            (Action::Hit, 'h') => 's',
            (Action::Insurance, _) | (_, 'i') => 'i',
            _ => 'a',
        };
        let count = text.splitn(3, ' ').nth(2).unwrap_or("0 0");
        Ok(Reply {
            action,
            memory: format!("{} {last} {count}", note.bid),
        })
    }
}

/// Returns the action that an earlier double down still requires, if any.
fn due(view: &View<'_>, note: Note) -> Option<Action> {
    match note.last {
        'h' => Some(Action::Hit),
        's' if view.hand.len() > 2 => Some(Action::Stand),
        _ => None,
    }
}

/// Returns the action that would be best if only the hand and the up-card had left the shoe.
fn chart_play(view: &View<'_>, up: Card, note: Note) -> Action {
    let hand: Vec<Rank> = view.hand.iter().map(|card| card.rank).collect();
    let gone: RankCounts = hand.iter().copied().chain([up.rank]).collect();
    let shoe = RankCounts::of_decks(view.settings.decks).without(&gone);
    let values = Decision {
        rules: view.settings.rules,
        up: up.rank,
        hand: &hand,
        unseen: Unseen::one_shoe(shoe),
        bid: note.bid,
        points: view.own_points(),
        first_action: note.last == '-',
        insured: note.last == 'i',
        alone: false,
    }
    .values();
    match note.bid {
        0 => values.without_bid().best().0,
        _ => values.best().0,
    }
}

/// Returns true if an action is legal and its price is known. A player is never asked about a hand that is doubled.
fn is_legal(view: &View<'_>, up: Card, note: Note, action: Action) -> bool {
    let situation = Situation {
        hand: view.hand,
        up_card: up,
        bid: note.bid,
        points: view.own_points(),
        first_action: note.last == '-',
        doubled: false,
    };
    note.bid > 0 && situation.check(action).is_ok()
}

/// Returns the action of the best basic strategy for the engine's rules.
fn table_play(view: &View<'_>, up: Card, note: Note) -> Action {
    let can = |action| is_legal(view, up, note, action);
    basic_strategy(
        RuleSet::Engine,
        view.settings.decks,
        up.rank,
        view.hand,
        can,
    )
}

/// Returns the action of basic strategy for several decks, without surrender.
///
/// It follows the tables of blackjack books for games in which the dealer stands on soft 17 and a double after a split
/// is allowed.
fn basic_play(view: &View<'_>, up: Card, note: Note) -> Action {
    let can = |action| is_legal(view, up, note, action);
    let total = total_of(view.hand);
    // The dealer's ace counts as eleven here, as in the tables of blackjack books.
    let up = match up.rank.value() {
        ACE_VALUE => 11,
        value => points_of(value),
    };
    if can(Action::Split) && basic_splits(view.hand[0].rank.value(), up) {
        Action::Split
    } else if can(Action::DoubleDown) && basic_doubles(total, up) {
        Action::DoubleDown
    } else if basic_stands(total, up) {
        Action::Stand
    } else {
        Action::Hit
    }
}

fn basic_splits(value: usize, up: u8) -> bool {
    match value {
        ACE_VALUE => true,
        TEN_VALUE => false,
        _ => match points_of(value) {
            2 | 3 | 7 => up <= 7,
            4 => up == 5 || up == 6,
            6 => up <= 6,
            8 => true,
            9 => up <= 9 && up != 7,
            _ => false,
        },
    }
}

fn basic_doubles(total: Total, up: u8) -> bool {
    let soft = total.ace && total.best() != total.hard;
    match (soft, total.best()) {
        (false, 9) => (3..=6).contains(&up),
        (false, 10) => up <= 9,
        (false, 11) => up <= 10,
        (true, 13 | 14) => up == 5 || up == 6,
        (true, 15 | 16) => (4..=6).contains(&up),
        (true, 17 | 18) => (3..=6).contains(&up),
        _ => false,
    }
}

fn basic_stands(total: Total, up: u8) -> bool {
    let soft = total.ace && total.best() != total.hard;
    match (soft, total.best()) {
        (true, 18) => up <= 8,
        (true, best) => best >= 19,
        (false, 12) => (4..=6).contains(&up),
        (false, 13..=16) => up <= 6,
        (false, best) => best >= 17,
    }
}
