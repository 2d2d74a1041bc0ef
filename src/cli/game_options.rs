//! The options of games on the command line, as the games declare them.

use std::collections::BTreeMap;

use anyhow::bail;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use turnwise_arena::records::GameSettings;
use turnwise_engine::plugin::{OptionAbout, Plugin};
use turnwise_games::GAMES;

/// The game of this name.
pub(super) fn plugin(name: &str) -> Option<&'static dyn Plugin> {
    let mut games = GAMES.iter();
    games.find(|game| game.about().name == name).copied()
}

/// The names of all games, each with what it is.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(GAMES.iter().map(|game| {
        let about = game.about();
        PossibleValue::new(about.name).help(about.summary)
    }))
}

/// The options that were given, of whichever game.
#[derive(Debug, Clone, Default)]
pub(super) struct GameOptions(BTreeMap<&'static str, String>);

/// The games that have an option of this name.
fn with_option(name: &str) -> impl Iterator<Item = (&'static dyn Plugin, &'static OptionAbout)> {
    GAMES.iter().filter_map(move |game| {
        let mut options = game.about().options.iter();
        Some((*game, options.find(|option| option.name == name)?))
    })
}

/// Good for any game that has it.
fn checked(name: &'static str, text: &str) -> Result<String, String> {
    let mut objection = None;
    for (_, option) in with_option(name) {
        match (option.check)(text) {
            Ok(()) => return Ok(text.to_owned()),
            Err(why) => objection = objection.or(Some(why)),
        }
    }
    Err(objection.unwrap_or_default())
}

impl GameOptions {
    /// Adds the options of these games to a command, each once.
    pub fn augment(
        mut command: Command,
        games: &[&'static dyn Plugin],
        conflicts_with: Option<&'static str>,
    ) -> Command {
        let mut known: Vec<&str> = Vec::new();
        for about in games.iter().map(|game| game.about()) {
            for option in about.options {
                if known.contains(&option.name) {
                    continue;
                }
                known.push(option.name);
                let mut arg = Arg::new(option.name)
                    .long(option.name)
                    .help(option.help)
                    .help_heading(about.title);
                if let Some(alias) = option.alias {
                    arg = arg.visible_alias(alias);
                }
                if let Some(other) = conflicts_with {
                    arg = arg.conflicts_with(other);
                }
                let name = option.name;
                arg = match (option.value, option.choices) {
                    (None, _) => arg.action(ArgAction::SetTrue),
                    (Some(value), []) => arg
                        .value_name(value)
                        .value_parser(move |text: &str| checked(name, text)),
                    (Some(value), choices) => {
                        let choices = choices
                            .iter()
                            .map(|&(name, help)| PossibleValue::new(name).help(help));
                        arg.value_name(value)
                            .value_parser(PossibleValuesParser::new(choices))
                    }
                };
                command = command.arg(arg);
            }
        }
        command
    }

    /// What was given of the options of these games.
    pub fn given(matches: &ArgMatches, games: &[&'static dyn Plugin]) -> Self {
        let mut given = BTreeMap::new();
        for option in games.iter().flat_map(|game| game.about().options) {
            let value = match option.value {
                Some(_) => matches.get_one::<String>(option.name).cloned(),
                None => matches.get_flag(option.name).then(String::new),
            };
            given.extend(value.map(|value| (option.name, value)));
        }
        Self(given)
    }

    /// The game with its settings, after making sure that no option is of another one.
    pub fn settings(&self, game: &dyn Plugin) -> anyhow::Result<GameSettings> {
        let about = game.about();
        for (&name, value) in &self.0 {
            let own = about.options.iter().find(|option| option.name == name);
            let Some(own) = own else {
                let owner = with_option(name).next().map(|(owner, _)| owner.about());
                let (owner, title) = owner.map_or(("", ""), |about| (about.name, about.title));
                match about.name == GAMES[0].about().name {
                    true => bail!(
                        "--{name} is an option of {title}: add --game {owner}, or leave it out"
                    ),
                    false => bail!(
                        "--{name} is an option of {title}: leave it or --game {} out",
                        about.name
                    ),
                }
            };
            if let Err(why) = (own.check)(value) {
                bail!("--{name} {value}: {why}");
            }
        }
        let given = |name: &str| self.0.get(name).cloned();
        Ok(GameSettings(game.by_options(&given)))
    }
}

/// The options of all games, for `turnwise arena`.
#[derive(Debug, Clone, Default)]
pub(super) struct AllOptions(pub GameOptions);

impl clap::FromArgMatches for AllOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(GameOptions::given(matches, GAMES)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for AllOptions {
    fn augment_args(command: Command) -> Command {
        GameOptions::augment(command, GAMES, Some("resume"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
