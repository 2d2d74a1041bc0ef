//! The integer types in which powers are computed: 64 bits, or more for numbers with many decimals.
//!
//! For files like the assignment's, 64 bits are enough.
//!
//! Every engine is generic over [`Units`]. All sums stay exact, because each type declares how many decimals it can
//! hold.

use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, Mul, Neg, Sub};
use std::str::FromStr;

/// An integer of 256 bits, enough for the product of any two numbers of 17 digits that are not tiny.
pub type Long = bnum::types::I256;

/// An integer of 8192 bits, enough for the product of any two 64-bit doubles with all their decimals.
pub type Longest = bnum::types::I8192;

/// A signed integer type that can store powers.
pub trait Units:
    Copy
    + Ord
    + Debug
    + Display
    + FromStr
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + Sum
{
    /// The maximum number of decimals of a power.
    ///
    /// With at most this number of decimals, the power of two teams together stays below [`Units::INFINITY`]. Each team
    /// has at most 1120 points (5 × 200 + 120), so two teams have at most 2240 points.
    const MAX_DECIMALS: u32;
    /// The number 0.
    const ZERO: Self;
    /// The least value of the type.
    const MIN: Self;
    /// The greatest value of the type.
    const MAX: Self;
    /// A quarter of the greatest value. This is greater than every power, and twice this value still fits the type.
    const INFINITY: Self;

    /// Converts a whole number to this type, without scaling.
    fn of(number: u32) -> Self;

    /// Returns 10 to the power of `exponent`, which is at most [`Units::MAX_DECIMALS`].
    fn power_of_ten(exponent: u32) -> Self;

    /// Returns a number for hash keys that depends on every bit of the value.
    fn fingerprint(self) -> u128;
}

impl Units for i64 {
    // The greatest sum of two powers, 2240 × 10^15 = 2.24 × 10^18, is below a quarter of 2^63, about 2.31 × 10^18.
    const MAX_DECIMALS: u32 = 15;
    const ZERO: i64 = 0;
    const MIN: i64 = i64::MIN;
    const MAX: i64 = i64::MAX;
    const INFINITY: i64 = i64::MAX / 4;

    fn of(number: u32) -> i64 {
        i64::from(number)
    }

    fn power_of_ten(exponent: u32) -> i64 {
        10_i64.pow(exponent)
    }

    fn fingerprint(self) -> u128 {
        self as u128
    }
}

/// Implements [`Units`] for a wide integer.
macro_rules! wide_units {
    ($type:ty, $max_decimals:literal) => {
        impl Units for $type {
            const MAX_DECIMALS: u32 = $max_decimals;
            const ZERO: $type = bnum::n!(0);
            const MIN: $type = <$type>::MIN;
            const MAX: $type = <$type>::MAX;
            const INFINITY: $type = <$type>::MAX.shr(2);

            fn of(number: u32) -> $type {
                number
                    .try_into()
                    .expect("a small number fits a wide integer")
            }

            fn power_of_ten(exponent: u32) -> $type {
                Self::of(10).pow(exponent)
            }

            fn fingerprint(self) -> u128 {
                // FNV-1a over the bytes, in 128 bits.
                self.to_le_bytes().iter().fold(
                    0x6c62_272e_07bb_0142_62b8_2175_6295_c58d,
                    |hash: u128, &byte| {
                        (hash ^ u128::from(byte))
                            .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
                    },
                )
            }
        }
    };
}

// The greatest sum of two powers, 2240 × 10^72, is below 2^251, and a quarter of 2^255 is 2^253.
wide_units!(Long, 72);
// A double has at most 1074 decimals, so a product of two doubles has at most 2148. 2240 × 10^2148 is below 2^7147.
wide_units!(Longest, 2148);

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that four times the greatest possible sum of two teams' powers fits the type.
    fn holds<U: Units>() {
        let greatest = U::of(2 * (5 * 200 + 120)) * U::power_of_ten(U::MAX_DECIMALS);
        assert!(greatest < U::INFINITY);
        assert!(U::INFINITY + U::INFINITY + U::INFINITY <= U::MAX);
        assert_eq!(-U::INFINITY + U::INFINITY, U::ZERO);
        let digits = U::power_of_ten(U::MAX_DECIMALS).to_string();
        assert_eq!(digits.len(), 1 + U::MAX_DECIMALS as usize);
        assert_ne!(
            U::of(1).fingerprint(),
            U::power_of_ten(U::MAX_DECIMALS).fingerprint()
        );
    }

    #[test]
    fn every_width_holds_what_it_promises() {
        holds::<i64>();
        holds::<Long>();
        holds::<Longest>();
    }
}
