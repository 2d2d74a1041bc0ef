//! How much of a result was luck: what chance decided against what it could have decided.

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::Match;

/// Judges what chance brought in all games of a match, so many games at a time, and calls `judged` after
/// each. False if chance decides nothing in this game.
pub fn judge(of: &mut Match, jobs: usize, judged: &(dyn Fn() + Sync)) -> bool {
    let settings = &of.header.game;
    if settings.0.luck_judge().is_none() {
        return false;
    }
    let waiting = Mutex::new(of.games.iter_mut());
    let next = || (waiting.lock().unwrap_or_else(PoisonError::into_inner)).next();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let Some(mut judge) = settings.0.luck_judge() else {
                    return;
                };
                while let Some(game) = next() {
                    let record = &game.record;
                    let fault = record.fault.as_ref();
                    let at_fault = fault.and_then(|it| settings.about().side(&it.role));
                    game.luck = judge.luck(&record.result.fields, &record.moves, at_fault);
                    judged();
                }
            });
        }
    });
    true
}
