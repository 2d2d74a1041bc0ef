//! Cards, the shoe they are dealt from, and counts of cards by value.

use std::fmt;
use std::str::FromStr;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use thiserror::Error;

/// The letters of spades, clubs, diamonds and hearts, in the order of the course's card type.
const SUIT_LETTERS: [char; 4] = ['S', 'C', 'D', 'H'];

/// The number of ranks in a suit.
pub const RANKS: usize = 13;

const RANK_LETTERS: [char; RANKS] = [
    'A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K',
];

/// The rank of a card: ace, two to ten, jack, queen, king.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rank(u8);

impl Rank {
    /// The ace, the lowest rank.
    pub const ACE: Rank = Rank(0);
    const TEN: Rank = Rank(9);

    /// Returns the rank at `index`, from 0 for the ace to 12 for the king.
    ///
    /// # Panics
    /// Panics if `index` is 13 or more.
    pub fn from_index(index: usize) -> Rank {
        assert!(index < RANKS, "rank index {index} is not below {RANKS}");
        Rank(index as u8)
    }

    /// Returns all ranks, from ace to king.
    pub fn all() -> impl Iterator<Item = Rank> {
        (0..RANKS as u8).map(Rank)
    }

    /// Returns the rank's index, from 0 for the ace to 12 for the king.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the rank's letter: `A`, `2` to `9`, `T`, `J`, `Q`, `K`.
    pub fn letter(self) -> char {
        RANK_LETTERS[self.index()]
    }

    /// Returns the points of a card with this rank, as text.
    pub fn points_in_words(self) -> String {
        match self {
            Rank::ACE => "1 or 11".to_owned(),
            _ => points_of(self.value()).to_string(),
        }
    }

    /// Returns the value class: 0 for an ace, 1 for a two, ... 9 for ten, jack, queen and king.
    pub fn value(self) -> usize {
        self.index().min(VALUES - 1)
    }
}

/// The number of value classes: ace, two to nine, and all cards worth ten.
pub const VALUES: usize = 10;

/// The value class of ten, jack, queen and king.
pub const TEN_VALUE: usize = 9;

/// The value class of the ace.
pub const ACE_VALUE: usize = 0;

/// Returns the points of a card of this value class, 1 to 10. An ace counts as 1.
pub fn points_of(value: usize) -> u8 {
    value as u8 + 1
}

/// A playing card, written suit first as in the course's logs: `SQ`, `H3`, `DT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Card {
    /// The index of the suit's letter in [`SUIT_LETTERS`].
    suit: u8,
    /// The card's rank, which alone decides the card's value.
    pub rank: Rank,
}

impl Card {
    /// Returns the card as people usually write it: `Q♠`, `3♥`, `10♦`.
    pub fn picture(&self) -> String {
        let suit = ['♠', '♣', '♦', '♥'][usize::from(self.suit)];
        match self.rank {
            Rank::TEN => format!("10{suit}"),
            rank => format!("{}{suit}", rank.letter()),
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suit = SUIT_LETTERS[usize::from(self.suit)];
        write!(f, "{suit}{}", self.rank.letter())
    }
}

/// The error for a text that is not a card.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{0:?} is not a card: expected a suit S, C, D or H, then A, 2 to 9, T (or 10), J, Q or K, as in SQ"
)]
pub struct CardError(String);

impl FromStr for Card {
    type Err = CardError;

    fn from_str(text: &str) -> Result<Card, CardError> {
        let card = || {
            let mut letters = text.chars();
            let letter = letters.next()?;
            let suit = SUIT_LETTERS.iter().position(|&suit| suit == letter)? as u8;
            let rank = match letters.as_str() {
                "10" => Rank::TEN,
                rest => Rank::all().find(|rank| rest.chars().eq([RANK_LETTERS[rank.index()]]))?,
            };
            Some(Card { suit, rank })
        };
        card().ok_or_else(|| CardError(text.chars().take(12).collect()))
    }
}

/// Joins cards or other items as text, with a separator between them.
pub fn joined<T: fmt::Display>(items: impl IntoIterator<Item = T>, separator: &str) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(separator)
}

/// The maximum number of decks in a shoe, so that the count of each value fits into a byte.
pub const MOST_DECKS: u8 = 8;

/// The number of cards of each rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RankCounts(pub [u8; RANKS]);

impl RankCounts {
    /// Returns the number of cards of each rank in `decks` decks.
    pub fn of_decks(decks: u8) -> RankCounts {
        RankCounts([4 * decks; RANKS])
    }

    /// Returns the number of cards of all ranks.
    pub fn total(&self) -> usize {
        self.0.iter().map(|&count| usize::from(count)).sum()
    }

    /// Counts one more card with this rank.
    pub fn add(&mut self, rank: Rank) {
        self.0[rank.index()] = self.0[rank.index()].saturating_add(1);
    }

    /// Returns these counts minus the counts in `other`.
    ///
    /// No count falls below zero, so that a miscount cannot break a player.
    pub fn without(&self, other: &RankCounts) -> RankCounts {
        let mut left = *self;
        for (mine, theirs) in left.0.iter_mut().zip(other.0) {
            *mine = mine.saturating_sub(theirs);
        }
        left
    }

    /// Returns the number of cards of each value.
    pub fn by_value(&self) -> [u8; VALUES] {
        let mut values = [0; VALUES];
        for rank in Rank::all() {
            values[rank.value()] += self.0[rank.index()];
        }
        values
    }
}

impl FromIterator<Rank> for RankCounts {
    fn from_iter<I: IntoIterator<Item = Rank>>(ranks: I) -> RankCounts {
        let mut counts = RankCounts::default();
        ranks.into_iter().for_each(|rank| counts.add(rank));
        counts
    }
}

/// Returns every card of `decks` decks, in order.
pub fn sorted_decks(decks: u8) -> Vec<Card> {
    (0..decks)
        .flat_map(|_| 0..SUIT_LETTERS.len() as u8)
        .flat_map(|suit| Rank::all().map(move |rank| Card { suit, rank }))
        .collect()
}

/// Shuffled decks that are dealt to the last card and then replaced by fresh decks.
#[derive(Debug, Clone)]
pub struct Shoe {
    cards: Vec<Card>,
    dealt: usize,
    shuffles: u32,
    random: Xoshiro256PlusPlus,
}

impl Shoe {
    /// Creates a freshly shuffled shoe of `decks` decks. Shoes with equal seeds deal equal cards.
    pub fn new(decks: u8, seed: u64) -> Shoe {
        let mut shoe = Shoe {
            cards: sorted_decks(decks),
            dealt: 0,
            shuffles: 0,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        };
        shoe.shuffle();
        shoe
    }

    /// Creates a shoe from which some cards were already dealt.
    ///
    /// The dealt cards are `cards` and other cards, whose number of each rank is in `gone`.
    ///
    /// The remaining cards are shuffled. Returns `None` if the decks lack a dealt card, or if fewer than two cards
    /// remain.
    pub(super) fn dealt_out(
        decks: u8,
        cards: &[Card],
        gone: &RankCounts,
        seed: u64,
    ) -> Option<Shoe> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut rest = sorted_decks(decks);
        rest.shuffle(&mut random);
        let of_ranks = Rank::all().zip(gone.0);
        let of_ranks = of_ranks.flat_map(|(rank, count)| (0..count).map(move |_| (rank, None)));
        let wanted = cards.iter().map(|&card| (card.rank, Some(card)));
        let mut dealt = Vec::new();
        for (rank, wanted) in wanted.chain(of_ranks) {
            let fits = |card: &Card| wanted.map_or(card.rank == rank, |wanted| *card == wanted);
            let place = rest.iter().position(fits)?;
            dealt.push(rest.remove(place));
        }
        (rest.len() >= 2).then(|| Shoe {
            dealt: dealt.len(),
            cards: dealt.into_iter().chain(rest).collect(),
            shuffles: 1,
            random,
        })
    }

    fn shuffle(&mut self) {
        self.cards.shuffle(&mut self.random);
        self.dealt = 0;
        self.shuffles += 1;
    }

    /// Deals the next card; after the last card, shuffles fresh decks.
    pub fn deal(&mut self) -> Card {
        let card = self.cards[self.dealt];
        self.dealt += 1;
        if self.dealt == self.cards.len() {
            self.shuffle();
        }
        card
    }

    /// Returns the number of cards before the next shuffle; never zero.
    pub fn remaining(&self) -> usize {
        self.cards.len() - self.dealt
    }

    /// Returns the number of shuffles, including the first.
    pub fn shuffles(&self) -> u32 {
        self.shuffles
    }
}

/// Parses the names of cards, separated by blanks, for tests.
#[cfg(test)]
pub(crate) fn cards(text: &str) -> Vec<Card> {
    let cards = text.split_whitespace().map(str::parse);
    cards.collect::<Result<_, _>>().expect("cards")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_is_read_back_as_written() {
        for card in sorted_decks(1) {
            assert_eq!(card.to_string().parse(), Ok(card));
        }
        assert_eq!(
            "D10".parse::<Card>().map(|c| c.to_string()),
            Ok("DT".to_string())
        );
    }

    #[test]
    fn other_strings_are_no_cards() {
        for text in ["", "S", "QS", "S1", "S11", "SQQ", "sq", "♠Q", "S Q", "H10 "] {
            assert!(text.parse::<Card>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_shoe_deals_each_of_its_cards_once_and_then_renews() {
        let mut shoe = Shoe::new(3, 7);
        for round in 1..=3 {
            assert_eq!(shoe.shuffles(), round);
            let mut dealt: Vec<Card> = (0..156).map(|_| shoe.deal()).collect();
            let mut expected = sorted_decks(3);
            dealt.sort();
            expected.sort();
            assert_eq!(dealt, expected);
        }
    }
}
