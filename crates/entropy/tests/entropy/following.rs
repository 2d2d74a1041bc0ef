//! Compares legal moves and reported games with naive implementations of the rules, which share no code with the
//! library.

use proptest::prelude::*;
use turnwise_entropy::referee::RuleBook;
use turnwise_entropy::rules::{Move, Phase, Position, Rules};

type Board = Vec<Vec<u8>>;

/// Converts the board of a position to rows.
fn rows(position: &Position) -> Board {
    let size = usize::from(position.size());
    position.cells().chunks(size).map(<[u8]>::to_vec).collect()
}

fn coordinates(cell: u16, size: u8) -> (usize, usize) {
    let (cell, size) = (usize::from(cell), usize::from(size));
    (cell / size, cell % size)
}

/// Returns the cells between two cells of a row or column, in order and without the two cells.
fn between(from: (usize, usize), to: (usize, usize)) -> Vec<(usize, usize)> {
    let toward = |at: usize, goal: usize| match at.cmp(&goal) {
        std::cmp::Ordering::Less => at + 1,
        std::cmp::Ordering::Equal => at,
        std::cmp::Ordering::Greater => at - 1,
    };
    let mut cells = Vec::new();
    let mut at = (toward(from.0, to.0), toward(from.1, to.1));
    while at != to {
        cells.push(at);
        at = (toward(at.0, to.0), toward(at.1, to.1));
    }
    cells
}

/// Returns true if the written rules allow a slide: a tile must move within its row or column by at least one cell, and
/// all cells on its way and its destination must be empty.
fn strict_allows(board: &Board, from: (usize, usize), to: (usize, usize)) -> bool {
    let in_line = from.0 == to.0 || from.1 == to.1;
    let free = |cell: &(usize, usize)| board[cell.0][cell.1] == 0;
    from != to
        && in_line
        && board[from.0][from.1] != 0
        && free(&to)
        && between(from, to).iter().all(free)
}

/// Returns true if the Python server allows a slide. Equal cells mean a pass. Otherwise a tile must move within its row
/// or column. If it moves right or down, the cells between must be empty.
fn server_allows(board: &Board, from: (usize, usize), to: (usize, usize)) -> bool {
    let in_line = from.0 == to.0 || from.1 == to.1;
    let looked_at = to.0 > from.0 || to.1 > from.1;
    let free = |cell: &(usize, usize)| board[cell.0][cell.1] == 0;
    from == to
        || in_line
            && board[from.0][from.1] != 0
            && (!looked_at || between(from, to).iter().all(free))
}

/// Generates arbitrary reports of moves and draws, mostly on cells of a board of up to 5 by 5.
fn any_report() -> impl Strategy<Value = Move> {
    let cell = || prop_oneof![20 => 0..26_u16, 1 => any::<u16>()];
    let colour = prop_oneof![20 => 0..7_u8, 1 => any::<u8>()];
    prop_oneof![
        4 => colour.prop_map(Move::Draw),
        4 => cell().prop_map(Move::Place),
        5 => (cell(), cell()).prop_map(|(from, to)| Move::Slide { from, to }),
        1 => Just(Move::Pass),
    ]
}

/// Returns a report of the kind that the position expects. The report may still be impossible.
fn fitted(position: &Position, report: Move, [first, second]: [u16; 2]) -> Move {
    let cells = position.cells().len() as u16;
    match position.phase() {
        Phase::Draw => Move::Draw((first % u16::from(position.size())) as u8 + 1),
        Phase::Place => Move::Place(first % cells),
        Phase::Slide => Move::Slide {
            from: first % cells,
            to: second % cells,
        },
        Phase::Over => report,
    }
}

/// Checks the invariants that must hold in every position.
fn is_consistent(position: &Position) -> Result<(), TestCaseError> {
    prop_assert_eq!(position.hash(), position.recomputed_hash());
    let size = position.size();
    let in_bag: u16 = (1..=size)
        .map(|colour| u16::from(position.in_bag(colour)))
        .sum();
    prop_assert_eq!(in_bag, position.bag_total());
    prop_assert!(position.cells().iter().all(|&colour| colour <= size));
    prop_assert_eq!(position.drawn() != 0, position.phase() == Phase::Place);
    match position.phase() {
        Phase::Over => prop_assert_eq!(in_bag, 0),
        Phase::Draw | Phase::Slide => prop_assert!(in_bag > 0),
        Phase::Place => prop_assert!(position.drawn() <= size),
    }
    Ok(())
}

/// Generates a sequence of at most `most` reports, each either of the kind that the position expects or arbitrary.
fn reports(most: usize) -> impl Strategy<Value = Vec<(bool, Move, [u16; 2])>> {
    proptest::collection::vec(
        (
            proptest::bool::weighted(0.8),
            any_report(),
            any::<[u16; 2]>(),
        ),
        0..most,
    )
}

/// Returns a position in which Order is to move after placements on these cells, or `None` if no such position exists.
fn order_to_move(rules: Rules, cells: &[u16]) -> Option<Position> {
    let mut position = Position::new(rules);
    for &cell in cells {
        let colour = (1..=rules.size).find(|&colour| position.in_bag(colour) > 0)?;
        position.make(Move::Draw(colour));
        let board = position.cells().len() as u16;
        let cell = (0..board)
            .map(|step| (cell + step) % board)
            .find(|&cell| position.at(cell) == 0)?;
        position.make(Move::Place(cell));
        if position.phase() == Phase::Slide {
            position.make(Move::Pass);
        }
    }
    // Here, the last placement was followed by a pass, which is now unmade.
    (position.phase() == Phase::Draw && !cells.is_empty()).then(|| {
        position.unmake(Move::Pass);
        position
    })
}

proptest! {
    #[test]
    fn any_reports_leave_a_consistent_position(
        size in 2..=5_u8, pass: bool, reports in reports(80),
    ) {
        let mut position = Position::new(Rules { size, pass });
        for (fits, report, numbers) in reports {
            let report = if fits { fitted(&position, report, numbers) } else { report };
            let before = position.clone();
            let legal = before.is_legal(report);
            match position.follow(report) {
                Ok(breach) => {
                    let is_pass = matches!(report, Move::Slide { from, to } if from == to);
                    let kept_rules = legal || is_pass && before.is_legal(Move::Pass);
                    prop_assert_eq!(breach.is_none(), kept_rules, "{:?} on {:?}", report, before);
                    prop_assert_ne!(position.phase(), before.phase());
                }
                Err(_) => {
                    prop_assert!(!legal);
                    prop_assert_eq!(&position, &before);
                }
            }
            is_consistent(&position)?;
        }
    }

    #[test]
    fn the_last_tile_is_placed_where_one_tile_is_left_for_one_cell_and_nowhere_else(
        pass: bool, reports in reports(20),
    ) {
        let mut position = Position::new(Rules { size: 2, pass });
        for (_, report, numbers) in reports {
            let mut after = position.clone();
            let empty = position.cells().iter().filter(|&&colour| colour == 0).count();
            let forced =
                position.phase() == Phase::Draw && position.bag_total() == 1 && empty == 1;
            prop_assert_eq!(after.place_last(), forced);
            if forced {
                prop_assert_eq!(after.phase(), Phase::Over);
                prop_assert!(!after.cells().contains(&0));
                is_consistent(&after)?;
                let mut told = position.clone();
                let tile = (1..=2).find(|&colour| position.in_bag(colour) == 1).expect("a tile");
                told.make(Move::Draw(tile));
                let cell = (0..4).find(|&cell| position.at(cell) == 0).expect("a cell");
                told.make(Move::Place(cell));
                prop_assert_eq!(after, told);
            } else {
                prop_assert_eq!(&after, &position);
            }
            let _ = position.follow(fitted(&position, report, numbers));
        }
    }

    #[test]
    fn unreadable_reports_leave_a_consistent_position(
        size in 2..=4_u8, kinds in proptest::collection::vec((0..4_u8, any::<[u16; 2]>()), 0..80),
    ) {
        let mut position = Position::new(Rules { size, pass: false });
        for (kind, numbers) in kinds {
            let before = position.clone();
            let fitting = fitted(&position, Move::Pass, numbers);
            let followed = match kind {
                0 => position.assume_draw(),
                1 => position.miss_placement(),
                _ => position.follow(fitting).map(|_| ()),
            };
            if followed.is_err() {
                prop_assert_eq!(&position, &before);
            } else if kind == 1 {
                prop_assert_eq!(position.cells(), before.cells());
                prop_assert_eq!(position.bag_total() + 1, before.bag_total());
            }
            is_consistent(&position)?;
        }
    }

    #[test]
    fn a_followed_slide_does_what_it_says(
        size in 2..=5_u8, cells in proptest::collection::vec(0..25_u16, 1..24), from in 0..25_u16, to in 0..25_u16,
    ) {
        let Some(mut position) = order_to_move(Rules { size, pass: false }, &cells) else {
            return Ok(());
        };
        let mut expected = rows(&position);
        if position.follow(Move::Slide { from, to }).is_ok() && from != to {
            let (from, to) = (coordinates(from, size), coordinates(to, size));
            expected[to.0][to.1] = std::mem::take(&mut expected[from.0][from.1]);
        }
        prop_assert_eq!(rows(&position), expected);
    }
}

/// Compares both rule books with the naive rules for every slide, on the board and beyond its edges.
fn judges_every_slide(position: &Position) -> Result<(), TestCaseError> {
    let size = position.size();
    let board = rows(position);
    let cells = position.cells().len() as u16;
    for from in 0..cells + 2 {
        for to in 0..cells + 2 {
            let on_board = from < cells && to < cells;
            let ends = (coordinates(from, size), coordinates(to, size));
            let allowed = [
                on_board && strict_allows(&board, ends.0, ends.1),
                on_board && server_allows(&board, ends.0, ends.1),
            ];
            for (book, allowed) in [RuleBook::Strict, RuleBook::Server]
                .into_iter()
                .zip(allowed)
            {
                // The host treats equal cells as a pass.
                let mv = match from == to {
                    true if !on_board => continue,
                    true => Move::Pass,
                    false => Move::Slide { from, to },
                };
                // The strict rule book allows a pass if no slide is possible.
                let stuck = mv == Move::Pass && book == RuleBook::Strict && position.is_legal(mv);
                let mut after = position.clone();
                let judged = book.judge(&mut after, mv);
                prop_assert_eq!(
                    judged.is_ok(),
                    allowed || stuck,
                    "{:?} {:?} {:?}",
                    book,
                    mv,
                    &board
                );
                match judged {
                    Ok(_) => prop_assert_eq!(after.phase(), Phase::Draw),
                    Err(_) => prop_assert_eq!(&after, position),
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn both_books_judge_slides_as_a_naive_reader_does(
        size in 2..=5_u8, cells in proptest::collection::vec(0..25_u16, 1..24),
    ) {
        if let Some(position) = order_to_move(Rules { size, pass: false }, &cells) {
            judges_every_slide(&position)?;
        }
    }

    #[test]
    fn both_books_take_placements_on_free_cells_alone(
        size in 2..=5_u8, cells in proptest::collection::vec(0..25_u16, 1..24),
    ) {
        let Some(mut position) = order_to_move(Rules { size, pass: true }, &cells) else {
            return Ok(());
        };
        position.make(Move::Pass);
        let colour = (1..=size).find(|&colour| position.in_bag(colour) > 0).expect("a tile");
        position.make(Move::Draw(colour));
        let board = position.cells().len() as u16;
        for cell in 0..board + 2 {
            let free = cell < board && position.at(cell) == 0;
            for book in [RuleBook::Strict, RuleBook::Server] {
                for (mv, allowed) in [
                    (Move::Place(cell), free),
                    (Move::Pass, false),
                    (Move::Slide { from: cell, to: 0 }, false),
                ] {
                    let mut after = position.clone();
                    prop_assert_eq!(book.judge(&mut after, mv).is_ok(), allowed);
                }
            }
        }
    }
}

#[test]
fn the_servers_lax_checks_one_by_one() {
    // The board `A . A / . A . / . . .`, with tiles on cells 0, 2 and 4.
    let rules = Rules {
        size: 3,
        pass: false,
    };
    let accepts = |from, to| {
        let mut position = order_to_move(rules, &[0, 2, 4]).expect("three tiles");
        let moved = match from == to {
            true => Move::Pass,
            false => Move::Slide { from, to },
        };
        RuleBook::Server.judge(&mut position, moved).is_ok()
    };
    assert!(accepts(0, 1), "one to the right");
    assert!(accepts(0, 2), "onto a tile");
    assert!(accepts(4, 4) && accepts(8, 8), "a pass, wherever it points");
    assert!(accepts(2, 0), "onto a tile, leftwards");
    assert!(!accepts(1, 0), "from an empty cell");
    assert!(!accepts(0, 4), "not along a line");
    // The server lets only slides to the left and upward pass over a tile. For example, tiles on cells 0 and 1 form the
    // row `A A .`.
    let accepts = |placed: &[u16], from, to| {
        let mut position = order_to_move(rules, placed).expect("tiles");
        RuleBook::Server
            .judge(&mut position, Move::Slide { from, to })
            .is_ok()
    };
    assert!(!accepts(&[0, 1], 0, 2), "over a tile, to the right");
    assert!(accepts(&[1, 2], 2, 0), "over a tile, to the left");
    assert!(!accepts(&[0, 3], 0, 6), "over a tile, downwards");
    assert!(accepts(&[3, 6], 6, 0), "over a tile, upwards");
}
