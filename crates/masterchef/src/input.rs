//! The assignment's input file: a count, an algorithm, and one contestant a line.
//!
//! Beyond the text: CRLF line ends, blank lines, blanks around fields and a byte order mark are accepted;
//! IDs may have any length up to 32 bits, and the last digit is the ID modulo ten; numbers may have any
//! spelling of a decimal number that a 64-bit double can be printed as.

use std::collections::HashMap;

use super::decimal::{Decimal, DecimalError};
use super::literal::Algorithm;
use super::rules::{Captain, Contestant, Draft, TEAM_SIZE};
use super::units::{Long, Longest, Units};

/// An input file, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The algorithm named on the second line.
    pub algorithm: Algorithm,
    /// The pool, with A to move.
    pub pool: Pool,
}

/// A pool in the narrowest units in which its powers are exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pool {
    /// At most 15 decimals of capacity and happiness together, as in the assignment's files.
    Usual(Draft),
    /// At most 72: doubles in 17 digits.
    Long(Draft<Long>),
    /// Any two doubles.
    Longest(Box<Draft<Longest>>),
}

/// Contestants with long numbers may take so many bytes, lest a hostile file take all memory.
const LARGEST_LONG_POOL: usize = 256 << 20;

/// What is wrong with an input file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct InputError {
    /// Line number, from 1.
    pub line: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// The ways in which an input file can be malformed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Bytes that are not UTF-8.
    #[error("not text; save the file as plain text (UTF-8)")]
    NotText,
    /// Nothing but blank lines.
    #[error(
        "the file is empty; expected the number of contestants, the algorithm, then the contestants"
    )]
    Empty,
    /// The first line is not a number.
    #[error("expected the number of contestants, found {0}")]
    BadCount(String),
    /// There is no second line.
    #[error("the file ends before its second line; expected the algorithm, `minimax` or `ab`")]
    NoAlgorithm,
    /// The second line names no known algorithm.
    #[error("unknown algorithm {0}; expected `minimax` or `ab`")]
    UnknownAlgorithm(String),
    /// Not as many contestants as the first line says.
    #[error("the first line announces {announced} contestants, but {found} follow")]
    CountMismatch {
        /// The number on the first line.
        announced: String,
        /// Contestant lines in the file.
        found: usize,
    },
    /// A contestant with too few or too many fields.
    #[error(
        "expected 5 fields separated by commas (ID, capacity, happiness about A, happiness about B, pick state), found {0}"
    )]
    FieldCount(usize),
    /// An ID that is not an unsigned 32-bit integer.
    #[error("bad ID {0}; expected an integer from 0 to 4294967295 such as 64504")]
    BadId(String),
    /// A field that is not a decimal number.
    #[error("bad {field} {found}: {reason}")]
    BadNumber {
        /// Which field.
        field: &'static str,
        /// What stands there.
        found: String,
        /// What is wrong with it.
        reason: DecimalError,
    },
    /// A number beyond its range.
    #[error("{field} {found} is out of range; expected 0 to {limit}")]
    OutOfRange {
        /// Which field.
        field: &'static str,
        /// What stands there.
        found: String,
        /// The greatest number allowed.
        limit: u32,
    },
    /// A pick state other than 0, 1 and 2.
    #[error("bad pick state {0}; expected 0 (free), 1 (picked by you) or 2 (picked by Bob)")]
    BadState(String),
    /// An ID that an earlier line has.
    #[error("ID {id} occurs twice; it is also on line {first}")]
    DuplicateId {
        /// The ID.
        id: u32,
        /// The line of the other one.
        first: usize,
    },
    /// Exact powers of all contestants would take too much memory.
    #[error(
        "{contestants} contestants are too many for exact powers of {decimals} decimals; expected at most {most} of them, or shorter numbers"
    )]
    TooLarge {
        /// Contestants in the file.
        contestants: usize,
        /// The most decimals of a capacity and of a happiness together.
        decimals: u32,
        /// How many contestants with such numbers are accepted.
        most: usize,
    },
    /// Fewer contestants than two teams need.
    #[error("only {0} contestants; two teams of 5 need at least 10")]
    TooFew(usize),
    /// More than five picked by one captain.
    #[error("this is pick number {count} of {}; a team has 5 members", captain_name(*.captain))]
    TeamTooLarge {
        /// Whose team.
        captain: Captain,
        /// Its members up to this line.
        count: usize,
    },
    /// The captains cannot have picked in turn up to a pick of A's.
    #[error("{a} contestants are picked by you and {b} by Bob{}; before your pick both must have the same number", odd_note(*.a + *.b))]
    UnequalTeams {
        /// Members of A's team.
        a: usize,
        /// Members of Bob's.
        b: usize,
    },
    /// Both teams are complete.
    #[error("both teams are complete; there is nobody left to pick")]
    NothingToPick,
}

fn captain_name(captain: Captain) -> &'static str {
    match captain {
        Captain::A => "yours",
        Captain::B => "Bob's",
    }
}

fn odd_note(picked: usize) -> String {
    if picked % 2 == 1 {
        format!(", an odd number ({picked}) in all")
    } else {
        String::new()
    }
}

/// A contestant line, before its numbers share a scale.
struct Row<'a> {
    line: usize,
    id: u32,
    capacity: Decimal<'a>,
    happiness: [Decimal<'a>; 2],
    owner: Option<Captain>,
}

/// Reads an input file.
///
/// # Errors
///
/// The first fault found, with its line.
pub fn parse(bytes: &[u8]) -> Result<Input, InputError> {
    let at = |line, fault| InputError { line, fault };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        at(
            1 + good.iter().filter(|&&byte| byte == b'\n').count(),
            Fault::NotText,
        )
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = text
        .lines()
        .enumerate()
        .map(|(number, line)| (number + 1, line.trim()));
    let mut lines = numbered.filter(|(_, line)| !line.is_empty());

    let (count_line, announced) = lines.next().ok_or(at(1, Fault::Empty))?;
    if !announced.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(at(count_line, Fault::BadCount(excerpt(announced))));
    }
    let (algorithm_line, name) = lines.next().ok_or(at(count_line + 1, Fault::NoAlgorithm))?;
    let algorithm = Algorithm::ALL
        .into_iter()
        .find(|algorithm| algorithm.name() == name)
        .ok_or_else(|| at(algorithm_line, Fault::UnknownAlgorithm(excerpt(name))))?;

    let rows: Vec<Row<'_>> = lines
        .map(|(line, text)| row(line, text).map_err(|fault| at(line, fault)))
        .collect::<Result<_, _>>()?;
    if announced.trim_start_matches('0') != rows.len().to_string().trim_start_matches('0') {
        let fault = Fault::CountMismatch {
            announced: shortened(announced),
            found: rows.len(),
        };
        return Err(at(count_line, fault));
    }
    check_ids(&rows)?;
    if rows.len() < 2 * TEAM_SIZE {
        return Err(at(count_line, Fault::TooFew(rows.len())));
    }
    check_teams(&rows)?;
    let pool = scale(&rows).map_err(|fault| at(count_line, fault))?;
    Ok(Input { algorithm, pool })
}

fn row(line: usize, text: &str) -> Result<Row<'_>, Fault> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let &[id, capacity, happy_a, happy_b, state] = fields.as_slice() else {
        return Err(Fault::FieldCount(fields.len()));
    };
    let all_digits = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let id = id
        .parse()
        .ok()
        .filter(|_| all_digits)
        .ok_or_else(|| Fault::BadId(excerpt(id)))?;
    let owner = match state {
        "0" => None,
        "1" => Some(Captain::A),
        "2" => Some(Captain::B),
        _ => return Err(Fault::BadState(excerpt(state))),
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

fn number<'a>(field: &'static str, text: &'a str, limit: u32) -> Result<Decimal<'a>, Fault> {
    match Decimal::parse(text) {
        Ok(number) if !number.exceeds(limit) => Ok(number),
        Ok(_) | Err(DecimalError::Negative) => Err(Fault::OutOfRange {
            field,
            found: excerpt(text),
            limit,
        }),
        Err(reason) => Err(Fault::BadNumber {
            field,
            found: excerpt(text),
            reason,
        }),
    }
}

fn check_ids(rows: &[Row<'_>]) -> Result<(), InputError> {
    let mut lines = HashMap::new();
    for row in rows {
        if let Some(first) = lines.insert(row.id, row.line) {
            return Err(InputError {
                line: row.line,
                fault: Fault::DuplicateId { id: row.id, first },
            });
        }
    }
    Ok(())
}

fn check_teams(rows: &[Row<'_>]) -> Result<(), InputError> {
    let mut picked = [0; 2];
    let mut last_picked = 1;
    for row in rows {
        let Some(captain) = row.owner else { continue };
        let count = &mut picked[captain.index()];
        *count += 1;
        last_picked = row.line;
        if *count > TEAM_SIZE {
            return Err(InputError {
                line: row.line,
                fault: Fault::TeamTooLarge {
                    captain,
                    count: *count,
                },
            });
        }
    }
    let fault = match picked {
        [TEAM_SIZE, TEAM_SIZE] => Fault::NothingToPick,
        [a, b] if a != b => Fault::UnequalTeams { a, b },
        _ => return Ok(()),
    };
    Err(InputError {
        line: last_picked,
        fault,
    })
}

/// Brings all capacities and all happiness to common scales, so that every power is an integer.
fn scale(rows: &[Row<'_>]) -> Result<Pool, Fault> {
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
        check_size::<Long>(rows.len(), decimals)?;
        Ok(Pool::Long(draft(rows, decimals)))
    } else {
        check_size::<Longest>(rows.len(), decimals)?;
        Ok(Pool::Longest(Box::new(draft(rows, decimals))))
    }
}

fn check_size<U: Units>(contestants: usize, decimals: [u32; 2]) -> Result<(), Fault> {
    let most = LARGEST_LONG_POOL / size_of::<Contestant<U>>();
    if contestants <= most {
        return Ok(());
    }
    Err(Fault::TooLarge {
        contestants,
        decimals: decimals[0] + decimals[1],
        most,
    })
}

/// The pool with capacities in units of `10^-decimals[0]` and happiness in units of `10^-decimals[1]`.
fn draft<U: Units>(rows: &[Row<'_>], [capacity, happiness]: [u32; 2]) -> Draft<U> {
    // At most 200 × 10^MAX_DECIMALS: the range checks and the choice of units see to it.
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

/// A text quoted for an error message, cut short if it is long.
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
