//! Tests that the luck that is attributed to the tiles is zero on average, whichever moves the players choose.

use std::ops::ControlFlow;

use turnwise_arena::records::{Fault, GameRecord};
use turnwise_engine::player::FaultKind;
use turnwise_engine::plugin::LuckJudge;
use turnwise_entropy::match_game::luck::Judge;
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::picture::notation;
use turnwise_entropy::rules::{Colour, Move, Phase, Position, Rules};
use turnwise_report::Match;
use turnwise_report::logs::Game;
use turnwise_report::luck::judge;
use turnwise_report::standings::pairs;
use turnwise_report::tables::tables;

use super::sample::{lines, records, result};
use super::{faults_plan, one_match, sample_plan};

const SIZE: u8 = 3;
const RULES: Rules = Rules {
    size: SIZE,
    pass: false,
};

/// Chooses a move that depends only on the board, because a player does not know which tiles will be drawn later.
fn answer(position: &Position) -> Move {
    let mut moves = Vec::new();
    match position.phase() {
        Phase::Place => position.placements(&mut moves),
        _ => position.slides(&mut moves),
    }
    match moves.is_empty() {
        true => Move::Pass,
        false => moves[position.hash() as usize % moves.len()],
    }
}

/// Plays a game with these tiles until all are used up; [`answer`] chooses every move.
fn game(tiles: &[Colour]) -> Game {
    let mut position = Position::new(RULES);
    let mut moves = Vec::new();
    for &tile in tiles {
        position.make(Move::Draw(tile));
        while !matches!(position.phase(), Phase::Draw | Phase::Over) {
            let mv = answer(&position);
            position.make(mv);
            moves.push(notation(mv, SIZE));
        }
    }
    let record = GameRecord {
        pair: 1,
        game: 1,
        others: Vec::new(),
        meeting: None,
        first: "one".to_owned(),
        second: "other".to_owned(),
        result: result(["one", "other"], tiles, board_score(&position), SIZE),
        seed: 0,
        opening: Vec::new(),
        moves,
        fault: None,
        put_out: Vec::new(),
        used_s: None,
        cpu_s: None,
        pondered_s: None,
        first_try: None,
        superseded: false,
    };
    Game {
        record,
        moves: Vec::new(),
        luck: None,
    }
}

/// Returns how many points Order gained by luck in a game, that is, by the order in which the tiles were drawn.
fn of_game(judge: &mut dyn LuckJudge, game: &Game) -> f64 {
    let record = &game.record;
    let at_fault = record
        .fault
        .as_ref()
        .map(|fault| usize::from(fault.role == "CHAOS"));
    judge
        .luck(&record.result.fields, &record.moves, at_fault)
        .expect("tiles are drawn")
}

/// Returns the tiles in every possible order.
fn orders(tiles: &[Colour]) -> Vec<Vec<Colour>> {
    if tiles.is_empty() {
        return vec![Vec::new()];
    }
    (0..tiles.len())
        .flat_map(|at| {
            let mut rest = tiles.to_vec();
            let first = rest.remove(at);
            let orders = orders(&rest).into_iter();
            orders.map(move |rest| [vec![first], rest].concat())
        })
        .collect()
}

#[test]
fn luck_is_nothing_on_average_over_all_orders_of_the_tiles() {
    let mut judge = Judge::new(RULES);
    let mut luck = |tiles: &[Colour]| of_game(&mut judge, &game(tiles));
    for (known, to_come) in [
        ([1, 2, 3, 1, 2], [1, 2, 3, 3]),
        ([3, 3, 1, 1, 2], [1, 2, 2, 3]),
        ([1, 1, 1, 2, 2], [2, 3, 3, 3]),
    ] {
        let so_far = luck(&known);
        let lucks: Vec<f64> = (orders(&to_come).iter())
            .map(|order| luck(&[&known[..], order].concat()) - so_far)
            .collect();
        let sum: f64 = lucks.iter().sum();
        assert!(sum.abs() < 1e-3, "{lucks:?}");
        let most = lucks.iter().copied().fold(0.0, f64::max);
        assert!(most > 0.5, "nobody was ever lucky: {lucks:?}");
    }
}

/// Returns a game that ended because of a fault of the player with this role. At that time, Chaos had drawn the last
/// tile but not yet placed it.
fn broken_off(tiles: &[Colour], role: &str) -> Game {
    let (_drawn, placed) = tiles.split_last().expect("a tile");
    let mut game = game(placed);
    game.record.result = result(["one", "other"], tiles, 0, SIZE);
    game.record.fault = Some(Fault {
        agent: "other".to_owned(),
        role: role.to_owned(),
        kind: FaultKind::Crash,
        reason: String::new(),
        output: None,
        stderr: Vec::new(),
    });
    game
}

#[test]
fn the_tile_with_which_chaos_ends_the_game_counts_too() {
    let tiles = [1, 1, 1, 2, 2, 2, 3];
    let mut judge = Judge::new(RULES);
    let mut luck = |game: &Game| of_game(&mut judge, game);
    for number in 2..tiles.len() {
        let whole = luck(&game(&tiles[..number]));
        let of_chaos = luck(&broken_off(&tiles[..number], "CHAOS"));
        assert!((of_chaos - whole).abs() < 1e-9, "{number} tiles");
        let of_order = luck(&broken_off(&tiles[..number], "ORDER"));
        let before = luck(&game(&tiles[..number - 1]));
        assert_eq!(of_order, before, "{number} tiles");
    }
}

#[test]
fn luck_does_not_depend_on_jobs_or_on_other_games() {
    let judged = |jobs| {
        let mut of = one_match(&lines(&records(&sample_plan())));
        judge(&mut of, jobs, &|| ControlFlow::Continue(()));
        let lucks: Vec<_> = of.whole_games().map(|game| game.luck).collect();
        assert!(lucks.iter().all(Option::is_some));
        (of, lucks)
    };
    let (of, lucks) = judged(3);
    assert_eq!(judged(1).1, lucks);
    let last = of.whole_games().last().expect("games");
    let mut judge = of.header.game.0.luck_judge().expect("tiles are drawn");
    assert_eq!(Some(of_game(judge.as_mut(), last)), last.luck);
    for (pair, lucks) in pairs(&of).zip(lucks.chunks(2)) {
        let [Some(one), Some(two)] = lucks else {
            panic!("two games a pair")
        };
        assert_eq!(pair.luck, Some(one - two));
    }
}

fn titles(of: &Match) -> Vec<&str> {
    tables(of).iter().map(|table| table.title).collect()
}

#[test]
fn luck_has_a_table_once_it_is_judged() {
    let mut of = one_match(&lines(&records(&faults_plan())));
    assert_eq!(titles(&of), ["Standings", "Pairings", "Faults"]);
    judge(&mut of, 2, &|| ControlFlow::Continue(()));
    let shown = ["Standings", "Pairings", "Luck of the tiles", "Faults"];
    assert_eq!(titles(&of), shown);
    let table = &tables(&of)[2];
    assert_eq!(table.rows.len(), 3);
    for row in &table.rows {
        assert_eq!(row.len(), table.header.len());
    }
}
