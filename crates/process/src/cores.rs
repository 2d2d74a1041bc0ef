//! How long the cores have been busy, which tells a program that is slow from one whose core others have.

use std::time::Duration;

/// How long the cores that the calling thread may use have been busy, whatever has used them.
///
/// The part of that time which a program has not used itself is what others took of its cores: other programs, the
/// system, and on a virtual machine other virtual machines. How long the program's own threads have waited for a core
/// does not enter: sixty of them wait for each other, and could make any delay look like one that others cause.
///
/// But a program that sleeps does not want what others take. Others have kept it from computing for no longer than its
/// threads have waited; that is a limit of what others took, never a reason by itself. Threads that are gone cannot be
/// asked. Among equals a program gets a core for about as long as each of those that run, so what may be added is at
/// most as many times its own CPU time as there are runnable threads, and a turn of each before it first ran. The
/// system prefers some groups of programs to others, so that may be too little for threads that can be asked.
///
/// A thread on the same core that sleeps, wakes up and measures how late it is would see less: what it waits for is
/// the program itself as often as others, and the system lets a thread that mostly sleeps run early. It would also
/// have to run all the time.
///
/// Two errors remain. Linux reports these times in steps of 10 ms, so only sums over several measurements mean
/// something at that scale, and a single difference may be negative. And where it samples at its clock tick who has a
/// core, a program that sleeps except at the ticks seems to leave the core to others. What depends on this must
/// therefore gain a program no more than another try.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoreTime {
    busy: Duration,
    cores: u32,
    /// Threads of the machine that had a core or waited for one, the calling one included; more than there were if it
    /// has a low priority, so that each of them gets more than it does.
    runnable: f64,
}

/// How long a thread may keep a core while another one waits for it, in seconds.
const TURN: f64 = 0.003;

impl CoreTime {
    /// Reads it; none where the system does not tell, which only Linux does.
    pub fn now() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            let usable = rustix::thread::sched_getaffinity(None).ok()?;
            let stat = std::fs::read_to_string("/proc/stat").ok()?;
            let per_second = rustix::param::clock_ticks_per_second();
            let mut time = Self::of(&stat, per_second, |core| usable.is_set(core))?;
            // The system gives a thread of the next lower priority 1.25 times less.
            let nice = rustix::process::getpriority_process(None).unwrap_or_default();
            time.runnable *= 1.25_f64.powi(nice.max(0));
            Some(time)
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// The same from the text of `/proc/stat`; see proc_stat(5).
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
            // The line of all cores has no number.
            let Some(core) = words.next().filter(|_| !line.starts_with(' ')) else {
                continue;
            };
            if !is_usable(core.parse().ok()?) {
                continue;
            }
            cores += 1;
            for (place, word) in words.take(8).enumerate() {
                let spent: u64 = word.parse().ok()?;
                // 3 is idle, 4 is idle while something waits for a disk.
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

    /// Seconds for which others have kept a program from computing since an earlier reading by the same thread, on the
    /// average of its cores; `own` is the CPU time that the program has used meanwhile, `waited` how long its threads
    /// have waited for a core, asked for only if it matters. May be a little below zero.
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

    /// True if a program may have to wait for a core.
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
        // Time of guests is in the first number.
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

    /// What others took of ten seconds in which the cores were busy for so long and so many threads were runnable at
    /// the end, of a program whose threads waited for so long together.
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
        // Sixty threads that were busy all the time, on one core or two, have left nothing to others.
        assert_eq!(others(10, 1, 61, 10.0, 590), 0.0);
        assert_eq!(others(20, 2, 61, 20.0, 580), 0.0);
        // On an idle core, whatever it does, nobody kept it from computing.
        for own in [0.0, 0.01, 5.0] {
            assert!(others(own as u64, 1, 61, own, 590) <= 0.0, "{own}");
        }
    }

    #[test]
    fn whoever_waits_in_a_line_is_kept_by_those_in_it() {
        assert_eq!(others(10, 1, 5, 2.0, 0), 8.0);
        assert_eq!(others(20, 2, 5, 4.0, 0), 8.0);
        assert_eq!(others(10, 1, 41, 0.25, 0), 9.75);
        // In a group that the others are preferred to.
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
        // Not shorter than the error of many ticks.
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
