//! Several threads that search one position. Each thread searches the whole position, visits chance outcomes in a
//! different order, and finds the other threads' results in the common table ("lazy SMP" in chess programs).

use std::num::NonZeroUsize;
use std::thread;

use super::deepening::{self, search_with};
use super::node::ThreadIndex;
use super::table::Table;
use super::{Control, Found, Limits};
use crate::game::Game;

/// Runs [`deepening::search`] on `threads` threads, including this one. The limits apply to each thread; the answer
/// and the node count are from this thread.
///
/// With one thread, identical limits of depth and nodes give identical answers. With more threads they need not,
/// but a solved result is always exact.
///
/// # Panics
///
/// If no player is to move, or a thread panicked.
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
        // Also stops the helpers if this thread panics: the scope waits for them.
        let stop = StopWhenDropped(&helping);
        let helpers = (1..threads.get()).map_while(|number| {
            let (mut game, table, helping) = (game.clone(), &table, &helping);
            let search = move || search_with(&mut game, table, limits, helping, index(number));
            // The search works with fewer threads if the machine cannot start more.
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
