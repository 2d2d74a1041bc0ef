//! Tests `turnwise analyse`: compares the analysis with a search without pruning, and tests the parser of boards.
//!
//! The tests in `command` run the command as a process.

mod command;

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::game::{Game, Score, Side, Turn};
use turnwise_engine::search::analysis::{Analysis, analyse};
use turnwise_engine::search::playouts::{Playouts, final_scores};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits, reference};
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::evaluation;
use turnwise_entropy::parse::{LONGEST_TEXT, ParseError, parse};
use turnwise_entropy::picture::{board, letter};
use turnwise_entropy::rules::{EMPTY, Move, Phase, Position, Rules};
use turnwise_entropy::weights;

/// Returns a random position in which a player must move.
///
/// At least `events` random events precede it, if the game lasts that long.
fn random_position(rules: Rules, events: usize, random: &mut Xoshiro256PlusPlus) -> Position {
    let mut game = Evaluated::new(Position::new(rules), evaluation::by_holes(rules.size));
    let mut made = 0;
    loop {
        let mut moves = Vec::new();
        match game.turn() {
            Turn::Over => {
                game = Evaluated::new(Position::new(rules), evaluation::by_holes(rules.size));
                made = 0;
                continue;
            }
            Turn::Player(_) if made >= events => return game.position().clone(),
            Turn::Player(_) => game.moves(&mut moves),
            Turn::Chance => {
                let mut outcomes = Vec::new();
                game.outcomes(&mut outcomes);
                moves.extend(outcomes.into_iter().map(|(mv, _)| mv));
            }
        }
        game.make(moves[random.random_range(0..moves.len())]);
        made += 1;
    }
}

fn small_positions(count: usize, seed: u64) -> Vec<Position> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    std::iter::repeat_with(|| {
        let rules = Rules {
            size: random.random_range(2..=4),
            pass: random.random_bool(0.3),
        };
        let last = 3 * usize::from(rules.size) * usize::from(rules.size) - 3;
        let events = random.random_range(1..last);
        random_position(rules, events, &mut random)
    })
    .take(count)
    .collect()
}

fn evaluated(position: &Position) -> Evaluated {
    Evaluated::new(position.clone(), weights::best_known(position.size()))
}

fn limited(position: &Position, top: usize, limits: Limits) -> Analysis<Move> {
    let mut game = evaluated(position);
    let mut table = Table::new(1 << 20);
    let control = Control::new();
    let found = analyse(&mut game, &mut table, top, limits, &control, |_| ());
    assert_eq!(game.position(), position);
    assert_eq!(control.best(), Some(found.candidates[0].mv));
    found
}

fn to_depth(depth: u32) -> Limits {
    Limits {
        depth,
        ..Limits::default()
    }
}

#[test]
fn every_ranked_value_equals_the_unpruned_reference() {
    let mut compared = 0;
    for position in small_positions(400, 11) {
        let free = position.cells().iter().filter(|&&at| at == EMPTY).count();
        let deepest = match free {
            0..=3 => 9,
            4..=6 => 4,
            _ => 3,
        };
        let depth = deepest.min(position.plies_left());
        let mut game = evaluated(&position);
        let Turn::Player(side) = game.turn() else {
            panic!("a player is to move")
        };
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let true_value = |game: &mut Evaluated, mv| {
            game.make(mv);
            let value = reference::value(game, depth - 1);
            game.unmake(mv, ());
            value
        };
        let mut expected: Vec<Score> = moves.iter().map(|&mv| true_value(&mut game, mv)).collect();
        expected.sort_by(|a, b| match side {
            Side::Max => b.total_cmp(a),
            Side::Min => a.total_cmp(b),
        });
        for top in [1, 3, 1000] {
            let found = limited(&position, top, to_depth(depth));
            assert_eq!(found.depth, depth);
            assert_eq!(found.solved, depth == position.plies_left());
            assert_eq!(found.candidates.len(), top.min(moves.len()));
            for (candidate, expected) in found.candidates.iter().zip(&expected) {
                assert!((candidate.value - expected).abs() < 1e-3, "{position:?}");
                let own = true_value(&mut game, candidate.mv);
                assert!((candidate.value - own).abs() < 1e-3, "{position:?}");
                follows_best_play(&game, side, &candidate.principal_variation, depth);
                compared += 1;
            }
            let mut ranked: Vec<Move> = found.candidates.iter().map(|one| one.mv).collect();
            ranked.dedup();
            assert_eq!(
                ranked.len(),
                found.candidates.len(),
                "a move is ranked once"
            );
        }
    }
    assert!(compared >= 3000, "{compared}");
}

/// Asserts that every reply in a principal variation is as good as the best reply.
fn follows_best_play(game: &Evaluated, side: Side, variation: &[Move], depth: u32) {
    let mut game = game.clone();
    game.make(variation[0]);
    let mut left = depth - 1;
    for &mv in &variation[1..] {
        let Turn::Player(answering) = game.turn() else {
            panic!("a variation ends before chance")
        };
        assert_ne!(answering, side);
        assert!(game.position().is_legal(mv));
        let best = reference::value(&mut game, left);
        left -= 1;
        game.make(mv);
        assert!((reference::value(&mut game, left) - best).abs() < 1e-3);
    }
}

#[test]
fn a_node_limit_makes_the_analysis_repeatable_and_every_move_still_has_a_value() {
    let rules = Rules {
        size: 5,
        pass: false,
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    for events in [1, 10, 30, 60] {
        let position = random_position(rules, events, &mut random);
        for nodes in [1, 500, 20_000] {
            let limits = Limits {
                nodes,
                ..Limits::default()
            };
            let found = limited(&position, 7, limits);
            assert_eq!(found, limited(&position, 7, limits));
            let mut moves = Vec::new();
            evaluated(&position).moves(&mut moves);
            assert_eq!(found.candidates.len(), moves.len().min(7));
        }
    }
}

#[test]
fn playouts_repeat_and_begin_alike_whatever_their_number() {
    let rules = Rules {
        size: 4,
        pass: false,
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    let position = random_position(rules, 12, &mut random);
    let play = |count, seed| {
        let how = Playouts {
            count,
            depth: 2,
            seed,
        };
        let game = evaluated(&position);
        let first = limited(&position, 1, to_depth(1)).candidates[0].mv;
        final_scores(&game, first, how, Limits::default(), &Control::new())
    };
    let scores = play(20, 1);
    assert_eq!(scores.len(), 20);
    assert_eq!(play(5, 1), scores[..5]);
    assert_ne!(play(20, 2), scores);
    let whole_numbers = scores.iter().all(|score| score.fract() == 0.0);
    assert!(whole_numbers, "final scores are points: {scores:?}");
}

#[test]
fn playouts_of_perfect_players_reach_the_solved_value_on_average() {
    // The next tile is a B as often as it is an A or a C. So the test fails if draws are not weighted by the bag.
    let position = parse(b"A..\n.CB\nA.C", false, None).expect("a board");
    let solved = limited(&position, 1, Limits::default());
    assert!(solved.solved);
    let how = Playouts {
        count: 1000,
        depth: u32::MAX,
        seed: 3,
    };
    let best = &solved.candidates[0];
    let scores = final_scores(
        &evaluated(&position),
        best.mv,
        how,
        Limits::default(),
        &Control::new(),
    );
    let mean = scores.iter().sum::<Score>() / scores.len() as Score;
    let square = |score: &Score| (score - mean) * (score - mean);
    let variance = scores.iter().map(square).sum::<Score>() / scores.len() as Score;
    assert!(variance > 0.0, "{mean}, {scores:?}");
    let error = (variance / scores.len() as Score).sqrt();
    let expected = best.value;
    assert!(
        (mean - expected).abs() < 3.5 * error,
        "{mean} and {expected}"
    );
}

#[test]
fn playouts_end_with_their_limits() {
    let position = parse(b"A....\n.....\n.....\n.....\n.....", false, None).expect("a board");
    let game = evaluated(&position);
    let first = limited(&position, 1, to_depth(1)).candidates[0].mv;
    let how = Playouts {
        count: 1000,
        depth: 1,
        seed: 1,
    };
    let limits = Limits {
        nodes: 20_000,
        ..Limits::default()
    };
    let some = final_scores(&game, first, how, limits, &Control::new());
    assert!((1..1000).contains(&some.len()), "{}", some.len());
    let control = Control::new();
    control.stop();
    assert!(final_scores(&game, first, how, limits, &control).is_empty());
}

fn text_of(position: &Position) -> String {
    let mut text = board(position, false);
    if position.drawn() != EMPTY {
        text += &format!("drawn: {}\n", letter(position.drawn()));
    }
    text
}

proptest! {
    #[test]
    fn what_is_drawn_is_read_again(size in 2u8..=26, events in 1usize..2100, seed: u64, pass: bool) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let tiles = usize::from(size) * usize::from(size);
        let rules = Rules { size, pass };
        let position = random_position(rules, events % (3 * tiles - 2) + 1, &mut random);
        let text = text_of(&position);
        prop_assert!(text.len() < LONGEST_TEXT);
        let read = parse(text.as_bytes(), pass, None);
        prop_assert_eq!(read.as_ref(), Ok(&position));
        // A board in lower case, without numbers and spaces, and with CRLF line ends must be read as an equal board.
        let plain: String = position.cells().chunks(usize::from(size)).fold(String::new(), |text, row| {
            text + &row.iter().map(|&at| letter(at)).collect::<String>().to_lowercase() + "\r\n"
        });
        let drawn = Some(position.drawn()).filter(|&drawn| drawn != EMPTY);
        let read = parse(plain.as_bytes(), pass, drawn);
        prop_assert_eq!(read.as_ref(), Ok(&position));
        prop_assert_eq!(read.map(|read| read.recomputed_hash()), Ok(position.hash()));
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&bytes, false, None);
    }

    #[test]
    fn nothing_like_a_board_makes_it_panic(text in "[A-Ea-e0-5.x :=\n]{0,60}|(drawn|tile|.A.|\n|:| |B|7){0,20}") {
        if let Ok(position) = parse(text.as_bytes(), false, None) {
            prop_assert!(matches!(position.phase(), Phase::Place | Phase::Slide | Phase::Over));
            prop_assert_eq!(position.recomputed_hash(), position.hash());
        }
    }
}

#[test]
fn a_full_board_is_read_too() {
    let position = parse(b"ABC\nABC\nABC", false, None).expect("a board");
    assert_eq!(position.phase(), Phase::Over);
}

#[test]
fn digits_and_other_words_for_the_drawn_tile_mean_the_same() {
    let expected = parse(b"AB.\n...\n..C\ndrawn: B", false, None).expect("a board");
    for text in [
        "12.\n...\n..3\ntile 2",
        "tile: b\n1 2 .\n. . .\n. . 3\n",
        "Drawn B\n\n0 AB.\n1 ...\n2 ..C\n",
        "  0 1 2 (cols)\n0  A B .\n1  . . .\n2  . . C\n\ndrawn=B\n",
    ] {
        assert_eq!(
            parse(text.as_bytes(), false, None).as_ref(),
            Ok(&expected),
            "{text}"
        );
    }
    assert_eq!(parse(b"AB.\n...\n..C", false, Some(2)), Ok(expected));
}

#[test]
fn errors_name_what_was_expected_and_what_came() {
    let cases: [(&str, &str); 13] = [
        ("", "got no row"),
        ("\n \n", "got no row"),
        ("A", "2 to 26 rows, got 1"),
        (&"A\n".repeat(27), "2 to 26 rows, got more"),
        (
            "A..\n....\n...",
            "line 2: expected 3 cells, as many as the board has rows, got 4",
        ),
        (
            "A.\n?.",
            "line 2: expected a letter or a digit from 1 for a tile, `.` for none; got '?'",
        ),
        (
            "A.\n.C",
            "line 2: expected one of the colors A to B of a 2x2 board, got 'C'",
        ),
        (
            "AA\nA.",
            "expected at most 2 tiles of color A on the board and in Chaos's hand, got 3",
        ),
        (
            "AA\n..\ndrawn: A",
            "at most 2 tiles of color A on the board and in Chaos's hand, got 3",
        ),
        (
            "..\n..",
            "Chaos is to move: expected a line that says which tile it has drawn",
        ),
        (
            "A.\n..\ndrawn: AB",
            "line 3: expected one color, as in `drawn: A`, got \"AB\"",
        ),
        (
            "A.\n..\ntile",
            "line 3: expected one color, as in `drawn: A`, got \"\"",
        ),
        (
            "A.\n..\ntile A\ndrawn B",
            "expected one drawn tile, got two: A and B",
        ),
    ];
    for (text, expected) in cases {
        let error = parse(text.as_bytes(), false, None).expect_err("no board");
        assert!(error.to_string().contains(expected), "{text:?}: {error}");
    }
    let text = vec![b'.'; LONGEST_TEXT + 1];
    assert_eq!(parse(&text, false, None), Err(ParseError::TooLong));
    assert_eq!(
        parse(b"A.\n\xff.", false, None),
        Err(ParseError::NotText(2))
    );
    let drawn = |text: &[u8], colour| parse(text, false, Some(colour)).expect_err("no board");
    assert_eq!(
        drawn(b"A.\n..", 3),
        ParseError::NoSuchDrawn { size: 2, got: 3 }
    );
    let two = ParseError::TwoDrawn {
        first: 1,
        second: 2,
    };
    assert_eq!(drawn(b"A.\n..\ndrawn: A", 2), two);
}
