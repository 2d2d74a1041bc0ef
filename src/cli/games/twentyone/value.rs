//! `turnwise twentyone value`: computes the value of a hand in three ways: exactly, by simulation, and for a player
//! that knows all dealt cards.

use std::cell::RefCell;
use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::cli::cores;
use crate::console::interrupt::Interrupt;
use crate::console::output::print;
use crate::console::progress::counting_bar;
use turnwise_engine::parallel;
use turnwise_engine::statistics::{Sample, share};
use turnwise_engine::words::counted;
use turnwise_twentyone::baselines::Baseline;
use turnwise_twentyone::cards::{RankCounts, sorted_decks};
use turnwise_twentyone::expected::round_value;
use turnwise_twentyone::game::Game;
use turnwise_twentyone::next_hand::mean_and_variance;
use turnwise_twentyone::player::{Fault, Player, Reply, View};
use turnwise_twentyone::record::Unobserved;
use turnwise_twentyone::rules::{RuleSet, Settings};
use turnwise_twentyone::simulation::{Simulator, Stacks};
use turnwise_twentyone::strong::Strong;

/// Arguments of `turnwise twentyone value`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  turnwise twentyone value --rules engine --hands 10000000 --shoes 20000 \\
      --stacks 2000")]
pub struct Arguments {
    /// Follow the assignment text, or the course's engine
    #[arg(long, default_value = "text", value_name = "text|engine")]
    rules: RuleSet,
    /// Set the number of decks in the shoe
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=8))]
    decks: u8,
    /// Simulate this many hands from fresh shoes
    #[arg(long, default_value_t = 1_000_000)]
    hands: u32,
    /// Examine this many partly dealt shoes, down to 16 cards, with all dealt cards known
    #[arg(long, default_value_t = 2000)]
    shoes: u32,
    /// Play this many games from each stack: 1000 rounds of flat bids
    #[arg(long, default_value_t = 100)]
    stacks: u32,
    /// Set the random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Prints a line to stdout. If stdout is closed, the returned error makes the caller stop the computation.
fn line(text: String) -> io::Result<()> {
    print(&(text + "\n"))
}

/// The width of the label at the beginning of each output line, in columns.
const LABEL: usize = 44;

/// The stack sizes for which the risk of ruin is reported, as multiples of the bid. Discussions of ruin in games like
/// this usually use these sizes.
const STACKS: [u32; 3] = [10, 30, 100];

/// The number of rounds in a game in which all bids are equal.
const ROUNDS: u32 = 1000;

/// The number of pieces into which a long computation is divided. It is small, because every piece has to compute all
/// decisions of the player again.
const PIECES: u32 = 8;

/// Returns the seed for one piece of a computation. The finalizer of splitmix64 mixes it, so that neighboring seeds
/// lead to unrelated results.
fn seed_of(seed: u64, piece: u32) -> u64 {
    let mut mixed = seed.wrapping_add(u64::from(piece).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let (rules, decks, seed) = (arguments.rules, arguments.decks, arguments.seed);
    Settings {
        decks,
        ..Settings::of(rules)
    }
    .validated()?;
    let exact = round_value(rules, &RankCounts::of_decks(decks));
    line(format!(
        "{rules} rules, {decks} decks, gains in % of the bid"
    ))?;
    line(format!(
        "{:<LABEL$}{:+.3}",
        "exact value of a hand from a fresh shoe",
        100.0 * exact
    ))?;

    let all: Sample = in_pieces(
        "hands",
        arguments.hands,
        &interrupt,
        |piece| Simulator::new(rules, decks, seed_of(seed, piece)),
        |simulator, sample: &mut Sample, _| sample.add(simulator.hand()),
        Sample::merge,
    );
    line(format!(
        "{:<LABEL$}{:+.3} ± {:.3}, standard deviation {:.3} bids",
        format!("simulated, {}", counted(all.count(), "hand")),
        100.0 * all.mean(),
        100.0 * all.half_width(),
        all.deviation()
    ))?;

    let known: Counted = in_pieces(
        "shoes",
        arguments.shoes,
        &interrupt,
        |piece| Xoshiro256PlusPlus::seed_from_u64(seed_of(seed ^ 1, piece)),
        |random, counted: &mut Counted, shoe| {
            counted.look_at(rules, decks, shoe % EXACT_EVERY == 0, random);
        },
        Counted::merge,
    );
    let edge = share(known.positive, known.quick.count()).map(|share| 100.0 * share);
    let half_width = known.quick.half_width();
    line(format!(
        "{:<LABEL$}{:+.3} ± {:.3}, an edge in {:.1} to {:.1} % of hands",
        format!("all dealt cards known, {} shoes", known.quick.count()),
        100.0 * (known.quick.mean() + known.correction.mean()),
        100.0 * half_width.hypot(known.correction.half_width()),
        edge.lower,
        edge.upper
    ))?;

    for stack in STACKS {
        let all: Stacks = in_pieces(
            "games",
            arguments.stacks,
            &interrupt,
            |piece| Simulator::new(rules, decks, seed_of(seed ^ 2, piece)),
            |simulator, stacks: &mut Stacks, _| stacks.play(simulator, stack, ROUNDS),
            |all, stacks| {
                all.ruined += stacks.ruined;
                all.end.merge(&stacks.end);
            },
        );
        let broke = share(all.ruined, all.end.count()).map(|share| 100.0 * share);
        line(format!(
            "{:<LABEL$}broke in {:.1} to {:.1} %, ends with {:.1} ± {:.1} bids",
            format!(
                "flat bids from {stack:>3} bids, {}",
                counted(all.end.count(), "game")
            ),
            broke.lower,
            broke.upper,
            all.end.mean(),
            all.end.half_width()
        ))?;
    }
    let times = call_times(rules, seed, &interrupt);
    if let (Some(median), Some(worst)) = (times.get(times.len() / 2), times.last()) {
        line(format!(
            "{:<LABEL$}median {:.3} ms, worst {:.3} ms",
            format!("time of a call, {} calls", times.len()),
            1e3 * median.as_secs_f64(),
            1e3 * worst.as_secs_f64()
        ))?;
    }
    Ok(interrupt.exit_code())
}

/// The strong player with a timer: it adds the time that each call takes to this list.
struct Timed(Rc<RefCell<Vec<Duration>>>);

impl Player for Timed {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        let start = Instant::now();
        let reply = Strong.act(view);
        self.0.borrow_mut().push(start.elapsed());
        reply
    }
}

/// The number of rounds in which calls to the strong player are timed.
const TIMED_ROUNDS: u32 = 1000;

/// Lets the strong player play at a table with nine other players. Returns the times that the calls to the strong
/// player took, in ascending order.
fn call_times(rules: RuleSet, seed: u64, interrupt: &Interrupt) -> Vec<Duration> {
    let times = Rc::new(RefCell::new(Vec::new()));
    let mut seats: Vec<Box<dyn Player>> = vec![Box::new(Timed(times.clone()))];
    seats.extend((1..10).map(|_| Box::new(Baseline::Basic) as Box<dyn Player>));
    let settings = Settings {
        rounds: TIMED_ROUNDS,
        ..Settings::of(rules)
    };
    if let Ok(mut game) = Game::new(settings, seats.len(), seed) {
        while !game.is_over() && !interrupt.is_requested() {
            game.play_round(&mut seats, &mut Unobserved);
        }
    }
    let mut times = times.take();
    times.sort();
    times
}

/// Statistics about the value of a round with shoes of which a random part has already been dealt.
#[derive(Default)]
struct Counted {
    /// The values of all shoes, computed with the quick, approximate method.
    quick: Sample,
    /// The number of shoes whose quick value is positive.
    positive: u64,
    /// The differences between the exact value and the quick value of a shoe, for a part of the shoes.
    correction: Sample,
}

impl Counted {
    /// Evaluates a random shoe with the quick method and, if `exactly` is true, also exactly.
    fn look_at(
        &mut self,
        rules: RuleSet,
        decks: u8,
        exactly: bool,
        random: &mut Xoshiro256PlusPlus,
    ) {
        let mut cards = sorted_decks(decks);
        cards.shuffle(random);
        let gone = random.random_range(0..=cards.len() - FEWEST_LEFT);
        let left: RankCounts = cards[gone..].iter().map(|card| card.rank).collect();
        let quick = mean_and_variance(rules, &left).mean;
        self.quick.add(quick);
        self.positive += u64::from(quick > 0.0);
        if exactly {
            self.correction.add(round_value(rules, &left) - quick);
        }
    }

    fn merge(&mut self, other: &Counted) {
        self.quick.merge(&other.quick);
        self.positive += other.positive;
        self.correction.merge(&other.correction);
    }
}

/// The minimum number of cards in a partly dealt shoe.
const FEWEST_LEFT: usize = 16;

/// One out of this number of shoes is also evaluated exactly, to correct the mean of the quick values.
const EXACT_EVERY: u32 = 100;

/// Does `all` units of work, divided into pieces that run on all processors.
///
/// The pieces do not depend on the number of processors. `begin` creates the state of a piece, and `unit` does one unit
/// of work; it receives the index of the unit in the piece.
fn in_pieces<S, T: Default + Send>(
    what: &str,
    all: u32,
    interrupt: &Interrupt,
    begin: impl Fn(u32) -> S + Sync,
    unit: impl Fn(&mut S, &mut T, u32) + Sync,
    merge: impl Fn(&mut T, &T),
) -> T {
    let size = all.div_ceil(PIECES).max(1);
    let bar = counting_bar("computing".to_owned(), all.into(), what);
    let work = |(): &mut (), piece| {
        if interrupt.is_requested() {
            return ControlFlow::Break(());
        }
        let piece = piece as u32;
        let (mut state, mut found) = (begin(piece), T::default());
        for number in 0..size.min(all - piece * size) {
            if interrupt.is_requested() {
                break;
            }
            unit(&mut state, &mut found, number);
            bar.inc(1);
        }
        ControlFlow::Continue(found)
    };
    let pieces = parallel::map(all.div_ceil(size).into(), cores(), || (), work);
    let mut all = T::default();
    pieces.iter().for_each(|piece| merge(&mut all, piece));
    all
}
