//! Measures delays on this machine, and computes the time to set aside for them and for the latency to a server.

use std::time::Duration;

use crate::instant::Instant;

/// The reserve, as a part of a game's total time, before the two constants below limit it.
const RESERVE_SHARE: f64 = 0.14;
/// The minimum reserve. This is about the time that a busy machine takes to wake up a sleeping thread.
const RESERVE_LEAST: Duration = Duration::from_millis(8);
/// The maximum reserve before this machine has shown any delays. The reserve is set aside once per game, so it
/// costs the search next to nothing.
const RESERVE_UNPROVOKED: Duration = Duration::from_millis(70);
/// The maximum reserve, as a part of a game's total time, however long the delays on this machine are.
const RESERVE_MOST_SHARE: f64 = 0.3;
/// The factor by which the worst delay seen so far is multiplied before it is added to the reserve. The next delay may
/// be worse, and the server has delays of its own.
const DELAYS_KEPT_BACK: u32 = 3;

/// The minimum time that a move costs where we cannot measure it: in sockets, and in the server before it reads its
/// clock.
const UNSEEN: Duration = Duration::from_micros(500);
/// The maximum part of the clock that is set aside for latency. The latency is measured only once, and a single
/// disturbance must not cost a game.
const MOST_ON_THE_WAY: f64 = 0.1;
/// The number of delays that every move is assumed to cost and that we cannot observe; each lasts as long as our mean
/// delay. The first delay is the time until the server wakes up to read our reply. In measurements, this took up to two
/// and a half times as long as our own wake-up (two cores, both busy with higher-priority work). The second delay is
/// the time until we wake up to read the question; some systems do not report it.
const UNSEEN_DELAYS: u32 = 2;
/// The maximum part of the clock that is set aside for the delays that we cannot observe.
const MOST_FOR_DELAYS: f64 = 0.4;

/// The delays of our threads: how long they wait for a core when they have work to do. The work is to read a message,
/// to start or continue a search, to take the result of a search, or to reply in time.
///
/// Similar delays also occur where we cannot observe them, both here and on the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delays {
    computing: Mean,
    waking: Mean,
    worst: Duration,
}

/// A mean over the most recent delays.
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

/// The number of recent delays that determine the mean, approximately.
const DELAYS_REMEMBERED: u32 = 50;
/// The cap on a computing thread's delay when it is added to the mean. A computing thread waits for a core as long as
/// other threads compute. Its delay says little about a thread that sleeps until a message arrives, as the threads of
/// servers and players do.
const LONGEST_IN_MEAN: Duration = Duration::from_millis(6);
/// The cap on a wake-up delay when it is added to the mean. A wake-up delay is the delay of a thread that slept until a
/// message arrived. A single long delay must not cost a game.
const LONGEST_WAKING_IN_MEAN: Duration = Duration::from_millis(50);
/// The number of wake-ups without delay that are assumed before the first measured wake-up, whose delay may be an
/// exception.
const IN_TIME_BEFORE: u32 = 10;
/// The factor by which the worst delay is multiplied at each later delay of a computing thread, so that it fades. After
/// 45 delays, a tenth of it is left.
const WORST_FADES: f64 = 0.95;

impl Delays {
    /// Records how long a thread had to wait for a core while it was computing or about to start.
    pub fn observe(&mut self, delay: Duration) {
        self.computing.add(delay.min(LONGEST_IN_MEAN));
        self.worst = self.worst.mul_f64(WORST_FADES).max(delay);
    }

    /// Records how long a thread that slept until a message arrived had to wait for a core.
    pub fn observe_waking(&mut self, delay: Duration) {
        self.waking.seen = self.waking.seen.max(IN_TIME_BEFORE);
        self.waking.add(delay.min(LONGEST_WAKING_IN_MEAN));
        self.worst = self.worst.max(delay);
    }

    /// Returns the expected delay of a thread that sleeps until a message arrives. This is the mean of the recent
    /// wake-up delays or the mean of the recent delays of computing threads, whichever is greater. Long delays of
    /// either kind are capped.
    pub fn mean(&self) -> Duration {
        self.waking.mean.max(self.computing.mean)
    }

    /// Returns the worst delay seen, which fades with every later delay of a computing thread.
    pub fn worst(&self) -> Duration {
        self.worst
    }
}

/// Returns the time that each of `moves` moves is assumed to cost in addition to our thinking time. This is the
/// measured round trip to the server or the sum of the delays that we cannot observe, whichever is greater.
pub fn on_the_way(measured: Duration, delays: &Delays, total: Duration, moves: u32) -> Duration {
    let moves = moves.max(1);
    let way = measured
        .max(UNSEEN)
        .min(total.mul_f64(MOST_ON_THE_WAY) / moves);
    let late = delays.mean() * UNSEEN_DELAYS;
    way.max(late.min(total.mul_f64(MOST_FOR_DELAYS) / moves))
}

/// Returns the time to keep back from the search as a margin for late replies. The margin grows with the delays of this
/// machine.
pub fn reserve(total: Duration, delays: &Delays) -> Duration {
    let unprovoked = total
        .mul_f64(RESERVE_SHARE)
        .clamp(RESERVE_LEAST, RESERVE_UNPROVOKED);
    let most = total.mul_f64(RESERVE_MOST_SHARE).max(unprovoked);
    (unprovoked + delays.worst * DELAYS_KEPT_BACK).min(most)
}

/// The maximum part of a clock that is charged for the time from the start of the process to the first message.
const MOST_FOR_START: f64 = 0.9;
/// The maximum part of a clock that is charged for waiting for the first message. The peer knows how long it keeps us
/// waiting, but the message may have been on its way for a part of that time.
const MOST_FOR_WAITING: f64 = 0.1;

/// The times of the start of a process that begins its first game at once. The peer that started the process may have
/// started the clock at that moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The instant at which the process started.
    pub began: Instant,
    /// The instant at which the process was ready to read messages.
    pub ready: Instant,
}

impl Start {
    /// Returns the time to charge to the clock for the start of the process, given when the first message arrived.
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
