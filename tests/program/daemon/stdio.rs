//! Tests players that communicate over stdin and stdout.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::daemon::process::Daemon;
use crate::referee::{self, Player, Side, codecup};
use rustix::process::Signal;

struct Pipes {
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    codecup: bool,
}

impl Pipes {
    fn of(daemon: &mut Daemon, codecup: bool) -> Self {
        Self {
            stdin: daemon.child.stdin.take().unwrap(),
            stdout: BufReader::new(daemon.child.stdout.take().unwrap()),
            codecup,
        }
    }

    /// Closes the player's stdin, and asserts that the player writes nothing more than the answers already read.
    fn ends(mut self) {
        drop(self.stdin);
        let mut rest = String::new();
        self.stdout.read_line(&mut rest).unwrap();
        assert_eq!(rest, "");
    }
}

impl Player for Pipes {
    fn tell(&mut self, lines: &str, _asked: bool) {
        let told = if self.codecup {
            lines.lines().map(codecup).collect()
        } else {
            lines.to_owned()
        };
        self.stdin.write_all(told.as_bytes()).unwrap();
    }

    fn answer(&mut self) -> Vec<usize> {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let line = line.strip_suffix('\n').expect("a whole line");
        if self.codecup {
            let number = |byte: u8| match byte {
                b'A'..=b'G' => usize::from(byte - b'A'),
                b'a'..=b'g' => usize::from(byte - b'a'),
                _ => panic!("{line:?}"),
            };
            line.bytes().map(number).collect()
        } else {
            line.split(' ').map(|word| word.parse().unwrap()).collect()
        }
    }
}

#[test]
fn entropy_plays_games_until_stdin_ends() {
    let mut daemon = Daemon::start(&["stdio", "entropy", "--clock", "1"]);
    let mut pipes = Pipes::of(&mut daemon, false);
    referee::play(&mut pipes, Side::Order, 4, 1, usize::MAX);
    referee::play(&mut pipes, Side::Chaos, 3, 2, usize::MAX);
    pipes.ends();
    assert_eq!(daemon.exit_code(), 0);
    assert_eq!((daemon.events("game"), daemon.events("abandoned")), (2, 0));
}

/// A manager that, like CodeCup's manager, stops its player's process between questions.
///
/// It stops the player after it has read an answer, and resumes the player with the next question.
struct Suspending<'a> {
    pipes: Pipes,
    daemon: &'a Daemon,
}

impl Player for Suspending<'_> {
    fn tell(&mut self, lines: &str, asked: bool) {
        self.pipes.tell(lines, asked);
        self.daemon.signal(Signal::CONT);
    }

    fn answer(&mut self) -> Vec<usize> {
        let answer = self.pipes.answer();
        self.daemon.signal(Signal::STOP);
        std::thread::sleep(Duration::from_millis(100));
        answer
    }
}

#[test]
fn what_passes_while_the_manager_suspends_us_is_not_our_time() {
    let mut daemon = Daemon::start(&["stdio", "entropy", "--clock", "1"]);
    let pipes = Pipes::of(&mut daemon, false);
    let mut suspending = Suspending {
        pipes,
        daemon: &daemon,
    };
    referee::play(&mut suspending, Side::Chaos, 5, 4, usize::MAX);
    daemon.signal(Signal::CONT);
    suspending.pipes.ends();
    assert_eq!(daemon.exit_code(), 0);
    let log = daemon.log();
    let game = log.iter().find(|record| record["event"] == "game");
    let used = game.expect("a whole game")["clock_used_s"].as_f64();
    // In total, the player was stopped for two and a half seconds, which must not count as used time.
    assert!(used < Some(1.5), "{used:?} s used of 1 s");
}

#[test]
fn codecup_plays_either_side_until_it_hears_quit() {
    for (side, threads) in [(Side::Order, "1"), (Side::Chaos, "2")] {
        let arguments = ["stdio", "codecup", "--clock", "1", "--threads", threads];
        let mut daemon = Daemon::start(&arguments);
        let mut pipes = Pipes::of(&mut daemon, true);
        referee::play(&mut pipes, side, 7, 3, usize::MAX);
        pipes.stdin.write_all(b"Quit\n").unwrap();
        assert_eq!(daemon.exit_code(), 0);
        assert_eq!((daemon.events("game"), daemon.events("abandoned")), (1, 0));
        pipes.ends();
    }
}

/// Computes the score of a printed board.
///
/// Each palindrome of two or more tiles in a row or column counts its length.
fn naive_score(board: &str) -> usize {
    let rows: Vec<Vec<&str>> = (board.lines().skip(1))
        .map(|row| row.split_whitespace().skip(1).collect())
        .collect();
    let size = rows.len();
    let columns = (0..size).map(|column| rows.iter().map(|row| row[column]).collect());
    let lines: Vec<Vec<&str>> = columns.chain(rows.iter().cloned()).collect();
    let mut score = 0;
    for line in lines {
        assert_eq!(line.len(), size, "{board}");
        for first in 0..size {
            for last in first + 1..size {
                let part = &line[first..=last];
                assert!(!part.contains(&"."), "{board}");
                if part.iter().eq(part.iter().rev()) {
                    score += part.len();
                }
            }
        }
    }
    score
}

#[test]
fn codecups_order_has_played_a_whole_game_whether_or_not_it_is_told_the_last_placement() {
    for turns in [48, 49] {
        for goodbye in [&b"Quit\n"[..], b""] {
            let mut daemon = Daemon::start(&["stdio", "codecup", "--clock", "1"]);
            let mut pipes = Pipes::of(&mut daemon, true);
            referee::play(&mut pipes, Side::Order, 7, 3, turns);
            pipes.stdin.write_all(goodbye).unwrap();
            pipes.ends();
            assert_eq!(daemon.exit_code(), 0);
            assert_eq!((daemon.events("game"), daemon.events("abandoned")), (1, 0));
            let log = daemon.log();
            let game = log.iter().find(|record| record["event"] == "game").unwrap();
            let board = game["board"].as_str().unwrap();
            assert_eq!(game["order_score"], naive_score(board), "{board}");
            assert_eq!(game["moves"], 48);
        }
    }
}

#[test]
fn codecups_games_that_end_earlier_are_abandoned() {
    for (side, turns) in [(Side::Order, 47), (Side::Chaos, 48)] {
        let mut daemon = Daemon::start(&["stdio", "codecup", "--clock", "1"]);
        let mut pipes = Pipes::of(&mut daemon, true);
        referee::play(&mut pipes, side, 7, 3, turns);
        pipes.stdin.write_all(b"Quit\n").unwrap();
        pipes.ends();
        assert_eq!(daemon.exit_code(), 0);
        assert_eq!((daemon.events("game"), daemon.events("abandoned")), (0, 1));
    }
}

#[test]
fn a_pass_that_is_not_allowed_is_followed_and_says_what_allows_it() {
    for (options, complaints) in [(&[][..], 1), (&["--pass"], 0)] {
        let arguments = [&["stdio", "entropy", "--clock", "1"], options].concat();
        let mut daemon = Daemon::start(&arguments);
        let mut pipes = Pipes::of(&mut daemon, false);
        pipes.tell("2\nCHAOS\nA\n", true);
        let [row, column] = pipes.answer()[..] else {
            panic!("expected a placement");
        };
        pipes.tell(&format!("{row} {column} {row} {column}\nB\n"), true);
        pipes.answer();
        pipes.ends();
        assert_eq!(daemon.exit_code(), 0);
        let stderr = daemon.stderr();
        assert_eq!(stderr.matches("--pass").count(), complaints, "{stderr}");
    }
}

#[test]
fn what_was_asked_before_the_end_of_stdin_is_answered() {
    let mut daemon = Daemon::start(&["stdio", "entropy", "--clock", "1000"]);
    let mut stdin = daemon.child.stdin.take().unwrap();
    stdin.write_all(b"5\nCHAOS\nA\n").unwrap();
    drop(stdin);
    assert_eq!(daemon.exit_code(), 0);
    let answer = daemon.stdout();
    assert_eq!(answer.lines().count(), 1, "{answer:?}");
    assert_eq!(answer.split_whitespace().count(), 2, "{answer:?}");
    assert_eq!(daemon.events("abandoned"), 1);
    daemon.wait_for_message("the input ended; answering at once");
    let stderr = daemon.stderr();
    assert!(!stderr.contains("the time was up"), "{stderr}");
    assert!(!stderr.contains("the server"), "there is none: {stderr}");
    let log = daemon.log();
    let mv = log.iter().find(|record| record["event"] == "move").unwrap();
    assert!(
        mv["depth"].as_u64().unwrap() > 0,
        "the search's own move: {mv}"
    );
}

#[test]
fn all_that_was_asked_before_the_end_of_stdin_is_answered() {
    let mut daemon = Daemon::start(&["stdio", "entropy", "--clock", "1000"]);
    let mut stdin = daemon.child.stdin.take().unwrap();
    stdin
        .write_all(b"3\nCHAOS\nA\n0 0 0 1\nB\n0 2 1 2\nC\n")
        .unwrap();
    drop(stdin);
    assert_eq!(daemon.exit_code(), 0);
    assert_eq!(daemon.stdout().lines().count(), 3);
    assert!(!daemon.stderr().contains("the time was up"));
}

#[test]
fn a_flood_of_readable_nonsense_does_not_fill_the_log() {
    let mut daemon = Daemon::start(&["stdio", "entropy", "--clock", "1000"]);
    let mut stdin = daemon.child.stdin.take().unwrap();
    stdin.write_all(b"5\nORDER\n").unwrap();
    for nonsense in [
        &b"9 9 9 9\n"[..],
        b"ORDER\n",
        b"hello\n",
        b"99\n",
        b"1 1 1 1\n",
    ] {
        stdin.write_all(&nonsense.repeat(1_000)).unwrap();
    }
    drop(stdin);
    assert_eq!(daemon.exit_code(), 0);
    let complaints = daemon.stderr().matches("ignored").count();
    assert!((50..=100).contains(&complaints), "{complaints}");
}

#[test]
fn a_full_disk_is_told_of_once_and_the_game_goes_on() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(["stdio", "entropy", "--clock", "1000", "--log", "/dev/full"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"5\nCHAOS\nA\n").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let [stdout, stderr] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    assert_eq!(stdout.lines().count(), 1, "{stdout:?}");
    assert_eq!(stderr.matches("records are lost").count(), 1, "{stderr}");
}

#[test]
fn as_many_threads_search_as_were_asked_for() {
    let mut daemon = Daemon::start(&["stdio", "entropy", "--clock", "1000", "--threads", "3"]);
    let mut pipes = Pipes::of(&mut daemon, false);
    pipes.stdin.write_all(b"7\nCHAOS\nA\n").unwrap();
    daemon.waits_for_thread("search 1");
    daemon.waits_for_thread("search 2");
}

#[test]
fn a_number_of_threads_is_a_number_and_not_too_many() {
    for threads in ["0", "65", "two"] {
        let mut daemon = Daemon::start(&["stdio", "entropy", "--threads", threads]);
        assert_eq!(daemon.exit_code(), 2);
        let stderr = daemon.stderr();
        assert!(stderr.contains("from 1 to 64"), "{stderr}");
    }
}

#[test]
fn a_closed_stdout_ends_the_player_with_an_error() {
    let mut daemon = Daemon::start(&["stdio", "entropy", "--clock", "0.5"]);
    drop(daemon.child.stdout.take());
    let mut stdin = daemon.child.stdin.take().unwrap();
    stdin.write_all(b"2\nCHAOS\nA\n").unwrap();
    assert_eq!(daemon.exit_code(), 1);
    assert!(daemon.stderr().contains("stdout"), "{}", daemon.stderr());
}
