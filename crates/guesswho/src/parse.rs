//! Reads the course's two kinds of files: configurations, and the players' chosen persons.
//!
//! The parser first splits the text into lines of words and records each word's line and column. It then collects all
//! problems with their lines and columns, so that a teacher can correct a file in one pass.

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use super::config::{Attribute, Configuration, Person};

/// The maximum number of problems to collect before parsing stops.
const MOST_PROBLEMS: usize = 100;

/// How the parser treats violations of the format that the course's own players ignore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Undeclared values and persons with identical attributes are errors.
    Strict,
    /// Undeclared values and persons with identical attributes cause only warnings. Each undeclared value is added to
    /// its attribute.
    Lenient,
}

/// A violation of the format at one place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: {what}")]
pub struct Problem {
    /// The line number, starting at 1.
    pub line: usize,
    /// The column in which the wrong word begins, in characters, starting at 1.
    pub column: usize,
    /// True if lenient parsing treats the problem as a warning.
    pub is_doubtful: bool,
    what: String,
}

/// The problems of a rejected file, in the order in which the parser found them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", .problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ParseError {
    /// At least one and at most a hundred problems.
    pub problems: Vec<Problem>,
}

/// The result of parsing an accepted file: the configuration, and warnings about the file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The board's attributes and persons.
    pub configuration: Configuration,
    /// The violations of the format that lenient parsing accepted.
    pub warnings: Vec<Problem>,
}

#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

impl Word<'_> {
    fn problem(&self, what: String) -> Problem {
        problem_at(self.line, self.column, what)
    }
}

fn problem_at(line: usize, column: usize, what: impl Into<String>) -> Problem {
    Problem {
        line,
        column,
        is_doubtful: false,
        what: what.into(),
    }
}

/// Splits `text` into lines of words, with an empty list for each blank line.
///
/// Any white space separates words, so tabs and the carriage returns of Windows files are harmless. An invisible byte
/// order mark also separates words; inside a file, such a mark appears where two files were joined. It cannot be part
/// of a name, because a name at the start of a file would lose it.
fn lines(text: &str) -> Vec<Vec<Word<'_>>> {
    // Editors do not count a byte order mark at the start of a file as a column.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = (1..).zip(text.lines()).map(|(line, text)| {
        let mut column = 1;
        let words = text.split(is_blank).filter_map(|text| {
            let word = Word { text, line, column };
            column += text.chars().count() + 1;
            (!text.is_empty()).then_some(word)
        });
        words.collect()
    });
    lines.collect()
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

struct Checker {
    strictness: Strictness,
    problems: Vec<Problem>,
    warnings: Vec<Problem>,
    attributes: Vec<Attribute>,
    /// For each attribute's name, its index and the line that declares it.
    index: HashMap<String, (usize, usize)>,
    /// For each attribute, the index of each value by name.
    known: Vec<HashMap<String, u32>>,
}

impl Checker {
    fn refuse(&mut self, word: Word<'_>, what: String) {
        self.problems.push(word.problem(what));
    }

    /// Records a problem with a word: as an error in strict mode, as a warning in lenient mode.
    fn doubt(&mut self, word: Word<'_>, what: String) {
        let problem = Problem {
            is_doubtful: true,
            ..word.problem(what)
        };
        match self.strictness {
            Strictness::Strict => self.problems.push(problem),
            Strictness::Lenient => self.warnings.push(problem),
        }
    }

    fn attribute(&mut self, words: &[Word<'_>]) {
        let name = words[0];
        let of = name.text;
        if let Some(&(_, first)) = self.index.get(of) {
            let what = format!("attribute {of} is declared twice, first on line {first}");
            return self.refuse(name, what);
        }
        if words.len() == 1 {
            let what = format!("attribute {of} has no values: expected \"{of} VALUE VALUE ...\"");
            self.refuse(name, what);
        }
        let mut values: Vec<String> = Vec::with_capacity(words.len() - 1);
        let mut seen = HashSet::new();
        for word in &words[1..] {
            if seen.insert(word.text) {
                values.push(word.text.into());
            } else {
                let what = format!(
                    "value {} occurs twice in the declaration of {of}",
                    word.text
                );
                self.warnings.push(word.problem(what));
            }
        }
        self.index
            .insert(of.into(), (self.attributes.len(), name.line));
        self.known.push(values.iter().cloned().zip(0..).collect());
        self.attributes.push(Attribute {
            name: of.into(),
            values,
        });
    }

    /// Returns the index of a value of an attribute.
    ///
    /// If the value is undeclared, lenient mode adds it, and strict mode returns `None`.
    fn value(&mut self, attribute: usize, value: Word<'_>) -> Option<u32> {
        if let Some(&known) = self.known[attribute].get(value.text) {
            return Some(known);
        }
        let Attribute { name, values } = &self.attributes[attribute];
        let what = format!(
            "unknown value {} of attribute {name}: expected one of {}",
            value.text,
            some_of(values)
        );
        self.doubt(value, what);
        (self.strictness == Strictness::Lenient).then(|| {
            let values = &mut self.attributes[attribute].values;
            let next = values.len() as u32;
            values.push(value.text.into());
            self.known[attribute].insert(value.text.into(), next);
            next
        })
    }

    /// Reads the block of lines about one person. Returns `None` if the block has an error.
    fn person(&mut self, block: &[Vec<Word<'_>>]) -> Option<Person> {
        let name = block[0][0];
        let person = name.text;
        if block[0].len() != 1 {
            let what = format!(
                "expected a person's name, one word on a line of its own, got {} words",
                block[0].len()
            );
            self.refuse(name, what);
            return None;
        }
        // For each attribute: the line that gives the person's value, and the value's index if the value is known.
        let mut given: Vec<Option<(usize, Option<u32>)>> = vec![None; self.attributes.len()];
        let mut is_sound = true;
        for words in &block[1..] {
            let first = words[0];
            let (of, count) = (first.text, words.len());
            let what = match (words.as_slice(), self.index.get(of).copied()) {
                (&[_, value], Some((attribute, _))) => match given[attribute] {
                    None => {
                        given[attribute] = Some((first.line, self.value(attribute, value)));
                        continue;
                    }
                    Some((line, _)) => {
                        format!("person {person} has attribute {of} twice, first on line {line}")
                    }
                },
                (&[_, _], None) => {
                    let known = some_of(self.attributes.iter().map(|known| &known.name));
                    format!("unknown attribute {of}: expected one of {known}")
                }
                _ => {
                    format!("expected \"ATTRIBUTE VALUE\" for person {person}, got {count} word(s)")
                }
            };
            is_sound = false;
            self.refuse(first, what);
        }
        let attributes = self.attributes.iter().zip(&given);
        let mut missing = attributes.filter(|(_, given)| given.is_none()).peekable();
        if missing.peek().is_some() {
            let missing = some_of(missing.map(|(attribute, _)| &attribute.name));
            self.refuse(name, format!("person {person} has no value of {missing}"));
            return None;
        }
        let values: Option<Vec<u32>> = given.into_iter().map(|given| given?.1).collect();
        Some(Person {
            name: person.into(),
            values: values.filter(|_| is_sound)?,
        })
    }
}

/// Lists the first ten names and says how many others there are.
fn some_of<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    match names.len() {
        0 => "nothing".into(),
        count if count > 10 => format!("{} and {} more", names[..10].join(", "), count - 10),
        _ => names.join(", "),
    }
}

/// Reads a game configuration file.
///
/// Blank lines separate the attributes from the persons and the persons from each other. Any white space separates
/// words within a line. A person's attributes may be in any order.
pub fn configuration(text: &str, strictness: Strictness) -> Result<Parsed, ParseError> {
    let lines = lines(text);
    let mut blocks = lines
        .split(|words| words.is_empty())
        .filter(|block| !block.is_empty())
        .peekable();
    let mut checker = Checker {
        strictness,
        problems: Vec::new(),
        warnings: Vec::new(),
        attributes: Vec::new(),
        index: HashMap::new(),
        known: Vec::new(),
    };
    let declarations = blocks.next().unwrap_or_default();
    declarations
        .iter()
        .for_each(|words| checker.attribute(words));
    if blocks.peek().is_none() {
        checker.problems.push(match declarations.last() {
            None => problem_at(
                1,
                1,
                "the file is empty: expected attributes with their values, a blank line, then persons",
            ),
            Some(last) => problem_at(
                last[0].line + 1,
                1,
                "no person follows the attributes: expected a blank line, then persons",
            ),
        });
    }

    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut looks: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut persons: Vec<Person> = Vec::new();
    for block in blocks {
        if checker.problems.len() >= MOST_PROBLEMS {
            break;
        }
        let name = block[0][0];
        let person = checker.person(block);
        if let Some(first) = names.get(name.text) {
            let what = format!("person {} occurs twice, first on line {first}", name.text);
            checker.refuse(name, what);
            continue;
        }
        names.insert(name.text, name.line);
        let Some(person) = person else { continue };
        if let Some(&first) = looks.get(&person.values) {
            let what = format!(
                "persons {} and {} are identical: they have the same value of every attribute",
                persons[first].name, person.name
            );
            checker.doubt(name, what);
        } else {
            looks.insert(person.values.clone(), persons.len());
        }
        persons.push(person);
    }
    checker.problems.truncate(MOST_PROBLEMS);
    match checker.problems.is_empty() {
        false => Err(ParseError {
            problems: checker.problems,
        }),
        true => Ok(Parsed {
            configuration: Configuration {
                attributes: checker.attributes,
                persons,
            },
            warnings: checker.warnings,
        }),
    }
}

/// Reads the persons of player 1 and player 2 from the first line that is not blank, and returns their indices.
pub fn chosen(text: &str, configuration: &Configuration) -> Result<[u32; 2], ParseError> {
    let refused = |problem| ParseError {
        problems: vec![problem],
    };
    let person = |player: usize, word: Word<'_>| {
        let unknown = || {
            let known = some_of(configuration.persons.iter().map(|person| &person.name));
            refused(word.problem(format!(
                "chosen person {} of player {player} is not in the configuration: expected one of {known}",
                word.text
            )))
        };
        configuration.person(word.text).ok_or_else(unknown)
    };
    let lines = lines(text);
    match lines
        .iter()
        .find(|words| !words.is_empty())
        .map(Vec::as_slice)
    {
        None => Err(refused(problem_at(
            1,
            1,
            "the chosen person file is empty: expected \"PERSON1 PERSON2\"",
        ))),
        Some(&[first, second]) => Ok([person(1, first)?, person(2, second)?]),
        Some(words) => Err(refused(words[0].problem(format!(
            "expected two names, \"PERSON1 PERSON2\", got {} word(s)",
            words.len()
        )))),
    }
}
