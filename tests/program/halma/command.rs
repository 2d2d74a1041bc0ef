//! `turnwise halma` as a process: its files, its errors, its clock.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use tempfile::TempDir;
use turnwise_engine::agent::OpponentMemory;
use turnwise_halma::calibration::Calibration;
use turnwise_halma::files::{board, player, position};
use turnwise_halma::opponent::Opponent;
use turnwise_halma::playdata::{Playdata, PlaydataError};
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::search_agent::Memory;
use turnwise_halma::squares::{Square, Squares};
use turnwise_protocol::halma::{Input, Mode, Output as Answer};

use crate::support::{TURNWISE, file_names, folder_with, stderr, turnwise};

use super::positions::{after_random_moves, scattered};

fn input(at: &Position, mode: Mode, seconds: f64) -> String {
    let (player, board) = (player(at.to_move()), board(at));
    Input {
        mode,
        player,
        seconds,
        board,
    }
    .to_string()
}

fn folder(input: &str) -> TempDir {
    folder_with("input.txt", input)
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = turnwise(&["halma"]);
    let output = command.args(arguments).current_dir(folder).output();
    output.expect("the program starts")
}

/// The answer in the folder, judged jump by jump: adjacent occupied squares, empty landing, ends legal.
fn judged(folder: &Path, at: &Position) -> Move {
    let bytes = fs::read(folder.join("output.txt")).expect("an answer");
    let answer = Answer::parse(&bytes).expect("the format");
    assert_eq!(answer.to_string().as_bytes(), bytes, "LF after every line");
    let path: Vec<Square> = answer
        .path()
        .iter()
        .map(|place| Square::at(place.x, place.y))
        .collect();
    let mv = Move {
        from: path[0],
        to: path[path.len() - 1],
    };
    assert!(at.is_legal(mv), "{mv:?} {at:?}");
    match answer {
        Answer::Step { .. } => assert!(mv.is_step()),
        Answer::Jumps(_) => {
            let cells: Vec<_> = path
                .iter()
                .map(|&square| super::positions::cell(square))
                .collect();
            let naive = super::positions::naive(at);
            assert!(naive.is_chain(&cells));
            assert_eq!(
                naive.fewest_jumps(cells[0], cells[cells.len() - 1]),
                Some(cells.len() - 1)
            );
        }
    }
    mv
}

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
                     playing with those\n"
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
    // White has filled Black's camp, three of whose squares Black holds itself.
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
    // Its winner has no move in it: all of its pieces are in the camp, which is full.
    let folder = folder(&input(&alone.with_to_move(Color::White), Mode::Game, 1.0));
    let output = run(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output),
        "turnwise halma: the game is over: White has filled Black's camp\n\
         turnwise: White has no legal move, so there is no output.txt\n"
    );
    assert_eq!(file_names(folder.path()), ["input.txt"]);
    // Until the camp is full nothing is over.
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
        // Sixteen by sixteen: smaller boxes do not hold 38 pieces.
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

#[test]
fn a_game_is_played_on_with_playdata() {
    let mut at = Position::start(Color::Black, Rules::Addendum);
    let folder = TempDir::new().expect("a folder");
    let playdata = folder.path().join("playdata.txt");
    for turn in 0..4 {
        fs::write(folder.path().join("input.txt"), input(&at, Mode::Game, 0.5)).expect("a file");
        let output = run(folder.path(), &[]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(stderr(&output), "", "turn {turn}");
        at.play(judged(folder.path(), &at));
        at.play(at.moves()[turn]);
        let kept = Playdata::parse(&fs::read(&playdata).expect("playdata"), &at).expect("fresh");
        assert_eq!(kept.memory.seen.len(), turn + 1);
        assert_eq!(kept.memory.opponent.counts.moves as usize, turn + 1);
        assert!(kept.used > 0.0 && kept.used < 0.5);
    }
    for damage in ["", "turnwise-halma 2\n", "\u{fffd}"] {
        fs::write(&playdata, damage).expect("a file");
        fs::write(folder.path().join("input.txt"), input(&at, Mode::Game, 0.5)).expect("a file");
        let output = run(folder.path(), &[]);
        assert!(output.status.success(), "{output:?}");
        assert!(stderr(&output).contains("playdata.txt is ignored: it is damaged"));
        judged(folder.path(), &at);
    }
    // What was written now belongs to this position's future, not to this position.
    let output = run(folder.path(), &[]);
    assert!(stderr(&output).contains("playdata.txt is ignored: it belongs to another game"));
}

#[test]
fn playdata_reads_back_and_every_damage_is_seen() {
    let before = after_random_moves(11, 41, Rules::Addendum);
    let replies = before.moves();
    let counts = OpponentMemory {
        moves: 20,
        predicted: 9,
        expected: 4,
        ..OpponentMemory::default()
    };
    let opponent = Opponent {
        counts,
        pace: -0.125,
        taken_back: 3,
        last: None,
    };
    let memory = Memory {
        seen: vec![1, u64::MAX],
        plan: replies.clone(),
        line: replies.clone(),
        opponent,
    };
    let kept = Playdata {
        left: 12.5,
        used: 0.125,
        elsewhere: 1.75,
        position: before,
        memory: memory.clone(),
    };
    let text = kept.to_text();
    // What it reads back counts the reply in, and keeps the rest of the line if that was expected.
    for (at, line) in [(0, &replies[1..]), (1, &[])] {
        let mut counted = opponent;
        counted.observe(before.to_move(), replies[at], Some(replies[0]));
        assert_eq!((counted.counts.moves, counted.counts.predicted), (21, 10));
        assert_eq!(counted.counts.expected, if at == 0 { 5 } else { 4 });
        let expected = Playdata {
            memory: Memory {
                line: line.to_vec(),
                opponent: counted,
                ..memory.clone()
            },
            ..kept.clone()
        };
        let now = before.after(replies[at]);
        assert_eq!(Playdata::parse(text.as_bytes(), &now), Ok(expected));
    }
    let mut with_last = kept.clone();
    with_last.memory.opponent.last = Some(replies[2]);
    let now = before.after(replies[0]);
    let read = Playdata::parse(with_last.to_text().as_bytes(), &now).expect("whole");
    assert_eq!(read.memory.opponent.last, Some(replies[0]));
    let elsewhere = after_random_moves(12, 41, Rules::Addendum);
    assert_eq!(
        Playdata::parse(text.as_bytes(), &elsewhere),
        Err(PlaydataError::Stale)
    );
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let read = Playdata::parse(&bytes, &now);
        // The line end after the checksum is the only byte that says nothing.
        assert!(
            read == Err(PlaydataError::Damaged) || at + 1 == text.len(),
            "byte {at}"
        );
        let cut = Playdata::parse(&text.as_bytes()[..at], &now);
        assert!(
            cut == Err(PlaydataError::Damaged) || at + 1 == text.len(),
            "cut at {at}"
        );
    }
}

/// The text with its checksum made right.
fn with_sum(text: &str) -> String {
    let body = &text[..text.rfind("sum ").expect("a checksum")];
    let sum = body.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{body}sum {sum:016x}\n")
}

#[test]
fn whole_playdata_of_another_version_or_without_sense_is_told_apart() {
    let before = after_random_moves(11, 41, Rules::Addendum);
    let kept = Playdata {
        left: 12.5,
        used: 0.125,
        elsewhere: 0.0,
        position: before,
        memory: Memory::default(),
    };
    let text = kept.to_text();
    assert_eq!(with_sum(&text), text);
    let now = before.after(before.moves()[0]);
    for (part, instead, why) in [
        (
            "turnwise-halma 2",
            "turnwise-halma 1",
            PlaydataError::Version,
        ),
        (
            "turnwise-halma 2",
            "turnwise-halma 21",
            PlaydataError::Version,
        ),
        ("12.5", "inf", PlaydataError::Damaged),
        ("0.125", "NaN", PlaydataError::Damaged),
        ("opponent 0", "opponent 4294967296", PlaydataError::Damaged),
        ("opponent 0", "opponent -1", PlaydataError::Damaged),
        ("line", "line 3,3-16,3", PlaydataError::Damaged),
        ("black ", "black 0", PlaydataError::Damaged),
    ] {
        let changed = text.replacen(part, instead, 1);
        assert_ne!(changed, text, "{part}");
        let read = Playdata::parse(with_sum(&changed).as_bytes(), &now);
        assert_eq!(read, Err(why), "{instead}");
    }
    let folder = folder(&input(&now, Mode::Game, 0.05));
    let old = with_sum(&text.replacen("halma 2", "halma 1", 1));
    fs::write(folder.path().join("playdata.txt"), old).expect("a file");
    let output = run(folder.path(), &[]);
    assert!(output.status.success());
    let told = "playdata.txt is ignored: it is of another version: expected \"turnwise-halma 2\"";
    assert!(stderr(&output).contains(told), "{}", stderr(&output));
}

#[test]
fn the_names_of_the_assignment_are_this_command() {
    let at = Position::start(Color::White, Rules::Addendum);
    for name in ["homework", "homework11", "homework3.x"] {
        let folder = folder(&input(&at, Mode::Single, 0.05));
        let link = folder.path().join(name);
        symlink(TURNWISE, &link).expect("a link");
        let output = Command::new(&link)
            .current_dir(folder.path())
            .output()
            .expect("started");
        assert!(output.status.success(), "{output:?}");
        judged(folder.path(), &at);
    }
}

#[test]
fn calibration_is_measured_used_and_doubted() {
    let at = Position::start(Color::White, Rules::Addendum);
    let folder = folder(&input(&at, Mode::Single, 0.05));
    let link = folder.path().join("calibrate3");
    symlink(TURNWISE, &link).expect("a link");
    let output = Command::new(&link)
        .current_dir(folder.path())
        .output()
        .expect("started");
    assert!(output.status.success(), "{output:?}");
    let calibration = folder.path().join("calibration.txt");
    let text = fs::read_to_string(&calibration).expect("a calibration");
    let measured = Calibration::parse(text.as_bytes()).expect("a calibration");
    assert!(measured.start > Duration::ZERO && measured.late > Duration::ZERO);
    assert_eq!(stderr(&run(folder.path(), &[])), "");
    let old = "turnwise-halma-calibration 1 nodes_per_second 500000\n";
    fs::write(&calibration, old).expect("a file");
    let output = run(folder.path(), &[]);
    assert!(output.status.success());
    assert!(stderr(&output).contains("calibration.txt is ignored"));
}

#[test]
fn the_installer_makes_both_programs() {
    let folder = folder(&input(
        &Position::start(Color::Black, Rules::Base),
        Mode::Single,
        0.05,
    ));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/install-halma");
    let install = |arguments: &[&str]| {
        let mut command = Command::new(&script);
        command
            .arg(folder.path())
            .args(arguments)
            .env("TURNWISE", TURNWISE);
        command.output().expect("the script can be started")
    };
    assert!(install(&[]).status.success());
    assert!(install(&["11"]).status.success());
    assert_eq!(install(&["1x"]).status.code(), Some(2));
    assert_eq!(
        file_names(folder.path()),
        [
            "calibrate",
            "calibrate11",
            "homework",
            "homework11",
            "input.txt"
        ]
    );
    let installed = folder.path().join("homework11");
    let output = Command::new(installed)
        .current_dir(folder.path())
        .output()
        .expect("started");
    assert!(output.status.success(), "{output:?}");
    judged(
        folder.path(),
        &Position::start(Color::Black, Rules::Addendum),
    );
}
