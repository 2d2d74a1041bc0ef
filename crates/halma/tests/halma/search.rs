//! Tests the search against a reference without pruning, and tests the evaluation and the agents.

use std::cell::Cell;
use std::collections::HashSet;
use std::time::Instant;

use proptest::prelude::*;
use turnwise_engine::agent::{Agent, BoxedAgent};
use turnwise_engine::game::{Game, Score, Side, Turn};
use turnwise_engine::search::reference;
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits};
use turnwise_halma::baselines::{self, Stayer};
use turnwise_halma::evaluation::Values;
use turnwise_halma::race::{self, Length};
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::search::{Searcher, Selectivity, WON};
use turnwise_halma::search_agent::SearchAgent;
use turnwise_halma::squares::{Square, Squares};

use crate::positions::{after_random_moves, any_position, found, parse, rules, scattered};

/// A position for the reference search, in which Black is the maximizing player.
struct Referenced {
    position: Position,
    values: Values,
    ply: i32,
}

impl Game for Referenced {
    type Move = Move;
    type Undo = Position;

    fn turn(&self) -> Turn {
        if self.position.is_won() || self.position.moves().is_empty() {
            return Turn::Over;
        }
        Turn::Player(match self.position.to_move() {
            Color::Black => Side::Max,
            Color::White => Side::Min,
        })
    }

    fn moves(&self, out: &mut Vec<Move>) {
        out.extend(self.position.moves());
    }

    fn outcomes(&self, _: &mut Vec<(Move, Score)>) {
        unreachable!("there is no chance in Halma");
    }

    fn make(&mut self, mv: Move) -> Position {
        self.ply += 1;
        let after = self.position.after(mv);
        std::mem::replace(&mut self.position, after)
    }

    fn unmake(&mut self, _: Move, before: Position) {
        self.ply -= 1;
        self.position = before;
    }

    fn hash(&self) -> u64 {
        self.position.hash()
    }

    fn plies_left(&self) -> u32 {
        u32::MAX
    }

    fn bounds(&self) -> (Score, Score) {
        (-WON as Score, WON as Score)
    }

    fn evaluate(&self) -> Score {
        let sign = match self.position.to_move() {
            Color::Black => 1,
            Color::White => -1,
        };
        let lost = self.position.is_won() || self.position.moves().is_empty();
        let value = if lost {
            self.ply - WON
        } else {
            self.values.position(&self.position)
        };
        (sign * value) as Score
    }
}

/// Positions with one to three pieces a side, scattered over a region of random size.
fn small_position() -> impl Strategy<Value = Position> {
    (any::<u64>(), 1usize..4, 1usize..4, rules())
        .prop_map(|(seed, black, white, rules)| scattered(seed, black, white, rules))
}

/// Positions in which Black's goal is full except for one square, so that a win is near.
fn nearly_won() -> impl Strategy<Value = Position> {
    (any::<u64>(), rules(), any::<bool>()).prop_map(|(seed, rules, black)| {
        let goal = Color::Black.goal().into_iter().collect::<Vec<_>>();
        let open = goal[seed as usize % goal.len()];
        let mut pieces = Color::Black.goal();
        pieces.remove(open);
        let x = 9 + (seed / 32 % 4) as u8;
        let outside = [Square::at(x, 9), Square::at(9, x), Square::at(10, 10)]
            .into_iter()
            .find(|&square| !pieces.contains(square))
            .expect("squares outside the camp");
        pieces.insert(outside);
        let white = [Square::at(5, 5), Square::at(3, 8)].into_iter().collect();
        let to_move = if black { Color::Black } else { Color::White };
        Position::new(pieces, white, to_move, rules).expect("apart")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn full_width_search_equals_the_reference(
        position in prop_oneof![small_position(), nearly_won()], deepest in 1u32..4,
    ) {
        prop_assume!(!position.is_won());
        let values = Values::default();
        // The reference searches every move, so positions with many pieces get less depth.
        let deepest = if position.pieces(Color::Black).count() > 4 { deepest.min(2) } else { deepest };
        let mut table = Table::new(1 << 16);
        for depth in 1..=deepest {
            let balance = values.position(&position);
            let mut searcher =
                Searcher::new(&values, Selectivity::NONE, &mut table, u64::MAX, &|_| false);
            let found = searcher
                .value(&position, balance, depth, 0, (-WON, WON))
                .expect("nothing ends it");
            let mut game = Referenced { position, values: values.clone(), ply: 0 };
            let sign = if position.to_move() == Color::Black { 1 } else { -1 };
            let expected = sign * reference::value(&mut game, depth) as i32;
            prop_assert_eq!(found, expected, "depth {}", depth);
        }
    }

    #[test]
    fn the_evaluation_adds_up(position in any_position(), pick in any::<prop::sample::Index>()) {
        let values = Values::default();
        let moves = position.moves();
        prop_assume!(!moves.is_empty());
        let mv = moves[pick.index(moves.len())];
        let before = values.position(&position);
        let after = values.position(&position.after(mv));
        prop_assert_eq!(after, -(before + values.gain(position.to_move(), mv)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_agent_plays_legally_from_any_position(position in any_position(), nodes in 0u64..3_000) {
        prop_assume!(position.has_moves());
        let agents: [BoxedAgent<Position, Move>; 4] = [
            Box::new(SearchAgent::new(1 << 16)),
            Box::new(Stayer::new(7)),
            baselines::minimax(7),
            baselines::random(7),
        ];
        for mut agent in agents {
            let limits = Limits { nodes, ..no_time() };
            let found = agent.think(&position, limits, &Control::new());
            prop_assert!(position.is_legal(found.best));
        }
    }
}

pub fn no_time() -> Limits {
    let now = Some(Instant::now());
    Limits {
        soft: now,
        hard: now,
        ..Limits::default()
    }
}

#[test]
fn the_same_nodes_give_the_same_game() {
    let game = || {
        let mut position = after_random_moves(5, 6, Rules::Addendum);
        let mut agent = SearchAgent::new(1 << 18);
        let moves = (0..8).map(|_| {
            let found = found(&mut agent, &position, 400);
            position.play(found.best);
            found
        });
        moves.collect::<Vec<_>>()
    };
    assert_eq!(game(), game());
}

#[test]
fn the_last_piece_goes_home_without_detours() {
    let picture = "\
................
................
................
................
.....W..........
................
................
................
................
................
..........B.....
..............BB
.............BBB
............BBBB
...........BBBBB
...........BBBB.
";
    for rules in Rules::ALL {
        let position = parse(picture, Color::Black, rules);
        let mut agent = SearchAgent::new(1 << 16);
        let mut at = position;
        let mut moves = 0;
        while !at.has_filled_goal(Color::Black) {
            let mv = found(&mut agent, &at, 2_000).best;
            at = at.after(mv).with_to_move(Color::Black);
            moves += 1;
            assert!(
                moves <= 5,
                "15,15 is five steps away, and jumps are there: {at:?}"
            );
        }
    }
}

#[test]
fn a_planned_race_can_be_played_and_reaches_the_goal() {
    let camp = Color::Black.camp();
    for rules in Rules::ALL {
        let start = Position::new(camp, Default::default(), Color::Black, rules).expect("one army");
        assert!(race::is_race(&start));
        let plan = race::plan(
            &start,
            &Values::default(),
            200,
            Length::Goal(usize::MAX),
            &[],
            &|_| false,
        );
        let plan = plan.expect("nothing ends it");
        assert!(plan.finishes);
        let mut at = start;
        for &mv in &plan.moves {
            assert!(at.is_legal(mv));
            at = at.after(mv).with_to_move(Color::Black);
        }
        assert!(at.has_filled_goal(Color::Black));
    }
}

#[test]
fn a_known_way_is_not_lost_in_a_narrow_beam() {
    for rules in Rules::ALL {
        let start = Position::start(Color::Black, rules);
        let plan = |width, known: &[Move]| {
            let length = Length::Horizon(12);
            let plan = race::plan(&start, &Values::default(), width, length, known, &|_| false);
            plan.expect("nothing ends it")
        };
        let (wide, narrow) = (plan(200, &[]), plan(1, &[]));
        assert!(
            wide.gain > narrow.gain + 100,
            "{} {}",
            wide.gain,
            narrow.gain
        );
        assert_eq!(plan(1, &wide.moves).gain, wide.gain);
        // An illegal move has no effect.
        let mv = Move {
            from: Square::at(8, 8),
            to: Square::at(9, 9),
        };
        assert_eq!(plan(1, &[mv]), narrow);
    }
}

#[test]
fn what_is_left_of_a_plan_can_be_played() {
    for rules in Rules::ALL {
        let mut agent = SearchAgent::new(1 << 16);
        let mut position = Position::start(Color::Black, rules);
        for _ in 0..6 {
            position.play(found(&mut agent, &position, 1_000).best);
            let mut at = position.with_to_move(Color::Black);
            for &mv in &agent.memory.plan {
                assert!(at.is_legal(mv), "{at:?}{mv:?}");
                at = at.after(mv).with_to_move(Color::Black);
            }
            position = position.with_to_move(Color::Black);
        }
        assert!(!agent.memory.plan.is_empty());
    }
}

#[test]
fn a_race_that_is_won_takes_no_more_time() {
    let behind =
        Squares::of(Square::at(6, 6)) | (Color::Black.goal() & !Squares::of(Square::at(15, 15)));
    let at_home = |count| {
        Color::White
            .goal()
            .into_iter()
            .take(count)
            .collect::<Squares>()
    };
    let questions = |white: Squares| {
        let position = Position::new(behind, white, Color::Black, Rules::Addendum);
        let position = position.expect("two armies");
        assert!(race::is_race(&position));
        // The number of calls serves as a time limit that does not depend on the machine.
        let asked = Cell::new(0);
        let watch = |_| asked.replace(asked.get() + 1) >= 100_000;
        let plan = race::to_goal(&position, &Values::default(), u64::MAX, &[], &watch);
        (asked.get(), plan.expect("a way").len())
    };
    let (asked, moves) = questions(at_home(18));
    for (gaps, is_won) in [(moves - 1, false), (moves, true)] {
        let (asked_with_gaps, _) = questions(at_home(19 - gaps));
        assert_eq!(
            asked_with_gaps < asked,
            is_won,
            "{gaps} gaps, {moves} moves"
        );
    }
    // Without an opponent, the search looks for the shortest way.
    assert_eq!(questions(Squares::default()).0, asked);
}

/// Returns the minimum number of moves to the goal, up to `most`, by full breadth-first search.
fn shortest_race(position: &Position, most: usize) -> Option<usize> {
    let mover = position.to_move();
    let mut layer = vec![*position];
    let mut seen = HashSet::new();
    for depth in 1..=most {
        let mut next = Vec::new();
        for at in &layer {
            for mv in at.moves() {
                let after = at.after(mv).with_to_move(mover);
                if after.has_filled_goal(mover) {
                    return Some(depth);
                }
                if seen.insert(after.hash()) {
                    next.push(after);
                }
            }
        }
        layer = next;
    }
    None
}

/// Positions in which most pieces are in the goal and the others are close to it.
fn last_pieces() -> impl Strategy<Value = Position> {
    let goal: Vec<Square> = Color::Black.goal().into_iter().collect();
    let near: Vec<Square> = (0..=255)
        .map(Square::from_index)
        .filter(|square| square.x() > 8 && square.y() > 8 && !goal.contains(square))
        .collect();
    let inside = prop::sample::subsequence(goal, 17);
    let outside = prop::sample::subsequence(near, 2);
    (inside, outside, rules()).prop_map(|(inside, outside, rules)| {
        let black = inside.into_iter().chain(outside).collect();
        Position::new(black, Default::default(), Color::Black, rules).expect("one army")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_race_called_exact_is_as_short_as_can_be(position in last_pieces()) {
        const MOST: usize = 3;
        let plan = race::plan(
            &position, &Values::default(), 100_000, Length::Goal(MOST), &[], &|_| false,
        ).expect("nothing ends it");
        prop_assert!(plan.is_exact);
        let found = plan.finishes.then_some(plan.moves.len());
        prop_assert_eq!(found, shortest_race(&position, MOST));
    }

    #[test]
    fn a_narrow_beam_claims_nothing_that_is_not_so(position in last_pieces(), width in 1usize..30) {
        const MOST: usize = 3;
        let length = Length::Goal(MOST);
        let plan = race::plan(&position, &Values::default(), width, length, &[], &|_| false);
        let plan = plan.expect("nothing ends it");
        if plan.is_exact {
            let found = plan.finishes.then_some(plan.moves.len());
            prop_assert_eq!(found, shortest_race(&position, MOST));
        }
    }
}

/// Compares `distance` with its description: minimax over three plies, with distances as penalties.
#[test]
fn distance_plays_what_its_description_says() {
    fn value(position: &Position, me: Color, depth: u32) -> f64 {
        if position.is_won() {
            let sign = if position.to_move() == me { -1.0 } else { 1.0 };
            return sign * (1e9 + f64::from(depth));
        }
        if depth == 0 {
            let corner = me.view(Square::at(15, 15));
            let distances = position.pieces(me).into_iter().map(|square| {
                let dx = f64::from(square.x()) - f64::from(corner.x());
                let dy = f64::from(square.y()) - f64::from(corner.y());
                (dx * dx + dy * dy).sqrt()
            });
            return -distances.sum::<f64>();
        }
        let values = position
            .moves()
            .into_iter()
            .map(|mv| value(&position.after(mv), me, depth - 1));
        if position.to_move() == me {
            values.fold(f64::NEG_INFINITY, f64::max)
        } else {
            values.fold(f64::INFINITY, f64::min)
        }
    }
    for seed in 0..12 {
        let position = scattered(seed, 3, 3, Rules::Base);
        let me = position.to_move();
        if position.moves().is_empty() || position.is_won() {
            continue;
        }
        let best = value(&position, me, 3);
        let mv = found(&mut baselines::distance(seed), &position, u64::MAX).best;
        let chosen = value(&position.after(mv), me, 2);
        assert!((best - chosen).abs() < 1e-6, "{best} {chosen} {position:?}");
    }
}

#[test]
fn a_search_that_may_end_early_finds_the_move_of_the_whole_search() {
    let limits = Limits::of_nodes(100_000);
    let mut ended_early = 0;
    for seed in 0..12 {
        let position = after_random_moves(seed, 40, Rules::Addendum);
        let search = |ends_early| {
            let mut agent = SearchAgent::new(8 << 20);
            agent.ends_early = ends_early;
            agent.think(&position, limits, &Control::new())
        };
        let (whole, early) = (search(false), search(true));
        assert_eq!(early.best, whole.best, "{position}");
        ended_early += u32::from(early.nodes < whole.nodes);
    }
    assert!((1..12).contains(&ended_early), "{ended_early} of 12");
}
