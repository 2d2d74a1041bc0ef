//! How long a program is waited for: the time for which others have its core does not count.

use std::time::Duration;

use turnwise_engine::player::FaultKind;
use turnwise_process::cores::CoreTime;
use turnwise_process::{Process, Turn};

/// An answer that comes earlier costs no measurement, and nothing that others do delays it much.
pub(crate) const UNMEASURED: Duration = Duration::from_millis(2);

/// A program whose core others have is waited for at most so many times as long as any other.
const MOST_TIMES: u32 = 10;

/// After such waiting there may be news: the cores' times come in steps of 10 ms.
const LEAST_WAIT: Duration = Duration::from_millis(20);

/// Waiting for one answer of a program.
pub(crate) struct Patience {
    limit: Duration,
    /// How long the cores had been busy when this was made.
    cores: Option<CoreTime>,
    /// How long the program's threads had waited for a core then, if others might have it.
    waited: Duration,
}

impl Patience {
    /// Waiting that has begun a moment ago, [`UNMEASURED`] as a rule. Called by the thread that started the program,
    /// whose cores are the program's.
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

    /// How long to wait before this is asked again, or as what fault to end the waiting.
    pub fn wait(&self, process: &mut Process, turn: &Turn) -> Result<Duration, FaultKind> {
        // The time in which the arena itself was stopped does not count.
        let wall = turn.elapsed();
        if wall < self.limit {
            return Ok(self.limit - wall);
        }
        let cpu = process.cpu_in(turn);
        wait(self.limit, wall, self.others(wall, cpu, process))
    }

    /// As in [`Answer::others`](turnwise_engine::player::Answer::others).
    pub fn others(&self, wall: Duration, cpu: Option<Duration>, process: &Process) -> Option<f64> {
        let waited = || process.waited().saturating_sub(self.waited);
        let others = CoreTime::now()?.others_since(self.cores?, cpu?, waited);
        Some(others.min(wall.as_secs_f64()))
    }
}

/// The same when `others` have had the program's core for so many seconds.
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
