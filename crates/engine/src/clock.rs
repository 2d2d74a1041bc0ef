//! From the time that is left in a game to the deadlines of one move. Pure: every instant is passed
//! in, so that tests need no waiting.

use std::time::Duration;

use crate::instant::Instant;

/// The part of a game's clock that is kept back from the search, within the limits below.
const RESERVE_SHARE: f64 = 0.14;
/// The least that is kept back: about what a busy machine takes to wake a sleeping thread.
const RESERVE_LEAST: Duration = Duration::from_millis(8);
/// The most that is kept back before this machine has shown how late it can be. It is kept back once a
/// game, so it costs the search next to nothing.
const RESERVE_UNPROVOKED: Duration = Duration::from_millis(70);
/// The part of a game's clock that is kept back at most, however late this machine was.
const RESERVE_MOST_SHARE: f64 = 0.3;
/// How many times the worst delay seen is kept back besides: the next one may be worse, and the
/// server's side has its own.
const DELAYS_KEPT_BACK: u32 = 3;
/// The part of the reserve that is left when the reply goes out without waiting for the search.
const LAST_CALL: f64 = 0.7;
/// The weight of a game's first move and, rising in a straight line, of its last one: the fuller the
/// board, the more a move decides, and the deeper a search sees.
const FIRST_WEIGHT: f64 = 0.6;
const LAST_WEIGHT: f64 = 1.4;
/// With at most so many moves left a game is searched to its end in no time.
const SOLVED_MOVES: u32 = 2;
/// The weight of each of those last moves.
const SOLVED_WEIGHT: f64 = 0.3;

/// What a move costs on the clock that nobody on our side sees: sockets, and the server's own work
/// before it looks at its clock.
const UNSEEN: Duration = Duration::from_micros(500);
/// The part of the clock that the way may be believed to cost: a latency is measured once, and
/// whatever held it up must not cost a game.
const MOST_ON_THE_WAY: f64 = 0.1;
/// Delays in every move that nobody on our side sees: until we wake up to read the question, and
/// until the server wakes up to read the reply. Each is taken to be the mean of those that are seen.
const UNSEEN_DELAYS: u32 = 2;
/// The part of the clock that these delays may be believed to cost.
const MOST_FOR_DELAYS: f64 = 0.4;

/// How late this machine lets a thread of ours run that has every reason to: to begin a search, to go
/// on with it, to take its result, to reply in time.
///
/// Whatever held us up where we could see it holds us and the server up where nobody sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delays {
    seen: u32,
    mean: Duration,
    worst: Duration,
}

/// The mean is over about so many of the latest delays.
const DELAYS_REMEMBERED: u32 = 50;
/// In the mean a delay counts as at most this. A thread that has computed waits for a core as long as
/// others compute; one that has slept, as servers and players do before a message, is let in sooner.
const LONGEST_IN_MEAN: Duration = Duration::from_millis(6);
/// How much of the worst delay still counts at the next one: a tenth after 45 of them.
const WORST_FADES: f64 = 0.95;

impl Delays {
    /// Takes in a delay.
    pub fn observe(&mut self, delay: Duration) {
        self.seen = (self.seen + 1).min(DELAYS_REMEMBERED);
        self.mean = (self.mean * (self.seen - 1) + delay.min(LONGEST_IN_MEAN)) / self.seen;
        self.worst = self.worst.mul_f64(WORST_FADES).max(delay);
    }

    /// The mean of the latest ones, the longest of them shortened.
    pub fn mean(&self) -> Duration {
        self.mean
    }

    /// The worst one; it counts less with every one that comes after it.
    pub fn worst(&self) -> Duration {
        self.worst
    }
}

/// What each of so many moves is taken to cost besides our own time: the way to and from the server as
/// measured, or the delays that nobody sees, whichever is more.
pub fn on_the_way(measured: Duration, delays: &Delays, total: Duration, moves: u32) -> Duration {
    let moves = moves.max(1);
    let way = measured
        .max(UNSEEN)
        .min(total.mul_f64(MOST_ON_THE_WAY) / moves);
    let late = delays.mean * UNSEEN_DELAYS;
    way.max(late.min(total.mul_f64(MOST_FOR_DELAYS) / moves))
}

/// What of a game's clock is never given to the search, for replies that leave late: more of it the
/// later this machine was so far.
pub fn reserve(total: Duration, delays: &Delays) -> Duration {
    let unprovoked = total
        .mul_f64(RESERVE_SHARE)
        .clamp(RESERVE_LEAST, RESERVE_UNPROVOKED);
    let most = total.mul_f64(RESERVE_MOST_SHARE).max(unprovoked);
    (unprovoked + delays.worst * DELAYS_KEPT_BACK).min(most)
}

/// The most of a clock that the time before its first message is taken to have cost.
const MOST_FOR_START: f64 = 0.9;
/// The most of a clock that waiting for that message is taken to have cost. Whoever lets us wait knows
/// it; but the message may have been on its way.
const MOST_FOR_WAITING: f64 = 0.1;

/// The start of a process whose first game begins with it: the clock of whoever started it may run
/// from then on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// When the process began.
    pub began: Instant,
    /// When it was ready to read.
    pub ready: Instant,
}

impl Start {
    /// What the start is taken to have cost of this clock if the first message came then.
    pub fn charge(self, first_message: Instant, total: Duration) -> Duration {
        let starting = self.ready.saturating_duration_since(self.began);
        let waiting = first_message.saturating_duration_since(self.ready);
        let most = total.mul_f64(MOST_FOR_START);
        (starting + waiting.min(total.mul_f64(MOST_FOR_WAITING))).min(most)
    }
}

/// A player's clock in one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameClock {
    total: Duration,
    used: Duration,
}

impl GameClock {
    /// A clock with all of its time left.
    pub fn new(total: Duration) -> Self {
        Self {
            total,
            used: Duration::ZERO,
        }
    }

    /// Takes the time that was used off the clock.
    pub fn charge(&mut self, used: Duration) {
        self.used += used;
    }

    /// Time used so far.
    pub fn used(&self) -> Duration {
        self.used
    }

    /// Time left; zero if overrun.
    pub fn remaining(&self) -> Duration {
        self.total.saturating_sub(self.used)
    }

    /// By how much the clock is overrun.
    pub fn overrun(&self) -> Option<Duration> {
        self.used
            .checked_sub(self.total)
            .filter(|over| !over.is_zero())
    }
}

/// The deadlines of one move, in order: soft <= hard <= reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// When the time began to run.
    pub start: Instant,
    /// Soft deadline: from this instant on the search begins nothing new.
    pub soft: Instant,
    /// Hard deadline: at this instant the search is cancelled.
    pub hard: Instant,
    /// At this instant the best move so far is sent, whether or not the search has answered.
    pub reply: Instant,
}

/// The time that a player has left in a game, and what must be kept of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLeft {
    /// What the clock shows.
    pub clock: Duration,
    /// How many moves the time has to last for.
    pub moves: MovesLeft,
    /// What the move to be made costs besides our own time, see [`on_the_way`].
    pub on_the_way: Duration,
    /// What all moves behind it cost besides their searches.
    pub further: Duration,
    /// What the search never gets, see [`reserve`].
    pub reserve: Duration,
    /// How it is spent.
    pub policy: Policy,
}

/// What is known of the moves left in a game, the one to be made included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MovesLeft {
    /// Their number, of so many in the whole game: later ones weigh more.
    Counted {
        /// How many of the player's moves are left.
        moves: u32,
        /// Those of the whole game.
        of: u32,
    },
    /// About so many, all of the same weight.
    Forecast(f64),
}

impl MovesLeft {
    /// What the move to be made gets of this time.
    fn share(self, time: Duration) -> Duration {
        match self {
            MovesLeft::Counted { moves, of } => {
                let moves = moves.max(1);
                let all: f64 = (1..=moves).map(|moves| weight(moves, of)).sum();
                time.mul_f64(weight(moves, of) / all)
            }
            MovesLeft::Forecast(moves) => time.div_f64(moves),
        }
    }
}

/// What a move with so many left, itself included, is worth in time against others of a game of `of`.
fn weight(moves_left: u32, of: u32) -> f64 {
    if moves_left <= SOLVED_MOVES {
        return SOLVED_WEIGHT;
    }
    let progress = 1.0 - f64::from(moves_left) / f64::from(of.max(moves_left));
    FIRST_WEIGHT + (LAST_WEIGHT - FIRST_WEIGHT) * progress
}

/// How a game's time is spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// The part of the clock that the search may use, whatever the reserve.
    pub least_of_clock: f64,
    /// The part of what the reserve leaves that is divided among searches, whatever else moves cost.
    pub least_for_searches: f64,
    /// The part of a move's share after which the search begins nothing new.
    pub soft_shares: f64,
    /// How many shares one move may take at most.
    pub hard_shares: f64,
}

/// What a search has begun takes about as long again.
impl Default for Policy {
    fn default() -> Self {
        Self {
            least_of_clock: 0.25,
            least_for_searches: 0.25,
            soft_shares: 0.7,
            hard_shares: 2.0,
        }
    }
}

impl TimeLeft {
    /// The time left to an agent in this process, of a clock that began with `total`. Its moves cost nothing
    /// besides their searches: they go through no network, and no thread of another process is waited for.
    pub fn in_process(clock: Duration, total: Duration, moves: MovesLeft) -> Self {
        Self {
            clock,
            moves,
            on_the_way: Duration::ZERO,
            further: Duration::ZERO,
            reserve: reserve(total, &Delays::default()),
            policy: Policy::default(),
        }
    }

    fn reserve(&self) -> Duration {
        let most = self.clock.mul_f64(1.0 - self.policy.least_of_clock);
        self.reserve.min(most)
    }

    /// Divides the time left among the moves left: how long the search begins something new, and when it
    /// is broken off. It gets its share of the time, and more in need.
    pub fn divide(&self) -> (Duration, Duration) {
        let policy = self.policy;
        let reachable = self
            .clock
            .saturating_sub(self.on_the_way)
            .max(self.clock.mul_f64(policy.least_of_clock));
        let last = reachable.saturating_sub(self.reserve());
        let for_searches = last
            .saturating_sub(self.further)
            .max(last.mul_f64(policy.least_for_searches));
        let share = self.moves.share(for_searches);
        let hard = share.mul_f64(policy.hard_shares).min(last);
        (share.mul_f64(policy.soft_shares).min(hard), hard)
    }

    /// The deadlines of a move whose time began to run at `start`. Even with nothing left they are in
    /// order, so that a move is found and sent at once.
    pub fn budget(&self, start: Instant) -> Budget {
        let (soft, hard) = self.divide();
        Budget {
            start,
            soft: start + soft,
            hard: start + hard,
            reply: start + hard + self.reserve().mul_f64(1.0 - LAST_CALL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    /// So much on the clock, and nothing that has to be kept.
    fn left(clock: Duration, moves: u32) -> TimeLeft {
        TimeLeft {
            clock,
            moves: MovesLeft::Counted { moves, of: moves },
            on_the_way: Duration::ZERO,
            further: Duration::ZERO,
            reserve: Duration::ZERO,
            policy: Policy::default(),
        }
    }

    fn seen(delays: &[u32]) -> Delays {
        let mut seen = Delays::default();
        for &delay in delays {
            seen.observe(delay * MILLISECOND);
        }
        seen
    }

    #[test]
    fn a_latency_is_believed_up_to_a_tenth_of_the_clock() {
        let clock = 10_000 * MILLISECOND;
        let way = |latency, clock, moves| on_the_way(latency, &Delays::default(), clock, moves);
        assert_eq!(way(20 * MILLISECOND, clock, 25), 20 * MILLISECOND);
        assert_eq!(way(900 * MILLISECOND, clock, 25), 40 * MILLISECOND);
        assert_eq!(way(Duration::ZERO, clock, 25), UNSEEN);
        let short = 100 * MILLISECOND;
        assert_eq!(way(Duration::ZERO, short, 676), 10 * MILLISECOND / 676);
    }

    #[test]
    fn every_move_is_taken_to_be_delayed_twice_where_nobody_sees_it() {
        let way = |delays: &[u32]| on_the_way(UNSEEN, &seen(delays), 1_000 * MILLISECOND, 25);
        assert_eq!(way(&[0, 0]), UNSEEN);
        assert_eq!(way(&[3, 1, 2]), 4 * MILLISECOND);
        assert_eq!(
            way(&[3_000]),
            12 * MILLISECOND,
            "somebody asleep is woken sooner"
        );
        let short = on_the_way(UNSEEN, &seen(&[6]), 100 * MILLISECOND, 25);
        assert_eq!(short, 100 * MILLISECOND * 2 / 5 / 25);
    }

    #[test]
    fn the_reserve_grows_with_the_worst_delay_and_shrinks_as_that_fades() {
        let clock = 3_000 * MILLISECOND;
        let unprovoked = reserve(clock, &Delays::default());
        assert_eq!(unprovoked, 70 * MILLISECOND);
        let late = seen(&[0, 20, 1]);
        assert!(reserve(clock, &late) > 125 * MILLISECOND);
        let mut fading = late;
        for _ in 0..200 {
            fading.observe(Duration::ZERO);
        }
        assert!(reserve(clock, &fading) < 71 * MILLISECOND);
        assert_eq!(reserve(clock, &seen(&[5_000])), clock * 3 / 10);
    }

    #[test]
    fn a_short_clock_keeps_a_part_of_itself_back() {
        let unprovoked = |clock| reserve(clock * MILLISECOND, &Delays::default());
        assert_eq!(unprovoked(500), 70 * MILLISECOND);
        assert_eq!(unprovoked(200), 28 * MILLISECOND);
        assert_eq!(unprovoked(10), 8 * MILLISECOND);
    }

    #[test]
    fn the_mean_delay_follows_the_latest_ones() {
        let mut delays = seen(&[4, 2]);
        assert_eq!(delays.mean(), 3 * MILLISECOND);
        for _ in 0..500 {
            delays.observe(10 * MILLISECOND);
        }
        assert!(delays.mean() > 5 * MILLISECOND);
        assert_eq!(delays.worst(), 10 * MILLISECOND);
    }

    #[test]
    fn a_start_is_charged_and_so_is_a_short_wait_behind_it() {
        let began = Instant::now();
        let start = Start {
            began,
            ready: began + 80 * MILLISECOND,
        };
        let charge = |first_message, total| {
            start.charge(began + first_message * MILLISECOND, total * MILLISECOND)
        };
        assert_eq!(charge(81, 3_000), 81 * MILLISECOND);
        assert_eq!(charge(50, 3_000), 80 * MILLISECOND, "it waited for us");
        assert_eq!(
            charge(60_000, 3_000),
            380 * MILLISECOND,
            "a tenth for waiting"
        );
        assert_eq!(charge(60_000, 50), 45 * MILLISECOND, "something is left");
    }

    #[test]
    fn shares_are_even_but_for_a_modest_rise_and_hardly_anything_for_the_last_moves() {
        let mut clock = GameClock::new(60_000 * MILLISECOND);
        let mut spent = Vec::new();
        for moves in (1..=49).rev() {
            let left = TimeLeft {
                moves: MovesLeft::Counted { moves, of: 49 },
                ..left(clock.remaining(), moves)
            };
            // Searches take a share on average.
            let used = left.divide().0.mul_f64(1.0 / left.policy.soft_shares);
            clock.charge(used);
            spent.push(used.as_secs_f64() * 49.0 / 60.0);
        }
        assert!((0.55..0.65).contains(&spent[0]), "{spent:?}");
        assert!((0.95..1.05).contains(&spent[22]), "{spent:?}");
        assert!((1.3..1.5).contains(&spent[46]), "{spent:?}");
        assert!(spent[47] < 0.4, "{spent:?}");
        assert!(spent[..47].is_sorted(), "{spent:?}");
    }

    #[test]
    fn a_game_of_moves_that_all_overspend_keeps_time_for_its_end() {
        let mut clock = GameClock::new(60_000 * MILLISECOND);
        for moves in (6..=49).rev() {
            let left = TimeLeft {
                moves: MovesLeft::Counted { moves, of: 49 },
                ..left(clock.remaining(), moves)
            };
            clock.charge(left.divide().0.mul_f64(2.0));
        }
        // A third of the even share and more.
        assert!(clock.remaining() > 60_000 * MILLISECOND / 49 * 5 / 3);
    }

    #[test]
    fn the_last_move_may_take_all_but_the_reserve() {
        let start = Instant::now();
        let reserve = 60 * MILLISECOND;
        let left = TimeLeft {
            reserve,
            ..left(200 * MILLISECOND, 1)
        };
        let given = left.budget(start);
        assert_eq!(given.soft - start, 98 * MILLISECOND);
        assert_eq!(given.hard - start, 140 * MILLISECOND);
        assert_eq!(given.reply - start, 158 * MILLISECOND);
    }

    #[test]
    fn ten_milliseconds_leave_time_to_think_and_to_reply() {
        let start = Instant::now();
        let clock = 10 * MILLISECOND;
        let reserve = reserve(clock, &Delays::default());
        let left = TimeLeft {
            reserve,
            ..left(clock, 1)
        };
        let given = left.budget(start);
        assert!(given.hard - start >= 2 * MILLISECOND);
        assert!(given.reply - start < 5 * MILLISECOND);
    }

    proptest! {
        #[test]
        fn deadlines_are_in_order_and_before_the_clock_runs_out(
            clock in 0u64..100_000_000, moves in 0u32..700, of in 0u32..700,
            on_the_way in 0u64..500_000, reserve in 0u64..1_000_000,
        ) {
            let start = Instant::now();
            let left = TimeLeft {
                clock: Duration::from_micros(clock),
                moves: MovesLeft::Counted { moves, of },
                on_the_way: Duration::from_micros(on_the_way),
                further: Duration::from_micros(on_the_way) * moves.saturating_sub(1),
                reserve: Duration::from_micros(reserve),
                policy: Policy::default(),
            };
            let given = left.budget(start);
            prop_assert!(start <= given.soft);
            prop_assert!(given.soft <= given.hard);
            prop_assert!(given.hard <= given.reply);
            prop_assert!(given.reply <= start + left.clock);
        }

        #[test]
        fn a_game_of_moves_at_their_hard_limit_stays_within_its_clock(
            total in 1u64..60_000, moves in 1u32..50, delay in 0u32..100,
        ) {
            let start = Instant::now();
            let total = Duration::from_millis(total);
            let mut clock = GameClock::new(total);
            let reserve = reserve(total, &seen(&[delay]));
            for moves in (1..=moves).rev() {
                let left = TimeLeft { reserve, ..left(clock.remaining(), moves) };
                clock.charge(left.budget(start).reply - start);
            }
            prop_assert_eq!(clock.overrun(), None);
        }
    }
}
