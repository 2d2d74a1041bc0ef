//! Exact decimal numbers: what the input file writes is what the program computes with.
//!
//! A tie between two picks is a mathematical fact, and binary floating point loses it: 0.1 is not
//! representable. Every number is therefore read as an integer and a count of decimals.

use std::fmt;

/// A non-negative decimal number `units / 10^decimals`, without trailing zeros after the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    units: i128,
    decimals: u32,
}

/// Why a text is not a [`Decimal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// Not digits with at most one point and an optional exponent.
    #[error("not a number such as 193.537866")]
    NotANumber,
    /// The number starts with a minus sign and is not zero.
    #[error("negative")]
    Negative,
    /// More significant digits or decimals than [`Decimal::MAX_DIGITS`].
    #[error("more than {} digits", Decimal::MAX_DIGITS)]
    TooLong,
}

impl Decimal {
    /// The most digits before and after the point together, after dropping zeros that say nothing.
    pub const MAX_DIGITS: u32 = 30;

    /// Reads `12`, `12.5`, `.5`, `12.`, `+1.5` or `1.5E-3` (Java and C++ print small doubles so).
    ///
    /// # Errors
    ///
    /// Anything else, a negative number other than zero, or one too long to hold.
    pub fn parse(text: &str) -> Result<Decimal, DecimalError> {
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
            return Err(DecimalError::NotANumber);
        }
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_start_matches('0').trim_end_matches('0');
        if significant.is_empty() {
            return Ok(Decimal {
                units: 0,
                decimals: 0,
            });
        }
        if negative {
            return Err(DecimalError::Negative);
        }
        let dropped_zeros = digits.len() - digits.trim_end_matches('0').len();
        let length = |count: usize| i64::try_from(count).map_err(|_| DecimalError::TooLong);
        let decimals = length(fraction.len())? - length(dropped_zeros)? - i64::from(exponent);
        let appended_zeros = (-decimals).max(0);
        let limit = i64::from(Self::MAX_DIGITS);
        if length(significant.len())? + appended_zeros > limit || decimals > limit {
            return Err(DecimalError::TooLong);
        }
        let mut units: i128 = significant.parse().map_err(|_| DecimalError::TooLong)?;
        for _ in 0..appended_zeros {
            units *= 10;
        }
        Ok(Decimal {
            units,
            decimals: u32::try_from(decimals.max(0)).map_err(|_| DecimalError::TooLong)?,
        })
    }

    /// Digits after the point.
    #[must_use]
    pub fn decimals(self) -> u32 {
        self.decimals
    }

    /// The number times `10^decimals`, which is an integer if `decimals` is at least [`Decimal::decimals`].
    ///
    /// `None` if that integer does not fit, or if it would not be one.
    #[must_use]
    pub fn scaled(self, decimals: u32) -> Option<i128> {
        10_i128
            .checked_pow(decimals.checked_sub(self.decimals)?)?
            .checked_mul(self.units)
    }

    /// Whether the number is greater than a whole one.
    #[must_use]
    pub fn exceeds(self, whole: i128) -> bool {
        // MAX_DIGITS keeps both sides below 10^38.
        self.units > whole * 10_i128.pow(self.decimals)
    }
}

fn parse_exponent(text: &str) -> Result<i32, DecimalError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(DecimalError::NotANumber);
    }
    text.parse().map_err(|_| DecimalError::TooLong)
}

/// A value in units of `10^-decimals`, printed as a decimal number without trailing zeros.
#[derive(Debug, Clone, Copy)]
pub struct Scaled {
    /// The integer.
    pub units: i64,
    /// Digits of it that stand behind the point.
    pub decimals: u32,
}

impl Scaled {
    /// The value rounded to a floating-point number, for tables that people read.
    #[must_use]
    pub fn approximate(self) -> f64 {
        self.units as f64 / 10_f64.powi(self.decimals as i32)
    }
}

impl fmt::Display for Scaled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = 10_u64.pow(self.decimals);
        let magnitude = self.units.unsigned_abs();
        let sign = if self.units < 0 { "-" } else { "" };
        let width = self.decimals as usize;
        let fraction = format!("{:0width$}", magnitude % scale);
        let fraction = if width == 0 {
            ""
        } else {
            fraction.trim_end_matches('0')
        };
        let point = if fraction.is_empty() { "" } else { "." };
        write!(formatter, "{sign}{}{point}{fraction}", magnitude / scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_in_different_spellings_are_equal() {
        let half = Decimal::parse("0.5").unwrap();
        for spelling in [
            ".5",
            "00.500000000000000000000000000000000000",
            "5e-1",
            "+0.05E+1",
            "500e-3",
        ] {
            assert_eq!(Decimal::parse(spelling), Ok(half), "{spelling}");
        }
        assert_eq!(Decimal::parse("2e2").unwrap().scaled(0), Some(200));
        assert_eq!(Decimal::parse("-0.000").unwrap().scaled(6), Some(0));
        assert_eq!(half.scaled(6), Some(500_000));
        assert_eq!(half.scaled(0), None);
    }

    #[test]
    fn what_is_not_a_number_says_why() {
        for text in [
            "", ".", "-", "abc", "1.2.3", "1,5", "1e", "1e+", "0x10", "nan", "inf", "1 2", "e5",
            "--1",
        ] {
            assert_eq!(
                Decimal::parse(text),
                Err(DecimalError::NotANumber),
                "{text}"
            );
        }
        assert_eq!(Decimal::parse("-0.1"), Err(DecimalError::Negative));
        let long = format!("0.{}", "1".repeat(31));
        for text in [
            "1e-31",
            "1e30",
            "1e999999999999",
            "1e-2147483648",
            long.as_str(),
        ] {
            assert_eq!(Decimal::parse(text), Err(DecimalError::TooLong), "{text}");
        }
    }

    #[test]
    fn limits_are_exclusive_of_themselves() {
        assert!(!Decimal::parse("200.000").unwrap().exceeds(200));
        assert!(
            Decimal::parse("200.0000000000000000000000001")
                .unwrap()
                .exceeds(200)
        );
    }

    #[test]
    fn scaled_values_print_without_noise() {
        let text = |units, decimals| Scaled { units, decimals }.to_string();
        assert_eq!(text(120_000_000_000_000, 12), "120");
        assert_eq!(text(-1_500, 3), "-1.5");
        assert_eq!(text(-1, 12), "-0.000000000001");
        assert_eq!(text(7, 0), "7");
        assert_eq!(text(0, 12), "0");
    }
}
