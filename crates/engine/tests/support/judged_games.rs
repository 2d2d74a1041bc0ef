//! Plays games between agents and judges their moves, for the tests in the crates of the games.

use std::ops::ControlFlow;

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{AgentOptions, GameRules, JudgedMove, Judging};
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::table::Table;

/// A logged game: its result, and its moves in the notation of logs.
pub type Logged = (Fields, Vec<String>);

/// Plays a game between the agents with these names. `change` receives the table, the number of the ply, starting at 0,
/// and the agent's move, and returns the move to play instead.
pub fn played<G: GameRules>(
    rules: &G,
    seed: u64,
    names: [&str; 2],
    mut change: impl FnMut(&mut G::Table, usize, <G::Table as Table>::Move) -> <G::Table as Table>::Move,
) -> Logged {
    let mut agents = names.map(|name| {
        rules.agent(
            name,
            &G::Resources::default(),
            &AgentOptions::default(),
            seed,
        )
    });
    let mut table = G::Table::new(rules, seed);
    let mut moves = Vec::new();
    while let Some(side) = table.turn() {
        let found = agents[side].think(table.position(), Limits::default(), &Control::new());
        let mv = change(&mut table, moves.len(), found.best);
        moves.push(table.notation(mv));
        table.play(mv);
    }
    (table.outcome(None, None), moves)
}

/// Judges all moves of a logged game, and returns how many points each move lost.
pub fn judged(rules: &impl GameRules, (result, moves): &Logged, nodes: u64) -> Vec<JudgedMove> {
    let by = Judging {
        solutions: None,
        nodes,
    };
    let judge = rules.loss_judge(&by).expect("nothing is read");
    let mut judged = Vec::new();
    let all = judge.expect("a judge").judge(result, moves, &mut |mv| {
        judged.push(mv);
        ControlFlow::Continue(())
    });
    all.expect("its own moves");
    assert_eq!(judged.len(), moves.len());
    judged
}
