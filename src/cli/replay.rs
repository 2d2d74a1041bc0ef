//! `turnwise replay`: shows a logged game in the terminal, board by board.

use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal};
use std::iter::once;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use turnwise_arena::records::{Fault, GameRecord, GameSettings, MoveRecord, Settings};
use turnwise_engine::player::Counts;
use turnwise_engine::plugin::{About, Scoring};
use turnwise_engine::words::counted;
use turnwise_report::logs::{Game, Line, Reader};
use turnwise_report::replay::{Replay, Step, replay};
use turnwise_study::picture::{self, Scene};

use super::files::{open_log, write_whole};
use super::game_options::{first_roles, known_games};
use super::report::no_log;
use crate::console::keyboard;
use crate::console::note;
use crate::console::output::{print, prompt};
use crate::console::terminal::has_colours;

const EXAMPLES: &str = "\
Examples:
  turnwise replay match.jsonl --game 3            the third game; Enter steps
  turnwise replay match.jsonl --pair 2 --game 1   the same game, by its pair
  turnwise replay match.jsonl --game 3 --delay 1  one move per second
  turnwise replay match.jsonl --game 3 | less     all of it as plain text
  turnwise replay match.jsonl --game 3 --ply 20 --svg board.svg
  turnwise replay match.jsonl --game 3 --gif game.gif

\"expects\" is the final score that the player expected, if known. \"value\" is its search's internal \
evaluation: points that rank moves and need not be a final score. Both are points for the first role: ";

fn after_help() -> String {
    format!("{EXAMPLES}{}.", first_roles())
}

/// Options that select a game of a log.
#[derive(Debug, clap::Args)]
pub(super) struct ChosenGame {
    /// A log of games
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Choose game K of the log, or of the pair that --pair selects
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,
    /// Choose the game from this pair; its first game by default
    #[arg(long, value_name = "P")]
    pair: Option<u32>,
}

impl ChosenGame {
    /// Returns the path of the log.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// Returns true if the user chose a game.
    pub fn is_chosen(&self) -> bool {
        self.game.is_some() || self.pair.is_some()
    }

    /// Finds the chosen game in the log, or else the first game. Prints notes about unusable lines before the game.
    /// Returns the settings of the match, and the game.
    pub fn find(&self) -> anyhow::Result<(Settings, Game)> {
        let path = &self.log;
        let reader = Reader::new(open_log(path)?, known_games());
        let mut reader = reader.map_err(|error| no_log(path, error))?;
        reader.only_pair = self.pair;
        let found = self.search(&mut reader);
        let header = reader.header.clone();
        for note in reader.finish() {
            note!("turnwise: {}: {note}", path.display());
        }
        let game = found?;
        if let Err(why) = game.record.check_moves(&header) {
            note!("turnwise: the log contradicts itself: {why}");
        }
        Ok((header, game))
    }

    fn search<I: BufRead>(&self, reader: &mut Reader<'_, I>) -> anyhow::Result<Game> {
        let unreadable = || format!("cannot read {}", self.log.display());
        let number = self.game.unwrap_or(1);
        let Some(pair) = self.pair else {
            let read = reader.numbered(number).with_context(unreadable)?;
            return read.map_err(|games| match games {
                0 => anyhow!("the log holds no games"),
                _ => anyhow!("there is no game {number}; the log has games 1 to {games}"),
            });
        };
        let mut of_pair = None;
        while let Some(line) = reader.next_line().with_context(unreadable)? {
            let Line::Game(game) = line else { continue };
            let record = &game.record;
            if (record.pair, u32::from(record.game)) == (pair, number) {
                return Ok(*game);
            }
            if record.pair == pair {
                of_pair = Some(record.is_of_rotation());
            }
        }
        Err(match of_pair {
            None => anyhow!("there is no pair {pair} in the log"),
            Some(is_rotation) => {
                let games = match is_rotation {
                    true => format!("a rotation has games 1 to {}", reader.header.game.0.seats()),
                    false => "a pair has games 1 and 2".to_owned(),
                };
                anyhow!("pair {pair} has no game {number} in the log; {games}")
            }
        })
    }
}

/// Arguments of `turnwise replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    #[command(flatten)]
    game: ChosenGame,
    /// Show a move every SECONDS seconds instead of waiting for Enter; in an animation, 0.7 by default
    #[arg(long, value_name = "SECONDS", value_parser = super::parse_clock)]
    delay: Option<Duration>,
    /// Draw the position after --ply into this file (SVG) instead of showing the game
    #[arg(long, value_name = "FILE", conflicts_with = "delay")]
    svg: Option<PathBuf>,
    /// Draw the whole game, one move after another, into this file (animated GIF) instead of showing it
    #[arg(long, value_name = "FILE", conflicts_with = "svg")]
    gif: Option<PathBuf>,
    /// Draw the position after this many moves, 0 for the beginning [default: the last position]
    #[arg(long, value_name = "N", requires = "svg")]
    ply: Option<usize>,
}

/// The default time for which an animation shows each position.
const USUAL_DELAY: Duration = Duration::from_millis(700);

/// The condition for showing the next move of a replay.
enum Pace {
    Enter,
    Delay(Duration),
    Never,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let (header, game) = arguments.game.find()?;
    if let Some(path) = &arguments.svg {
        return draw(&header.game, &game, arguments.ply, path);
    }
    if let Some(path) = &arguments.gif {
        return animate(
            &header.game,
            &game,
            arguments.delay.unwrap_or(USUAL_DELAY),
            path,
        );
    }
    let terminal = io::stdout().is_terminal();
    let pace = match arguments.delay {
        Some(delay) => Pace::Delay(delay),
        None if terminal && io::stdin().is_terminal() => Pace::Enter,
        None => Pace::Never,
    };
    show(&header, &game, has_colours(&io::stdout()), &pace)?;
    Ok(ExitCode::SUCCESS)
}

/// Replays a game for a picture. Returns an error if the log does not say how the game began.
fn drawable(game: &Game, of: &GameSettings) -> anyhow::Result<Replay> {
    let replay = replay(game, of, false);
    match &replay.broken {
        Some(why) if replay.beginning.grid.letters.is_empty() => bail!("{why}"),
        _ => Ok(replay),
    }
}

fn draw(
    of: &GameSettings,
    game: &Game,
    ply: Option<usize>,
    path: &Path,
) -> anyhow::Result<ExitCode> {
    let replay = drawable(game, of)?;
    let last = replay.steps.len();
    let ply = ply.unwrap_or(last);
    let (board, moved) = match ply.checked_sub(1) {
        None => (&replay.beginning, None),
        Some(at) => match replay.steps.get(at) {
            Some(step) => (&step.board, Some(step.moved)),
            None => bail!(
                "there is no ply {ply}; the game has {}",
                counted(last, "move")
            ),
        },
    };
    let svg = picture::svg(&Scene {
        grid: &board.grid,
        look: of.about().look,
        last: moved,
    });
    write_whole(path, svg.as_bytes())?;
    print(&format!(
        "Wrote {}, the position after ply {ply} of {last}\n",
        path.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn animate(
    of: &GameSettings,
    game: &Game,
    each: Duration,
    path: &Path,
) -> anyhow::Result<ExitCode> {
    let replay = drawable(game, of)?;
    let look = of.about().look;
    let scene = |grid, last| Scene { grid, look, last };
    let steps = replay.steps.iter();
    let steps = steps.map(|step| scene(&step.board.grid, Some(step.moved)));
    let scenes: Vec<Scene> = once(scene(&replay.beginning.grid, None))
        .chain(steps)
        .collect();
    let gif = picture::gif(&scenes, each).context("cannot draw the game")?;
    write_whole(path, &gif)?;
    let moves = counted(replay.steps.len(), "move");
    print(&format!("Wrote {}, {moves}\n", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn show(header: &Settings, game: &Game, coloured: bool, pace: &Pace) -> io::Result<()> {
    let of = &header.game;
    let record = &game.record;
    let replay = replay(game, of, coloured);
    print(&format!(
        "{}\n\n{}",
        who_plays(record),
        replay.beginning.text
    ))?;
    for step in &replay.steps {
        if !wait(pace)? {
            return Ok(());
        }
        print(&format!(
            "\n{}{}",
            headline(header, game, step),
            step.board.text
        ))?;
    }
    let mut text = String::from("\n");
    if let Some(why) = &replay.broken {
        let _ = writeln!(text, "{why}");
    }
    for fault in record.faults() {
        text += &fault_lines(fault, of.about());
    }
    text += &result(record);
    print(&text)
}

/// Waits until the next move should be shown. Returns false if the user asks to stop.
fn wait(pace: &Pace) -> io::Result<bool> {
    match pace {
        Pace::Never => Ok(true),
        Pace::Delay(delay) => {
            std::thread::sleep(*delay);
            Ok(true)
        }
        Pace::Enter => {
            prompt("Enter for the next move, q to stop: ");
            let line = keyboard::line(&mut io::stdin().lock())?;
            Ok(line.is_some_and(|line| !line.trim().eq_ignore_ascii_case("q")))
        }
    }
}

/// Returns a line that states the number of a game, its players and their roles.
pub(super) fn who_plays(game: &GameRecord) -> String {
    let roles = game.result.by_role();
    let roles: Vec<String> = roles
        .map(|(name, role)| format!("{name} is {role}"))
        .collect();
    let what = match game.is_of_rotation() {
        true => "Rotation",
        false => "Pair",
    };
    format!(
        "{what} {}, game {}: {}",
        game.pair,
        game.game,
        roles.join(", ")
    )
}

/// Returns a line that states how a game ended.
pub(super) fn result(game: &GameRecord) -> String {
    let result = &game.result;
    let by_role: Vec<_> = result.by_role().collect();
    let [(first, one), (second, other)] = by_role[..] else {
        let won = result.players.iter().zip(&result.meaning.won);
        let won: Vec<String> = won.map(|(name, won)| format!("{name} {won:+}")).collect();
        return format!("won: {}\n", won.join(", "));
    };
    match result.meaning.ending.as_deref() {
        None => format!("{one}'s score: {}\n", result.score()),
        Some(ending) => match result.score() {
            1.0 => format!("{first} ({one}) wins: {ending}\n"),
            0.0 => format!("{second} ({other}) wins: {ending}\n"),
            _ => format!("A draw: {ending}\n"),
        },
    }
}

fn headline(header: &Settings, game: &Game, step: &Step) -> String {
    let of = &header.game;
    let agent = &game.record.result.players[step.moved.side];
    let tile = step.moved.tile.map(|tile| format!("{tile} on "));
    let about = of.about();
    let is_of_rotation = game.record.is_of_rotation();
    let measured =
        (about.look.measures.iter().zip(&step.board.measured)).map(|(name, value)| {
            match (about.scoring, about.look.measures) {
                (Scoring::Points, [_]) => format!(", {}", counted(value, "point")),
                _ => format!(", {name} {value}"),
            }
        });
    let mut text = format!(
        "ply {} of {}: {agent} ({}) {}{}{}",
        step.ply,
        game.record.moves.len(),
        game.record.result.roles()[step.moved.side],
        tile.unwrap_or_default(),
        game.record.moves[step.ply as usize - 1],
        // In games with more than two players, the measures are omitted, because the board already shows them for each
        // player.
        measured.filter(|_| !is_of_rotation).collect::<String>(),
    );
    if step.ply as usize <= game.opening_plies() {
        text += ", random opening";
    }
    text.push('\n');
    if let Some(logged) = game.logged(step.ply) {
        let facts = facts(logged, header.counts);
        if !facts.is_empty() {
            let _ = writeln!(text, "  {}", facts.join(", "));
        }
        if let Some(output) = logged.output.as_ref().filter(|_| !is_as_shown(logged)) {
            let _ = writeln!(text, "  output.txt {output:?}");
        }
    }
    text
}

/// Returns true if the agent's output file contains exactly the path of the move that the replay shows anyway.
fn is_as_shown(logged: &MoveRecord) -> bool {
    let mut words = logged.mv.split(' ');
    let letter = words.next().unwrap_or_default();
    let squares: Vec<&str> = words.collect();
    let lines = squares
        .windows(2)
        .map(|ends| format!("{letter} {}\n", ends.join(" ")));
    let lines: String = lines.collect();
    let output = logged.output.as_deref().unwrap_or_default();
    output == lines || lines.strip_suffix('\n') == Some(output)
}

/// Returns texts with the logged facts about a move, for example its search depth. The time in these texts is the time
/// that was charged to the clock.
fn facts(logged: &MoveRecord, counts: Counts) -> Vec<String> {
    let facts = [
        (logged.score).map(|score| format!("expects {score:.1}")),
        (logged.value).map(|value| format!("value {value:.1}")),
        (logged.depth).map(|depth| format!("depth {depth}")),
        (logged.nodes).map(|nodes| counted(nodes, "node")),
        match counts {
            Counts::Wall => (logged.used_ms).map(|used| format!("used {used:.1} ms")),
            Counts::Cpu => (logged.cpu_ms).map(|used| format!("used {used:.1} ms of CPU time")),
        },
        (logged.soft_ms).map(|soft| format!("meant {soft:.1} ms")),
        (logged.hard_ms).map(|hard| format!("at most {hard:.1} ms")),
        (logged.clock_left_s).map(|left| format!("{left:.2} s left before it")),
    ];
    facts.into_iter().flatten().collect()
}

/// Describes a fault. If the log contains the output file or the last stderr lines of the agent at fault, the
/// description quotes them.
pub(super) fn fault_lines(fault: &Fault, game: &About) -> String {
    let mut text = format!(
        "Fault of {} ({}): {}: {}\n",
        fault.agent,
        game.role(&fault.role),
        fault.kind.name(),
        fault.reason
    );
    if let Some(output) = &fault.output {
        let _ = writeln!(text, "  output.txt {output:?}");
    }
    for line in &fault.stderr {
        let _ = writeln!(text, "  stderr: {line}");
    }
    text
}
