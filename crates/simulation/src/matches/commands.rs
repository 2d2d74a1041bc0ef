//! Simulates the commands of a match that read and write files, without processes and folders. A command runs at once,
//! and reports a simulated duration.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_arena::command::{OpenWorkplace, Workplace};
use turnwise_daemon::world::seed_of_now;
use turnwise_engine::player::FaultKind;
use turnwise_halma::files::{output, position};
use turnwise_halma::rules::{Position, Rules};
use turnwise_process::Ended;
use turnwise_process::progress::Progress;
use turnwise_protocol::halma::Input;

use super::called;
use crate::bugs::Bug;

/// The name of the file that a command reads. This and the following names come from the students' assignment.
const INPUT: &str = "input.txt";
const OUTPUT: &str = "output.txt";
const MEMORY: &str = "playdata.txt";

/// The time between two checks of a running command is multiplied by this number after each check.
const BETWEEN_LOOKS: u32 = 2;

/// The behavior of a simulated command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// It plays legally, and uses a tenth of the remaining CPU time for each move.
    Steady,
    /// It plays legally, but other processes keep it from running for a long time.
    Starved,
    /// It exits with an error.
    Crash,
    /// It sleeps and never exits.
    Hang,
    /// It computes forever.
    Compute,
    /// It exits without an answer.
    Silent,
    /// It writes half of a move.
    Half,
    /// It writes a long text that is not a move.
    Flood,
    /// It creates a folder instead of an answer file.
    Folder,
    /// It exceeds its CPU time.
    Late,
    /// It writes a move that leads off the board.
    Illegal,
}

impl Manner {
    pub(super) const ALL: [Self; 11] = [
        Self::Steady,
        Self::Starved,
        Self::Crash,
        Self::Hang,
        Self::Compute,
        Self::Silent,
        Self::Half,
        Self::Flood,
        Self::Folder,
        Self::Late,
        Self::Illegal,
    ];

    /// Returns true if a command with this manner may commit this fault.
    pub(super) fn is_to_blame_for(self, fault: FaultKind) -> bool {
        match self {
            Self::Steady | Self::Starved => false,
            Self::Crash => fault == FaultKind::Crash,
            Self::Hang | Self::Silent => fault == FaultKind::Silence,
            Self::Compute | Self::Late => fault == FaultKind::Overtime,
            Self::Half | Self::Flood | Self::Folder => fault == FaultKind::Garbage,
            Self::Illegal => fault == FaultKind::Illegal,
        }
    }

    /// Returns the CPU time of a move, and how long the command runs; `None` if it never exits.
    ///
    /// `left` is the remaining CPU time; the command may be killed after `last`.
    fn takes(self, left: Duration, last: Duration) -> (Duration, Option<Duration>) {
        let usual = left / 10;
        match self {
            Self::Starved => (usual, Some(last * 20)),
            Self::Hang => (Duration::ZERO, None),
            Self::Compute => (Duration::MAX, None),
            Self::Late => (left, Some(left)),
            Self::Steady
            | Self::Crash
            | Self::Silent
            | Self::Half
            | Self::Flood
            | Self::Folder
            | Self::Illegal => (usual, Some(usual * 2)),
        }
    }
}

/// An entry of a simulated folder.
enum Entry {
    File(Vec<u8>),
    Folder,
}

/// The number of further files for which the disk of all commands has room.
///
/// After the disk has refused one file, it has room again.
#[derive(Clone, Default)]
pub(super) struct Room(Arc<Mutex<Shortage>>);

#[derive(Default)]
struct Shortage {
    files_left: Option<u32>,
    has_refused: bool,
}

impl Room {
    fn shortage(&self) -> MutexGuard<'_, Shortage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Limits the number of further files; `None` removes the limit.
    pub(super) fn limit(&self, files_left: Option<u32>) {
        *self.shortage() = Shortage {
            files_left,
            has_refused: false,
        };
    }

    /// Returns true if a file was refused since the last call of [`Room::limit`].
    pub(super) fn has_refused(&self) -> bool {
        self.shortage().has_refused
    }

    /// Uses the room for one file, or returns an error if the disk has none.
    fn take(&self) -> io::Result<()> {
        let mut shortage = self.shortage();
        match shortage.files_left {
            Some(0) => {
                *shortage = Shortage {
                    files_left: None,
                    has_refused: true,
                };
                Err(io::ErrorKind::StorageFull.into())
            }
            Some(files) => {
                shortage.files_left = Some(files - 1);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// Returns the function that opens a match's workplaces. They share the room on the disk, and have the planted bug.
pub(super) fn places(room: &Room, bug: Option<Bug>) -> OpenWorkplace {
    let room = room.clone();
    Box::new(move |_isolation| {
        Ok(Box::new(Place {
            room: room.clone(),
            bug,
            entries: BTreeMap::new(),
        }))
    })
}

/// A folder in memory, and the command that runs in it.
struct Place {
    room: Room,
    bug: Option<Bug>,
    entries: BTreeMap<String, Entry>,
}

/// The arguments of a command.
///
/// From move number `at` of each game, the command behaves as `manner` says. `seed` determines its random moves.
struct Command {
    manner: Manner,
    at: u32,
    seed: u64,
}

impl Command {
    fn read(words: &[String]) -> Option<Self> {
        let [_program, manner, at, seed] = words else {
            return None;
        };
        Some(Self {
            manner: called(manner, Manner::ALL)?,
            at: at.parse().ok()?,
            seed: seed.parse().ok()?,
        })
    }
}

impl Place {
    fn text(&self, name: &str) -> Option<&str> {
        match self.entries.get(name)? {
            Entry::File(bytes) => std::str::from_utf8(bytes).ok(),
            Entry::Folder => None,
        }
    }

    /// Chooses a random move. Returns the number of the move, its text, and the command's remaining time.
    ///
    /// Returns `None` if a file is unreadable or belongs to another game.
    fn decide(&mut self, seed: u64) -> Option<(u32, String, Duration)> {
        let input: Input = Input::parse(self.text(INPUT)?.as_bytes()).ok()?;
        let position = position(&input, Rules::Addendum);
        let moves_before: u32 = match self.text(MEMORY) {
            Some(kept) => kept.parse().ok()?,
            None => 0,
        };
        let start = Position::start(position.to_move(), Rules::Addendum);
        let us = position.to_move();
        let is_first = position.pieces(us) == start.pieces(us);
        if is_first != (moves_before == 0) {
            return None;
        }
        let number = moves_before + 1;
        let kept = Entry::File(number.to_string().into_bytes());
        self.entries.insert(MEMORY.to_owned(), kept);
        let seed = match self.bug {
            Some(Bug::Drift) => seed_of_now(),
            _ => seed.wrapping_add(u64::from(number)),
        };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let moves = position.moves();
        let mv = moves[random.random_range(0..moves.len())];
        let text = output(&position, mv)?.to_string();
        Some((number, text, Duration::from_secs_f64(input.seconds)))
    }
}

impl Workplace for Place {
    fn remove(&mut self, name: &str) -> io::Result<()> {
        if self.bug != Some(Bug::Stale) {
            self.entries.remove(name);
        }
        Ok(())
    }

    fn write(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let written = self.room.take();
        let kept = match written {
            Ok(()) => content,
            Err(_) => &content[..content.len() / 2],
        };
        let entry = Entry::File(kept.to_vec());
        self.entries.insert(name.to_owned(), entry);
        written
    }

    fn read(&mut self, name: &str, largest: usize) -> Result<Option<Vec<u8>>, String> {
        match self.entries.get(name) {
            None => Ok(None),
            Some(Entry::Folder) => Err("expected a regular file, got a folder".to_owned()),
            Some(Entry::File(bytes)) => {
                let read = bytes.len().min(largest + 1);
                Ok(Some(bytes[..read].to_vec()))
            }
        }
    }

    fn run(
        &mut self,
        words: &[String],
        patience: Duration,
        is_enough: &dyn Fn(&Progress) -> bool,
    ) -> io::Result<Ended> {
        let command = Command::read(words).ok_or(io::ErrorKind::NotFound)?;
        let decided = self.decide(command.seed);
        let (manner, left, said) = match decided {
            Some((number, text, left)) if number >= command.at => (command.manner, left, text),
            Some((_, text, left)) => (Manner::Steady, left, text),
            None => (Manner::Crash, patience, String::new()),
        };
        let manner = match (manner, self.bug) {
            (Manner::Steady, Some(Bug::Slow)) => Manner::Late,
            (manner, _) => manner,
        };
        let said = match manner {
            Manner::Crash | Manner::Hang | Manner::Compute | Manner::Silent => None,
            Manner::Half => Some(Entry::File(b"E 0,".to_vec())),
            Manner::Flood => Some(Entry::File(b"good morning\n".repeat(5000))),
            Manner::Folder => Some(Entry::Folder),
            Manner::Illegal => Some(Entry::File(b"E 8,8 8,9\n".to_vec())),
            Manner::Steady | Manner::Starved | Manner::Late => Some(Entry::File(said.into_bytes())),
        };
        let (cpu, takes) = manner.takes(left, patience);
        let progress_at = |wall: Duration| {
            let cpu = match manner {
                // Other processes use the core until the end, so the command gets no CPU time before.
                Manner::Starved => Duration::ZERO,
                _ => cpu.min(wall),
            };
            Progress {
                wall,
                cpu,
                others: match manner {
                    Manner::Starved => wall,
                    _ => Duration::ZERO,
                },
            }
        };
        let mut looked = patience;
        while takes.is_none_or(|takes| looked < takes) {
            let progress = progress_at(looked);
            if is_enough(&progress) {
                return Ok(Ended {
                    // The exit status of a process that SIGKILL has killed.
                    status: ExitStatus::from_raw(9),
                    cpu: progress.cpu,
                    wall: looked,
                    others: None,
                    killed_at: Some(progress),
                });
            }
            looked *= BETWEEN_LOOKS;
        }
        if let Some(said) = said {
            self.entries.insert(OUTPUT.to_owned(), said);
        }
        let code = i32::from(manner == Manner::Crash);
        Ok(Ended {
            status: ExitStatus::from_raw(code << 8),
            cpu,
            wall: takes.unwrap_or(looked),
            others: None,
            killed_at: None,
        })
    }

    fn last_lines(&mut self) -> Vec<String> {
        Vec::new()
    }
}
