//! Tests the readers of agent names, and of the logs of matches and players.

use std::path::Path;

use turnwise_arena::agents::{Spec, unique_names};
use turnwise_arena::log;
use turnwise_arena::records::MOST_AGENTS;
use turnwise_arena::records::{Record, Settings};
use turnwise_engine::words::is_unprintable;
use turnwise_games::GAMES;
use turnwise_report::charts::charts;
use turnwise_report::page::page;
use turnwise_report::replay::replay as replayed;
use turnwise_report::tables::tables;
use turnwise_report::{logs, merge};

/// Checks that an accepted agent name is unchanged after it is printed and read again.
pub fn agent_names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for game in GAMES {
        let specs = text.lines().filter_map(|line| {
            let spec = Spec::read(game.about(), line);
            if let Err(error) = &spec {
                assert!(!error.to_string().is_empty());
            }
            spec.ok()
        });
        // The number is limited, because no match has more agents.
        let specs: Vec<Spec> = specs.take(MOST_AGENTS).collect();
        for spec in &specs {
            let printed = spec.to_string();
            let again = Spec::read(game.about(), &printed);
            assert_eq!(again.as_ref(), Ok(spec), "{printed}");
        }
        let mut names = unique_names(&specs);
        assert_eq!(names.len(), specs.len());
        names.sort();
        names.dedup();
        assert_eq!(names.len(), specs.len(), "{names:?}");
    }
}

/// Checks that a log's header and complete pairs are unchanged after they are written and read again.
pub fn arena_log(bytes: &[u8]) {
    let path = Path::new("log");
    match log::read(path, bytes, GAMES) {
        Ok(contents) => {
            let header: Record = Record::Match(contents.settings.clone());
            let games = contents.pairs.iter().flatten().cloned();
            let records = [header].into_iter().chain(games.map(Record::Game));
            let lines = records.map(|record| {
                let line = serde_json::to_string(&record).expect("plain data");
                line + "\n"
            });
            let text: String = lines.collect();
            let again = log::read(path, text.as_bytes(), GAMES).expect("its own lines");
            assert_eq!(again.settings, contents.settings);
            assert_eq!(again.pairs, contents.pairs);
            assert!(programs_are_known(&contents.settings));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Returns true if every program that the match would start can be shown to the user beforehand.
fn programs_are_known(settings: &Settings) -> bool {
    let programs = settings.programs().expect("the settings were checked");
    programs.len() <= settings.agents.len()
}

/// Returns true if a text is safe for a terminal, because its only control characters are line feeds.
fn is_printable(text: &str) -> bool {
    text.split('\n').all(|line| !line.contains(is_unprintable))
}

/// Checks that reports and replays of a log are safe to print. Each game must be replayable up to its first invalid
/// move.
pub fn replay(bytes: &[u8]) {
    let log = match logs::read(bytes, GAMES) {
        Ok(log) => log,
        Err(error) => return assert!(is_printable(&error.to_string()), "{error:?}"),
    };
    for game in &log.games {
        let replay = replayed(game, &log.header.game, false);
        assert_eq!(
            replay.steps.len() < game.record.moves.len(),
            replay.broken.is_some()
        );
        for step in &replay.steps {
            let cells = step.board.grid.letters.chars().count();
            assert_eq!(cells % step.board.grid.columns, 0);
            assert!(is_printable(&step.board.text));
            for cell in step.moved.from.into_iter().chain(step.moved.to) {
                assert!(cell < cells, "{cell} of {cells}");
            }
        }
        let broken = replay.broken.unwrap_or_default();
        assert!(is_printable(&broken), "{broken:?}");
    }
    for of in merge([("log".to_owned(), log)]) {
        let texts = [of.title(), of.conditions()];
        let cells = tables(&of).into_iter().flat_map(|table| table.rows);
        let notes = of.notes.iter().cloned().chain(of.verdict());
        for text in texts.into_iter().chain(cells.flatten()).chain(notes) {
            assert!(is_printable(&text), "{text:?}");
        }
        let drawn = charts(&of).expect("charts can be drawn of any games");
        let mut written = Vec::new();
        page(&[(&of, drawn)], None, &mut written).expect("memory takes it");
        let written = String::from_utf8(written).expect("a page is text");
        assert!(is_printable(&written));
    }
}

/// Checks that the output of `turnwise budget` for a log is safe to print.
pub fn budget_log(bytes: &[u8]) {
    if let Ok((budgets, notes)) = turnwise::cli::budget::Budgets::read(bytes, &mut || true) {
        let tables = budgets.tables().unwrap_or_default();
        assert!(is_printable(&tables), "{tables:?}");
        assert!(notes.iter().all(|note| is_printable(note)), "{notes:?}");
    }
}
