//! A match of more than two, who all sit at one table: a tournament of one round at tables, from which nobody is
//! sent away. So it is drawn, logged, gone on with and ranked as tournaments are.

use turnwise_arena::records::Settings;
use turnwise_engine::fields::Fields;
use turnwise_ranking::pairing::Format;

use crate::class_file::{Chosen, Class, ClassError, Isolate, check_tables, value};
use crate::held::Held;

/// The match by these settings; their `pairs` are the rotations to play. `what` is how it is asked for.
///
/// # Errors
///
/// If all agents cannot sit at one table of the game, or cannot play by the settings.
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

/// The match of a log with this header, if it is one.
pub fn of_log(settings: &Settings) -> Option<Class> {
    let held: Held = settings.tournament.as_ref()?.read().ok()?;
    let class = one_table("the log", settings.clone()).ok()?;
    (class.held == held).then_some(class)
}
