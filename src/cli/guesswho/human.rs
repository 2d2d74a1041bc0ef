//! A person at the keyboard as a player.

use crate::console::keyboard::{KEYS, Typed, ask, in_lines, width_of_stderr};
use crate::console::note;
use turnwise_guesswho::board::Question;
use turnwise_guesswho::player::{Seat, Strategy, StrategyError, View};

/// Asks for guesses on standard error and reads them from standard input, so that standard output
/// stays the game's log.
#[derive(Default)]
pub struct Human {
    /// Its own person in this game.
    own: u32,
}

/// Candidates and questions that are listed before the rest is only counted.
const MOST_LISTED: usize = 40;

const PROMPT: &str = "Your guess (? helps): ";

const HELP: &str = "\
Find the other player's person before yours is found. A guess is one of
  ATTRIBUTE VALUE    does the person have this value, as in: hat red
  NAME               is it this person, which wins if it is right, as in: P3
Answers about your own person are given for you.";

const NO_UNDO: &str = "A guess cannot be taken back: you know its answer.";

impl Strategy for Human {
    fn begin(&mut self, own: u32) {
        self.own = own;
    }

    fn choices(&mut self, view: &View<'_>) -> Result<Vec<Question>, StrategyError> {
        self.show(view);
        let mut input = std::io::stdin().lock();
        loop {
            let typed = ask(PROMPT, &mut input, &mut std::io::stderr())
                .map_err(|error| StrategyError::NoGuess(error.to_string()))?;
            let line = match typed {
                Typed::Help => {
                    note!("{HELP}\n{KEYS}\n");
                    self.show(view);
                    continue;
                }
                Typed::Undo => {
                    note!("{NO_UNDO}");
                    continue;
                }
                Typed::Leave => return Err(StrategyError::Left),
                Typed::Answer(line) => line,
            };
            match read(view, &line) {
                Ok(question) => {
                    if redundant(view, question) {
                        note!("(This guess cannot tell you anything new.)");
                    }
                    return Ok(vec![question]);
                }
                Err(message) => note!("{message}"),
            }
        }
    }
}

impl Human {
    /// What a person wants to see before a guess.
    fn show(&self, view: &View<'_>) {
        let width = width_of_stderr();
        let persons = &view.board.configuration().persons;
        let seat = match view.seat {
            Seat::First => 1,
            Seat::Second => 2,
        };
        note!(
            "\nYou are player {seat}, your person is {}: one of {} for the other player.",
            persons[self.own as usize].name,
            view.theirs.len()
        );
        let names = view.mine.iter();
        let names = names.map(|&person| persons[person as usize].name.clone());
        let heading = match view.mine.len() {
            1 => "1 candidate:".to_owned(),
            several => format!("{several} candidates:"),
        };
        note!("{}", listed(&heading, names, view.mine.len(), width));
        let splits = view.board.splits(view.mine);
        if !splits.is_empty() {
            let count = splits.len();
            let questions = splits.into_iter().map(|(question, yes)| {
                let (attribute, value) = view.board.names(question);
                format!("{} {value} ({yes})", attribute.unwrap_or_default())
            });
            let heading = "Worth asking, with how many have it:";
            note!("{}", listed(heading, questions, count, width));
        }
        if view.opponent_finished {
            note!("Your opponent has found your person: only a right name still ties.");
        }
    }
}

/// The first of so many items in lines of this width, and how many more there are.
fn listed(
    heading: &str,
    items: impl Iterator<Item = String>,
    count: usize,
    width: usize,
) -> String {
    let more = count.saturating_sub(MOST_LISTED);
    let more = (more > 0).then(|| format!("and {more} more"));
    in_lines(heading, items.take(MOST_LISTED).chain(more), width)
}

/// One word is a person's name, two are an attribute and a value. As in the log, `Person` and
/// `Attribute` may stand before them, which also tells a person called q from the key.
fn read(view: &View<'_>, line: &str) -> Result<Question, String> {
    let configuration = view.board.configuration();
    let words: Vec<&str> = line.split_whitespace().collect();
    let declares = |name: &str| {
        configuration
            .attributes
            .iter()
            .any(|known| known.name == name)
    };
    match words.as_slice() {
        ["Person", name] if !declares("Person") => person(view, name),
        ["Attribute", attribute, value] => attribute_value(view, attribute, value),
        [name] => person(view, name),
        [attribute, value] => attribute_value(view, attribute, value),
        words => Err(format!(
            "Expected an attribute and a value, or a person's name, got {} words; ? helps.",
            words.len()
        )),
    }
}

fn person(view: &View<'_>, name: &str) -> Result<Question, String> {
    match view.board.configuration().person(name) {
        Some(person) => Ok(Question::Person(person as u32)),
        None => Err(format!("There is no person {name}.")),
    }
}

fn attribute_value(view: &View<'_>, attribute: &str, value: &str) -> Result<Question, String> {
    let configuration = view.board.configuration();
    if let Some((attribute, value)) = configuration.pair(attribute, value) {
        return Ok(Question::Attribute {
            attribute: attribute as u32,
            value: value as u32,
        });
    }
    let mut attributes = configuration.attributes.iter();
    Err(match attributes.find(|known| known.name == attribute) {
        Some(known) => format!("{attribute} can be {}.", known.values.join(", ")),
        None => {
            let known = configuration.attributes.iter();
            let known: Vec<&str> = known.map(|known| known.name.as_str()).collect();
            let known = known.join(", ");
            format!("There is no attribute {attribute}: there are {known}.")
        }
    })
}

/// Whether the answer is known already.
fn redundant(view: &View<'_>, question: Question) -> bool {
    let yes = view.board.remaining(view.mine, question, true).len();
    yes == 0 || (yes == view.mine.len() && !matches!(question, Question::Person(_)))
}
