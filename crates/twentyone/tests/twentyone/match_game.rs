//! Tests the table that matches use against an independent referee.
//!
//! The referee reimplements the rules, based on the assignment's text and the engine's description. It treats cards as
//! text. It uses only the shuffles of the library.

use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{GameRules, UntypedGame};
use turnwise_engine::table::Table;
use turnwise_twentyone::actions::Action;
use turnwise_twentyone::cards::Shoe;
use turnwise_twentyone::match_game::{TwentyOne, TwentyOneTable};

/// The parameters of a game in these tests.
#[derive(Debug, Clone, Copy)]
struct Setup {
    is_text: bool,
    seats: usize,
    /// True if the house draws to 17 and bids 2; otherwise it draws up to 11 and bids 10.
    is_naive: bool,
    seed: u64,
}

const START: i64 = 200;
const LEAST: i64 = 10;
const MOST: i64 = 60;
const ROUNDS: u32 = 9;

impl Setup {
    fn option(self, name: &str) -> Option<String> {
        let text = |number: i64| Some(number.to_string());
        match name {
            "rules" => Some(if self.is_text { "text" } else { "engine" }.to_owned()),
            "seats" => text(self.seats as i64),
            "house" => Some(if self.is_naive { "naive" } else { "timid" }.to_owned()),
            "starting-points" => text(START),
            "min-bid" => text(LEAST),
            "max-bid" => text(MOST),
            "rounds" => text(ROUNDS.into()),
            "decks" => text(1),
            _ => None,
        }
    }

    fn rules(self) -> TwentyOne {
        TwentyOne::by_options(&|name| self.option(name)).expect("settings")
    }
}

/// The participant's action for which the referee waits.
#[derive(Debug, PartialEq)]
struct Awaited {
    side: usize,
    hand: Vec<String>,
    legal: Vec<String>,
}

fn total(hand: &[String]) -> i64 {
    let points = |card: &String| match &card[1..] {
        "A" => 11,
        "T" | "J" | "Q" | "K" => 10,
        number => number.parse().expect("a number"),
    };
    let mut sum: i64 = hand.iter().map(points).sum();
    let mut aces = hand.iter().filter(|card| card.ends_with('A')).count();
    while sum > 21 && aces > 0 {
        (sum, aces) = (sum - 10, aces - 1);
    }
    sum
}

/// Returns the grade of a hand: 0 for a bust, 22 for a Charlie, 23 for a Combo, else its total.
fn worth(hand: &[String], has_charlie: bool) -> i64 {
    match total(hand) {
        22.. => 0,
        21 if hand.len() == 2 => 23,
        _ if has_charlie => 22,
        total => total,
    }
}

struct Seat {
    points: i64,
    is_out: bool,
    bid: i64,
    insured: bool,
    /// Finished hands, with the bid on each hand.
    hands: Vec<(Vec<String>, i64)>,
}

struct Referee<'a> {
    setup: Setup,
    /// The side of each seat; `None` for seats of the house.
    sides: Vec<Option<usize>>,
    seats: Vec<Seat>,
    moves: std::slice::Iter<'a, String>,
}

impl Referee<'_> {
    fn bid(&mut self, id: usize) -> Result<i64, Awaited> {
        let points = self.seats[id].points;
        let is_legal = |bid: i64| {
            let least = if points < LEAST { 1 } else { LEAST };
            (least..=MOST.min(points)).contains(&bid)
        };
        let Some(side) = self.sides[id] else {
            let wanted = if self.setup.is_naive { START / 100 } else { 0 };
            return Ok(wanted.max(LEAST.min(points)));
        };
        match self.moves.next() {
            Some(mv) => Ok(mv["Bid ".len()..].parse().expect("a bid")),
            None => Err(Awaited {
                side,
                hand: Vec::new(),
                legal: (0..=MOST + 1)
                    .filter(|&bid| is_legal(bid))
                    .map(|bid| format!("Bid {bid}"))
                    .collect(),
            }),
        }
    }

    fn action(
        &mut self,
        id: usize,
        hand: &[String],
        up: &str,
        (is_first, is_doubled): (bool, bool),
    ) -> Result<String, Awaited> {
        let Some(side) = self.sides[id] else {
            let draws_to = if self.setup.is_naive { 16 } else { 11 };
            let action = if total(hand) <= draws_to {
                "Hit"
            } else {
                "Stand"
            };
            return Ok(action.to_owned());
        };
        if let Some(mv) = self.moves.next() {
            return Ok(mv.clone());
        }
        let Seat { points, bid, .. } = self.seats[id];
        let is_dealt = hand.len() == 2;
        let allowed = |action: &str| match action {
            "Hit" => !is_doubled || is_dealt,
            "Stand" => !is_doubled || !is_dealt,
            _ if is_doubled => false,
            "DoubleDown" => is_dealt && points >= bid,
            "Split" => is_dealt && hand[0][1..] == hand[1][1..] && points >= bid,
            _ => up.ends_with('A') && is_first && points >= bid / 2,
        };
        let all = ["Hit", "Stand", "DoubleDown", "Split", "Insurance"];
        Err(Awaited {
            side,
            hand: hand.to_vec(),
            legal: (all.iter())
                .filter(|action| allowed(action))
                .map(|action| (*action).to_owned())
                .collect(),
        })
    }

    /// Plays one player's turn.
    fn turn(
        &mut self,
        id: usize,
        dealt: Vec<String>,
        up: &str,
        deal: &mut dyn FnMut() -> String,
    ) -> Result<(), Awaited> {
        let bid = self.seats[id].bid;
        let mut waiting = vec![dealt];
        let mut is_first = true;
        while let Some(mut hand) = waiting.pop() {
            let (mut staked, mut is_doubled) = (bid, false);
            loop {
                let is_combo = hand.len() == 2 && total(&hand) == 21;
                let is_over = total(&hand) > 21 || hand.len() >= 5;
                if is_over || is_combo && (self.setup.is_text || is_doubled) {
                    break;
                }
                let action = self.action(id, &hand, up, (is_first, is_doubled))?;
                is_first = false;
                match &*action {
                    "Hit" => hand.push(deal()),
                    "DoubleDown" => {
                        self.seats[id].points -= bid;
                        (staked, is_doubled) = (2 * bid, true);
                    }
                    "Split" => {
                        self.seats[id].points -= bid;
                        let other = hand.pop().expect("a pair");
                        hand.push(deal());
                        waiting.push(vec![other, deal()]);
                    }
                    "Insurance" => {
                        self.seats[id].points -= bid / 2;
                        self.seats[id].insured = true;
                    }
                    _ => break,
                }
            }
            self.seats[id].hands.push((hand, staked));
        }
        Ok(())
    }

    fn settle(&mut self, mut dealer: Vec<String>, deal: &mut dyn FnMut() -> String) {
        let mut hands = self.seats.iter().flat_map(|seat| &seat.hands);
        let plays = hands.any(|(hand, _)| total(hand) <= 21);
        while plays && total(&dealer) < 17 {
            dealer.push(deal());
        }
        let is_text = self.setup.is_text;
        let has_charlie = dealer.len() == 5 || is_text && dealer.len() > 5;
        let dealers = worth(&dealer, has_charlie);
        for seat in &mut self.seats {
            for (hand, staked) in seat.hands.drain(..) {
                let own = worth(&hand, hand.len() >= 5);
                seat.points += match own {
                    0 => 0,
                    // Returns two and a half times the bid, with halves rounded to even.
                    23 if dealers != 23 => {
                        let half = 5 * staked;
                        if half % 4 == 3 {
                            half / 2 + 1
                        } else {
                            half / 2
                        }
                    }
                    _ if own > dealers => 2 * staked,
                    _ if own == dealers => staked,
                    _ => 0,
                };
            }
            if std::mem::take(&mut seat.insured) && dealers == 23 && (plays || is_text) {
                seat.points += if is_text {
                    3 * (seat.bid / 2)
                } else {
                    2 * seat.bid
                };
            }
            seat.is_out |= seat.points == 0;
        }
    }
}

/// Plays a game with these moves of the participants. Returns the final points, or the action awaited next.
fn referee(setup: Setup, kept: &Fields, moves: &[String]) -> Result<[i64; 2], Awaited> {
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    let seed = number(kept.get("shoe").expect("a shoe"));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..setup.seats).collect();
    order.shuffle(&mut random);
    let mut shoe = Shoe::new(1, seed ^ 0x5348_4F45);
    let mut deal = || shoe.deal().to_string();
    let taken = kept.get("seats").and_then(|seats| seats.as_array());
    let taken = taken.expect("two seats").iter().map(number);
    let ids: Vec<usize> = taken.map(|seat| order[seat as usize - 1]).collect();
    let side = |id| ids.iter().position(|own| *own == id);
    let seat = |_| Seat {
        points: START,
        is_out: false,
        bid: 0,
        insured: false,
        hands: Vec::new(),
    };
    let mut table = Referee {
        setup,
        sides: (0..setup.seats).map(side).collect(),
        seats: (0..setup.seats).map(seat).collect(),
        moves: moves.iter(),
    };
    for _ in 0..ROUNDS {
        if ids.iter().all(|&id| table.seats[id].is_out) {
            break;
        }
        if setup.is_text {
            order.shuffle(&mut random);
        }
        let playing: Vec<usize> = (order.iter().copied())
            .filter(|&id| !table.seats[id].is_out)
            .collect();
        let dealer = vec![deal(), deal()];
        let dealt: Vec<_> = playing
            .iter()
            .map(|&id| (id, vec![deal(), deal()]))
            .collect();
        if !setup.is_text {
            for _ in playing.len()..setup.seats {
                deal();
                deal();
            }
        }
        for &id in &playing {
            let bid = table.bid(id)?;
            table.seats[id].bid = bid;
            table.seats[id].points -= bid;
        }
        for (id, hand) in dealt {
            table.turn(id, hand, &dealer[0], &mut deal)?;
        }
        table.settle(dealer, &mut deal);
    }
    assert_eq!(table.moves.len(), 0, "moves are left over");
    Ok([0, 1].map(|side| table.seats[ids[side]].points))
}

/// Returns the action that the library's table awaits, in the referee's form.
fn awaited(table: &mut TwentyOneTable) -> Option<Awaited> {
    let side = table.turn()?;
    let bids = (0..=MOST as u64 + 1).map(Action::Bid);
    let others = [
        Action::Hit,
        Action::Stand,
        Action::DoubleDown,
        Action::Split,
        Action::Insurance,
    ];
    let all = bids.chain(others);
    let legal = all.filter(|&action| table.is_legal(action));
    Some(Awaited {
        side,
        hand: (table.position().seen.hand.iter().map(ToString::to_string)).collect(),
        legal: legal.map(|action| action.to_string()).collect(),
    })
}

#[test]
fn random_games_go_as_the_naive_referee_says() {
    let (mut actions, mut ruined) = (std::collections::BTreeSet::new(), 0);
    for seed in 0..120 {
        let setup = Setup {
            is_text: seed % 2 == 0,
            seats: 2 + (seed as usize / 2) % 3,
            is_naive: seed % 7 < 3,
            seed,
        };
        let rules = setup.rules();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut table = TwentyOneTable::at_meeting(&rules, setup.seed, seed as u32);
        let mut moves = Vec::new();
        loop {
            let kept = table.outcome(None, None);
            let expected = referee(setup, &kept, &moves);
            match awaited(&mut table) {
                Some(awaited) => assert_eq!(expected, Err(awaited), "{setup:?} {moves:?}"),
                None => {
                    let points = expected.expect("the game is over");
                    let meaning = rules.meaning(&kept).expect("a result");
                    assert_eq!(meaning.score, (points[0] - points[1]) as f64);
                    ruined += points.iter().filter(|&&points| points == 0).count();
                    break;
                }
            }
            let legal = table.position().legal.clone();
            // The moves for openings are also legal.
            assert!(table.legal_moves().iter().all(|mv| legal.contains(mv)));
            assert!(legal.iter().all(|&action| table.is_legal(action)));
            let action = *legal.choose(&mut random).expect("something can be done");
            actions.insert(action.name());
            moves.push(table.notation(action));
            table.play(action);
        }
    }
    assert_eq!(actions.len(), 6, "{actions:?}");
    assert!(ruined > 10, "{ruined}");
}

#[test]
fn a_player_learns_of_a_turn_only_what_the_table_shows() {
    let setup = Setup {
        is_text: true,
        seats: 3,
        is_naive: true,
        seed: 4,
    };
    let mut table = TwentyOneTable::new(&setup.rules(), setup.seed);
    while let Some(side) = table.turn() {
        let other = 1 - side;
        let before = table.seen_by(other).seen.clone();
        assert_eq!(table.seen_by(side).seen, table.position().seen);
        let legal = table.position().legal.clone();
        table.play(legal[0]);
        if table.turn() != Some(other) {
            assert_eq!(table.seen_by(other).seen, before, "it was not asked");
        }
    }
}

#[test]
fn who_is_at_fault_loses_whatever_is_on_the_table() {
    let setup = Setup {
        is_text: false,
        seats: 2,
        is_naive: true,
        seed: 1,
    };
    let rules = setup.rules();
    let mut table = TwentyOneTable::new(&rules, setup.seed);
    while table.turn().is_some() {
        for (side, is_winning) in [(0, false), (1, true)] {
            let result = table.outcome(Some(side), None);
            let score = rules.meaning(&result).expect("a result").score;
            assert!(score.abs() >= START as f64 && (score > 0.0) == is_winning);
        }
        let legal = table.position().legal.clone();
        table.play(legal[legal.len() - 1]);
    }
}
