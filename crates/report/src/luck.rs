//! How much of a result was luck: what chance decided against what it could have decided.

use std::ops::ControlFlow;

use turnwise_arena::records::{GameRecord, GameSettings};
use turnwise_engine::parallel;

use super::Match;

/// Judges what chance brought in all games of a match, so many games at a time, and calls `judged` after
/// each. False if chance decides nothing in this game.
pub fn judge(of: &mut Match, jobs: usize, judged: &(dyn Fn() + Sync)) -> bool {
    let settings = &of.header.game;
    if settings.0.luck_judge().is_none() {
        return false;
    }
    let games = &of.games;
    let worker = || settings.0.luck_judge();
    let luck = parallel::map(games.len() as u64, jobs, worker, |judge, number| {
        let record = &games[number as usize].record;
        let at_fault = at_fault(settings, record);
        let judge = judge.as_mut();
        let luck =
            judge.and_then(|judge| judge.luck(&record.result.fields, &record.moves, at_fault));
        judged();
        ControlFlow::Continue(luck)
    });
    for (game, luck) in of.games.iter_mut().zip(luck) {
        game.luck = luck;
    }
    true
}

/// The side whose fault ended a game, if one's did.
pub fn at_fault(settings: &GameSettings, record: &GameRecord) -> Option<usize> {
    let fault = record.fault.as_ref()?;
    settings.about().side(&fault.role)
}
