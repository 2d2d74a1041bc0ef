//! The referee: one game between two players, clocks enforced, faults attributed.

use std::io;
use std::time::Duration;

use super::player::{Allowance, Answer, Failure, LastMove, Turn};
use super::schedule::Pair;
use super::table::{PlayerAt, Table};
use crate::records::{
    ByRole, Counts, Fault, FaultKind, GameRecord, MoveRecord, Role, Settings, TimeControl,
};
use crate::strength::pair::Times;
use turnwise_engine::cpu_time::CpuClock;

/// After its time a player may be silent for so long before it counts as silent; what comes earlier is
/// merely late.
const GRACE: Duration = Duration::from_secs(1);

/// Where CPU time counts, a player that waits uses none; so much wall time it gets for each second.
const WALL_PER_CPU: u32 = 10;

/// One of the two players of a game.
pub struct Seat<'a, T: Table> {
    /// Its name.
    pub name: &'a str,
    /// Its time, which is less than the match's if it gives time odds.
    pub time: TimeControl,
    /// The player itself.
    pub player: &'a mut PlayerAt<T>,
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
    fn new(control: TimeControl, counts: Counts) -> Self {
        let left = match control {
            TimeControl::Clock { seconds, .. } | TimeControl::MoveTime { seconds } => {
                Duration::from_secs_f64(seconds)
            }
            TimeControl::Nodes { .. } => Duration::ZERO,
        };
        Self {
            control,
            counts,
            left,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        }
    }

    /// What is left as if its clock had begun with so many seconds: players at time odds are compared
    /// by the part that they have left.
    fn left_of(&self, seconds: f64) -> Duration {
        match self.control {
            // Of a clock that rounds to nothing there is no part to speak of.
            TimeControl::Clock { seconds: own, .. } if !self.left.is_zero() => {
                self.left.mul_f64(seconds / own)
            }
            _ => self.left,
        }
    }

    /// What the side to move may use for this move.
    fn allowance(&self, table: &impl Table) -> Allowance {
        if let TimeControl::Nodes { nodes } = self.control {
            return Allowance {
                nodes: Some(nodes),
                ..Allowance::default()
            };
        }
        let wall = match self.counts {
            Counts::Wall => self.left,
            Counts::Cpu => self.left * WALL_PER_CPU,
        };
        Allowance {
            left: self.left,
            budget: Some(table.budget(self.control, self.left)),
            nodes: None,
            patience: Some(wall + GRACE),
        }
    }

    /// Takes a move's time off. Whoever has none left has lost.
    fn charge<M>(&mut self, answer: &Answer<M>) -> Result<(), Failure> {
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
        if used >= self.left {
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

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn hundredths(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
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

/// What happens while a game is played.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A game begins between the agents of these names, with these moves.
    Begun {
        /// The players in the order of [`crate::records::GameSettings::roles`].
        players: [&'a str; 2],
        /// Who makes the first move.
        begins: Role,
        /// The random plies.
        opening: &'a [String],
    },
    /// A player has moved.
    Moved(&'a MoveRecord),
    /// The game is over.
    Over(&'a GameRecord),
}

/// A game under way. Its sides are in the order of their roles wherever there are two of a thing.
struct Game<'a, 'b, T: Table> {
    settings: &'a Settings,
    pair: &'a Pair,
    opening: &'a [T::Move],
    number: u8,
    seats: &'a mut [Seat<'b, T>; 2],
    timers: [Timer; 2],
    table: T,
    moves: Vec<String>,
    last: Option<LastMove<T::Position, T::Move>>,
    records: Vec<MoveRecord>,
    watch: &'a dyn Fn(Event),
}

/// Why a game broke off.
enum Broken {
    /// A player's fault, by its side.
    Fault(usize, Failure),
    /// A player cannot be started at all.
    Start(io::Error),
}

/// Plays game 1 or 2 of a pair; `seats` and `names` are those of the first role and of the second.
///
/// # Errors
///
/// If a player cannot be started.
pub fn play<T: Table>(
    settings: &Settings,
    (pair, opening): (&Pair, &[T::Move]),
    number: u8,
    names: [&str; 2],
    seats: &mut [Seat<T>; 2],
    watch: &dyn Fn(Event),
) -> io::Result<Played> {
    let cpu_before = settings.nodes().map(|_no_clock| CpuClock::Thread.now());
    let timers = [&seats[0], &seats[1]].map(|seat| Timer::new(seat.time, settings.counts));
    let mut game = Game {
        settings,
        pair,
        opening,
        number,
        seats,
        timers,
        table: T::new(settings, pair.seed),
        moves: Vec::new(),
        last: None,
        records: Vec::new(),
        watch,
    };
    for (seat, role) in game.seats.iter_mut().zip(settings.game.roles()) {
        seat.player.begin(role, game.table.position())?;
    }
    let fault = match game.run() {
        Ok(()) => None,
        Err(Broken::Fault(side, failure)) => Some((side, failure)),
        Err(Broken::Start(error)) => return Err(error),
    };
    if let Some(before) = cpu_before {
        game.share_out(CpuClock::Thread.now().saturating_sub(before));
    }
    let last = game.last.take().filter(|_| fault.is_none());
    // The last move is news for whoever did not make it.
    let roles = settings.game.roles();
    let mover = game.records.last().map(|record| record.role);
    for (seat, role) in game.seats.iter_mut().zip(roles) {
        seat.player
            .finish(last.as_ref().filter(|_| mover != Some(role)));
    }
    let played = game.over(names, fault);
    watch(Event::Over(&played.game));
    Ok(played)
}

impl<T: Table> Game<'_, '_, T> {
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

    fn run(&mut self) -> Result<(), Broken> {
        let first = self.table.turn().unwrap_or_default();
        // Nobody is told of opening plies: players see the board, or are told of it when they are asked.
        for &mv in self.opening {
            if self.table.turn().is_none() {
                break;
            }
            self.moves.push(self.table.notation(mv));
            self.table.play(mv);
        }
        (self.watch)(Event::Begun {
            players: [self.seats[0].name, self.seats[1].name],
            begins: self.settings.game.roles()[first],
            opening: &self.moves,
        });
        while let Some(side) = self.table.turn() {
            let (mv, took) = self.ask(side)?;
            let before = self.table.position().clone();
            self.table.play(mv);
            self.last = Some(LastMove {
                before,
                played: mv,
                took,
            });
        }
        Ok(())
    }

    /// A legal move of the player, its record written.
    fn ask(&mut self, side: usize) -> Result<(T::Move, Duration), Broken> {
        let allowance = self.timers[side].allowance(&self.table);
        let asked = self.seats[side].player.choose(Turn {
            position: self.table.position(),
            last: self.last.take(),
            allowance,
        });
        let answer = asked.map_err(Broken::Start)?;
        let charged = self.timers[side].charge(&answer);
        let fault = |failure| Broken::Fault(side, failure);
        let mv = answer.mv.clone().map_err(fault)?;
        charged.map_err(fault)?;
        let shown = self.table.notation(mv);
        if !self.table.is_legal(mv) {
            let reason = match self.table.objection(mv) {
                Some(objection) => format!("`{shown}`: {objection}"),
                None => format!("`{shown}`"),
            };
            return Err(fault(Failure::new(FaultKind::Illegal, reason)));
        }
        let record = self.record(side, shown, allowance, &answer);
        (self.watch)(Event::Moved(&record));
        self.moves.push(record.mv.clone());
        self.records.push(record);
        Ok((mv, answer.wall))
    }

    fn record(
        &self,
        side: usize,
        mv: String,
        allowance: Allowance,
        answer: &Answer<T::Move>,
    ) -> MoveRecord {
        let insight = answer.insight;
        let seat = &self.seats[side];
        let timed = self.settings.nodes().is_none();
        // Only players that tell of their search have been told of a budget.
        let budget = allowance.budget.filter(|_| insight.is_some());
        MoveRecord {
            pair: self.pair.number,
            game: self.number,
            ply: self.moves.len() as u32 + 1,
            role: self.settings.game.roles()[side],
            agent: seat.name.to_owned(),
            tile: self.table.tile(),
            mv,
            output: seat.player.output().map(str::to_owned),
            clock_left_s: timed.then(|| seconds(allowance.left)),
            soft_ms: budget.map(|(soft, _)| milliseconds(soft)),
            hard_ms: budget.map(|(_, hard)| milliseconds(hard)),
            used_ms: timed.then(|| milliseconds(answer.wall)),
            cpu_ms: answer.cpu.filter(|_| timed).map(milliseconds),
            depth: insight.map(|insight| insight.depth),
            nodes: insight.map(|insight| insight.nodes),
            score: insight.and_then(|insight| insight.score).map(hundredths),
            value: insight.map(|insight| hundredths(insight.value)),
            weights: seat.player.weights().map(str::to_owned),
        }
    }

    fn over(self, [first, second]: [&str; 2], fault: Option<(usize, Failure)>) -> Played {
        let roles: [Role; 2] = self.settings.game.roles();
        let players = [self.seats[0].name, self.seats[1].name];
        let timed = self.settings.nodes().is_none();
        let left = match self.settings.time {
            TimeControl::Clock { seconds, .. } => {
                Some(self.timers.map(|timer| timer.left_of(seconds)))
            }
            TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => None,
        };
        let at_fault = fault.as_ref().map(|&(side, _)| side);
        let course = self.table.course(players, at_fault, left);
        let fault = fault.map(|(side, failure)| Fault {
            agent: players[side].to_owned(),
            role: roles[side],
            kind: failure.kind,
            reason: failure.reason,
            output: self.seats[side].player.output().map(str::to_owned),
            stderr: self.seats[side].player.stderr(),
        });
        let by_role = |time: fn(&Timer) -> Duration| {
            let both = [&self.timers[0], &self.timers[1]];
            ByRole::new(&self.settings.game, both.map(|timer| seconds(time(timer))))
        };
        let times = Times {
            wall: by_role(|timer| timer.wall),
            cpu: by_role(|timer| timer.cpu),
        };
        let logged = timed.then_some(times);
        // A player's move that was made is a record; what came before them all was the opening.
        let opening = self.moves.len() - self.records.len();
        let game = GameRecord {
            pair: self.pair.number,
            game: self.number,
            first: first.to_owned(),
            second: second.to_owned(),
            course,
            seed: self.pair.seed,
            opening: self.moves[..opening].to_vec(),
            moves: self.moves,
            fault,
            used_s: logged.map(|times| times.wall),
            cpu_s: logged.map(|times| times.cpu),
        };
        Played {
            moves: self.records,
            game,
            times,
        }
    }
}
