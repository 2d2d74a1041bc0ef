//! `turnwise demo`: plays and shows a pair of games between two daemons, which connect to the arena by TCP.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use turnwise_arena::records::{GameSettings, Settings, Via};
use turnwise_arena::referee::Event;
use turnwise_arena::settings::LARGEST_SEED;
use turnwise_engine::player::TimeControl;
use turnwise_entropy::rules::Rules;
use turnwise_report::Match;

use crate::cli::arena::moves::Moves;
use crate::cli::arena::{Shown, begin, conduct, contestants, some_seed};
use crate::cli::budget::tables;
use crate::cli::parse_clock;
use crate::cli::studio::LiveArguments;
use crate::console::interrupt::Interrupt;
use crate::console::output::show;
use crate::console::progress::Bar;
use crate::console::say;

/// Arguments of `turnwise demo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise demo            two games with 10 s clocks
  turnwise demo --clock 1  the same in a tenth of the time
  turnwise demo --live     people watch in a browser

A terminal shows the board while the agents play. Afterwards, the command prints the final boards, the result of \
the match, and the time that each agent used.")]
pub struct Arguments {
    /// Set the time for each player in each game
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_clock)]
    clock: Duration,
    /// Seed the order of the tiles; by default, a new order each time
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    seed: Option<u64>,
    #[command(flatten)]
    live: LiveArguments,
}

/// Plays the two games, then shows how both agents spent their time.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let rules = Rules {
        size: 5,
        pass: false,
    };
    let game = GameSettings(Arc::new(rules));
    let agents = ["alpha=turnwise", "omega=turnwise"].map(str::to_owned);
    let agents = contestants(&game, &agents.each_ref())?;
    let settings = Settings {
        seed: arguments.seed.unwrap_or_else(some_seed),
        pairs: 1,
        jobs: 1,
        via: Via::Tcp,
        ..Settings::new(game, agents, TimeControl::clock(arguments.clock))
    };
    let opened = begin(settings, None, &mut |_| Ok(()))?;
    let (log, settings) = (opened.log.path().to_owned(), opened.settings.clone());
    let live = arguments.live.start(Match::new(settings.clone()))?;
    let moves = Moves::of(&settings, true);
    let shown = Mutex::new(None::<Bar>);
    let follow = |event: Event| {
        live.iter().for_each(|live| live.announcer().hear(event));
        let text = moves.text(event);
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Event::Moved(_) = event {
            return shown.get_or_insert_with(Bar::of_text).set_message(text);
        }
        // The last board remains on the screen.
        let board = shown.take().map(|bar| bar.message());
        show(&(board.unwrap_or_default() + &text));
    };
    let (quiet, json, bar) = (false, false, false);
    let code = conduct(opened, None, Shown { quiet, json, bar }, &follow)?;
    if code == ExitCode::SUCCESS {
        say!("\n{}", tables(&log, &Interrupt::default())?);
        say!("\nNext: turnwise replay {} shows each move", log.display());
    }
    Ok(code)
}
