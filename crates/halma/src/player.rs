//! Players: what chooses a move in a position, and what it keeps from turn to turn.

use super::evaluation::Values;
use super::race::{self, Length};
use super::rules::{Move, Position};
use super::search::{Aborted, DEEPEST, Searcher, Selectivity, WIN_SEEN, WON, Watch};
use turnwise_engine::search::table::{Bound, Finding, Table};

/// What a player chose, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// Its value for the player, in points.
    pub value: i32,
    /// The deepest completed iteration, or the length of a planned race.
    pub depth: u32,
    /// Positions searched; none where a race was planned.
    pub nodes: u64,
}

/// A player. It lives as long as a game, or longer.
pub trait Player: Send {
    /// Chooses a move for the player to move, within about so many nodes and as long as the watch allows;
    /// `None` if there is no legal move. A move is found whatever the limits are.
    fn choose(&mut self, position: &Position, nodes: u64, watch: &mut dyn Watch) -> Option<Choice>;

    /// Forgets the game.
    fn reset(&mut self) {}
}

/// The guide looks this many own moves ahead.
const HORIZON: usize = 16;

/// Widths of its beams, one after the other while there is time.
const GUIDE_WIDTHS: [usize; 6] = [10, 30, 100, 300, 1_000, 3_000];

/// What the guide may take besides, as a part of the nodes.
const GUIDE_SHARE: u64 = 4;

/// What the moves that the guide would begin with are preferred by, in points. Found by matches:
/// docs/notes/halma.md.
const PREFERENCE: i32 = 150;
/// The same against an opponent that stays at home. Who searches for what to do against its blocks
/// loses more time than they cost.
const PREFERENCE_TO_STAYING: i32 = 600;

/// Off for a move back to a position that the game has seen, in points.
const REPETITION: i32 = 60;

/// Widths of the beams with which a race is planned, one after the other while there is time.
const WIDTHS: [usize; 6] = [30, 100, 300, 1_000, 3_000, 10_000];

/// Moves of the principal variation that are kept behind our own: the reply, and our answer to it.
const KEPT_OF_LINE: usize = 2;

/// The strong player.
pub struct Strong {
    values: Values,
    selectivity: Selectivity,
    table: Table<Move>,
    /// Positions after our own moves in this game.
    seen: Vec<u64>,
    /// Own moves that were planned and are still to be played: to the goal in a race, before it as far as
    /// the guide has looked.
    plan: Vec<Move>,
    /// What the last search expects to follow on its move.
    line: Vec<Move>,
}

impl Strong {
    /// A player with a table of at most this size.
    pub fn new(table_bytes: usize) -> Self {
        Self {
            values: Values::default(),
            selectivity: Selectivity::default(),
            table: Table::new(table_bytes),
            seen: Vec::new(),
            plan: Vec::new(),
            line: Vec::new(),
        }
    }

    /// What the last search expects to follow on its move: the opponent's reply and our answer to it, as
    /// far as the table still knows them; nothing after a race's move.
    pub fn line(&self) -> &[Move] {
        &self.line
    }

    /// Tells what an earlier search found best in this position: it is looked at early, and is the
    /// answer where there is no time for a search.
    pub fn advise(&mut self, position: &Position, mv: Move) {
        // Its value is not told: whatever is worth something is worth at least a loss.
        let value = -WON as f32;
        let finding = Finding {
            value,
            bound: Bound::Lower,
            best: Some(mv),
            narrowed: false,
        };
        self.table.put(position.hash(), 0, finding);
    }

    /// The positions after own moves in this game, oldest first, as hashes.
    pub fn seen(&self) -> &[u64] {
        &self.seen
    }

    /// The own moves that were planned and are still to be played.
    pub fn plan(&self) -> &[Move] {
        &self.plan
    }

    /// Goes on with a game in which these positions came up and these moves were planned.
    pub fn resume(&mut self, seen: Vec<u64>, plan: Vec<Move>) {
        self.seen = seen;
        self.plan = plan;
    }

    /// The next move of the race: of the plan at hand if it still holds, else of a new one.
    fn race(&mut self, position: &Position, nodes: u64, watch: &mut dyn Watch) -> Option<Choice> {
        let mut best = leads_to_goal(&self.plan, position).then(|| self.plan.clone());
        let [narrowest, wider @ ..] = WIDTHS;
        let affordable = |width: &usize| (width * HORIZON) as u64 <= nodes;
        let wider = wider.into_iter().take_while(affordable);
        for width in std::iter::once(narrowest).chain(wider) {
            let is_won = (best.as_ref()).is_some_and(|plan| race::wins(position, plan.len()));
            if is_won || watch.is_soft_over() {
                break;
            }
            let longest = best.as_ref().map_or(usize::MAX, |plan| plan.len() - 1);
            let length = Length::Goal(longest);
            let Some(plan) = race::plan(position, &self.values, width, length, &[], watch) else {
                break;
            };
            if plan.finishes {
                best = Some(plan.moves);
            }
            if plan.is_exact {
                break;
            }
        }
        let plan = best?;
        let length = plan.len() as u32;
        let mv = plan[0];
        self.plan = plan;
        Some(Choice {
            mv,
            value: WIN_SEEN - length as i32,
            depth: length,
            nodes: 0,
        })
    }

    /// Plans the own moves that gain most if the opponent stands still. Ladders are built over many moves:
    /// far more than alternating plies can be searched. Without time for a new plan the old one stays.
    fn guide(&mut self, position: &Position, nodes: u64, watch: &mut dyn Watch) {
        let affordable = |width: &usize| (width * HORIZON) as u64 <= nodes / GUIDE_SHARE;
        for width in GUIDE_WIDTHS.into_iter().take_while(affordable) {
            if !watch.is_early() {
                break;
            }
            let length = Length::Horizon(HORIZON);
            match race::plan(position, &self.values, width, length, &self.plan, watch) {
                Some(plan) => self.plan = plan.moves,
                None => break,
            }
        }
    }

    /// What is left of the plan after a move: all of it but the move if that was one of it.
    fn go_on(&mut self, mv: Move) {
        match self.plan.iter().position(|&planned| planned == mv) {
            Some(at) => {
                self.plan.remove(at);
            }
            None => self.plan.clear(),
        }
    }
}

/// The best moves that follow from a position on, as far as the table still knows them.
fn read_line(table: &Table<Move>, mut position: Position) -> Vec<Move> {
    let mut line = Vec::new();
    while line.len() < KEPT_OF_LINE && !position.is_won() {
        let best = table.get(position.hash()).and_then(|entry| entry.best);
        // Two positions may have the same hash.
        let Some(mv) = best.filter(|&mv| position.is_legal(mv)) else {
            break;
        };
        line.push(mv);
        position.play(mv);
    }
    line
}

/// The moves of a plan that can be played first, with all others following in their order: they lead to
/// the same position. Which of them is urgent is for the search to say.
fn could_begin(plan: &[Move], position: &Position) -> Vec<Move> {
    let others = |first: usize| (0..plan.len()).filter(move |&at| at != first);
    (0..plan.len())
        .filter(|&first| {
            let order = std::iter::once(first).chain(others(first));
            after_all(order.map(|at| plan[at]), position).is_some()
        })
        .map(|first| plan[first])
        .collect()
}

/// The position after these moves, the opponent standing still; `None` if one is not legal.
fn after_all(moves: impl IntoIterator<Item = Move>, position: &Position) -> Option<Position> {
    let mover = position.to_move();
    moves.into_iter().try_fold(*position, |at, mv| {
        at.is_legal(mv).then(|| at.after(mv).with_to_move(mover))
    })
}

/// True if there are moves, they can still all be played, and they lead to the goal, the opponent
/// standing still.
fn leads_to_goal(plan: &[Move], position: &Position) -> bool {
    let last = after_all(plan.iter().copied(), position);
    !plan.is_empty() && last.is_some_and(|last| last.has_filled_goal(position.to_move()))
}

impl Player for Strong {
    fn choose(&mut self, position: &Position, nodes: u64, watch: &mut dyn Watch) -> Option<Choice> {
        self.line.clear();
        let mut root = Root::new(position, &self.values, &self.seen)?;
        watch.publish(root.moves[0].mv);
        let raced = (!root.is_decided() && race::is_race(position))
            .then(|| self.race(position, nodes, watch))
            .flatten();
        // A race leads on with every move. One that leads back is broken by the opponent each time.
        let raced = raced.filter(|choice| !root.repeats(choice.mv));
        let choice = raced.unwrap_or_else(|| {
            self.table.next_age();
            self.guide(position, nodes, watch);
            let preference = if race::opponent_stays(position) {
                PREFERENCE_TO_STAYING
            } else {
                PREFERENCE
            };
            root.prefer(&could_begin(&self.plan, position), preference);
            if let Some(entry) = self.table.get(position.hash()) {
                root.look_first_at(entry.best);
            }
            let mut searcher = Searcher::new(
                &self.values,
                self.selectivity,
                &mut self.table,
                nodes,
                watch,
            );
            root.deepen(&mut searcher);
            let nodes = searcher.nodes;
            let mv = root.moves[0].mv;
            self.line = read_line(&self.table, position.after(mv));
            Choice {
                mv,
                value: root.moves[0].value,
                depth: root.depth,
                nodes,
            }
        });
        self.go_on(choice.mv);
        self.seen.push(position.after(choice.mv).hash());
        Some(choice)
    }

    fn reset(&mut self) {
        self.seen.clear();
        self.plan.clear();
        self.line.clear();
        self.table.clear();
    }
}

#[derive(Debug, Clone, Copy)]
struct RootMove {
    mv: Move,
    gain: i32,
    /// Added for what the search does not see: the guide's advice, repetitions.
    bonus: i32,
    value: i32,
}

/// The state between iterations: root moves, the best of them first.
struct Root {
    position: Position,
    balance: i32,
    moves: Vec<RootMove>,
    depth: u32,
}

impl Root {
    fn new(position: &Position, values: &Values, seen: &[u64]) -> Option<Self> {
        let mut legal = Vec::new();
        position.moves(&mut legal);
        let mut moves: Vec<RootMove> = legal
            .into_iter()
            .map(|mv| {
                let after = position.after(mv);
                let gain = values.gain(position.to_move(), mv);
                let bonus = if seen.contains(&after.hash()) {
                    -REPETITION
                } else {
                    0
                };
                let value = if after.is_won() {
                    WON - 1
                } else {
                    gain + bonus
                };
                RootMove {
                    mv,
                    gain,
                    bonus,
                    value,
                }
            })
            .collect();
        moves.sort_by_key(|known| -known.value);
        (!moves.is_empty()).then(|| Self {
            position: *position,
            balance: values.position(position),
            moves,
            depth: 0,
        })
    }

    /// True if a move leads back to a position that the game has seen.
    fn repeats(&self, mv: Move) -> bool {
        let known = self.moves.iter().find(|known| known.mv == mv);
        known.is_some_and(|known| known.bonus < 0)
    }

    /// Takes the guide's advice as far as the search sees no reason against it; a move back is none.
    fn prefer(&mut self, moves: &[Move], preference: i32) {
        if self.is_decided() {
            return;
        }
        for known in &mut self.moves {
            if moves.contains(&known.mv) && known.bonus >= 0 {
                known.bonus += preference;
                known.value += preference;
            }
        }
        self.moves.sort_by_key(|known| -known.value);
    }

    /// Puts the best move by an earlier search first, unless it repeats a position. Its value stays:
    /// without time for a search it is the answer, with time it is looked at early.
    fn look_first_at(&mut self, mv: Option<Move>) {
        let is_it = |root: &RootMove| Some(root.mv) == mv && root.bonus >= 0;
        if let Some(at) = self.moves.iter().position(is_it)
            && !self.is_decided()
        {
            self.moves[..=at].rotate_right(1);
        }
    }

    /// True if there is nothing to think about.
    fn is_decided(&self) -> bool {
        self.moves.len() == 1 || self.moves[0].value >= WIN_SEEN || self.moves[0].value <= -WIN_SEEN
    }

    fn deepen(&mut self, searcher: &mut Searcher) {
        while self.depth < DEEPEST && !self.is_decided() {
            // The replies are looked at even if the guide has used up the time.
            if self.depth > 0 && searcher.is_soft_over() {
                break;
            }
            let iterated = self.iterate(searcher);
            searcher.publish(self.moves[0].mv);
            if iterated.is_err() {
                break;
            }
            self.depth += 1;
        }
    }

    /// Searches one ply deeper. Broken off, it still puts the best move so far first.
    fn iterate(&mut self, searcher: &mut Searcher) -> Result<(), Aborted> {
        let depth = self.depth;
        let mut alpha = -WON;
        let mut outcome = Ok(());
        let mut best = 0;
        for at in 0..self.moves.len() {
            let RootMove {
                mv, gain, bonus, ..
            } = self.moves[at];
            let next = self.position.after(mv);
            let balance = -(self.balance + gain);
            let mut search = |alpha: i32, beta: i32| {
                // The window is moved by what is added: the search knows nothing of it.
                let window = (bonus - beta, bonus - alpha);
                let value = -searcher.value(&next, balance, depth, 1, window)?;
                // A win or a loss that is seen stays what it is.
                Ok(if value.abs() > WIN_SEEN {
                    value
                } else {
                    value + bonus
                })
            };
            let value = if at == 0 {
                search(-WON, WON)
            } else {
                search(alpha, alpha + 1).and_then(|value| {
                    if value > alpha {
                        search(alpha, WON)
                    } else {
                        Ok(value)
                    }
                })
            };
            match value {
                Ok(value) => {
                    self.moves[at].value = value;
                    if value > alpha {
                        alpha = value;
                        best = at;
                    }
                }
                Err(aborted) => {
                    outcome = Err(aborted);
                    break;
                }
            }
            if at > 0 && self.depth > 0 && searcher.is_soft_over() {
                outcome = Err(Aborted);
                break;
            }
        }
        self.moves[..=best].rotate_right(1);
        outcome
    }
}
