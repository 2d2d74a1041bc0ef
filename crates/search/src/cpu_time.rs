//! Times that the system measures for this process: CPU time, which some tournaments charge instead of wall time; the
//! time that a thread has waited for a core; and the age of the process.

use std::time::Duration;

use crate::instant::Instant;

#[cfg(unix)]
use rustix::time::{ClockId, clock_gettime};

/// A clock that measures the CPU time used so far by this process or by the calling thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuClock {
    /// The user and system time of the whole process with all its threads. Judges that count CPU time measure it.
    Process,
    /// The CPU time of the calling thread only.
    Thread,
}

impl CpuClock {
    /// Returns the CPU time on this clock so far.
    #[cfg(unix)]
    pub fn now(self) -> Duration {
        let time = clock_gettime(match self {
            CpuClock::Process => ClockId::ProcessCPUTime,
            CpuClock::Thread => ClockId::ThreadCPUTime,
        });
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
    }

    /// Returns the wall time since the first call, because this system does not report CPU time. It is an upper bound
    /// on the CPU time used since then.
    #[cfg(not(unix))]
    pub fn now(self) -> Duration {
        use std::sync::OnceLock;

        static FIRST: OnceLock<Instant> = OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed()
    }
}

/// Returns how long the calling thread has waited in total for a core while it was ready to run. Returns zero if the
/// system does not report this time.
#[cfg(target_os = "linux")]
pub fn queued() -> Duration {
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    thread_local! {
        // The file stays open, so that reading it again takes only a microsecond or two.
        static STATISTICS: Option<File> = File::open("/proc/thread-self/schedstat").ok();
    }
    let mut text = [0; 80];
    let read = STATISTICS.with(|file| file.as_ref()?.read_at(&mut text, 0).ok());
    let text = std::str::from_utf8(&text[..read.unwrap_or(0)]);
    queued_in(text.unwrap_or_default())
}

/// Returns zero, because only Linux reports how long a thread has waited for a core.
#[cfg(not(target_os = "linux"))]
pub fn queued() -> Duration {
    Duration::ZERO
}

/// Returns the time that a thread has waited for a core, from the text of the `schedstat` file of this thread. The file
/// exists only on Linux (see "Scheduler Statistics" in the kernel's documentation). It contains the time on a core and
/// the time waiting, both in nanoseconds, and the number of time slices. A wait in progress is not included. Returns
/// zero if the numbers are missing.
pub fn queued_in(schedstat: &str) -> Duration {
    let waited = schedstat
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse().ok());
    Duration::from_nanos(waited.unwrap_or(0))
}

/// The deadlines of a search, as readings of a CPU clock. If the clock measures a single thread, this must be the
/// searching thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuDeadlines {
    /// The CPU clock on which the two deadlines are measured.
    pub clock: CpuClock,
    /// The soft deadline. From this reading on, the search starts no new work.
    pub soft: Duration,
    /// The hard deadline. At this reading, the search is aborted.
    pub hard: Duration,
}

impl CpuDeadlines {
    /// Returns deadlines on a CPU clock: its current reading plus the given soft and hard time limits.
    pub fn after(clock: CpuClock, (soft, hard): (Duration, Duration)) -> Self {
        let now = clock.now();
        Self {
            clock,
            soft: now + soft,
            hard: now + hard,
        }
    }
}

/// Returns how long ago this process started, to a hundredth of a second. Returns `None` if the system does not report
/// this. Linux reports it in `/proc`; see proc_pid_stat(5), field 22.
#[cfg(target_os = "linux")]
fn process_age() -> Option<Duration> {
    use rustix::param::clock_ticks_per_second;

    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in brackets, which may contain any character.
    let fields = stat.rsplit_once(')')?.1;
    let ticks: u64 = fields.split_ascii_whitespace().nth(19)?.parse().ok()?;
    let started = Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64);
    let now = clock_gettime(ClockId::Boottime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32).checked_sub(started)
}

#[cfg(not(target_os = "linux"))]
fn process_age() -> Option<Duration> {
    None
}

/// Returns the instant at which this process started; the current instant if the system does not report it.
pub fn process_start() -> Instant {
    let now = Instant::now();
    process_age()
        .and_then(|age| now.checked_sub(age))
        .unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_time_in_the_queue() {
        let waited = Duration::from_nanos(1_500_000_007);
        assert_eq!(queued_in("77 1500000007 3\n"), waited);
        for odd in [
            "",
            "77",
            "77 ",
            "a b c",
            "77 -1 3",
            "77 18446744073709551616 3",
        ] {
            assert_eq!(queued_in(odd), Duration::ZERO, "{odd:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn time_in_the_queue_is_what_linux_tells_of_this_thread() {
        let told = || std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells");
        for _ in 0..100 {
            let least = queued_in(&told());
            let seen = queued();
            assert!((least..=queued_in(&told())).contains(&seen));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_as_old_as_it_seems() {
        let seen = Instant::now();
        let young = process_age().expect("Linux tells");
        std::thread::sleep(Duration::from_millis(30));
        let old = process_age().expect("Linux tells");
        assert!(young >= CpuClock::Process.now() / 64);
        assert!(old - young >= Duration::from_millis(20));
        assert!(old - young <= seen.elapsed() + Duration::from_millis(20));
    }
}
