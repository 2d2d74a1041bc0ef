//! Tests the table: dealing, information for players, faults and settlement.

use std::cell::RefCell;
use std::rc::Rc;

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_twentyone::actions::{Action, ActionError, Situation};
use turnwise_twentyone::baselines::Baseline;
use turnwise_twentyone::cards::{Card, sorted_decks};
use turnwise_twentyone::game::Game;
use turnwise_twentyone::player::{Fault, MEMORY_LIMIT, Player, PlayerId, Reply, View};
use turnwise_twentyone::record::{Observer, RoundRecord, TurnRecord};
use turnwise_twentyone::rules::{
    HandValue, RuleSet, Settings, hand_return, hand_value, insurance_cost, insurance_return,
};

const RULES: [RuleSet; 2] = [RuleSet::Text, RuleSet::Engine];

#[test]
fn settlement_is_that_of_the_text() {
    use HandValue::{Bust, Charlie, Combo, Value};
    // The payments for a bid of 10, written by hand from the assignment's section "Settling bids".
    let table = [
        // The dealer goes over 21: every hand that is not bust gets twice the bid, a Combo two and a half times the
        // bid.
        (Value(12), Bust, 20),
        (Value(21), Bust, 20),
        (Charlie, Bust, 20),
        (Combo, Bust, 25),
        (Bust, Bust, 0),
        // A hand better than the dealer's gets twice the bid.
        (Value(20), Value(19), 20),
        (Charlie, Value(21), 20),
        // An equal hand gets the bid back.
        (Value(18), Value(18), 10),
        (Charlie, Charlie, 10),
        (Combo, Combo, 10),
        // A Combo gets two and a half times the bid, unless the dealer also has a Combo.
        (Combo, Value(21), 25),
        (Combo, Charlie, 25),
        // A hand worse than the dealer's gets nothing.
        (Value(17), Value(18), 0),
        (Value(21), Charlie, 0),
        (Value(21), Combo, 0),
        (Charlie, Combo, 0),
        (Bust, Value(17), 0),
        (Bust, Combo, 0),
    ];
    for (player, dealer, back) in table {
        assert_eq!(
            hand_return(10, player, dealer),
            back,
            "{player} against {dealer}"
        );
    }
    assert_eq!(insurance_cost(10), 5);
    assert_eq!(insurance_return(RuleSet::Text, 10), 15);
    assert_eq!(insurance_return(RuleSet::Engine, 10), 20);
}

/// A player that calls a function for each answer.
struct By<F>(F);

impl<F: FnMut(&View<'_>) -> Result<Reply, Fault>> Player for By<F> {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        (self.0)(view)
    }
}

fn reply(action: Action) -> Result<Reply, Fault> {
    Ok(Reply {
        action,
        memory: String::new(),
    })
}

/// Returns a player that bids ten and stands.
fn stander() -> Box<dyn Player> {
    Box::new(By(|view: &View<'_>| {
        reply(if view.up_card.is_none() {
            Action::Bid(10)
        } else {
            Action::Stand
        })
    }))
}

/// Returns a player that takes random legal actions and bids ten.
fn anyone(seed: u64) -> Box<dyn Player> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    Box::new(By(move |view: &View<'_>| {
        let Some(up_card) = view.up_card else {
            return reply(Action::Bid(10));
        };
        // The memory stores whether the hand is doubled or insured, with the hand's length at that time.
        let memory = view.memory.unwrap_or("");
        let situation = Situation {
            hand: view.hand,
            up_card,
            bid: 10,
            points: view.own_points(),
            first_action: memory.is_empty(),
            doubled: memory == "d" || (memory == "dh" && view.hand.len() == 3),
        };
        let legal = situation.legal();
        let action = legal[random.random_range(0..legal.len())];
        let combo = hand_value(view.hand) == HandValue::Combo;
        let memory = match action {
            Action::DoubleDown if !combo => "d",
            Action::Hit if memory == "d" => "dh",
            _ => "x",
        };
        Ok(Reply {
            action,
            memory: memory.to_string(),
        })
    }))
}

#[derive(Default)]
struct Records {
    turns: Vec<TurnRecord>,
    rounds: Vec<RoundRecord>,
    faults: Vec<(PlayerId, Fault)>,
}

impl Observer for Records {
    fn turn(&mut self, turn: &TurnRecord) {
        self.turns.push(turn.clone());
    }
    fn round(&mut self, round: &RoundRecord) {
        self.rounds.push(round.clone());
    }
    fn fault(&mut self, _round: u32, player: PlayerId, fault: &Fault) {
        self.faults.push((player, fault.clone()));
    }
}

fn settings(rules: RuleSet) -> Settings {
    Settings {
        rounds: 60,
        ..Settings::of(rules)
    }
}

/// Returns a player that bids and stands, and collects in `seen` all cards that it is shown.
fn watcher(seen: Rc<RefCell<Vec<Card>>>) -> Box<dyn Player> {
    Box::new(By(move |view: &View<'_>| {
        if view.up_card.is_some() {
            return reply(Action::Stand);
        }
        let hands = view
            .shown
            .iter()
            .flat_map(|shown| shown.hands.iter().flatten());
        seen.borrow_mut().extend(hands.chain(view.dealer));
        reply(Action::Bid(10))
    }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The seen, the hidden and the remaining cards of the first shoe add up to three decks.
    #[test]
    fn a_shoe_is_conserved(seed in any::<u64>(), players in 1usize..6) {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let mut seats: Vec<Box<dyn Player>> = (0..players).map(|p| anyone(seed ^ p as u64)).collect();
        seats.push(watcher(seen.clone()));
        let mut game = Game::new(settings(RuleSet::Text), seats.len(), seed).expect("settings");
        let mut records = Records::default();
        let mut dealt_after_last_round = 0;
        loop {
            game.play_round(&mut seats, &mut records);
            // The watcher saw the earlier rounds, except cards that the dealer never turned up.
            let before = &records.rounds[..records.rounds.len() - 1];
            let hidden = before.iter().filter(|round| round.dealer.len() == 1).count();
            prop_assert_eq!(seen.borrow().len() + hidden, dealt_after_last_round);
            if game.shoe().shuffles() > 1 {
                break;
            }
            dealt_after_last_round = 156 - game.shoe().remaining();
        }
        let mut left = sorted_decks(3);
        for card in seen.borrow().iter() {
            let place = left.iter().position(|other| other == card);
            prop_assert!(place.is_some(), "{} was dealt more than three times", card);
            left.swap_remove(place.expect("just found"));
        }
        prop_assert!(records.faults.is_empty(), "{:?}", records.faults);
    }

    #[test]
    fn points_add_up(seed in any::<u64>(), engine in any::<bool>()) {
        // A player's bids in a round limit how much it can lose or win in that round.
        let mut seats: Vec<Box<dyn Player>> = (0..4).map(|p| anyone(seed ^ p)).collect();
        let mut game = Game::new(settings(RULES[usize::from(engine)]), 4, seed).expect("settings");
        let mut records = Records::default();
        let mut before = game.points();
        while !game.is_over() {
            let turns = records.turns.len();
            game.play_round(&mut seats, &mut records);
            for (id, points) in game.points().into_iter().enumerate() {
                let own = records.turns[turns..].iter().filter(|turn| turn.player == id as u32);
                let paid: u64 = own
                    .map(|turn| match turn.action {
                        Action::Bid(_) | Action::DoubleDown | Action::Split => 10,
                        Action::Insurance => 5,
                        _ => 0,
                    })
                    .sum();
                prop_assert!(points + paid >= before[id], "lost more than was bid");
                prop_assert!(points <= before[id] + 2 * paid + 5, "won more than is paid");
            }
            before = game.points();
        }
        prop_assert!(records.faults.is_empty(), "{:?}", records.faults);
    }
}

#[test]
fn a_player_sees_no_more_than_it_may() {
    for rules in RULES {
        type Look = (u32, Vec<(u32, Vec<Vec<Card>>)>, Option<Card>, Vec<Card>);
        let looks: Rc<RefCell<Vec<Look>>> = Rc::default();
        let looker = || {
            let looks = looks.clone();
            Box::new(By(move |view: &View<'_>| {
                let shown = view.shown.iter().map(|s| (s.id, s.hands.clone())).collect();
                looks
                    .borrow_mut()
                    .push((view.id, shown, view.up_card, view.dealer.to_vec()));
                assert_eq!(view.hand.is_empty(), view.up_card.is_none());
                reply(if view.up_card.is_none() {
                    Action::Bid(10)
                } else {
                    Action::Stand
                })
            })) as Box<dyn Player>
        };
        let mut seats = vec![looker(), looker(), looker(), looker()];
        let mut game = Game::new(settings(rules), 4, 5).expect("settings");
        let mut last: Vec<Vec<Vec<Card>>> = vec![Vec::new(); 4];
        let mut last_dealer = Vec::new();
        for _ in 0..40 {
            let mut records = Records::default();
            game.play_round(&mut seats, &mut records);
            let looks: Vec<Look> = looks.borrow_mut().drain(..).collect();
            assert_eq!(looks.len(), records.turns.len(), "one look for each action");
            // The first player to bid sees the last round as it ended.
            for (id, hands) in &looks[0].1 {
                last[*id as usize].clone_from(hands);
            }
            for (index, (id, shown, up_card, dealer)) in looks.iter().enumerate() {
                assert_eq!(*id, records.turns[index].player);
                assert_eq!(
                    dealer, &last_dealer,
                    "of the dealer, only what it showed last round"
                );
                let before = &records.turns[..index];
                for (other, hands) in shown {
                    let stood = before
                        .iter()
                        .find(|turn| turn.player == *other && turn.action == Action::Stand);
                    let has_bid = before.iter().any(|turn| turn.player == *other);
                    let what = format!("{id} of {other} at action {index}, {rules}");
                    match stood {
                        Some(turn) => {
                            assert_eq!(*hands, std::slice::from_ref(&turn.cards), "{what}")
                        }
                        None if rules == RuleSet::Engine && has_bid => {
                            assert!(hands.is_empty(), "{what}");
                        }
                        // Under the text's rules, a dealt Combo ends its turn without a call.
                        None if up_card.is_some() && hands != &last[*other as usize] => {
                            assert_eq!(rules, RuleSet::Text);
                            assert_eq!(hand_value(&hands[0]), HandValue::Combo, "{what}");
                        }
                        None => assert_eq!(hands, &last[*other as usize], "{what}"),
                    }
                }
            }
            last_dealer.clone_from(&records.rounds[0].dealer);
        }
    }
}

/// Plays a game between a faulty player and a player that always stands.
///
/// Returns the faults, the number of rounds and the points.
fn with_faulty(faulty: Box<dyn Player>) -> (Vec<(PlayerId, Fault)>, u32, Vec<u64>) {
    let mut seats = vec![faulty, stander()];
    let settings = Settings {
        rounds: 5,
        ..Settings::of(RuleSet::Engine)
    };
    let mut game = Game::new(settings, 2, 9).expect("settings");
    let mut records = Records::default();
    game.play(&mut seats, &mut records);
    (records.faults, game.round(), game.points())
}

#[test]
fn who_breaks_a_rule_is_out_and_the_game_goes_on() {
    let cases: Vec<(&str, Box<dyn Player>, Fault)> = vec![
        (
            "no bid",
            Box::new(By(|_: &View<'_>| reply(Action::Stand))),
            Fault::Illegal {
                action: Action::Stand,
                reason: ActionError::NoBid,
            },
        ),
        (
            "too large a bid",
            Box::new(By(|_: &View<'_>| reply(Action::Bid(101)))),
            Fault::Illegal {
                action: Action::Bid(101),
                reason: ActionError::BidTooLarge,
            },
        ),
        (
            "a late bid",
            Box::new(By(|_: &View<'_>| reply(Action::Bid(10)))),
            Fault::Illegal {
                action: Action::Bid(10),
                reason: ActionError::LateBid,
            },
        ),
        (
            "a long memory",
            Box::new(By(|_: &View<'_>| {
                Ok(Reply {
                    action: Action::Bid(10),
                    memory: "é".repeat(MEMORY_LIMIT + 1),
                })
            })),
            Fault::MemoryTooLong(MEMORY_LIMIT + 1),
        ),
        (
            "a crash",
            Box::new(By(|_: &View<'_>| Err(Fault::Failed("gone".to_string())))),
            Fault::Failed("gone".to_string()),
        ),
    ];
    for (what, player, expected) in cases {
        let (faults, rounds, points) = with_faulty(player);
        assert_eq!(faults, [(0, expected)], "{what}");
        assert_eq!((rounds, points[0]), (5, 0), "{what}: the other plays on");
        assert!(points[1] > 0);
    }
}

#[test]
fn a_memory_of_just_the_limit_is_kept() {
    let (faults, ..) = with_faulty(Box::new(By(|view: &View<'_>| {
        assert!(
            view.memory
                .is_none_or(|memory| memory.chars().count() == MEMORY_LIMIT)
        );
        let action = if view.up_card.is_none() {
            Action::Bid(10)
        } else {
            Action::Stand
        };
        Ok(Reply {
            action,
            memory: "é".repeat(MEMORY_LIMIT),
        })
    })));
    assert_eq!(faults, []);
}

#[test]
fn bankrupt_players_stop_and_the_game_ends_when_all_are() {
    let all_in = || {
        Box::new(By(|view: &View<'_>| {
            reply(if view.up_card.is_none() {
                Action::Bid(view.own_points().min(1000))
            } else {
                Action::Hit
            })
        })) as Box<dyn Player>
    };
    let settings = Settings {
        starting_points: 50,
        ..Settings::of(RuleSet::Text)
    };
    let mut game = Game::new(settings, 2, 4).expect("settings");
    game.play(&mut [all_in(), all_in()], &mut Records::default());
    assert!(game.round() < 200);
    assert_eq!(game.points(), [0, 0]);
    assert!(game.is_out(0) && game.is_out(1));
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let played = |seed| {
        let mut seats: Vec<Box<dyn Player>> = Baseline::ALL
            .into_iter()
            .map(|baseline| Box::new(baseline) as Box<dyn Player>)
            .collect();
        let mut game = Game::new(settings(RuleSet::Text), 5, seed).expect("settings");
        let mut records = Records::default();
        game.play(&mut seats, &mut records);
        assert!(records.faults.is_empty(), "{:?}", records.faults);
        records.turns
    };
    assert_eq!(played(1), played(1));
    assert_ne!(played(1), played(2));
}
