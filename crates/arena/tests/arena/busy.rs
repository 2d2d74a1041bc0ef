//! Tests games that a busy machine ends, and programs that compute on their opponents' time.
//!
//! The tests check how such games are judged, logged and summarized. All measured times are made up, so the results do
//! not depend on the test machine.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::Log;
use turnwise_arena::pairs::{Done, play_all};
use turnwise_arena::records::{Contestant, GameRecord, GameSettings, Settings};
use turnwise_arena::referee::Event;
use turnwise_arena::standings::Standings;
use turnwise_arena::strength::pair::PairResult;
use turnwise_engine::outside::{LineChannel, Reply};
use turnwise_engine::player::{Counts, Failure, FaultKind, Ponder, TimeControl};
use turnwise_games::GAMES;

use crate::game;

const CLOCK: f64 = 10.0;

/// The names of the fake programs that have been late once. These programs are in time in the second try.
static HAVE_BEEN_LATE: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// A fake program for Entropy. As Order it passes; as Chaos it fills the board from one corner.
///
/// Its command has three words: `sh`, the manner in which its third answer is delayed, and its name.
struct Fake {
    manner: String,
    name: String,
    is_chaos: bool,
    answers: u32,
}

impl LineChannel for Fake {
    fn begin(&mut self, greeting: Vec<String>, _is_first: bool) -> io::Result<()> {
        self.is_chaos = greeting.iter().any(|line| line.contains("CHAOS"));
        self.answers = 0;
        Ok(())
    }

    fn ask(&mut self, _lines: Vec<String>, patience: Duration) -> Reply<String> {
        let number = self.answers;
        self.answers += 1;
        let late = patience - Duration::from_millis(500);
        let pondered = |millis| Some(Duration::from_millis(millis));
        let mut reply = Reply {
            said: Ok(match self.is_chaos {
                true => format!("{} {}", number / 3, number % 3),
                false => "0 0 0 0".to_owned(),
            }),
            wall: Duration::from_millis(100),
            cpu: Some(Duration::from_millis(50)),
            pondered: None,
            others: Some(0.0),
        };
        if number != 2 {
            return reply;
        }
        match &*self.manner {
            "kept" => (reply.wall, reply.others) = (late, Some(late.as_secs_f64() - 0.1)),
            "kept-once" => {
                let mut known = HAVE_BEEN_LATE.lock().expect("no panic");
                if known.get_or_insert_default().insert(self.name.clone()) {
                    (reply.wall, reply.others) = (late, Some(late.as_secs_f64() - 0.1));
                }
            }
            "starved" => {
                reply.said = Err(Failure::new(FaultKind::Busy, "no answer within 10 s"));
                (reply.wall, reply.others) = (patience * 10, Some(patience.as_secs_f64() * 9.9));
            }
            // The program has sixty threads that wait for each other. No other process used the core.
            "slow" => (reply.wall, reply.cpu) = (late, Some(late)),
            "ponders" => reply.pondered = pondered(15),
            "spins" => reply.pondered = pondered(214),
            _ => {}
        }
        reply
    }

    fn finish(&mut self, _news: Vec<String>, _replies: Vec<String>, _farewell: Vec<String>) {}
}

fn fake(words: Vec<String>) -> io::Result<Box<dyn LineChannel>> {
    let [_sh, manner, name] = <[String; 3]>::try_from(words).expect("three words");
    Ok(Box::new(Fake {
        manner,
        name,
        is_chaos: false,
        answers: 0,
    }))
}

/// Plays a pair between fake programs on a board of 3 x 3, after `change` was applied to the settings.
fn played(
    name: &str,
    manner: &str,
    change: impl FnOnce(&mut Settings),
) -> (Vec<GameRecord>, Standings) {
    let option = |name: &str| match name {
        "size" => Some("3".to_owned()),
        "pass" => Some(String::new()),
        _ => None,
    };
    let game = GameSettings(game("entropy").by_options(&option).expect("options"));
    let agent = |name: &str, manner: &str| Contestant {
        name: name.to_owned(),
        spec: format!("daemon:sh {manner} {name}"),
        folder: None,
    };
    let agents = vec![agent(name, manner), agent("steady", "steady")];
    let time = TimeControl::Clock {
        seconds: CLOCK,
        increment: 0.0,
    };
    let mut settings = Settings::new(game, agents, time);
    change(&mut settings);
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join("log");
    let mut log = Log::create(&path, &settings).expect("a log");
    let lineup = Lineup::of(&settings, fake).expect("they can play");
    let over = Mutex::new(0);
    let follow = |event: Event| {
        if let Event::Over(_) = event {
            *over.lock().expect("no panic") += 1;
        }
    };
    let standings = play_all(
        (&settings, &lineup),
        Done::new(&settings),
        &mut log,
        1,
        &|| false,
        |_| {},
        &follow,
    );
    let standings = standings.expect("they play");
    assert_eq!(*over.lock().expect("no panic"), 2, "each game is over once");
    drop(log);
    let (_log, contents) = Log::open(&path, GAMES).expect("a log");
    let games = contents.pairs.into_iter().flatten().collect();
    (games, standings)
}

fn kind(game: &GameRecord) -> Option<FaultKind> {
    game.fault.as_ref().map(|fault| fault.kind)
}

#[test]
fn a_game_that_others_ended_is_played_again_and_counts() {
    let (games, standings) = played("unlucky", "kept-once", |_| {});
    assert_eq!(games.len(), 2);
    let first = games[0].first_try.as_ref().expect("it was played again");
    assert_eq!((first.kind, &*first.agent), (FaultKind::Busy, "unlucky"));
    assert!(
        first.reason.contains("it used 0.050 s of CPU time"),
        "{}",
        first.reason
    );
    assert!(
        first
            .reason
            .contains("other programs used its core for 10."),
        "{}",
        first.reason
    );
    assert_eq!(games[1].first_try, None);
    for game in &games {
        assert_eq!((kind(game), game.moves.len()), (None, 17));
        assert_eq!(game.seed, games[0].seed);
    }
    assert!(standings.faults.is_empty());
    let tally = standings.duel().expect("two");
    assert_eq!((tally.faults, tally.busy), ([0, 0], [1, 0]));
}

#[test]
fn a_game_that_others_end_again_counts_with_that_result_and_as_nobodys_fault() {
    for manner in ["kept", "starved"] {
        let (games, standings) = played("unlucky", manner, |_| {});
        for game in &games {
            assert_eq!(kind(game), Some(FaultKind::Busy), "{manner}");
            assert!(game.first_try.is_some(), "{manner}");
            assert_eq!(game.charged_faults().count(), 0, "{manner}");
        }
        assert_eq!(games.len(), 2);
        let scoring = standings.settings.game.about().scoring;
        let result = PairResult::of_meeting(scoring, &games).expect("a pair");
        assert_eq!(result.category, 0, "the other one has won");
        let tally = standings.duel().expect("two");
        assert_eq!((tally.faults, tally.busy), ([0, 0], [2, 2]), "{manner}");
    }
}

#[test]
fn whoever_is_slow_by_itself_is_at_fault_at_once() {
    let (games, standings) = played("slow", "slow", |_| {});
    for game in &games {
        assert_eq!(
            (kind(game), &game.first_try),
            (Some(FaultKind::Overtime), &None)
        );
    }
    let tally = standings.duel().expect("two");
    assert_eq!((tally.faults, tally.busy), ([2, 0], [0, 0]));
}

#[test]
fn on_a_clock_of_cpu_time_others_cost_nothing() {
    let (games, _) = played("unlucky", "kept", |settings| settings.counts = Counts::Cpu);
    assert!(games.iter().all(|game| kind(game).is_none()));
}

#[test]
fn what_is_computed_while_suspended_is_charged_or_a_fault() {
    let freeze = |settings: &mut Settings| settings.ponder = Ponder::Freeze;
    let (games, standings) = played("late", "ponders", freeze);
    for game in &games {
        assert_eq!(kind(game), None);
        let seconds = game.pondered_s.as_ref().and_then(|it| it.both());
        let seconds = seconds.expect("it is measured");
        assert_eq!(seconds.iter().sum::<f64>(), 0.015);
    }
    let tally = standings.duel().expect("two");
    assert!((tally.pondered_s[0] - 0.03).abs() < 1e-9);
    let (games, _) = played("spinner", "spins", freeze);
    for game in &games {
        let fault = game.fault.as_ref().expect("a fault");
        assert_eq!(fault.kind, FaultKind::Suspended);
        let expected =
            "computed while suspended: 0.214 s of CPU time while its opponent was to move";
        assert_eq!(fault.reason, expected);
    }
}

#[test]
fn who_may_ponder_is_named_above_a_hundredth_of_the_opponents_time() {
    // The opponent's 17 answers take 1.7 s in all.
    let (games, standings) = played("spinner", "spins", |_| {});
    assert!(games.iter().all(|game| kind(game).is_none()));
    let [pondered] = standings.pondered()[..] else {
        panic!("one ponders");
    };
    assert_eq!(pondered.agent, "spinner");
    assert!((pondered.seconds - 0.428).abs() < 1e-9);
    assert!((pondered.opponents - 1.7).abs() < 1e-9);
    let (_, standings) = played("modest", "ponders", |_| {});
    assert_eq!(standings.pondered().len(), 1, "0.03 of 1.7 s");
    let (_, standings) = played("steady-too", "steady", |_| {});
    assert_eq!(standings.pondered(), []);
}
