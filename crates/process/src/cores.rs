//! Measures how long the cores have been busy, to distinguish a slow program from a busy machine.

use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use super::tree_clock::TreeClock;

/// The total time for which the cores that the calling thread may use have been busy, for any reason.
///
/// Busy time that a program itself has not used was used by others: other programs, the system, or other virtual
/// machines on the host. The time for which the program's own threads have waited for a core does not count as a delay
/// by others: a program with sixty threads, which wait for each other, could otherwise blame others for any delay.
///
/// However, a program that sleeps is not delayed by others that use the core meanwhile. Others cannot have delayed a
/// program for longer than its threads have waited for a core. Their wait is therefore an upper bound on the delay, but
/// does not prove a delay. The wait of threads that have ended can no longer be measured. It is estimated from the
/// fact that threads with equal priority get about equally long turns on a core: the bound for ended threads is the
/// program's own CPU time times the number of runnable threads, plus one turn of each thread before the program first
/// ran. Because the system prefers some groups of programs, this bound may be too low, so the measured wait of living
/// threads counts if it is longer.
///
/// An alternative is a probe: a thread on the program's core that sleeps, wakes up and measures its delay. It would
/// measure less: it waits for the program as often as for others, and the system is quick to run a thread that mostly
/// sleeps. The probe would also have to run all the time.
///
/// Two errors remain. Linux reports these times in steps of 10 ms. A single difference may therefore be negative, and
/// for short times only sums over several measurements are meaningful. Where Linux samples the running thread at the
/// clock tick, a program that sleeps only at the ticks seems to leave the core to others. The most that a program may
/// gain from this measurement is therefore another attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoreTime {
    busy: Duration,
    cores: u32,
    /// The number of threads on the machine that were running or were waiting for a core.
    ///
    /// The calling thread counts too. The number is scaled up if the calling thread has a low priority, because each
    /// other thread then gets more time.
    runnable: f64,
}

/// Measures how many cores other programs use.
///
/// The programs that this process has started do not count.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub struct Others {
    #[cfg(target_os = "linux")]
    own: TreeClock,
    before: Option<(Instant, Duration)>,
}

impl Default for Others {
    fn default() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            own: TreeClock::of(rustix::process::getpid(), true),
            before: None,
        }
    }
}

impl Others {
    /// Returns the average number of cores that others have used since the previous call, or `None` at the first call
    /// and on systems other than Linux.
    ///
    /// Only the cores that the calling thread may use count.
    pub fn cores(&mut self) -> Option<f64> {
        #[cfg(target_os = "linux")]
        {
            let busy = CoreTime::now()?.busy.saturating_sub(self.own.cpu()?);
            let (since, before) = self.before.replace((Instant::now(), busy))?;
            Some(busy.saturating_sub(before).as_secs_f64() / since.elapsed().as_secs_f64())
        }
        #[cfg(not(target_os = "linux"))]
        None
    }
}

/// How long a thread may keep a core while another thread waits for the core, in seconds.
const TURN: f64 = 0.003;

impl CoreTime {
    /// Reads the current times. Returns `None` on systems other than Linux, which do not report these times.
    pub fn now() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            let usable = rustix::thread::sched_getaffinity(None).ok()?;
            let stat = std::fs::read_to_string("/proc/stat").ok()?;
            let per_second = rustix::param::clock_ticks_per_second();
            let mut time = Self::of(&stat, per_second, |core| usable.is_set(core))?;
            // Each step to a lower priority divides a thread's share of the time by 1.25.
            let nice = rustix::process::getpriority_process(None).unwrap_or_default();
            time.runnable *= 1.25_f64.powi(nice.max(0));
            Some(time)
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Parses the text of `/proc/stat`; see proc_stat(5).
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    fn of(stat: &str, ticks_per_second: u64, is_usable: impl Fn(usize) -> bool) -> Option<Self> {
        let (mut ticks, mut cores, mut runnable) = (0, 0, 1.0);
        for line in stat.lines() {
            if let Some(number) = line.strip_prefix("procs_running ") {
                runnable = number.trim().parse().ok()?;
            }
            let Some(line) = line.strip_prefix("cpu") else {
                continue;
            };
            let mut words = line.split_ascii_whitespace();
            // The line for all cores together has no core number, and is skipped.
            let Some(core) = words.next().filter(|_| !line.starts_with(' ')) else {
                continue;
            };
            if !is_usable(core.parse().ok()?) {
                continue;
            }
            cores += 1;
            for (place, word) in words.take(8).enumerate() {
                let spent: u64 = word.parse().ok()?;
                // Field 3 is idle time, and field 4 is idle time during disk I/O. Neither counts as busy.
                if ![3, 4].contains(&place) {
                    ticks += spent;
                }
            }
        }
        let busy = Duration::from_secs_f64(ticks as f64 / ticks_per_second as f64);
        (cores > 0).then_some(Self {
            busy,
            cores,
            runnable,
        })
    }

    /// Returns the number of seconds for which others have delayed a program since an earlier reading.
    ///
    /// The calling thread must also have taken the earlier reading. The result is an average over the program's cores,
    /// and may be slightly below zero. `own` is the CPU time that the program has used since then. `waited` returns how
    /// long the program's threads have waited for a core; it is called only if the result depends on it.
    pub fn others_since(
        self,
        earlier: Self,
        own: Duration,
        waited: impl FnOnce() -> Duration,
    ) -> f64 {
        let own = own.as_secs_f64();
        let busy = self.busy.saturating_sub(earlier.busy).as_secs_f64();
        let taken = (busy - own) / f64::from(self.cores);
        let in_line = self.runnable.max(earlier.runnable) * (own + TURN);
        match taken <= in_line {
            true => taken,
            false => taken.min(waited().as_secs_f64().max(in_line)),
        }
    }

    /// Returns true if more threads are runnable than there are cores, so that a program may have to wait for a core.
    pub fn is_crowded(self) -> bool {
        self.runnable > f64::from(self.cores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  100 0 50 500 50 0 2 8 0 0\n\
                        cpu0 40 1 20 300 7 2 1 3 11 13\n\
                        cpu12 60 0 30 200 43 0 1 5 0 0\n\
                        intr 557441 0 0\n\
                        procs_running 7\n";

    #[test]
    fn idle_time_and_other_cores_do_not_count() {
        let of = |cores: &[usize]| CoreTime::of(STAT, 100, |core| cores.contains(&core));
        let busy = |millis, cores| {
            Some(CoreTime {
                busy: Duration::from_millis(millis),
                cores,
                runnable: 7.0,
            })
        };
        // The first number of a line already includes the time of virtual machines, which must not count twice.
        assert_eq!(of(&[0]), busy(670, 1));
        assert_eq!(of(&[0, 12]), busy(1630, 2));
        assert_eq!(of(&[13]), None);
        for odd in [
            "",
            "cpu  1 2 3",
            "cpu0 1 x",
            "cpux 1",
            "cpu",
            "cpu0 1\nprocs_running x",
        ] {
            let read = CoreTime::of(odd, 100, |_| true);
            assert_eq!(read, None, "{odd:?}");
        }
    }

    /// Returns the number of seconds, in a period of ten seconds, for which others have delayed a program.
    ///
    /// The cores were busy for `busy` seconds, and `runnable` threads were runnable at the end. The program used `own`
    /// seconds of CPU time, and its threads waited for a core for a total of `waited` seconds.
    fn others(busy: u64, cores: u32, runnable: u32, own: f64, waited: u64) -> f64 {
        let at = |busy, runnable| CoreTime {
            busy: Duration::from_secs(busy),
            cores,
            runnable: f64::from(runnable),
        };
        let waited = || Duration::from_secs(waited);
        at(100 + busy, runnable).others_since(at(100, 1), Duration::from_secs_f64(own), waited)
    }

    #[test]
    fn a_programs_own_time_is_nobody_elses() {
        // If a program's sixty threads are busy all the time, on one core or two, others have not delayed the program.
        assert_eq!(others(10, 1, 61, 10.0, 590), 0.0);
        assert_eq!(others(20, 2, 61, 20.0, 580), 0.0);
        // On a core that nobody else uses, others do not delay the program, whether it computes or sleeps.
        for own in [0.0, 0.01, 5.0] {
            assert!(others(own as u64, 1, 61, own, 590) <= 0.0, "{own}");
        }
    }

    #[test]
    fn whoever_waits_in_a_line_is_kept_by_those_in_it() {
        assert_eq!(others(10, 1, 5, 2.0, 0), 8.0);
        assert_eq!(others(20, 2, 5, 4.0, 0), 8.0);
        assert_eq!(others(10, 1, 41, 0.25, 0), 9.75);
        // If the system prefers the group of the other threads, the measured wait counts.
        assert_eq!(others(10, 1, 41, 0.0, 10), 10.0);
        assert_eq!(others(10, 1, 41, 0.0, 8), 8.0);
    }

    #[test]
    fn whoever_sleeps_while_others_compute_is_not_kept_by_them() {
        assert!(others(10, 1, 3, 0.0, 0) < 0.01);
        assert!(others(10, 1, 41, 0.0, 0) < 0.2);
        assert!(others(10, 1, 9, 0.002, 0) < 0.1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn whoever_computes_makes_the_core_busy() {
        use turnwise_engine::cpu_time::CpuClock;

        crate::pin_to_core(0);
        let before = CoreTime::now().expect("Linux tells");
        let began = CpuClock::Thread.now();
        // Compute until an error of many clock ticks does not matter.
        let worked = loop {
            let worked = CpuClock::Thread.now() - began;
            if worked >= Duration::from_millis(500) {
                break worked;
            }
        };
        let now = CoreTime::now().expect("Linux tells");
        assert!(now.others_since(before, worked, || Duration::ZERO) > -0.1);
        assert!(now.busy - before.busy > Duration::from_millis(400));
    }
}
