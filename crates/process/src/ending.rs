//! Detects that a child has exited before it is reaped. Until then, no other process can have its process ID.

use std::io;
use std::time::Duration;

use rustix::process::Pid;

#[cfg(not(target_os = "linux"))]
pub(super) use looking::Ending;
#[cfg(target_os = "linux")]
pub(super) use waiting::Ending;

#[cfg(target_os = "linux")]
mod waiting {
    use std::os::fd::OwnedFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::process::{PidfdFlags, pidfd_open};

    use super::{Duration, Pid, io};

    /// A file descriptor that becomes readable when the child exits.
    pub(in super::super) struct Ending(OwnedFd);

    impl Ending {
        /// Creates the file descriptor for a child that has not been reaped yet.
        pub fn of(child: Pid) -> io::Result<Self> {
            Ok(Self(pidfd_open(child, PidfdFlags::empty())?))
        }

        /// Returns true if the child exits within the time `limit`, or has already exited.
        pub fn has_come_within(&self, limit: Duration) -> bool {
            let limit = Timespec::try_from(limit).ok();
            let ready = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], limit.as_ref());
            // A signal to this process, for example the first Ctrl-C, does not mean that the child has exited.
            !matches!(ready, Ok(0) | Err(Errno::INTR))
        }
    }
}

/// The implementation for systems that have no file descriptors for processes.
#[cfg(any(not(target_os = "linux"), test))]
mod looking {
    use std::thread;
    use std::time::Instant;

    use rustix::process::{WaitId, WaitIdOptions, waitid};

    use super::{Duration, Pid, io};

    /// How long to wait between two checks whether the child has exited.
    const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

    /// A child that is checked at intervals.
    pub(in super::super) struct Ending(Pid);

    impl Ending {
        /// Creates the watch for a child that has not been reaped yet.
        pub fn of(child: Pid) -> io::Result<Self> {
            Ok(Self(child))
        }

        /// Returns true if the child exits within the time `limit`, or has already exited.
        pub fn has_come_within(&self, limit: Duration) -> bool {
            let begun = Instant::now();
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            loop {
                if !matches!(waitid(WaitId::Pid(self.0), look), Ok(None)) {
                    return true;
                }
                if begun.elapsed() >= limit {
                    return false;
                }
                thread::sleep(BETWEEN_LOOKS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// Creates a test for an implementation of `Ending`.
    ///
    /// While the child reads its input, no exit is reported. Once the input has ended, the exit is reported at every
    /// check, and the child's exit status can still be read.
    macro_rules! sees_the_end {
        ($name:ident, $ending:ty) => {
            #[test]
            fn $name() {
                let mut child = Command::new("sh")
                    .args(["-c", "read line; exit 7"])
                    .stdin(Stdio::piped())
                    .spawn()
                    .expect("there is a shell");
                let ending = <$ending>::of(Pid::from_child(&child)).expect("it can be seen");
                assert!(!ending.has_come_within(Duration::from_millis(5)));
                drop(child.stdin.take());
                for _ in 0..2 {
                    assert!(ending.has_come_within(Duration::from_secs(60)));
                }
                assert_eq!(child.wait().expect("it has ended").code(), Some(7));
            }
        };
    }

    sees_the_end!(a_child_is_seen_to_end, Ending);
    sees_the_end!(a_child_is_seen_to_end_by_looking, looking::Ending);
}
