//! `turnwise host`: runs a tournament server of Entropy, either for two players or for the tournament of a class.

pub(in crate::cli) mod port;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow};
use turnwise_protocol::entropy::{Role, Wire};

use crate::cli::games::entropy::recording::{HostedGames, LogArguments};
use crate::cli::studio::LiveArguments;
use crate::cli::transcripts::TranscriptArguments;
use crate::cli::{block_on, files, one_of, parse_clock, parse_listen, start_log, tournament};
use crate::console::output::show;
use crate::console::terminal::has_colours;
use turnwise_daemon::shutdown;
use turnwise_engine::words::counted;
use turnwise_entropy::picture;
use turnwise_entropy::referee::RuleBook;
use turnwise_entropy::rules::{MAX_SIZE, MIN_SIZE};
use turnwise_entropy_server::host::door::Refused;
use turnwise_entropy_server::host::{
    Config, Event, GameResult, Host, HostError, Hosting, WarResult,
};

/// Arguments of `turnwise host`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise host
      one war on 127.0.0.1:10000, 5x5, 60 s a game
  turnwise host --wars 10 --clock 10 --seed 7
      ten short wars; the seed gives the same tiles again
  turnwise host --size 7 --same-tiles
      7x7, both games of a war with the same tiles
  turnwise host --listen 0.0.0.0:10000
      for players on other machines
  turnwise host --wire line
      plain lines instead of the JSON envelope
  turnwise host --log games.jsonl
      a log for turnwise report, replay and review
  turnwise host --live
      people watch in a browser
  turnwise host --tournament class.toml --listen 0.0.0.0:5005
      a class of daemons plays the tournament of that file
  turnwise play SERVER 5005 --name ada
      one of them

Two players join, play all wars, and receive a goodbye. A player that leaves, or answers illegally or \
too late, loses that game: Order at fault scores 0, and Chaos at fault gives Order 100.

With --tournament any number of players join on the JSON wire and wait for their games. The file is one for turnwise \
tournament, in which each remote participant has an entry such as

  [[participant]]
  name = \"ada\"
  remote = true
  secret = \"open sesame\"     # if it must prove its name: turnwise play --secret-file FILE

Other participants of the file may be built-in agents or programs on this machine. The file sets game, clock, \
rules and seed. The log, the ranking and the page are written where turnwise tournament writes them; the page and \
the tables are updated every few seconds. If the host is stopped, the same command continues the tournament, and \
daemons that reconnect continue to play. A participant that leaves loses its current game and may reconnect under \
its name; its other meetings wait for it, and are lost after --patience.")]
pub struct Arguments {
    /// Listen on this numeric address, such as 127.0.0.1, and port; port 0 selects a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:10000", value_parser = parse_listen)]
    listen: SocketAddr,
    /// Write the port to this file, once players can connect
    #[arg(long, value_name = "FILE")]
    port_file: Option<PathBuf>,
    /// Set the side of the board, which is also the number of colors
    #[arg(long, value_name = "N", default_value_t = 5, conflicts_with = TOURNAMENT,
          value_parser = clap::value_parser!(u8).range(i64::from(MIN_SIZE)..=i64::from(MAX_SIZE)))]
    size: u8,
    /// Play this many wars of two games each, with roles swapped
    #[arg(long, default_value_t = 1, conflicts_with = TOURNAMENT, value_parser = clap::value_parser!(u32).range(1..))]
    wars: u32,
    /// Set the time for each player in each game
    #[arg(long, value_name = "SECONDS", default_value = "60", conflicts_with = TOURNAMENT,
          value_parser = parse_clock)]
    clock: Duration,
    /// Seed the order of the tiles; by default, a new order each time
    #[arg(long, conflicts_with = TOURNAMENT)]
    seed: Option<u64>,
    /// Give both games of a war the same tiles
    #[arg(long, conflicts_with = TOURNAMENT)]
    same_tiles: bool,
    /// Choose the legality checks
    #[arg(long, default_value = "strict", conflicts_with = TOURNAMENT, value_parser = one_of(&[
        ("strict", "The written rules", RuleBook::Strict),
        ("server", "The lax checks of the Python tournament server", RuleBook::Server),
    ]))]
    rules: RuleBook,
    /// Allow Order to pass
    #[arg(long, conflicts_with = TOURNAMENT)]
    pass: bool,
    /// Use this protocol with all players
    #[arg(long, default_value = "json", conflicts_with = TOURNAMENT, value_parser = one_of(&[
        ("json", "JSON envelope of the Python tournament server", Wire::Json),
        ("line", "Plain lines as in the assignment text", Wire::Line),
    ]))]
    wire: Wire,
    #[command(flatten)]
    log: LogArguments,
    #[command(flatten)]
    live: LiveArguments,
    #[command(flatten)]
    class: ClassArguments,
}

/// The name of the option that names a tournament file.
const TOURNAMENT: &str = "tournament";

/// The options for the tournament of a class.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "A class's tournament")]
struct ClassArguments {
    /// Let a class play the tournament of this file (TOML); turnwise tournament --help explains the file
    #[arg(long, value_name = "FILE")]
    tournament: Option<PathBuf>,
    /// Let a missing participant's meetings wait this long, before it loses them; the time does not run while no
    /// participant is connected
    #[arg(long, value_name = "SECONDS", default_value = "120", requires = TOURNAMENT,
          value_parser = parse_clock)]
    patience: Duration,
    /// Play this many pairs in parallel; by default, half the number of participants, at most 64; or one per core, if
    /// more participants than cores play on this machine
    #[arg(long, requires = TOURNAMENT,
          value_parser = clap::value_parser!(u16).range(crate::cli::arena::whole(turnwise_arena::settings::JOBS)))]
    jobs: Option<u16>,
    /// Show the tournament's plan and play nothing
    #[arg(long, requires = TOURNAMENT)]
    plan: bool,
    /// Begin a tournament without asking, however long it takes
    #[arg(long, requires = TOURNAMENT)]
    yes: bool,
    /// Update a tournament's standings during play
    #[arg(long, requires = TOURNAMENT)]
    watch: bool,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let _log = start_log()?;
    if let Some(class) = arguments.class.tournament {
        if arguments.log.log_limit.is_some() {
            let why = "--log-limit cannot be used with --tournament, whose log stays in one file";
            return Err(crate::cli::WrongUsage(anyhow!(why)).into());
        }
        let ClassArguments {
            patience,
            jobs,
            plan,
            yes,
            watch,
            ..
        } = arguments.class;
        let port_file = arguments.port_file.as_deref().map(std::path::absolute);
        let wanted = port::Wanted {
            listen: arguments.listen,
            port_file: port_file.transpose()?,
            patience,
        };
        let tournament = tournament::Arguments {
            class,
            log: arguments.log.log,
            jobs,
            #[cfg(feature = "cluster")]
            cluster: None,
            #[cfg(feature = "cluster")]
            metrics: None,
            set: Vec::new(),
            plan,
            yes,
            replay: Vec::new(),
            watch,
            json: false,
            transcript: TranscriptArguments::default(),
            live: arguments.live,
        };
        return tournament::conduct(tournament, Some(wanted));
    }
    let config = Config {
        wars: arguments.wars,
        clock: arguments.clock,
        seed: arguments.seed.unwrap_or_else(crate::cli::seed_of_now),
        same_chances: arguments.same_tiles,
    };
    let hosting = Hosting {
        size: arguments.size,
        rules: arguments.rules,
        pass: arguments.pass,
        wire: arguments.wire,
    };
    block_on(async {
        let mut shutdown = shutdown::listen().context("cannot listen for signals")?;
        let host = Host::bind(arguments.listen, hosting, config)
            .await
            .with_context(|| format!("cannot listen on {}", arguments.listen))?;
        let address = host.address();
        show(&format!("listening on {address}, seed {}\n", config.seed));
        if let Some(file) = &arguments.port_file {
            files::announce(file, address.port())?;
        }
        let (log, live) = (&arguments.log, &arguments.live);
        let mut games = HostedGames::start(log, live, &hosting, &config)?;
        let mut scoreboard = Scoreboard::default();
        let watch = |event| {
            games.hear(&event);
            scoreboard.show(event);
        };
        match host.run(&mut shutdown, watch).await {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(HostError::Signal(signal)) => Ok(ExitCode::from(shutdown::exit_code(signal))),
            Err(deserted) => Err(deserted.into()),
        }
    })
}

/// Prints boards, timers and results in the format of the assignment, and counts the wars (pairs of games) that each
/// player has won.
#[derive(Default)]
struct Scoreboard {
    /// The number of wars that each player has won, keyed by the player's name.
    won: BTreeMap<String, u32>,
    /// The number of wars that ended in a draw.
    drawn: u32,
}

impl Scoreboard {
    /// Prints the text for an event of the host to stdout.
    fn show(&mut self, event: Event) {
        let text = match event {
            Event::Joined {
                seat,
                name,
                address,
            } => format!("{seat}. {name} ({address}) joined\n"),
            Event::Refused(Refused { address, reason }) => format!("refused {address}: {reason}\n"),
            Event::Left { name, sent_away } => match sent_away {
                None => format!("{name} left\n"),
                Some(reason) => format!("{name} was disconnected: {reason}\n"),
            },
            // Boards are printed only when a game is over.
            Event::Begun(_) | Event::Turn(_) => return,
            Event::GameOver(result) => game_over(&result),
            Event::WarOver(result) => self.war_over(&result),
        };
        show(&text);
    }

    fn war_over(&mut self, result: &WarResult) -> String {
        let verdict = match result.winner() {
            Some(seat) => format!("BOT: {} WINS", result.names[seat]),
            None if result.is_drawn() => "DRAW".to_owned(),
            None => "NO RESULT: a player left".to_owned(),
        };
        for name in &result.names {
            self.won.entry(name.clone()).or_default();
        }
        match result.winner() {
            Some(seat) => *self.won.entry(result.names[seat].clone()).or_default() += 1,
            None => self.drawn += 1,
        }
        // The players at the table come first, in the order of their seats; earlier players follow.
        let count = |name: &String| format!("{name} {}", self.won[name]);
        let away = self
            .won
            .keys()
            .filter(|&name| !result.names.contains(name) && self.won[name] > 0);
        let counts: Vec<String> = result.names.iter().chain(away).map(count).collect();
        format!(
            "[{}, {}]\n      {verdict}\nafter {}: {}, drawn {}\n\n",
            result.scores[0],
            result.scores[1],
            counted(result.war, "war"),
            counts.join(", "),
            self.drawn,
        )
    }
}

fn game_over(result: &GameResult) -> String {
    let [order_name, chaos_name] = &result.names;
    let [order, chaos] = result.timers.map(|left| left.as_secs_f64());
    let mut text = format!("{} as ORDER: {}\n", order_name, result.score);
    if let Some(fault) = &result.fault {
        let culprit = match fault.role {
            Role::Order => order_name,
            Role::Chaos => chaos_name,
        };
        text += &format!("FAULT of {culprit} as {}: {}\n", fault.role, fault.reason);
    }
    text += &format!("Timers ORDER: {order:.3}, CHAOS: {chaos:.3}\n");
    let coloured = has_colours(&std::io::stdout());
    text + &picture::board(&result.board.position, coloured) + "\n"
}
