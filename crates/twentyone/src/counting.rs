//! Derives the cards left in the shoe from a player's view and its memory of the cards seen.
//!
//! Cards come from the shoe in a fixed order: two for the dealer, two for each seat in seating order, then each seat's
//! draws as it plays, then the dealer's draws. A card's place in that order shows whether it came before or after the
//! shuffle. Therefore, the count is correct even if the shoe runs out in the middle of a round.

use super::bids::{Played, bid_between};
use super::cards::{Card, RankCounts};
use super::expected::Unseen;
use super::memory::{HISTORY_ROUNDS, MOST_SEATS, Memory, Past, Seat};
use super::player::{PlayerId, Shown, View};
use super::rules::{Points, RuleSet, Settings};

/// Describes a contradiction between the player's memory and its view of the last round, if any.
///
/// This detects a list of dealer's cards that is not in dealing order. Such cards would be miscounted: the hidden card
/// would count as the up-card, and the draws would count in the wrong places.
pub fn contradiction(view: &View<'_>) -> Option<String> {
    if view.up_card.is_some() {
        return None;
    }
    let memory = Memory::parse(view.memory?).ok()?;
    let (&told, seen) = (view.dealer.first()?, memory.turn.up_card?);
    (told != seen).then(|| {
        format!(
            "the dealer's up-card is given as {told}, but in the last round {seen} was up: expected the card that \
             was up; name the dealer's up-card, its hidden card and its drawn cards separately"
        )
    })
}

/// The shoe as one player knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Track {
    /// The cards of a fresh shoe.
    full: RankCounts,
    dealt: usize,
    seen: RankCounts,
    /// The unseen cards of the previous shoe, if that shoe ran out in this round.
    unseen_before: Option<RankCounts>,
}

impl Track {
    fn new(settings: &Settings, memory: &Memory) -> Track {
        let full = RankCounts::of_decks(settings.decks);
        Track {
            full,
            dealt: (memory.dealt as usize).min(full.total() - 1),
            seen: memory.seen,
            unseen_before: None,
        }
    }

    /// Counts the next card of the shoe as dealt; `None` is a card that lies face down.
    fn deal(&mut self, card: Option<Card>) {
        if let Some(card) = card {
            self.seen.add(card.rank);
        }
        self.dealt += 1;
        if self.dealt >= self.full.total() {
            self.unseen_before = Some(self.unseen());
            self.dealt = 0;
            self.seen = RankCounts::default();
        }
    }

    fn unseen(&self) -> RankCounts {
        self.full.without(&self.seen)
    }

    fn remaining(&self) -> usize {
        self.full.total() - self.dealt
    }
}

/// The hands of one seat in a round, or `None` while they are hidden.
type SeatHands = Option<Vec<Vec<Card>>>;

/// The assumed number of cards in a hand that is missing from the engine's list.
const CARDS_OF_A_LOST_HAND: usize = 3;

/// Returns true if the hand at `index` is listed in place of a hand that the engine lost.
///
/// If the first half of a pair is split again, the engine loses a hand and lists a later hand twice. All that we know
/// about the lost hand is the pair's rank.
fn stands_for_another(hands: &[Vec<Card>], index: usize) -> bool {
    hands.len() > 2 && hands[index + 1..].contains(&hands[index])
}

/// Returns the cards of a round in dealing order, with `None` for unseen cards.
fn dealing_order(
    dealer: &[Card],
    seats: &[SeatHands],
    face_down_seats: usize,
) -> Vec<Option<Card>> {
    let mut cards = vec![dealer.first().copied(), dealer.get(1).copied()];
    for hands in seats {
        cards.extend(match hands.as_deref() {
            Some([hand]) => [hand.first().copied(), hand.get(1).copied()],
            Some([first, second, ..]) => [first.first().copied(), second.first().copied()],
            Some([]) | None => [None, None],
        });
    }
    cards.extend(std::iter::repeat_n(None, 2 * face_down_seats));
    for hands in seats.iter().flatten() {
        let as_dealt = if hands.len() == 1 { 2 } else { 1 };
        for (index, hand) in hands.iter().enumerate() {
            // Cards dealt at the start of the round come earlier in the order: one card for each of a split's first two
            // hands.
            let skipped = if index < 2 { as_dealt } else { 0 };
            let known = hand.iter().map(|&card| Some(card));
            if stands_for_another(hands, index) {
                let unknown = std::iter::repeat_n(None, CARDS_OF_A_LOST_HAND - 1);
                cards.extend(known.take(1).chain(unknown).skip(skipped));
            } else {
                cards.extend(known.skip(skipped));
            }
        }
    }
    cards.extend(dealer.iter().skip(2).map(|&card| Some(card)));
    cards
}

/// Removes the duplicates that the course's engine lists among a player's hands.
///
/// After an insurance, the engine lists the two insured cards again as if they were a hand, and it lists a
/// hand that was split off twice.
fn genuine(hands: &[Vec<Card>], up_card: Option<Card>) -> Vec<Vec<Card>> {
    let ace_up = up_card.is_some_and(|card| card.rank.value() == 0);
    let mut once: Vec<Vec<Card>> = Vec::new();
    for hand in hands {
        if !ace_up || !once.contains(hand) {
            once.push(hand.clone());
        }
    }
    let hands = once.as_slice();
    let is_echo = |hand: &Vec<Card>| {
        hand.len() == 2
            && hands
                .iter()
                .any(|other| !std::ptr::eq(other, hand) && other.starts_with(hand))
    };
    let genuine = hands.iter().filter(|hand| !ace_up || !is_echo(hand));
    let mut kept: Vec<Vec<Card>> = genuine.cloned().collect();
    if kept.is_empty() {
        kept.extend(hands.first().cloned());
    }
    with_split_card_first(&mut kept);
    kept
}

/// Moves the split card of each hand to the front of the hand.
///
/// The card dealt to a split card comes after it. The split card can be recognized because all hands of a split contain
/// its rank.
fn with_split_card_first(hands: &mut [Vec<Card>]) {
    let of_pair = |hand: &Vec<Card>, rank| hand.iter().take(2).any(|card| card.rank == rank);
    let mut candidates = hands.iter().flatten().take(2).map(|card| card.rank);
    let pair = candidates.find(|&rank| hands.iter().all(|hand| of_pair(hand, rank)));
    let Some(rank) = pair.filter(|_| hands.len() > 1) else {
        return;
    };
    for hand in hands.iter_mut().filter(|hand| hand[0].rank != rank) {
        hand.swap(0, 1);
    }
}

fn shown_by(shown: &[Shown], id: PlayerId) -> Option<&Vec<Vec<Card>>> {
    let shown = shown.iter().find(|shown| shown.id == id)?;
    Some(&shown.hands)
}

/// Returns the number of seats that still receive cards face down although their players are out.
fn face_down_seats(settings: &Settings, memory: &Memory, seated: usize) -> usize {
    match settings.rules {
        RuleSet::Text => 0,
        RuleSet::Engine => (memory.players as usize)
            .saturating_sub(seated)
            .min(MOST_SEATS),
    }
}

/// Adds the last round's cards to the memory when a new bid is due.
pub fn close_round(view: &View<'_>, memory: &mut Memory) {
    let hands = last_hands(view, memory);
    let seats = next_seats(view, memory, &hands);
    if memory.round == 0 {
        memory.players = view.points.len() as u32;
    } else {
        let hidden = face_down_seats(view.settings, memory, hands.len());
        let mut track = Track::new(view.settings, memory);
        for card in dealing_order(view.dealer, &hands, hidden) {
            track.deal(card);
        }
        memory.dealt = track.dealt as u32;
        memory.seen = track.seen;
        if let Some(own) = memory.seats.iter().find(|seat| seat.id == view.id) {
            let hands = shown_by(view.shown, view.id);
            let hands = hands.map(|hands| genuine(hands, view.dealer.first().copied()));
            let past = Past {
                bid: memory.turn.bid,
                gain: difference(view.own_points(), own.points),
                hands: hands.unwrap_or_default(),
            };
            memory.history.insert(0, past);
            memory.history.truncate(HISTORY_ROUNDS);
        }
    }
    memory.round = memory.round.saturating_add(1);
    memory.turn = Default::default();
    memory.earlier.clear();
    memory.seats = seats;
}

fn difference(now: Points, before: Points) -> i64 {
    let signed = |points| i64::try_from(points).unwrap_or(i64::MAX);
    signed(now) - signed(before)
}

/// Returns the hands of the last round's seats, as far as they were shown.
fn last_hands(view: &View<'_>, memory: &Memory) -> Vec<SeatHands> {
    let up_card = view.dealer.first().copied();
    let of_seat = |seat: &Seat| {
        let now = shown_by(view.shown, seat.id).filter(|hands| !hands.is_empty());
        now.or(shown_by(&memory.earlier, seat.id))
            .map(|hands| genuine(hands, up_card))
    };
    memory.seats.iter().map(of_seat).collect()
}

/// Returns the seats of the coming round, with the bids that are already known.
///
/// Players seated before us have already bid. Their bids are noted if they can be inferred from the last
/// round, whose seats are still in `memory`.
fn next_seats(view: &View<'_>, memory: &Memory, hands: &[SeatHands]) -> Vec<Seat> {
    let played = Played {
        settings: view.settings,
        dealer: view.dealer,
    };
    let mut has_bid = true;
    let mut seats = Vec::new();
    for &(id, points) in view.points.iter().take(MOST_SEATS) {
        has_bid &= id != view.id;
        let before = memory
            .seats
            .iter()
            .zip(hands)
            .find(|(seat, _)| seat.id == id);
        let mut seat = before.map_or(Seat::new(id, points), |(seat, _)| Seat {
            points,
            bid: 0,
            paid: None,
            ..*seat
        });
        if has_bid {
            let points_before = match (before, view.memory) {
                (Some((seat, Some(hands))), _) => played.points_after(seat, hands),
                // Before the first round, nobody has won or lost points.
                (None, None) => vec![view.settings.starting_points],
                _ => Vec::new(),
            };
            if let Some(bid) = bid_between(view.settings, &points_before, points) {
                seat.note_bid(bid);
            }
        }
        seats.push(seat);
    }
    seats
}

/// The two shoes from which the coming hand may be dealt, and the share that comes from the current shoe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ahead {
    /// The unseen cards of the current shoe.
    pub present: RankCounts,
    /// The cards of a full shoe, from which hands are dealt after the next shuffle.
    pub fresh: RankCounts,
    /// The fraction of cards from the current shoe among the cards that decide our hand.
    pub share: f64,
}

/// Returns the cards from which the coming hand is dealt; call after [`close_round`].
pub fn cards_ahead(view: &View<'_>, memory: &Memory) -> Ahead {
    let track = Track::new(view.settings, memory);
    let seated = view.points.len();
    let place = view.points.iter().position(|&(id, _)| id == view.id);
    let place = place.unwrap_or(0);
    let hidden = face_down_seats(view.settings, memory, seated);
    let start_of_draws = 2 * (1 + seated + hidden);
    // The cards that decide a hand: two of the dealer, two of ours, one draw of ours, and one draw of the dealer.
    let ours = start_of_draws + place;
    let dealers = start_of_draws + seated;
    let decisive = [0, 1, 2 + 2 * place, 3 + 2 * place, ours, dealers];
    let present = decisive.iter().filter(|&&card| card < track.remaining());
    Ahead {
        present: track.unseen(),
        fresh: track.full,
        share: present.count() as f64 / decisive.len() as f64,
    }
}

/// Stores in the memory the visible bids and payments, and the hands of the players before us.
pub fn look_around(view: &View<'_>, memory: &mut Memory) {
    memory.turn.up_card = view.up_card;
    let Some(ours) = memory.seats.iter().position(|seat| seat.id == view.id) else {
        return;
    };
    let points_of = |id| view.points.iter().find(|&&(other, _)| other == id);
    let (before, after) = memory.seats.split_at_mut(ours);
    for seat in before {
        seat.paid = points_of(seat.id).and_then(|(_, points)| seat.points.checked_sub(*points));
    }
    // Since our bid, the players after us have placed their bids but not acted, so the difference in their points is
    // their bid. Their points do not change during the rest of our turn, so no bid is counted twice.
    for seat in &mut after[1..] {
        let now = points_of(seat.id).filter(|(_, points)| *points < seat.points);
        if let Some(&(_, points)) = now {
            seat.note_bid(seat.points - points);
            seat.points = points;
        }
    }
    memory.earlier = memory.seats[..ours]
        .iter()
        .filter_map(|seat| {
            let hands = genuine(shown_by(view.shown, seat.id)?, view.up_card);
            Some(Shown { id: seat.id, hands })
        })
        .collect();
}

/// Returns the cards that the player has not seen at the moment when it must choose an action for its hand.
pub fn unseen(view: &View<'_>, memory: &Memory) -> Unseen {
    let place = memory.seats.iter().position(|seat| seat.id == view.id);
    let place = place.unwrap_or(0);
    let seats: Vec<SeatHands> = memory
        .seats
        .iter()
        .enumerate()
        .map(|(index, seat)| match index.cmp(&place) {
            std::cmp::Ordering::Less => shown_by(&memory.earlier, seat.id).cloned(),
            std::cmp::Ordering::Equal => Some(own_hands(view, memory)),
            std::cmp::Ordering::Greater => None,
        })
        .collect();
    let hidden = face_down_seats(view.settings, memory, seats.len());
    let dealer: Vec<Card> = view.up_card.into_iter().collect();
    let mut track = Track::new(view.settings, memory);
    let mut hole_is_old = false;
    for (index, card) in dealing_order(&dealer, &seats, hidden)
        .into_iter()
        .enumerate()
    {
        let before = track.unseen_before.is_some();
        track.deal(card);
        hole_is_old |= index >= 1 && !before && track.unseen_before.is_some();
    }
    let left = track.unseen();
    match track.unseen_before {
        Some(before) if hole_is_old => Unseen {
            draws: left,
            hole: Some(before),
            dealer: None,
        },
        _ => {
            // Each player still to act draws about one card before the dealer draws.
            let to_act = memory.seats.len().saturating_sub(place);
            let runs_out = track.remaining() <= to_act;
            Unseen {
                draws: left,
                hole: None,
                dealer: runs_out.then_some(track.full),
            }
        }
    }
}

/// Returns our own cards in this round: the hand in play and the finished hands of a split.
fn own_hands(view: &View<'_>, memory: &Memory) -> Vec<Vec<Card>> {
    let mut hands = vec![view.hand.to_vec()];
    if let Some(pair) = memory.turn.pair {
        let shown =
            shown_by(view.shown, view.id).filter(|shown| shown.as_slice() != memory.last_hands());
        // The course's engine continues to list a split pair until its hand is played further.
        let is_pair =
            |hand: &[Card]| hand.len() == 2 && hand.iter().all(|c| c.rank == pair[0].rank);
        let finished = shown
            .into_iter()
            .flatten()
            .filter(|hand| hand.as_slice() != view.hand && !is_pair(hand) && !hand.is_empty());
        hands.splice(0..0, finished.cloned());
        if hands.len() == 1 {
            // The other card of the pair is a separate hand, beside the hand in play.
            let other = usize::from(view.hand.first() == Some(&pair[0]));
            hands.push(vec![pair[other]]);
        }
    }
    hands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hands(text: &str) -> Vec<Vec<Card>> {
        let card = |text: &str| text.parse().expect("a card");
        let hand = |text: &str| text.split(' ').map(card).collect();
        text.split(", ").map(hand).collect()
    }

    /// Each case has an up-card, hands as a bridge copies them from the engine, and the hands to keep.
    #[test]
    fn the_engines_echoes_are_dropped() {
        for (up, told, kept) in [
            // The player took insurance and drew a card; took insurance and stood; took insurance and split.
            ("SA", "S9 H2 D3, S9 H2", "S9 H2 D3"),
            ("SA", "S9 H9, S9 H9", "S9 H9"),
            ("SA", "S8 D2 C4, H8 D3, H8 D3", "S8 D2 C4, H8 D3"),
            // Without an ace as up-card, insurance is impossible.
            ("S9", "S8 D2 C4, S8 D2", "S8 D2 C4, S8 D2"),
            ("SA", "S8 D2, H8 D3", "S8 D2, H8 D3"),
        ] {
            let up_card = up.parse().ok();
            assert_eq!(genuine(&hands(told), up_card), hands(kept), "{told}");
        }
    }

    /// When the second hand of the first split is played, the engine lists the pair again after the other hands.
    #[test]
    fn no_pair_that_was_split_is_a_finished_hand() {
        let settings = Settings::of(RuleSet::Engine);
        let mut memory = Memory::default();
        memory.turn.pair = Some(["S8".parse().expect("a card"), "H8".parse().expect("a card")]);
        for (told, at_play, kept) in [
            ("S8 C8", "S8 D3", "S8 D3, H8"),
            ("S8 D3 CT, S8 C8", "C8 D2", "S8 D3 CT, C8 D2"),
            ("S8 D3, C8 D2, S8 H8", "H8 D5", "S8 D3, C8 D2, H8 D5"),
        ] {
            let shown = [Shown {
                id: 0,
                hands: hands(told),
            }];
            let view = View {
                settings: &settings,
                id: 0,
                up_card: "S9".parse().ok(),
                points: &[(0, 9700)],
                shown: &shown,
                dealer: &[],
                memory: None,
                hand: &hands(at_play)[0],
            };
            assert_eq!(own_hands(&view, &memory), hands(kept), "{told}");
        }
    }

    /// The engine shows the last of three hands twice. Only the eight of the lost hand is known.
    #[test]
    fn a_hand_listed_in_the_place_of_another_is_not_counted_twice() {
        let dealt = |told: &str| {
            let cards = dealing_order(&hands("S9 H7")[0], &[Some(hands(told))], 0);
            let seen: Vec<Card> = cards.iter().flatten().copied().collect();
            (cards.len(), seen)
        };
        let (count, seen) = dealt("S8 D3 CT, H8 D5 C5 C2, H8 D5 C5 C2");
        assert_eq!(count, 2 + 3 + CARDS_OF_A_LOST_HAND + 4);
        assert_eq!(seen, hands("S9 H7 S8 H8 D3 CT H8 D5 C5 C2")[0]);
        // Two equal hands of one split are genuine: their cards come from two decks.
        assert_eq!(dealt("S8 D3, S8 D3").0, 2 + 4);
    }

    #[test]
    fn the_card_that_was_split_off_is_known_by_its_rank() {
        for (told, kept) in [
            ("D2 S8 C4, D3 H8", "S8 D2 C4, H8 D3"),
            ("S8 D2 C4, D3 H8", "S8 D2 C4, H8 D3"),
            ("S8 D8, D3 H8 C2", "S8 D8, H8 D3 C2"),
            ("D2 S8 C4", "D2 S8 C4"),
            ("D2 S8, D3 C9", "D2 S8, D3 C9"),
        ] {
            assert_eq!(genuine(&hands(told), None), hands(kept), "{told}");
        }
    }
}
