//! Creates the command-line options for the settings of the games. Each game declares its own options.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::slice;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, CommandFactory};
use turnwise_arena::records::{GameSettings, one_of};
use turnwise_arena::settings::game_settings;
use turnwise_engine::plugin::{OptionAbout, Plugin, Registered};
use turnwise_games::GAMES;
use turnwise_outside::{FROM_LOGS, Folder, MANIFEST, is_folder};

use super::files::read_text;
use super::{WrongUsage, adapters};

/// The maximum size of the description of a game, in bytes.
const LARGEST_MANIFEST: u64 = 1 << 20;

/// The games in folders that this command uses.
struct Loaded {
    /// Each game has the text that the user wrote after `--game`.
    folders: Vec<(String, &'static Folder)>,
    /// All known games, if they have been listed since the last folder was loaded.
    all: Option<&'static [Plugin]>,
}

static LOADED: Mutex<Loaded> = Mutex::new(Loaded {
    folders: Vec::new(),
    all: None,
});

/// Makes the tests that build parsers run one after another: a parser has the settings of all loaded games, and a test
/// loads the games that the pages name.
#[cfg(test)]
pub(super) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn loaded() -> MutexGuard<'static, Loaded> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns all known games: the games in folders that the user named, the reader of logs of such games, and the built-in
/// games.
pub(super) fn known_games() -> &'static [Plugin] {
    let Loaded { folders, all } = &mut *loaded();
    all.get_or_insert_with(|| {
        let folders = folders.iter().map(|&(_, folder)| Plugin(folder));
        let all = folders.chain([FROM_LOGS]).chain(GAMES.iter().copied());
        all.collect::<Vec<Plugin>>().leak()
    })
}

/// Returns the game with this name, or the game in the folder with this path.
///
/// # Errors
///
/// Returns an error if the game is unknown, or if the game in the folder cannot be used.
pub(super) fn plugin(text: &str) -> Result<&'static Plugin, String> {
    let mut games = GAMES.iter();
    if let Some(game) = games.find(|game| game.about().name == text) {
        return Ok(game);
    }
    if !is_folder(text) {
        let names = one_of(GAMES.iter().map(|game| game.about().name));
        return Err(format!(
            "expected {names}, or the folder of a game such as ./{text}"
        ));
    }
    let is_loaded = loaded().folders.iter().any(|(known, _)| known == text);
    if !is_loaded {
        let folder = load(text)?;
        let mut loaded = loaded();
        loaded.folders.push((text.to_owned(), folder));
        loaded.all = None;
    }
    let place = loaded().folders.iter().position(|(known, _)| known == text);
    Ok(&known_games()[place.expect("it was loaded")])
}

/// Loads the game in a folder. `FOLDER:NAME` means a game of the adapter in the folder, and `openspiel:NAME` a game of
/// that built-in adapter.
fn load(text: &str) -> Result<&'static Folder, String> {
    let (folder, name) = text.split_once(':').unzip();
    let folder = folder.unwrap_or(text);
    let built_in = name.and_then(|_| adapters::folder(folder)).transpose();
    let path = built_in.map_err(|error| format!("{error:#}"))?;
    let path = path.unwrap_or_else(|| PathBuf::from(folder));
    let manifest = read_text(&path.join(MANIFEST), LARGEST_MANIFEST);
    let manifest = manifest.map_err(|error| format!("{error:#}"))?;
    let folder = Folder::new(&path, name, &manifest)?;
    let taken = own_options();
    let mut options = folder.about().options.iter();
    if let Some(option) = options.find(|option| taken.contains(option.name)) {
        return Err(format!(
            "{text}: the setting {0} must have another name, because turnwise has an option --{0}",
            option.name
        ));
    }
    Ok(Box::leak(Box::new(folder)))
}

/// Returns the folder of this game, if its rules are a program in a folder.
pub(super) fn folder_of(game: &Plugin) -> Option<&'static Folder> {
    let loaded = loaded();
    let mut folders = loaded.folders.iter();
    let found = folders.find(|&&(_, folder)| std::ptr::addr_eq(folder, game.0));
    found.map(|&(_, folder)| folder)
}

/// Returns the names of all options that are not settings of a game, of the commands that have settings of games.
fn own_options() -> BTreeSet<String> {
    let all = super::Arguments::command();
    let settings: BTreeSet<&str> = (GAMES.iter().flat_map(|game| game.about().options))
        .map(|option| option.name)
        .collect();
    let commands = all.get_subcommands().filter(|command| {
        let mut groups = command.get_groups();
        groups.any(|group| group.get_id() == SETTINGS)
    });
    let longs = commands
        .flat_map(|command| command.get_arguments())
        .filter_map(Arg::get_long);
    let own = longs
        .filter(|long| !settings.contains(long))
        .map(str::to_owned);
    own.chain(["help", "version"].map(str::to_owned)).collect()
}

/// Returns the game that a command line names with `--game`, or else the default game.
pub(super) fn asked(words: &[OsString]) -> &'static Plugin {
    let mut words = words.iter().filter_map(|word| word.to_str());
    let name = words.find_map(|word| match word.strip_prefix("--game") {
        Some("") => Some(None),
        Some(joined) => joined.strip_prefix('=').map(Some),
        None => None,
    });
    // If the game cannot be used, the parser of the command line reports why.
    name.and_then(|name| plugin(name.or_else(|| words.next())?).ok())
        .unwrap_or(&GAMES[0])
}

/// The clap parser of `--game`, which accepts the name of a game, or the folder of a game.
#[derive(Debug, Clone)]
pub(super) struct GameParser;

impl TypedValueParser for GameParser {
    type Value = &'static Plugin;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let text = value.to_string_lossy();
        plugin(&text).map_err(|why| {
            let arg = arg.map(ToString::to_string).unwrap_or_default();
            let why = format!("invalid value '{text}' for '{arg}': {why}\n");
            clap::Error::raw(ErrorKind::ValueValidation, why).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = GAMES
            .iter()
            .map(|game| PossibleValue::new(game.about().name));
        Some(Box::new(names))
    }
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
}

/// Offers the options of all games.
#[derive(Debug, Clone)]
pub(super) struct AllGames;

impl Offered for AllGames {
    fn games() -> &'static [Plugin] {
        known_games()
    }
}

/// The name of the clap group that contains all options for settings of games.
pub(super) const SETTINGS: &str = "settings of the game";

/// The game options that were given on the command line.
#[derive(Debug, Clone)]
pub(super) struct GameOptions<S> {
    /// The values of the games' own options, keyed by the name of the option.
    own: BTreeMap<&'static str, String>,
    /// The names and values that follow `--set`.
    set: Vec<(String, String)>,
    offered: PhantomData<S>,
}

/// Parses a setting of a game, such as `size=7`.
pub(super) fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("expected the name of a setting, `=` and its value")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Returns the games that declare an option with this name, each with its declaration of the option.
fn with_option(name: &str) -> impl Iterator<Item = (&'static Plugin, &'static OptionAbout)> {
    GAMES.iter().filter_map(move |game| {
        let mut options = game.about().options.iter();
        Some((game, options.find(|option| option.name == name)?))
    })
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
        .help_heading(title)
        .group(SETTINGS);
    match (option.value, option.choices) {
        (None, _) => arg.action(ArgAction::SetTrue),
        (Some(value), []) => arg.value_name(value),
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
        let set = Arg::new("set")
            .long("set")
            .value_name("NAME=VALUE")
            .help("Set any setting of the game; can be repeated")
            .action(ArgAction::Append)
            .value_parser(parse_setting)
            .group(SETTINGS);
        command = (command.arg(set)).group(ArgGroup::new(SETTINGS).multiple(true));
        let mut known: Vec<&str> = Vec::new();
        for about in S::games().iter().map(|game| game.about()) {
            for option in about.options {
                if !known.contains(&option.name) {
                    known.push(option.name);
                    command = command.arg(argument(option, about.title, S::games()));
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
        let mut own = BTreeMap::new();
        let mut known = BTreeSet::new();
        for option in S::games().iter().flat_map(|game| game.about().options) {
            // The first game that declares an option decides whether it has a value.
            if !known.insert(option.name) {
                continue;
            }
            let value = match option.value {
                Some(_) => matches.get_one::<String>(option.name).cloned(),
                None => matches.get_flag(option.name).then(|| "true".to_owned()),
            };
            own.extend(value.map(|value| (option.name, value)));
        }
        let set = matches.get_many("set").into_iter().flatten();
        Ok(Self {
            own,
            set: set.cloned().collect(),
            offered: PhantomData,
        })
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
                Some(own) => argument(own, about.title, slice::from_ref(game)),
                None => arg.hide(true),
            });
        }
        command
    }
}

impl<S> GameOptions<S> {
    /// Returns the text that the user gave for a setting; for a switch, an empty text if it is on.
    pub fn given(&self, name: &str) -> Option<String> {
        let mut set = self.set.iter().rev();
        let text = set.find(|(known, _)| known == name).map(|(_, text)| text);
        let text = text.or_else(|| self.own.get(name))?;
        match text.as_str() {
            "true" => Some(String::new()),
            "false" => None,
            text => Some(text.to_owned()),
        }
    }

    /// Returns the settings of a game according to the given options. Returns an error if the game does not declare one
    /// of them, or if a value is invalid.
    pub fn settings(&self, game: &Plugin) -> Result<GameSettings, WrongUsage> {
        let about = game.about();
        let is_own = |name: &str| about.options.iter().any(|option| option.name == name);
        if let Some(name) = self.own.keys().find(|name| !is_own(name)) {
            let owner = with_option(name).next().map(|(owner, _)| owner.about());
            let (owner, title) = owner.map_or(("", ""), |about| (about.name, about.title));
            let remedy = match about.name == GAMES[0].about().name {
                true => format!("add --game {owner}, or omit it"),
                false => format!("omit it or --game {}", about.name),
            };
            return Err(anyhow!("--{name} is an option of {title}: {remedy}").into());
        }
        let own = self.own.iter();
        let mut given: BTreeMap<_, _> =
            (own.map(|(name, value)| ((*name).to_owned(), value.clone()))).collect();
        given.extend(self.set.iter().cloned());
        Ok(game_settings(game, &given).map_err(anyhow::Error::from)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_of_a_game_is_in_the_help_of_its_command() {
        let _alone = alone();
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
