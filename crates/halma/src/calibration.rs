//! The file `calibration.txt`: measurements made on the user's machine before the games.
//!
//! ```text
//! turnwise-halma-calibration 2 nodes_per_second N start_s X late_s Y
//! ```
//!
//! On a machine much slower than usual, the start of a process and the work of a search between two checks of its clock
//! use up the last milliseconds of a clock. The calibration measures both, so that the time manager can reserve enough.
//! The speed determines the useful size of the transposition table.

use std::time::Duration;

use turnwise_engine::agent::Agent;
use turnwise_engine::cpu_time::{CpuClock, CpuDeadlines};
use turnwise_engine::search::{Control, Limits};

use crate::rules::{Color, Position, Rules};
use crate::search_agent::{SearchAgent, table_bytes};

/// The beginning of the file up to the version. The names and values follow.
const HEADER: &str = "turnwise-halma-calibration 2";

/// The CPU time of the search that measures the speed.
const LONG_SEARCH: Duration = Duration::from_secs(1);

/// The time limits of the searches that measure how late a search ends, in milliseconds.
const SHORT_SEARCHES: [u64; 6] = [0, 1, 2, 5, 10, 20];

/// The measurements of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// The number of nodes that a search visits per second.
    pub nodes_per_second: f64,
    /// The CPU time that a process takes to start, before it reads its first file.
    pub start: Duration,
    /// The maximum time that a search takes beyond its hard limit.
    pub late: Duration,
}

/// Typical values, for a machine without a calibration.
impl Default for Calibration {
    fn default() -> Self {
        Self {
            nodes_per_second: 500_000.0,
            start: Duration::from_millis(1),
            late: Duration::from_millis(1),
        }
    }
}

impl Calibration {
    /// Measures this machine by searching the start position, first with short limits, then for one second.
    ///
    /// `start` is the CPU time that the process has used before this call.
    pub fn measure(start: Duration) -> Self {
        let position = Position::start(Color::Black, Rules::Addendum);
        let usual = Self::default();
        let searched = |limit: Duration| {
            let before = CpuClock::Process.now();
            let limits = Limits {
                cpu: Some(CpuDeadlines::after(CpuClock::Process, (limit, limit))),
                ..Limits::default()
            };
            let mut agent = SearchAgent::new(usual.table_bytes(limit));
            let found = agent.think(&position, limits, &Control::new());
            (found.nodes, CpuClock::Process.now() - before)
        };
        let late = SHORT_SEARCHES.map(|limit| {
            let limit = Duration::from_millis(limit);
            searched(limit).1.saturating_sub(limit)
        });
        let (nodes, used) = searched(LONG_SEARCH);
        Self {
            nodes_per_second: nodes as f64 / used.as_secs_f64(),
            start,
            late: late.into_iter().max().unwrap_or_default(),
        }
    }

    /// Formats the measurements as the content of `calibration.txt`.
    pub fn to_text(&self) -> String {
        format!(
            "{HEADER} nodes_per_second {:.0} start_s {:.6} late_s {:.6}\n",
            self.nodes_per_second,
            self.start.as_secs_f64(),
            self.late.as_secs_f64()
        )
    }

    /// Parses the content of `calibration.txt`.
    ///
    /// Returns `None` if another program or version wrote it, or if it contains impossible values.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.strip_prefix(HEADER)?;
        let mut words = text.split_ascii_whitespace();
        let mut value = |name: &str| -> Option<f64> {
            let value = (words.next()? == name).then(|| words.next())??;
            value.parse().ok()
        };
        let speed = value("nodes_per_second").filter(|speed| (1_000.0..1e9).contains(speed))?;
        let mut time = |name: &str| {
            let seconds = value(name).filter(|seconds| (0.0..1.0).contains(seconds))?;
            Some(Duration::from_secs_f64(seconds))
        };
        let (start, late) = (time("start_s")?, time("late_s")?);
        words.next().is_none().then_some(Self {
            nodes_per_second: speed,
            start,
            late,
        })
    }

    /// Returns the table size in bytes for a search that takes at most the time `hard`.
    pub fn table_bytes(&self, hard: Duration) -> usize {
        table_bytes((self.nodes_per_second * hard.as_secs_f64()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search_agent::LARGEST_TABLE;

    #[test]
    fn it_reads_back_and_what_cannot_be_is_refused() {
        let measured = Calibration {
            nodes_per_second: 123_456.0,
            start: Duration::from_micros(1_234),
            late: Duration::from_micros(56),
        };
        let text = measured.to_text();
        assert_eq!(
            text,
            "turnwise-halma-calibration 2 nodes_per_second 123456 start_s 0.001234 late_s 0.000056\n"
        );
        assert_eq!(Calibration::parse(text.as_bytes()), Some(measured));
        for (part, instead) in [
            (" 2 ", " 1 "),
            ("123456", "NaN"),
            ("123456", "12"),
            ("0.001234", "-1"),
            ("0.000056", "inf"),
            ("late_s", "late"),
            ("0.000056\n", ""),
            ("\n", " more\n"),
            ("turnwise", "\u{fffd}"),
        ] {
            let text = text.replace(part, instead);
            assert_eq!(Calibration::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn tables_grow_with_speed_and_time_between_their_bounds() {
        let usual = Calibration::default();
        let bytes = |millis| usual.table_bytes(Duration::from_millis(millis));
        assert_eq!(bytes(0), 65_536);
        assert_eq!(bytes(100), 5_000_000);
        assert_eq!(bytes(100_000), LARGEST_TABLE);
    }
}
