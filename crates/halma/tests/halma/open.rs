//! Tests open games through the plugin's interface: views, custom positions and analysis.

use std::ops::ControlFlow;

use proptest::prelude::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::agent::Agent;
use turnwise_engine::plugin::{AnyGame, Beginning, Judging, Studied, Studying, UntypedGame};
use turnwise_engine::search::{Control, Limits, Stop};
use turnwise_engine::view::Choice;
use turnwise_halma::match_game::Settings;
use turnwise_halma::picture;
use turnwise_halma::race;
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::search::WIN_SEEN;
use turnwise_halma::search_agent::SearchAgent;
use turnwise_halma::squares::{Square, Squares};

use super::positions::{after_random_moves, scattered};
use super::random_game::played;

fn settings(rules: Rules) -> Settings {
    Settings {
        rules,
        plies: 600,
        begins: None,
        grace_s: 10.0,
        lenient: false,
    }
}

/// Returns the beginning of a game from the start position; the seed decides who moves first.
fn seeded(seed: u64) -> Beginning<'static> {
    Beginning::Seed { seed, meetings: 0 }
}

#[test]
fn what_is_seen_is_the_board_and_what_can_be_done_with_it() {
    let settings = settings(Rules::Base);
    let mut open = settings.open(seeded(0)).expect("a game");
    let view = open.view(Some(0));
    let grid = view.grid.expect("a board");
    assert_eq!(
        (grid.columns, grid.letters.len(), grid.areas.len()),
        (16, 256, 256)
    );
    assert_eq!(grid.letters, grid.areas, "all are at home");
    assert_eq!(&grid.letters[..18], "BBBBB           BB");
    assert!(
        view.caption.starts_with("Black is to move. "),
        "{}",
        view.caption
    );
    assert!(
        view.caption.ends_with("; 600 plies left at most."),
        "{}",
        view.caption
    );
    assert_eq!(
        (&*view.facts[0].name, &*view.facts[0].value),
        ("moves left", "600")
    );
    let [black, white] = &view.standings[..] else {
        panic!("two standings");
    };
    assert_eq!([black.progress, white.progress], [Some(0.0); 2]);
    assert_eq!(open.view(None).choices, []);
    assert_eq!(open.view(Some(1)).choices, [], "White is not to move");

    let rows = "B...............\n.B..............\n................\n..W.............\n";
    let text = format!("to move: Black\n{rows}{}", "................\n".repeat(12));
    let mut open = settings.open(Beginning::Text(&text)).expect("a position");
    let view = open.view(Some(0));
    let choice = |notation: &str| {
        let mut choices = view.choices.iter();
        choices
            .find(|choice| choice.notation == notation)
            .expect(notation)
            .clone()
    };
    assert_eq!(
        choice("J 0,0 2,2 2,4"),
        Choice {
            notation: "J 0,0 2,2 2,4".to_owned(),
            words: "jump from 0,0 via 2,2 to 2,4".to_owned(),
            from: Some(0),
            to: Some(4 * 16 + 2),
            path: vec![2 * 16 + 2],
            ..Choice::default()
        }
    );
    assert_eq!(choice("E 1,1 1,2").words, "step from 1,1 to 1,2");
}

#[test]
fn the_view_says_when_the_camp_must_be_left_first() {
    for rules in [Rules::Base, Rules::Addendum] {
        let mut open = settings(rules).open(seeded(0)).expect("a game");
        let mut said = Vec::new();
        for _ in 0..4 {
            let view = open.view(Some(0));
            let view = match view.choices[..] {
                [] => open.view(Some(1)),
                _ => view,
            };
            said.push(
                view.caption
                    .contains(" must first move the pieces out of the camp."),
            );
            let leaves = |choice: &&Choice| {
                let area = |cell: Option<usize>| {
                    let areas = &view.grid.as_ref().expect("a board").areas;
                    areas.chars().nth(cell.expect("a cell"))
                };
                area(choice.from) != Some(' ') && area(choice.to) == Some(' ')
            };
            let mv = view.choices.iter().find(leaves).expect("a way out");
            open.play(&mv.notation).expect("a legal move");
        }
        // At first, all pieces are in the camp.
        let is_said = rules == Rules::Addendum;
        assert_eq!(said, [false, false, is_said, is_said]);
    }
}

#[test]
fn a_refused_move_says_why() {
    let settings = settings(Rules::Addendum);
    let mut open = settings.open(seeded(0)).expect("a game");
    let mut refused = |text: &str| open.play(text).expect_err(text);
    let clause = refused("E 0,0 0,0");
    assert_eq!(clause, "the piece on 0,0 does not move");
    assert_eq!(refused("E 15,15 14,15"), "Black has no piece on 15,15");
    assert_eq!(refused("E 0,0 1,0"), "the square 1,0 is occupied");
    assert_eq!(
        refused("E 0,0 8,8"),
        "no step and no chain of jumps leads from 0,0 to 8,8"
    );
    for text in [
        "",
        "E",
        "E 0,0",
        "J 0,0 16,0",
        "E 0,0 1,1,1",
        "pass",
        "E  4,1 5,1",
    ] {
        assert!(
            refused(text).starts_with("expected \"E x,y x,y\""),
            "{text}"
        );
    }
    // All legal moves leave the camp, but the last move below stays in it.
    open.play("E 4,1 5,1").expect("out of the camp");
    open.play("E 11,14 10,14").expect("out of the camp");
    let clause = open.play("E 3,1 4,1").expect_err("within the camp");
    assert!(clause.starts_with("clause 1b of the addendum"), "{clause}");
}

#[test]
fn pictures_and_files_are_positions_too() {
    let settings = settings(Rules::Base);
    let position = after_random_moves(7, 60, Rules::Base).with_to_move(Color::White);
    let text = |position: &Position| picture::position(position, 600);
    let read = |given: &str| settings.open(Beginning::Text(given)).expect(given).text();
    let last = position.moves()[0];
    let shown = picture::board(&position.after(last), Some(last), false);
    assert_eq!(
        read(&format!("{shown}\nTo move: BLACK\n")),
        Some(text(&position.after(last)))
    );
    let file = turnwise_protocol::halma::Input {
        mode: turnwise_protocol::halma::Mode::Game,
        player: turnwise_protocol::halma::Player::White,
        seconds: 3.5,
        board: turnwise_halma::files::board(&position),
    };
    assert_eq!(read(&file.to_string()), Some(text(&position)));
}

#[test]
fn a_text_is_refused_with_its_reason() {
    let settings = settings(Rules::Base);
    let refused = |text: &str| match settings.open(Beginning::Text(text)) {
        Ok(_) => panic!("accepted {text:?}"),
        Err(why) => why,
    };
    let rows = "................\n".repeat(16);
    assert_eq!(refused(""), "expected a board of 16 rows, got 0");
    assert_eq!(
        refused(&rows.repeat(2)),
        "expected a board of 16 rows, got 32"
    );
    assert!(refused(&rows).contains("`to move: Black`"));
    assert!(refused(&format!("to move: Red\n{rows}")).starts_with("line 1: expected `to move"));
    assert!(refused(&format!("plies left: -1\n{rows}")).starts_with("line 1: expected a number"));
    assert!(refused(&format!("komi: 6\n{rows}")).starts_with("line 1: expected `to move:`"));
    let with = |row: &str| format!("to move: Black\n{row}\n{}", &rows[17..]);
    assert!(refused(&with("BW")).starts_with("line 2: expected 16 squares, got 2"));
    assert!(refused(&with("...............X")).ends_with("got 'X'"));
    let crowded = format!(
        "to move: White\n{}{}",
        "BBBBBBBBBBBBBBBB\n".repeat(2),
        &rows[34..]
    );
    assert_eq!(
        refused(&crowded),
        "expected at most 19 pieces of Black, got 32"
    );
    assert!(refused(&format!("to move: White\nplies left: 601\n{rows}")).contains("at most 600"));
    assert!(refused("GAME\nGREEN\n").starts_with("line 2: expected BLACK or WHITE"));
    assert!(refused(&".".repeat(1 << 20)).contains("bytes of text, got more"));
}

#[test]
fn a_logged_game_is_opened_by_who_began() {
    for (seed, side) in [(0, 0), (1, 1)] {
        let settings = settings(Rules::Addendum);
        let mut open = settings.open(seeded(seed)).expect("a game");
        assert_eq!(open.turn(), Some(side));
        let moves = played(&mut *open, 40, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let result = open.outcome(Some(0), None);
        let mut again = settings
            .open(Beginning::Logged(&result))
            .expect("the same game");
        for mv in &moves {
            assert_eq!(again.play(mv).as_ref(), Ok(mv));
        }
        assert_eq!(again.text(), open.text());
    }
}

fn study(position: &Position, how: &Studying) -> (Studied, Vec<Studied>) {
    let settings = settings(position.rules());
    let text = picture::position(position, 600);
    let mut open = settings.open(Beginning::Text(&text)).expect("a position");
    let mut told = Vec::new();
    let studied = open.study(how, &mut |known| told.push(known.clone()));
    (studied.expect("a move"), told)
}

fn studying(top: usize, limits: Limits) -> Studying<'static> {
    Studying {
        top,
        limits,
        stop: Stop::default(),
        solutions: None,
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes,
        ..Limits::default()
    }
}

/// Checks that the lines are sorted and distinct, and that all their moves are legal.
fn assert_lines(position: &Position, studied: &Studied, top: usize) {
    let legal = position.moves();
    assert_eq!(studied.lines.len(), top.min(legal.len()));
    let sign = f64::from(position.to_move().sign());
    assert!(
        studied
            .lines
            .is_sorted_by(|one, other| sign * one.value >= sign * other.value)
    );
    let mut seen = Vec::new();
    for line in &studied.lines {
        let mut at = *position;
        for text in &line.moves {
            let mv: Move = text.parse().expect("a move");
            assert!(at.is_legal(mv), "{text} on\n{at}");
            at.play(mv);
        }
        assert!(!seen.contains(&&line.moves[0]));
        seen.push(&line.moves[0]);
        let score = line.score.expect("a probability");
        assert!((0.0..=1.0).contains(&score) && (score > 0.5) == (line.value > 0.0));
    }
}

#[test]
fn the_best_moves_are_legal_and_in_order_and_nodes_make_them_repeatable() {
    for seed in 0..6 {
        for top in [1, 4, 1000] {
            let position = after_random_moves(seed, 30 + 10 * seed as u32, Rules::Addendum);
            let (studied, told) = study(&position, &studying(top, nodes(4_000)));
            assert_lines(&position, &studied, top);
            assert!(told.is_sorted_by(|before, after| before.depth < after.depth));
            assert_eq!(told.last().map(|last| &last.lines), Some(&studied.lines));
            assert!(studied.nodes <= 4_001);
            assert_eq!(study(&position, &studying(top, nodes(4_000))).0, studied);
        }
    }
}

/// The agent and the analysis share one search, so they must find equal moves.
#[test]
fn the_best_of_one_is_what_the_agent_plays_at_the_same_depth() {
    for seed in 0..5 {
        let position = after_random_moves(seed, 20 * seed as u32, Rules::Addendum);
        for depth in 1..=3 {
            let limits = Limits {
                depth,
                ..nodes(20_000)
            };
            let found = SearchAgent::new(1 << 20).think(&position, limits, &Control::new());
            let (studied, _) = study(&position, &studying(1, limits));
            assert_eq!(
                studied.lines[0].moves[0],
                picture::notation(&position, found.best)
            );
            assert_eq!(studied.depth, depth);
        }
    }
}

#[test]
fn a_stop_ends_it_and_a_win_at_hand_is_seen() {
    let position = after_random_moves(3, 40, Rules::Addendum);
    let settings = settings(Rules::Addendum);
    let text = picture::position(&position, 600);
    let mut open = settings.open(Beginning::Text(&text)).expect("a position");
    let how = studying(2, Limits::default());
    let mut told = 0;
    let studied = open.study(&how, &mut |_| {
        told += 1;
        how.stop.stop();
    });
    assert_eq!((told, studied.expect("a move").lines.len()), (1, 2));

    let mut camp: Vec<_> = Color::Black.goal().into_iter().collect();
    let last = camp.remove(0);
    let outside = Square::at(last.x() - 1, last.y());
    let black = camp.into_iter().chain([outside]).collect();
    let white = std::iter::once(Square::at(0, 15)).collect();
    let position = Position::new(black, white, Color::Black, Rules::Base).expect("apart");
    let (studied, _) = study(&position, &studying(3, nodes(10_000)));
    let best = &studied.lines[0];
    assert!(
        best.value > f64::from(WIN_SEEN) && best.score == Some(1.0),
        "{best:?}"
    );
    assert_eq!(best.moves, [format!("E {outside} {last}")]);
}

/// Returns the position of a race, in which the armies have passed each other.
///
/// `outside` is the number of Black's and of White's pieces that are still a few steps from their goal.
fn a_race(to_move: Color, outside: [usize; 2]) -> Position {
    let army = |color: Color| -> Squares {
        let out = outside[color as usize];
        let at_home = color.goal().into_iter().map(|square| color.view(square));
        let mut at_home: Vec<Square> = at_home.collect();
        at_home.sort_by_key(|square| u32::from(square.x()) + u32::from(square.y()));
        let on_the_way = (0..out).map(|at| Square::at(10, 7 + 2 * at as u8));
        let pieces = at_home.split_off(out).into_iter().chain(on_the_way);
        pieces.map(|square| color.view(square)).collect()
    };
    let [black, white] = Color::BOTH.map(army);
    let position = Position::new(black, white, to_move, Rules::Base).expect("apart");
    assert!(race::is_race(&position));
    position
}

#[test]
fn a_race_is_counted_in_moves() {
    for to_move in Color::BOTH {
        let studied = |outside| {
            let position = a_race(to_move, outside);
            let (studied, told) = study(&position, &studying(5, nodes(5_000)));
            assert_lines(&position, &studied, 5);
            assert_eq!((told.len(), studied.nodes), (1, 0));
            studied
        };
        // Both need equally many moves, so the player to move is ahead.
        let even = studied([2, 2]).lines[0].value;
        assert_eq!(even > 0.0, to_move == Color::Black);
        let [ahead, behind] = [[1, 3], [3, 1]].map(studied);
        let to_go = |studied: &Studied| studied.lines[0].to_go.expect("a race");
        let [[black, white], [late, early]] = [to_go(&ahead), to_go(&behind)];
        assert!(
            black < white && early < late,
            "{black} {white}, {late} {early}"
        );
        let [ahead, behind] = [ahead, behind].map(|studied| studied.lines[0].value);
        assert!(
            ahead > even.max(0.0) && behind < even.min(0.0),
            "{ahead}, {even}, {behind}"
        );
    }
}

/// A requested extra move gets its true value, not only a bound.
#[test]
fn a_move_besides_the_best_has_its_value() {
    let others = [
        after_random_moves(4, 60, Rules::Addendum),
        a_race(Color::Black, [2, 3]),
    ];
    for position in others {
        let analysis = |top, also| {
            let limits = Limits {
                depth: 3,
                ..nodes(20_000)
            };
            let control = Control::new();
            SearchAgent::new(1 << 20).analyse(&position, top, also, limits, &control, &mut |_| {})
        };
        let moves = position.moves();
        let all = analysis(moves.len(), None).lines;
        assert_eq!(all.len(), moves.len());
        for also in [&all[0], &all[all.len() / 2], &all[all.len() - 1]] {
            let mv = also.moves[0];
            let lines = analysis(1, Some(mv)).lines;
            let found = lines.iter().find(|line| line.moves[0] == mv);
            assert!(lines.len() <= 2 && found.is_some(), "{mv:?} in {lines:?}");
            assert!(lines.is_sorted_by(|one, other| one.value >= other.value));
        }
    }
}

/// Returns a game that this program plays against itself by the base rules, with one blunder.
///
/// The blunder is Black's second-to-last move; the game has `plies` plies.
fn with_a_blunder(plies: usize) -> (Vec<String>, usize) {
    let mut agents = [(); 2].map(|()| SearchAgent::new(1 << 16));
    let mut position = Position::start(Color::Black, Rules::Base);
    let mut moves = Vec::new();
    let planted = plies - 4;
    while moves.len() < plies {
        let best = agents[position.to_move() as usize]
            .think(&position, nodes(500), &Control::new())
            .best;
        let legal = position.moves().into_iter();
        let steps = |at: Square| u32::from(at.x()) + u32::from(at.y());
        let worst = legal.max_by_key(|mv| steps(mv.from) as i32 - steps(mv.to) as i32);
        let mv = match moves.len() == planted {
            true => worst.expect("a move"),
            false => best,
        };
        moves.push(picture::notation(&position, mv));
        position.play(mv);
    }
    (moves, planted)
}

#[test]
fn a_blunder_gives_away_most_and_judging_can_be_broken_off() {
    let settings = settings(Rules::Base);
    let result = settings
        .open(seeded(0))
        .expect("a game")
        .outcome(None, None);
    let (moves, planted) = with_a_blunder(44);
    let judging = Judging {
        solutions: None,
        nodes: 2_000,
    };
    let mut judge = settings
        .loss_judge(&judging)
        .expect("nothing is read")
        .expect("a judge");
    let mut judge = |moves: &[String], most: usize| {
        let mut told = Vec::new();
        let judged = judge.judge(&result, moves, &mut |mv| {
            told.push(mv);
            match told.len() == most {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        judged.map(|()| told)
    };
    let judged = judge(&moves, usize::MAX).expect("a game");
    assert_eq!(judged.len(), moves.len());
    let most = (judged.iter()).max_by(|one, other| one.lost.total_cmp(&other.lost));
    let blunder = &judged[planted];
    assert_eq!(most, Some(blunder));
    assert!(
        blunder.lost > 0.2 && blunder.best != moves[planted],
        "{blunder:?}"
    );
    assert_eq!(blunder.side, 0);
    // The blunder reduces Black's chance of winning.
    let before = judged[planted - 1].score.expect("a probability");
    assert!(blunder.score.expect("a probability") < before);
    assert!(judged.is_sorted_by(|one, other| one.progress < other.progress));
    assert!(judged.iter().all(|mv| (0.0..=1.0).contains(&mv.lost)));

    let some = judge(&moves, 3).expect("a game");
    assert_eq!(some, judged[..3], "whatever was judged before");
    let refused = judge(&[moves[0].clone(), moves[0].clone()], usize::MAX);
    assert!(
        refused
            .expect_err("not White's")
            .contains("breaks the rules")
    );
    assert!(judge(&["castle".to_owned()], usize::MAX).is_err());
}

proptest! {
    /// Any position survives conversion to text and back.
    #[test]
    fn a_position_is_set_up_from_its_text(
        seed: u64,
        plies in 0_u32..300,
        black in 0_usize..=19,
        white in 0_usize..=19,
        is_scattered: bool,
        is_addendum: bool,
        left in 0_u32..=600,
    ) {
        let rules = if is_addendum { Rules::Addendum } else { Rules::Base };
        let position = match is_scattered {
            true => scattered(seed, black, white, rules),
            false => after_random_moves(seed, plies, rules),
        };
        let settings = settings(rules);
        let text = picture::position(&position, left);
        let mut open = settings.open(Beginning::Text(&text)).expect(&text);
        prop_assert_eq!(open.text(), Some(text.clone()));
        if let Some(side) = open.turn() {
            prop_assert_eq!(side, position.to_move() as usize);
            let choices = open.view(Some(side)).choices;
            prop_assert_eq!(choices.len(), position.moves().len());
            let chosen = &choices[seed as usize % choices.len()];
            prop_assert_eq!(open.play(&chosen.notation), Ok(chosen.notation.clone()));
            prop_assert_ne!(open.text(), Some(text));
        } else {
            prop_assert!(left == 0 || position.moves().is_empty() || position.is_won());
        }
    }

    /// A text that is not a position is rejected without a panic.
    #[test]
    fn no_text_does_harm(
        text in "\\PC{0,80}|(to move: (Black|White)\n)?([BW.]{16}\n){16}|([0-9]{1,2} )?[BbWw.,*\n ]{0,400}",
    ) {
        let settings = settings(Rules::Addendum);
        if let Ok(mut open) = settings.open(Beginning::Text(&text)) {
            played(&mut *open, 3, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        }
        let mut open = settings.open(seeded(0)).expect("a game");
        prop_assert!(open.play(&text).is_err());
    }
}
