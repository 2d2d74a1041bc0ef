//! Points in time of a clock that never goes back. In a browser that is the page's clock, because the
//! standard library has none there.

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

    /// Names the clock: the time since some beginning. Without one, time stands still.
    pub fn set_clock(clock: fn() -> Duration) {
        // Whoever came first is right: there is one page.
        let _ = CLOCK.set(clock);
    }

    /// A point in time of the page's clock, to be used like [`std::time::Instant`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Instant(Duration);

    impl Instant {
        /// The time on the page's clock; the clock's beginning until one is named.
        pub fn now() -> Self {
            Self(CLOCK.get().map(|clock| clock()).unwrap_or_default())
        }

        /// The time since then.
        pub fn elapsed(&self) -> Duration {
            Self::now() - *self
        }

        /// The time from an earlier point to this one; zero if it is no earlier one.
        pub fn duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// The same as [`Instant::duration_since`].
        pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
            self.duration_since(earlier)
        }

        /// A point so much later, if there is one.
        pub fn checked_add(&self, time: Duration) -> Option<Self> {
            self.0.checked_add(time).map(Self)
        }

        /// A point so much earlier, if there is one.
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
