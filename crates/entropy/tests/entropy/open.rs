//! Tests Entropy's games through the plugin interface: views, setup of positions, and studies.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::game::Game;
use turnwise_engine::plugin::{AnyGame, Beginning, Studied, Studying};
use turnwise_engine::search::{Limits, Stop, reference};
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::parse::parse;
use turnwise_entropy::picture::notation;
use turnwise_entropy::rules::{Move, Rules};
use turnwise_entropy::solution;
use turnwise_entropy::weights;

use crate::random_game::played;
use crate::solution::solved;

fn rules(size: u8, pass: bool) -> Rules {
    Rules { size, pass }
}

fn seeded(seed: u64) -> Beginning<'static> {
    Beginning::Seed { seed, meetings: 0 }
}

fn studying(top: usize, limits: Limits) -> Studying<'static> {
    Studying {
        top,
        limits,
        stop: Stop::default(),
        solutions: None,
    }
}

/// The maximum number of nodes by which a search may exceed its limit, because all moves of a position are counted at
/// once.
const MOVES_OF_A_POSITION: u64 = 25 * 8;

/// A number that exceeds both the number of legal moves in a position on a small board and the plies of a game there.
const EVERY: usize = 100;

#[test]
fn what_is_seen_is_the_board_and_what_can_be_done_with_it() {
    let rules = rules(4, true);
    let mut open = rules
        .open(Beginning::Text("AA.B\n....\nC..C\n.AA.\n"))
        .expect("a board");
    let view = open.view(Some(0));
    let grid = view.grid.expect("a board");
    assert_eq!((grid.columns, &*grid.letters), (4, "AA B    C  C AA "));
    let scoring: Vec<_> = grid
        .scoring
        .iter()
        .map(|run| (&run.cells[..], run.points))
        .collect();
    assert_eq!(scoring, [(&[0, 1][..], 2), (&[13, 14], 2)]);
    assert_eq!(
        view.caption,
        "Order slides a tile or passes. Order has 4 points; 9 tiles in the bag."
    );
    let standings: Vec<_> = view.standings.iter().map(|of| &*of.text).collect();
    assert_eq!(standings, ["4 points", ""]);
    let stock: Vec<_> = (view.stock.iter())
        .map(|stock| (stock.letter, stock.count))
        .collect();
    assert_eq!(stock, [('A', 0), ('B', 3), ('C', 2), ('D', 4)]);
    assert_eq!(view.hand, None, "Order places no tile");
    let choice = |notation: &str| {
        let mut choices = view.choices.iter();
        choices
            .find(|choice| choice.notation == notation)
            .expect(notation)
    };
    let slide = choice("2 3 2 1");
    assert_eq!(
        (slide.from, slide.to, &slide.path[..]),
        (Some(11), Some(9), &[10][..])
    );
    assert_eq!(slide.words, "slide C from row 2, column 3 to column 1");
    assert_eq!(choice("0 1 2 1").path, [5], "downwards");
    assert_eq!(choice("pass").to, None);
    assert_eq!(open.view(None).choices, []);
    assert_eq!(open.view(Some(1)).choices, [], "Chaos is not to move");
    let refused = open.play("0 0 0 1").expect_err("a tile lies there");
    assert_eq!(refused, "the square 0 1 is occupied");
    assert!(
        open.play("0 9")
            .expect_err("no cell")
            .contains("from 0 to 3")
    );

    let mut open = rules
        .open(Beginning::Text("....\n....\n....\nA...\ndrawn: A\n"))
        .expect("a board");
    let view = open.view(Some(1));
    assert_eq!(view.choices.len(), 15);
    assert_eq!(view.choices[0].words, "place A on row 0, column 0");
    assert_eq!((view.choices[0].from, view.choices[0].to), (None, Some(0)));
    assert!(view.caption.starts_with("Chaos has drawn A and places it."));
}

#[test]
fn a_board_is_refused_with_its_reason() {
    let refused = |text: &str| match rules(4, false).open(Beginning::Text(text)) {
        Ok(_) => panic!("accepted {text:?}"),
        Err(why) => why,
    };
    assert_eq!(
        refused("...\n.A.\n...\n"),
        "expected a board of 4 rows, got 3"
    );
    assert!(refused("....\n....\n....\n....\n").contains("drawn: A"));
    assert!(refused("AAAA\nA...\n....\n....\n").contains("at most 4 tiles of color A"));
    assert!(refused(&"A".repeat(1 << 20)).contains("bytes of text, got more"));
}

#[test]
fn a_logged_game_is_opened_by_its_tiles() {
    let rules = rules(3, false);
    let mut open = rules.open(seeded(5)).expect("a game");
    let moves = played(&mut *open, EVERY, &mut Xoshiro256PlusPlus::seed_from_u64(5));
    let result = open.outcome(None, None);
    let mut again = rules
        .open(Beginning::Logged(&result))
        .expect("the same game");
    for mv in &moves {
        again.play(mv).expect("the same moves");
    }
    assert_eq!(again.turn(), None);
    assert_eq!(again.view(None), open.view(None));
    assert_eq!(again.outcome(None, None), result);
    for tiles in ["", "ABC", "AABBCCABD", "AABBCCAB\u{e9}", "AAAABBBCC"] {
        let mut result = result.clone();
        result.take("tiles");
        result.push("tiles", tiles);
        let why = rules.open(Beginning::Logged(&result)).err();
        assert!(
            why.expect(tiles)
                .contains("3 tiles of each colour from A to C")
        );
    }
}

#[test]
fn large_boards_have_texts_too() {
    for size in [11, 26] {
        let rules = rules(size, false);
        let mut open = rules.open(seeded(3)).expect("a game");
        for plies in 1..8 {
            played(&mut *open, 1, &mut Xoshiro256PlusPlus::seed_from_u64(plies));
            let text = open.text().expect("a board");
            let mut again = rules.open(Beginning::Text(&text)).expect(&text);
            assert_eq!(again.text(), Some(text));
            assert_eq!(again.view(Some(0)), open.view(Some(0)));
        }
    }
}

/// Tests that a study and the unpruned search agree on the value of every move.
#[test]
fn the_best_moves_have_the_values_of_the_unpruned_search() {
    for (text, depth) in [
        ("A..\n.B.\n..C\ndrawn: A\n", 3),
        ("A.B\n.B.\n..C\n", 3),
        ("AB.\n.C.\n.A.\n", 2),
        ("ABA\nCB.\nC.A\n", 9),
    ] {
        let position = parse(text.as_bytes(), false, None).expect("a board");
        let mut game = Evaluated::new(position.clone(), weights::best_known(3));
        let depth = depth.min(game.plies_left());
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let mut expected: Vec<(f32, Move)> = Vec::new();
        for mv in moves {
            game.make(mv);
            expected.push((reference::value(&mut game, depth - 1), mv));
            game.unmake(mv, ());
        }
        let sign = if position.drawn() == 0 { -1.0 } else { 1.0 };
        expected.sort_by(|one, other| (sign * one.0).total_cmp(&(sign * other.0)));
        let limits = Limits {
            depth,
            ..Limits::default()
        };
        for top in [1, 3, EVERY] {
            let mut depths = Vec::new();
            let rules = rules(3, false);
            let mut open = rules.open(Beginning::Text(text)).expect("a board");
            let studied = open.study(&studying(top, limits), &mut |known| {
                depths.push(known.depth)
            });
            let studied = studied.expect("a move");
            assert_eq!(depths, (1..=depth).collect::<Vec<_>>());
            assert_eq!(
                (studied.depth, studied.is_exact),
                (depth, depth == game.plies_left())
            );
            assert_eq!(studied.lines.len(), top.min(expected.len()));
            for (line, (value, _)) in studied.lines.iter().zip(&expected) {
                assert!(
                    (line.value - f64::from(*value)).abs() < 1e-3,
                    "{text}: {line:?}, {value}"
                );
                let mut known = expected.iter();
                let made = known.find(|(_, mv)| notation(*mv, 3) == line.moves[0]);
                assert!((line.value - f64::from(made.expect("legal").0)).abs() < 1e-3);
                let score = line.score.expect("known for this size");
                assert!(!studied.is_exact || score == line.value);
            }
        }
    }
}

#[test]
fn nodes_alone_make_a_study_repeatable_and_a_stop_ends_it() {
    let text = ".....\n.A.B.\n..C..\n.D.E.\n.....\ndrawn: A\n";
    let nodes = Limits {
        nodes: 30_000,
        ..Limits::default()
    };
    let study = |how: &Studying| {
        let rules = rules(5, false);
        let mut open = rules.open(Beginning::Text(text)).expect("a board");
        let mut told: Vec<Studied> = Vec::new();
        let studied = open.study(how, &mut |known| {
            told.push(known.clone());
            how.stop.stop();
        });
        (studied.expect("a move"), told.len())
    };
    let once = |stop| Studying {
        stop,
        ..studying(4, nodes)
    };
    let (stopped, told) = study(&once(Stop::default()));
    assert_eq!((told, stopped.depth, stopped.lines.len()), (1, 1, 4));
    let unstopped = || {
        let rules = rules(5, false);
        let mut open = rules.open(Beginning::Text(text)).expect("a board");
        open.study(&once(Stop::default()), &mut |_| {})
    };
    let found = unstopped().expect("a move");
    assert_eq!(Some(&found), unstopped().as_ref());
    assert!(
        found.depth > 1 && found.nodes <= nodes.nodes + MOVES_OF_A_POSITION,
        "{found:?}"
    );
}

#[test]
fn a_solved_board_is_looked_up() {
    let rules = rules(2, false);
    let folder = tempfile::tempdir().expect("a folder");
    solved(&folder.path().join(solution::file_name(rules)), rules, 1);
    let mut open = rules.open(seeded(1)).expect("a game");
    let how = Studying {
        solutions: Some(folder.path()),
        ..studying(EVERY, Limits::default())
    };
    let looked_up = open.study(&how, &mut |_| {}).expect("a move");
    let searched = open
        .study(&studying(EVERY, Limits::default()), &mut |_| {})
        .expect("a move");
    assert_eq!((looked_up.nodes, looked_up.is_exact), (0, true));
    assert!(searched.nodes > 0 && searched.is_exact);
    let values = |studied: &Studied| -> Vec<i64> {
        let lines = studied.lines.iter();
        lines
            .map(|line| (line.value * 1000.0).round() as i64)
            .collect()
    };
    assert_eq!(values(&looked_up), values(&searched));
}

proptest! {
    /// Tests that any reachable position can be written as text and set up again from this text.
    #[test]
    fn a_position_is_set_up_from_its_text(
        seed: u64,
        size in 2_u8..=8,
        pass: bool,
        plies in 0_usize..130,
    ) {
        let rules = rules(size, pass);
        let mut open = rules.open(seeded(seed)).expect("a game");
        played(&mut *open, plies, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let text = open.text().expect("a board");
        let mut again = rules.open(Beginning::Text(&text)).expect(&text);
        prop_assert_eq!(again.turn(), open.turn());
        prop_assert_eq!(again.text(), Some(text));
        for viewer in [None, Some(0), Some(1)] {
            prop_assert_eq!(again.view(viewer), open.view(viewer));
        }
        // Games from this position can be played to their end, and their draws are equal.
        let mut ends = [(); 2].map(|()| {
            let mut again = rules.open(Beginning::Text(&open.text().expect("a board"))).expect("it");
            played(&mut *again, EVERY * EVERY, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
            (again.turn(), again.outcome(None, None))
        });
        prop_assert_eq!(ends[0].0, None);
        let [first, second] = &mut ends;
        prop_assert_eq!(first, second);
    }

    /// Tests that arbitrary text never causes a panic, even if it is not a valid position.
    #[test]
    fn no_text_does_harm(text in "\\PC{0,80}|[A-E. \n]{0,60}|([A-E.]{3}\n){3}(drawn: [A-F])?") {
        let rules = rules(3, false);
        if let Ok(mut open) = rules.open(Beginning::Text(&text)) {
            played(&mut *open, EVERY, &mut Xoshiro256PlusPlus::seed_from_u64(1));
            prop_assert_eq!(open.turn(), None);
        }
        let mut open = rules.open(seeded(1)).expect("a game");
        open.turn();
        let before = open.text();
        if open.play(&text).is_err() {
            prop_assert_eq!(open.text(), before);
        }
    }
}
