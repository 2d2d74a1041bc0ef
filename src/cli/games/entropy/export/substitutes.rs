//! Substitutes for parts of the standard library that are newer than Rust 1.66. A newer compiler prefers its own.

pub use std::mem::size_of;

use std::num::{NonZeroU8, NonZeroUsize};
use std::sync::{Mutex, PoisonError};

/// A value that is computed once and then kept until the process ends.
pub struct OnceLock<T: 'static>(Mutex<Option<&'static T>>);

impl<T> OnceLock<T> {
    pub const NEW: Self = Self(Mutex::new(None));

    pub const fn new() -> Self {
        Self::NEW
    }

    pub fn get_or_init(&self, create: impl FnOnce() -> T) -> &'static T {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *known.get_or_insert_with(|| Box::leak(Box::new(create())))
    }
}

pub trait Optional<T> {
    fn is_some_and(self, accepts: impl FnOnce(T) -> bool) -> bool;
    fn is_none_or(self, accepts: impl FnOnce(T) -> bool) -> bool;
}

impl<T> Optional<T> for Option<T> {
    fn is_some_and(self, accepts: impl FnOnce(T) -> bool) -> bool {
        self.map_or(false, accepts)
    }

    fn is_none_or(self, accepts: impl FnOnce(T) -> bool) -> bool {
        self.map_or(true, accepts)
    }
}

pub trait Whole: Copy {
    fn div_ceil(self, by: Self) -> Self;
    fn is_multiple_of(self, of: Self) -> bool;
    fn ilog2(self) -> u32;
}

macro_rules! whole {
    ($($number:ident)*) => {$(
        impl Whole for $number {
            fn div_ceil(self, by: Self) -> Self {
                self / by + $number::from(self % by > 0)
            }

            fn is_multiple_of(self, of: Self) -> bool {
                self % of == 0
            }

            fn ilog2(self) -> u32 {
                $number::BITS - 1 - self.leading_zeros()
            }
        }
    )*};
}

whole!(u8 u32 usize);

pub trait NonZero {
    const MIN: Self;
}

impl NonZero for NonZeroU8 {
    const MIN: Self = match NonZeroU8::new(1) {
        Some(one) => one,
        None => panic!(),
    };
}

impl NonZero for NonZeroUsize {
    const MIN: Self = match NonZeroUsize::new(1) {
        Some(one) => one,
        None => panic!(),
    };
}
