//! Tests Halma's files: golden files, every kind of damage, and that writing and reading are inverse.

mod serve;

use proptest::prelude::*;
use turnwise_protocol::halma::{
    Board, FileError, Input, Mode, Output, PIECES, Place, Player, SIZE,
};

const GOLDEN: [(&str, Mode, Player, f64); 4] = [
    (include_str!("start.in"), Mode::Single, Player::White, 100.0),
    (
        include_str!("example1.in"),
        Mode::Single,
        Player::White,
        100.0,
    ),
    (
        include_str!("example2.in"),
        Mode::Single,
        Player::White,
        6.6,
    ),
    (
        include_str!("example3.in"),
        Mode::Single,
        Player::Black,
        23.33,
    ),
];

#[test]
fn the_examples_of_the_text_are_read_and_written_byte_for_byte() {
    for (text, mode, player, seconds) in GOLDEN {
        let input = Input::parse(text.as_bytes()).expect("an example of the text");
        assert_eq!(
            (input.mode, input.player, input.seconds),
            (mode, player, seconds)
        );
        assert_eq!(input.to_string(), text);
        assert_eq!(
            Input::parse(text.replace('\n', "\r\n").as_bytes()),
            Ok(input.clone())
        );
        assert_eq!(
            Input::parse(text.replace('\n', "  \t\n").as_bytes()),
            Ok(input.clone())
        );
        assert_eq!(
            Input::parse(format!("{text}\n \n").as_bytes()),
            Ok(input.clone())
        );
        assert_eq!(
            Input::parse(format!("\n \t\r\n{text}").as_bytes()),
            Ok(input.clone())
        );
        assert_eq!(Input::parse(text.trim_end().as_bytes()), Ok(input));
    }
}

#[test]
fn the_answers_of_the_text_are_read_and_written_byte_for_byte() {
    let place = |x, y| Place { x, y };
    let jumps =
        |places: &[(u8, u8)]| Output::Jumps(places.iter().map(|&(x, y)| place(x, y)).collect());
    let step = |from: (u8, u8), to: (u8, u8)| Output::Step {
        from: place(from.0, from.1),
        to: place(to.0, to.1),
    };
    let golden = [
        ("E 11,15 10,15\n", step((11, 15), (10, 15))),
        ("J 12,15 10,13\n", jumps(&[(12, 15), (10, 13)])),
        // Example 1 in the text lacks the last digit; the squares for 2 and for 3 are both empty on its
        // board.
        ("E 4,3 3,2\n", step((4, 3), (3, 2))),
        ("J 4,3 2,1\n", jumps(&[(4, 3), (2, 1)])),
        (
            include_str!("example3.out"),
            jumps(&[(9, 9), (11, 9), (11, 11), (13, 13)]),
        ),
    ];
    for (text, output) in golden {
        assert_eq!(Output::parse(text.as_bytes()), Ok(output.clone()));
        assert_eq!(
            Output::parse(text.trim_end().as_bytes()),
            Ok(output.clone())
        );
        assert_eq!(output.to_string(), text);
    }
}

/// Returns the start of the game with one line replaced.
fn with_line(number: usize, line: &str) -> Vec<u8> {
    let mut lines: Vec<&str> = GOLDEN[0].0.lines().collect();
    lines[number - 1] = line;
    lines.join("\n").into_bytes()
}

#[test]
fn malformed_input_is_told_with_its_line() {
    let cases = [
        (
            1,
            "single",
            "line 1: expected SINGLE or GAME, got \"single\"",
        ),
        (
            1,
            " SINGLE",
            "line 1: expected SINGLE or GAME, got \" SINGLE\"",
        ),
        (2, "RED", "line 2: expected BLACK or WHITE, got \"RED\""),
        (
            3,
            "0.0",
            "line 3: expected a positive number of seconds, got \"0.0\"",
        ),
        (
            3,
            "-1",
            "line 3: expected a positive number of seconds, got \"-1\"",
        ),
        (
            3,
            "inf",
            "line 3: expected a positive number of seconds, got \"inf\"",
        ),
        (
            3,
            "NaN",
            "line 3: expected a positive number of seconds, got \"NaN\"",
        ),
        (
            3,
            "1,5",
            "line 3: expected a positive number of seconds, got \"1,5\"",
        ),
        (
            4,
            "BBBBB..........",
            "line 4: expected 16 letters, each B, W or a dot, got \"BBBBB..........\"",
        ),
        (
            5,
            "bbbbb...........",
            "line 5: expected 16 letters, each B, W or a dot, got \"bbbbb...........\"",
        ),
        (
            6,
            "",
            "line 6: expected 16 letters, each B, W or a dot, got \"\"",
        ),
    ];
    for (number, line, message) in cases {
        let error = Input::parse(&with_line(number, line)).expect_err(line);
        assert_eq!(error.to_string(), message);
    }
    let message = |bytes: &[u8]| Input::parse(bytes).expect_err("malformed").to_string();
    for nothing in [&b""[..], b"\n\n", b" \r\n"] {
        let told = "line 1: expected SINGLE or GAME, got the end of the file";
        assert_eq!(message(nothing), told);
    }
    // The line numbers include blank lines at the beginning of the file.
    assert_eq!(
        message(b"\n\nGAME\nblack\n"),
        "line 4: expected BLACK or WHITE, got \"black\""
    );
    assert_eq!(
        message(b"\nGAME\nBLACK"),
        "line 4: expected a positive number of seconds, got the end of the file"
    );
    assert_eq!(
        message(b"GAME\nBLACK\n1.0\n"),
        "line 4: expected 16 letters, each B, W or a dot, got the end of the file"
    );
    let more = format!("{}more", GOLDEN[0].0);
    assert_eq!(
        message(more.as_bytes()),
        "line 20: expected the end of the file, got \"more\""
    );
    assert_eq!(Input::parse(&[b'\n'; 1 << 20]), Err(FileError::TooLarge));
    assert!(message(b"\xff\xfe\n").starts_with("line 1: expected SINGLE or GAME, got"));
}

/// Reads an input file leniently. Returns the input and the warnings.
fn lenient(bytes: &[u8]) -> (Result<Input, FileError>, Vec<String>) {
    let mut warnings = Vec::new();
    let input = Input::parse_lenient(bytes, |deviation| warnings.push(deviation.to_string()));
    (input, warnings)
}

#[test]
fn files_that_readers_of_19_lines_accept_are_read_with_a_warning() {
    let text = GOLDEN[0].0;
    let line = |number: usize| text.lines().nth(number - 1).expect("a line");
    let blank_row = format!("{}\n\n", line(8));
    let row = "16 letters, each B, W or a dot";
    for (file, warnings) in [
        (text.to_owned(), vec![]),
        (
            format!("\u{feff}{text}"),
            vec!["line 1: expected SINGLE or GAME, got \"\\u{feff}SINGLE\"".to_owned()],
        ),
        (
            text.replace("WHITE", "\t WHITE"),
            vec!["line 2: expected BLACK or WHITE, got \"\\t WHITE\"".to_owned()],
        ),
        (
            text.replacen(&format!("{}\n", line(8)), &blank_row, 1),
            vec![format!("line 9: expected {row}, got \"\"")],
        ),
        (
            text.replacen(line(8), &format!(" \0\n{}\0", line(8)), 1),
            vec![format!("line 8: expected {row}, got \" \\0\"")],
        ),
        (
            text.trim_end().to_owned() + "\0",
            vec![format!("line 19: expected {row}, got \"{}\\0\"", line(19))],
        ),
        (
            format!("{text}\0\0"),
            vec!["line 20: expected the end of the file, got \"\\0\\0\"".to_owned()],
        ),
        (
            format!("{text}\n\r\nnotes\nand more\n"),
            vec!["line 22: expected the end of the file, got \"notes\"".to_owned()],
        ),
    ] {
        let original = Input::parse(text.as_bytes());
        assert_eq!(lenient(file.as_bytes()), (original, warnings), "{file:?}");
        assert_eq!(
            Input::parse(file.as_bytes()).is_ok(),
            file == text,
            "{file:?}"
        );
    }
    // A short row, a row on two lines and a missing row are no board, whatever surrounds them.
    for board in [
        text.replacen("B", " ", 1),
        text.replacen("BBBBB", "BB\nBBB", 1),
        text.trim_end()
            .rsplit_once('\n')
            .expect("rows")
            .0
            .to_owned(),
    ] {
        assert!(lenient(board.as_bytes()).0.is_err(), "{board}");
    }
}

#[test]
fn malformed_answers_are_told_with_their_line() {
    let any = "a step \"E x,y x,y\" or jumps \"J x,y x,y\", one a line";
    let cases = [
        ("", 1, any),
        ("\n", 1, any),
        ("e 1,1 2,2\n", 1, any),
        ("E  1,1 2,2\n", 1, any),
        ("E 1,1 2,2 \n", 1, any),
        ("E 1,1 2,2\r\n", 1, any),
        ("E 1, 1 2,2\n", 1, any),
        ("E 01,1 2,2\n", 1, any),
        ("E +1,1 2,2\n", 1, any),
        ("E 1,1 2,16\n", 1, any),
        ("E 1,1\n", 1, any),
        ("E 4,3 3,\n", 1, any),
        ("J 1,1 3,3\n\n", 2, any),
        ("\u{e9} 1,1 2,2\n", 1, any),
        (
            "E 1,1 2,2\nE 2,2 3,3\n",
            2,
            "the end of the file after a step",
        ),
        ("J 1,1 3,3\nE 3,3 4,4\n", 2, "another jump \"J x,y x,y\""),
        (
            "J 1,1 3,3\nJ 5,5 7,7\n",
            2,
            "a jump from 3,3, where the previous jump ended",
        ),
    ];
    for (text, number, told) in cases {
        match Output::parse(text.as_bytes()) {
            Err(FileError::Line { line, expected, .. }) => {
                assert_eq!((line, expected.as_str()), (number, told), "{text:?}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

#[test]
fn other_numbers_of_pieces_are_read_and_counted() {
    for (line, black) in [
        ("BBBBB...........", 19),
        ("BBBB............", 18),
        ("BBBBBBB.........", 21),
        ("................", 14),
    ] {
        let input = Input::parse(&with_line(4, line)).expect(line);
        assert_eq!(input.pieces(), [black, PIECES], "{line}");
    }
}

#[test]
fn lenient_reading_passes_over_line_ends_and_nothing_else() {
    let place = |x, y| Place { x, y };
    let step = Output::Step {
        from: place(0, 5),
        to: place(1, 6),
    };
    let jumps = Output::Jumps(vec![place(0, 5), place(2, 5), place(2, 7)]);
    for (text, output) in [
        ("E 0,5 1,6 ", &step),
        ("E 0,5 1,6\r\n", &step),
        ("E 0,5 1,6 \t\r\n\r\n\n", &step),
        ("J 0,5 2,5 \r\nJ 2,5 2,7 \r\n", &jumps),
    ] {
        assert!(Output::parse(text.as_bytes()).is_err(), "{text:?}");
        assert_eq!(
            Output::parse_lenient(text.as_bytes()).as_ref(),
            Ok(output),
            "{text:?}"
        );
    }
    for text in [
        "",
        "\r\n",
        " E 0,5 1,6",
        "\nE 0,5 1,6",
        "E 0,5  1,6",
        "E 0,5 1,6 \r\nE 1,6 2,7 \r\n",
        "J 0,5 2,5\n\nJ 2,5 2,7\n",
        "J 0,5 2,5\rJ 2,5 2,7\r",
    ] {
        assert!(Output::parse_lenient(text.as_bytes()).is_err(), "{text:?}");
    }
    assert_eq!(
        Output::parse_lenient(&[b' '; 1 << 20]),
        Err(FileError::TooLarge)
    );
}

fn board() -> impl Strategy<Value = Board> {
    let all: Vec<usize> = (0..SIZE * SIZE).collect();
    Just(all).prop_shuffle().prop_map(|order| {
        let mut board = Board::default();
        for (count, at) in order.into_iter().take(2 * PIECES).enumerate() {
            let player = if count < PIECES {
                Player::Black
            } else {
                Player::White
            };
            board[at / SIZE][at % SIZE] = Some(player);
        }
        board
    })
}

fn place() -> impl Strategy<Value = Place> {
    (0u8..16, 0u8..16).prop_map(|(x, y)| Place { x, y })
}

proptest! {
    #[test]
    fn input_reads_back(
        game: bool, white: bool, seconds in prop_oneof![1e-9f64..400.0, 1e-300f64..1e300], board in board(),
    ) {
        let mode = if game { Mode::Game } else { Mode::Single };
        let player = if white { Player::White } else { Player::Black };
        let input = Input { mode, player, seconds, board };
        prop_assert_eq!(Input::parse(input.to_string().as_bytes()), Ok(input));
    }

    #[test]
    fn output_reads_back(from in place(), path in prop::collection::vec(place(), 1..40), step: bool) {
        let output = if step {
            Output::Step { from, to: path[0] }
        } else {
            Output::Jumps(std::iter::once(from).chain(path).collect())
        };
        let text = output.to_string();
        prop_assert_eq!(Output::parse_lenient(text.replace('\n', " \r\n").as_bytes()), Ok(output.clone()));
        prop_assert_eq!(Output::parse(text.as_bytes()), Ok(output));
    }

    #[test]
    fn no_bytes_make_the_readers_fail(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        // Every accepted output is written in a form that parses to an equal value.
        for output in [Output::parse(&bytes), Output::parse_lenient(&bytes)].into_iter().flatten() {
            prop_assert_eq!(Output::parse(output.to_string().as_bytes()), Ok(output));
        }
        prop_assert!(lenient(&bytes).0.is_err());
    }

    #[test]
    fn noise_around_lines_never_changes_the_input(
        board in board(),
        noise in prop::collection::vec("[ \t\r\n\0\u{feff}]{0,3}", 20),
        notes in ".{0,200}",
    ) {
        let input = Input { mode: Mode::Game, player: Player::White, seconds: 9.5, board };
        let text = input.to_string();
        let lines = text.split_inclusive('\n').zip(&noise).map(|(line, noise)| noise.clone() + line);
        let noisy = lines.collect::<String>() + &noise[19] + &notes;
        let (read, warnings) = lenient(noisy.as_bytes());
        prop_assert_eq!(read.as_ref(), Ok(&input));
        prop_assert!(warnings.len() <= 20);
        prop_assert!(warnings.iter().all(|warning| warning.len() < 500), "{:?}", warnings);
        prop_assert_eq!(Input::parse(noisy.as_bytes()).ok(), warnings.is_empty().then_some(input));
    }

    #[test]
    fn one_wrong_byte_is_never_read_as_another_game_with_all_pieces(at in 0usize..500, byte: u8) {
        let text = GOLDEN[0].0;
        let mut bytes = text.as_bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        let (input, warnings) = lenient(&bytes);
        prop_assert_eq!(Input::parse(&bytes).is_ok(), input.is_ok() && warnings.is_empty());
        if let Ok(input) = input {
            let original = Input::parse(text.as_bytes()).expect("the start");
            let only_time_differs = Input { seconds: original.seconds, ..input } == original;
            prop_assert!(only_time_differs || input.pieces() != [PIECES; 2]);
        }
    }
}
