//! Reads the assignment's input file: a count, an algorithm, and one contestant per line.
//!
//! Beyond the assignment, this parser also accepts CRLF line ends, blank lines, blanks around fields and a byte order
//! mark. An ID may be any number of up to 32 bits, and its last digit is the ID modulo ten. Other numbers may have any
//! decimal form in which programs print 64-bit doubles.

use std::collections::HashMap;

use super::decimal::{Decimal, DecimalError};
use super::literal::Algorithm;
use super::pools::Attributes;
use super::rules::{Captain, Contestant, Draft, TEAM_SIZE};
use super::units::{Long, Longest, Units};

/// The content of an input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The algorithm named on the second line.
    pub algorithm: Algorithm,
    /// The draft, in which A must make the next pick.
    pub pool: Pool,
}

/// A draft, stored with the narrowest integer type that represents its powers exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pool {
    /// Capacity and happiness have at most 15 decimals together, as in the assignment.
    Usual(Draft),
    /// Capacity and happiness have at most 72 decimals together. This is enough for doubles of 17 digits that are not
    /// tiny.
    Long(Draft<Long>),
    /// Capacity and happiness are any doubles, however many decimals these have.
    Longest(Box<Draft<Longest>>),
}

/// The maximum memory, in bytes, that the contestants of a pool with long numbers may take.
const LARGEST_LONG_POOL: usize = 256 << 20;

/// An error in an input file, with the number of the line that contains it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct InputError {
    /// The line number, starting at 1.
    pub line: usize,
    what: String,
}

fn at(line: usize, what: impl Into<String>) -> InputError {
    let what = what.into();
    InputError { line, what }
}

/// The content of a contestant's line, before the numbers of all lines get a common scale.
struct Row<'a> {
    line: usize,
    id: u32,
    capacity: Decimal<'a>,
    happiness: [Decimal<'a>; 2],
    owner: Option<Captain>,
}

/// Parses an input file. Returns the first error in it, if any.
pub fn parse(bytes: &[u8]) -> Result<Input, InputError> {
    let File {
        count_line,
        algorithm,
        rows,
    } = file(bytes)?;
    check_teams(&rows, ToPick::A)?;
    let pool = scale(&rows).map_err(|what| at(count_line, what))?;
    Ok(Input { algorithm, pool })
}

/// Reads the contestants of an input file that describes a match's draft, and each contestant's owner.
///
/// It may be Bob's turn, in which case A has made one more pick than Bob. Numbers may have at most six decimals.
pub fn parse_attributes(bytes: &[u8]) -> Result<Vec<(Attributes, Option<Captain>)>, InputError> {
    let rows = file(bytes)?.rows;
    check_teams(&rows, ToPick::Either)?;
    let attributes = rows.iter().map(|row| {
        let millionths = |number: Decimal<'_>| {
            let what = "expected at most six decimals of each number";
            number.scaled(6).ok_or_else(|| at(row.line, what))
        };
        let [a, b] = row.happiness;
        let attributes = Attributes {
            id: row.id,
            capacity: millionths(row.capacity)?,
            happiness: [millionths(a)?, millionths(b)?],
        };
        Ok((attributes, row.owner))
    });
    attributes.collect()
}

/// The content of a file whose lines are each correct on their own; together they may still be inconsistent.
struct File<'a> {
    count_line: usize,
    algorithm: Algorithm,
    rows: Vec<Row<'a>>,
}

/// The captain that must have the next pick in a file, or `Either` if both may have it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ToPick {
    A,
    Either,
}

fn file(bytes: &[u8]) -> Result<File<'_>, InputError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
        at(line, "not text; save the file as plain text (UTF-8)")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = (1..).zip(text.lines().map(str::trim));
    let mut lines = numbered.filter(|(_, line)| !line.is_empty());

    let empty = "the file is empty; expected the number of contestants, the algorithm, then the contestants";
    let (count_line, announced) = lines.next().ok_or_else(|| at(1, empty))?;
    if !announced.bytes().all(|byte| byte.is_ascii_digit()) {
        let found = excerpt(announced);
        let what = format!("expected the number of contestants, found {found}");
        return Err(at(count_line, what));
    }
    let no_algorithm =
        "the file ends before its second line; expected the algorithm, `minimax` or `ab`";
    let second = lines.next().ok_or_else(|| at(count_line + 1, no_algorithm));
    let (algorithm_line, name) = second?;
    let mut algorithms = Algorithm::ALL.into_iter();
    let algorithm = algorithms.find(|algorithm| algorithm.name() == name);
    let algorithm = algorithm.ok_or_else(|| {
        let name = excerpt(name);
        let what = format!("unknown algorithm {name}; expected `minimax` or `ab`");
        at(algorithm_line, what)
    })?;

    let rows: Vec<Row<'_>> = lines
        .map(|(line, text)| row(line, text).map_err(|what| at(line, what)))
        .collect::<Result<_, _>>()?;
    let found = rows.len();
    if announced.trim_start_matches('0') != found.to_string().trim_start_matches('0') {
        let announced = shortened(announced);
        let what = format!("the first line announces {announced} contestants, but {found} follow");
        return Err(at(count_line, what));
    }
    check_ids(&rows)?;
    if found < 2 * TEAM_SIZE {
        let what = format!("only {found} contestants; two teams of 5 need at least 10");
        return Err(at(count_line, what));
    }
    Ok(File {
        count_line,
        algorithm,
        rows,
    })
}

fn row(line: usize, text: &str) -> Result<Row<'_>, String> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let &[id, capacity, happy_a, happy_b, state] = fields.as_slice() else {
        return Err(format!(
            "expected 5 fields separated by commas (ID, capacity, happiness about A, happiness about B, pick state), found {}",
            fields.len()
        ));
    };
    let number_of = |id: &str| {
        let all_digits = id.bytes().all(|byte| byte.is_ascii_digit());
        id.parse().ok().filter(|_| all_digits)
    };
    let id = number_of(id).ok_or_else(|| {
        let id = excerpt(id);
        format!("bad ID {id}; expected an integer from 0 to 4294967295 such as 64504")
    })?;
    let owner = match state {
        "0" => None,
        "1" => Some(Captain::A),
        "2" => Some(Captain::B),
        _ => {
            let state = excerpt(state);
            return Err(format!(
                "bad pick state {state}; expected 0 (free), 1 (picked by you) or 2 (picked by Bob)"
            ));
        }
    };
    Ok(Row {
        line,
        id,
        capacity: number("capacity", capacity, 200)?,
        happiness: [
            number("happiness about A", happy_a, 1)?,
            number("happiness about B", happy_b, 1)?,
        ],
        owner,
    })
}

fn number<'a>(field: &str, text: &'a str, limit: u32) -> Result<Decimal<'a>, String> {
    let found = || excerpt(text);
    match Decimal::parse(text) {
        Ok(number) if !number.exceeds(limit) => Ok(number),
        Ok(_) | Err(DecimalError::Negative) => Err(format!(
            "{field} {} is out of range; expected 0 to {limit}",
            found()
        )),
        Err(reason) => Err(format!("bad {field} {}: {reason}", found())),
    }
}

fn check_ids(rows: &[Row<'_>]) -> Result<(), InputError> {
    let mut lines = HashMap::new();
    for row in rows {
        if let Some(first) = lines.insert(row.id, row.line) {
            let what = format!("ID {} occurs twice; it is also on line {first}", row.id);
            return Err(at(row.line, what));
        }
    }
    Ok(())
}

fn check_teams(rows: &[Row<'_>], to_pick: ToPick) -> Result<(), InputError> {
    let mut picked = [0; 2];
    let mut last_picked = 1;
    for row in rows {
        let Some(captain) = row.owner else { continue };
        let count = &mut picked[captain.index()];
        *count += 1;
        last_picked = row.line;
        if *count > TEAM_SIZE {
            let whose = ["yours", "Bob's"][captain.index()];
            let what = format!("this is pick number {count} of {whose}; a team has 5 members");
            return Err(at(row.line, what));
        }
    }
    let what = match picked {
        [TEAM_SIZE, TEAM_SIZE] => {
            "both teams are complete; there is nobody left to pick".to_owned()
        }
        [a, b] if a == b + 1 && to_pick == ToPick::Either => return Ok(()),
        [a, b] if a != b => {
            let odd = match (a + b) % 2 {
                0 => String::new(),
                _ => format!(", an odd number ({}) in all", a + b),
            };
            format!(
                "{a} contestants are picked by you and {b} by Bob{odd}; before your pick both must have the same number"
            )
        }
        _ => return Ok(()),
    };
    Err(at(last_picked, what))
}

/// Creates the draft of a pool, in units small enough that every power is an integer.
fn scale(rows: &[Row<'_>]) -> Result<Pool, String> {
    let capacity = rows.iter().map(|row| row.capacity.decimals());
    let happiness = rows.iter().flat_map(|row| row.happiness);
    let decimals = [
        capacity.max().unwrap_or(0),
        happiness.map(Decimal::decimals).max().unwrap_or(0),
    ];
    let together = decimals[0] + decimals[1];
    if together <= <i64 as Units>::MAX_DECIMALS {
        Ok(Pool::Usual(draft(rows, decimals)))
    } else if together <= <Long as Units>::MAX_DECIMALS {
        long_draft(rows, decimals).map(Pool::Long)
    } else {
        let draft: Draft<Longest> = long_draft(rows, decimals)?;
        Ok(Pool::Longest(Box::new(draft)))
    }
}

/// Creates the draft, or returns an error if the contestants would take too much memory in these units.
///
/// Capacities are in units of `10^-decimals[0]`, happiness in units of `10^-decimals[1]`.
fn long_draft<U: Units>(rows: &[Row<'_>], decimals: [u32; 2]) -> Result<Draft<U>, String> {
    let contestants = rows.len();
    let most = LARGEST_LONG_POOL / size_of::<Contestant<U>>();
    match contestants <= most {
        true => Ok(draft(rows, decimals)),
        false => Err(format!(
            "{contestants} contestants are too many for exact powers of {} decimals; expected at most {most} of them, or shorter numbers",
            decimals[0] + decimals[1]
        )),
    }
}

/// Creates the draft like [`long_draft`], but without a limit on the number of contestants.
fn draft<U: Units>(rows: &[Row<'_>], [capacity, happiness]: [u32; 2]) -> Draft<U> {
    // The product is at most 200 × 10^MAX_DECIMALS, as the range checks and the choice of units ensure.
    let gain = |row: &Row<'_>, happy: Decimal<'_>| {
        let factors = row.capacity.scaled(capacity).zip(happy.scaled(happiness));
        let (capacity, happy): (U, U) = factors.expect("checked ranges fit the units");
        capacity * happy
    };
    let pool = rows.iter().map(|row| {
        let gain = row.happiness.map(|happy| gain(row, happy));
        (Contestant { id: row.id, gain }, row.owner)
    });
    Draft::new(pool.collect(), capacity + happiness)
}

/// Quotes a text for an error message, and shortens it if it is long.
fn excerpt(text: &str) -> String {
    format!("{:?}", shortened(text))
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
