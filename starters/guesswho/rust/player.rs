//! A player of Guess Who that looks one question ahead. It reads and writes plain lines on standard input and output.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, BufRead, Write};

struct Person {
    name: String,
    /// The values of each attribute.
    values: HashMap<String, String>,
}

#[derive(Default)]
struct Board {
    attributes: Vec<String>,
    persons: Vec<Person>,
}

fn read_board(path: &str) -> io::Result<Board> {
    let mut board = Board::default();
    let (mut is_new_block, mut are_persons) = (true, false);
    for line in fs::read_to_string(path)?.lines() {
        let mut words = line.split_whitespace().map(str::to_owned);
        match (words.next(), words.next()) {
            (None, _) => {
                are_persons |= !board.attributes.is_empty();
                is_new_block = true;
            }
            (Some(attribute), _) if !are_persons => board.attributes.push(attribute),
            (Some(name), _) if is_new_block => {
                board.persons.push(Person { name, values: HashMap::new() });
                is_new_block = false;
            }
            (Some(attribute), value) => {
                let value = value.expect("an attribute has a value");
                let person = board.persons.last_mut().expect("a person has begun");
                person.values.insert(attribute, value);
            }
        }
    }
    Ok(board)
}

/// Returns the true answer to a guess about this person, `Attribute hat red` or `Person P5`.
fn answer(guess: &[&str], person: &Person) -> bool {
    match guess {
        ["Attribute", attribute, value] => person.values.get(*attribute).is_some_and(|own| own == value),
        ["Person", name] => person.name == *name,
        _ => false,
    }
}

/// Returns the possible guesses: each value that a candidate has, then each candidate.
fn guesses<'a>(board: &'a Board, candidates: &[&'a Person]) -> Vec<Vec<&'a str>> {
    let mut all = Vec::new();
    for attribute in &board.attributes {
        let mut known = HashSet::new();
        for value in candidates.iter().map(|person| &person.values[attribute]) {
            if known.insert(value) {
                all.push(vec!["Attribute", attribute.as_str(), value.as_str()]);
            }
        }
    }
    all.extend(candidates.iter().map(|person| vec!["Person", person.name.as_str()]));
    all
}

// ------------------------------------------------------------------ what to change first

/// Returns the mean number of candidates left, times their number. A right name leaves no candidate.
fn candidates_left(candidates: &[&Person], guess: &[&str]) -> usize {
    let yes = candidates.iter().filter(|person| answer(guess, person)).count();
    let no = candidates.len() - yes;
    if guess[0] == "Person" { no * no } else { yes * yes + no * no }
}

/// Chooses the guess that leaves the fewest candidates, or a name if only a right name can still tie.
fn choose_guess<'a>(board: &'a Board, candidates: &[&'a Person], is_last_chance: bool) -> Vec<&'a str> {
    if is_last_chance {
        return vec!["Person", &candidates[0].name];
    }
    let all = guesses(board, candidates).into_iter();
    all.min_by_key(|guess| candidates_left(candidates, guess)).expect("a candidate is left")
}

// ----------------------------------------------------------------------------------------

fn say(line: &str) -> io::Result<()> {
    println!("{line}");
    // Without a flush, the line may wait in a buffer while the clock runs.
    io::stdout().flush()
}

fn main() -> io::Result<()> {
    let mut board = Board::default();
    // Indices into the list of persons.
    let (mut own, mut candidates) = (0, Vec::new());
    let mut is_last_chance = false;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["load", ..] => {
                board = read_board(line.trim()["load".len()..].trim())?;
                say(&format!("loaded {}", board.persons.len()))?;
            }
            ["chosen", name] => {
                let place = board.persons.iter().position(|person| person.name == *name);
                own = place.expect("the person is on the board");
                candidates = (0..board.persons.len()).collect();
                is_last_chance = false;
                say("ok")?;
            }
            ["guess?"] => {
                let left: Vec<&Person> = candidates.iter().map(|&place: &usize| &board.persons[place]).collect();
                say(&format!("guess {}", choose_guess(&board, &left, is_last_chance).join(" ")))?;
            }
            ["answer?", guess @ ..] => {
                let truth = answer(guess, &board.persons[own]);
                is_last_chance = truth && guess[0] == "Person";
                say(&format!("answer {truth}"))?;
            }
            ["result", guess @ .., truth] => {
                let truth = *truth == "true";
                candidates.retain(|&place| answer(guess, &board.persons[place]) == truth);
                say(&format!("finished {}", truth && guess[0] == "Person"))?;
            }
            ["quit"] => break,
            [request, ..] => say(&format!("error unknown request {request}"))?,
        }
    }
    Ok(())
}
