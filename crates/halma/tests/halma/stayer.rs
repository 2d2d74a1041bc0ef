//! Tests the baseline agent that keeps its last pieces in its camp.

use turnwise_engine::agent::BoxedAgent;
use turnwise_halma::baselines::{self, Stayer};
use turnwise_halma::evaluation::Values;
use turnwise_halma::race;
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::search::WON;
use turnwise_halma::search_agent::SearchAgent;
use turnwise_halma::squares::Square;

use crate::positions::{found, parse, scattered};

/// A position with five of Black's pieces in the camp and two on their way.
const STAYING: &str = "\
................
................
...B............
.BB.............
BB..............
................
......B.........
........B.......
................
.........W......
..........W.....
................
................
................
.............WWW
.............WWW
";

fn at_home(position: &Position) -> u32 {
    (position.pieces(Color::Black) & Color::Black.camp()).count()
}

#[test]
fn the_last_pieces_stay_as_long_as_the_rules_allow() {
    let mut position = parse(STAYING, Color::Black, Rules::Base);
    let mut stayer = Stayer::new(1);
    let mut opponent = baselines::random(1);
    let before = at_home(&position);
    let mut moves = 0;
    let is_on_its_way = |position: &Position| {
        let black = Color::Black;
        !(position.pieces(black) & !black.camp() & !black.goal()).is_empty()
    };
    while is_on_its_way(&position) && moves < 8 {
        position.play(found(&mut stayer, &position, u64::MAX).best);
        assert_eq!(at_home(&position), before, "{position:?}");
        position.play(found(&mut opponent, &position, u64::MAX).best);
        moves += 1;
    }
    assert!(moves > 1);
    let position = parse(STAYING, Color::Black, Rules::Addendum);
    let after = position.after(found(&mut stayer, &position, u64::MAX).best);
    assert_eq!(at_home(&after), before - 1, "the addendum makes it leave");
}

#[test]
fn the_last_pieces_go_when_all_others_have_arrived() {
    let arrived = STAYING
        .replace("......B.........", "................")
        .replace("........B.......", "................")
        .replace(
            ".............WWW\n.............WWW",
            "..............BW\n.............WWB",
        );
    let position = parse(&arrived, Color::Black, Rules::Base);
    let after = position.after(found(&mut Stayer::new(1), &position, u64::MAX).best);
    assert_eq!(at_home(&after), at_home(&position) - 1);
}

#[test]
fn who_stays_is_told_from_who_has_only_begun() {
    let of = |picture: &str| race::opponent_stays(&parse(picture, Color::White, Rules::Base));
    assert!(!of(STAYING), "its other pieces are only half way");
    let further = STAYING.replace("......B.........", "............B...");
    assert!(of(&further));
    let fewer = further
        .replace("...B............", "................")
        .replace(".BB.............", "................");
    assert!(!of(&fewer), "two are not many");
    for rules in Rules::ALL {
        for color in Color::BOTH {
            assert!(!race::opponent_stays(&Position::start(color, rules)));
        }
    }
}

/// Compares `stayer` with its description.
///
/// The description is minimax over three plies, minus a penalty for the jumps that the first move leaves to the
/// opponent.
#[test]
fn stayer_plays_what_its_description_says() {
    fn minimax(position: &Position, depth: i32, ply: i32) -> i32 {
        let moves = position.moves();
        if position.is_won() || moves.is_empty() {
            return ply - WON;
        }
        if depth == 0 {
            return Values::default().position(position);
        }
        let values = moves.iter();
        let values = values.map(|&mv| -minimax(&position.after(mv), depth - 1, ply + 1));
        values.max().expect("a move")
    }
    fn jumps(position: &Position, player: Color) -> i32 {
        let directions = [(1i32, 1i32), (1, 0), (0, 1)].map(|(x, y)| match player {
            Color::Black => (x, y),
            Color::White => (-x, -y),
        });
        let square = |at: Square, (dx, dy): (i32, i32), steps: i32| {
            let [x, y] = [(at.x(), dx), (at.y(), dy)].map(|(at, d)| i32::from(at) + d * steps);
            let is_on_board = (0..16).contains(&x) && (0..16).contains(&y);
            is_on_board.then(|| Square::at(x as u8, y as u8))
        };
        let occupied = position.occupied();
        let mut worth = 0;
        for from in (0..=255).map(Square::from_index) {
            let weight = if position.pieces(player).contains(from) {
                8
            } else if occupied.contains(from) {
                0
            } else {
                4
            };
            for (dx, dy) in directions {
                let over = square(from, (dx, dy), 1).is_some_and(|over| occupied.contains(over));
                let free = square(from, (dx, dy), 2).is_some_and(|to| !occupied.contains(to));
                if over && free {
                    worth += weight * (dx + dy).abs();
                }
            }
        }
        worth
    }
    let mut played = 0;
    for seed in 0..40 {
        let position = scattered(seed, 3, 3, Rules::Base);
        let player = position.to_move();
        let camp = player.camp();
        if position.moves().is_empty()
            || position.is_won()
            || !(position.pieces(player) & camp).is_empty()
        {
            continue;
        }
        played += 1;
        let value = |mv| {
            let after = position.after(mv);
            -minimax(&after, 2, 1) - jumps(&after, player.other())
        };
        let best = position.moves().into_iter().map(value).max();
        let found = found(&mut Stayer::new(seed), &position, u64::MAX);
        assert_eq!(Some(value(found.best)), best, "{position:?}");
        assert_eq!(Some(player.sign() * found.value as i32), best);
    }
    assert!(played >= 5, "{played}");
}

/// A position in which White has to fill only one more square.
///
/// Each time White prepares the last jump, Black's piece at 3,2 or 2,3 moves out of the way and back again.
const BESIEGED: &str = "\
WWWWW...........
WWWWW...........
WW.B..W.........
WWB.W...........
BW.W............
......W.........
................
.......B........
................
................
................
..............BB
.............BBB
............BBBB
.............BBB
.............BBB
";

#[test]
fn a_plan_that_the_opponent_breaks_again_and_again_is_given_up() {
    for seed in 0..3 {
        let mut position = parse(BESIEGED, Color::Black, Rules::Base);
        let mut agents: [BoxedAgent<Position, Move>; 2] = [
            Box::new(Stayer::new(seed)),
            Box::new(SearchAgent::new(1 << 20)),
        ];
        let mut plies = 0;
        while !position.is_won() && plies < 200 {
            position.play(found(&mut agents[plies % 2], &position, 3_000).best);
            plies += 1;
        }
        assert!(position.is_won(), "seed {seed}: {position:?}");
    }
}
