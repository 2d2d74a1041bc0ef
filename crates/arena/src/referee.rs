//! The referee: plays one game between two or more players, enforces clocks and attributes faults.

use std::io;
use std::time::Duration;

use serde::Serialize;
use turnwise_engine::cpu_time::CpuClock;
use turnwise_engine::player::{Allowance, Answer, Counts, Failure, FaultKind, Ponder, TimeControl};
use turnwise_engine::plugin::{Asked, Meeting};
use turnwise_engine::table::PUT_OUT;

use crate::records::{ByRole, Fault, GameRecord, GameResult, MoveRecord, Settings};
use crate::schedule::Pair;
use crate::strength::pair::Times;

/// The grace period after a player's time has run out.
///
/// An answer that comes in this period is late; if none comes, the player's fault is silence.
const GRACE: Duration = Duration::from_secs(1);

/// How many seconds of wall time a player may take for each second of CPU time.
///
/// A limit is needed because a player that only waits uses no CPU time.
const WALL_PER_CPU: u32 = 10;

/// The maximum CPU time that a suspended program may use between two moves.
///
/// It is not zero because freezing many threads takes a moment.
const MOST_SUSPENDED: Duration = Duration::from_millis(20);

/// A late move is excused only if other processes used the core for at least this share of the player's time.
///
/// If they used the core for less, they are not the reason why the player was late.
const BUSY: f64 = 0.05;

/// The names and the time controls of a pair's players, in the order of the roles in the first game.
pub(crate) struct Seats<'a> {
    pub names: Vec<&'a str>,
    /// The players' time controls. A player that gives time odds has less than the match's time.
    pub times: Vec<TimeControl>,
}

/// A player's clock in one game, and the time that the player has used.
#[derive(Debug, Clone, Copy)]
struct Timer {
    control: TimeControl,
    counts: Counts,
    ponder: Ponder,
    /// The time left on the clock; in a match without clocks, the time limit of each move.
    left: Duration,
    wall: Duration,
    cpu: Duration,
    /// The CPU time that the program used while its opponent was to move; `None` if it was not measured.
    pondered: Option<Duration>,
    /// The number of seconds for which other processes used the player's core while the player was to move.
    others: f64,
}

impl Timer {
    fn new(control: TimeControl, counts: Counts, ponder: Ponder) -> Self {
        let left = match control {
            TimeControl::Clock { seconds, .. } | TimeControl::MoveTime { seconds } => {
                Duration::from_secs_f64(seconds)
            }
            TimeControl::Nodes { .. } => Duration::ZERO,
        };
        Self {
            control,
            counts,
            ponder,
            left,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            pondered: None,
            others: 0.0,
        }
    }

    /// Returns the player's remaining time, scaled as if its clock had begun with `seconds`.
    ///
    /// Players with different amounts of time are thus compared by the share that they have left.
    fn left_of(&self, seconds: f64) -> Duration {
        match self.control {
            // A remaining time of zero, perhaps after rounding, has no meaningful share.
            TimeControl::Clock { seconds: own, .. } if !self.left.is_zero() => {
                self.left.mul_f64(seconds / own)
            }
            _ => self.left,
        }
    }

    /// Returns the time that the player may use for its next move, and how long the referee waits for the answer.
    fn allowance(&self, players: &mut Meeting) -> Allowance {
        if let TimeControl::Nodes { .. } = self.control {
            return Allowance::default();
        }
        let wall = match self.counts {
            Counts::Wall => self.left,
            Counts::Cpu => self.left * WALL_PER_CPU,
        };
        Allowance {
            counts: self.counts,
            left: self.left,
            budget: Some(players.budget(self.control, self.left)),
            patience: Some(wall + GRACE),
        }
    }

    /// Deducts a move's time from the clock. Returns the fault if the player has no time left.
    fn charge(&mut self, answer: &Answer<String>) -> Result<(), Failure> {
        let cpu = answer.cpu.unwrap_or_default();
        self.wall += answer.wall;
        self.cpu += cpu;
        self.others += answer.others.unwrap_or_default();
        let mut used = match self.counts {
            Counts::Wall => answer.wall,
            Counts::Cpu => answer.cpu.unwrap_or(answer.wall),
        };
        if let Some(pondered) = answer.pondered {
            *self.pondered.get_or_insert_default() += pondered;
            if self.ponder == Ponder::Freeze {
                if pondered > MOST_SUSPENDED {
                    let reason = format!(
                        "computed while suspended: {:.3} s of CPU time while its opponent was to move",
                        pondered.as_secs_f64()
                    );
                    return Err(Failure::new(FaultKind::Suspended, reason));
                }
                // The program computed until the suspension took effect, so this time is charged to its clock.
                used += pondered;
            }
        }
        let increment = match self.control {
            TimeControl::Nodes { .. } => return Ok(()),
            // Each move has the full time again.
            TimeControl::MoveTime { .. } => used,
            TimeControl::Clock { increment, .. } => Duration::from_secs_f64(increment),
        };
        if used >= self.left {
            let kind = match self.is_late_by_others(used, answer) {
                true => FaultKind::Busy,
                false => FaultKind::Overtime,
            };
            let reason = format!(
                "its move took {:.3} s and {:.3} s were left{}",
                used.as_secs_f64(),
                self.left.as_secs_f64(),
                cost_of_waiting(answer)
            );
            return Err(Failure::new(kind, reason));
        }
        self.left = self.left - used + increment;
        Ok(())
    }

    /// Returns true if a late player would have been in time without the other processes on its core.
    ///
    /// With a clock, the delays at earlier moves also count. The time for which the player's own threads have waited
    /// does not count, because they may have waited for each other.
    fn is_late_by_others(&self, used: Duration, answer: &Answer<String>) -> bool {
        let (wall, others) = match (self.counts, self.control) {
            (Counts::Wall, TimeControl::Clock { .. }) => (self.wall, self.others),
            (Counts::Wall, _) => (answer.wall, answer.others.unwrap_or_default()),
            // Players are charged only for their own CPU time, so other processes cannot make them late.
            (Counts::Cpu, _) => return false,
        };
        let is_busy = others >= wall.as_secs_f64() * BUSY;
        is_busy && used.as_secs_f64() - others < self.left.as_secs_f64()
    }
}

/// Describes how the time of a late answer was used, as an addition to the fault's reason.
///
/// Returns an empty text if this is unknown.
fn cost_of_waiting<M>(answer: &Answer<M>) -> String {
    let Some(cpu) = answer.cpu else {
        return String::new();
    };
    let used = format!("; it used {:.3} s of CPU time", cpu.as_secs_f64());
    match answer.others {
        Some(others) => format!(
            "{used}, and other programs used its core for {:.3} s",
            others.max(0.0)
        ),
        None => used,
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

/// A finished game: its lines for the log, and the time that its players used.
pub(crate) struct Played {
    pub moves: Vec<MoveRecord>,
    pub game: GameRecord,
    /// The time that both players used; `None` if the game has more than two players.
    pub times: Option<Times>,
}

/// An event of a game, for observers that follow the game.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Event<'a> {
    /// A game begins.
    Begun {
        /// The pair to which the game belongs.
        pair: &'a Pair,
        /// The number of the game: 1 or 2 within a pair, 1 to the number of seats within a rotation.
        game: u8,
        /// The names of the players, in the order of the game's roles.
        players: &'a [&'a str],
        /// The index in `players` of the player that makes the first move.
        begins: usize,
        /// The moves of the opening, which have already been played on the board; empty without an opening.
        opening: &'a [String],
    },
    /// A player has moved.
    Moved(&'a MoveRecord),
    /// A player has been removed from a game of more than two players, and the others continue.
    ///
    /// In the game's list of moves, [`PUT_OUT`] marks this event.
    PutOut {
        /// The number of the rotation.
        pair: u32,
        /// The number of the game within the rotation, starting at 1.
        game: u8,
        /// The fault for which the player was removed.
        fault: &'a Fault,
    },
    /// The game is over.
    Over(&'a GameRecord),
}

/// A game in progress. All lists with an item for each player are in the order of the players' roles.
struct Game<'a> {
    settings: &'a Settings,
    pair: &'a Pair,
    number: u8,
    /// The names of the agents in the order of their meeting, which does not change during a pair.
    agents: &'a [&'a str],
    names: Vec<&'a str>,
    timers: Vec<Timer>,
    players: &'a mut Meeting,
    opening_plies: usize,
    moves: Vec<String>,
    put_out: Vec<Fault>,
    records: Vec<MoveRecord>,
    watch: &'a dyn Fn(Event),
}

/// Plays game `number` of a pair, where 1 is the first. Emits all events except [`Event::Over`].
///
/// `is_cancelled` is called after every move. Once it returns true, the game stops and has no result.
///
/// # Errors
///
/// Returns an error if a player cannot be started.
pub(crate) fn play(
    settings: &Settings,
    pair: &Pair,
    number: u8,
    players: &mut Meeting,
    seats: &Seats<'_>,
    watch: &dyn Fn(Event),
    is_cancelled: &dyn Fn() -> bool,
) -> io::Result<Option<Played>> {
    let no_clock = settings.time.nodes();
    let cpu_before = no_clock.map(|_| CpuClock::Thread.now());
    let mut game = Game::new(settings, pair, number, players, seats, watch);
    let fault = game.run(&|_| is_cancelled())?;
    if is_cancelled() {
        game.players.finish(true);
        return Ok(None);
    }
    if let Some(before) = cpu_before {
        game.share_out(CpuClock::Thread.now().saturating_sub(before));
    }
    game.players.finish(fault.is_some());
    Ok(Some(game.over(fault)?))
}

/// Plays game `number` of a pair, where 1 is the first, until it is over or `is_enough` returns true.
///
/// Returns the number of moves and the fault that ended the game early, if any.
pub(crate) fn try_out(
    settings: &Settings,
    pair: &Pair,
    number: u8,
    players: &mut Meeting,
    seats: &Seats<'_>,
    is_enough: &dyn Fn(&[MoveRecord]) -> bool,
) -> io::Result<(usize, Option<Fault>)> {
    let mut game = Game::new(settings, pair, number, players, seats, &|_| {});
    let fault = game.run(is_enough)?;
    let is_broken_off = fault.is_some() || is_enough(&game.records);
    game.players.finish(is_broken_off);
    Ok((game.moves.len(), fault.map(|fault| game.fault(fault))))
}

impl<'a> Game<'a> {
    fn new(
        settings: &'a Settings,
        pair: &'a Pair,
        number: u8,
        players: &'a mut Meeting,
        seats: &'a Seats<'a>,
        watch: &'a dyn Fn(Event),
    ) -> Self {
        let (mut names, mut times) = (seats.names.clone(), seats.times.clone());
        if number == 2 && names.len() == 2 {
            names.reverse();
            times.reverse();
        }
        let timers = times.into_iter();
        Self {
            settings,
            pair,
            number,
            agents: &seats.names,
            names,
            timers: timers
                .map(|time| Timer::new(time, settings.counts, settings.ponder))
                .collect(),
            players,
            opening_plies: 0,
            moves: Vec::new(),
            put_out: Vec::new(),
            records: Vec::new(),
            watch,
        }
    }

    /// In a game without clocks, divides the game's CPU time among the players in proportion to their wall time.
    ///
    /// Without clocks, all players think on this thread. Their CPU time is not measured at every move, because that
    /// would cost two system calls per move for figures on which nothing depends.
    fn share_out(&mut self, cpu: Duration) {
        let wall: Duration = self.timers.iter().map(|timer| timer.wall).sum();
        let each_second = cpu.as_secs_f64() / wall.as_secs_f64().max(f64::MIN_POSITIVE);
        for timer in &mut self.timers {
            timer.cpu = timer.wall.mul_f64(each_second.min(1.0));
        }
    }

    /// Plays until the game is over, or until `is_enough` returns true for the moves made so far.
    ///
    /// Returns the player whose fault ended the game early, and the fault, if any.
    fn run(
        &mut self,
        is_enough: &dyn Fn(&[MoveRecord]) -> bool,
    ) -> io::Result<Option<(usize, Failure)>> {
        // Players are not told the opening's moves: they see the board, or receive it with their first question.
        let plies = self.settings.opening_plies;
        let (begins, opening) = self.players.begin(self.number, plies)?;
        self.opening_plies = opening.len();
        self.moves = opening;
        (self.watch)(Event::Begun {
            pair: self.pair,
            game: self.number,
            players: &self.names,
            begins,
            opening: &self.moves,
        });
        while let Some(side) = self.players.turn() {
            let allowance = self.timers[side].allowance(self.players);
            let tile = self.players.tile();
            let asked = self.players.ask(side, allowance)?;
            match self.judge(side, allowance, tile, asked) {
                Ok(()) => self.players.play(),
                Err(failure) => {
                    if !self.players.put_out(side) {
                        return Ok(Some((side, failure)));
                    }
                    self.moves.push(PUT_OUT.to_owned());
                    let fault = self.fault((side, failure));
                    (self.watch)(Event::PutOut {
                        pair: self.pair.number,
                        game: self.number,
                        fault: &fault,
                    });
                    self.put_out.push(fault);
                }
            }
            if is_enough(&self.records) {
                break;
            }
        }
        Ok(None)
    }

    /// Charges a player for the answer's time, and records the answer if it is a legal move in time.
    fn judge(
        &mut self,
        side: usize,
        allowance: Allowance,
        tile: Option<String>,
        asked: Asked,
    ) -> Result<(), Failure> {
        let charged = self.timers[side].charge(&asked.answer);
        let Asked { answer, objection } = asked;
        let cost = cost_of_waiting(&answer);
        let mv = answer.mv.map_err(|mut failure| {
            if let FaultKind::Overtime | FaultKind::Silence | FaultKind::Busy = failure.kind {
                failure.reason += &cost;
            }
            failure
        })?;
        charged?;
        if let Some(objection) = objection {
            let reason = format!("`{mv}`: {objection}");
            return Err(Failure::new(FaultKind::Illegal, reason));
        }
        let suspended = answer
            .pondered
            .filter(|_| self.settings.ponder == Ponder::Freeze);
        let insight = answer.insight;
        let timed = self.settings.time.nodes().is_none();
        // Only players that report on their search were given a time budget.
        let budget = allowance.budget.filter(|_| insight.is_some());
        let record = MoveRecord {
            pair: self.pair.number,
            game: self.number,
            ply: self.moves.len() as u32 + 1,
            role: self.role(side),
            agent: self.names[side].to_owned(),
            tile,
            mv,
            output: self.players.output(side).map(str::to_owned),
            clock_left_s: timed.then(|| seconds(allowance.left)),
            soft_ms: budget.map(|(soft, _)| milliseconds(soft)),
            hard_ms: budget.map(|(_, hard)| milliseconds(hard)),
            used_ms: timed.then(|| milliseconds(answer.wall)),
            cpu_ms: answer.cpu.filter(|_| timed).map(milliseconds),
            suspended_ms: suspended.filter(|time| !time.is_zero()).map(milliseconds),
            depth: insight.map(|insight| insight.depth),
            nodes: insight.map(|insight| insight.nodes),
            score: insight.and_then(|insight| insight.score).map(hundredths),
            value: insight.map(|insight| hundredths(insight.value)),
            weights: self.players.weights(side).map(str::to_owned),
        };
        (self.watch)(Event::Moved(&record));
        self.moves.push(record.mv.clone());
        self.records.push(record);
        Ok(())
    }

    /// Returns the name of a player's role in capital letters, as the log contains it.
    fn role(&self, side: usize) -> String {
        let about = self.settings.game.about();
        about.roles_of(self.names.len())[side].to_uppercase()
    }

    fn fault(&self, (side, failure): (usize, Failure)) -> Fault {
        Fault {
            agent: self.names[side].to_owned(),
            role: self.role(side),
            kind: failure.kind,
            reason: failure.reason,
            output: self.players.output(side).map(str::to_owned),
            stderr: self.players.stderr(side),
        }
    }

    fn over(self, fault: Option<(usize, Failure)>) -> io::Result<Played> {
        let game = &self.settings.game;
        let timed = self.settings.time.nodes().is_none();
        let left = match (self.settings.time, &*self.timers) {
            (TimeControl::Clock { seconds, .. }, [one, other]) => {
                Some([one, other].map(|timer| timer.left_of(seconds)))
            }
            _ => None,
        };
        let at_fault = fault.as_ref().map(|&(side, _)| side);
        let outcome = self.players.outcome(at_fault, left)?;
        let names = self.names.iter().map(|&name| name.to_owned()).collect();
        let result =
            GameResult::new(game, names, outcome).expect("a game understands its own results");
        let fault = fault.map(|fault| self.fault(fault));
        let used = |time: fn(&Timer) -> Duration| -> Vec<f64> {
            let timers = self.timers.iter();
            timers.map(|timer| seconds(time(timer))).collect()
        };
        let (wall, cpu) = (used(|timer| timer.wall), used(|timer| timer.cpu));
        let pondered = used(|timer| timer.pondered.unwrap_or_default());
        let of_two = |times: &[f64]| <[f64; 2]>::try_from(times).ok();
        let times = of_two(&wall).zip(of_two(&cpu)).zip(of_two(&pondered));
        let times = times.map(|((wall, cpu), pondered)| Times {
            wall,
            cpu,
            pondered,
        });
        let is_measured = self.timers.iter().any(|timer| timer.pondered.is_some());
        let logged = |times: &[f64]| timed.then(|| ByRole::new(game.about(), times));
        let (used_s, cpu_s) = (logged(&wall), logged(&cpu));
        let pondered_s = logged(&pondered).filter(|_| is_measured);
        let others = self.agents.iter().skip(2);
        let game = GameRecord {
            pair: self.pair.number,
            game: self.number,
            first: self.agents[0].to_owned(),
            second: self.agents[1].to_owned(),
            others: others.map(|&name| name.to_owned()).collect(),
            meeting: self.pair.meeting,
            result,
            seed: self.pair.seed,
            opening: self.moves[..self.opening_plies].to_vec(),
            moves: self.moves,
            fault,
            put_out: self.put_out,
            used_s,
            cpu_s,
            pondered_s,
            first_try: None,
            superseded: false,
        };
        Ok(Played {
            moves: self.records,
            game,
            times,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: TimeControl = TimeControl::Clock {
        seconds: 0.5,
        increment: 0.0,
    };

    const MOVE_TIME: TimeControl = TimeControl::MoveTime { seconds: 0.5 };

    /// Returns the kind of the first fault of a player whose answers took these times.
    ///
    /// The three times of an answer, in seconds, are wall time, CPU time, and the time for which other processes used
    /// the core.
    fn fault(control: TimeControl, counts: Counts, answers: &[[f64; 3]]) -> Option<FaultKind> {
        let mut timer = Timer::new(control, counts, Ponder::Allow);
        answers.iter().find_map(|&[wall, cpu, others]| {
            let answer = Answer {
                others: Some(others),
                ..Answer::from_outside(
                    Ok(String::new()),
                    Duration::from_secs_f64(wall),
                    Some(Duration::from_secs_f64(cpu)),
                )
            };
            timer.charge(&answer).err().map(|failure| failure.kind)
        })
    }

    #[test]
    fn only_time_that_others_had_excuses_a_late_move() {
        use FaultKind::{Busy, Overtime};

        for control in [CLOCK, MOVE_TIME] {
            for (answer, kind) in [
                ([0.476, 0.01, 0.4], None),
                ([0.6, 0.01, 0.55], Some(Busy)),
                ([0.6, 0.01, 0.11], Some(Busy)),
                // The answer would have been late even if nobody else had used the core.
                ([0.6, 0.01, 0.09], Some(Overtime)),
                ([0.6, 0.01, 0.0], Some(Overtime)),
                ([0.6, 0.01, -0.01], Some(Overtime)),
                // Only the player's own threads used the core.
                ([0.6, 0.6, 0.0], Some(Overtime)),
                // Others used the core for 0.01 s only. Every machine runs something else now and then.
                ([0.501, 0.49, 0.01], Some(Overtime)),
            ] {
                assert_eq!(fault(control, Counts::Wall, &[answer]), kind, "{answer:?}");
            }
        }
        // With a clock, the delays at earlier moves have helped to make the last answer late.
        let answers = [[0.4, 0.01, 0.39], [0.2, 0.15, 0.0]];
        assert_eq!(fault(CLOCK, Counts::Wall, &answers), Some(Busy));
        assert_eq!(fault(MOVE_TIME, Counts::Wall, &answers), None);
        let answers = [[0.4, 0.3, 0.0], [0.2, 0.15, 0.0]];
        assert_eq!(fault(CLOCK, Counts::Wall, &answers), Some(Overtime));
    }

    #[test]
    fn where_cpu_time_counts_others_excuse_nothing_and_cost_nothing() {
        for (answer, kind) in [
            ([5.0, 0.1, 4.9], None),
            ([5.0, 0.6, 4.4], Some(FaultKind::Overtime)),
        ] {
            assert_eq!(fault(CLOCK, Counts::Cpu, &[answer]), kind, "{answer:?}");
        }
    }

    #[test]
    fn cpu_time_of_a_suspended_program_is_charged_at_its_next_move() {
        let answer = |pondered| Answer {
            pondered: Some(Duration::from_millis(pondered)),
            ..Answer::from_outside(
                Ok(String::new()),
                Duration::from_millis(100),
                Some(Duration::from_millis(50)),
            )
        };
        for (counts, left) in [(Counts::Wall, 380), (Counts::Cpu, 430)] {
            let mut timer = Timer::new(CLOCK, counts, Ponder::Freeze);
            timer.charge(&answer(20)).expect("it is little enough");
            assert_eq!(timer.left, Duration::from_millis(left));
            let failure = timer.charge(&answer(21)).expect_err("it is too much");
            assert_eq!(failure.kind, FaultKind::Suspended);
            let mut timer = Timer::new(CLOCK, counts, Ponder::Allow);
            timer.charge(&answer(300)).expect("it may");
            assert_eq!(timer.left, Duration::from_millis(left + 20));
            assert_eq!(timer.pondered, Some(Duration::from_millis(300)));
        }
    }
}
