//! Detects the end of a child before the child is reaped, while its number cannot belong to another process.

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

    /// A descriptor that becomes readable when the child ends.
    pub(in super::super) struct Ending(OwnedFd);

    impl Ending {
        /// Creates the descriptor of a child that nobody has reaped.
        pub fn of(child: Pid) -> io::Result<Self> {
            Ok(Self(pidfd_open(child, PidfdFlags::empty())?))
        }

        /// Returns true if the child ends within this time.
        pub fn has_come_within(&self, limit: Duration) -> bool {
            let limit = Timespec::try_from(limit).ok();
            let ready = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], limit.as_ref());
            // A signal to this process, such as the first Ctrl-C, does not mean that the child has ended.
            !matches!(ready, Ok(0) | Err(Errno::INTR))
        }
    }
}

/// For systems without descriptors of processes.
#[cfg(any(not(target_os = "linux"), test))]
mod looking {
    use std::thread;
    use std::time::Instant;

    use rustix::process::{WaitId, WaitIdOptions, waitid};

    use super::{Duration, Pid, io};

    /// The interval between checks of the child.
    const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

    /// A child that is checked at intervals.
    pub(in super::super) struct Ending(Pid);

    impl Ending {
        /// Creates the watch for a child that nobody has reaped.
        pub fn of(child: Pid) -> io::Result<Self> {
            Ok(Self(child))
        }

        /// Returns true if the child ends within this time.
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

    /// The end is invisible while the child reads, and visible once its input has ended, however often the
    /// test checks; the child's status remains.
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
