//! Creates the command-line options for the settings of the games. Each game declares its own options.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::marker::PhantomData;
use std::slice;

use anyhow::bail;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use turnwise_arena::records::GameSettings;
use turnwise_engine::plugin::{OptionAbout, Plugin};
use turnwise_games::GAMES;

/// Returns the game with this name.
pub(super) fn plugin(name: &str) -> Option<&'static Plugin> {
    let mut games = GAMES.iter();
    games.find(|game| game.about().name == name)
}

/// Returns the game that a command line names with `--game`, or else the default game.
pub(super) fn asked(words: &[OsString]) -> &'static Plugin {
    let mut words = words.iter().filter_map(|word| word.to_str());
    let name = words.find_map(|word| match word.strip_prefix("--game") {
        Some("") => Some(None),
        Some(joined) => joined.strip_prefix('=').map(Some),
        None => None,
    });
    name.and_then(|name| plugin(name.or_else(|| words.next())?))
        .unwrap_or(&GAMES[0])
}

/// Returns a clap parser that accepts the name of any game.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(GAMES.iter().map(|game| game.about().name))
}

/// Returns examples of using this command with these games, as lines for the command's help.
pub(super) fn examples<'a>(command: &str, games: impl IntoIterator<Item = &'a Plugin>) -> String {
    let examples = games
        .into_iter()
        .flat_map(|game| game.about().help.examples);
    examples
        .filter(|example| example.command == command)
        .map(|example| match example.shows {
            "" => format!("  turnwise {command} {}\n", example.words),
            shows => format!("  turnwise {command} {}\n      {shows}\n", example.words),
        })
        .collect()
}

/// Returns a text that lists the first role of each game. Help texts need it, because scores belong to the first role.
pub(super) fn first_roles() -> String {
    let abouts = GAMES.iter().map(|game| game.about());
    let roles = abouts.map(|about| format!("{} in {}", about.roles[0], about.title));
    roles.collect::<Vec<_>>().join(", ")
}

/// Determines for a command the games whose options it offers.
pub(super) trait Offered: std::fmt::Debug + Clone {
    /// Returns the games whose options the command offers, in the order of the help.
    fn games() -> &'static [Plugin];

    /// The name of an option that cannot be combined with any game option, if the command has one.
    const CONFLICTS_WITH: Option<&'static str> = None;
}

/// The game options that were given on the command line: their values, keyed by the name of the option.
#[derive(Debug, Clone)]
pub(super) struct GameOptions<S>(BTreeMap<&'static str, String>, PhantomData<S>);

/// Returns the games that declare an option with this name, each with its declaration of the option.
fn with_option(name: &str) -> impl Iterator<Item = (&'static Plugin, &'static OptionAbout)> {
    GAMES.iter().filter_map(move |game| {
        let mut options = game.about().options.iter();
        Some((game, options.find(|option| option.name == name)?))
    })
}

/// Checks the value of an option. The value is valid if at least one game that declares the option accepts it.
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

/// Creates the clap argument for an option. Its help text describes the option for every game in `games` that declares
/// it.
fn argument(option: &'static OptionAbout, title: &'static str, games: &'static [Plugin]) -> Arg {
    let name = option.name;
    let theirs: Vec<(&str, &OptionAbout)> = (games.iter().map(|game| game.about()))
        .flat_map(|about| about.options.iter().map(|option| (about.title, option)))
        .filter(|(_, option)| option.name == name)
        .collect();
    let help = match &theirs[..] {
        [(_, option)] => option.help.to_owned(),
        several => {
            let helps = several.iter();
            let helps = helps.map(|(title, option)| format!("{title}: {}", option.help));
            helps.collect::<Vec<_>>().join(". ")
        }
    };
    let arg = Arg::new(name)
        .long(name)
        .visible_aliases(option.alias)
        .help(help)
        .help_heading(title);
    match (option.value, option.choices) {
        (None, _) => arg.action(ArgAction::SetTrue),
        (Some(value), []) => arg
            .value_name(value)
            .value_parser(move |text: &str| checked(name, text)),
        (Some(value), _) => {
            let choices = (theirs.iter().flat_map(|(_, option)| option.choices))
                .map(|&(name, help)| PossibleValue::new(name).help(help));
            arg.value_name(value)
                .value_parser(PossibleValuesParser::new(choices))
        }
    }
}

impl<S: Offered> clap::Args for GameOptions<S> {
    /// Adds the options of all offered games to a command; an option that several games declare is added once.
    fn augment_args(mut command: Command) -> Command {
        let mut known: Vec<&str> = Vec::new();
        for about in S::games().iter().map(|game| game.about()) {
            for option in about.options {
                if !known.contains(&option.name) {
                    known.push(option.name);
                    let arg = argument(option, about.title, S::games());
                    command = command.arg(arg.conflicts_with_all(S::CONFLICTS_WITH));
                }
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Offered> clap::FromArgMatches for GameOptions<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = BTreeMap::new();
        for option in S::games().iter().flat_map(|game| game.about().options) {
            let value = match option.value {
                Some(_) => matches.get_one::<String>(option.name).cloned(),
                None => matches.get_flag(option.name).then(String::new),
            };
            given.extend(value.map(|value| (option.name, value)));
        }
        Ok(Self(given, PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<S: Offered> GameOptions<S> {
    /// Restricts a command's help to the options of one game. The options of other games remain, so that an error can
    /// name the game to which an option belongs.
    pub fn help_of(mut command: Command, game: &'static Plugin) -> Command {
        let about = game.about();
        for option in S::games().iter().flat_map(|game| game.about().options) {
            let own = about.options.iter().find(|own| own.name == option.name);
            command = command.mut_arg(option.name, |arg| match own {
                Some(own) => argument(own, about.title, slice::from_ref(game))
                    .conflicts_with_all(S::CONFLICTS_WITH),
                None => arg.hide(true),
            });
        }
        command
    }
}

impl<S> GameOptions<S> {
    /// Returns the settings of a game according to the given options. Returns an error if the game does not declare one
    /// of them.
    pub fn settings(&self, game: &Plugin) -> anyhow::Result<GameSettings> {
        let about = game.about();
        for (&name, value) in &self.0 {
            let own = about.options.iter().find(|option| option.name == name);
            let Some(own) = own else {
                let owner = with_option(name).next().map(|(owner, _)| owner.about());
                let (owner, title) = owner.map_or(("", ""), |about| (about.name, about.title));
                match about.name == GAMES[0].about().name {
                    true => {
                        bail!("--{name} is an option of {title}: add --game {owner}, or omit it")
                    }
                    false => bail!(
                        "--{name} is an option of {title}: omit it or --game {}",
                        about.name
                    ),
                }
            };
            if let Err(why) = (own.check)(value) {
                bail!("--{name} {value}: {why}");
            }
        }
        let given = |name: &str| self.0.get(name).cloned();
        let settled = game.by_options(&given).map_err(anyhow::Error::msg)?;
        Ok(GameSettings(settled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_of_a_game_is_in_the_help_of_its_command() {
        let abouts = GAMES.iter().map(|game| game.about());
        let all = abouts.flat_map(|about| about.help.examples.iter().map(|it| (about.name, it)));
        for (game, example) in all {
            let line = format!("turnwise {} {}", example.command, example.words);
            let words = ["turnwise", "--game", game].map(OsString::from);
            let mut command = crate::cli::command(&words);
            let command = command.find_subcommand_mut(example.command);
            let help =
                command.and_then(|command| command.get_before_help().map(ToString::to_string));
            assert!(help.is_some_and(|help| help.contains(&line)), "{line}");
        }
    }
}
