//! Searches one position with several threads. Each thread searches the whole position, but visits the outcomes of
//! chance events in a different order. The threads find each other's results in the common table ("lazy SMP" in chess
//! programs).

use std::num::NonZeroUsize;
use std::thread;

use super::deepening::{self, search_with};
use super::node::ThreadIndex;
use super::table::Table;
use super::{Control, Found, Limits};
use crate::game::Game;

/// Runs [`deepening::search`] on `threads` threads, including the calling thread. The limits apply to each thread. The
/// result, including the number of nodes, is that of the calling thread.
///
/// With one thread, identical limits on depth and nodes give identical results. With more threads, results can differ
/// from run to run, but the value of a solved position is always exact.
///
/// # Panics
///
/// Panics if no player is to move, or if a thread panicked.
pub fn search<G>(
    game: &mut G,
    table: &mut Table<G::Move>,
    limits: Limits,
    control: &Control<G::Move>,
    threads: NonZeroUsize,
) -> Found<G::Move>
where
    G: Game + Clone + Send,
{
    if threads == NonZeroUsize::MIN {
        return deepening::search(game, table, limits, control);
    }
    table.next_age();
    let table = table.share();
    let index = |number| ThreadIndex {
        number,
        of: threads.get(),
    };
    let helping = Control::new();
    thread::scope(|scope| {
        // Stops the helping threads even if this thread panics. Otherwise the scope would wait for them forever.
        let stop = StopWhenDropped(&helping);
        let helpers = (1..threads.get()).map_while(|number| {
            let (mut game, table, helping) = (game.clone(), &table, &helping);
            let search = move || search_with(&mut game, table, limits, helping, index(number));
            // If the system cannot start all threads, the search works with fewer.
            let thread = thread::Builder::new().name(format!("search {number}"));
            thread.spawn_scoped(scope, search).ok()
        });
        let helpers: Vec<_> = helpers.collect();
        let found = search_with(game, &table, limits, control, index(0));
        drop(stop);
        for helper in helpers {
            helper.join().expect("a helping thread panicked");
        }
        found
    })
}

struct StopWhenDropped<'a, M: Copy>(&'a Control<M>);

impl<M: Copy> Drop for StopWhenDropped<'_, M> {
    fn drop(&mut self) {
        self.0.stop();
    }
}
