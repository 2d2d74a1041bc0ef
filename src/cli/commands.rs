//! Defines all commands. To add a command, add a variant with its help line, and a line in `run`.

use std::process::ExitCode;

use clap::Subcommand;
use turnwise_halma::files::numbered;

use super::games::entropy::{analyse, demo, host, play};
use super::games::{entropy, export, guesswho, halma, masterchef, stdio, twentyone};
use super::{
    arena, budget, check, completions, man, new, puzzles, replay, report, review, rules, schema,
    studio, tournament,
};
#[cfg(feature = "cluster")]
use super::{cluster, worker};

/// The layout of `turnwise --help`: the commands in groups, each with its result for the user.
///
/// No line is longer than 60 columns, because these lines are not wrapped in narrow terminals.
pub(super) fn help_template() -> String {
    let of_many_machines = match cfg!(feature = "cluster") {
        true => {
            "
  worker        Play games for matches on other machines
  cluster       See the workers and matches of a server"
        }
        false => "",
    };
    format!(
        "\
{{about}}

{{usage-heading}} {{usage}}

Play:
  studio        Play and analyze all games in the browser
  rules         Learn the rules of a game
  play          Play Entropy on a tournament server
  stdio         Play on stdin and stdout, as judges expect
  halma         Play a move: input.txt to output.txt
  masterchef    Pick a contestant: input.txt to output.txt
  guesswho      Play by the course's files; draw best trees

Compete:
  arena         Play agents or people against each other
  tournament    Rank the programs of a class
  host          Run a tournament server of Entropy
  check         Find out whether a program can take part{of_many_machines}

Understand:
  demo          Watch a match of Entropy on this machine
  report        Get tables, charts and a page from logs
  budget        See how each player spent its clock
  replay        Step through a logged game
  review        See what each move of logged games lost
  puzzles       Mine positions with one good move
  analyse       Rank the moves of an Entropy board
  twentyone     Get the value of a hand of TwentyOne

Build:
  new           Get a starter player in your language
  export        Write a player as source files for a judge
  schema        Let your editor check a class file or a game
  entropy       Solve boards; train and calibrate weights
  completions   Let your shell complete games and agents

Options: -h (--help) prints help, -V (--version) the version{{after-help}}"
    )
}

/// Each variant's documentation is the first line of its own `--help`; [`help_template`] lists the commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Play Entropy on a tournament server: turnwise play SERVER PORT
    Play(play::Arguments),
    /// Run a tournament server of Entropy for two players or a class: turnwise host --wars 3
    Host(host::Arguments),
    /// Play matches between agents, and report which is stronger
    Arena(Box<arena::Arguments>),
    /// Play a class's tournament and rank its participants: turnwise tournament class.toml
    Tournament(tournament::Arguments),
    /// Play pairs for matches on other machines: turnwise worker nats://HOST
    #[cfg(feature = "cluster")]
    Worker(worker::Arguments),
    /// Show the workers and matches of a NATS server: turnwise cluster status nats://HOST
    #[cfg(feature = "cluster")]
    Cluster(cluster::Arguments),
    /// Write a starter player: turnwise new entropy --lang python my-player
    New(new::Arguments),
    /// Write a player as source files, for a judge that runs no binaries: turnwise export codecup player.rs
    Export(export::Arguments),
    /// Print the JSON Schema of a class file, a game.toml or a log: turnwise schema class
    Schema(schema::Arguments),
    /// Check whether a program can take part, and report its errors: turnwise check 'cmd:python3 player.py'
    Check(check::Arguments),
    /// Evaluate the moves of an Entropy board: turnwise analyse board.txt
    Analyse(analyse::Arguments),
    /// Play and show two games of Entropy on this machine: turnwise demo
    Demo(demo::Arguments),
    /// Play on stdin and stdout: turnwise stdio entropy|codecup|twentyone|guesswho
    Stdio(stdio::Arguments),
    /// Evaluate hands of TwentyOne: turnwise twentyone value
    Twentyone(twentyone::Arguments),
    /// Play Guess Who with the course's players, or print decision trees: turnwise guesswho --tree CONFIG
    Guesswho(guesswho::Arguments),
    /// Summarize an arena's logs, with pictures and a page: turnwise report LOG --out DIR
    Report(report::Arguments),
    /// Show how each player of a log spent the time on its clock: turnwise budget LOG
    Budget(budget::Arguments),
    /// Review logged games: what each move lost
    Review(review::Arguments),
    /// Mine puzzles from games: positions with one good move
    Puzzles(puzzles::Arguments),
    /// Play, analyse and review in a browser: turnwise studio
    Studio(studio::Arguments),
    /// Step through a game of an arena's log: turnwise replay LOG --game 3
    Replay(replay::Arguments),
    /// Explain the rules of a game: turnwise rules halma
    Rules(rules::Arguments),
    /// Pick the next contestant of a MasterChef team: turnwise masterchef [--explain]
    Masterchef(masterchef::Arguments),
    /// Play a move of Halma, from input.txt to output.txt: turnwise halma
    Halma(halma::Arguments),
    /// Solve boards of Entropy, and train and calibrate weights
    Entropy(entropy::Arguments),
    /// Print a script for your shell that completes commands, games and agents: turnwise completions bash
    Completions(completions::Arguments),
    /// Write the manual pages of all commands to a folder
    #[command(hide = true)]
    Man(man::Arguments),
}

impl Command {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Play(arguments) => play::run(arguments),
            Self::Host(arguments) => host::run(arguments),
            Self::Arena(arguments) => arena::run(*arguments),
            Self::Tournament(arguments) => tournament::run(arguments),
            #[cfg(feature = "cluster")]
            Self::Worker(arguments) => worker::run(arguments),
            #[cfg(feature = "cluster")]
            Self::Cluster(arguments) => cluster::run(arguments),
            Self::New(arguments) => new::run(arguments),
            Self::Export(arguments) => export::run(arguments),
            Self::Schema(arguments) => schema::run(arguments),
            Self::Check(arguments) => check::run(arguments),
            Self::Analyse(arguments) => analyse::run(arguments),
            Self::Demo(arguments) => demo::run(arguments),
            Self::Stdio(arguments) => stdio::run(arguments),
            Self::Twentyone(arguments) => twentyone::run(arguments),
            Self::Guesswho(arguments) => guesswho::run(arguments),
            Self::Report(arguments) => report::run(arguments),
            Self::Budget(arguments) => budget::run(arguments),
            Self::Review(arguments) => review::run(arguments),
            Self::Puzzles(arguments) => puzzles::run(arguments),
            Self::Studio(arguments) => studio::run(arguments),
            Self::Replay(arguments) => replay::run(arguments),
            Self::Rules(arguments) => rules::run(arguments),
            Self::Masterchef(arguments) => masterchef::run(arguments),
            Self::Halma(arguments) => halma::run(arguments),
            Self::Entropy(arguments) => entropy::run(arguments),
            Self::Completions(arguments) => completions::run(arguments),
            Self::Man(arguments) => man::run(arguments),
        }
    }
}

/// Returns the arguments that are implied if this program is called by a name that a course prescribes. `name` has no
/// extension.
///
/// If this program is linked or copied under one of these names, it behaves as if the arguments were given.
pub(super) fn implied(name: &str) -> &'static [&'static str] {
    match name {
        "project2cs360s2020" => &["masterchef"],
        // The course's master program measures how much time this process uses, so a daemon must not do the work unless
        // the user asks for a daemon.
        _ if numbered(name, "homework").is_some() => &["halma", "--daemon", "off"],
        _ if numbered(name, "calibrate").is_some() => &["halma", "--calibrate"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::{CommandFactory, Parser};
    use turnwise_engine::own_socket::OwnFolder;
    use turnwise_halma::shim::asking::Daemon;

    use super::*;
    use crate::cli::{Arguments, with_implied};

    /// Parses the words as the arguments of `turnwise`, and returns the daemon that they select.
    fn daemon(words: &[&str]) -> Option<Daemon> {
        let words = words.iter().map(OsString::from).collect();
        match Arguments::try_parse_from(with_implied(words)).expect("arguments") {
            Arguments {
                command: Command::Halma(arguments),
            } => arguments.mv.daemon,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_command_has_one_line_in_the_help() {
        let help = Arguments::command().render_long_help().to_string();
        let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
        let named = lines.filter_map(|line| line.split(' ').next());
        let mut listed: Vec<&str> = named
            .filter(|name| name.starts_with(char::is_lowercase))
            .collect();
        listed.retain(|&name| name != "turnwise");
        listed.sort_unstable();
        let arguments = Arguments::command();
        let mut commands: Vec<&str> = arguments
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        commands.sort_unstable();
        assert_eq!(listed, commands);
    }

    #[test]
    fn under_the_names_of_the_course_no_daemon_is_asked_unless_it_is_asked_for() {
        let own = Some(Daemon::Own(OwnFolder::usual()));
        assert_eq!(daemon(&["turnwise", "halma"]), own);
        assert_eq!(daemon(&["turnwise", "halma", "--daemon", "off"]), None);
        for name in ["homework", "./homework11", "/a/homework3.x"] {
            assert_eq!(daemon(&[name]), None, "{name}");
            assert_eq!(daemon(&[name, "--rules", "base"]), None, "{name}");
            assert_eq!(daemon(&[name, "--daemon", "own"]), own, "{name}");
            let asked = daemon(&[name, "--daemon", "127.0.0.1:7400"]);
            let named = "127.0.0.1:7400".parse().expect("an address");
            assert_eq!(asked, Some(Daemon::At(named)), "{name}");
        }
    }
}
