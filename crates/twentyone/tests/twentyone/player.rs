//! Tests the strong player: its counting, its memory, its games and its replies to hostile views.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use proptest::prelude::*;
use turnwise_twentyone::actions::{Action, check_bid};
use turnwise_twentyone::baselines::Baseline;
use turnwise_twentyone::cards::Card;
use turnwise_twentyone::game::Game;
use turnwise_twentyone::memory::{HISTORY_ROUNDS, Memory};
use turnwise_twentyone::player::{Fault, MEMORY_LIMIT, Player, PlayerId, Reply, Shown, View};
use turnwise_twentyone::record::{Observer, RoundRecord, TurnRecord};
use turnwise_twentyone::rules::{Points, RuleSet, Settings};
use turnwise_twentyone::strong::{Strong, think};

use super::memory::{card, hands, memories};

const RULES: [RuleSet; 2] = [RuleSet::Text, RuleSet::Engine];

proptest! {
    /// Any input from a table or a bridge gets an answer. If the answer is a bid, it is legal.
    #[test]
    fn hostile_views_are_answered(
        memory in prop::option::of(prop_oneof![
            memories().prop_map(|memory| memory.to_string()), any::<String>()
        ]),
        engine in any::<bool>(), decks in 1u8..=8,
        points in prop::collection::vec((0u32..5, 0u64..1_000_000_000), 1..6),
        shown in prop::collection::vec((0u32..5, hands()), 0..6),
        dealer in prop::collection::vec(card(), 0..7),
        up_card in prop::option::of(card()),
        hand in prop::collection::vec(card(), 1..8),
    ) {
        let settings =
            Settings { decks, rounds: u32::MAX, ..Settings::of(RULES[usize::from(engine)]) };
        let shown: Vec<Shown> = shown.into_iter().map(|(id, hands)| Shown { id, hands }).collect();
        let view = View {
            settings: &settings, id: points[0].0, up_card, points: &points, shown: &shown,
            dealer: &dealer, memory: memory.as_deref(),
            hand: if up_card.is_some() { &hand } else { &[] },
        };
        let thought = think(&view);
        let memory = thought.memory_after(thought.action);
        prop_assert!(memory.chars().count() <= MEMORY_LIMIT);
        match thought.action {
            Action::Bid(bid) => {
                prop_assert!(up_card.is_none());
                let own = points.iter().find(|(id, _)| *id == view.id).expect("listed").1;
                prop_assert!(own == 0 || check_bid(&settings, bid, own).is_ok(), "{bid} of {own}");
            }
            _ => prop_assert!(up_card.is_some()),
        }
    }
}

/// The strong player, which adds its memory after each bid to a list.
struct Remembering(Rc<RefCell<Vec<Memory>>>);

impl Player for Remembering {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        let reply = Strong.act(view)?;
        if view.up_card.is_none() {
            self.0
                .borrow_mut()
                .push(Memory::parse(&reply.memory).expect("a memory"));
        }
        Ok(reply)
    }
}

struct NoFaults;

impl Observer for NoFaults {
    fn fault(&mut self, round: u32, player: PlayerId, fault: &Fault) {
        panic!("player {player} in round {round}: {fault}");
    }
}

#[test]
fn every_card_is_counted_through_shuffles_and_bankruptcies() {
    for rules in RULES {
        let mut bankrupt_rounds = 0;
        for seed in 0..6 {
            let memories = Rc::new(RefCell::new(Vec::new()));
            let mut seats: Vec<Box<dyn Player>> = vec![Box::new(Remembering(memories.clone()))];
            for baseline in [Baseline::Gambler, Baseline::Basic, Baseline::Naive] {
                seats.push(Box::new(baseline));
                seats.push(Box::new(baseline));
            }
            // Gamblers soon go broke, because they start with enough points for only five bids.
            let settings = Settings {
                starting_points: 1000,
                max_bid: 200,
                rounds: 150,
                ..Settings::of(rules)
            };
            let mut game = Game::new(settings, seats.len(), seed).expect("settings");
            let mut dealt = 0;
            while !game.is_over() && game.points()[0] > 0 {
                game.play_round(&mut seats, &mut NoFaults);
                let memory = memories.borrow().last().expect("it has bid").clone();
                assert_eq!(memory.round, game.round());
                assert_eq!(
                    memory.dealt as usize,
                    dealt,
                    "{rules} rules, seed {seed}: cards dealt before round {}",
                    game.round()
                );
                // All cards are seen except the dealer's hidden cards and the cards dealt to seats that are
                // out.
                assert!(memory.seen.total() <= dealt);
                assert!(memory.seen.0.iter().all(|&count| count <= 12));
                dealt = 156 - game.shoe().remaining();
                bankrupt_rounds += u32::from(game.points().contains(&0));
            }
        }
        assert!(bankrupt_rounds > 0, "a test without bankrupts");
    }
}

/// The strong player, with a memory that tests can read after every call.
struct Transparent(Rc<RefCell<Memory>>);

impl Player for Transparent {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        let reply = Strong.act(view)?;
        *self.0.borrow_mut() = Memory::parse(&reply.memory).expect("a memory");
        Ok(reply)
    }
}

/// The true bids and final hands of a round, as the table knows them.
#[derive(Default)]
struct TrueRound {
    bids: HashMap<PlayerId, Points>,
    own_hands: BTreeMap<u32, Vec<Card>>,
    own_points: Vec<Points>,
}

impl Observer for TrueRound {
    fn turn(&mut self, turn: &TurnRecord) {
        match turn.action {
            Action::Bid(bid) => {
                self.bids.insert(turn.player, bid);
            }
            _ if turn.player == 0 => {
                self.own_hands.insert(turn.hand, turn.cards.clone());
            }
            _ => {}
        }
    }

    fn round(&mut self, round: &RoundRecord) {
        self.own_points.push(round.points[0]);
    }
}

#[test]
fn bids_of_all_others_are_known_and_right() {
    for (rules, at_least) in [(RuleSet::Text, 0.85), (RuleSet::Engine, 0.99)] {
        let (mut known, mut all) = (0, 0);
        for seed in 0..4 {
            let memory = Rc::new(RefCell::new(Memory::default()));
            let mut seats: Vec<Box<dyn Player>> = vec![Box::new(Transparent(memory.clone()))];
            seats.extend(Baseline::ALL.map(|baseline| Box::new(baseline) as Box<dyn Player>));
            seats.push(Box::new(Strong));
            let settings = Settings {
                rounds: 120,
                ..Settings::of(rules)
            };
            let mut game = Game::new(settings, seats.len(), seed).expect("settings");
            let mut truth = TrueRound::default();
            while !game.is_over() && game.points()[0] > 0 {
                truth.bids.clear();
                game.play_round(&mut seats, &mut truth);
                let memory = memory.borrow();
                for seat in memory.seats.iter().filter(|seat| seat.id != 0) {
                    all += 1;
                    known += u32::from(seat.bid > 0);
                    assert!(
                        seat.bid == 0 || seat.bid == truth.bids[&seat.id],
                        "{rules} rules, seed {seed}, round {}: {seat:?}, bid {}",
                        game.round(),
                        truth.bids[&seat.id]
                    );
                }
            }
        }
        let share = f64::from(known) / f64::from(all);
        assert!(share > at_least, "{rules}: {share} of {all} bids are known");
    }
}

#[test]
fn own_rounds_are_remembered() {
    for rules in RULES {
        let memory = Rc::new(RefCell::new(Memory::default()));
        let mut seats: Vec<Box<dyn Player>> = vec![
            Box::new(Transparent(memory.clone())),
            Box::new(Baseline::Basic),
        ];
        let settings = Settings {
            rounds: 60,
            ..Settings::of(rules)
        };
        let mut game = Game::new(settings, 2, 11).expect("settings");
        let mut truth = TrueRound::default();
        let (mut bids, mut hands) = (Vec::new(), Vec::new());
        for round in 1..=60 {
            truth.own_hands.clear();
            game.play_round(&mut seats, &mut truth);
            let memory = memory.borrow();
            let before = round - 1;
            assert_eq!(memory.history.len(), before.min(HISTORY_ROUNDS));
            for (age, past) in memory.history.iter().enumerate() {
                let then = before - 1 - age;
                let points_before = if then == 0 {
                    10_000
                } else {
                    truth.own_points[then - 1]
                };
                assert_eq!(past.bid, bids[then]);
                assert_eq!(
                    past.gain,
                    truth.own_points[then] as i64 - points_before as i64
                );
                let expected: &Vec<Vec<Card>> = &hands[then];
                // The record of turns omits dealt Combos, and the hands of a split for which the player was never
                // asked.
                for hand in expected {
                    assert!(past.hands.contains(hand), "{past:?}, played {expected:?}");
                }
            }
            bids.push(truth.bids[&0]);
            hands.push(truth.own_hands.values().cloned().collect());
        }
    }
}

#[test]
fn it_never_breaks_a_rule() {
    let few_points = |rules| Settings {
        starting_points: 120,
        min_bid: 7,
        max_bid: 60,
        rounds: 150,
        ..Settings::of(rules)
    };
    for rules in RULES {
        for (seed, settings) in [
            (
                1,
                Settings {
                    rounds: 150,
                    ..Settings::of(rules)
                },
            ),
            (2, few_points(rules)),
            (3, few_points(rules)),
        ] {
            let mut seats: Vec<Box<dyn Player>> = vec![Box::new(Strong), Box::new(Strong)];
            seats.extend(
                Baseline::ALL
                    .into_iter()
                    .map(|b| Box::new(b) as Box<dyn Player>),
            );
            let mut game = Game::new(settings, seats.len(), seed).expect("settings");
            game.play(&mut seats, &mut NoFaults);
        }
    }
}

#[test]
fn a_lost_memory_costs_no_more_than_the_count() {
    // A player that gets an unreadable memory at some bids.
    struct Forgetful(u32);
    impl Player for Forgetful {
        fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
            self.0 += 1;
            let lost = self.0.is_multiple_of(3) && view.up_card.is_none();
            Strong.act(&View {
                memory: if lost { Some("?") } else { view.memory },
                ..*view
            })
        }
    }
    for rules in RULES {
        let mut seats: Vec<Box<dyn Player>> =
            vec![Box::new(Forgetful(0)), Box::new(Baseline::Basic)];
        let settings = Settings {
            rounds: 200,
            ..Settings::of(rules)
        };
        let mut game = Game::new(settings, 2, 3).expect("settings");
        game.play(&mut seats, &mut NoFaults);
    }
}

#[test]
fn it_doubles_a_combo_and_insures_in_the_engine_only() {
    let cards = |text: &str| -> Vec<Card> {
        text.split(' ')
            .map(|card| card.parse().expect("a card"))
            .collect()
    };
    let act = |rules, hand: &str, up: &str| {
        let settings = Settings::of(rules);
        let bid = think(&View {
            settings: &settings,
            id: 0,
            up_card: None,
            points: &[(0, 10_000), (1, 10_000)],
            shown: &[],
            dealer: &[],
            memory: None,
            hand: &[],
        });
        let memory = bid.memory_after(Action::Bid(10));
        let thought = think(&View {
            settings: &settings,
            id: 0,
            up_card: Some(cards(up)[0]),
            points: &[(0, 9_990), (1, 9_990)],
            shown: &[],
            dealer: &[],
            memory: Some(&memory),
            hand: &cards(hand),
        });
        thought.action
    };
    assert_eq!(act(RuleSet::Engine, "SA HK", "D9"), Action::DoubleDown);
    assert_eq!(act(RuleSet::Engine, "S9 HK", "DA"), Action::Insurance);
    assert_eq!(act(RuleSet::Text, "S9 HK", "DA"), Action::Stand);
    assert_eq!(act(RuleSet::Text, "S8 H8", "D6"), Action::Split);
    assert_eq!(act(RuleSet::Text, "S6 H5", "D6"), Action::DoubleDown);
    assert_eq!(act(RuleSet::Text, "S6 H2", "D6"), Action::Hit);
}
