//! Tests the atomic replacement of files, on a disk that fills up, in a process that dies, and in power failures.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::files::replace_whole;

use crate::bugs::Bug;
use crate::run::Scene;

/// The name of the file, under which all its versions are written.
const NAME: &str = "file";

/// The maximum size of a version in bytes.
const LARGEST: usize = 40_000;

/// The failure that occurs while a version of the file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    /// Nothing fails, and the version is completed.
    None,
    /// The disk is full after this number of bytes.
    Full(usize),
    /// The written data cannot be synchronized to the disk.
    FailsToSync,
    /// The new file cannot be renamed.
    FailsToRename,
    /// The process dies after this number of system calls on its file.
    Dies(u32),
    /// Producing the content fails after this number of bytes.
    Broken(usize),
}

impl Trouble {
    fn some(random: &mut Xoshiro256PlusPlus) -> Self {
        match random.random_range(0..7) {
            0 => Self::Full(random.random_range(0..=LARGEST)),
            1 => Self::FailsToSync,
            2 => Self::FailsToRename,
            3 | 4 => Self::Dies(random.random_range(0..12)),
            5 => Self::Broken(random.random_range(0..=LARGEST)),
            _ => Self::None,
        }
    }
}

/// The content of a file, whose first `durable` bytes survive a power failure.
#[derive(Debug, Default, Clone)]
struct Content {
    bytes: Vec<u8>,
    durable: usize,
}

/// A folder, as other processes see it and as a power failure would leave it.
#[derive(Debug, Default)]
struct Folder {
    contents: Vec<Content>,
    /// For each name in the folder, the index of the file's content.
    names: BTreeMap<String, usize>,
    /// The names that are on disk, followed by each later state of the names, which a power failure may undo.
    durable_names: Vec<BTreeMap<String, usize>>,
}

impl Folder {
    /// Changes the names in the folder atomically.
    fn rename(&mut self, change: impl FnOnce(&mut BTreeMap<String, usize>)) {
        change(&mut self.names);
        self.durable_names.push(self.names.clone());
    }

    /// Returns the content that a reader finds under a name.
    fn read(&self, name: &str) -> Option<&[u8]> {
        Some(&self.contents[*self.names.get(name)?].bytes)
    }

    /// Simulates a power failure.
    ///
    /// The names return to an earlier state, and contents may lose any data that was not synchronized to the disk.
    fn lose_power(&mut self, random: &mut Xoshiro256PlusPlus) {
        if !self.durable_names.is_empty() {
            let at = random.random_range(0..self.durable_names.len());
            self.names = self.durable_names.swap_remove(at);
        }
        self.durable_names = vec![self.names.clone()];
        for content in &mut self.contents {
            let kept = random.random_range(content.durable..=content.bytes.len());
            content.bytes.truncate(kept);
            content.durable = kept;
        }
    }
}

/// A process that writes a version of the file.
#[derive(Clone)]
struct Writer {
    folder: Arc<Mutex<Folder>>,
    trouble: Trouble,
    bug: Option<Bug>,
    /// The number of actions that the process has performed so far, and whether the process is alive.
    done: Arc<Mutex<(u32, bool)>>,
}

/// Returns the error with which all actions of a dead process fail. Only the code of that process sees it.
fn dead() -> io::Error {
    io::Error::other("the process is dead")
}

impl Writer {
    fn folder(&self) -> MutexGuard<'_, Folder> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an action of the process. Returns an error if the process is dead or dies now.
    fn act(&self) -> io::Result<()> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, lives) = &mut *done;
        *lives &= self.trouble != Trouble::Dies(*number);
        *number += 1;
        lives.then_some(()).ok_or_else(dead)
    }

    fn lives(&self) -> bool {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).1
    }
}

/// A new file, which has an unpredictable name until it replaces the old file.
struct New {
    writer: Writer,
    content: usize,
    name: String,
}

impl New {
    fn create(writer: &Writer) -> io::Result<Self> {
        writer.act()?;
        let mut folder = writer.folder();
        folder.contents.push(Content::default());
        let content = folder.contents.len() - 1;
        let name = match writer.bug {
            Some(Bug::InPlace) => NAME.to_owned(),
            _ => format!(".{content}.tmp"),
        };
        folder.rename(|names| {
            names.insert(name.clone(), content);
        });
        drop(folder);
        let writer = writer.clone();
        Ok(Self {
            writer,
            content,
            name,
        })
    }
}

impl Write for New {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.act()?;
        let mut folder = self.writer.folder();
        let there = &mut folder.contents[self.content].bytes;
        let room = match self.writer.trouble {
            Trouble::Full(room) => room.saturating_sub(there.len()),
            _ => bytes.len(),
        };
        if room == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let length = room.min(bytes.len());
        there.extend_from_slice(&bytes[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl New {
    fn sync(&self) -> io::Result<()> {
        self.writer.act()?;
        if self.writer.trouble == Trouble::FailsToSync {
            return Err(io::Error::other("the disk has failed"));
        }
        let mut folder = self.writer.folder();
        let content = &mut folder.contents[self.content];
        if self.writer.bug != Some(Bug::Unsynced) {
            content.durable = content.bytes.len();
        }
        Ok(())
    }

    fn take_place(self) -> io::Result<()> {
        self.writer.act()?;
        if self.writer.trouble == Trouble::FailsToRename {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let (from, content) = (self.name.clone(), self.content);
        self.writer.folder().rename(|names| {
            names.remove(&from);
            names.insert(NAME.to_owned(), content);
        });
        Ok(())
    }
}

impl Drop for New {
    fn drop(&mut self) {
        // A dead process cannot remove its new file.
        if self.writer.act().is_ok() {
            let name = self.name.clone();
            let mut folder = self.writer.folder();
            if folder.names.contains_key(&name) {
                folder.rename(|names| {
                    names.remove(&name);
                });
            }
        }
    }
}

/// Returns the content of a version. No version's content is a part of another version's content.
fn version(number: u64) -> Vec<u8> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(number);
    let length = random.random_range(1..LARGEST);
    let mut bytes = format!("{number} of {length} ").into_bytes();
    bytes.resize_with(length.max(bytes.len()), || random.random());
    bytes
}

/// Writes several versions of a file one after another, and checks which version readers find.
pub(crate) fn play(random: &mut Xoshiro256PlusPlus, scene: &Scene) {
    let folder = Arc::new(Mutex::new(Folder::default()));
    let locked = || folder.lock().unwrap_or_else(PoisonError::into_inner);
    // The version that readers must find in the file, which is the version that they found last.
    let mut there: Option<u64> = None;
    let mut whole: Vec<u64> = Vec::new();
    for number in 0..random.random_range(1..12) {
        let trouble = Trouble::some(random);
        scene.note(format_args!("version {number}: {trouble:?}"));
        let writer = Writer {
            folder: Arc::clone(&folder),
            trouble,
            bug: scene.bug,
            done: Arc::new(Mutex::new((0, true))),
        };
        let piece = random.random_range(1..=LARGEST);
        let bytes = version(number);
        let written = New::create(&writer).and_then(|new| {
            let write = |out: &mut dyn Write| {
                let end = match trouble {
                    Trouble::Broken(end) => end.min(bytes.len()),
                    _ => bytes.len(),
                };
                for part in bytes[..end].chunks(piece) {
                    out.write_all(part)?;
                    // While the new version is written, another process reads the file.
                    if locked().read(NAME).map(<[u8]>::to_vec) != there.map(version) {
                        scene.violated("until a file is whole the old one has its place");
                    }
                }
                match trouble {
                    Trouble::Broken(_) => Err(io::Error::other("no more content")),
                    _ => Ok(()),
                }
            };
            replace_whole(new, write, New::sync, New::take_place)
        });
        whole.push(number);
        let found = locked().read(NAME).map(<[u8]>::to_vec);
        let is_new = found.as_ref() == Some(&bytes);
        if written.is_ok() != is_new && writer.lives() {
            scene.violated(format_args!(
                "a file that was written is there, and no other: {written:?}"
            ));
        }
        if is_new {
            there = Some(number);
        } else if found != there.map(version) {
            scene.violated("a file is the old one or the new one");
        }
        let names = locked().names.len();
        if writer.lives() && names > usize::from(there.is_some()) {
            scene.violated("nothing is left of a file that was not written");
        }
        if !writer.lives() {
            // A new process removes the files that the dead process left behind.
            locked().rename(|names| names.retain(|name, _| name == NAME));
        }
        if random.random_bool(0.3) {
            scene.note("the power fails");
            let mut folder = locked();
            folder.lose_power(random);
            folder.rename(|names| names.retain(|name, _| name == NAME));
            let found = folder.read(NAME).map(<[u8]>::to_vec);
            there = whole
                .iter()
                .copied()
                .rev()
                .find(|&it| found == Some(version(it)));
            if found.is_some() && there.is_none() {
                scene.violated("a file is whole after a loss of power");
                return;
            }
        }
        scene.note(format_args!("there is {there:?}"));
    }
}
