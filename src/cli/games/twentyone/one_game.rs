//! Plays a single game at one table, as the course's server does.

use std::path::Path;
use std::process::ExitCode;

use super::field::Participant;
use super::{conclude, in_words};
use crate::console::interrupt::Interrupt;
use crate::console::say;
use turnwise_engine::words::printable;
use turnwise_twentyone::game::Game;
use turnwise_twentyone::log::GameLog;
use turnwise_twentyone::player::{Fault, Player, PlayerId};
use turnwise_twentyone::record::{Observer, RoundRecord, TurnRecord};
use turnwise_twentyone::rules::Settings;

/// Plays a game between these players. Shows which players are eliminated, and the result. Ctrl-C ends the game after
/// the current round.
pub fn run(
    settings: &Settings,
    field: &[Participant],
    seed: u64,
    log: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let names = field.iter().map(|it| it.name.clone()).collect();
    let mut players: Vec<Box<dyn Player>> = field.iter().map(Participant::seat).collect();
    let mut game = Game::new(settings.clone(), players.len(), seed)?;
    say!("{}", in_words(settings));
    let mut told = Told(GameLog::new(settings.clone(), names, seed));
    while !game.is_over() && !interrupt.is_requested() {
        game.play_round(&mut players, &mut told);
    }
    conclude(&game, &mut told.0, log)?;
    Ok(interrupt.exit_code())
}

/// Records the events of a game, and shows which players are eliminated.
struct Told(GameLog);

impl Observer for Told {
    fn turn(&mut self, turn: &TurnRecord) {
        self.0.turn(turn);
    }

    fn round(&mut self, round: &RoundRecord) {
        self.0.round(round);
    }

    fn fault(&mut self, round: u32, player: PlayerId, fault: &Fault) {
        self.0.fault(round, player, fault);
        let name = printable(&self.0.players[player as usize]);
        let why = printable(&fault.to_string());
        say!("{name} is out in round {round}: {why}");
    }
}
