//! Tests the demonstration games: the live board on a terminal, and the final boards and times of the agents.

use std::fs::File;
use std::process::Command;

use crate::support::{TURNWISE, on_a_terminal, stderr, stdout, turnwise};

/// Returns the command of a short demonstration that writes its log to this folder.
fn demo(folder: &tempfile::TempDir) -> Command {
    let mut command = turnwise(&["demo", "--clock", "1", "--seed", "1"]);
    command.current_dir(folder);
    command
}

#[test]
fn a_pipe_gets_final_boards_the_result_and_the_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let demo = demo(&folder).output().expect("the program can be started");
    let shown = stdout(&demo);
    assert!(demo.status.success(), "{shown}");
    for expected in [
        "alpha is Order, omega is Chaos, Chaos begins",
        "omega is Order, alpha is Chaos, Chaos begins",
        " 49. alpha (Chaos) ",
        "Order's score: ",
        "alpha against omega: 1 pair, 2 games",
        "left s",
        "turnwise replay arena-alpha-omega.jsonl",
    ] {
        assert!(shown.contains(expected), "{expected} is missing in {shown}");
    }
    // Each game shows the empty board and the final board.
    assert_eq!(shown.matches("(cols)").count(), 4, "{shown}");
    assert!(!shown.contains(['\x1b', '\r']), "{shown:?}");
    let header = stderr(&demo);
    assert!(
        header.contains("alpha, omega: 1 pair on 5x5, seed 1"),
        "{header}"
    );
}

#[test]
fn nobody_has_to_see_it() {
    let full = || File::create("/dev/full").expect("a full disk");
    let folder = tempfile::tempdir().expect("a folder");
    let unseen = demo(&folder).stdout(full()).stderr(full()).status();
    assert_eq!(unseen.expect("it starts").code(), Some(4));
    let closed = std::io::pipe().expect("a pipe").1;
    let unread = demo(&folder).stdout(closed).stderr(full()).status();
    assert_eq!(unread.expect("it starts").code(), Some(0));
}

#[test]
fn a_terminal_shows_a_live_board_in_place() {
    const COLOR: &str = "\x1b[1;38;5;";
    // The text moves the cursor up by the lines of the previous picture: the move, the board and the empty line below.
    const UP: &str = "\x1b[8A";
    let folder = tempfile::tempdir().expect("a folder");
    let command = format!(
        "cd {} && {TURNWISE} demo --clock 1",
        folder.path().display()
    );
    for (term, no_color, is_live) in [
        ("xterm-256color", "", true),
        ("xterm", "1", true),
        ("dumb", "1", false),
    ] {
        let (shown, succeeds) = on_a_terminal(&command, &[("TERM", term), ("NO_COLOR", no_color)]);
        assert!(succeeds, "{shown}");
        assert_eq!(shown.contains(UP), is_live, "{term}: {shown:?}");
        assert_eq!(shown.contains(COLOR), no_color.is_empty(), "{shown:?}");
        let boards = shown.matches("(cols)").count();
        assert_eq!(boards > 20, is_live, "{term}: {boards} in {shown:?}");
    }
}
