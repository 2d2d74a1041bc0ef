//! Finds the best moves of a position with their values: in a solution if the board is solved, otherwise by search.

use turnwise_engine::game::{Game, Score, Turn};
use turnwise_engine::plugin::{Studied, StudiedLine, Studying, Told};
use turnwise_engine::search::analysis::{Analysis, Candidate, analyse};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits, deepening};

use crate::agents::table_bytes;
use crate::evaluated::Evaluated;
use crate::picture::notation;
use crate::rules::{Move, Position};
use crate::search_agent;
use crate::solution::{self, Solution};
use crate::weights;

/// Analyzes moves: takes their values from the solution if the board is solved, and searches otherwise.
pub(super) struct Analyst {
    solution: Option<Solution>,
    table_bytes: usize,
    /// The transposition table, created at first use.
    table: Option<Table<Move>>,
}

impl Analyst {
    /// Creates an analyst with an optional solution. Its transposition table is sized for searches of `nodes` nodes.
    pub fn new(solution: Option<Solution>, nodes: u64) -> Self {
        Self {
            solution,
            table_bytes: table_bytes(nodes),
            table: None,
        }
    }

    /// Returns true if a solution provides the values of moves.
    pub fn is_solved(&self) -> bool {
        self.solution.is_some()
    }

    /// Returns the `top` best moves of a position in which a player is to move.
    ///
    /// The result does not depend on earlier calls. `told` is called after each completed iteration of the search.
    /// Fails if the solution cannot be read.
    pub fn analysis(
        &mut self,
        game: &mut Evaluated,
        top: usize,
        limits: Limits,
        control: &Control<Move>,
        told: &mut dyn FnMut(&Analysis<Move>),
    ) -> Result<Analysis<Move>, String> {
        if let Some(solution) = &self.solution {
            let analysis = solution.analysis(game.position(), top);
            return analysis.map_err(|error| error.to_string());
        }
        Ok(analyse(game, self.table(), top, limits, control, told))
    }

    /// Compares a legal move with the best move. Without a solution, this function searches up to `nodes` nodes like
    /// the search agent. Fails if the solution cannot be read.
    pub fn judge(
        &mut self,
        game: &mut Evaluated,
        made: Move,
        nodes: u64,
    ) -> Result<Judged, String> {
        if let Some(solution) = &self.solution {
            let analysis = solution.analysis(game.position(), usize::MAX);
            let analysis = analysis.map_err(|error| error.to_string())?;
            let value = |candidate: &Candidate<Move>| (candidate.mv, candidate.value);
            let of_made = analysis.candidates.iter().find(|known| known.mv == made);
            return Ok(Judged {
                best: value(&analysis.candidates[0]),
                made: of_made.expect("a legal move").value,
                depth: analysis.depth,
                is_exact: analysis.solved,
            });
        }
        let limits = Limits {
            schedule: search_agent::schedule(game),
            ..Limits::of_nodes(nodes)
        };
        let compared = deepening::compare(game, self.table(), made, limits);
        let (found, made) = (compared.found, (made, compared.other));
        let best = (found.best, found.value);
        // The search may have skipped the played move, because it searches only promising moves. The played move may
        // therefore turn out better than the search's best move.
        let is_better = matches!(game.turn(), Turn::Player(side) if side.prefers(made.1, best.1));
        Ok(Judged {
            best: if is_better { made } else { best },
            made: made.1,
            depth: found.value_depth,
            is_exact: compared.is_exact,
        })
    }

    /// Returns the cleared transposition table.
    fn table(&mut self) -> &mut Table<Move> {
        let bytes = self.table_bytes;
        let table = self.table.get_or_insert_with(|| Table::new(bytes));
        table.clear();
        table
    }
}

/// The values of a played move and of the best move.
pub(super) struct Judged {
    /// The best move and its value.
    pub best: (Move, Score),
    /// The value of the played move, in points.
    pub made: Score,
    /// The depth of the search that found both values, in plies.
    pub depth: u32,
    /// True if both values are exact.
    pub is_exact: bool,
}

/// Prepares a position for a search with the best known evaluation.
pub(super) fn evaluated(position: &Position) -> Evaluated {
    Evaluated::new(position.clone(), weights::best_known(position.size()))
}

/// Returns the best moves of a position. If the solution cannot be read, it is ignored and the moves are searched.
pub(super) fn study(position: &Position, how: &Studying, told: Told) -> Studied {
    let at_hand = |folder| solution::at_hand(folder, position.rules()).ok().flatten();
    let mut game = evaluated(position);
    let seen = game.clone();
    let mut analysis_by = |solution| {
        Analyst::new(solution, how.limits.nodes).analysis(
            &mut game,
            how.top,
            how.limits,
            &Control::stopped_by(how.stop.clone()),
            &mut |analysis| told(&studied(&seen, analysis)),
        )
    };
    let analysis = analysis_by(how.solutions.and_then(at_hand))
        .or_else(|_unreadable| analysis_by(None))
        .expect("a search reads nothing");
    studied(&seen, &analysis)
}

fn studied(game: &Evaluated, analysis: &Analysis<Move>) -> Studied {
    let size = game.position().size();
    let line = |candidate: &Candidate<Move>| StudiedLine {
        moves: (candidate.principal_variation.iter())
            .map(|&mv| notation(mv, size))
            .collect(),
        value: candidate.value.into(),
        score: game
            .forecast(candidate.value, analysis.depth, analysis.solved)
            .map(f64::from),
        to_go: None,
    };
    Studied {
        depth: analysis.depth,
        nodes: analysis.nodes,
        is_exact: analysis.solved,
        lines: analysis.candidates.iter().map(line).collect(),
    }
}
