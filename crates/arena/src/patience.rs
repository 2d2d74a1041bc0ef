//! Decides how long to wait for a program. The time for which other processes use the program's core does not count.

use std::time::Duration;

use turnwise_engine::player::FaultKind;
use turnwise_process::cores::CoreTime;
use turnwise_process::{Process, Turn};

/// How long to wait before the first measurement.
///
/// If the answer comes sooner, nothing is measured, because other processes cannot have delayed it much.
pub(crate) const UNMEASURED: Duration = Duration::from_millis(2);

/// The maximum wait for a program whose core other processes use, as a multiple of the time limit.
const MOST_TIMES: u32 = 10;

/// The minimum wait between measurements.
///
/// A measurement after a shorter wait might show no change, because the system counts the cores' time in steps of
/// 10 ms.
const LEAST_WAIT: Duration = Duration::from_millis(20);

/// Measures, during the wait for one answer of a program, how much other processes use the program's core.
pub(crate) struct Patience {
    limit: Duration,
    /// The time for which the cores had been busy when the wait began.
    cores: Option<CoreTime>,
    /// The time for which the program's threads had waited for a core when the wait began.
    ///
    /// It is measured only if other processes might use the core.
    waited: Duration,
}

impl Patience {
    /// Begins to measure. Call this a moment after the question was sent, usually after [`UNMEASURED`].
    ///
    /// The calling thread must be the thread that started the program, because they share their cores.
    pub fn new(limit: Duration, process: &Process) -> Self {
        let cores = CoreTime::now();
        let is_crowded = cores.is_some_and(CoreTime::is_crowded);
        Self {
            limit,
            cores,
            waited: match is_crowded {
                true => process.waited(),
                false => Default::default(),
            },
        }
    }

    /// Returns how long to wait until the next check, or the fault if the program has taken too long.
    pub fn wait(&self, process: &mut Process, turn: &Turn) -> Result<Duration, FaultKind> {
        // `elapsed` leaves out the time for which the arena itself was stopped.
        let wall = turn.elapsed();
        if wall < self.limit {
            return Ok(self.limit - wall);
        }
        let cpu = process.cpu_in(turn);
        wait(self.limit, wall, self.others(wall, cpu, process))
    }

    /// Returns the number of seconds for which other processes used the program's core, for
    /// [`Answer::others`](turnwise_engine::player::Answer::others).
    pub fn others(&self, wall: Duration, cpu: Option<Duration>, process: &Process) -> Option<f64> {
        let waited = || process.waited().saturating_sub(self.waited);
        let others = CoreTime::now()?.others_since(self.cores?, cpu?, waited);
        Some(others.min(wall.as_secs_f64()))
    }
}

/// Returns how long to wait until the next check, or the fault if the program has taken too long.
///
/// `others` is the number of seconds for which other processes have used the program's core.
fn wait(limit: Duration, wall: Duration, others: Option<f64>) -> Result<Duration, FaultKind> {
    let others = Duration::try_from_secs_f64(others.unwrap_or_default()).unwrap_or_default();
    let left = limit.saturating_sub(wall.saturating_sub(others));
    if left.is_zero() {
        return Err(FaultKind::Silence);
    }
    match wall < limit * MOST_TIMES {
        true => Ok(left.max(LEAST_WAIT)),
        false => Err(FaultKind::Busy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(2);

    fn after(wall: f64, others: Option<f64>) -> Result<Duration, FaultKind> {
        wait(LIMIT, Duration::from_secs_f64(wall), others)
    }

    #[test]
    fn only_time_that_others_had_prolongs_the_waiting() {
        for others in [None, Some(-0.01), Some(0.0)] {
            assert_eq!(after(2.0, others), Err(FaultKind::Silence), "{others:?}");
        }
        assert_eq!(after(2.0, Some(1.5)), Ok(Duration::from_millis(1500)));
        assert_eq!(after(9.0, Some(8.9)), Ok(Duration::from_millis(1900)));
        assert_eq!(after(2.0, Some(0.001)), Ok(LEAST_WAIT));
        assert_eq!(after(12.0, Some(9.9)), Err(FaultKind::Silence));
    }

    #[test]
    fn whoever_gets_next_to_no_core_for_long_is_not_at_fault() {
        assert_eq!(after(20.0, Some(19.9)), Err(FaultKind::Busy));
        assert_eq!(after(19.9, Some(19.8)), Ok(Duration::from_millis(1900)));
    }
}
