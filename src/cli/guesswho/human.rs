//! A person at the keyboard as a player.

use std::io::BufRead;

use crate::games::guesswho::board::Question;
use crate::games::guesswho::player::{Strategy, StrategyError, View};

/// Asks for guesses on standard error and reads them from standard input, so that standard output
/// stays the game's log.
pub struct Human;

/// Candidates and values that are listed before the rest is only counted.
const MOST_LISTED: usize = 40;

impl Strategy for Human {
    fn choices(&mut self, view: &View<'_>) -> Result<Vec<Question>, StrategyError> {
        show(view);
        let mut input = std::io::stdin().lock();
        loop {
            eprint!("Your guess (ATTRIBUTE VALUE, or a person's NAME): ");
            let mut line = String::new();
            match input.read_line(&mut line) {
                Ok(0) => return Err(StrategyError("the input ended before the game".into())),
                Ok(_) => {}
                Err(error) => return Err(StrategyError(format!("cannot read the guess: {error}"))),
            }
            match read(view, &line) {
                Ok(question) => {
                    if redundant(view, question) {
                        eprintln!("(This guess cannot tell you anything new.)");
                    }
                    return Ok(vec![question]);
                }
                Err(message) => eprintln!("{message}"),
            }
        }
    }
}

fn show(view: &View<'_>) {
    let configuration = view.board.configuration();
    let names: Vec<&str> = view
        .mine
        .iter()
        .take(MOST_LISTED)
        .map(|&person| configuration.persons[person as usize].name.as_str())
        .collect();
    let more = view.mine.len() - names.len();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    eprintln!(
        "\n{} candidate(s): {}{more}",
        view.mine.len(),
        names.join(" ")
    );
    let mut line = String::new();
    for (question, yes) in view.board.splits(view.mine).into_iter().take(MOST_LISTED) {
        if let (Some(attribute), value) = view.board.names(question) {
            line.push_str(&format!("  {attribute} {value} ({yes})"));
        }
    }
    if !line.is_empty() {
        eprintln!("Worth asking, with how many have it:{line}");
    }
    if view.opponent_finished {
        eprintln!("Your opponent has found your person: only a right name still ties.");
    }
}

/// One word is a person's name, two are an attribute and a value.
fn read(view: &View<'_>, line: &str) -> Result<Question, String> {
    let configuration = view.board.configuration();
    match line.split_whitespace().collect::<Vec<_>>().as_slice() {
        [name] => match configuration.person(name) {
            Some(person) => Ok(Question::Person(person as u32)),
            None => Err(format!("There is no person {name}.")),
        },
        [attribute, value] => match configuration.pair(attribute, value) {
            Some((attribute, value)) => Ok(Question::Attribute {
                attribute: attribute as u32,
                value: value as u32,
            }),
            None => match configuration
                .attributes
                .iter()
                .find(|known| known.name == *attribute)
            {
                Some(known) => Err(format!("{attribute} can be {}.", known.values.join(", "))),
                None => {
                    let known: Vec<&str> = configuration
                        .attributes
                        .iter()
                        .map(|known| known.name.as_str())
                        .collect();
                    Err(format!(
                        "There is no attribute {attribute}: there are {}.",
                        known.join(", ")
                    ))
                }
            },
        },
        words => Err(format!("Expected one or two words, got {}.", words.len())),
    }
}

/// Whether the answer is known already.
fn redundant(view: &View<'_>, question: Question) -> bool {
    let yes = view.board.remaining(view.mine, question, true).len();
    yes == 0 || (yes == view.mine.len() && !matches!(question, Question::Person(_)))
}
