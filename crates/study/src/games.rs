//! Lists the available games with their roles, agents and settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{About, AnyGame, Level, Plugin, Scoring};

use crate::RefusedError;

/// The description of a game for a user interface, such as a web page.
#[derive(Debug, Serialize)]
pub struct GameAbout {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    roles: [&'static str; 2],
    /// True if games are won, drawn or lost; false if players collect points.
    is_won: bool,
    agents: Vec<&'static str>,
    /// The levels of strength of the first agent, weakest first.
    levels: Vec<LevelAbout>,
    /// True if the game explains its rules.
    has_rules: bool,
    /// True if the page can fetch puzzles of the game.
    has_puzzles: bool,
    options: Vec<OptionAbout>,
    /// The two letters that the board draws as pieces, if the game has pieces.
    pieces: Option<[char; 2]>,
    verb: &'static str,
    column_first: bool,
    measures: &'static [&'static str],
    /// The default settings, as JSON fields in the form of a log's header.
    settings: Fields,
}

/// A level of strength.
#[derive(Debug, Serialize)]
struct LevelAbout {
    agent: &'static str,
    /// The maximum number of nodes per move; `None` without a limit.
    nodes: Option<u64>,
    /// The share of random moves, in percent.
    random: u8,
}

/// A setting that a user can choose.
#[derive(Debug, Serialize)]
struct OptionAbout {
    name: &'static str,
    /// The placeholder of the setting's value in help texts; `None` for a switch, which has no value.
    value: Option<&'static str>,
    choices: Vec<[&'static str; 2]>,
    /// Values that a form offers at once, the best for people first.
    offered: &'static [&'static str],
    help: &'static str,
}

/// Returns true if a user in a browser can choose this setting. Settings that name a file are excluded.
fn can_be_chosen(option: &turnwise_engine::plugin::OptionAbout) -> bool {
    option.value != Some("FILE")
}

/// Describes each of the given games for a user interface, except those that can only be replayed.
pub fn list(games: &'static [Plugin]) -> Vec<GameAbout> {
    let about = |game: &'static Plugin| {
        let about: &'static About = game.about();
        let level = |level: &Level| LevelAbout {
            agent: level.agent,
            nodes: level.nodes,
            random: match level.agent == about.random_agent {
                true => 100,
                false => level.mistakes,
            },
        };
        let options = about.options.iter().filter(|option| can_be_chosen(option));
        let options = options.map(|option| OptionAbout {
            name: option.name,
            value: option.value,
            choices: (option.choices.iter())
                .map(|&(name, help)| [name, help])
                .collect(),
            offered: option.offered,
            help: option.help,
        });
        let usual = game.by_options(&|_| None).ok()?;
        Some(GameAbout {
            name: about.name,
            title: about.title,
            summary: about.help.summary,
            roles: about.roles,
            is_won: about.scoring == Scoring::Win,
            agents: about.agents.iter().map(|agent| agent.name).collect(),
            levels: about.levels.iter().map(level).collect(),
            has_rules: !about.rules.is_empty(),
            has_puzzles: about.has_puzzles,
            options: options.collect(),
            pieces: about.look.pieces,
            verb: about.look.verb,
            column_first: about.look.column_first,
            measures: about.look.measures,
            settings: usual.fields(),
        })
    };
    games.iter().filter_map(about).collect()
}

/// Returns the first game that `is_meant` accepts. Fails if there is none.
pub(crate) fn find(
    games: &'static [Plugin],
    is_meant: impl Fn(&Plugin) -> bool,
) -> Result<&'static Plugin, RefusedError> {
    games.iter().find(|game| is_meant(game)).ok_or_else(|| {
        let names: Vec<_> = games.iter().map(|game| game.about().name).collect();
        RefusedError(format!(
            "no such game; expected one of {}",
            names.join(", ")
        ))
    })
}

/// Returns a game with the settings that a form offers first.
pub(crate) fn for_people(game: &Plugin) -> Result<Arc<dyn AnyGame>, RefusedError> {
    let options = game.about().options;
    let offered = |name: &str| {
        let option = options.iter().find(|option| option.name == name)?;
        Some((*option.offered.first()?).to_owned())
    };
    Ok(game.by_options(&offered)?)
}

/// Returns a game's settings for the chosen options.
pub fn settle(
    games: &'static [Plugin],
    name: &str,
    options: &BTreeMap<String, String>,
) -> Result<Fields, RefusedError> {
    let game = find(games, |game| game.about().name == name)?;
    for (name, value) in options {
        let mut known = game.about().options.iter();
        let option = known.find(|option| option.name == name && can_be_chosen(option));
        let option = option.ok_or_else(|| RefusedError("no such setting".to_owned()))?;
        if option.value.is_some() {
            (option.check)(value).map_err(|why| format!("{name}: {why}"))?;
        }
    }
    let settled = game.by_options(&|name| options.get(name).cloned())?;
    Ok(settled.fields())
}
