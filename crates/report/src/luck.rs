//! Computes how much of a result was luck, by comparing each random event with all events that could have happened
//! instead.

use std::ops::ControlFlow;

use turnwise_arena::records::{GameRecord, GameSettings};
use turnwise_engine::parallel;

use super::Match;
use super::logs::Game;

/// Computes the luck in all games of a match, `jobs` games at a time.
///
/// Calls `proceed` before each game, and stops once it returns a break; the luck of the remaining games stays unknown.
/// Returns false if the game involves no chance.
pub fn judge(of: &mut Match, jobs: usize, proceed: &(dyn Fn() -> ControlFlow<()> + Sync)) -> bool {
    let settings = &of.header.game;
    if settings.0.luck_judge().is_none() {
        return false;
    }
    let games: Vec<&Game> = of.whole_games().collect();
    let worker = || settings.0.luck_judge();
    let luck = parallel::map(games.len() as u64, jobs, worker, |judge, number| {
        proceed()?;
        let record = &games[number as usize].record;
        let at_fault = at_fault(settings, record);
        let judge = judge.as_mut();
        let luck =
            judge.and_then(|judge| judge.luck(&record.result.fields, &record.moves, at_fault));
        ControlFlow::Continue((number as usize, luck))
    });
    of.set_luck(luck);
    true
}

/// Returns the side whose fault ended a game; `None` if the game did not end because of a fault.
pub fn at_fault(settings: &GameSettings, record: &GameRecord) -> Option<usize> {
    let fault = record.fault.as_ref()?;
    settings.about().side(&fault.role)
}
