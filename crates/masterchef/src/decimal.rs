//! Exact decimal numbers, which let the program compute with exactly the numbers in the input file.
//!
//! Two picks may tie exactly. Binary floating point can lose such ties, because it cannot represent 0.1, for example.
//! So every number is read as an integer together with its number of decimals.

use std::fmt;

use super::units::Units;

/// A non-negative decimal number that was read from a text, without redundant zeros.
///
/// It borrows its digits from the text, so that a number of any length needs no memory.
#[derive(Debug, Clone, Copy)]
pub struct Decimal<'a> {
    /// The digits before the decimal point of the text, from the first nonzero digit.
    whole: &'a str,
    /// The digits after the decimal point of the text, up to the last nonzero digit.
    ///
    /// If `whole` is empty, these digits start at the first nonzero digit.
    fraction: &'a str,
    /// How many of the digits come after the number's decimal point. This is negative if zeros follow the digits before
    /// the point.
    decimals: i64,
}

/// The reasons why a text is not a [`Decimal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    #[error("not a number such as 193.537866 or 4.9406564584124654e-324")]
    NotANumber,
    #[error("negative")]
    Negative,
    #[error(
        "more than {} decimals, which no 64-bit double has",
        Decimal::MAX_DECIMALS
    )]
    TooLong,
}

impl<'a> Decimal<'a> {
    /// The maximum number of digits after the decimal point, without redundant zeros.
    ///
    /// The least positive 64-bit double, 2^-1074, has 1074 such digits if written in full, and no double has more.
    pub const MAX_DECIMALS: u32 = 1074;

    /// Reads a number in a form such as `12`, `12.5`, `.5`, `12.`, `+1.5` or `1.5E-3`.
    ///
    /// The last form is accepted because Java, C++ and Python print small doubles in this way.
    pub fn parse(text: &'a str) -> Result<Decimal<'a>, DecimalError> {
        let (negative, unsigned) = without_sign(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
            return Err(DecimalError::NotANumber);
        }
        let mut whole = whole.trim_start_matches('0');
        let mut fraction = fraction.trim_end_matches('0');
        // This cannot overflow: a text is far shorter than 2^63, and an exponent is limited to 2^62.
        let mut decimals = fraction.len() as i64 - exponent;
        if fraction.is_empty() {
            let without_zeros = whole.trim_end_matches('0');
            decimals -= (whole.len() - without_zeros.len()) as i64;
            whole = without_zeros;
        }
        if whole.is_empty() {
            fraction = fraction.trim_start_matches('0');
        }
        if whole.is_empty() && fraction.is_empty() {
            decimals = 0;
        } else if negative {
            return Err(DecimalError::Negative);
        }
        if decimals > i64::from(Self::MAX_DECIMALS) {
            return Err(DecimalError::TooLong);
        }
        Ok(Decimal {
            whole,
            fraction,
            decimals,
        })
    }

    pub fn decimals(self) -> u32 {
        self.decimals.max(0) as u32
    }

    /// Returns the digits without the zeros at either end. The number zero has no digits.
    fn digits(self) -> impl Iterator<Item = u8> {
        self.whole.bytes().chain(self.fraction.bytes())
    }

    fn length(self) -> usize {
        self.whole.len() + self.fraction.len()
    }

    /// Returns the number times `10^decimals`, if the product is an integer that fits the units.
    ///
    /// The product is an integer if `decimals` is at least [`Decimal::decimals`]. Returns `None` if the product is not
    /// an integer, or if it is too large for a power in these units.
    pub fn scaled<U: Units>(self, decimals: u32) -> Option<U> {
        if self.length() == 0 {
            return Some(U::ZERO);
        }
        let zeros = u32::try_from(i64::from(decimals) - self.decimals).ok()?;
        // The units have room for `MAX_DECIMALS` decimals and more than three digits before the point.
        if self.length() as u64 + u64::from(zeros) > u64::from(U::MAX_DECIMALS) + 3 {
            return None;
        }
        let zeros = std::iter::repeat_n(b'0', zeros as usize);
        let digits: String = self.digits().chain(zeros).map(char::from).collect();
        digits.parse().ok()
    }

    /// Returns true if the number is greater than the whole number `whole`.
    pub fn exceeds(self, whole: u32) -> bool {
        let length = self.length() as i64;
        let digits_before_the_point = match length {
            0 => return false,
            _ => (length - self.decimals).max(0),
        };
        // A number of more than ten digits before the point exceeds every `u32`. A shorter number is read up to the
        // point.
        if digits_before_the_point > 10 {
            return true;
        }
        let digits = self.digits().chain(std::iter::repeat(b'0'));
        let before_the_point = digits
            .take(digits_before_the_point as usize)
            .fold(0_u64, |number, digit| 10 * number + u64::from(digit - b'0'));
        let behind_it = length > digits_before_the_point;
        before_the_point > u64::from(whole) || behind_it && before_the_point == u64::from(whole)
    }
}

/// Reads an exponent. An exponent greater than 2^62 is read as 2^62, which is beyond every other limit.
fn parse_exponent(text: &str) -> Result<i64, DecimalError> {
    const BEYOND: i64 = 1 << 62;
    let (negative, digits) = without_sign(text);
    if digits.is_empty() || !all_digits(digits) {
        return Err(DecimalError::NotANumber);
    }
    let magnitude = digits.parse().unwrap_or(BEYOND).min(BEYOND);
    Ok(if negative { -magnitude } else { magnitude })
}

/// Returns whether a number starts with a minus sign, and the number's text without a plus or minus sign.
fn without_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number in units of `10^-decimals`, which is printed as a decimal number without trailing zeros.
#[derive(Debug, Clone, Copy)]
pub struct Scaled<U = i64> {
    pub units: U,
    pub decimals: u32,
}

impl<U: Units> Scaled<U> {
    /// Returns the value as the nearest floating-point number, for tables that people read.
    pub fn approximate(self) -> f64 {
        self.to_string()
            .parse()
            .expect("a printed decimal number is one of Rust's")
    }
}

impl<U: Units> fmt::Display for Scaled<U> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.units.to_string();
        let (negative, digits) = without_sign(&text);
        let sign = if negative { "-" } else { "" };
        let width = self.decimals as usize;
        let digits = format!("{digits:0>least$}", least = width + 1);
        let (whole, fraction) = digits.split_at(digits.len() - width);
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        write!(formatter, "{sign}{whole}{point}{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Long, Longest};

    fn scaled(text: &str, decimals: u32) -> Option<i64> {
        Decimal::parse(text).expect(text).scaled(decimals)
    }

    #[test]
    fn equal_numbers_in_different_spellings_are_equal() {
        for spelling in [
            "0.5",
            ".5",
            "00.500000000000000000000000000000000000",
            "5e-1",
            "+0.05E+1",
            "500e-3",
            "0.0005e3",
            "50000000000000000000000000000000000000000000e-44",
        ] {
            let number = Decimal::parse(spelling).unwrap();
            assert_eq!(number.decimals(), 1, "{spelling}");
            assert_eq!(scaled(spelling, 6), Some(500_000), "{spelling}");
            assert_eq!(scaled(spelling, 0), None, "{spelling}");
            assert!(number.exceeds(0) && !number.exceeds(1), "{spelling}");
        }
        assert_eq!(scaled("2e2", 0), Some(200));
        assert_eq!(scaled("20", 2), Some(2_000));
        for zero in ["-0.000", "0e999999999999999999999", "00", "0E-5"] {
            assert_eq!(scaled(zero, 6), Some(0), "{zero}");
            assert!(!Decimal::parse(zero).unwrap().exceeds(0), "{zero}");
        }
    }

    #[test]
    fn doubles_of_any_size_are_read_to_the_last_digit() {
        let tiny = Decimal::parse("4.9406564584124654e-324").unwrap();
        assert_eq!(tiny.decimals(), 340);
        assert_eq!(
            tiny.scaled::<Longest>(341).unwrap().to_string(),
            "494065645841246540"
        );
        assert_eq!(
            tiny.scaled::<Long>(340).unwrap().to_string(),
            "49406564584124654"
        );
        assert!(
            Decimal::parse("1.7976931348623157e308")
                .unwrap()
                .exceeds(200)
        );
        assert!(!Decimal::parse("1e-05").unwrap().exceeds(1));
        assert_eq!(scaled("1e-05", 6), Some(10));
        // The digits of 2^-1074 = 5^1074 / 10^1074, written in full.
        let mut digits = "1".to_owned();
        for _ in 0..1074 {
            digits = times_five(&digits);
        }
        let in_full = format!("0.{digits:0>1074}");
        assert_eq!(Decimal::parse(&in_full).unwrap().decimals(), 1074);
        assert!(in_full.ends_with("265625"), "{in_full}");
    }

    /// Multiplies a decimal number by five, digit by digit as on paper.
    fn times_five(digits: &str) -> String {
        let mut carry = 0;
        let mut product: Vec<u8> = Vec::new();
        for digit in digits.bytes().rev() {
            let value = 5 * (digit - b'0') + carry;
            product.push(b'0' + value % 10);
            carry = value / 10;
        }
        if carry > 0 {
            product.push(b'0' + carry);
        }
        product.reverse();
        String::from_utf8(product).unwrap()
    }

    #[test]
    fn what_is_not_a_number_says_why() {
        for text in [
            "", ".", "-", "abc", "1.2.3", "1,5", "1e", "1e+", "0x10", "nan", "inf", "1 2", "e5",
            "--1", "1e--5", "1e1.5", "+",
        ] {
            assert_eq!(
                Decimal::parse(text).err(),
                Some(DecimalError::NotANumber),
                "{text}"
            );
        }
        for text in ["-0.1", "-1e-999999999999999999999999"] {
            assert_eq!(Decimal::parse(text).err(), Some(DecimalError::Negative));
        }
        let long = format!("0.{}1", "0".repeat(1074));
        for text in [
            "1e-1075",
            "1e-2147483648",
            "1e-99999999999999999999",
            long.as_str(),
        ] {
            assert_eq!(
                Decimal::parse(text).err(),
                Some(DecimalError::TooLong),
                "{text}"
            );
        }
        assert_eq!(Decimal::parse("1e-1074").unwrap().decimals(), 1074);
    }

    #[test]
    fn limits_are_exclusive_of_themselves() {
        let exceeds = |text: &str| Decimal::parse(text).expect(text).exceeds(200);
        for within in [
            "200.000",
            "2e2",
            "20000e-2",
            "199.99999999999999999999",
            "0.2e3",
            "9",
        ] {
            assert!(!exceeds(within), "{within}");
        }
        for beyond in [
            "200.0000000000000000000000001",
            "201",
            "2.0000000001e2",
            "2e3",
            "1e999999999999999999999",
            "99999999999",
            "9999999999",
        ] {
            assert!(exceeds(beyond), "{beyond}");
        }
    }

    #[test]
    fn a_number_too_large_for_its_units_is_none() {
        assert_eq!(scaled("1e30", 0), None);
        assert_eq!(scaled("12345678901234567890", 0), None);
        assert_eq!(scaled("0.1234567890123456789", 19), None);
    }

    #[test]
    fn scaled_values_print_without_noise() {
        let text = |units, decimals| Scaled { units, decimals }.to_string();
        assert_eq!(text(120_000_000_000_000, 12), "120");
        assert_eq!(text(-1_500, 3), "-1.5");
        assert_eq!(text(-1, 12), "-0.000000000001");
        assert_eq!(text(7, 0), "7");
        assert_eq!(text(0, 12), "0");
        let wide = Scaled {
            units: -Long::of(25) * Long::power_of_ten(40),
            decimals: 42,
        };
        assert_eq!(wide.to_string(), "-0.25");
        assert_eq!(wide.approximate(), -0.25);
    }
}
