//! Benchmarks of TwentyOne: simulated hands, and the cost of one call to the strong player.
//!
//! Compare the figures only with each other, as ratios: all benchmarks run in one process on one machine.

use divan::Bencher;
use divan::counter::ItemsCount;
use turnwise_twentyone::baselines::Baseline;
use turnwise_twentyone::cards::{Rank, RankCounts};
use turnwise_twentyone::dealer::DealerTree;
use turnwise_twentyone::expected::{Decision, Unseen, round_value};
use turnwise_twentyone::game::Game;
use turnwise_twentyone::memory::Memory;
use turnwise_twentyone::next_hand::mean_and_variance;
use turnwise_twentyone::player::Player;
use turnwise_twentyone::record::Unobserved;
use turnwise_twentyone::rules::{RuleSet, Settings};
use turnwise_twentyone::simulation::Simulator;
use turnwise_twentyone::strong::Strong;

fn main() {
    divan::main();
}

const RULES: [RuleSet; 2] = [RuleSet::Text, RuleSet::Engine];

#[divan::bench(args = RULES)]
fn simulated_hands(bencher: Bencher, rules: RuleSet) {
    let mut simulator = Simulator::new(rules, 3, 1);
    // The decisions are found beforehand, so that the benchmark measures only dealing and playing.
    divan::black_box((0..100_000).map(|_| simulator.hand()).sum::<f64>());
    bencher
        .counter(ItemsCount::new(1000u32))
        .bench_local(|| (0..1000).map(|_| simulator.hand()).sum::<f64>());
}

#[divan::bench(args = ["T", "6", "2"])]
fn dealer_outcomes(up: &str) -> f64 {
    let up = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T"]
        .iter()
        .position(|u| *u == up);
    let tree = DealerTree::of(RuleSet::Text, up.unwrap_or(0), None);
    tree.outcomes(divan::black_box(&RankCounts::of_decks(3).by_value()))
        .combo()
}

/// Decisions, ordered from cheap to expensive: name, hand, up-card, and whether two shoes are in play.
///
/// Ranks are counted from 0 for the ace.
const DECISIONS: [(&str, &[usize], usize, bool); 5] = [
    ("hard 16 against ten", &[9, 5], 9, false),
    ("soft 15 against six", &[0, 3], 5, false),
    ("pair of eights against six", &[7, 7], 5, false),
    ("pair of aces against two", &[0, 0], 1, false),
    ("pair of aces against two, two shoes", &[0, 0], 1, true),
];

#[divan::bench(args = DECISIONS.map(|(name, ..)| name))]
fn decision(bencher: Bencher, name: &str) {
    let (_, hand, up, two_shoes) = DECISIONS
        .into_iter()
        .find(|decision| decision.0 == name)
        .expect("listed");
    let hand: Vec<Rank> = hand.iter().map(|&index| Rank::from_index(index)).collect();
    let full = RankCounts::of_decks(3);
    let mut gone: RankCounts = hand.iter().copied().collect();
    gone.add(Rank::from_index(up));
    let unseen = Unseen {
        draws: full.without(&gone),
        hole: two_shoes.then_some(full),
        dealer: None,
    };
    bencher.bench(|| {
        Decision {
            rules: RuleSet::Engine,
            up: Rank::from_index(up),
            hand: &hand,
            unseen,
            bid: 100,
            points: 10_000,
            first_action: true,
            insured: false,
            alone: false,
        }
        .values()
    });
}

#[divan::bench(args = RULES)]
fn next_hand_of_a_bid(rules: RuleSet) -> f64 {
    mean_and_variance(rules, divan::black_box(&RankCounts::of_decks(3))).mean
}

#[divan::bench(args = RULES, sample_count = 5)]
fn exact_value_of_a_bid(rules: RuleSet) -> f64 {
    round_value(rules, divan::black_box(&RankCounts::of_decks(3)))
}

#[divan::bench]
fn memory_there_and_back() -> usize {
    let text = "twentyone/3|7|10|143|9,11,8,12,10,9,9,11,8,9,10,12,11|100:-:S8H8:h:HA|\
                100:-100:SQH3D6/120:240:C9CJ;D9HA/100:0:|4=SAHK,1=C8D2;H8S9DT|\
                4:9980:20:0:6:120,1:10000:0:-:3:300,0:10150:100:-:7:700";
    let memory = Memory::parse(divan::black_box(text)).expect("a memory");
    memory.to_string().len()
}

/// Measures a game of a hundred rounds with ten players at the table.
#[divan::bench(args = ["ours", "basic"], sample_count = 10)]
fn hundred_rounds_of_ten(player: &str) -> u32 {
    let seat = || -> Box<dyn Player> {
        if player == "ours" {
            Box::new(Strong)
        } else {
            Box::new(Baseline::Basic)
        }
    };
    let mut seats: Vec<_> = (0..10).map(|_| seat()).collect();
    let settings = Settings {
        rounds: 100,
        ..Settings::of(RuleSet::Text)
    };
    let mut game = Game::new(settings, 10, 1).expect("defaults");
    game.play(&mut seats, &mut Unobserved);
    game.round()
}
