//! Simulates a file on a disk. The disk may fill up, fail and recover, and the process that writes the file may die.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_arena::log::Storage;

use crate::bugs::Bug;

/// The failures of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// The maximum size of the file in bytes.
    room: usize,
    /// The number of writes that fail before the disk has room again; `None` if the process dies before that.
    refusals: Option<u32>,
    /// Whether written data cannot be synchronized to the disk.
    fails_to_sync: bool,
}

impl Trouble {
    /// Chooses random failures for a file that would grow to `bytes` bytes without them.
    pub(crate) fn some(random: &mut Xoshiro256PlusPlus, bytes: usize) -> Self {
        Self {
            room: random.random_range(0..=bytes),
            refusals: random.random_bool(0.5).then(|| random.random_range(1..4)),
            fails_to_sync: random.random_bool(0.1),
        }
    }
}

/// A simulated file. All clones share its content and its failures.
#[derive(Debug, Clone)]
pub(crate) struct Disk {
    bug: Option<Bug>,
    shared: Arc<Mutex<Platter>>,
}

#[derive(Debug, Default)]
struct Platter {
    bytes: Vec<u8>,
    read: usize,
    trouble: Option<Trouble>,
    has_refused: bool,
    writes: u32,
}

impl Disk {
    /// Creates an empty file. It has no failures until it is reopened.
    pub(crate) fn new(bug: Option<Bug>) -> Self {
        Self {
            bug,
            shared: Arc::default(),
        }
    }

    fn platter(&self) -> MutexGuard<'_, Platter> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reopens the file. After this call, `trouble` determines its failures.
    pub(crate) fn reopen(&self, trouble: Option<Trouble>) {
        let mut platter = self.platter();
        (platter.read, platter.has_refused, platter.trouble) = (0, false, trouble);
    }

    /// Returns true if the file has refused an operation since it was opened.
    pub(crate) fn has_refused(&self) -> bool {
        self.platter().has_refused
    }

    /// Returns the whole content of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.platter().bytes.clone()
    }

    /// Truncates the file to `end` bytes.
    pub(crate) fn lose(&self, end: usize) {
        self.platter().bytes.truncate(end);
    }
}

impl Platter {
    /// Returns how many of `bytes` further bytes the disk accepts.
    fn room(&mut self, bytes: usize) -> io::Result<usize> {
        let Some(trouble) = &mut self.trouble else {
            return Ok(bytes);
        };
        let room = trouble.room.saturating_sub(self.bytes.len()).min(bytes);
        if room > 0 {
            return Ok(room);
        }
        self.has_refused = true;
        if let Some(refusals) = &mut trouble.refusals {
            *refusals -= 1;
            if *refusals == 0 {
                trouble.room = usize::MAX;
            }
        }
        Err(io::ErrorKind::StorageFull.into())
    }
}

impl Read for Disk {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut platter = self.platter();
        let mut rest = &platter.bytes[platter.read..];
        let length = rest.read(buffer)?;
        platter.read += length;
        Ok(length)
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut platter = self.platter();
        let length = platter.room(bytes.len())?;
        platter.writes += 1;
        // The bugs do not affect the header: without a header, no records could follow the missing ones.
        let kept = match self.bug.filter(|_| platter.writes.is_multiple_of(3)) {
            Some(Bug::Gap) => length / 2,
            Some(Bug::Forgets) => 0,
            _ => length,
        };
        platter.bytes.extend_from_slice(&bytes[..kept]);
        if self.bug == Some(Bug::Again) && platter.writes > 1 {
            platter.bytes.extend_from_slice(&bytes[..kept]);
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Storage for Disk {
    fn cut(&mut self, end: u64) -> io::Result<()> {
        self.lose(end as usize);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut platter = self.platter();
        match platter.trouble {
            Some(trouble) if trouble.fails_to_sync => {
                platter.has_refused = true;
                Err(io::Error::other("the disk has failed"))
            }
            _ => Ok(()),
        }
    }
}
