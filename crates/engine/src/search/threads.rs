//! Several threads at one position: each searches it all, in another order of chance's outcomes, and
//! finds in the common table what the others have done already ("lazy SMP" in the words of chess
//! programs).

use std::num::NonZeroUsize;
use std::thread;

use super::deepening::{self, search_with};
use super::node::ThreadIndex;
use super::table::Table;
use super::{Control, Found, Limits};
use crate::game::Game;

/// [`deepening::search`] with so many threads, this one included. The limits hold for each of them;
/// the answer and the nodes are this thread's.
///
/// With one thread the same limits of depth and nodes give the same answer; with more they need not,
/// but what is called solved is exact all the same.
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
        // Also if this thread panics: the others are waited for.
        let stop = StopWhenDropped(&helping);
        let helpers = (1..threads.get()).map_while(|number| {
            let (mut game, table, helping) = (game.clone(), &table, &helping);
            let search = move || search_with(&mut game, table, limits, helping, index(number));
            // A machine that gives no more threads is no reason not to answer.
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
