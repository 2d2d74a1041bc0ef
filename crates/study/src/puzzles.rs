//! Mines puzzles: positions in which one move is better than all others by a margin.

use std::num::NonZeroU8;

use serde::Serialize;
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{Plugin, Studying};
use turnwise_engine::search::{Limits, Stop};

use crate::play::think;
use crate::position::{Beginning, Position};
use crate::request::Think;
use crate::review::{Effort, Mark, judge_last};
use crate::{Allowed, RefusedError};

/// The maximum number of puzzles from one game.
const MOST_OF_A_GAME: usize = 2;

/// The maximum size of a puzzle, in bytes of JSON.
const MOST_BYTES: usize = 480;

/// The maximum number of nodes per move of the players that play and solve.
const PLAYERS_NODES: u64 = 1000;

/// The number of attempts of each level at a puzzle.
const ATTEMPTS: u64 = 9;

/// Each of the searches of a position has this part of the nodes. A move that only some of them prefer is no solution.
const PARTS: [u64; 5] = [100, 30, 10, 3, 1];

/// A step of the order in which the positions of a game are tried. It is a prime, so that each position is tried once.
const STEP: usize = 7919;

/// A position with one good move.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Puzzle {
    /// The source of the position before the first move.
    pub beginning: Beginning,
    /// The moves made so far, in the notation of logs.
    pub moves: Vec<String>,
    /// The only good move, in the notation of logs.
    pub solution: String,
    /// The highest level that misses the solution in most attempts; 0 if every level finds it.
    pub level: u8,
}

/// Mines puzzles of one game.
#[derive(Debug)]
pub struct Miner<'a> {
    /// The known games.
    pub games: &'static [Plugin],
    /// The game's name.
    pub game: &'static str,
    /// The game's settings.
    pub settings: Fields,
    /// The maximum number of search nodes per position.
    pub nodes: u64,
    /// The mark that every move except the solution must at least have.
    pub mark: Mark,
    /// The resources of a search.
    pub allowed: Allowed<'a>,
    /// The flag that stops all searches.
    pub stop: Stop,
}

impl Miner<'_> {
    /// Plays a game between two levels that follow from the seed, and returns the position at its end.
    ///
    /// # Errors
    ///
    /// Returns an error if an agent fails.
    pub fn play(&self, seed: u64) -> Result<Position, RefusedError> {
        let mut position = self.position(Beginning::Seed(seed), Vec::new());
        let levels = self.levels()?;
        let pairs = [seed, seed / u64::from(levels.max(1))];
        while let Some(side) = position.view(self.games, None)?.turn {
            let level = pairs[side % 2] % u64::from(levels.max(1)) + 1;
            let level = NonZeroU8::new(level as u8).filter(|_| levels > 0);
            let made = self.choose(&position, level, seed)?;
            position.moves.push(made);
        }
        Ok(position)
    }

    /// Returns puzzles from the positions of a game.
    pub fn mine(&self, game: &Position) -> Vec<Puzzle> {
        let plies = game.moves.len();
        let order = (0..plies).map(|at| at.wrapping_mul(STEP) % plies);
        let puzzles = order.filter_map(|ply| {
            let position = game.up_to(ply);
            let only_move = |part| self.only_move(&position, self.nodes / part, self.mark);
            let solution = only_move(PARTS[0])?;
            let is_stable = PARTS[1..]
                .iter()
                .all(|&part| only_move(part).as_ref() == Some(&solution));
            is_stable.then_some(())?;
            let position = self.shortest(&position)?;
            let level = self.level(&position, &solution).ok()?;
            Some(Puzzle {
                beginning: position.beginning,
                moves: position.moves,
                solution,
                level,
            })
        });
        puzzles.take(MOST_OF_A_GAME).collect()
    }

    /// Returns the mark that every move except the solution must still have in the proof: the next lower mark, if there
    /// is one.
    pub fn proven_mark(&self) -> Mark {
        match self.mark {
            Mark::Blunder => Mark::Mistake,
            Mark::Mistake | Mark::Inaccuracy => Mark::Inaccuracy,
        }
    }

    /// Searches again with ten times the nodes. Returns true if all other moves still have the
    /// [`proven_mark`](Self::proven_mark).
    pub fn holds(&self, puzzle: &Puzzle) -> bool {
        let position = self.position(puzzle.beginning.clone(), puzzle.moves.clone());
        let nodes = self.nodes.saturating_mul(10);
        let found = self.only_move(&position, nodes, self.proven_mark());
        found.as_ref() == Some(&puzzle.solution)
    }

    fn position(&self, beginning: Beginning, moves: Vec<String>) -> Position {
        Position {
            game: self.game.to_owned(),
            settings: self.settings.clone(),
            beginning,
            moves,
        }
    }

    /// Returns the best move if the second best has at least this mark. Returns `None` in a position without choice.
    fn only_move(&self, position: &Position, nodes: u64, least: Mark) -> Option<String> {
        let settled = position.settled(self.games).ok()?;
        let mut open = position.open(&*settled).ok()?;
        let turn = open.turn()?;
        let view = open.view(Some(turn));
        if view.choices.len() < 2 || view.amount.is_some() {
            return None;
        }
        let how = Studying {
            top: 2,
            limits: Limits::of_nodes(nodes),
            stop: self.stop.clone(),
            solutions: self.allowed.solutions,
        };
        let studied = open.study(&how, &mut |_| {})?;
        let [best, second] = &studied.lines[..] else {
            return None;
        };
        let (best, second) = (best.moves.first()?, second.moves.first()?);
        let mut after = position.clone();
        after.moves.push(second.clone());
        let effort = Effort {
            nodes: Some(nodes),
            allowed: &self.allowed,
            stop: &self.stop,
        };
        let second = judge_last(&after, self.games, effort).ok()?;
        let is_only = second.judged.best == *best && second.mark >= Some(least);
        (is_only && !self.stop.stopped()).then(|| best.clone())
    }

    /// Returns the position in its shortest form: as moves since the beginning of the game, or as text.
    fn shortest(&self, position: &Position) -> Option<Position> {
        let settled = position.settled(self.games).ok()?;
        let text = position.open(&*settled).ok()?.text();
        let set_up = text.map(|text| self.position(Beginning::Text(text), Vec::new()));
        let size = |of: &Position| {
            let json = serde_json::to_string(&(&of.beginning, &of.moves));
            json.map_or(usize::MAX, |json| json.len())
        };
        let forms = [Some(position.clone()), set_up].into_iter().flatten();
        let shortest = forms.min_by_key(|form| size(form))?;
        (size(&shortest) <= MOST_BYTES).then_some(shortest)
    }

    fn levels(&self) -> Result<u8, RefusedError> {
        let about = crate::games::find(self.games, |game| game.about().name == self.game)?.about();
        Ok(about.levels.len() as u8)
    }

    /// Returns the highest level that misses the solution in most attempts; 0 if none does.
    fn level(&self, position: &Position, solution: &str) -> Result<u8, RefusedError> {
        // Each puzzle has its own seeds, because the seed decides when a weak level makes a random move.
        let bytes = serde_json::to_vec(&(&position.beginning, &position.moves));
        let bytes = bytes.expect("positions become JSON").into_iter();
        let own = bytes.fold(0_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        for level in (1..=self.levels()?).rev().filter_map(NonZeroU8::new) {
            let mut found = 0;
            for seed in 0..ATTEMPTS {
                found += u64::from(
                    self.choose(position, Some(level), own.wrapping_add(seed << 32))? == solution,
                );
            }
            if 2 * found < ATTEMPTS {
                return Ok(level.get());
            }
        }
        Ok(0)
    }

    /// Returns the move that the game's strongest agent chooses at a level.
    fn choose(
        &self,
        position: &Position,
        level: Option<NonZeroU8>,
        seed: u64,
    ) -> Result<String, RefusedError> {
        let agents = position.settled(self.games)?.about().agents;
        let agent = agents
            .first()
            .ok_or_else(|| RefusedError("the game has no agent".to_owned()))?;
        let request = Think {
            position: position.clone(),
            agent: agent.name.to_owned(),
            nodes: Some(PLAYERS_NODES),
            depth: None,
            level,
            seed,
            time: None,
            left: None,
        };
        Ok(think(&request, self.games, &self.allowed, &self.stop)?.notation)
    }
}
