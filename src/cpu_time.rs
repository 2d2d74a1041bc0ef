//! CPU time of this process or of one of its threads: what some tournaments charge instead of wall time.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time, measured from the start of a process or of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuClock {
    /// Of this process, all threads, user and system: what the course's judge measures.
    Process,
    /// Of the calling thread.
    Thread,
}

impl CpuClock {
    /// The CPU time used so far.
    pub fn now(self) -> Duration {
        let time = clock_gettime(match self {
            CpuClock::Process => ClockId::ProcessCPUTime,
            CpuClock::Thread => ClockId::ThreadCPUTime,
        });
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
    }
}
