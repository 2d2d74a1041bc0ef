//! Tests `turnwise stdio guesswho` as a process, against an independent referee.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use proptest::prelude::*;
use turnwise_guesswho::board::{Board, Question};

use super::{board_path as path, course};

struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn start(arguments: &[&str]) -> Session {
        let mut child = Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .args(["stdio", "guesswho"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Session {
            child,
            input,
            output,
        }
    }

    fn ask(&mut self, request: &str) -> String {
        writeln!(self.input, "{request}").expect("it listens");
        let mut reply = String::new();
        self.output.read_line(&mut reply).expect("it replies");
        reply.trim_end().to_string()
    }

    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().expect("it ends").success());
    }
}

/// Returns the question in a reply such as `guess Attribute ...` or `guess Person ...`, and its text.
fn question(board: &Board, reply: &str) -> (Question, String) {
    let text = reply
        .strip_prefix("guess ")
        .unwrap_or_else(|| panic!("a guess, not {reply}"));
    let question = match text.split(' ').collect::<Vec<_>>().as_slice() {
        ["Attribute", attribute, value] => {
            let question = board.about_value(attribute, value);
            question.expect("a known pair")
        }
        ["Person", name] => board.about_person(name).expect("a known person"),
        words => panic!("a guess, not {words:?}"),
    };
    (question, text.to_string())
}

#[test]
fn two_processes_play_each_other_for_several_games_on_two_boards() {
    let mut sessions = [
        Session::start(&[]),
        Session::start(&["--player", "random", "--seed", "4"]),
    ];
    for name in ["official_game1_10p", "jm_game3"] {
        let board = course(name);
        let persons = board.everyone().len() as u32;
        for session in &mut sessions {
            assert_eq!(
                session.ask(&format!("load {}", path(name))),
                format!("loaded {persons}")
            );
        }
        for game in 0..6u32 {
            let chosen = [(3 * game) % persons, (7 * game + 2) % persons];
            // The sessions swap seats after each game.
            let seats = if game % 2 == 0 { [0, 1] } else { [1, 0] };
            for turn in 0..2 {
                let name = &board.configuration().persons[chosen[turn] as usize].name;
                assert_eq!(sessions[seats[turn]].ask(&format!("chosen {name}")), "ok");
            }
            let mut finished = false;
            for _round in 0..40 {
                for turn in 0..2 {
                    let (question, text) = question(&board, &sessions[seats[turn]].ask("guess?"));
                    let answer = board.answer(question, chosen[1 - turn]);
                    assert_eq!(
                        sessions[seats[1 - turn]].ask(&format!("answer? {text}")),
                        format!("answer {answer}")
                    );
                    let right = answer && matches!(question, Question::Person(_));
                    assert_eq!(
                        sessions[seats[turn]].ask(&format!("result {text} {answer}")),
                        format!("finished {right}")
                    );
                    finished |= right;
                }
                if finished {
                    break;
                }
            }
            assert!(finished);
        }
    }
    sessions.into_iter().for_each(Session::end);
}

#[test]
fn errors_are_replies_and_change_nothing() {
    let mut session = Session::start(&["--player", "binary"]);
    let official = path("official_game1_10p");
    assert_eq!(
        session.ask("guess?"),
        "error expected load PATH first, got guess?"
    );
    assert!(
        session
            .ask("load /nonexistent")
            .starts_with("error cannot read /nonexistent")
    );
    assert_eq!(session.ask(&format!("load {official}")), "loaded 10");
    assert_eq!(
        session.ask("guess?"),
        "error expected chosen NAME first, got guess?"
    );
    assert_eq!(
        session.ask("chosen P77"),
        "error person P77 is not in the configuration"
    );
    assert_eq!(session.ask("chosen P1"), "ok");
    let guess = session.ask("guess?");
    assert!(
        session
            .ask("load /nonexistent")
            .starts_with("error cannot read")
    );
    assert!(
        session
            .ask("hello")
            .starts_with("error unknown request \"hello\": expected load, chosen,")
    );
    assert!(
        session
            .ask("result hat red")
            .starts_with("error expected \"result Attribute NAME VALUE true|false")
    );
    assert!(
        session
            .ask(&"x".repeat(1_000_000))
            .starts_with("error a request has at most 8192 bytes")
    );
    assert_eq!(session.ask("guess?"), guess);
    assert_eq!(session.ask("answer? Attribute shoes red"), "answer false");
    assert_eq!(session.ask("answer? Person Nobody"), "answer false");
    assert_eq!(session.ask("answer? Person  P1"), "answer true");
    assert_eq!(session.ask("result Person P3 true"), "finished true");
    assert!(
        session
            .ask("result Person P4 true")
            .starts_with("error the answers contradict each other")
    );
    session.end();
}

#[test]
fn quit_ends_it() {
    let mut session = Session::start(&[]);
    assert_eq!(session.ask("quit"), "");
    session.end();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_bytes_are_answered_line_by_line(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut session = Session::start(&["--player", "binary"]);
        let bytes: Vec<u8> = bytes.into_iter().map(|byte| if byte < 16 { b'\n' } else { byte }).collect();
        session.input.write_all(&bytes).expect("it listens");
        drop(session.input);
        let mut replies = Vec::new();
        std::io::Read::read_to_end(&mut session.output, &mut replies).expect("it replies");
        prop_assert!(session.child.wait().expect("it ends").success());
        let lines = bytes.split(|&byte| byte == b'\n').count() - usize::from(bytes.is_empty() || bytes.ends_with(b"\n"));
        let replies = String::from_utf8(replies).expect("replies are UTF-8");
        prop_assert_eq!(replies.lines().count(), lines);
        prop_assert!(replies.lines().all(|reply| reply.starts_with("error ")));
    }
}
