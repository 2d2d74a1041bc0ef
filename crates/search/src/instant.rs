//! Points in time, measured by a monotonic clock. In a browser, this is the web page's clock, because the standard
//! library's clock does not work there.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
pub use of_the_page::{Instant, set_clock};

#[cfg(target_family = "wasm")]
mod of_the_page {
    use std::ops::{Add, Sub};
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Sets the web page's clock: a function that returns the time since a fixed starting point. Until the clock is
    /// set, time stands still.
    pub fn set_clock(clock: fn() -> Duration) {
        // Only the first call has an effect. There is only one page, so later calls would not set a different clock.
        let _ = CLOCK.set(clock);
    }

    /// A point in time on the web page's clock, used like [`std::time::Instant`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Instant(Duration);

    impl Instant {
        /// Returns the current time on the web page's clock, or the clock's starting point until [`set_clock`] is
        /// called.
        pub fn now() -> Self {
            Self(CLOCK.get().map(|clock| clock()).unwrap_or_default())
        }

        /// Returns the time that has passed since this point.
        pub fn elapsed(&self) -> Duration {
            Self::now() - *self
        }

        /// Returns the time from an earlier point to this one; zero if `earlier` is later.
        pub fn duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// Does the same as [`Instant::duration_since`], which also returns zero if `earlier` is later.
        pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
            self.duration_since(earlier)
        }

        /// Returns the point that is `time` later; `None` if it cannot be represented.
        pub fn checked_add(&self, time: Duration) -> Option<Self> {
            self.0.checked_add(time).map(Self)
        }

        /// Returns the point that is `time` earlier; `None` if it cannot be represented.
        pub fn checked_sub(&self, time: Duration) -> Option<Self> {
            self.0.checked_sub(time).map(Self)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, time: Duration) -> Self {
            Self(self.0 + time)
        }
    }

    impl Sub<Duration> for Instant {
        type Output = Self;

        fn sub(self, time: Duration) -> Self {
            Self(self.0 - time)
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Self) -> Duration {
            self.duration_since(earlier)
        }
    }
}
