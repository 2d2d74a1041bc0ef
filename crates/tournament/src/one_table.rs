//! Runs a match of more than two players at one table as a tournament with one round, from which nobody is withdrawn.
//! This way, the code for tournaments also draws, logs, resumes and ranks the match.

use turnwise_arena::records::Settings;
use turnwise_engine::fields::Fields;
use turnwise_ranking::pairing::Format;

use crate::class_file::{Chosen, Class, ClassError, Isolate, check_tables, value};
use crate::held::Held;

/// Returns the tournament for a match with these settings, whose `pairs` is the number of rotations. `what` names the
/// option that asked for one table, for error messages.
///
/// # Errors
///
/// Returns an error if the agents cannot all sit at one table, or cannot play with the settings.
pub fn one_table(what: &str, settings: Settings) -> Result<Class, ClassError> {
    let (agents, seats) = (settings.agents.len(), settings.game.0.seats());
    check_tables(what, &settings.game, agents, settings.opening_plies)?;
    if agents > seats {
        let expected = format!("at most {seats}, a seat for each");
        return Err(value("participants", expected, agents.to_string()));
    }
    let held = Held {
        format: Format::Tables { rounds: 1 },
        pairs: settings.pairs,
        faults: u32::MAX,
    };
    let settings = Settings {
        tournament: Some(Fields::of(&held)),
        ..settings
    };
    settings.check()?;
    Ok(Class {
        settings,
        held,
        chosen: Chosen::default(),
        builds: Vec::new(),
        guests: Vec::new(),
        // Unlike a tournament, a match isolates programs only if the user asks for it, and then reports which kinds of
        // isolation this machine supports.
        isolate: Isolate::BestEffort,
    })
}

/// Returns the tournament for the match of a log with this header; `None` if it is not a match at one table.
pub fn of_log(settings: &Settings) -> Option<Class> {
    let held: Held = settings.tournament.as_ref()?.read().ok()?;
    let class = one_table("the log", settings.clone()).ok()?;
    (class.held == held).then_some(class)
}
