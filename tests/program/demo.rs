//! Tests the demonstration game that the program shows.
//!
//! The tests cover the live board on a terminal, plain lines elsewhere, the final boards, and the time budgets.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The time limit for every wait, much longer than any wait should take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns a lock that lets only one demonstration run at a time, because its players play against real clocks.
fn alone() -> MutexGuard<'static, ()> {
    static RUNNING: Mutex<()> = Mutex::new(());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn demo(clock: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
    command.args(["demo", "--clock", clock, "--seed", "1"]);
    command.env_remove("NO_COLOR");
    command
}

#[test]
fn a_pipe_gets_plain_lines_boards_and_budgets() {
    let _alone = alone();
    let demo = demo("5").output().expect("the program can be started");
    let stdout = String::from_utf8(demo.stdout).expect("text");
    assert!(demo.status.success(), "{stdout}");
    for expected in [
        "Game 1 of 2, move 1: score 0, ORDER 5.0 s, CHAOS 5.0 s left",
        "Game 2 of 2, move 1: ",
        "(cols)",
        "alpha as ORDER:",
        "Time budget of omega",
        "left s",
    ] {
        assert!(
            stdout.contains(expected),
            "{expected} is missing in {stdout}"
        );
    }
    assert!(!stdout.contains(['\x1b', '\r']), "{stdout:?}");
    for line in stdout.lines().filter(|line| line.starts_with('|')) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn nobody_has_to_see_it() {
    let _alone = alone();
    let full = || File::create("/dev/full").expect("a full disk");
    let unseen = demo("2").stdout(full()).stderr(full()).status();
    assert_eq!(unseen.expect("it starts").code(), Some(4));
    let closed = std::io::pipe().expect("a pipe").1;
    let unread = demo("2").stdout(closed).stderr(full()).status();
    assert_eq!(unread.expect("it starts").code(), Some(0));
}

/// A demonstration that runs on a separate pseudo-terminal.
struct Terminal {
    child: Child,
    output: Receiver<Vec<u8>>,
    shown: String,
}

impl Terminal {
    fn start((columns, rows): (u16, u16), clock: &str, environment: [(&str, &str); 2]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("it is ours");
        unlockpt(&master).expect("it is ours");
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).expect("it has a size");
        let name = ptsname(&master, Vec::new()).expect("it has a name");
        let slave: OwnedFd =
            open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("it opens");
        let child = demo(clock)
            .envs(environment)
            .stdout(slave)
            .spawn()
            .expect("the program can be started");
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut master = File::from(master);
            let mut chunk = [0; 4096];
            // Once no process has the other end open, reading fails with EIO on Linux.
            while let Ok(length @ 1..) = master.read(&mut chunk) {
                if send.send(chunk[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            output,
            shown: String::new(),
        }
    }

    /// Waits until the output contains this text.
    fn shows(&mut self, expected: &str) {
        while !self.shown.contains(expected) {
            let more = self.output.recv_timeout(PATIENCE);
            let more = more.unwrap_or_else(|_| panic!("no {expected:?} in {}", self.shown));
            self.shown += &String::from_utf8_lossy(&more);
        }
    }

    /// Returns the output up to the end of the first game.
    fn first_game(mut self) -> String {
        self.shows(" as ORDER: ");
        let end = self.shown.find(" as ORDER: ").expect("it was shown");
        self.shown[..end].to_owned()
    }

    /// Waits until the demonstration exits, and returns its whole output and its exit code.
    fn ends(mut self) -> (String, Option<i32>) {
        while let Ok(more) = self.output.recv_timeout(PATIENCE) {
            self.shown += &String::from_utf8_lossy(&more);
        }
        let status = self.child.wait().expect("it ends");
        (std::mem::take(&mut self.shown), status.code())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The control sequence that moves the cursor up to the start of the picture, eleven lines on a 5 by 5 board.
const UP: &str = "\x1b[11A";
const COLOUR: &str = "\x1b[1;38;5;";

#[test]
fn a_terminal_shows_a_live_board_in_place() {
    let _alone = alone();
    for (no_color, columns) in [("", 80), ("1", 40)] {
        let environment = [("TERM", "xterm-256color"), ("NO_COLOR", no_color)];
        let shown = Terminal::start((columns, 24), "2", environment).first_game();
        // This test ignores the final boards of games.
        let (mut pictures, mut coloured) = (0, false);
        for picture in shown.split(UP).filter(|text| text.starts_with("Game")) {
            pictures += 1;
            let picture = picture.split("\x1b[J").next().expect("a beginning");
            assert_eq!(picture.lines().count(), 11, "{picture:?}");
            assert!(picture.contains("score so far"), "{picture:?}");
            let lines = picture.lines().skip(7);
            assert!(lines.map(str::len).all(|length| length < 40), "{picture:?}");
            coloured |= picture.contains(COLOUR);
        }
        assert!(pictures > 5, "{pictures} in {shown:?}");
        assert_eq!(coloured, no_color.is_empty());
        assert!(!shown.contains("score 0, ORDER"), "no plain lines: {shown}");
    }
}

#[test]
fn a_terminal_that_is_dumb_or_too_small_gets_plain_lines() {
    let _alone = alone();
    for (term, size) in [("dumb", (80, 24)), ("xterm", (20, 24)), ("xterm", (80, 8))] {
        let environment = [("TERM", term), ("NO_COLOR", "1")];
        let shown = Terminal::start(size, "1", environment).first_game();
        assert!(shown.contains("Game 1 of 2, move 1: score 0"), "{shown}");
        assert!(!shown.contains(UP), "{shown:?}");
    }
}

#[test]
fn a_signal_leaves_the_terminal_in_order() {
    let _alone = alone();
    let environment = [("TERM", "xterm"), ("NO_COLOR", "")];
    let mut terminal = Terminal::start((80, 24), "1000", environment);
    terminal.shows(UP);
    kill_process(Pid::from_child(&terminal.child), Signal::INT).expect("it runs");
    let (shown, code) = terminal.ends();
    assert_eq!(code, Some(130), "{shown}");
    assert!(
        shown.ends_with("Stopped before the end of the match.\r\n"),
        "{shown:?}"
    );
    // The program changed no mode of the terminal, so it leaves no mode changed.
    assert!(!shown.contains("\x1b[?"), "{shown:?}");
}
