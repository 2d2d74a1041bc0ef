//! Tests the rules against the naive implementation, and in cases from the assignment and the addendum.

use std::collections::BTreeSet;

use proptest::prelude::*;
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::squares::Square;

use crate::positions::{any_position, cell, naive, parse, rules};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn moves_equal_the_naive_ones(position in any_position()) {
        let moves = position.moves();
        let distinct: BTreeSet<Move> = moves.iter().copied().collect();
        prop_assert_eq!(distinct.len(), moves.len());
        let found: BTreeSet<_> = moves.iter().map(|mv| (cell(mv.from), cell(mv.to))).collect();
        let expected: BTreeSet<_> = naive(&position).moves().into_iter().collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn playing_equals_playing_naively(position in any_position(), pick in any::<prop::sample::Index>()) {
        let moves = position.moves();
        prop_assume!(!moves.is_empty());
        let mv = moves[pick.index(moves.len())];
        let after = position.after(mv);
        let expected = naive(&position).play((cell(mv.from), cell(mv.to)));
        prop_assert_eq!(after.is_won(), expected.won());
        prop_assert_eq!(naive(&after), expected);
        prop_assert_eq!(after.hash(), after.recomputed_hash());
    }

    #[test]
    fn paths_are_shortest_chains(position in any_position()) {
        let board = naive(&position);
        for mv in position.moves() {
            let path = position.path(mv).expect("a legal move has a path");
            let cells: Vec<_> = path.iter().map(|&square| cell(square)).collect();
            prop_assert_eq!((path[0], path[path.len() - 1]), (mv.from, mv.to));
            if mv.is_step() {
                prop_assert_eq!(path.len(), 2);
            } else {
                prop_assert!(board.is_chain(&cells));
                let fewest = board.fewest_jumps(cells[0], cell(mv.to));
                prop_assert_eq!(Some(path.len() - 1), fewest);
            }
        }
    }

    #[test]
    fn both_players_see_the_same_game(position in any_position()) {
        let turned = |color: Color| position.pieces(color).into_iter().map(Square::mirrored).collect();
        let mirrored = Position::new(
            turned(Color::White),
            turned(Color::Black),
            position.to_move().other(),
            position.rules(),
        ).expect("still a piece a square");
        let mut moves = position.moves();
        let mut from_there: Vec<Move> = mirrored.moves()
            .into_iter()
            .map(|mv| Move { from: mv.from.mirrored(), to: mv.to.mirrored() })
            .collect();
        moves.sort_unstable();
        from_there.sort_unstable();
        prop_assert_eq!(moves, from_there);
    }

    #[test]
    fn the_addendum_only_forbids(position in any_position()) {
        let [black, white] = Color::BOTH.map(|color| position.pieces(color));
        let under = |rules| {
            let position = Position::new(black, white, position.to_move(), rules);
            position.expect("the same pieces").moves().into_iter().collect::<BTreeSet<Move>>()
        };
        let (base, addendum) = (under(Rules::Base), under(Rules::Addendum));
        prop_assert!(addendum.is_subset(&base));
        // The addendum leaves a player without moves only if all base moves return to the camp.
        prop_assert_eq!(addendum.is_empty(), base.iter().all(|mv| {
            let camp = position.to_move().camp();
            !camp.contains(mv.from) && camp.contains(mv.to)
        }));
    }
}

fn at(x: u8, y: u8) -> Square {
    Square::at(x, y)
}

fn empty_but(rows: &[(usize, &str)]) -> String {
    let mut picture = vec![".".repeat(16); 16];
    for &(y, row) in rows {
        picture[y] = row.to_owned();
    }
    picture.join("\n")
}

#[test]
fn camps_are_those_of_the_text() {
    let picture = "\
BBBBB...........
BBBBB...........
BBBB............
BBB.............
BB..............
................
................
................
................
................
................
..............WW
.............WWW
............WWWW
...........WWWWW
...........WWWWW
";
    for rules in Rules::ALL {
        let start = Position::start(Color::White, rules);
        assert_eq!(start.to_string(), picture);
        assert_eq!(start, parse(picture, Color::White, rules));
        assert!(!start.is_won(), "no piece is in the opposing camp yet");
    }
}

#[test]
fn a_chain_may_pass_through_a_camp_but_not_end_in_it() {
    // Black jumps from 5,1 over 4,1, lands on 3,1 in its own camp, and jumps over 3,2 to 3,3 outside.
    let picture = empty_but(&[
        (1, "....WB.........."),
        (2, "...W............"),
        (3, "................"),
    ]);
    let through = |to, rules| {
        let mv = Move { from: at(5, 1), to };
        parse(&picture, Color::Black, rules).is_legal(mv)
    };
    assert!(through(at(3, 3), Rules::Base));
    assert!(through(at(3, 3), Rules::Addendum));
    assert!(through(at(3, 1), Rules::Base));
    assert!(!through(at(3, 1), Rules::Addendum));
}

#[test]
fn the_opposing_camp_may_be_left_in_the_middle_of_a_chain_only() {
    // White's 2,3 is in Black's camp, next to 3,3. It can jump over 3,3 out to 4,3, and over 3,2 back to 2,1.
    let picture = empty_but(&[(2, "...B............"), (3, "..WB............")]);
    let position = parse(&picture, Color::White, Rules::Base);
    let targets: Vec<Square> = position.moves().into_iter().map(|mv| mv.to).collect();
    assert!(targets.iter().all(|&to| Color::White.goal().contains(to)));
    assert!(targets.contains(&at(2, 1)));
    assert!(!targets.contains(&at(4, 3)));
}

#[test]
fn squares_held_by_the_opponent_count_as_filled() {
    let full_but_one = empty_but(&[
        (0, "BBBBB..........."),
        (1, "BBBBB..........."),
        (2, "BBBB............"),
        (3, "BB.W............"),
        (4, "BB.............."),
    ]);
    for rules in Rules::ALL {
        let position = parse(&full_but_one, Color::White, rules);
        let wins = position.after(Move {
            from: at(3, 3),
            to: at(2, 3),
        });
        assert!(wins.is_won());
        let waits = position.after(Move {
            from: at(3, 3),
            to: at(4, 4),
        });
        assert!(!waits.is_won());
        // An opponent that fills its own camp does not make the player to move the winner.
        let filled = parse(&full_but_one.replace("BB.W", "BB.."), Color::White, rules);
        assert!(!filled.is_won());
    }
}

#[test]
fn a_player_may_be_without_a_move() {
    let corner = empty_but(&[
        (0, "BWW............."),
        (1, "WW.............."),
        (2, "W.W............."),
    ]);
    for rules in Rules::ALL {
        assert!(parse(&corner, Color::Black, rules).moves().is_empty());
    }
}

#[test]
fn the_addendum_frees_a_player_last() {
    // The piece on 0,0 cannot leave the camp but can move away from the corner, so it must, although 9,9 can move.
    let away = empty_but(&[(0, "B..............."), (9, ".........B......")]);
    let moves = parse(&away, Color::Black, Rules::Addendum).moves();
    assert_eq!(moves.len(), 3);
    assert!(moves.iter().all(|mv| mv.from == at(0, 0)));
    // If the piece in the camp is shut in, the other piece may move.
    let shut = empty_but(&[
        (0, "BWW............."),
        (1, "WW.............."),
        (2, "W.W............."),
        (9, ".........B......"),
    ]);
    let moves = parse(&shut, Color::Black, Rules::Addendum).moves();
    assert_eq!(moves.len(), 8);
    assert!(moves.iter().all(|mv| mv.from == at(9, 9)));
}

proptest! {
    #[test]
    fn illegal_moves_have_no_path(position in any_position(), from: u8, to: u8) {
        let mv = Move { from: Square::from_index(from), to: Square::from_index(to) };
        prop_assert_eq!(position.path(mv).is_some(), position.moves().contains(&mv));
    }

    #[test]
    fn rule_sets_go_by_their_names(rules in rules()) {
        prop_assert_eq!(rules.to_string().parse::<Rules>(), Ok(rules));
    }
}
