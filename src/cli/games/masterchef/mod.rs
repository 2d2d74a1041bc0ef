//! `turnwise masterchef`: picks the next contestant of a team. Reads the input file of the assignment, and writes the
//! answer to another file.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::cli::{EXIT_WRONG_USAGE, files};
use crate::console::note;
use crate::console::output::print;
use crate::console::progress::StatusLine;
use turnwise_engine::files::read_at_most;
use turnwise_engine::words::counted;
use turnwise_masterchef::answer::Progress;
use turnwise_masterchef::decision::decide;
use turnwise_masterchef::explanation::Explanation;
use turnwise_masterchef::input::{self, Pool};
use turnwise_masterchef::literal::Algorithm;
use turnwise_masterchef::rules::Draft;
use turnwise_masterchef::units::Units;

/// The maximum size of the input, in bytes. It suffices for ten million contestants.
const LARGEST_INPUT: u64 = 512 << 20;

const EXAMPLES: &str = "\
Examples:
  turnwise masterchef            read input.txt, write output.txt
  turnwise masterchef --explain  and explain it: teams, powers, node counts
  turnwise masterchef --input pool.txt --output pick.txt --json
  turnwise masterchef --literal  search as line 2 of the file says, pick by pick

Linked or copied as `project2cs360s2020`, the program runs this command.

Exit codes: 0 done, 1 failed, 2 malformed input (nothing is written), 4 stdout could \
not be written.";

/// Arguments of `turnwise masterchef`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Read the contestants from this file, in the assignment's format
    #[arg(long, value_name = "FILE", default_value = "input.txt")]
    input: PathBuf,
    /// Write the ID of the chosen contestant to this file
    #[arg(long, value_name = "FILE", default_value = "output.txt")]
    output: PathBuf,
    /// Search with the algorithm that the file names (minimax or ab); if its time runs out, the exact solver answers
    #[arg(long)]
    literal: bool,
    /// Print the value, the best continuation, both teams and the nodes of every algorithm
    #[arg(long, conflicts_with = "json")]
    explain: bool,
    /// Print the output of --explain as JSON
    #[arg(long)]
    json: bool,
    /// Answer within this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 170.0, value_parser = seconds)]
    time_limit: f64,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(seconds),
        _ => Err("expected seconds from 0 to 1000000000, such as 2.5".to_owned()),
    }
}

/// Reads the pool of contestants, chooses one of them, and writes the choice to the output file.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let path = &arguments.input;
    let shown = path.display();
    let bytes = read_at_most(path, LARGEST_INPUT)?;
    let bytes = bytes
        .with_context(|| format!("there is no file {shown}; name the pool with --input FILE"))?;
    let input = match input::parse(&bytes) {
        Ok(input) => input,
        Err(error) => {
            note!("turnwise masterchef: {shown}, {error}");
            return Ok(ExitCode::from(EXIT_WRONG_USAGE));
        }
    };
    // The text of the input is no longer needed, and the search needs the memory.
    drop(bytes);
    match input.pool {
        Pool::Usual(draft) => answer(&arguments, input.algorithm, draft),
        Pool::Long(draft) => answer(&arguments, input.algorithm, draft),
        Pool::Longest(draft) => answer(&arguments, input.algorithm, *draft),
    }
}

fn answer<U: Units>(
    arguments: &Arguments,
    algorithm: Algorithm,
    draft: Draft<U>,
) -> anyhow::Result<ExitCode> {
    let named = arguments.literal.then_some(algorithm);
    let limit = Duration::from_secs_f64(arguments.time_limit);
    let mut watch = Watch::new(limit);
    let started = Instant::now();
    let found = decide(&draft, named, &mut |progress| watch.look(progress, &draft));
    let elapsed = started.elapsed();
    watch.status.clear();
    let id = draft.contestants()[found.answer.pick].id;
    files::write_whole(&arguments.output, format!("{id}\n").as_bytes())?;
    if let Some(remark) = found.remark() {
        note!(
            "turnwise masterchef: {} seconds were not enough{remark}: {id}",
            arguments.time_limit
        );
    }
    let text = if arguments.explain || arguments.json {
        let explanation = Explanation::new(&draft, &found, elapsed, &mut |progress| {
            watch.look(progress, &draft)
        });
        watch.status.clear();
        match arguments.json {
            true => serde_json::to_string_pretty(&explanation)? + "\n",
            false => explanation.to_string(),
        }
    } else {
        format!("{id} (written to {})\n", arguments.output.display())
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Observes a search: shows its progress on a terminal, and stops it at the deadline.
struct Watch {
    deadline: Instant,
    status: StatusLine,
}

impl Watch {
    fn new(limit: Duration) -> Watch {
        Watch {
            deadline: Instant::now() + limit,
            status: StatusLine::new(),
        }
    }

    fn look<U: Units>(&mut self, progress: &Progress, draft: &Draft<U>) -> ControlFlow<()> {
        if Instant::now() >= self.deadline {
            return ControlFlow::Break(());
        }
        self.status.tell(|| {
            format!(
                "{} of {} first picks compared, best so far {}, {}",
                progress.decided,
                progress.candidates,
                draft.contestants()[progress.pick].id,
                counted(progress.nodes, "node")
            )
        });
        ControlFlow::Continue(())
    }
}
