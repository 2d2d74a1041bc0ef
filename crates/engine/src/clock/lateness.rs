//! How late a machine is and how long the way to a server takes, and what of a clock is kept for that.

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

/// What a move costs on the clock that nobody on our side sees: sockets, and the server's own work
/// before it looks at its clock.
const UNSEEN: Duration = Duration::from_micros(500);
/// The part of the clock that the way may be believed to cost: a latency is measured once, and
/// whatever held it up must not cost a game.
const MOST_ON_THE_WAY: f64 = 0.1;
/// How many times the mean delay every move is taken to cost where nobody on our side sees it: until the server wakes
/// up to read the reply, which was up to two and a half times as much as until we wake up (two cores, both busy with
/// work of a higher priority); and where the system does not tell, until we wake up to read the question.
const UNSEEN_DELAYS: u32 = 2;
/// The part of the clock that these delays may be believed to cost.
const MOST_FOR_DELAYS: f64 = 0.4;

/// How late this machine lets a thread of ours run that has every reason to: to read a message, to begin a search, to
/// go on with it, to take its result, to reply in time.
///
/// Whatever held us up where we could see it holds us and the server up where nobody sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delays {
    computing: Mean,
    waking: Mean,
    worst: Duration,
}

/// A mean over the latest of many delays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Mean {
    seen: u32,
    mean: Duration,
}

impl Mean {
    fn add(&mut self, delay: Duration) {
        self.seen = (self.seen + 1).min(DELAYS_REMEMBERED);
        self.mean = (self.mean * (self.seen - 1) + delay) / self.seen;
    }
}

/// The mean is over about so many of the latest delays.
const DELAYS_REMEMBERED: u32 = 50;
/// In their mean the delays of threads that computed count as at most this: they wait for a core as long as others
/// compute, which says little about one that has slept, as servers and players do before a message.
const LONGEST_IN_MEAN: Duration = Duration::from_millis(6);
/// In their mean the delays of a thread that slept until a message came count as at most this: a single long one must
/// not cost a game.
const LONGEST_WAKING_IN_MEAN: Duration = Duration::from_millis(50);
/// So many such delays of nothing are taken to have been seen before the first, which may have been an accident.
const IN_TIME_BEFORE: u32 = 10;
/// How much of the worst delay still counts at the next one of a thread that computed: a tenth after 45 of them.
const WORST_FADES: f64 = 0.95;

impl Delays {
    /// Takes in a delay of a thread that computed, or was to begin.
    pub fn observe(&mut self, delay: Duration) {
        self.computing.add(delay.min(LONGEST_IN_MEAN));
        self.worst = self.worst.mul_f64(WORST_FADES).max(delay);
    }

    /// Takes in how long a thread that slept until a message came had to wait for a core.
    pub fn observe_waking(&mut self, delay: Duration) {
        self.waking.seen = self.waking.seen.max(IN_TIME_BEFORE);
        self.waking.add(delay.min(LONGEST_WAKING_IN_MEAN));
        self.worst = self.worst.max(delay);
    }

    /// How late a thread that sleeps until a message comes is on average: the mean of the latest such delays, or that
    /// of the others, whichever is more. The longest of either kind count less.
    pub fn mean(&self) -> Duration {
        self.waking.mean.max(self.computing.mean)
    }

    /// The worst one; it counts less with every later one of a thread that computed.
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
    let late = delays.mean() * UNSEEN_DELAYS;
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

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

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
    fn late_sleepers_are_kept_back_for_and_the_first_may_be_an_accident() {
        let clock = 3_000 * MILLISECOND;
        let mut delays = seen(&[1, 1]);
        delays.observe_waking(300 * MILLISECOND);
        assert_eq!(delays.mean(), 50 * MILLISECOND / 11, "one of eleven");
        let way = on_the_way(UNSEEN, &delays, clock, 25);
        assert_eq!(way, 50 * MILLISECOND / 11 * 2);
        assert_eq!(reserve(clock, &delays), clock * 3 / 10);
        for _ in 0..500 {
            delays.observe_waking(10 * MILLISECOND);
        }
        assert!(delays.mean() > 9 * MILLISECOND, "more than the others");
        let worst = delays.worst();
        assert_eq!(worst, 300 * MILLISECOND);
        for _ in 0..500 {
            delays.observe_waking(Duration::ZERO);
        }
        assert_eq!(delays.mean(), MILLISECOND, "the others are more");
        assert_eq!(delays.worst(), worst, "it fades with the others");
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
}
