//! A player of Guess Who whose guesses are entered by a person at the keyboard.

use crate::console::keyboard::{KEYS, Wish, ask_until, in_lines, width_of_stderr};
use crate::console::note;
use turnwise_engine::words::printable_lines;
use turnwise_guesswho::board::Question;
use turnwise_guesswho::player::{PlayerError, Strategy, View};

/// A player that asks a person at the keyboard. Prompts are written to stderr, so that stdout contains only the log.
#[derive(Default)]
pub struct Human {
    /// The index of this player's person, which the opponent has to find.
    own: u32,
}

/// The maximum number of candidates or questions that are listed; the others are only counted.
const MOST_LISTED: usize = 40;

const HELP: &str = "\
Find the other player's person before yours is found. A guess is one of
  ATTRIBUTE VALUE    does the person have this value? For example: hat red
  NAME               is it this person? Wins if right. For example: P3
Questions about your own person are answered for you.";

const NO_UNDO: &str = "A guess cannot be taken back: you know its answer.";

impl Strategy for Human {
    fn begin(&mut self, own: u32) {
        self.own = own;
    }

    fn choices(&mut self, view: &View<'_>) -> Result<Vec<Question>, PlayerError> {
        note!("{}", printable_lines(&self.what_is_known(view)));
        let wish = ask_until(
            "Your guess (? for help): ",
            &mut std::io::stdin().lock(),
            &mut std::io::stderr(),
            || format!("{HELP}\n{KEYS}\n\n{}", self.what_is_known(view)),
            Some(NO_UNDO),
            |line| read(view, line),
        );
        match wish.map_err(|error| PlayerError::NoGuess(error.to_string()))? {
            Wish::Move(question) => {
                if is_redundant(view, question) {
                    note!("(This guess cannot tell you anything new.)");
                }
                Ok(vec![question])
            }
            Wish::Undo | Wish::Leave => Err(PlayerError::Left),
        }
    }
}

impl Human {
    /// Returns a text with the information that the player has before a guess: the remaining candidates and the useful
    /// questions.
    fn what_is_known(&self, view: &View<'_>) -> String {
        let width = width_of_stderr();
        let persons = &view.board.configuration().persons;
        let mut known = format!(
            "\nYou are player {}, your person is {}: one of {} for the other player.\n",
            view.seat.number(),
            persons[self.own as usize].name,
            view.theirs.len()
        );
        let names = view.mine.iter();
        let names = names.map(|&person| persons[person as usize].name.clone());
        let heading = match view.mine.len() {
            1 => "1 candidate:".to_owned(),
            several => format!("{several} candidates:"),
        };
        known += &listed(&heading, names.collect(), width);
        let splits = view.board.splits(view.mine);
        if !splits.is_empty() {
            let questions = splits.into_iter().map(|(question, yes)| {
                let (attribute, value) = view.board.names(question);
                format!("{} {value} ({yes})", attribute.unwrap_or_default())
            });
            let heading = "Worth asking, with how many have it:";
            known += "\n";
            known += &listed(heading, questions.collect(), width);
        }
        if view.opponent_finished {
            known += "\nYour opponent has found your person: only the right name still ties.";
        }
        known
    }
}

/// Returns a text that lists the first items in lines of at most `width` columns, and states how many further items
/// exist.
fn listed(heading: &str, items: Vec<String>, width: usize) -> String {
    let more = items.len().saturating_sub(MOST_LISTED);
    let more = (more > 0).then(|| format!("and {more} more"));
    let items = items.into_iter().take(MOST_LISTED).chain(more);
    in_lines(heading, items, width)
}

/// Parses a question from a line of input. A question is either the name of a person, or an attribute and a value.
///
/// As in the log, the question may begin with the word `Person` or `Attribute`. This makes it possible to ask for a
/// person named q, although `q` alone is the key to leave the game.
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
            "Expected an attribute and a value, or a person's name, got {} words; ? shows help.",
            words.len()
        )),
    }
}

fn person(view: &View<'_>, name: &str) -> Result<Question, String> {
    let question = view.board.about_person(name);
    question.ok_or_else(|| format!("There is no person {name}."))
}

fn attribute_value(view: &View<'_>, attribute: &str, value: &str) -> Result<Question, String> {
    let unknown = || {
        let known = &view.board.configuration().attributes;
        match known.iter().find(|known| known.name == attribute) {
            Some(known) => format!("{attribute} can be {}.", known.values.join(", ")),
            None => {
                let names: Vec<&str> = known.iter().map(|known| known.name.as_str()).collect();
                let names = names.join(", ");
                format!("There is no attribute {attribute}: there are {names}.")
            }
        }
    };
    view.board.about_value(attribute, value).ok_or_else(unknown)
}

/// Returns true if the answer to a question is already known.
fn is_redundant(view: &View<'_>, question: Question) -> bool {
    let yes = view.board.remaining(view.mine, question, true).len();
    yes == 0 || (yes == view.mine.len() && !matches!(question, Question::Person(_)))
}
