//! `turnwise halma master`: runs games between two player commands, like the master agent of the assignment.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use turnwise_arena::lineup::Lineup;
use turnwise_arena::pairs::{Done, play_game};
use turnwise_arena::records::{MoveRecord, Settings};
use turnwise_arena::referee::Event;
use turnwise_arena::settings::{LARGEST_SEED, PAIRS};
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::plugin::{AnyState, Beginning, Plugin};
use turnwise_games::{GAMES, start_daemon};

use crate::cli::arena::{
    Opened, Shown, checked, conduct, contestants, create, guarded, some_seed, whole,
};
use crate::cli::game_options::{GameOptions, Offered};
use crate::cli::isolation::IsolationArguments;
use crate::cli::parse_clock;
use crate::cli::replay::{fault_lines, result};
use crate::console::interrupt::Interrupt;
use crate::console::note;
use crate::console::output::show as print;
use crate::console::terminal::has_colours;

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
turnwise[:nodes=N,time=PART], random, minimax, distance and stayer. Time odds: turnwise:time=0.1 plays \
with a tenth of the clock, as does cmd:time=0.1:WORDS, whose input.txt shows that time. output.txt is \
parsed strictly, or with --lenient without blanks and carriage returns at the ends of lines; the log \
stores it unchanged. The log is an arena log: turnwise replay and turnwise report read it.

Press Ctrl-C once to finish the game, or with --pairs the running pair, twice to stop at once; turnwise \
arena --resume LOG plays the missing pairs.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 stdout could not be written, 130 stopped by Ctrl-C.")]
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
    let settings = checked(settings(&arguments))?;
    let mut lineup = Lineup::of(&settings, start_daemon)?;
    let mut log = create(arguments.log.as_deref(), &settings)?;
    let shown = Games {
        settings: &settings,
        shows_boards: arguments.board,
        open: Mutex::new(None),
    };
    let follow = |event: Event| {
        if !arguments.quiet {
            print(&shown.text(event));
        }
    };
    if arguments.pairs.is_some() {
        let (quiet, json) = (arguments.quiet, false);
        let opened = Opened {
            log,
            done: Done::new(&settings),
            settings: settings.clone(),
            lineup,
        };
        // No progress bar is shown, because it would disturb the printed moves.
        let bar = false;
        return conduct(opened, None, Shown { quiet, json, bar }, &follow);
    }
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

/// Prints the moves of the games while they are played.
struct Games<'a> {
    settings: &'a Settings,
    shows_boards: bool,
    /// The game in progress.
    open: Mutex<Option<Box<dyn AnyState>>>,
}

impl Games<'_> {
    fn text(&self, event: Event) -> String {
        let game = &self.settings.game;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut text, moves) = match event {
            Event::Begun {
                pair,
                players,
                begins,
                opening,
                ..
            } => {
                let begins = game.roles()[begins];
                let beginning = Beginning::Seed {
                    seed: pair.seed,
                    meetings: pair.pairs_before,
                };
                *open = game.0.open(beginning).ok();
                let roles = players.iter().zip(game.roles());
                let mut text: String = roles
                    .map(|(name, role)| format!("{name} is {role}, "))
                    .collect();
                text += &format!("{begins} begins\n");
                if !opening.is_empty() {
                    text += &format!("opening: {}\n", opening.join("; "));
                }
                (text, opening)
            }
            Event::Moved(record) => (self.moved(record), std::slice::from_ref(&record.mv)),
            // This event occurs only in games with more than two players, and Halma has two.
            Event::PutOut { .. } => return String::new(),
            Event::Over(over) => {
                let fault = over.fault.as_ref();
                let fault = fault.map(|fault| fault_lines(fault, game.about()));
                return fault.unwrap_or_default() + &result(over) + "\n";
            }
        };
        if let Some(open) = open.as_mut() {
            for mv in moves {
                // This never fails, because the referee has accepted the move.
                let _moved = open.follow(mv);
            }
            if self.shows_boards {
                text += &(open.shown(has_colours(&std::io::stdout())).text + "\n");
            }
        }
        text
    }

    fn moved(&self, record: &MoveRecord) -> String {
        let used = record.cpu_ms.unwrap_or_default() / 1000.0;
        let left = record.clock_left_s.unwrap_or_default() - used;
        format!(
            "{:>3}. {} ({}) {}, {used:.3} s, {left:.3} s left\n",
            record.ply,
            record.agent,
            self.settings.game.about().role(&record.role),
            record.mv,
        )
    }
}
