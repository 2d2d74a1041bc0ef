//! Tests matches with external programs: the messages exchanged, and the fault that an incorrect reply causes.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::outside::{LineChannel, Reply};
use turnwise_engine::player::{Allowance, Failure, FaultKind};
use turnwise_engine::plugin::{AgentOptions, AnyGame, Meeting, Seat, UntypedGame};
use turnwise_guesswho::board::Board;
use turnwise_guesswho::conversation::Conversation;
use turnwise_guesswho::match_game::Settings;
use turnwise_guesswho::parse::{self, Strictness};
use turnwise_guesswho::strategies::StrategyKind;

use super::at_the_table::settings;
use super::boards::course;

/// The lines exchanged with a program. Lines that begin with `>` went to it, lines that begin with `<` came from it.
type Said = Arc<Mutex<Vec<String>>>;

/// The path that the program receives as the path of the board's file. No file exists there.
const PATH: &str = "/of a/board.config";

/// Simulates the program `turnwise stdio guesswho` without a process. The function `change` may alter its replies.
struct InProcess {
    lines: Vec<String>,
    said: Said,
    board: String,
    kind: StrategyKind,
    change: fn(&str) -> String,
}

impl InProcess {
    /// Returns the program's reply to the last of the lines that it has received in this game.
    fn reply(&self) -> Option<String> {
        let mut load = |path: &str| {
            assert_eq!(path, PATH);
            let parsed = parse::configuration(&self.board, Strictness::Strict);
            Ok(Board::new(parsed.expect("a sound board").configuration))
        };
        let random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut conversation = Conversation::new(self.kind, random, &mut load);
        let mut last = None;
        for line in &self.lines {
            last = match conversation.reply(Some(line.as_bytes())) {
                ControlFlow::Continue(reply) => Some(reply),
                ControlFlow::Break(()) => None,
            };
        }
        last
    }

    fn hear(&mut self, line: String) -> String {
        self.said
            .lock()
            .expect("nobody panics")
            .push(format!("> {line}"));
        self.lines.push(line);
        let reply = (self.change)(&self.reply().unwrap_or_default());
        self.said
            .lock()
            .expect("nobody panics")
            .push(format!("< {reply}"));
        reply
    }
}

impl LineChannel for InProcess {
    fn file(&mut self, name: &str, content: &str) -> io::Result<PathBuf> {
        assert_eq!(name, "board.config");
        self.board = content.to_owned();
        Ok(PathBuf::from(PATH))
    }

    fn begin(&mut self, greeting: Vec<String>, _is_first: bool) -> io::Result<()> {
        assert_eq!(
            greeting, [""; 0],
            "it is said when its replies are waited for"
        );
        self.lines.clear();
        Ok(())
    }

    fn ask(&mut self, lines: Vec<String>, _patience: Duration) -> Reply<String> {
        assert_eq!(lines.len(), 1, "every line has its reply");
        let reply = lines.into_iter().map(|line| self.hear(line)).next_back();
        Reply {
            said: reply.ok_or_else(|| Failure::new(FaultKind::Silence, "it was not asked")),
            wall: Duration::from_millis(1),
            cpu: Some(Duration::from_millis(2)),
            pondered: None,
            others: None,
        }
    }

    fn finish(&mut self, news: Vec<String>, _replies: Vec<String>, farewell: Vec<String>) {
        for line in news {
            self.hear(line);
        }
        assert_eq!(farewell, ["quit"]);
        self.said
            .lock()
            .expect("nobody panics")
            .push("> quit".to_owned());
    }
}

fn program(kind: StrategyKind, change: fn(&str) -> String) -> (Seat<'static>, Said) {
    let said = Said::default();
    let channel = InProcess {
        lines: Vec::new(),
        said: said.clone(),
        board: String::new(),
        kind,
        change,
    };
    let seat = Seat::Lines {
        wire: "guesswho",
        channel: Box::new(channel),
    };
    (seat, said)
}

/// Plays a game to its end or to the first fault. Returns the moves and the fault, if any.
fn play(pair: &mut Meeting) -> (Vec<String>, Option<(usize, Failure)>) {
    let mut moves = Vec::new();
    while let Some(side) = pair.turn() {
        let asked = pair.ask(side, Allowance::default()).expect("it is here");
        assert_eq!(asked.answer.cpu.map(|cpu| cpu / 2), Some(asked.answer.wall));
        let fault = match (asked.answer.mv, asked.objection) {
            (Ok(mv), None) => {
                moves.push(mv);
                pair.play();
                continue;
            }
            (Ok(mv), Some(objection)) => {
                Failure::new(FaultKind::Illegal, format!("{mv}: {objection}"))
            }
            (Err(failure), _) => failure,
        };
        pair.finish(true);
        return (moves, Some((side, fault)));
    }
    pair.finish(false);
    (moves, None)
}

fn as_is(reply: &str) -> String {
    reply.to_owned()
}

#[test]
fn two_programs_play_a_pair_each_told_what_is_its_own() {
    let settings: Settings = settings(&course("official_game1_10p"));
    for seed in 0..20 {
        let (first, one) = program(StrategyKind::Custom, as_is);
        let (second, two) = program(StrategyKind::Binary, as_is);
        let mut pair = Meeting::new(Arc::new(settings.clone()), vec![first, second], seed, 0)
            .expect("both speak it");
        let mut chosen = Vec::new();
        for is_swapped in [false, true] {
            pair.begin(1 + u8::from(is_swapped), 0)
                .expect("they sit down");
            let (moves, fault) = play(&mut pair);
            assert_eq!(fault, None);
            let result = pair.outcome(None, None).expect("a result");
            settings.meaning(&result).expect("its own");
            let mut players = [&one, &two];
            if is_swapped {
                players.reverse();
            }
            let told = players.map(|said| std::mem::take(&mut *said.lock().expect("no panic")));
            for (side, said) in told.iter().enumerate() {
                assert_eq!(said[0], format!("> load {PATH}"));
                assert_eq!(said[1], "< loaded 10");
                assert_eq!(said[3], "< ok");
                assert_eq!(said.last().map(String::as_str), Some("> quit"));
                assert_eq!(requests(said), expected(&moves, side), "{said:?}");
            }
            let persons = result.get("chosen").expect("a log tells them").clone();
            let named = told.each_ref().map(|said| said[2].replace("> chosen ", ""));
            assert_eq!(serde_json::json!(named), persons);
            chosen.push(named);
        }
        assert_eq!(chosen[0], chosen[1], "the roles keep their persons");
    }
}

/// Returns the requests that a program received after the start of the game.
fn requests(said: &[String]) -> Vec<&str> {
    let heard = said.iter().filter_map(|line| line.strip_prefix("> "));
    heard.skip(2).filter(|&line| line != "quit").collect()
}

/// Returns the requests that a program must receive in a game with these moves, in the order of the course's framework.
fn expected(moves: &[String], side: usize) -> Vec<String> {
    let mut requests = Vec::new();
    let mut result = None;
    for (at, turn) in moves.chunks(2).enumerate() {
        let (guess, answer) = (
            turn[0].replace("guess ", ""),
            turn[1].replace("answer ", ""),
        );
        if at % 2 == side {
            requests.push("guess?".to_owned());
            result = Some(format!("result {guess} {answer}"));
        } else {
            requests.extend(result.take());
            requests.push(format!("answer? {guess}"));
        }
    }
    requests.extend(result);
    requests
}

#[test]
fn a_wrong_reply_is_the_fault_of_whoever_gave_it() {
    type Change = fn(&str) -> String;
    let cases: [(Change, FaultKind, &str); 7] = [
        (
            |reply| reply.replace("loaded 10", "loaded 9"),
            FaultKind::Garbage,
            "expected `loaded 10` after `load /of a/board.config`, got `loaded 9`",
        ),
        (
            |reply| reply.replace("ok", "error no such person"),
            FaultKind::Garbage,
            "expected `ok` after `chosen ",
        ),
        (
            |reply| match reply {
                "answer true" => "answer false".to_owned(),
                "answer false" => "answer true".to_owned(),
                _ => reply.to_owned(),
            },
            FaultKind::Illegal,
            "is to be answered",
        ),
        (
            |reply| reply.replace("finished false", "finished true"),
            FaultKind::Garbage,
            "expected `finished false` after `result ",
        ),
        (
            |reply| match reply.starts_with("guess") {
                true => "guess Attribute hat purple".to_owned(),
                false => reply.to_owned(),
            },
            FaultKind::Illegal,
            "`guess Attribute hat purple`: it is not on the board",
        ),
        (
            |reply| reply.replace("guess", "I guess"),
            FaultKind::Garbage,
            "expected `guess Attribute NAME VALUE` or `guess Person NAME`, got `I guess",
        ),
        (
            |reply| reply.replace("answer ", "answer: "),
            FaultKind::Garbage,
            "expected `answer true` or `answer false`, got `answer: ",
        ),
    ];
    let settings: Settings = settings(&course("official_game1_10p"));
    let options = AgentOptions::default();
    let resources = settings.resources("binary", &options).expect("none");
    for (change, kind, part) in cases {
        for is_swapped in [false, true] {
            let honest = Seat::BuiltIn {
                name: "binary",
                options: &options,
                resources: &resources,
                nodes: None,
                seed: 1,
            };
            let (liar, _) = program(StrategyKind::Binary, change);
            // The liar's opponent is an honest built-in agent, whose time is measured.
            let mut pair = Meeting::new(Arc::new(settings.clone()), vec![liar, honest], 7, 0)
                .expect("both play it");
            pair.begin(1 + u8::from(is_swapped), 0)
                .expect("they sit down");
            let mut fault = None;
            while let (None, Some(side)) = (&fault, pair.turn()) {
                let asked = pair.ask(side, Allowance::default()).expect("it is here");
                match (asked.answer.mv, asked.objection) {
                    (Ok(_), None) => pair.play(),
                    (Ok(_), Some(objection)) => {
                        fault = Some((side, Failure::new(FaultKind::Illegal, objection)));
                    }
                    (Err(failure), _) => fault = Some((side, failure)),
                }
            }
            let (side, failure) = fault.expect("it is found out");
            assert_eq!(side, usize::from(is_swapped), "{failure:?}");
            assert_eq!(failure.kind, kind, "{failure:?}");
            assert!(failure.reason.contains(part), "{failure:?}");
            pair.finish(true);
            let lost = settings
                .meaning(&pair.outcome(Some(side), None).expect("a result"))
                .expect("its own");
            assert_eq!(lost.score, if side == 0 { 0.0 } else { 1.0 });
        }
    }
}
