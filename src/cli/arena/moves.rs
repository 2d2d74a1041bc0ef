//! Prints the games of a match, move by move, while they are played.

use std::sync::{Mutex, PoisonError};

use turnwise_arena::records::{MoveRecord, Settings};
use turnwise_arena::referee::Event;
use turnwise_engine::plugin::{AnyState, Beginning};

use crate::cli::replay::{fault_lines, result};
use crate::console::terminal::has_colours;

/// Formats the events of games that are played one after another.
pub(in crate::cli) struct Moves {
    settings: Settings,
    shows_boards: bool,
    /// The game in progress, if boards are shown.
    open: Mutex<Option<Box<dyn AnyState>>>,
}

impl Moves {
    /// Creates the formatter for a match. If `shows_boards` is true, the text of a move ends with the board after it.
    pub fn of(settings: &Settings, shows_boards: bool) -> Self {
        Self {
            settings: settings.clone(),
            shows_boards,
            open: Mutex::new(None),
        }
    }

    /// Formats an event.
    pub fn text(&self, event: Event) -> String {
        let game = &self.settings.game;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut text, moves) = match event {
            Event::Begun {
                pair,
                players,
                begins,
                opening,
                ..
            } => {
                let begins = game.roles()[begins];
                let beginning = Beginning::Seed {
                    seed: pair.seed,
                    meetings: pair.pairs_before,
                };
                if self.shows_boards {
                    *open = game.0.open(beginning).ok();
                }
                let roles = players.iter().zip(game.roles());
                let mut text: String = roles
                    .map(|(name, role)| format!("{name} is {role}, "))
                    .collect();
                text += &format!("{begins} begins\n");
                if !opening.is_empty() {
                    text += &format!("opening: {}\n", opening.join("; "));
                }
                (text, opening)
            }
            Event::Moved(record) => (self.moved(record), std::slice::from_ref(&record.mv)),
            // This event occurs only at tables with more than two players.
            Event::PutOut { .. } => return String::new(),
            Event::Over(over) => {
                let fault = over.fault.as_ref();
                let fault = fault.map(|fault| fault_lines(fault, game.about()));
                return fault.unwrap_or_default() + &result(over) + "\n";
            }
        };
        if let Some(open) = open.as_mut() {
            for mv in moves {
                // This never fails, because the referee has accepted the move.
                let _moved = open.follow(mv);
            }
            text += &(open.drawing(has_colours(&std::io::stdout())) + "\n");
        }
        text
    }

    fn moved(&self, record: &MoveRecord) -> String {
        let used = record.charged_ms(self.settings.counts);
        let used = used.unwrap_or_default() / 1000.0;
        let left = record.clock_left_s.unwrap_or_default() - used;
        format!(
            "{:>3}. {} ({}) {}, {used:.3} s, {left:.3} s left\n",
            record.ply,
            record.agent,
            self.settings.game.about().role(&record.role),
            record.mv,
        )
    }
}
