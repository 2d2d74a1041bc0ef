//! Command lines of earlier versions, with the command lines that replace them.

use std::ffi::OsString;

use clap::Subcommand;

use crate::cli::commands::Command;

/// Each replaced form of a command line, with its replacement.
///
/// The first word of a form is the command. The other words occur anywhere after it; if there are none, and the command
/// still exists, it was used without a subcommand. Words in capitals in a replacement stand for files of the user.
pub const MOVED: &[(&str, &str)] = &[
    (
        "guesswho --games",
        "turnwise arena turnwise binary --game guesswho --board CONFIG",
    ),
    (
        "guesswho all",
        "turnwise arena turnwise binary --game guesswho --board CONFIG --all-persons",
    ),
    (
        "guesswho human",
        "turnwise arena human turnwise --game guesswho --board CONFIG",
    ),
    (
        "masterchef --play",
        "turnwise arena human turnwise --game masterchef",
    ),
    (
        "twentyone --play",
        "turnwise arena human turnwise --game twentyone --seats 4",
    ),
    ("twentyone report", "turnwise report LOG"),
    ("solve", "turnwise entropy solve"),
    ("train", "turnwise entropy train"),
    ("calibrate", "turnwise entropy calibrate"),
    ("entropy budget", "turnwise budget LOG"),
    ("report --schema", "turnwise schema log"),
    ("regret", "turnwise review LOG"),
    ("halma-master", "turnwise halma master"),
    ("serve", "turnwise halma serve"),
    (
        "twentyone",
        "turnwise arena turnwise basic naive --game twentyone --tables --seats 3 --pairs 1",
    ),
];

/// Returns the replacement for a command line that does not parse, if an earlier version accepted its form.
///
/// `arguments` contains the name of the program and the words after it.
pub(in crate::cli) fn replacement(arguments: &[OsString]) -> Option<&'static str> {
    let words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    // An option may be joined to its value: `--games=5`.
    let words: Vec<&str> = words
        .map(|word| word.split_once('=').map_or(word, |(option, _)| option))
        .collect();
    let (command, others) = words.split_first()?;
    let is_gone = !Command::has_subcommand(command);
    let fits = |form: &str| {
        let mut form = form.split(' ');
        let has_subcommand = others.first().is_some_and(|word| !word.starts_with('-'));
        form.next() == Some(command)
            && (form.clone().next().is_some() || is_gone || !has_subcommand)
            && form.all(|word| others.contains(&word))
    };
    MOVED
        .iter()
        .find(|(form, _)| fits(form))
        .map(|&(_, new)| new)
}
