//! Tests the memory string, and provides random memories for other tests.
//!
//! A memory must survive writing and reading unchanged, must be rejected if it is damaged, and must never be too long.

use proptest::prelude::*;
use turnwise_twentyone::cards::{Card, RankCounts, sorted_decks};
use turnwise_twentyone::memory::{Double, HISTORY_ROUNDS, Memory, Past, Seat, Turn};
use turnwise_twentyone::player::{MEMORY_LIMIT, PlayerId, Shown};
use turnwise_twentyone::rules::Points;

pub fn card() -> impl Strategy<Value = Card> {
    (0usize..52).prop_map(|index| sorted_decks(1)[index])
}

pub fn hands() -> impl Strategy<Value = Vec<Vec<Card>>> {
    prop::collection::vec(prop::collection::vec(card(), 1..6), 0..4)
}

fn shown() -> impl Strategy<Value = Shown> {
    (any::<PlayerId>(), hands()).prop_map(|(id, hands)| Shown { id, hands })
}

pub fn memories() -> impl Strategy<Value = Memory> {
    let double = prop_oneof![
        Just(Double::None),
        Just(Double::HitDue),
        Just(Double::StandDue)
    ];
    let pair = prop::option::of([card(), card()]);
    let turn = (
        any::<Points>(),
        any::<bool>(),
        pair,
        double,
        prop::option::of(card()),
    )
        .prop_map(|(bid, insured, pair, double, up_card)| Turn {
            bid,
            insured,
            pair,
            double,
            up_card,
        });
    let past = (any::<Points>(), any::<i64>(), hands()).prop_map(|(bid, gain, hands)| Past {
        bid,
        gain,
        hands,
    });
    let seat = (
        any::<PlayerId>(),
        any::<Points>(),
        any::<Points>(),
        prop::option::of(any::<Points>()),
        any::<u64>(),
        any::<Points>(),
    )
        .prop_map(|(id, points, bid, paid, bids, bid_sum)| Seat {
            id,
            points,
            bid,
            paid,
            bids,
            bid_sum,
        });
    (
        (
            any::<u32>(),
            any::<u32>(),
            any::<u32>(),
            any::<[u8; 13]>(),
            turn,
        ),
        (
            prop::collection::vec(past, 0..6),
            prop::collection::vec(shown(), 0..6),
            prop::collection::vec(seat, 0..12),
        ),
    )
        .prop_map(
            |((round, players, dealt, seen, turn), (history, earlier, seats))| Memory {
                round,
                players,
                dealt,
                seen: RankCounts(seen),
                turn,
                history,
                earlier,
                seats,
            },
        )
}

proptest! {
    #[test]
    fn a_memory_is_read_back_as_written(memory in memories()) {
        let text = memory.to_string();
        prop_assert_eq!(Memory::parse(&text).expect("its own string"), memory);
    }

    #[test]
    fn a_broken_memory_is_an_error_and_no_panic(
        memory in memories(), cut in any::<prop::sample::Index>(), garbage in ".{0,40}",
    ) {
        let text = memory.to_string();
        // Only the last list can be cut off without an error. A text that is cut off is therefore either an error, or a
        // memory whose last list is shorter or ends with a shorter number.
        let cut = cut.index(text.len());
        if let Ok(shorter) = Memory::parse(&text[..cut]) {
            prop_assert!(shorter.seats.len() <= memory.seats.len());
            prop_assert_eq!(shorter.seen, memory.seen);
            prop_assert_eq!(shorter.history, memory.history);
        }
        prop_assert!(Memory::parse(&garbage).is_err());
        let middle = format!("{}{garbage}{}", &text[..cut], &text[cut..]);
        let _ = Memory::parse(&middle);
    }
}

#[test]
fn a_memory_never_outgrows_the_limit() {
    let card: Card = "SQ".parse().expect("a card");
    let hands = vec![vec![card; 10]; 4];
    let shown = |id| Shown {
        id,
        hands: hands.clone(),
    };
    let past = Past {
        bid: 1000,
        gain: -1000,
        hands: hands.clone(),
    };
    let memory = Memory {
        history: vec![past; HISTORY_ROUNDS],
        earlier: (0..100).map(shown).collect(),
        seats: (0..100).map(|id| Seat::new(id, Points::MAX)).collect(),
        ..Memory::default()
    };
    assert!(memory.to_string().len() > MEMORY_LIMIT);
    let kept = Memory::parse(&memory.to_limited_string()).expect("within the limit");
    assert!(kept.history.is_empty() && kept.earlier.len() < 100);
    assert_eq!(kept.seats, memory.seats);
}

#[test]
fn the_grammar_of_the_page_is_that_of_the_parser() {
    let parser = include_str!("../../src/memory.rs");
    let grammar: Vec<&str> = parser
        .lines()
        .skip_while(|line| *line != "//! ```text")
        .take_while(|line| *line != "//! ```")
        .map(|line| line.strip_prefix("//! ").unwrap_or(""))
        .collect();
    assert!(grammar.len() > 20);
    let page = include_str!("../../../../docs/reference/twentyone.md");
    assert!(page.contains(&grammar.join("\n")), "{}", grammar.join("\n"));
}
