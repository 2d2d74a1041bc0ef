//! Chooses the settings and participants of a simulated match at random.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_arena::records::{Contestant, GameSettings, Settings, Sprt, Unit};
use turnwise_engine::player::{Counts, FaultKind, TimeControl};
use turnwise_engine::plugin::Plugin;

use super::{GAMES, commands, name_of, players};
use crate::bugs::Bug;

/// The maximum number of pairs in a match with a sequential test.
const MOST_TESTED: u32 = 60;

/// The possible numbers of plies in a game of Halma.
const PLIES: RangeInclusive<u32> = 1..=24;

/// A function that returns true if the manner of a program explains this fault.
pub(super) type IsToBlameFor = Box<dyn Fn(FaultKind) -> bool>;

/// The agents of a match, and the faults that each simulated program's manner explains, keyed by the program's name.
type Players = (Vec<Contestant>, BTreeMap<String, IsToBlameFor>);

/// Chooses a match's settings. Also returns the faults that each simulated program's manner explains.
pub(super) fn settings(
    random: &mut Xoshiro256PlusPlus,
    bug: Option<Bug>,
) -> (Settings, BTreeMap<String, IsToBlameFor>) {
    let [entropy, halma] = GAMES else {
        unreachable!("two games");
    };
    let is_by_files = random.random_bool(0.4);
    let (plugin, counts, (agents, to_blame)) = match is_by_files {
        true => (halma, Counts::Cpu, by_files(random)),
        false => (entropy, Counts::Wall, by_lines(random, bug)),
    };
    let game = game(plugin, random);
    let time = TimeControl::clock(Duration::from_secs(1000));
    let mut settings = Settings {
        turnwise: "simulated".to_owned(),
        seed: random.random_range(0..1 << 53),
        pairs: random.random_range(1..=6),
        jobs: random.random_range(1..=3),
        gauntlet: random.random_bool(0.2).then_some(1),
        counts,
        ..Settings::new(game, agents, time)
    };
    if settings.agents.len() == 2 && random.random_bool(0.6) {
        settings.sprt = Some(test(random));
        settings.pairs = random.random_range(10..=MOST_TESTED);
    }
    (settings, to_blame)
}

/// Chooses the options of a game, for example its board size.
fn game(plugin: &Plugin, random: &mut Xoshiro256PlusPlus) -> GameSettings {
    let size = random.random_range(2..=3).to_string();
    let plies = random.random_range(PLIES).to_string();
    let given = |name: &str| match name {
        "size" => Some(size.clone()),
        "max-plies" => Some(plies.clone()),
        _ => None,
    };
    GameSettings(plugin.by_options(&given).expect("options that there are"))
}

/// Chooses agents for a match over lines: simulated programs that communicate in lines, and built-in agents.
fn by_lines(random: &mut Xoshiro256PlusPlus, bug: Option<Bug>) -> Players {
    let (mut agents, mut to_blame): Players = Default::default();
    for number in 1..=random.random_range(2..=4) {
        let built_in = ["greedy", "random"];
        let manner = match random.random_range(0..5) {
            0 => None,
            1 => Some(players::Manner::Steady),
            _ => {
                let all = players::Manner::ALL;
                Some(all[random.random_range(0..all.len())])
            }
        };
        let Some(manner) = manner else {
            let kind = built_in[random.random_range(0..built_in.len())];
            agents.push(contestant(format!("{kind}{number}"), kind.to_owned()));
            continue;
        };
        let name = format!("{}{number}", name_of(manner));
        to_blame.insert(
            name.clone(),
            Box::new(move |kind| manner.is_to_blame_for(kind)) as IsToBlameFor,
        );
        agents.push(contestant(name, program(manner, random, bug)));
    }
    (agents, to_blame)
}

/// Chooses agents for a match over files: commands that read and write files.
///
/// Built-in agents do not take part. Their CPU time would be real, and the player with more time left wins a game that
/// ends after so few plies.
fn by_files(random: &mut Xoshiro256PlusPlus) -> Players {
    let (mut agents, mut to_blame): Players = Default::default();
    for number in 1..=random.random_range(2..=4) {
        let all = commands::Manner::ALL;
        let manner = match random.random_bool(0.3) {
            true => commands::Manner::Steady,
            false => all[random.random_range(0..all.len())],
        };
        let name = format!("{}{number}", name_of(manner));
        to_blame.insert(
            name.clone(),
            Box::new(move |kind| manner.is_to_blame_for(kind)) as IsToBlameFor,
        );
        let (at, seed) = (random.random_range(1..5), random.random_range(0..1000));
        let spec = format!("cmd:sh {} {at} {seed}", name_of(manner));
        agents.push(contestant(name, spec));
    }
    (agents, to_blame)
}

fn contestant(name: String, spec: String) -> Contestant {
    Contestant {
        name,
        spec,
        folder: None,
    }
}

/// Chooses a sequential test that may be decided after few pairs.
fn test(random: &mut Xoshiro256PlusPlus) -> Sprt {
    let (unit, lower, width) = match random.random_bool(0.5) {
        true => (Unit::Elo, -100.0..50.0, 40.0..150.0),
        false => (Unit::Points, -1.5..1.0, 0.3..1.5),
    };
    let lower = random.random_range(lower);
    Sprt {
        unit,
        lower,
        upper: lower + random.random_range(width),
        alpha: random.random_range(0.1..0.4),
        beta: random.random_range(0.1..0.4),
    }
}

/// Returns the text that describes a simulated program as an agent.
///
/// The program's command names the shell, which exists on every machine but is never run.
fn program(manner: players::Manner, random: &mut Xoshiro256PlusPlus, bug: Option<Bug>) -> String {
    let at = random.random_range(1..5);
    let seed = random.random_range(0..1000);
    let planted = match bug {
        Some(Bug::Slow) => " slow",
        Some(Bug::Drift) => " drift",
        _ => "",
    };
    format!("daemon:sh {} {at} {seed}{planted}", name_of(manner))
}
