//! Tests the parts of Guess Who that people use: views, positions given as text, analysis and review.

use std::collections::HashMap;
use std::ops::ControlFlow;

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{GameRules, Judging, Studied, Studying, UntypedGame};
use turnwise_engine::search::{Limits, Stop};
use turnwise_engine::table::Table;
use turnwise_engine::view::CardState;
use turnwise_guesswho::board::{Board, Question};
use turnwise_guesswho::match_game::{GuessWhoTable, Move, Settings};
use turnwise_guesswho::worth::{Appraiser, Standing};

use super::at_the_table::{persons, settings, with_another_second_person};
use super::boards::{COURSE, course, first_persons, random_board, small_boards};
use super::judged_games::{judged, played};
use super::reference;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_view_is_the_same_whoever_the_other_s_person_is(board in small_boards(6), seed in 0..1_000u64) {
        let settings = settings(&board);
        let mut one = GuessWhoTable::new(&settings, seed);
        let other = with_another_second_person(&settings, &one);
        let Some(mut other) = other else {
            prop_assume!(false);
            return Ok(());
        };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        while one.turn().is_some() && other.turn().is_some() {
            for viewer in [Some(0), None] {
                prop_assert_eq!(one.view(viewer), other.view(viewer));
            }
            let legal = one.legal_moves();
            let mv = legal[random.random_range(0..legal.len())];
            if !other.is_legal(mv) {
                // The move is a true answer in `one` but not in `other`, so the games differ from here on.
                break;
            }
            one.play(mv);
            other.play(mv);
        }
    }

    #[test]
    fn every_choice_can_be_read_and_played(board in small_boards(6), seed in 0..1_000u64) {
        let settings = settings(&board);
        let mut table = GuessWhoTable::new(&settings, seed);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        while let Some(side) = table.turn() {
            let view = table.view(Some(side));
            prop_assert_eq!(view.choices.len(), table.legal_moves().len());
            for choice in &view.choices {
                let mv = table.parse(&choice.notation).expect("its own notation");
                prop_assert!(table.is_legal(mv));
                prop_assert_eq!(&table.notation(mv), &choice.notation);
                if let Some([panel, card]) = choice.card {
                    let name = choice.notation.rsplit(' ').next().expect("a name");
                    prop_assert_eq!(&view.panels[panel].cards[card].name, name);
                }
            }
            prop_assert!(table.view(Some(1 - side)).choices.is_empty());
            let anybody = table.view(None);
            prop_assert!(anybody.choices.is_empty());
            // Each player's own view and the spectators' view must show equal candidates.
            for own in [0, 1] {
                let seen = table.view(Some(own));
                prop_assert_eq!(&seen.panels[0].cards, &anybody.panels[own].cards);
                let open = seen.panels[0].cards.iter().filter(|card| card.state == CardState::Open);
                prop_assert_eq!(open.count(), table.seen_by(own).player.candidates().len());
                prop_assert_eq!(seen.panels[1].cards.len(), 1);
            }
            let pick = random.random_range(0..view.choices.len());
            table.play(table.parse(&view.choices[pick].notation).expect("its own notation"));
        }
        prop_assert!(table.view(Some(0)).choices.is_empty());
        for text in ["", "guess", "guess Person", "answer", "guess Person nobody-of-this-name", "ok"] {
            prop_assert!(table.parse(text).is_err());
        }
    }
}

/// Converts a bit set, as the reference implementation uses it, into a list of persons.
fn listed(set: u32) -> Vec<u32> {
    (0..32).filter(|person| set & 1 << person != 0).collect()
}

/// Returns a guess's value according to the reference implementation: the mean over both answers, weighted by
/// probability.
fn by_reference(
    board: &Board,
    sets: [u32; 2],
    turn: usize,
    right: bool,
    question: Question,
    known: &mut reference::Known,
) -> f64 {
    let set = sets[turn];
    let mut total = 0.0;
    for answer in [true, false] {
        let persons = board.remaining(&listed(set), question, answer);
        if persons.is_empty() {
            continue;
        }
        let mut after = sets;
        after[turn] = persons.iter().fold(0, |set, person| set | 1 << person);
        let hit = answer && matches!(question, Question::Person(_));
        let score = match (turn, right, hit) {
            (0, _, hit) => reference::race(board, after, 1, hit, known),
            (_, true, true) => 0.5,
            (_, true, false) => 1.0,
            (_, false, true) => 0.0,
            (_, false, false) => reference::race(board, after, 0, false, known),
        };
        total += persons.len() as f64 / f64::from(set.count_ones()) * score;
    }
    total
}

#[test]
fn every_guess_of_every_position_has_the_value_of_the_reference() {
    for (name, persons) in [("official_game1_10p", 5), ("kokaruk", 5), ("jm_game3", 6)] {
        let board = first_persons(&course(name), persons);
        let mut known = HashMap::new();
        let everyone = (1u32 << persons) - 1;
        reference::race(&board, [everyone; 2], 0, false, &mut known);
        let mut positions: Vec<_> = known.keys().copied().collect();
        positions.sort_unstable();
        let mut appraiser = Appraiser::default();
        let mut compared = 0;
        for (first, second, turn, right) in positions.into_iter().step_by(11) {
            let sets = [first, second];
            let candidates = sets.map(listed);
            let at = Standing {
                board: &board,
                candidates: candidates.each_ref().map(|set| &set[..]),
                turn,
                first_is_right: right,
            };
            let mut value =
                |question| by_reference(&board, sets, turn, right, question, &mut known);
            for question in board.questions() {
                let (worth, _) = appraiser.guess(&at, question, u64::MAX);
                let expected = value(question);
                assert!(
                    worth.is_exact() && (worth.score() - expected).abs() < 1e-9,
                    "{at:?} {question:?}"
                );
                compared += 1;
            }
            let tells = |question: &Question| match question {
                Question::Person(person) => at.candidates[turn].contains(person),
                question => {
                    (board.splits(at.candidates[turn]).iter()).any(|(known, _)| known == question)
                }
            };
            let mut expected: Vec<f64> = board.questions().filter(tells).map(value).collect();
            expected.sort_by(f64::total_cmp);
            if turn == 0 {
                expected.reverse();
            }
            let ranking = appraiser.rank(&at, 3, &mut |_| u64::MAX, &mut |_| {});
            assert!(ranking.is_proven);
            assert_eq!(ranking.guesses.len(), expected.len().min(3));
            for ((_, worth), expected) in ranking.guesses.iter().zip(&expected) {
                assert!((worth.score() - expected).abs() < 1e-9, "{at:?}");
            }
        }
        assert!(compared > 2_000, "{compared}");
    }
}

#[test]
fn a_comparison_ends_at_every_limit() {
    let board = course("jm_game3");
    let everyone = board.everyone();
    for most in (0..2_000_u64).step_by(7) {
        let at = Standing {
            board: &board,
            candidates: [&everyone; 2],
            turn: 0,
            first_is_right: false,
        };
        let mut looks = 0;
        let mut left = |work: u64| {
            looks += 1;
            assert!(looks < 10_000, "it makes no progress with {most}");
            most.saturating_sub(work)
        };
        let ranking = Appraiser::default().rank(&at, 2, &mut left, &mut |_| {});
        assert!(!ranking.is_proven);
    }
}

fn studied(settings: &Settings, table: &mut GuessWhoTable, top: usize, nodes: u64) -> Studied {
    let how = Studying {
        top,
        limits: Limits {
            nodes,
            ..Limits::default()
        },
        stop: Stop::default(),
        solutions: None,
    };
    let mut told = Vec::new();
    let studied = settings.study(table, &how, &mut |now| told.push(now.clone()));
    assert!(
        told.iter()
            .all(|now| now.nodes <= studied.nodes && !now.lines.is_empty())
    );
    for line in &studied.lines {
        let mv = table.parse(&line.moves[0]).expect("its own notation");
        assert!(table.is_legal(mv) && (0.0..=1.0).contains(&line.value));
    }
    studied
}

#[test]
fn boards_of_any_size_are_studied_and_what_is_not_proven_says_so() {
    let (small, large) = (course("kokaruk"), random_board(300, 9, 5, 1));
    for (board, nodes, is_exact) in [
        (course("official_game1_10p"), u64::MAX, true),
        (small.clone(), 0, false),
        (small, 6_000, false),
        (large, u64::MAX, false),
    ] {
        let settings = settings(&board);
        let mut table = GuessWhoTable::new(&settings, 3);
        for ply in 0..4 {
            let studied = studied(&settings, &mut table, 3, nodes);
            assert!(!studied.lines.is_empty() && studied.lines.len() <= 3);
            if ply == 0 {
                assert_eq!(studied.is_exact, is_exact);
            }
            let mv = table
                .parse(&studied.lines[0].moves[0])
                .expect("its own notation");
            table.play(mv);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_position_comes_back_from_its_text(board in small_boards(7), seed in 0..1_000u64, plies in 0usize..9) {
        let settings = settings(&board);
        let mut table = GuessWhoTable::new(&settings, seed);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..plies {
            let legal = table.legal_moves();
            if table.turn().is_some() {
                table.play(legal[random.random_range(0..legal.len())]);
            }
        }
        let Some(text) = settings.set_up_text(&table) else {
            prop_assert_eq!(table.turn(), None);
            return Ok(());
        };
        for name in persons(&table.outcome(None, None)) {
            prop_assert!(!text.contains("person "), "{} is told", name);
        }
        let mut again = settings.set_up(&text).expect("its own text");
        prop_assert_eq!(settings.set_up_text(&again), Some(text));
        prop_assert_eq!(again.turn(), table.turn());
        prop_assert_eq!(again.plies_left(), table.plies_left());
        if table.position().asked.is_none() {
            let [one, other] = [&mut again, &mut table].map(|table| studied(&settings, table, 3, u64::MAX));
            prop_assert_eq!(one, other);
        }
        while again.turn().is_some() {
            let legal = again.legal_moves();
            again.play(legal[random.random_range(0..legal.len())]);
        }
        prop_assert!(settings.meaning(&again.outcome(None, None)).is_ok());
    }

    #[test]
    fn any_text_is_set_up_or_refused(
        board in small_boards(5),
        lines in proptest::collection::vec(
            "(round|turn|candidates|person|asked|found|) ?[0-3]?( Attribute a0 v[01]| Person P[0-3]|( P[0-5]){0,4}|.{0,10})",
            0..6,
        ),
    ) {
        let settings = settings(&board);
        let text = lines.join("\n");
        if let Ok(mut table) = settings.set_up(&text) {
            prop_assert!(table.turn().is_some() && !table.legal_moves().is_empty());
            let written = settings.set_up_text(&table).expect("somebody is to move");
            let again = settings.set_up(&written).expect("its own text");
            prop_assert_eq!(settings.set_up_text(&again), Some(written));
            studied(&settings, &mut table, 2, 1_000);
        }
    }
}

#[test]
fn what_is_no_position_is_refused_with_its_line() {
    let settings = settings(&course("official_game1_10p"));
    let refused = |text: &str| match settings.set_up(text) {
        Ok(_) => panic!("{text}"),
        Err(why) => why,
    };
    assert!(settings.set_up("").is_ok());
    let full =
        "turn 2\nfound\ncandidates 1 P3\ncandidates 2 P1 P2\nround 4\nperson 1 P2\nasked Person P1";
    let table = settings.set_up(full).expect("a position");
    let result = table.outcome(None, None);
    assert_eq!(persons(&result), ["P2", "P3"]);
    for (text, why) in [
        ("round 1\nturn 3", "line 2: "),
        ("turn 1\nturn 1", "line 2: "),
        ("candidates 1", "line 1: "),
        ("candidates 1 P1 nobody", "line 1: "),
        ("asked Person nobody", "line 1: "),
        ("asked", "line 1: "),
        ("round 0", "round 0: expected 1 to"),
        ("round 4000000000", "expected 1 to"),
        ("found", "`found`"),
        ("turn 2\nfound", "`found`"),
        (
            "candidates 2 P1 P2\nperson 1 P3",
            "`person 1`: expected one of `candidates 2`",
        ),
    ] {
        assert!(refused(text).contains(why), "{text}: {}", refused(text));
    }
}

/// Returns a function that plays the best moves, except at ply `planted`, where it mistakenly names a person
/// that the answers have already excluded.
fn blunder_at(planted: usize) -> impl FnMut(&mut GuessWhoTable, usize, Move) -> Move {
    move |table, ply, best| {
        if ply != planted {
            return best;
        }
        let position = table.position();
        let left = position.player.candidates();
        let everyone = position.board.everyone().into_iter();
        let stranger = { everyone }.find(|person| !left.contains(person));
        Move::Guess(Question::Person(stranger.expect("somebody is ruled out")))
    }
}

#[test]
fn the_racer_gives_nothing_away_and_a_random_guesser_a_lot() {
    let settings = settings(&course("official_game1_10p"));
    let mut lost = 0.0;
    for seed in 0..8 {
        let game = played(&settings, seed, ["turnwise", "random"], |_, _, best| best);
        let moves = judged(&settings, &game, u64::MAX);
        assert_eq!(moves.len(), game.1.len());
        for (mv, text) in moves.iter().zip(&game.1) {
            assert!(mv.is_exact);
            if mv.side == 0 || text.starts_with("answer") {
                assert_eq!((mv.lost, &mv.best), (0.0, text));
            }
            lost += mv.lost;
        }
        let score = settings.meaning(&game.0).expect("its own").score;
        let last = moves.last().and_then(|mv| mv.score).expect("a probability");
        assert!((last - score).abs() < 1e-9, "{last} {score}");
    }
    assert!(lost / 8.0 > 0.1, "{lost}");
}

#[test]
fn a_planted_blunder_is_the_worst_move() {
    let settings = settings(&course("official_game1_10p"));
    for seed in 0..6 {
        // Ply 4 is player 1's second guess. By then, the first guess has excluded some persons.
        let game = played(&settings, seed, ["turnwise", "turnwise"], blunder_at(4));
        let moves = judged(&settings, &game, u64::MAX);
        let worst = moves
            .iter()
            .max_by(|one, other| one.lost.total_cmp(&other.lost));
        let worst = worst.expect("there are moves");
        assert!(worst.lost > 0.05 && *worst == moves[4], "{worst:?}");
        assert!(
            moves
                .iter()
                .enumerate()
                .all(|(ply, mv)| ply == 4 || mv.lost == 0.0)
        );
    }
}

/// Here the judge has the node limit that a review has by default.
#[test]
fn moves_on_the_course_s_boards_are_judged_exactly() {
    for name in COURSE {
        let settings = settings(&course(name));
        let game = played(&settings, 2, ["binary", "lookahead"], |_, _, best| best);
        assert!(
            judged(&settings, &game, 20_000)
                .iter()
                .all(|mv| mv.is_exact),
            "{name}"
        );
    }
}

#[test]
fn judging_can_be_broken_off_and_refuses_impossible_moves() {
    let settings = settings(&course("kokaruk"));
    let game = played(&settings, 1, ["binary", "random"], |_, _, best| best);
    let moves = judged(&settings, &game, 1);
    assert!(moves.iter().any(|mv| !mv.is_exact));
    assert!(moves.iter().all(|mv| mv.lost >= 0.0));
    let by = Judging {
        solutions: None,
        nodes: 1,
    };
    let judge = || settings.loss_judge(&by).expect("a judge").expect("a judge");
    let mut heard = 0;
    let broken = judge().judge(&game.0, &game.1, &mut |_| {
        heard += 1;
        ControlFlow::Break(())
    });
    broken.expect("its own moves");
    assert_eq!(heard, 1);
    for moves in [
        &["x"][..],
        &["answer true"],
        &["guess Person nobody"],
        &[&game.1[0], &game.1[0]],
    ] {
        let moves: Vec<String> = moves.iter().map(|text| (*text).to_owned()).collect();
        let judged = judge().judge(&game.0, &moves, &mut |_| ControlFlow::Continue(()));
        assert!(judged.is_err(), "{moves:?}");
    }
    let strangers = Fields::of(&serde_json::json!({
        "chosen": ["nobody", "noone"], "rounds": 1, "player1_score": 0.5, "ending": "tie"
    }));
    assert!(settings.reopen(&strangers).is_err());
}

/// Without a limit on the length of names, a list of this board's guesses would take gigabytes.
#[test]
fn long_names_are_refused() {
    let board = |name: &str, value: &str| {
        let text = format!("{name} {value} other\n\nP1\n{name} {value}\n\nP2\n{name} other\n");
        serde_json::from_value::<Settings>(serde_json::json!({ "board": text }))
    };
    let (fits, long) = ("x".repeat(60), "ä".repeat(61));
    assert!(board(&fits, "y").is_ok());
    for refused in [board(&long, "y"), board("x", &long)] {
        let why = refused.expect_err("a long name").to_string();
        assert!(why.contains("at most 60 characters"), "{why}");
    }
}
