//! Converts a hand in play to text and back. The text states what the hand's player knows, one fact per line.
//!
//! ```text
//! turn Left
//! points 9900 10000
//! bid 100
//! dealer SA
//! hand S8 H8
//! gone AA 2 55 KKK
//! insured
//! ```
//!
//! Words are separated by white space; lines may come in any order.
//!
//! - `turn`: the player of the hand, Left or Right.
//! - `points`: points of Left and Right without the bid; default: the starting points.
//! - `bid`: the bid placed before the cards were shown.
//! - `dealer`: the up-card, suit first.
//! - `hand`: two to four cards.
//! - `gone`: ranks of further cards of the shoe that were seen; default: no cards.
//! - `insured`: the player took insurance.
//!
//! The hand belongs to the game's first round, and nobody else has a hand. Unseen cards lie in the shoe in random
//! order, which is the same for the same text. Hands that were split or doubled cannot be written.

use turnwise_engine::words::{is_new, take_lines};

use super::table::TwentyOneTable;
use super::{ROLES, TwentyOne};
use crate::actions::check_bid;
use crate::cards::{Card, Rank, RankCounts, joined};
use crate::counting::unseen;
use crate::game::InHand;
use crate::memory::Double;
use crate::rules::{MOST_POINTS, Points, hand_value, is_terminal};

/// The facts that were read from a text so far.
#[derive(Default)]
struct Said {
    side: Option<usize>,
    points: Option<[Points; 2]>,
    bid: Option<Points>,
    up_card: Option<Card>,
    hand: Option<Vec<Card>>,
    gone: Option<RankCounts>,
    is_insured: bool,
}

impl Said {
    /// Stores the fact in a line. Returns false if the line is invalid or repeats a fact.
    fn take(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        let points = |text: &str| text.parse().ok().filter(|&points| points <= MOST_POINTS);
        match words.as_slice() {
            ["turn", role] => {
                let side = ROLES
                    .iter()
                    .position(|known| known.eq_ignore_ascii_case(role));
                is_new(&mut self.side, side)
            }
            ["points", left, right] => is_new(&mut self.points, both(points(left), points(right))),
            ["bid", bid] => is_new(&mut self.bid, points(bid)),
            ["dealer", card] => is_new(&mut self.up_card, card.parse().ok()),
            ["hand", cards @ ..] => {
                let hand = cards.iter().map(|card| card.parse().ok()).collect();
                is_new(&mut self.hand, hand)
            }
            ["gone", ranks @ ..] => is_new(&mut self.gone, counts(ranks)),
            ["insured"] => !std::mem::replace(&mut self.is_insured, true),
            [] => true,
            _ => false,
        }
    }
}

fn both<T>(left: Option<T>, right: Option<T>) -> Option<[T; 2]> {
    Some([left?, right?])
}

/// Counts cards by the letters of their ranks. Returns `None` if a letter is unknown.
fn counts(ranks: &[&str]) -> Option<RankCounts> {
    let letters = ranks.iter().flat_map(|word| word.chars());
    letters
        .map(|letter| Rank::all().find(|rank| rank.letter() == letter))
        .collect()
}

/// Creates the table that a text describes.
///
/// An error states the expected and the actual text.
pub(super) fn set_up(rules: &TwentyOne, text: &str) -> Result<TwentyOneTable, String> {
    let mut said = Said::default();
    let expected = "`turn Left` or `turn Right`, `points N N`, `bid N`, `dealer CARD`, `hand CARD CARD`, \
                    `gone RANKS` or `insured`, each at most once, with cards such as SA and ranks A, 2 to 9, \
                    T, J, Q, K";
    take_lines(text, expected, |line| said.take(line))?;
    let missing = |what: &str| format!("expected a line `{what}`");
    let side = said.side.ok_or_else(|| missing("turn Left"))?;
    let bid = said.bid.ok_or_else(|| missing("bid 100"))?;
    let up_card = said.up_card.ok_or_else(|| missing("dealer SA"))?;
    let hand = said.hand.ok_or_else(|| missing("hand S8 H8"))?;
    let settings = &rules.settings;
    let points = said.points.unwrap_or([settings.starting_points; 2]);
    if points[1 - side] == 0 {
        return Err("`points`: expected at least 1 for the player that is not to move".to_owned());
    }
    let before = points[side] + bid;
    check_bid(settings, bid, before).map_err(|error| format!("`bid`: {error}"))?;
    let value = hand_value(&hand);
    if !(2..=4).contains(&hand.len()) || is_terminal(settings.rules, value) {
        return Err(format!(
            "`hand`: expected two to four cards of a hand that is not over, got {} worth {value}",
            joined(&hand, " ")
        ));
    }
    if said.is_insured && up_card.rank != Rank::ACE {
        return Err("`insured`: expected an ace as the dealer's card".to_owned());
    }
    let at = InHand {
        id: 0,
        bid,
        up_card,
        hand,
        gone: said.gone.unwrap_or_default(),
        insured: said.is_insured,
    };
    let table = TwentyOneTable::in_hand(rules, side, points, at);
    table.ok_or_else(|| {
        format!(
            "expected cards of {} decks, with at least two left",
            settings.decks
        )
    })
}

/// Returns the text from which [`set_up`] creates this position.
///
/// Returns `None` unless a hand is in play that was neither split nor doubled, and whose cards come from one
/// shoe.
pub(super) fn text(table: &TwentyOneTable) -> Option<String> {
    let side = table.mover()?;
    let (view, memory) = table.remembered(side);
    let up_card = view.up_card?;
    let is_plain = memory.turn.pair.is_none() && memory.turn.double == Double::None;
    let unseen = unseen(&view, memory);
    if !is_plain || unseen.hole.is_some() || unseen.dealer.is_some() {
        return None;
    }
    let ranks = |cards: &[Card]| cards.iter().map(|card| card.rank).collect();
    let gone = RankCounts::of_decks(view.settings.decks).without(&unseen.draws);
    let gone = gone.without(&ranks(view.hand)).without(&ranks(&[up_card]));
    let of_rank = |rank: Rank| {
        rank.letter()
            .to_string()
            .repeat(gone.0[rank.index()].into())
    };
    let gone: Vec<String> = Rank::all()
        .map(of_rank)
        .filter(|text| !text.is_empty())
        .collect();
    let all = table.game.points();
    let [left, right] = table.ids[..] else {
        return None;
    };
    let [left, right] = [left, right].map(|id| all[id as usize]);
    let mut text = format!(
        "turn {}\npoints {left} {right}\nbid {}\ndealer {up_card}\nhand {}\n",
        ROLES[side],
        memory.turn.bid,
        joined(view.hand, " "),
    );
    if !gone.is_empty() {
        text += &format!("gone {}\n", gone.join(" "));
    }
    if memory.turn.insured {
        text += "insured\n";
    }
    Some(text)
}
