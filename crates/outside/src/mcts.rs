//! Monte Carlo tree search (UCT) for a game whose rules are a referee's. Each iteration is one request: the referee plays
//! the moves of the tree and continues at random to the end of the game.
//!
//! The tree is open-loop: a node stands for a sequence of moves, whatever the chance events between them. Before each
//! iteration, the referee draws new chance events and, if information is hidden, a new guess of what the seat does not
//! know. Some moves of the tree may therefore be illegal in an iteration; the iteration then leaves the tree there.

use std::thread;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;
use turnwise_engine::plugin::{Studied, StudiedLine};
use turnwise_engine::search::Stop;

use crate::agents::Seen;
use crate::manifest::Scores;
use crate::record::score_of_first;
use crate::referee::Rollout;

/// The weight of exploration against exploitation, for scores between 0 and 1.
const EXPLORATION: f64 = 1.4;

/// The time that a search has if nothing else limits it.
const USUAL_TIME: Duration = Duration::from_secs(1);

/// The maximum number of nodes in the tree. Further iterations only update existing nodes.
const MOST_NODES: usize = 1_000_000;

/// The number of iterations after which intermediate results are reported for the first time. It then doubles.
const FIRST_REPORT: u64 = 64;

/// The limits of a search.
pub(crate) struct Until {
    pub nodes: Option<u64>,
    pub deadline: Option<Instant>,
    pub stop: Stop,
    /// The number of processes in which trees grow independently. The nodes are divided among them.
    pub processes: usize,
}

/// A move of the root, as the search values it.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub text: String,
    /// The mean score of the first seat, in the scale of [`Meaning::score`](turnwise_engine::plugin::Meaning::score).
    pub score: f64,
    visits: u64,
}

/// The result of a search.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub best: String,
    pub depth: u32,
    pub nodes: u64,
    /// The moves of the root, the most visited first. Empty without a search.
    pub lines: Vec<Line>,
}

impl Found {
    /// Creates the result of an agent that does not search.
    pub fn only(best: String) -> Self {
        Self {
            best,
            depth: 0,
            nodes: 1,
            lines: Vec::new(),
        }
    }

    /// Returns the expected score of the first seat, if the agent searched.
    pub fn score(&self) -> Option<f64> {
        self.lines.first().map(|line| line.score)
    }

    /// Returns the best `top` moves.
    pub fn studied(&self, top: usize) -> Studied {
        let line = |text: &String, score: Option<f64>| StudiedLine {
            moves: vec![text.clone()],
            value: score.unwrap_or_default(),
            score,
            to_go: None,
        };
        let lines = self.lines.iter().take(top.max(1));
        let mut lines: Vec<_> = lines.map(|it| line(&it.text, Some(it.score))).collect();
        if lines.is_empty() {
            lines.push(line(&self.best, None));
        }
        Studied {
            depth: self.depth,
            nodes: self.nodes,
            is_exact: false,
            lines,
        }
    }
}

#[derive(Default)]
struct Node {
    visits: u64,
    /// The sum of the scores of each seat.
    sums: Vec<f64>,
    /// The seat to move; `None` at the end of the game.
    seat: Option<usize>,
    children: Vec<Child>,
}

impl Node {
    /// Adds visits with these sums of scores.
    fn count(&mut self, visits: u64, scores: &[f64]) {
        self.visits += visits;
        self.sums.resize(scores.len().max(self.sums.len()), 0.0);
        for (sum, score) in self.sums.iter_mut().zip(scores) {
            *sum += score;
        }
    }
}

struct Child {
    text: String,
    /// The place of the child in the tree, once it has been visited.
    node: Option<usize>,
}

struct Tree {
    nodes: Vec<Node>,
    /// The lowest and the highest score of a seat.
    range: [f64; 2],
    scoring: Scores,
}

impl Tree {
    /// Returns the child with the highest upper confidence bound (UCB1) for the seat to move. A child that has not been
    /// visited comes first, a random one if there are several.
    fn select(&self, at: usize, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        let node = &self.nodes[at];
        let seat = node.seat?;
        let fresh: Vec<usize> = (0..node.children.len())
            .filter(|&child| node.children[child].node.is_none())
            .collect();
        if !fresh.is_empty() && self.nodes.len() < MOST_NODES {
            return Some(fresh[random.random_range(0..fresh.len())]);
        }
        let [lowest, highest] = self.range;
        let width = highest - lowest;
        let log = (node.visits.max(1) as f64).ln();
        let bound = |child: &Child| {
            let visited = &self.nodes[child.node?];
            let visits = visited.visits.max(1) as f64;
            let mean = visited.sums.get(seat).copied().unwrap_or_default() / visits;
            Some((mean - lowest) / width + EXPLORATION * (log / visits).sqrt())
        };
        let bounds = node.children.iter().enumerate();
        let bounds = bounds.filter_map(|(at, child)| Some((at, bound(child)?)));
        bounds
            .max_by(|one, other| one.1.total_cmp(&other.1))
            .map(|(at, _)| at)
    }

    /// Adds the visits of the moves at another tree's root.
    fn add(&mut self, other: &Tree) {
        for child in &other.nodes[0].children {
            let Some(from) = child.node.map(|node| &other.nodes[node]) else {
                continue;
            };
            let place = self.nodes.len();
            let children = &mut self.nodes[0].children;
            let known = children.iter().position(|known| known.text == child.text);
            let at = known.unwrap_or_else(|| {
                let text = child.text.clone();
                children.push(Child { text, node: None });
                children.len() - 1
            });
            let node = *children[at].node.get_or_insert(place);
            if node == place {
                self.nodes.push(Node::default());
            }
            self.nodes[node].count(from.visits, &from.sums);
        }
    }

    /// Adds the legal moves of a node that are not among its children yet.
    fn expand(&mut self, at: usize, rollout: &Rollout) {
        let node = &mut self.nodes[at];
        node.seat = node.seat.or(rollout.seat);
        for text in &rollout.moves {
            if node.children.iter().all(|child| child.text != *text) {
                let text = text.clone();
                node.children.push(Child { text, node: None });
            }
        }
    }
}

/// Searches for the best move of the seat to move. Reports intermediate results to `told`. Returns `None` if the referee
/// has no play-outs or failed.
pub(crate) fn search(
    seen: &Seen,
    until: &Until,
    random: &mut Xoshiro256PlusPlus,
    told: &mut dyn FnMut(&Found),
) -> Option<Found> {
    let start = &seen.table.start;
    if start.manifest.hidden && !seen.table.can("resample") {
        return None;
    }
    let twins: Vec<Seen> = (1..until.processes)
        .filter_map(|_| seen.table.twin())
        .map(|table| seen.at(table))
        .collect();
    let until = &Until {
        nodes: until
            .nodes
            .map(|nodes| nodes.div_ceil(1 + twins.len() as u64)),
        stop: until.stop.clone(),
        ..*until
    };
    let (tree, depth, iterations) = thread::scope(|scope| {
        let others: Vec<_> = twins
            .iter()
            .map(|twin| {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(random.random());
                scope.spawn(move || grow(twin, until, &mut random, &mut |_| {}))
            })
            .collect();
        let mut grown = grow(seen, until, random, told)?;
        for other in others {
            // A process that failed contributes nothing.
            if let Ok(Some((tree, depth, iterations))) = other.join() {
                grown.0.add(&tree);
                grown = (grown.0, grown.1.max(depth), grown.2 + iterations);
            }
        }
        Some(grown)
    })?;
    Some(found(&tree, (depth, iterations))).filter(|found| !found.best.is_empty())
}

/// Grows a tree until a limit is reached. Returns the tree, its depth and the number of iterations.
fn grow(
    seen: &Seen,
    until: &Until,
    random: &mut Xoshiro256PlusPlus,
    told: &mut dyn FnMut(&Found),
) -> Option<(Tree, u32, u64)> {
    let began = Instant::now();
    let start = &seen.table.start;
    let usual = until.nodes.is_none().then(|| began + USUAL_TIME);
    let deadline = until.deadline.or(usual);
    let mut tree = Tree {
        nodes: vec![Node::default()],
        range: start.manifest.points,
        scoring: start.manifest.scoring,
    };
    let (mut iterations, mut depth, mut report) = (0, 0, FIRST_REPORT);
    let mut longest = Duration::ZERO;
    loop {
        let is_enough = until.nodes.is_some_and(|nodes| iterations >= nodes)
            || deadline.is_some_and(|deadline| Instant::now() + longest >= deadline)
            || until.stop.stopped();
        // The first iteration finds the legal moves.
        if is_enough && iterations > 0 {
            break;
        }
        let (mut path, mut moves) = (vec![0], Vec::new());
        while let Some(child) = tree.select(path[path.len() - 1], random) {
            let at = path[path.len() - 1];
            let place = tree.nodes.len();
            let child = &mut tree.nodes[at].children[child];
            moves.push(child.text.clone());
            let is_new = child.node.is_none();
            path.push(*child.node.get_or_insert(place));
            if is_new {
                tree.nodes.push(Node::default());
                break;
            }
        }
        let mut params = json!({"moves": moves, "seed": random.random::<u64>()});
        if start.manifest.hidden {
            params["resample"] = seen.seat.into();
        }
        let sent = Instant::now();
        let rollout: Rollout = seen.table.query("rollout", params)?;
        longest = longest.max(sent.elapsed());
        if rollout.scores.len() != start.seats || rollout.played > moves.len() {
            let got = format!(
                "{} scores after {} moves",
                rollout.scores.len(),
                rollout.played
            );
            seen.table.contradict(format!(
                "expected a play-out of {} seats, got {got}",
                start.seats
            ));
            return None;
        }
        // In this iteration, the moves after `played` were illegal.
        path.truncate(rollout.played + 1);
        let leaf = path[path.len() - 1];
        if tree.nodes[leaf].visits == 0 || rollout.played < moves.len() {
            tree.expand(leaf, &rollout);
        }
        for &at in &path {
            tree.nodes[at].count(1, &rollout.scores);
        }
        depth = depth.max(rollout.played as u32);
        iterations += 1;
        if iterations == report {
            report *= 2;
            told(&found(&tree, (depth, iterations)));
        }
    }
    Some((tree, depth, iterations))
}

/// Returns the moves of the root, the most visited first.
fn found(tree: &Tree, (depth, nodes): (u32, u64)) -> Found {
    let line = |child: &Child| {
        let node = child.node.map(|node| &tree.nodes[node]);
        let visits = node.map_or(0, |node| node.visits);
        let score = node.filter(|node| node.visits > 0).map_or(0.0, |node| {
            let means: Vec<f64> = node
                .sums
                .iter()
                .map(|sum| sum / node.visits as f64)
                .collect();
            score_of_first(&means, tree.scoring)
        });
        Line {
            text: child.text.clone(),
            score,
            visits,
        }
    };
    let mut lines: Vec<Line> = tree.nodes[0].children.iter().map(line).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.visits));
    Found {
        best: lines
            .first()
            .map(|line| line.text.clone())
            .unwrap_or_default(),
        depth,
        nodes,
        lines,
    }
}
