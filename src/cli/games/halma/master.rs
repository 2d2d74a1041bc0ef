//! `turnwise halma master`: runs games between two player commands, like the master agent of the assignment.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use turnwise_arena::pairs::play_game;
use turnwise_arena::records::Settings;
use turnwise_arena::referee::Event;
use turnwise_arena::settings::{LARGEST_SEED, PAIRS};
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::plugin::Plugin;
use turnwise_games::GAMES;

use crate::cli::arena::moves::Moves;
use crate::cli::arena::{
    Opened, Shown, begin, checked, conduct, contestants, guarded, some_seed, whole,
};
use crate::cli::game_options::{GameOptions, Offered};
use crate::cli::isolation::IsolationArguments;
use crate::cli::parse_clock;
use crate::cli::replay::result;
use crate::console::interrupt::Interrupt;
use crate::console::note;
use crate::console::output::show as print;

/// Arguments of `turnwise halma master`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise halma master 'cmd:./homework' minimax
      one game, with random colors and first move
  turnwise halma master 'cmd:python3 homework.py' 'cmd:./other' --black a \\
      --begins black --board
  turnwise halma master 'cmd:./homework' distance --pairs 5 --clock 100 \\
      --rules base
  turnwise halma master 'A=cmd:./mine/homework11' 'B=cmd:./theirs/homework3' \\
      --seed 7
  turnwise halma master 'cmd:./homework' 'cmd:java -cp theirs homework' \\
      --lenient
  turnwise halma master 'cmd:./homework' 'cmd:theirs/homework' --isolate
      somebody else's program
  turnwise halma master 'cmd:time=0.1:./homework' minimax
      a tenth of the clock for the first

Each player has its own folder. Its command runs there for every move, reads input.txt and writes \
output.txt; playdata.txt is removed before each game. Its CPU time (user and system, including its \
children's) is charged to its clock; it is killed 10 s after its time has run out. If it is called homework, \
with or without digits and an extension, and calibrate with the same digits and extension is beside it, then \
calibrate runs once before the games, and its calibration.txt is present in all of them. The built-in players are \
turnwise[:nodes=N,time=PART,hash=MB], random, minimax, distance and stayer. Time odds: turnwise:time=0.1 plays \
with a tenth of the clock, as does cmd:time=0.1:WORDS, whose input.txt shows that time. output.txt is \
parsed strictly; --lenient ignores blanks and carriage returns at the ends of its lines. The log \
stores the file unchanged. The log is an arena log: turnwise replay and turnwise report read it.

Press Ctrl-C once to finish the game, or with --pairs the running pair, twice to stop at once; turnwise \
arena --resume LOG plays the missing pairs.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 stdout could not be written, 130 stopped by Ctrl-C, \
143 by SIGTERM.")]
pub struct Arguments {
    /// The first player, A: a built-in agent, or a command such as cmd:./homework
    a: String,
    /// The second player, B
    b: String,
    /// Choose the player that is Black in a single game
    #[arg(long, value_enum, value_name = "PLAYER", default_value_t = PlayerName::Random, conflicts_with = "pairs")]
    black: PlayerName,
    /// Play this many pairs of games, with colors and first move swapped, instead of one game
    #[arg(long, value_name = "PAIRS", value_parser = clap::value_parser!(u32).range(whole(PAIRS)))]
    pairs: Option<u32>,
    /// Set the CPU time for each player in each game
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_clock)]
    clock: Duration,
    /// Begin each game with this many random plies
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    openings: u32,
    /// Seed all random choices; by default, a new seed for each run
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    seed: Option<u64>,
    /// Show the board after every move
    #[arg(long)]
    board: bool,
    /// Print only the result; with --pairs, the score and the verdict
    #[arg(long, short, conflicts_with = "board")]
    quiet: bool,
    #[command(flatten)]
    isolation: IsolationArguments,
    /// Write the log to this file; by default, arena-A-B.jsonl in this folder
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    options: GameOptions<Halma>,
}

#[derive(Debug, Clone)]
struct Halma;

impl Offered for Halma {
    fn games() -> &'static [Plugin] {
        let mut games = GAMES.chunks(1);
        let halma = games.find(|game| game[0].about().name == "halma");
        halma.unwrap_or_default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlayerName {
    /// The first player
    A,
    /// The second player
    B,
    /// Either player, by the seed
    Random,
}

/// Plays a single game or, if the user asks for pairs, that number of pairs of games.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.isolation.report()?;
    let opened = begin(
        checked(settings(&arguments))?,
        arguments.log.as_deref(),
        &mut |_| Ok(()),
    )?;
    let moves = Moves::of(&opened.settings, arguments.board);
    let follow = |event: Event| {
        if !arguments.quiet {
            print(&moves.text(event));
        }
    };
    if arguments.pairs.is_some() {
        // No progress bar is shown, because it would disturb the printed moves.
        let (quiet, json, bar) = (arguments.quiet, false, false);
        return conduct(opened, None, Shown { quiet, json, bar }, &follow);
    }
    let Opened {
        mut log,
        settings,
        mut lineup,
        ..
    } = opened;
    Interrupt::listen_and(|| {
        note!("turnwise: finishing the game; press Ctrl-C again to stop now and lose it");
    })?;
    let _guard = guarded(&settings, &mut lineup);
    let game = play_game((&settings, &lineup), &mut log, &follow)?;
    if arguments.quiet {
        print(&result(&game));
    } else {
        note!("log {}", log.path().display());
    }
    Ok(ExitCode::SUCCESS)
}

fn settings(arguments: &Arguments) -> anyhow::Result<Settings> {
    let seed = arguments.seed.unwrap_or_else(some_seed);
    let halma = Halma::games().first().context("there is no Halma")?;
    let game = arguments.options.settings(halma)?;
    let mut agents = contestants(&game, &[&arguments.a, &arguments.b])?;
    // In a single game, the agent that is listed first in the log plays Black, so the agents are swapped if the user
    // wants it otherwise.
    let is_swapped = match arguments.black {
        PlayerName::A => false,
        PlayerName::B => true,
        PlayerName::Random => arguments.pairs.is_none() && seed % 2 == 1,
    };
    if is_swapped {
        agents.reverse();
    }
    let time = TimeControl::clock(arguments.clock);
    Ok(Settings {
        seed,
        pairs: arguments.pairs.unwrap_or(0),
        opening_plies: arguments.openings,
        counts: Counts::Cpu,
        // The games are played one after another, so that the printed moves of different games are not mixed.
        jobs: 1,
        isolation: arguments.isolation.isolation(),
        ..Settings::new(game, agents, time)
    })
}
