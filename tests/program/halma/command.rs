//! Tests the command `turnwise halma` as a process: its files, its errors and its clock.

use std::fs;

use tempfile::TempDir;
use turnwise_halma::files::position;
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::squares::{Square, Squares};
use turnwise_protocol::halma::{Input, Mode};

use crate::support::{file_names, stderr};

use super::positions::{after_random_moves, scattered};
use super::{folder, input, judged, run};

#[test]
fn the_examples_of_the_text_are_answered() {
    let examples = [
        include_str!("../../../protocol/tests/halma/start.in"),
        include_str!("../../../protocol/tests/halma/example1.in"),
        include_str!("../../../protocol/tests/halma/example2.in"),
        include_str!("../../../protocol/tests/halma/example3.in"),
    ];
    for text in examples {
        for rules in Rules::ALL {
            let parsed = Input::parse(text.as_bytes()).expect("an example");
            let at = position(&parsed, rules);
            let quick = Input {
                seconds: 0.2,
                ..parsed
            };
            let folder = folder(&quick.to_string());
            let output = run(folder.path(), &["--rules", &rules.to_string()]);
            assert!(output.status.success(), "{output:?}");
            assert_eq!(stderr(&output), "");
            judged(folder.path(), &at);
            assert_eq!(file_names(folder.path()), ["input.txt", "output.txt"]);
        }
    }
}

#[test]
fn the_answers_of_the_text_are_legal() {
    let at = |text: &str| {
        position(
            &Input::parse(text.as_bytes()).expect("an example"),
            Rules::Base,
        )
    };
    let mv = |from: (u8, u8), to: (u8, u8)| Move {
        from: Square::at(from.0, from.1),
        to: Square::at(to.0, to.1),
    };
    let start = at(include_str!("../../../protocol/tests/halma/start.in"));
    assert!(start.is_legal(mv((11, 15), (10, 15))));
    assert!(start.is_legal(mv((12, 15), (10, 13))));
    let first = at(include_str!("../../../protocol/tests/halma/example1.in"));
    assert!(first.is_legal(mv((4, 3), (3, 2))));
    assert!(first.is_legal(mv((4, 3), (3, 3))));
    let second = at(include_str!("../../../protocol/tests/halma/example2.in"));
    assert!(second.is_legal(mv((4, 3), (2, 1))));
    let third = at(include_str!("../../../protocol/tests/halma/example3.in"));
    let path = third.path(mv((9, 9), (13, 13))).expect("legal");
    assert_eq!(
        path,
        [(9, 9), (11, 9), (11, 11), (13, 13)].map(|(x, y)| Square::at(x, y))
    );
}

#[test]
fn crlf_and_trailing_blanks_are_read() {
    let at = after_random_moves(3, 30, Rules::Addendum);
    let text = input(&at, Mode::Single, 0.05).replace('\n', " \t\r\n") + "\r\n";
    let folder = folder(&text);
    assert!(run(folder.path(), &[]).status.success());
    judged(folder.path(), &at);
}

#[test]
fn malformed_input_leaves_no_answer() {
    let good = input(&Position::start(Color::Black, Rules::Base), Mode::Game, 1.0);
    let cases = [
        (
            good.replace("GAME", "game"),
            "line 1: expected SINGLE or GAME, got \"game\"",
        ),
        (
            good.replace("BLACK", "black"),
            "line 2: expected BLACK or WHITE, got \"black\"",
        ),
        (
            good.replace("1.0", "0"),
            "line 3: expected a positive number of seconds, got \"0\"",
        ),
        (
            good.replacen("BBBBB", "BBBB", 1),
            "line 4: expected 16 letters",
        ),
        (
            String::new(),
            "line 1: expected SINGLE or GAME, got the end of the file",
        ),
        ("x".repeat(1 << 17), "larger than 64 KiB"),
    ];
    for (text, message) in cases {
        let folder = folder(&text);
        fs::write(folder.path().join("output.txt"), "E 0,0 1,1\n").expect("an old answer");
        let output = run(folder.path(), &[]);
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(file_names(folder.path()), ["input.txt"]);
    }
    let empty = TempDir::new().expect("a folder");
    let output = run(empty.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there is no input.txt"));
}

#[test]
fn a_blank_line_at_the_beginning_is_read() {
    let at = after_random_moves(3, 30, Rules::Addendum);
    for blank in ["\n", "\r\n", " \n\n"] {
        let folder = folder(&(blank.to_owned() + &input(&at, Mode::Single, 0.05)));
        let output = run(folder.path(), &[]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(stderr(&output), "");
        judged(folder.path(), &at);
    }
}

#[test]
fn a_file_with_notes_is_played_with_a_warning() {
    let at = after_random_moves(3, 30, Rules::Addendum);
    for (daemon, mode) in [("off", Mode::Single), ("own", Mode::Game)] {
        let text = format!("\u{feff}{}\nnotes\0", input(&at, mode, 0.05));
        let folder = folder(&text);
        let output = run(folder.path(), &["--daemon", daemon]);
        assert!(output.status.success(), "{output:?}");
        let mode = text.lines().next().expect("a line");
        assert_eq!(
            stderr(&output),
            format!(
                "turnwise halma: input.txt, line 1: expected SINGLE or GAME, got {mode:?}; playing anyway\n\
                 turnwise halma: input.txt, line 21: expected the end of the file, got \"notes\\0\"; \
                 playing anyway\n"
            )
        );
        judged(folder.path(), &at);
    }
}

#[test]
fn other_numbers_of_pieces_get_an_answer_and_a_warning() {
    for (seed, black, white) in [(0, 18, 19), (1, 20, 19), (2, 1, 1), (3, 40, 3), (4, 0, 19)] {
        for mode in [Mode::Single, Mode::Game] {
            let rules = Rules::ALL[seed as usize % 2];
            let at = scattered(16 * seed, black, white, rules).with_to_move(Color::White);
            assert!(!at.moves().is_empty());
            let [black, white] = Color::BOTH.map(|color| at.pieces(color).count());
            let folder = folder(&input(&at, mode, 0.1));
            let output = run(folder.path(), &["--rules", &rules.to_string()]);
            assert!(output.status.success(), "{output:?}");
            assert_eq!(
                stderr(&output),
                format!(
                    "turnwise halma: input.txt: expected 19 B and 19 W, got {black} B and {white} W; \
                     continuing with these\n"
                )
            );
            judged(folder.path(), &at);
        }
    }
}

#[test]
fn when_the_game_is_over_that_is_said_and_a_legal_move_is_written_all_the_same() {
    let goal = Color::White.goal();
    let square = |(x, y)| Square::at(x, y);
    // White's pieces fill Black's camp, except for three squares that Black's own pieces hold.
    let held: Squares = [(0, 0), (1, 0), (0, 1)].map(square).into_iter().collect();
    let black: Squares = (0..16).map(|x| square((x, 8))).collect();
    let outside: Squares = [(9, 12), (9, 13), (9, 14)]
        .map(square)
        .into_iter()
        .collect();
    let at = |white, black, to_move| {
        Position::new(black, white, to_move, Rules::Addendum).expect("apart")
    };
    let mixed = |to_move| at((goal & !held) | outside, black | held, to_move);
    let alone = at(
        goal,
        black | [(8, 9), (8, 10), (8, 11)].map(square).into_iter().collect(),
        Color::Black,
    );
    for (at, told) in [
        (alone, "the game is over: White has filled Black's camp\n"),
        (
            mixed(Color::Black),
            "the game is over: White has filled Black's camp\n",
        ),
        (
            mixed(Color::White),
            "Black's camp is full: the game is over, unless Black has just filled it itself\n",
        ),
    ] {
        for mode in [Mode::Single, Mode::Game] {
            let folder = folder(&input(&at, mode, 0.1));
            let output = run(folder.path(), &[]);
            assert!(output.status.success(), "{output:?}");
            assert_eq!(stderr(&output), format!("turnwise halma: {told}"));
            judged(folder.path(), &at);
        }
    }
    // The winner has no move, because all its pieces are in the camp, and the camp is full.
    let folder = folder(&input(&alone.with_to_move(Color::White), Mode::Game, 1.0));
    let output = run(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output),
        "turnwise halma: the game is over: White has filled Black's camp\n\
         turnwise: White has no legal move, so there is no output.txt\n"
    );
    assert_eq!(file_names(folder.path()), ["input.txt"]);
    // While the camp is not full, the game is not over.
    let start = Position::start(Color::Black, Rules::Addendum);
    assert_eq!(
        stderr(&run(
            self::folder(&input(&start, Mode::Game, 0.1)).path(),
            &[]
        )),
        ""
    );
}

#[test]
fn what_killed_moves_have_left_is_cleared_by_the_next() {
    let at = Position::start(Color::Black, Rules::Addendum);
    for mode in [Mode::Single, Mode::Game] {
        let folder = folder(&input(&at, mode, 0.05));
        let mut kept = vec![
            "input.txt",
            "output.txt",
            ".playdata.txt.old.tmp",
            "playdata.txt.1.tmp",
        ];
        for name in &kept[2..] {
            fs::write(folder.path().join(name), "mine").expect("a file");
        }
        for name in [
            ".playdata.txt.a1B2c3D4e5F6.tmp",
            ".playdata.txt.000000000000.tmp",
            ".output.txt.a1B2c3D4e5F6.tmp",
        ] {
            fs::write(folder.path().join(name), "half").expect("a file");
        }
        assert!(run(folder.path(), &[]).status.success());
        if mode == Mode::Game {
            kept.push("playdata.txt");
        }
        kept.sort_unstable();
        assert_eq!(file_names(folder.path()), kept);
    }
    let folder = folder("");
    fs::write(
        folder.path().join(".calibration.txt.a1B2c3D4e5F6.tmp"),
        "half",
    )
    .expect("a file");
    assert!(run(folder.path(), &["--calibrate"]).status.success());
    assert_eq!(file_names(folder.path()), ["calibration.txt", "input.txt"]);
}

#[test]
fn odd_positions_and_hardly_any_time_get_a_legal_answer() {
    for seed in 0..30 {
        let rules = Rules::ALL[seed as usize % 2];
        // The pieces are scattered over the whole board, because a smaller box does not have room for 38 pieces.
        let at = scattered(seed, 19, 19, rules);
        if at.occupied().count() < 38 || at.moves().is_empty() {
            continue;
        }
        let mode = if seed % 3 == 0 {
            Mode::Single
        } else {
            Mode::Game
        };
        let folder = folder(&input(&at, mode, [0.01, 0.001, 1e-9][seed as usize % 3]));
        let output = run(folder.path(), &["--rules", &rules.to_string()]);
        assert!(output.status.success(), "{output:?}");
        judged(folder.path(), &at);
    }
}
