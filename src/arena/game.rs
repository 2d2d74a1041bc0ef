//! The referee: one game between two players, clocks enforced, faults attributed.

use std::io;
use std::time::{Duration, Instant};

use turnwise_protocol::entropy::Role;

use super::player::{Allowance, Answer, Failure, LastMove, Player, Turn};
use super::schedule::Pair;

use super::standings::Times;
use crate::clock;
use crate::games::entropy::palindromes::board_score;
use crate::games::entropy::picture::{letter, notation};
use crate::games::entropy::referee::{SCORE_IF_CHAOS_FAILS, SCORE_IF_ORDER_FAILS};
use crate::games::entropy::rules::{Move, Phase, Position};
use crate::records::{
    self, ByRole, Counts, Fault, FaultKind, GameRecord, MoveRecord, Settings, TimeControl,
};
use crate::worker::thread_cpu_time;

/// After its time a player may be silent for so long before it counts as silent; what comes earlier is
/// merely late.
const GRACE: Duration = Duration::from_secs(1);

/// Where CPU time counts, a player that waits uses none; so much wall time it gets for each second.
const WALL_PER_CPU: u32 = 10;

/// One of the two players of a game.
pub struct Seat<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name of its weights.
    pub weights: Option<&'static str>,
    /// The player itself.
    pub player: &'a mut dyn Player,
}

/// A player's time in one game.
#[derive(Debug, Clone, Copy)]
struct Timer {
    control: TimeControl,
    counts: Counts,
    /// On the clock; the whole limit of each move without a clock.
    left: Duration,
    wall: Duration,
    cpu: Duration,
}

impl Timer {
    fn new(settings: &Settings) -> Self {
        let left = match settings.time {
            TimeControl::Clock { seconds, .. } | TimeControl::MoveTime { seconds } => {
                Duration::from_secs_f64(seconds)
            }
            TimeControl::Nodes { .. } => Duration::ZERO,
        };
        Self {
            control: settings.time,
            counts: settings.counts,
            left,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        }
    }

    /// What the player may use for this move, with so many of its moves left.
    fn allowance(&self, moves_left: u32) -> Allowance {
        let now = Instant::now();
        let (soft, hard) = match self.control {
            TimeControl::Nodes { nodes } => {
                return Allowance {
                    nodes: Some(nodes),
                    ..Allowance::default()
                };
            }
            TimeControl::MoveTime { .. } => {
                let budget = clock::budget(now, self.left, 1, Duration::ZERO);
                (budget.soft, budget.hard)
            }
            TimeControl::Clock { increment, .. } => {
                let to_come = Duration::from_secs_f64(increment) * moves_left.saturating_sub(1);
                let budget = clock::budget(now, self.left + to_come, moves_left, Duration::ZERO);
                // What is still to come cannot be spent yet.
                let most = clock::budget(now, self.left, 1, Duration::ZERO).hard;
                (budget.soft.min(most), budget.hard.min(most))
            }
        };
        let wall = match self.counts {
            Counts::Wall => self.left,
            Counts::Cpu => self.left * WALL_PER_CPU,
        };
        Allowance {
            budget: Some((soft - now, hard - now)),
            nodes: None,
            patience: Some(wall + GRACE),
        }
    }

    /// Takes a move's time off.
    fn charge(&mut self, answer: &Answer) -> Result<(), Failure> {
        let cpu = answer.cpu.unwrap_or_default();
        self.wall += answer.wall;
        self.cpu += cpu;
        let used = match self.counts {
            Counts::Wall => answer.wall,
            Counts::Cpu => answer.cpu.unwrap_or(answer.wall),
        };
        let increment = match self.control {
            TimeControl::Nodes { .. } => return Ok(()),
            TimeControl::MoveTime { .. } => used,
            TimeControl::Clock { increment, .. } => Duration::from_secs_f64(increment),
        };
        if used > self.left {
            let reason = format!(
                "its move took {:.3} s and {:.3} s were left",
                used.as_secs_f64(),
                self.left.as_secs_f64()
            );
            return Err(Failure::new(FaultKind::Overtime, reason));
        }
        self.left = self.left - used + increment;
        Ok(())
    }
}

fn record_of(role: Role) -> records::Role {
    match role {
        Role::Order => records::Role::Order,
        Role::Chaos => records::Role::Chaos,
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

/// A game that is over, as it goes into the log, and the time it took.
#[derive(Debug)]
pub struct Played {
    /// The moves' lines.
    pub moves: Vec<MoveRecord>,
    /// The game's own line.
    pub game: GameRecord,
    /// What the players used.
    pub times: Times,
}

/// A game under way. Order comes first wherever there are two of a thing.
struct Game<'a, 'b> {
    settings: &'a Settings,
    pair: &'a Pair,
    number: u8,
    seats: &'a mut [Seat<'b>; 2],
    timers: [Timer; 2],
    position: Position,
    moves: Vec<Move>,
    last: Option<LastMove>,
    records: Vec<MoveRecord>,
}

/// Plays game 1 or 2 of a pair; `seats` are Order's and Chaos's.
///
/// # Errors
///
/// If a player cannot be started.
pub fn play(
    settings: &Settings,
    pair: &Pair,
    number: u8,
    names: [&str; 2],
    seats: &mut [Seat; 2],
) -> io::Result<Played> {
    let cpu_before = settings.nodes().map(|_no_clock| thread_cpu_time());
    let mut game = Game {
        settings,
        pair,
        number,
        seats,
        timers: [Timer::new(settings); 2],
        position: Position::new(settings.rules()),
        moves: Vec::new(),
        last: None,
        records: Vec::new(),
    };
    for (seat, role) in game.seats.iter_mut().zip([Role::Order, Role::Chaos]) {
        seat.player.begin(role, &game.position)?;
    }
    let fault = game.run().err();
    if let Some(before) = cpu_before {
        game.share_out(thread_cpu_time().saturating_sub(before));
    }
    let last = game.last.take().filter(|_| fault.is_none());
    // The last move is a placement: Chaos's own, news for Order.
    game.seats[0].player.finish(last.as_ref());
    game.seats[1].player.finish(None);
    Ok(game.over(names, fault))
}

impl Game<'_, '_> {
    /// Without clocks both players think on this thread, and no move's CPU time is asked for: that
    /// would be two calls to the system a move for figures that nothing depends on. The game's CPU time
    /// is theirs by their shares of the wall time.
    fn share_out(&mut self, cpu: Duration) {
        let wall: Duration = self.timers.iter().map(|timer| timer.wall).sum();
        let each_second = cpu.as_secs_f64() / wall.as_secs_f64().max(f64::MIN_POSITIVE);
        for timer in &mut self.timers {
            timer.cpu = timer.wall.mul_f64(each_second.min(1.0));
        }
    }

    fn run(&mut self) -> Result<(), (Role, Failure)> {
        let (pair, plies) = (self.pair, self.pair.opening.len());
        let mut tiles = pair.tiles.iter();
        loop {
            let role = match self.position.phase() {
                Phase::Over => return Ok(()),
                Phase::Draw => {
                    let tile = tiles.next().expect("as many tiles as draws");
                    self.position.make(Move::Draw(*tile));
                    continue;
                }
                Phase::Place => Role::Chaos,
                Phase::Slide => Role::Order,
            };
            let (mv, took) = match pair.opening.get(self.moves.len()) {
                Some(&mv) => (mv, Duration::ZERO),
                None => self.ask(role).map_err(|failure| (role, failure))?,
            };
            let before = self.position.clone();
            self.position.make(mv);
            self.moves.push(mv);
            // Nobody is told of opening plies: only built-in agents play them, which see the board.
            self.last = (self.moves.len() > plies).then_some(LastMove {
                before,
                played: mv,
                took,
            });
        }
    }

    fn ask(&mut self, role: Role) -> Result<(Move, Duration), Failure> {
        let draws = u32::from(self.position.bag_total());
        let (at, moves_left) = match role {
            Role::Order => (0, draws),
            Role::Chaos => (1, draws + 1),
        };
        let allowance = self.timers[at].allowance(moves_left);
        let clock_left = self.timers[at].left;
        let answer = self.seats[at].player.choose(Turn {
            position: &self.position,
            last: self.last.take(),
            allowance,
        });
        let charged = self.timers[at].charge(&answer);
        let mv = answer.mv.clone()?;
        charged?;
        if !self.position.is_legal(mv) {
            let shown = notation(mv, self.position.size());
            return Err(Failure::new(
                FaultKind::Illegal,
                format!("illegal move `{shown}`"),
            ));
        }
        let record = self.record(role, at, mv, clock_left, allowance, &answer);
        self.records.push(record);
        Ok((mv, answer.wall))
    }

    fn record(
        &self,
        role: Role,
        at: usize,
        mv: Move,
        clock_left: Duration,
        allowance: Allowance,
        answer: &Answer,
    ) -> MoveRecord {
        let insight = answer.insight;
        let drawn = self.position.drawn();
        let timed = self.settings.nodes().is_none();
        // Only players that tell of their search have been told of a budget.
        let budget = allowance.budget.filter(|_| insight.is_some());
        MoveRecord {
            pair: self.pair.number,
            game: self.number,
            ply: self.moves.len() as u32 + 1,
            role: record_of(role),
            agent: self.seats[at].name.to_owned(),
            tile: (role == Role::Chaos).then(|| letter(drawn).to_string()),
            mv: notation(mv, self.position.size()),
            clock_left_s: timed.then(|| seconds(clock_left)),
            soft_ms: budget.map(|(soft, _)| milliseconds(soft)),
            hard_ms: budget.map(|(_, hard)| milliseconds(hard)),
            used_ms: timed.then(|| milliseconds(answer.wall)),
            cpu_ms: answer.cpu.filter(|_| timed).map(milliseconds),
            depth: insight.map(|insight| insight.depth),
            nodes: insight.map(|insight| insight.nodes),
            score: insight.map(|insight| (f64::from(insight.score) * 100.0).round() / 100.0),
            weights: self.seats[at].weights.map(str::to_owned),
        }
    }

    fn over(self, [first, second]: [&str; 2], fault: Option<(Role, Failure)>) -> Played {
        let size = self.settings.size;
        // A player's move that was made is a record; what came before them all was the opening.
        let opening = self.pair.opening.iter().map(|&mv| notation(mv, size));
        let opening: Vec<String> = opening.collect();
        let chosen = self.records.iter().map(|record| &record.mv);
        let order_score = match &fault {
            None => board_score(&self.position),
            Some((Role::Order, _)) => SCORE_IF_ORDER_FAILS,
            Some((Role::Chaos, _)) => SCORE_IF_CHAOS_FAILS,
        };
        let [order, chaos] = &*self.seats;
        let fault = fault.map(|(role, failure)| {
            let culprit = match role {
                Role::Order => order,
                Role::Chaos => chaos,
            };
            Fault {
                agent: culprit.name.to_owned(),
                role: record_of(role),
                kind: failure.kind,
                reason: failure.reason,
                stderr: culprit.player.stderr(),
            }
        });
        let by_role = |time: fn(&Timer) -> Duration| ByRole {
            order: seconds(time(&self.timers[0])),
            chaos: seconds(time(&self.timers[1])),
        };
        let times = Times {
            wall: by_role(|timer| timer.wall),
            cpu: by_role(|timer| timer.cpu),
        };
        let logged = self.settings.nodes().is_none().then_some(times);
        let game = GameRecord {
            pair: self.pair.number,
            game: self.number,
            first: first.to_owned(),
            second: second.to_owned(),
            order: order.name.to_owned(),
            chaos: chaos.name.to_owned(),
            seed: self.pair.seed,
            tiles: self.pair.tiles.iter().map(|&tile| letter(tile)).collect(),
            moves: opening.iter().chain(chosen).cloned().collect(),
            opening,
            order_score,
            fault,
            used_s: logged.map(|times| times.wall),
            cpu_s: logged.map(|times| times.cpu),
            size: Some(size),
        };
        Played {
            moves: self.records,
            game,
            times,
        }
    }
}
