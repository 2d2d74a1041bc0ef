//! Boards for tests: the boards of the course, random boards, and ideal boards.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_guesswho::board::Board;
use turnwise_guesswho::config::{Attribute, Configuration, Person};
use turnwise_guesswho::parse::{self, Strictness};

/// The names of configurations collected from the course, sorted by size, smallest first.
pub const COURSE: [&str; 5] = [
    "official_game1_10p",
    "tonyhuang",
    "ac_game1",
    "kokaruk",
    "jm_game3",
];

/// Returns the path of the file with the course's configuration called `name`.
pub fn path(name: &str) -> String {
    format!("{}/tests/data/{name}.config", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the board with the course's configuration called `name`.
pub fn course(name: &str) -> Board {
    let text = std::fs::read_to_string(path(name)).expect("the test data is there");
    Board::new(
        parse::configuration(&text, Strictness::Lenient)
            .expect("the file is sound")
            .configuration,
    )
}

/// Returns a board with the given number of values per attribute, and the given values' indices per person.
pub fn board(values: &[usize], persons: Vec<Vec<u32>>) -> Board {
    let attributes = values
        .iter()
        .enumerate()
        .map(|(index, &count)| Attribute {
            name: format!("a{index}"),
            values: (0..count).map(|value| format!("v{value}")).collect(),
        })
        .collect();
    let persons = persons
        .into_iter()
        .enumerate()
        .map(|(index, values)| Person {
            name: format!("P{index}"),
            values,
        })
        .collect();
    Board::new(Configuration {
        attributes,
        persons,
    })
}

/// Returns the board with only its first `count` persons.
pub fn first_persons(board: &Board, count: usize) -> Board {
    let mut configuration = board.configuration().clone();
    configuration.persons.truncate(count);
    Board::new(configuration)
}

/// Generates boards of up to `most` persons, of whom some may be identical.
///
/// The boards have up to four attributes with up to four values each.
pub fn small_boards(most: usize) -> impl Strategy<Value = Board> {
    proptest::collection::vec(1..=4usize, 1..=4).prop_flat_map(move |values| {
        let person: Vec<_> = values.iter().map(|&count| 0..count as u32).collect();
        proptest::collection::vec(person, 1..=most).prop_map(move |persons| board(&values, persons))
    })
}

/// Returns a board of different persons with random values; values with lower indices are more frequent.
pub fn random_board(persons: usize, attributes: usize, values: usize, seed: u64) -> Board {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut known = std::collections::HashSet::new();
    let mut all = Vec::new();
    while all.len() < persons {
        let person: Vec<u32> = (0..attributes)
            .map(|_| {
                let (one, other) = (
                    random.random_range(0..values),
                    random.random_range(0..values),
                );
                one.min(other) as u32
            })
            .collect();
        if known.insert(person.clone()) {
            all.push(person);
        }
    }
    board(&vec![values; attributes], all)
}

/// Returns a board with a question for every division of its persons.
pub fn ideal_board(persons: u32) -> Board {
    let divisions = 1u32 << (persons - 1);
    let all = (0..persons)
        .map(|person| (0..divisions).map(|mask| (mask >> person) & 1).collect())
        .collect();
    board(&vec![2; divisions as usize], all)
}
