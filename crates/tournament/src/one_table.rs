//! Runs a match in which more than two players sit at one table. The match is run as a tournament with one round, from
//! which nobody is withdrawn, so that the code for tournaments also draws, logs, resumes and ranks it.

use turnwise_arena::records::Settings;
use turnwise_engine::fields::Fields;
use turnwise_ranking::pairing::Format;

use crate::class_file::{Chosen, Class, ClassError, Isolate, check_tables, value};
use crate::held::{Heading, Held};

/// Returns a match at one table as a tournament. In `settings`, the number of pairs is the number of rotations. `what`
/// is the name of the option that asked for one table; error messages use it.
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
        tie_break: Vec::new(),
        heading: Heading::default(),
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

/// Returns a logged match at one table as a tournament; `settings` is the header of the log. Returns `None` for a log
/// of anything else.
pub fn of_log(settings: &Settings) -> Option<Class> {
    let held: Held = settings.tournament.as_ref()?.read().ok()?;
    let class = one_table("the log", settings.clone()).ok()?;
    (class.held == held).then_some(class)
}
