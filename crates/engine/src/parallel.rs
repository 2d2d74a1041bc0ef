//! Runs numbered jobs on several threads.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Runs `count` jobs, numbered from 0, on `threads` threads. Each thread creates a state with `worker` and passes the
/// state to all jobs that it runs. Returns the results in the order of the job numbers. Once a job returns
/// [`ControlFlow::Break`], no further job starts, and only the results of the other jobs are returned.
///
/// # Panics
///
/// If a job panics.
pub fn map<W, T: Send>(
    count: u64,
    threads: usize,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, u64) -> ControlFlow<(), T> + Sync,
) -> Vec<T> {
    let next = AtomicU64::new(0);
    let run = || {
        let mut worker = worker();
        let mut results = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return results;
            }
            match work(&mut worker, number) {
                ControlFlow::Continue(result) => results.push((number, result)),
                ControlFlow::Break(()) => {
                    // This leaves no job numbers for the other threads.
                    next.store(count, Ordering::Relaxed);
                    return results;
                }
            }
        }
    };
    let mut results: Vec<(u64, T)> = thread::scope(|scope| {
        // This thread is also a worker, so the work proceeds even if the system starts no other thread.
        let start = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let threads: Vec<_> = (1..threads).map_while(start).collect();
        let mut all = run();
        for thread in threads {
            let results = thread.join();
            all.extend(results.unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        for threads in [0, 1, 3, 64] {
            let squares = map(
                50,
                threads,
                || (),
                |(), number| ControlFlow::Continue(number * number),
            );
            assert_eq!(
                squares,
                (0..50).map(|number| number * number).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn a_piece_that_breaks_off_is_the_last_to_begin_on_its_thread() {
        let begun = AtomicU64::new(0);
        let results = map(
            1 << 40,
            4,
            || (),
            |(), number| {
                begun.fetch_add(1, Ordering::Relaxed);
                match number {
                    100.. => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(number),
                }
            },
        );
        assert_eq!(results, (0..100).collect::<Vec<_>>());
        assert!(begun.into_inner() <= 104);
    }
}
