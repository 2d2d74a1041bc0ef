//! The strong player's memory, a string that it carries from call to call.
//!
//! ```text
//! <memory>  ::= "twentyone/3|" <round> "|" <players> "|" <dealt> "|" <counts> "|" <turn>
//!               "|" <history> "|" <earlier> "|" <seats>
//! <round>   ::= <number>                       rounds bid in, this one included
//! <players> ::= <number>                       players at the start of the game
//! <dealt>   ::= <number>                       cards dealt since the last shuffle
//! <counts>  ::= <number> { "," <number> }      13: of the dealt cards, those seen: aces to kings
//! <turn>    ::= <number> ":" <insured> ":" <pair> ":" <double> ":" <up>
//!                                              bid of this round, insurance, pair that was split,
//!                                              what a double down still demands, the dealer's
//!                                              up-card
//! <insured> ::= "i" | "-"
//! <pair>    ::= <card> <card> | "-"
//! <double>  ::= "h" | "s" | "-"                Hit is due, Stand is due, nothing
//! <up>      ::= <card> | "-"
//! <history> ::= [ <past> { "/" <past> } ]      own last rounds, the newest first, 25 at most
//! <past>    ::= <number> ":" <gain> ":" <hands>
//!                                              bid, points won or lost, own hands as they ended
//! <gain>    ::= [ "+" | "-" ] <number>
//! <hands>   ::= [ <hand> { ";" <hand> } ]
//! <hand>    ::= <card> { <card> }
//! <earlier> ::= [ <shown> { "," <shown> } ]    hands of this round that players before us showed
//! <shown>   ::= <number> "=" <hands>
//! <seats>   ::= [ <seat> { "," <seat> } ]      everyone in seating order, ourselves included
//! <seat>    ::= <number> ":" <number> ":" <number> ":" <paid> ":" <number> ":" <number>
//!                                              player, points without its bid, its bid (0: not
//!                                              known), what it paid in its turn, bids known so far,
//!                                              their sum
//! <paid>    ::= <number> | "-"                 "-": its turn is not over, or was not seen
//! <card>    ::= <suit> <rank>
//! <suit>    ::= "S" | "C" | "D" | "H"
//! <rank>    ::= "A" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "T" | "J" | "Q" | "K"
//! <number>  ::= a decimal number without sign, up to 18446744073709551615
//! ```
//!
//! Parsing accepts any text: a text in another form is reported as an error, and the player starts without a memory.

use std::fmt;

use thiserror::Error;
use winnow::ascii::{dec_int, dec_uint};
use winnow::combinator::{alt, cut_err, eof, preceded, repeat, separated, seq, terminated};
use winnow::error::{ContextError, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::token::take;

use super::cards::{Card, RANKS, RankCounts, joined};
use super::player::{MEMORY_LIMIT, PlayerId, Shown};
use super::rules::Points;

/// The beginning of a memory, with the format's version. Other versions are rejected.
const HEADER: &str = "twentyone/3|";

/// The maximum number of players that are remembered. Players seated after them are not remembered.
pub const MOST_SEATS: usize = 100;

/// The maximum number of our own past rounds that are remembered.
pub const HISTORY_ROUNDS: usize = 25;

/// The action that a double down still requires for its hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Double {
    /// No action is required, because no double down is in progress.
    #[default]
    None,
    /// A Hit is required, because exactly one Hit must follow a double down.
    HitDue,
    /// Stand is required, unless the hand went bust.
    StandDue,
}

/// Our own actions so far in this round, and the dealer's up-card.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Turn {
    /// Our bid in this round; 0 if unknown.
    pub bid: Points,
    /// True if we took insurance.
    pub insured: bool,
    /// The first pair that we split in this round.
    pub pair: Option<[Card; 2]>,
    /// The action that a double down still requires.
    pub double: Double,
    /// The dealer's up-card, once seen.
    pub up_card: Option<Card>,
}

/// A finished round, from our own point of view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// Our own bid; 0 if unknown.
    pub bid: Points,
    /// The points that we won, or lost if negative.
    pub gain: i64,
    /// Our own hands as they were shown at the end of the round.
    pub hands: Vec<Vec<Card>>,
}

/// A player's points and bids, as far as we know them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seat {
    /// The player that this entry describes.
    pub id: PlayerId,
    /// The player's points.
    ///
    /// For a player seated before us, they exclude this round's bid; for ourselves, they include it. For a
    /// player seated after us, they include it until the bid is known.
    pub points: Points,
    /// The player's bid in this round; 0 if unknown.
    pub bid: Points,
    /// The points that the player paid after its bid, for doubles, splits and insurance; `None` if unknown.
    pub paid: Option<Points>,
    /// The number of rounds in which the player's bid became known.
    pub bids: u64,
    /// The sum of the known bids.
    pub bid_sum: Points,
}

impl Seat {
    /// Creates the entry of a player without known bids.
    pub fn new(id: PlayerId, points: Points) -> Seat {
        Seat {
            id,
            points,
            ..Seat::default()
        }
    }

    /// Returns the mean of the known bids.
    pub fn mean_bid(&self) -> Option<f64> {
        (self.bids > 0).then(|| self.bid_sum as f64 / self.bids as f64)
    }

    /// Counts a bid by the player.
    pub fn note_bid(&mut self, bid: Points) {
        self.bid = bid;
        self.bids = self.bids.saturating_add(1);
        self.bid_sum = self.bid_sum.saturating_add(bid);
    }
}

/// The complete memory of the strong player.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Memory {
    /// The number of rounds in which we have bid, including the current round.
    pub round: u32,
    /// The number of players at the start of the game.
    pub players: u32,
    /// The number of cards dealt since the last shuffle, up to the end of the last round.
    pub dealt: u32,
    /// The number of cards of each rank that we have seen among the dealt cards.
    pub seen: RankCounts,
    /// Our actions in this round so far.
    pub turn: Turn,
    /// Our own last rounds, newest first.
    pub history: Vec<Past>,
    /// The hands that players before us showed in this round.
    pub earlier: Vec<Shown>,
    /// All players, in seating order.
    pub seats: Vec<Seat>,
}

/// The error for a text that is not a valid memory: the place of the mistake, and the expected text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the memory cannot be read at character {at}{expected}: starting afresh")]
pub struct MemoryError {
    at: usize,
    expected: String,
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Turn { bid, insured, .. } = self.turn;
        let insured = if insured { "i" } else { "-" };
        let pair = or_dash(self.turn.pair.map(|pair| joined(pair, "")));
        let double = match self.turn.double {
            Double::None => "-",
            Double::HitDue => "h",
            Double::StandDue => "s",
        };
        let up = or_dash(self.turn.up_card);
        let hands = |hands: &[Vec<Card>]| joined(hands.iter().map(|hand| joined(hand, "")), ";");
        let past = |past: &Past| format!("{}:{}:{}", past.bid, past.gain, hands(&past.hands));
        let shown = |shown: &Shown| format!("{}={}", shown.id, hands(&shown.hands));
        let seat = |s: &Seat| {
            let (id, points, bid, paid) = (s.id, s.points, s.bid, or_dash(s.paid));
            format!("{id}:{points}:{bid}:{paid}:{}:{}", s.bids, s.bid_sum)
        };
        write!(
            f,
            "{HEADER}{}|{}|{}|{}|{bid}:{insured}:{pair}:{double}:{up}|{}|{}|{}",
            self.round,
            self.players,
            self.dealt,
            joined(self.seen.0, ","),
            joined(self.history.iter().map(past), "/"),
            joined(self.earlier.iter().map(shown), ","),
            joined(self.seats.iter().map(seat), ","),
        )
    }
}

fn or_dash(value: Option<impl fmt::Display>) -> String {
    value.map_or_else(|| "-".to_string(), |value| value.to_string())
}

fn card(input: &mut &str) -> ModalResult<Card> {
    take(2_usize)
        .parse_to()
        .context(expected("a card such as SQ"))
        .parse_next(input)
}

fn hand(input: &mut &str) -> ModalResult<Vec<Card>> {
    repeat(1.., card).parse_next(input)
}

fn hands(input: &mut &str) -> ModalResult<Vec<Vec<Card>>> {
    separated(0.., hand, ';').parse_next(input)
}

fn shown(input: &mut &str) -> ModalResult<Shown> {
    seq!(Shown { id: dec_uint, _: '=', hands: hands }).parse_next(input)
}

fn seat(input: &mut &str) -> ModalResult<Seat> {
    seq!(Seat {
        id: dec_uint,
        _: ':',
        points: dec_uint,
        _: ':',
        bid: dec_uint,
        _: ':',
        paid: alt(('-'.value(None), dec_uint.map(Some))),
        _: ':',
        bids: dec_uint,
        _: ':',
        bid_sum: dec_uint,
    })
    .context(expected("player:points:bid:paid:bids:sum"))
    .parse_next(input)
}

fn past(input: &mut &str) -> ModalResult<Past> {
    seq!(Past { bid: dec_uint, _: ':', gain: dec_int, _: ':', hands: hands })
        .context(expected("bid:gain:hands"))
        .parse_next(input)
}

fn counts(input: &mut &str) -> ModalResult<RankCounts> {
    separated(RANKS, dec_uint::<_, u8, _>, ',')
        .verify_map(|counts: Vec<u8>| <[u8; RANKS]>::try_from(counts).ok().map(RankCounts))
        .context(expected("13 counts"))
        .parse_next(input)
}

fn turn(input: &mut &str) -> ModalResult<Turn> {
    seq!(Turn {
        bid: dec_uint,
        _: ':',
        insured: alt(('i'.value(true), '-'.value(false))),
        _: ':',
        pair: alt(('-'.value(None), (card, card).map(|(first, second)| Some([first, second])))),
        _: ':',
        double: alt((
            'h'.value(Double::HitDue),
            's'.value(Double::StandDue),
            '-'.value(Double::None),
        )),
        _: ':',
        up_card: alt(('-'.value(None), card.map(Some))),
    })
    .context(expected("bid:insured:pair:double:up-card"))
    .parse_next(input)
}

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

fn memory(input: &mut &str) -> ModalResult<Memory> {
    let body = seq!(Memory {
        round: dec_uint.context(expected("the round")),
        _: '|',
        players: dec_uint.context(expected("the number of players")),
        _: '|',
        dealt: dec_uint.context(expected("the cards dealt")),
        _: '|',
        seen: counts,
        _: '|',
        turn: turn,
        _: '|',
        history: separated(0.., past, '/'),
        _: '|',
        earlier: separated(0.., shown, ','),
        _: '|',
        seats: separated(0.., seat, ','),
    });
    terminated(
        preceded(HEADER.context(expected(HEADER)), cut_err(body)),
        eof.context(expected("the end")),
    )
    .parse_next(input)
}

impl Memory {
    /// Returns our own hands of the last round.
    pub fn last_hands(&self) -> &[Vec<Card>] {
        self.history.first().map_or(&[], |past| &past.hands)
    }

    /// Returns the memory as a string, shortened if it would be too long.
    ///
    /// The least important parts are removed first: our own rounds, starting with the oldest; then shown hands; then
    /// players, starting with the last.
    pub fn to_limited_string(&self) -> String {
        let mut kept = self.clone();
        loop {
            let text = kept.to_string();
            let lost = text.len() > MEMORY_LIMIT
                && (kept.history.pop().is_some()
                    || kept.earlier.pop().is_some()
                    || kept.seats.pop().is_some());
            if !lost {
                return text;
            }
        }
    }

    /// Parses a memory that [`Memory`]'s `Display` wrote.
    pub fn parse(text: &str) -> Result<Memory, MemoryError> {
        if text.len() > MEMORY_LIMIT {
            return Err(MemoryError {
                at: MEMORY_LIMIT,
                expected: " (too long)".to_string(),
            });
        }
        memory.parse(text).map_err(|error| {
            let expected = ContextError::context(error.inner()).next();
            MemoryError {
                at: text[..error.offset()].chars().count(),
                expected: expected.map_or_else(String::new, |what| format!(" ({what})")),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_docs_is_read_and_written_alike() {
        let text = "twentyone/3|7|10|143|9,11,8,12,10,9,9,11,8,9,10,12,11|100:-:S8H8:h:HA\
                    |100:-100:SQH3D6/120:240:C9CJ;D9HA/100:0:|4=SAHK,1=C8D2;H8S9DT\
                    |4:9980:20:0:6:120,1:10000:0:-:3:300,0:10150:100:-:7:700";
        let memory = Memory::parse(text).expect("a memory");
        assert_eq!(memory.to_string(), text);
        assert_eq!(memory.round, 7);
        assert_eq!(memory.turn.double, Double::HitDue);
        assert_eq!(memory.earlier[1].hands.len(), 2);
        assert_eq!(memory.last_hands().len(), 1);
        assert_eq!(memory.history[1].gain, 240);
        assert_eq!(
            (memory.seats[0].paid, memory.seats[1].paid),
            (Some(0), None)
        );
    }

    #[test]
    fn an_unreadable_memory_says_where_and_what() {
        let error = Memory::parse("twentyone/3|7|x").expect_err("no memory");
        assert_eq!(error.at, 14);
        assert!(
            error.to_string().contains("the number of players"),
            "{error}"
        );
        let other = Memory::parse("twentyone/2|7|10").expect_err("another version");
        assert!(other.to_string().contains("twentyone/3"), "{other}");
    }
}
