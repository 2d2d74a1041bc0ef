//! Tests complete tournaments of a small game, which are played in this process.

mod files;
mod tables;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::Log;
use turnwise_arena::pairs::{Work, play_scheduled};
use turnwise_arena::records::{DrawRecord, GameRecord};
use turnwise_arena::referee::Event;
use turnwise_arena::schedule::MeetingNumber;
use turnwise_engine::fields::Fields;
use turnwise_engine::guest::Presence;
use turnwise_engine::player::FaultKind;
use turnwise_games::GAMES;
use turnwise_tournament::class_file::{ClassFile, Joined};
use turnwise_tournament::conductor::{Attendance, Before, Conductor};
use turnwise_tournament::held::Withdrawal;

/// Returns the text of a tournament file for Entropy on 3 x 3 boards, without clocks.
fn class(format: &str, participants: &[(&str, &str)]) -> String {
    let mut text = format!(
        "game = \"entropy\"\nseed = 5\nfaults = 3\nisolate = false\n[settings]\nsize = 3\n[time]\nnodes = 30\n\
         [format]\n{format}\n"
    );
    for (name, line) in participants {
        text += &format!("[[participant]]\nname = \"{name}\"\n{line}\n");
    }
    text
}

const FIVE: [(&str, &str); 5] = [
    ("one", "agent = \"holes\""),
    ("two", "agent = \"greedy\""),
    ("three", "agent = \"random\""),
    ("four", "agent = \"random\""),
    ("five", "agent = \"turnwise\""),
];

/// The data of a logged game that the tests compare.
#[derive(Debug, Clone, PartialEq)]
struct Game {
    number: (u32, u8),
    players: Vec<String>,
    meeting: Option<MeetingNumber>,
    seed: u64,
    moves: Vec<String>,
    result: Fields,
    at_fault: Vec<String>,
}

impl Game {
    fn of(game: GameRecord) -> Self {
        Self {
            number: (game.pair, game.game),
            players: game.agents().cloned().collect(),
            at_fault: game.faults().map(|fault| fault.agent.clone()).collect(),
            meeting: game.meeting,
            seed: game.seed,
            moves: game.moves,
            result: game.result.fields,
        }
    }

    /// Returns the game without the data that depends on the schedule: the pair number and the meeting number.
    fn alone(&self) -> Self {
        Self {
            number: (0, self.number.1),
            meeting: None,
            ..self.clone()
        }
    }
}

/// Asserts that two lists of games are equal, and reports the first difference.
fn assert_same(one: &[Game], other: &[Game], what: &str) {
    for (one, other) in one.iter().zip(other) {
        assert_eq!(one, other, "{what}");
    }
    assert_eq!(one.len(), other.len(), "{what}");
}

struct Run {
    games: Vec<Game>,
    draws: Vec<DrawRecord>,
    withdrawn: Vec<Option<Withdrawal>>,
}

impl Run {
    /// Returns the games in which this player did not take part, each as [`Game::alone`].
    fn without(&self, name: &str) -> Vec<Game> {
        let games = self.games.iter();
        games
            .filter(|game| game.players.iter().all(|player| player != name))
            .map(Game::alone)
            .collect()
    }
}

/// Plays or resumes a tournament until `pairs` more pairs are over. Returns the data of the log, including earlier
/// runs.
fn play(text: &str, log: &Path, jobs: usize, pairs: usize) -> Run {
    play_attended(text, log, jobs, pairs, None)
}

/// Like [`play`], but participants may come and go if `attendance` is given. Each then plays only one pair at a time.
fn play_attended(
    text: &str,
    log: &Path,
    jobs: usize,
    pairs: usize,
    attendance: Option<Attendance>,
) -> Run {
    let class = ClassFile::parse(text).expect("a tournament");
    let class = class
        .settle(Path::new("."), GAMES)
        .expect("it can be played");
    let (mut log, joined, draws, done) = match log.exists() {
        true => {
            let (log, contents) = Log::open(log, GAMES).expect("a log");
            let joined = class.joined(&contents.settings).expect("the same");
            let log = log
                .rewrite(&joined.class.settings, &[])
                .expect("there is room");
            (log, joined, contents.draws, contents.pairs)
        }
        false => {
            let log = Log::create(log, &class.settings).expect("there is room");
            let joined = Joined {
                withdrawn: vec![None; class.settings.agents.len()],
                class,
                changes: Vec::new(),
                changed: Vec::new(),
            };
            (log, joined, Vec::new(), Vec::new())
        }
    };
    let settings = &joined.class.settings;
    let no_daemons = |_| Err(io::Error::other("no daemons here"));
    let lineup = Lineup::of(settings, no_daemons).expect("all are there");
    let left = AtomicUsize::new(pairs);
    let watch = |_: &[GameRecord]| {
        left.fetch_sub(1, Ordering::Relaxed);
    };
    let before = Before {
        draws: &draws,
        pairs: &done,
    };
    let is_attended = attendance.is_some();
    let withdrawn = joined.withdrawn.clone();
    let mut conductor = Conductor::new(&joined.class, withdrawn, before, attendance, watch);
    let at_the_table = Mutex::new(HashSet::new());
    let follow = |event: Event| {
        let mut at_the_table = at_the_table.lock().expect("no panic");
        match event {
            Event::Begun { players, .. } => {
                let names = players.iter().map(|name| name.to_string());
                let alone = names.filter(|name| at_the_table.insert(name.clone()));
                let are_alone = alone.count() == players.len();
                assert!(!is_attended || are_alone, "{players:?}");
            }
            Event::Over(game) => {
                for name in &game.result.players {
                    at_the_table.remove(name);
                }
            }
            Event::Moved(_) | Event::PutOut { .. } => {}
        }
    };
    let is_stopped = || left.load(Ordering::Relaxed).cast_signed() <= 0;
    let outcome = play_scheduled(
        (settings, &lineup),
        Work::new(&mut conductor, &mut log),
        jobs,
        &is_stopped,
        &follow,
    );
    outcome.expect("it is played");
    let withdrawn = conductor.withdrawn().to_vec();
    let path = log.path().to_owned();
    drop(conductor);
    drop(log);
    let (_, contents) = Log::open(&path, GAMES).expect("a log");
    let mut games: Vec<Game> = (contents.pairs.into_iter().flatten())
        .map(Game::of)
        .collect();
    games.sort_by_key(|game| game.number);
    Run {
        games,
        draws: contents.draws,
        withdrawn,
    }
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("class.jsonl");
    (folder, log)
}

/// A number of pairs that no tournament in these tests exceeds.
const ALL: usize = 10_000;

fn whole(text: &str, jobs: usize) -> Run {
    let (_folder, log) = place();
    play(text, &log, jobs, ALL)
}

const FORMATS: [&str; 6] = [
    "kind = \"round-robin\"\ntimes = 1",
    "kind = \"round-robin\"\ntimes = 2",
    "kind = \"gauntlet\"\nchallengers = 2",
    "kind = \"swiss\"\nrounds = 3",
    "kind = \"knockout\"",
    "kind = \"swiss-into-round-robin\"\nrounds = 2\nfinalists = 3",
];

#[test]
fn the_same_is_played_whatever_runs_at_once_and_wherever_it_was_broken_off() {
    for format in FORMATS {
        let text = class(format, &FIVE);
        let expected = whole(&text, 1).games;
        assert!(expected.len() >= 2 * 4, "{format}");
        assert_same(&whole(&text, 4).games, &expected, format);
        let (_folder, log) = place();
        for _ in 0..expected.len() {
            play(&text, &log, 2, 1);
        }
        assert_same(&play(&text, &log, 2, ALL).games, &expected, format);
    }
}

#[test]
fn who_comes_later_than_the_others_plays_the_same() {
    for format in FORMATS {
        let text = class(format, &FIVE).replace("faults = 3", "faults = 3\npairs = 2");
        let expected = whole(&text, 1).games;
        for late in ["one", "three", "five"] {
            let (_folder, log) = place();
            let asked = AtomicUsize::new(0);
            let attendance = Box::new(move |name: &str| {
                let is_away = name == late && asked.fetch_add(1, Ordering::Relaxed) < 6;
                match is_away {
                    true => Presence::Away,
                    false => Presence::Here,
                }
            });
            let run = play_attended(&text, &log, 3, ALL, Some(attendance));
            assert_same(&run.games, &expected, &format!("{late} in {format}"));
        }
    }
}

#[test]
fn who_is_given_up_is_called_all_the_same_and_who_is_away_is_not() {
    let text = class(FORMATS[0], &FIVE);
    for (presence, pairs) in [(Presence::GivenUp, 10), (Presence::Away, 6)] {
        let (_folder, log) = place();
        let attendance = Box::new(move |name: &str| match name {
            "two" => presence,
            _ => Presence::Here,
        });
        let run = play_attended(&text, &log, 2, pairs, Some(attendance));
        assert_eq!(run.games.len(), 2 * pairs);
        let has_played = run.games.len() > run.without("two").len();
        assert_eq!(has_played, presence == Presence::GivenUp);
    }
}

#[test]
fn formats_have_as_many_meetings_as_they_should() {
    let pairs = FORMATS.map(|format| whole(&class(format, &FIVE), 2).games.len() / 2);
    assert_eq!(pairs[..4], [10, 20, 6, 6]);
    // A drawn meeting of a knockout is played again, so more than four pairs may be needed.
    assert!(pairs[4] >= 4);
    assert_eq!(pairs[5], 2 * 2 + 3);
}

#[test]
fn a_late_participant_plays_what_is_missing_and_changes_nothing() {
    let format = FORMATS[0];
    let (_folder, log) = place();
    let before = play(&class(format, &FIVE[..4]), &log, 2, ALL);
    let after = play(&class(format, &FIVE), &log, 2, ALL);
    assert_same(&after.without("five"), &before.without("five"), format);
    assert_eq!(after.games.len(), 20);
    // The results must be as if the participant `five` had taken part from the beginning.
    let expected = whole(&class(format, &FIVE), 2);
    assert_same(&after.without(""), &expected.without(""), format);
}

#[test]
fn who_has_left_plays_no_more_and_keeps_what_it_has_played() {
    let format = FORMATS[0];
    let (_folder, log) = place();
    let before = play(&class(format, &FIVE), &log, 1, 4);
    let after = play(&class(format, &FIVE[..4]), &log, 2, ALL);
    assert_eq!(
        after.withdrawn[4],
        Some(Withdrawal::Absent("left".to_owned()))
    );
    let of_five = |run: &Run| run.games.len() - run.without("five").len();
    assert_eq!(of_five(&after), of_five(&before));
    assert_eq!(after.without("five").len(), 12);
}

#[test]
fn a_broken_program_is_sent_away_and_costs_the_others_nothing() {
    for format in FORMATS.iter().take(4) {
        let mut participants = FIVE[..4].to_vec();
        participants.push(("broken", "run = \"false\""));
        // This test needs a clock, because programs cannot play with a limit of nodes.
        let timed = |participants: &[(&str, &str)]| {
            class(format, participants).replace("nodes = 30", "clock = 60.0")
        };
        let with = whole(&timed(&participants), 2);
        let faults = with.games.iter().flat_map(|game| &game.at_fault);
        assert!(faults.clone().all(|agent| agent == "broken"));
        assert!(
            matches!(with.withdrawn[4], Some(Withdrawal::Faults(3..=4))),
            "{format}"
        );
        assert_eq!(faults.count(), 4, "{format}");
        if *format == FORMATS[0] {
            let without = whole(&timed(&FIVE[..4]), 2);
            assert_same(&with.without("broken"), &without.without(""), format);
        }
    }
}

#[test]
fn faults_of_a_busy_machine_send_nobody_away() {
    let format = FORMATS[1];
    let mut participants = FIVE[..4].to_vec();
    participants.push(("broken", "run = \"false\""));
    let text = class(format, &participants).replace("nodes = 30", "clock = 60.0");
    let (_folder, log) = place();
    play(&text, &log, 2, ALL);
    let class = ClassFile::parse(&text).expect("a tournament");
    let class = class.settle(Path::new("."), GAMES).expect("good");
    let (_log, contents) = Log::open(&log, GAMES).expect("a log");
    let withdrawn = |pairs: &[Vec<GameRecord>]| {
        let before = Before {
            draws: &contents.draws,
            pairs,
        };
        let conductor = Conductor::new(&class, vec![None; 5], before, None, |_| {});
        conductor.withdrawn()[4].clone()
    };
    let mut pairs = contents.pairs.clone();
    assert!(matches!(withdrawn(&pairs), Some(Withdrawal::Faults(_))));
    for fault in pairs
        .iter_mut()
        .flatten()
        .filter_map(|game| game.fault.as_mut())
    {
        fault.kind = FaultKind::Busy;
    }
    assert_eq!(withdrawn(&pairs), None);
}
