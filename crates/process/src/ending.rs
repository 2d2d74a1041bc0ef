//! The end of a child, seen while its status is still there to be waited for, so that its number cannot
//! have become another's.

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
        /// Of a child that nobody has waited for.
        pub fn of(child: Pid) -> io::Result<Self> {
            Ok(Self(pidfd_open(child, PidfdFlags::empty())?))
        }

        /// Waits so long for the end at most.
        pub fn has_come_within(&self, limit: Duration) -> bool {
            let limit = Timespec::try_from(limit).ok();
            let ready = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], limit.as_ref());
            // A signal to this process, such as the first Ctrl-C, says nothing about the child.
            !matches!(ready, Ok(0) | Err(Errno::INTR))
        }
    }
}

/// For systems whose processes have no descriptors.
#[cfg(any(not(target_os = "linux"), test))]
mod looking {
    use std::thread;
    use std::time::Instant;

    use rustix::process::{WaitId, WaitIdOptions, waitid};

    use super::{Duration, Pid, io};

    /// How often the child is looked at.
    const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

    /// A child that is looked at now and then.
    pub(in super::super) struct Ending(Pid);

    impl Ending {
        /// Of a child that nobody has waited for.
        pub fn of(child: Pid) -> io::Result<Self> {
            Ok(Self(child))
        }

        /// Waits so long for the end at most.
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

    /// The end is not seen while the child reads, is seen when its input ends, however often one looks,
    /// and its status is still there.
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
