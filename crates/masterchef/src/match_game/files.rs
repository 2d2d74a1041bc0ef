//! Writes and reads the assignment's files for external programs that play either captain.
//!
//! `protocol/masterchef.md` specifies these files.

use std::fmt::Write;

use turnwise_engine::outside::Files;
use turnwise_engine::player::{Failure, FaultKind, Turn};

use super::table::Position;
use crate::rules::{Captain, TEAM_SIZE};

/// The maximum number of bytes to read of a program's answer. An ID with its line end has at most eleven bytes.
pub(super) const LARGEST_OUTPUT: usize = 64;

/// The assignment's files as the format in which programs receive positions and answer with picks.
pub(super) struct MasterChefFiles;

impl Files<Position, u32> for MasterChefFiles {
    fn input(&self, turn: &Turn<Position, u32>) -> String {
        input(turn.position)
    }

    fn answer(&self, output: &[u8], _position: &Position) -> Result<u32, Failure> {
        parse(output).ok_or_else(|| {
            let got = String::from_utf8_lossy(&output[..output.len().min(LARGEST_OUTPUT)]);
            let reason = format!("output.txt: expected an ID on one line, got {got:?}");
            Failure::new(FaultKind::Garbage, reason)
        })
    }
}

/// Reads a program's answer: an ID with an optional line feed.
fn parse(output: &[u8]) -> Option<u32> {
    let line = output.strip_suffix(b"\n").unwrap_or(output);
    let is_number = !line.is_empty() && line.iter().all(u8::is_ascii_digit);
    let digits = std::str::from_utf8(line).ok().filter(|_| is_number);
    digits?.parse().ok()
}

/// Returns the input file for the captain to move, in which this captain is the file's first captain.
///
/// The format allows only even numbers of picks, because the program that reads a file always picks first. When Bob
/// must pick, A has made one more pick, so the file gives Bob a worthless additional contestant. Before his last pick,
/// this contestant would complete his team. So the file then omits A's newest member instead.
fn input(position: &Position) -> String {
    let draft = &position.draft;
    let us = position.captain();
    let is_odd = draft.picks_left() % 2 == 1;
    let is_last = draft.team(us).count() + 1 == TEAM_SIZE;
    let left_out = position.newest.filter(|_| is_odd && is_last);
    let [ours, theirs] = [us, us.other()].map(Captain::index);
    let mut lines: Vec<String> = (position.pool.iter().enumerate())
        .filter(|&(index, _)| left_out != Some(index))
        .map(|(index, one)| {
            let mut seen = *one;
            seen.happiness = [one.happiness[ours], one.happiness[theirs]];
            let state = match draft.owner(index) {
                None => 0,
                Some(captain) if captain == us => 1,
                Some(_) => 2,
            };
            format!("{seen},{state}")
        })
        .collect();
    if is_odd && !is_last {
        let id = stand_in(position, us);
        lines.push(format!("{id},0.000000,0.000000,0.000000,1"));
    }
    let mut text = format!("{}\nab\n", lines.len());
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Returns an unused ID for the worthless additional contestant of team `us`.
///
/// The last digit of the ID obstructs the team's bonus as little as possible. Among the digits that the team lacks, it
/// is the digit whose best free contestant adds least to the team.
fn stand_in(position: &Position, us: Captain) -> u32 {
    let draft = &position.draft;
    let has = |index: usize, digit: usize| draft.contestants()[index].digit() == digit;
    let best_of = |digit: usize| {
        let free = draft.free().filter(|&index| has(index, digit));
        free.map(|index| draft.contestants()[index].gain[us.index()])
            .max()
    };
    let digit = (0..10)
        .filter(|&digit| !draft.team(us).any(|index| has(index, digit)))
        .min_by_key(|&digit| best_of(digit))
        .expect("a team has fewer members than there are digits");
    (0..=99_990)
        .rev()
        .step_by(10)
        .map(|tens| tens + digit as u32)
        .find(|&id| draft.find(id).is_none())
        .expect("a pool has fewer contestants of a digit than there are IDs")
}

#[cfg(test)]
mod tests {
    use turnwise_engine::table::Table;

    use super::super::table::{MasterChefTable, Settings};
    use super::*;
    use crate::input::{Pool, parse as read};
    use crate::pools::Family;
    use crate::rules::{Contestant, Draft};

    fn drafted(seed: u64, picks: usize) -> Position {
        let settings = Settings {
            family: Family::ALL[seed as usize % 5],
            pool: 11 + seed as u32 % 20,
        };
        let mut table = MasterChefTable::new(&settings, seed);
        for number in 0..picks {
            let moves = table.legal_moves();
            table.play(moves[(seed as usize * 7 + number * 3) % moves.len()]);
        }
        table.position().clone()
    }

    /// Returns the draft that a program sees in its input file.
    fn shown(position: &Position) -> Draft {
        match read(input(position).as_bytes())
            .expect("the assignment's format")
            .pool
        {
            Pool::Usual(draft) => draft,
            other => panic!("{other:?}"),
        }
    }

    /// Lists the contestants of `owner`, or the free ones if `owner` is `None`, with their gains for both captains.
    ///
    /// The gain for the captain `first` comes first.
    fn listed(draft: &Draft, owner: Option<Captain>, first: Captain) -> Vec<(u32, [String; 2])> {
        let all = draft.contestants().iter().enumerate();
        all.filter(|&(index, _)| draft.owner(index) == owner)
            .map(|(_, &Contestant { id, gain })| {
                let gains = [first, first.other()].map(|captain| gain[captain.index()]);
                (id, gains.map(|gain| draft.points(gain).to_string()))
            })
            .collect()
    }

    #[test]
    fn the_first_captain_reads_the_draft_as_it_is() {
        for seed in 0..40 {
            for picks in [0, 2, 4, 6, 8] {
                let position = drafted(seed, picks);
                let shown = shown(&position);
                for owner in [None, Some(Captain::A), Some(Captain::B)] {
                    assert_eq!(
                        listed(&shown, owner, Captain::A),
                        listed(&position.draft, owner, Captain::A)
                    );
                }
            }
        }
    }

    #[test]
    fn the_second_captain_reads_it_from_its_own_side_with_one_line_that_is_not_true() {
        for seed in 0..40 {
            for picks in [1, 3, 5, 7, 9] {
                let position = drafted(seed, picks);
                let shown = shown(&position);
                let of = |owner| listed(&shown, owner, Captain::A);
                let true_of = |owner| listed(&position.draft, owner, Captain::B);
                assert_eq!(of(None), true_of(None), "all who are free, and nobody else");
                let (mut ours, mut theirs) = (of(Some(Captain::A)), true_of(Some(Captain::A)));
                assert_eq!(
                    ours.len(),
                    of(Some(Captain::B)).len(),
                    "an even number of picks"
                );
                if picks < 9 {
                    let nobody = ["0", "0"].map(str::to_owned);
                    let at = ours.iter().position(|(id, gain)| {
                        position.draft.find(*id).is_none() && *gain == nobody
                    });
                    ours.remove(at.expect("a stand-in"));
                } else {
                    let newest = position.id(position.newest.expect("a pick"));
                    theirs.retain(|(id, _)| *id != newest);
                }
                assert_eq!(ours, true_of(Some(Captain::B)));
                assert_eq!(of(Some(Captain::B)), theirs);
            }
        }
    }

    #[test]
    fn the_stand_in_takes_no_digit_of_the_own_team() {
        for seed in 0..40 {
            for picks in [1, 3, 5, 7] {
                let position = drafted(seed, picks);
                let digits = position.draft.digits(Captain::B);
                let digits = digits.map(|digits| digits.count_ones() + 1);
                let shown = shown(&position).digits(Captain::A);
                assert_eq!(shown.map(u16::count_ones), digits);
            }
        }
    }

    #[test]
    fn an_answer_is_an_id_on_a_line() {
        for (text, id) in [("64504\n", 64504), ("64504", 64504), ("0\n", 0)] {
            assert_eq!(parse(text.as_bytes()), Some(id), "{text:?}");
        }
        for text in [
            "",
            "\n",
            "64504\r\n",
            " 64504\n",
            "64504\n\n",
            "+64504",
            "-1",
            "64504 1",
            "x",
            "99999999999",
            "6450\u{664}",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(parse(b"\xff\n"), None);
    }
}
