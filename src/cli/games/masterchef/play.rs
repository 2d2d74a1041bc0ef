//! `turnwise masterchef --play`: a person plays the opponent, Bob, in the terminal.

use std::cmp::Ordering;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use super::Watch;
use crate::console::keyboard::{KEYS, Wish, ask_until};
use crate::console::output::Stdout;
use turnwise_masterchef::decision::decide;
use turnwise_masterchef::literal::Algorithm;
use turnwise_masterchef::rules::{Captain, Draft};
use turnwise_masterchef::units::Units;

const HELP: &str = "\
Each captain wants the more powerful team of five. A contestant is worth
capacity times happiness about the captain; a team with five different last
digits gets 120 extra points. Type the ID of a free contestant to pick it.
u takes your last pick back, and A's answer to it.";

/// Plays a draft from the given state to its end. A person enters Bob's picks on stdin.
pub(super) fn run<U: Units>(
    mut draft: Draft<U>,
    named: Option<Algorithm>,
    limit: Duration,
) -> anyhow::Result<ExitCode> {
    // The state of the draft before each of Bob's picks, for taking picks back.
    let mut before: Vec<Draft<U>> = Vec::new();
    let (mut stdin, mut stdout) = (io::stdin().lock(), Stdout);
    writeln!(
        stdout,
        "You are Bob; A picks first. A team with five different last digits gets 120 extra points."
    )?;
    while let Some(captain) = draft.turn() {
        let index = match captain {
            Captain::A => {
                let mut watch = Watch::new(limit);
                let found = decide(&draft, named, &mut |progress| watch.look(progress, &draft));
                watch.status.clear();
                let doubt = found.remark().map_or_else(String::new, |remark| {
                    format!(" ({} seconds were not enough{remark})", limit.as_secs_f64())
                });
                writeln!(
                    stdout,
                    "\nA picks {}.{doubt}",
                    draft.contestants()[found.answer.pick].id
                )?;
                found.answer.pick
            }
            Captain::B => {
                show_pool(&mut stdout, &draft)?;
                let no_undo = before.is_empty();
                let wish = ask_until(
                    "Your pick (an ID, or ? for help): ",
                    &mut stdin,
                    &mut stdout,
                    || format!("{HELP}\n{KEYS}\n"),
                    no_undo.then_some("You have not picked anybody yet."),
                    |answer| pick(answer, &draft),
                )?;
                match wish {
                    Wish::Move(index) => {
                        before.push(draft.clone());
                        index
                    }
                    Wish::Undo => {
                        draft = before.pop().expect("it is offered only then");
                        continue;
                    }
                    Wish::Leave => {
                        writeln!(stdout, "\nThe draft ends here, unfinished.")?;
                        return Ok(ExitCode::SUCCESS);
                    }
                }
            }
        };
        draft.pick(index);
    }
    show_result(&mut stdout, &draft)?;
    Ok(ExitCode::SUCCESS)
}

fn show_pool<U: Units>(out: &mut impl Write, draft: &Draft<U>) -> io::Result<()> {
    let mut free: Vec<usize> = draft.free().collect();
    free.sort_by_key(|&index| {
        std::cmp::Reverse(draft.contestants()[index].gain[Captain::B.index()])
    });
    writeln!(
        out,
        "\n{:>10}  {:>12}  {:>10}",
        "ID", "worth to you", "worth to A"
    )?;
    for index in free {
        let contestant = &draft.contestants()[index];
        let [a, b] = contestant.gain.map(|gain| draft.points(gain).approximate());
        writeln!(out, "{:>10}  {b:>12.3}  {a:>10.3}", contestant.id)?;
    }
    let team = |captain: Captain| match members(draft, captain) {
        members if members.is_empty() => "nobody yet".to_owned(),
        members => members,
    };
    writeln!(
        out,
        "Your team: {}. Team A: {}.",
        team(Captain::B),
        team(Captain::A)
    )
}

fn members<U: Units>(draft: &Draft<U>, captain: Captain) -> String {
    let members: Vec<String> = draft.members(captain).map(|id| id.to_string()).collect();
    members.join(" ")
}

/// Returns the index of the contestant that the person's answer names. Returns an error if the contestant is not free.
fn pick<U: Units>(answer: &str, draft: &Draft<U>) -> Result<usize, String> {
    let problem = match answer.parse().map(|id| draft.find(id)) {
        Err(_) => format!("{answer:?} is not an ID"),
        Ok(None) => format!("{answer} is not in the pool"),
        Ok(Some(index)) => match draft.owner(index) {
            None => return Ok(index),
            Some(Captain::A) => format!("{answer} is in team A"),
            Some(Captain::B) => format!("{answer} is in your team already"),
        },
    };
    Err(format!("{problem}; type one of the IDs listed above."))
}

fn show_result<U: Units>(out: &mut impl Write, draft: &Draft<U>) -> io::Result<()> {
    writeln!(out, "\nBoth teams are complete.")?;
    for (captain, name) in [(Captain::A, "Team A"), (Captain::B, "Your team")] {
        writeln!(
            out,
            "{name:<9}  {}: power {} = {} + diversity {}",
            members(draft, captain),
            draft.points(draft.power(captain)),
            draft.points(draft.strength(captain)),
            draft.points(draft.diversity(captain)),
        )?;
    }
    let advantage = draft.advantage();
    match advantage.cmp(&U::ZERO) {
        Ordering::Equal => writeln!(out, "A draw."),
        Ordering::Greater => writeln!(out, "A wins by {}.", draft.points(advantage)),
        Ordering::Less => writeln!(out, "You win by {}.", draft.points(-advantage)),
    }
}
