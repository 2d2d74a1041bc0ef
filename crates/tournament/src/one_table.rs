//! A match of more than two players at one table, run as a tournament: one round at tables, in which nobody is
//! withdrawn. The tournament code draws, logs, resumes and ranks it.

use turnwise_arena::records::Settings;
use turnwise_engine::fields::Fields;
use turnwise_ranking::pairing::Format;

use crate::class_file::{Chosen, Class, ClassError, Isolate, check_tables, value};
use crate::held::Held;

/// Returns the match with these settings, whose `pairs` are the rotations; `what` names the request.
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
        // A match isolates programs only at the user's request, and reports the walls in force.
        isolate: Isolate::BestEffort,
    })
}

/// Returns the match of a log with this header, if the log is of one table.
pub fn of_log(settings: &Settings) -> Option<Class> {
    let held: Held = settings.tournament.as_ref()?.read().ok()?;
    let class = one_table("the log", settings.clone()).ok()?;
    (class.held == held).then_some(class)
}
