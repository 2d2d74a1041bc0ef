//! Tests the parts of MasterChef that people use: views, positions given as text, analysis and review.

use std::ops::ControlFlow;

use proptest::prelude::*;
use turnwise_engine::plugin::{GameRules, Judging, Studied, Studying, UntypedGame};
use turnwise_engine::search::{Limits, Stop};
use turnwise_engine::table::Table;
use turnwise_engine::view::CardState;
use turnwise_masterchef::answer::run_to_the_end;
use turnwise_masterchef::match_game::{MasterChef, MasterChefTable};
use turnwise_masterchef::pools::{self, Family};
use turnwise_masterchef::rules::Draft;
use turnwise_masterchef::solver;

use super::judged_games::{judged, played};

fn settings(pool: u32) -> MasterChef {
    MasterChef {
        family: Family::Uniform,
        pool,
    }
}

#[test]
fn a_view_shows_every_contestant_and_offers_every_pick() {
    for seed in 0..30 {
        let settings = settings(11 + seed as u32);
        let mut table = MasterChefTable::new(&settings, seed);
        while let Some(side) = table.turn() {
            let view = table.view(Some(side));
            let legal = table.legal_moves();
            assert_eq!(view.choices.len(), legal.len());
            for choice in &view.choices {
                let id = table.parse(&choice.notation).expect("its own notation");
                assert!(legal.contains(&id));
                let [panel, card] = choice.card.expect("a card");
                let card = &view.panels[panel].cards[card];
                assert_eq!(
                    (&card.name, card.state),
                    (&choice.notation, CardState::Open)
                );
            }
            assert!(table.view(Some(1 - side)).choices.is_empty());
            let anybody = table.view(None);
            assert!(anybody.choices.is_empty());
            // Only the names of the captains differ between the views.
            let [seen, of_anybody] = [&view, &anybody].map(|view| {
                let cards = view.panels.iter().flat_map(|panel| &panel.cards);
                let cards = cards.map(|card| (card.name.clone(), card.bars.clone(), card.state));
                cards.collect::<Vec<_>>()
            });
            assert_eq!(seen, of_anybody);
            let cards: Vec<_> = view.panels.iter().flat_map(|panel| &panel.cards).collect();
            assert_eq!(cards.len(), settings.pool as usize);
            let count = |state| cards.iter().filter(|card| card.state == state).count();
            let letters = table.grid().letters;
            let expected = |letter| letters.chars().filter(|&it| it == letter).count();
            assert_eq!(count(CardState::First), expected('A'));
            assert_eq!(count(CardState::Second), expected('B'));
            let choice = &view.choices[seed as usize % view.choices.len()];
            table.play(table.parse(&choice.notation).expect("an ID"));
        }
        let view = table.view(Some(0));
        assert!(view.choices.is_empty() && view.caption.starts_with("Both teams are complete."));
        for text in ["", "+1", "-1", "x", "99999999999", " 1", "1 "] {
            assert!(table.parse(text).is_err(), "{text:?}");
        }
    }
}

/// Returns a draft after `picks` picks that depend only on the arguments.
fn drafted(settings: &MasterChef, seed: u64, picks: usize) -> MasterChefTable {
    let mut table = MasterChefTable::new(settings, seed);
    for number in 0..picks {
        let moves = table.legal_moves();
        table.play(moves[(seed as usize * 7 + number * 3) % moves.len()]);
    }
    table
}

fn studying(top: usize, nodes: u64) -> Studying<'static> {
    Studying {
        top,
        limits: Limits {
            nodes,
            ..Limits::default()
        },
        stop: Stop::default(),
        solutions: None,
    }
}

fn studied(table: &mut MasterChefTable, top: usize) -> Studied {
    settings(12).study(table, &studying(top, u64::MAX), &mut |_| {})
}

#[test]
fn a_position_comes_back_from_its_text() {
    for seed in 0..100 {
        let settings = settings(11 + seed as u32 % 5);
        let picks = seed as usize % 10;
        let mut table = drafted(&settings, seed, picks);
        let text = settings.set_up_text(&table).expect("it is not over");
        let mut again = settings.set_up(&text).expect("its own text");
        assert_eq!(settings.set_up_text(&again), Some(text));
        assert_eq!(again.turn(), table.turn());
        assert_eq!(again.legal_moves(), table.legal_moves());
        if picks >= 4 {
            assert_eq!(studied(&mut again, 3), studied(&mut table, 3));
        }
        // The final result can be logged, and the log opens again at the position that was set up.
        let begun = again.legal_moves();
        while again.turn().is_some() {
            again.play(again.legal_moves()[0]);
            table.play(table.legal_moves()[0]);
        }
        assert_eq!(settings.set_up_text(&again), None);
        let [one, other] = [&again, &table].map(|table| {
            let result = table.outcome(None, None);
            (settings.meaning(&result).expect("its own result"), result)
        });
        assert_eq!(one.0, other.0);
        let reopened = settings.reopen(&one.1).expect("its own result");
        assert_eq!(reopened.legal_moves(), begun);
    }
}

#[test]
fn the_assignment_s_files_can_be_set_up() {
    let example = include_str!("../data/example.in");
    let mut table = settings(20).set_up(example).expect("a file");
    let studied = studied(&mut table, 2);
    assert!(studied.is_exact);
    let expected = include_str!("../data/example.out");
    assert_eq!(studied.lines[0].moves[0], expected.trim());
    for line in &studied.lines {
        let mut table = settings(20).set_up(example).expect("a file");
        for text in &line.moves {
            let mv = table.parse(text).expect("an ID");
            assert!(table.is_legal(mv));
            table.play(mv);
        }
        // After the suggested perfect picks, the result equals the predicted value.
        assert_eq!(table.turn(), None);
        let result = table.outcome(None, None);
        let score = settings(20).meaning(&result).expect("its own").score;
        assert_eq!(Some(score), line.score);
    }
    assert!((studied.lines[0].value - 159.176852694858).abs() < 1e-9);
    assert_eq!(studied.lines[0].score, Some(159.18));
    assert!(studied.lines[1].value <= studied.lines[0].value);
}

#[test]
fn positions_of_no_match_are_refused() {
    let line = |id: usize, rest: &str| format!("{id},{rest}\n");
    let pool = |count: usize, rest: &str| {
        let lines = (0..count).map(|id| line(id, rest));
        format!("{count}\nab\n{}", lines.collect::<String>())
    };
    let refused = |text: &str| match settings(20).set_up(text) {
        Ok(_) => panic!("{text}"),
        Err(why) => why,
    };
    assert!(refused(&pool(201, "1.5,0.5,0.5,0")).contains("at most 200"));
    assert!(settings(20).set_up(&pool(200, "1.5,0.5,0.5,0")).is_ok());
    assert!(refused(&pool(20, "1.5,0.5,0.1234567,0")).contains("six decimals"));
    assert!(refused(&pool(20, "1.5,0.5,4.9406564584124654e-324,0")).contains("six decimals"));
    let one_pick = |state: &str| {
        let text = pool(12, "1.5,0.5,0.5,0");
        text.replacen(",0\n", &format!(",{state}\n"), 1)
    };
    assert!(
        settings(20).set_up(&one_pick("1")).is_ok(),
        "it is Bob's turn"
    );
    assert!(refused(&one_pick("2")).contains("same number"));
}

proptest! {
    #[test]
    fn any_text_and_any_result_is_opened_or_refused(
        text in "[0-9]{1,2}\n(ab|minimax)\n([0-9]{1,2},[0-9.e-]{1,4},[01]?[.0-9]{1,3},0,[0123]\n){0,14}",
        cut in 0usize..200,
        wild in ".{0,60}",
        is_set_up in any::<bool>(),
    ) {
        let settings = settings(12);
        let whole = settings.set_up_text(&drafted(&settings, 3, 3)).expect("a position");
        let mut bent = whole.clone();
        bent.insert_str(whole.floor_char_boundary(cut), &wild);
        for text in [&text, &wild, &bent, &whole[..whole.floor_char_boundary(cut)]] {
            if let Ok(table) = settings.set_up(text) {
                let again = settings.set_up_text(&table).expect("somebody is to move");
                prop_assert!(settings.set_up(&again).is_ok());
            }
            let mut result = drafted(&settings, 1, 2).outcome(None, None);
            result.take("pool");
            result.push("pool", text.lines().collect::<Vec<_>>());
            result.push("is_set_up", is_set_up);
            if let Ok(table) = settings.reopen(&result) {
                prop_assert!(!table.legal_moves().is_empty());
            }
        }
    }
}

/// Returns the value of every free contestant as a pick, each computed with a separate search.
fn values(draft: &Draft) -> Vec<(usize, i64)> {
    let captain = draft.turn().expect("somebody is to move").index();
    let value = |index: usize| {
        let mut after = draft.clone();
        after.pick(index);
        match after.turn() {
            None => after.advantage(),
            Some(_) => solver::solve(&after, &mut run_to_the_end)
                .value
                .expect("it is solved"),
        }
    };
    let mut values: Vec<_> = draft.free().map(|index| (index, value(index))).collect();
    values.sort_by_key(|&(index, value)| (if captain == 0 { -value } else { value }, index));
    values
}

#[test]
fn ranked_picks_have_the_values_of_searches_of_their_own() {
    for seed in 0..40 {
        let family = Family::ALL[seed as usize % 5];
        let mut draft = pools::draft(&family.pool(11 + seed as usize % 4, seed));
        for number in 0..seed as usize % 10 {
            let free: Vec<usize> = draft.free().collect();
            draft.pick(free[number * 5 % free.len()]);
        }
        let expected = values(&draft);
        for top in [1, 3, expected.len()] {
            let mut heard = 0;
            let ranking = solver::rank(&draft, top, 1 << 20, &mut run_to_the_end, &mut |ranking| {
                heard += 1;
                assert!(!ranking.proven && ranking.picks.len() <= top);
            });
            let found: Vec<_> = (ranking.picks.iter())
                .map(|it| (it.pick, it.value))
                .collect();
            assert!(ranking.proven && heard >= top.min(expected.len()));
            assert_eq!(found, expected[..top.min(expected.len())], "seed {seed}");
        }
        let best = solver::solve(&draft, &mut run_to_the_end);
        assert_eq!(
            (best.pick, best.value),
            (expected[0].0, Some(expected[0].1))
        );
    }
}

/// The pool has many free contestants, most of which a search for the best pick alone would drop.
#[test]
fn picks_that_a_search_drops_are_ranked_as_well() {
    for seed in 0..6 {
        let mut draft = pools::draft(&Family::ALL[seed as usize % 5].pool(60, seed));
        for number in 0..6 + seed as usize % 4 {
            let free: Vec<usize> = draft.free().collect();
            draft.pick(free[number * 5 % free.len()]);
        }
        let expected = values(&draft);
        let ranking = solver::rank(&draft, 60, 1 << 20, &mut run_to_the_end, &mut |_| {});
        let found: Vec<_> = (ranking.picks.iter())
            .map(|it| (it.pick, it.value))
            .collect();
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn a_study_that_is_broken_off_says_so() {
    let settings = MasterChef {
        family: Family::Hard,
        pool: 60,
    };
    let mut table = MasterChefTable::new(&settings, 1);
    let stopped = studying(3, u64::MAX);
    stopped.stop.stop();
    for how in [studying(3, 0), stopped] {
        let studied = settings.study(&mut table, &how, &mut |_| {});
        assert!(!studied.is_exact && !studied.lines.is_empty());
        let mv = table.parse(&studied.lines[0].moves[0]).expect("an ID");
        assert!(table.is_legal(mv));
    }
}

#[test]
fn the_exact_captain_gives_nothing_away_and_a_random_one_a_lot() {
    let mut random = 0.0;
    for seed in 0..6 {
        let settings = settings(14);
        let game = played(&settings, seed, ["turnwise", "random"], |_, _, best| best);
        let moves = judged(&settings, &game, u64::MAX);
        assert_eq!(moves.len(), 10);
        for (ply, mv) in moves.iter().enumerate() {
            assert!(mv.is_exact && mv.side == ply % 2);
            match mv.side {
                0 => assert_eq!((mv.lost, &mv.best), (0.0, &game.1[ply])),
                _ => random += mv.lost,
            }
        }
        // The losses add up to the difference between the value of the pool and the result.
        let score = settings.meaning(&game.0).expect("its own").score;
        assert_eq!(moves.last().expect("ten").score, Some(score));
        let mut table = settings.reopen(&game.0).expect("its own");
        let value = studied(&mut table, 1).lines[0].value;
        let lost: f64 = moves.iter().map(|mv| mv.lost).sum();
        assert!((value + lost - score).abs() < 0.1, "{value} {lost} {score}");
    }
    assert!(random / 6.0 > 100.0, "{random}");
}

#[test]
fn a_planted_blunder_is_the_worst_move() {
    for seed in 0..6 {
        let (settings, ply) = (settings(14), 2 + seed as usize);
        let worst_at_ply = |table: &mut MasterChefTable, at, best| match at == ply {
            true => {
                let all = studied(table, usize::MAX);
                let worst = all.lines.last().expect("there are picks");
                table.parse(&worst.moves[0]).expect("an ID")
            }
            false => best,
        };
        let game = played(&settings, seed, ["turnwise", "turnwise"], worst_at_ply);
        let moves = judged(&settings, &game, u64::MAX);
        let total: f64 = moves.iter().map(|mv| mv.lost).sum();
        assert!(moves[ply].lost > 0.0 && moves[ply].lost == total);
        assert_ne!(moves[ply].best, game.1[ply]);
    }
}

#[test]
fn few_nodes_make_an_estimate_and_impossible_moves_an_error() {
    let settings = settings(20);
    let game = played(&settings, 1, ["greedy", "greedy"], |_, _, best| best);
    let moves = judged(&settings, &game, 1);
    assert!(moves.iter().any(|mv| !mv.is_exact));
    assert!(moves.iter().all(|mv| mv.lost >= 0.0));
    assert!(moves[9].is_exact);
    let by = Judging {
        solutions: None,
        nodes: 1,
    };
    let judge = || settings.loss_judge(&by).expect("a judge").expect("a judge");
    let mut heard = 0;
    let broken = judge().judge(&game.0, &game.1, &mut |_| {
        heard += 1;
        if heard == 4 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    broken.expect("its own moves");
    assert_eq!(heard, 4);
    for moves in [vec!["12"; 1], vec!["x"], vec![&game.1[0], &game.1[0]]] {
        let moves: Vec<String> = moves.into_iter().map(str::to_owned).collect();
        let judged = judge().judge(&game.0, &moves, &mut |_| ControlFlow::Continue(()));
        assert!(judged.is_err(), "{moves:?}");
    }
    let too_many = [&game.1[..], &game.1[..1]].concat();
    let judged = judge().judge(&game.0, &too_many, &mut |_| ControlFlow::Continue(()));
    assert!(judged.is_err());
}
