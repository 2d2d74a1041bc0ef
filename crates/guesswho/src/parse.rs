//! Reads the course's configuration and chosen person files.
//!
//! Two steps: the text becomes numbered lines of words with columns (winnow), then the words are
//! checked once and every problem is collected with its place, so that a teacher mends a file in
//! one go.

use std::collections::HashMap;

use winnow::combinator::{preceded, repeat, terminated};
use winnow::stream::{LocatingSlice, Location};
use winnow::token::take_while;
use winnow::{ModalResult, Parser};

use super::config::{Attribute, Configuration, Person};
pub use super::problem::{Fault, ParseError, Problem};

/// How many problems are collected before the rest of a hopeless file is left unread.
const MOST_PROBLEMS: usize = 100;

/// What to do with a file that breaks the format where the course's own players do not mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Undeclared values and persons who are alike are errors.
    Strict,
    /// Undeclared values are added to their attribute and persons may be alike; both are warnings.
    Lenient,
}

/// A configuration that was accepted, and what was odd about its file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The configuration.
    pub configuration: Configuration,
    /// What was accepted although it breaks the format.
    pub warnings: Vec<Problem>,
}

#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

impl Word<'_> {
    fn problem(&self, fault: Fault) -> Problem {
        Problem {
            line: self.line,
            column: self.column,
            fault,
        }
    }
}

/// The words of one line with their byte offsets. Any white space separates words, so that tabs
/// and the carriage returns of Windows files are harmless.
fn words_of_line<'a>(input: &mut LocatingSlice<&'a str>) -> ModalResult<Vec<(usize, &'a str)>> {
    let blank = |symbol: char| symbol.is_whitespace();
    let word = |input: &mut LocatingSlice<&'a str>| -> ModalResult<(usize, &'a str)> {
        let start = input.current_token_start();
        let text = take_while(1.., |symbol: char| !symbol.is_whitespace()).parse_next(input)?;
        Ok((start, text))
    };
    terminated(
        repeat(0.., preceded(take_while(0.., blank), word)),
        take_while(0.., blank),
    )
    .parse_next(input)
}

/// The lines of `text` that hold words, and an empty list for each blank line.
fn lines(text: &str) -> Vec<Vec<Word<'_>>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            let words = words_of_line
                .parse(LocatingSlice::new(line))
                .expect("words and white space cover any line");
            words
                .into_iter()
                .map(|(start, text)| Word {
                    text,
                    line: index + 1,
                    column: line[..start].chars().count() + 1,
                })
                .collect()
        })
        .collect()
}

struct Checker {
    strictness: Strictness,
    problems: Vec<Problem>,
    warnings: Vec<Problem>,
}

impl Checker {
    /// Records what is an error in strict reading and a warning in lenient reading.
    fn doubtful(&mut self, problem: Problem) {
        match self.strictness {
            Strictness::Strict => self.problems.push(problem),
            Strictness::Lenient => self.warnings.push(problem),
        }
    }

    fn attribute(
        &mut self,
        words: &[Word<'_>],
        declared: &mut Vec<Attribute>,
        index: &mut HashMap<String, (usize, usize)>,
    ) {
        let name = words[0];
        if let Some(&(_, first)) = index.get(name.text) {
            self.problems.push(name.problem(Fault::RepeatedAttribute {
                name: name.text.into(),
                first,
            }));
            return;
        }
        if words.len() == 1 {
            self.problems
                .push(name.problem(Fault::NoValues(name.text.into())));
        }
        let mut values: Vec<String> = Vec::with_capacity(words.len() - 1);
        let mut seen = std::collections::HashSet::new();
        for word in &words[1..] {
            if seen.insert(word.text) {
                values.push(word.text.into());
            } else {
                let fault = Fault::RepeatedValue {
                    attribute: name.text.into(),
                    value: word.text.into(),
                };
                self.warnings.push(word.problem(fault));
            }
        }
        index.insert(name.text.into(), (declared.len(), name.line));
        declared.push(Attribute {
            name: name.text.into(),
            values,
        });
    }

    /// Reads one person's block; `known` finds a value's index in its attribute.
    fn person(
        &mut self,
        block: &[Vec<Word<'_>>],
        declared: &mut [Attribute],
        index: &HashMap<String, (usize, usize)>,
        known: &mut [HashMap<String, u32>],
    ) -> Option<Person> {
        let name = block[0][0];
        if block[0].len() != 1 {
            self.problems
                .push(name.problem(Fault::NotAName(block[0].len())));
            return None;
        }
        let mut values: Vec<Option<(u32, usize)>> = vec![None; declared.len()];
        let mut sound = true;
        for words in &block[1..] {
            let first = words[0];
            let fault = if words.len() != 2 {
                Fault::NotAPair {
                    person: name.text.into(),
                    words: words.len(),
                }
            } else if let Some(&(attribute, _)) = index.get(first.text) {
                let Some((_, line)) = values[attribute] else {
                    let value = words[1];
                    let found = known[attribute].get(value.text).copied();
                    if found.is_none() {
                        self.doubtful(value.problem(Fault::UnknownValue {
                            attribute: first.text.into(),
                            value: value.text.into(),
                            known: some_of(declared[attribute].values.iter()),
                        }));
                        sound &= self.strictness == Strictness::Lenient;
                    }
                    let found = found.unwrap_or_else(|| match self.strictness {
                        Strictness::Strict => 0,
                        Strictness::Lenient => {
                            let next = declared[attribute].values.len() as u32;
                            declared[attribute].values.push(value.text.into());
                            known[attribute].insert(value.text.into(), next);
                            next
                        }
                    });
                    values[attribute] = Some((found, first.line));
                    continue;
                };
                Fault::RepeatedPair {
                    person: name.text.into(),
                    attribute: first.text.into(),
                    first: line,
                }
            } else {
                Fault::UnknownAttribute {
                    name: first.text.into(),
                    known: some_of(declared.iter().map(|attribute| &attribute.name)),
                }
            };
            sound = false;
            self.problems.push(first.problem(fault));
        }
        let missing: Vec<&String> = declared
            .iter()
            .zip(&values)
            .filter(|(_, value)| value.is_none())
            .map(|(attribute, _)| &attribute.name)
            .collect();
        if !missing.is_empty() {
            let fault = Fault::MissingAttributes {
                person: name.text.into(),
                missing: some_of(missing.into_iter()),
            };
            self.problems.push(name.problem(fault));
            return None;
        }
        let values = values
            .into_iter()
            .flatten()
            .map(|(value, _)| value)
            .collect();
        sound.then(|| Person {
            name: name.text.into(),
            values,
        })
    }
}

/// The first ten of the names, and how many more there are.
fn some_of<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&String> = names.collect();
    let shown: Vec<&str> = names.iter().take(10).map(|name| name.as_str()).collect();
    match names.len() {
        0 => "nothing".into(),
        count if count > 10 => format!("{} and {} more", shown.join(", "), count - 10),
        _ => shown.join(", "),
    }
}

/// Reads a game configuration file.
///
/// Blank lines separate the attributes from the persons and the persons from each other; within a
/// line any white space separates words. A person may give its attributes in any order.
///
/// # Errors
/// Every [`Problem`] of the file, at most a hundred.
pub fn configuration(text: &str, strictness: Strictness) -> Result<Parsed, ParseError> {
    let lines = lines(text);
    let blocks: Vec<&[Vec<Word<'_>>]> = lines
        .split(|words| words.is_empty())
        .filter(|block| !block.is_empty())
        .collect();
    let Some((declarations, persons)) = blocks.split_first() else {
        return Err(ParseError {
            problems: vec![Problem {
                line: 1,
                column: 1,
                fault: Fault::Empty,
            }],
        });
    };

    let mut checker = Checker {
        strictness,
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    let mut attributes = Vec::new();
    let mut index = HashMap::new();
    for words in *declarations {
        checker.attribute(words, &mut attributes, &mut index);
    }
    if persons.is_empty() {
        let last = declarations[declarations.len() - 1][0].line;
        checker.problems.push(Problem {
            line: last + 1,
            column: 1,
            fault: Fault::NoPersons,
        });
    }

    let mut known: Vec<HashMap<String, u32>> = attributes
        .iter()
        .map(|attribute| attribute.values.iter().cloned().zip(0..).collect())
        .collect();
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut looks: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut accepted: Vec<Person> = Vec::new();
    for block in persons {
        if checker.problems.len() >= MOST_PROBLEMS {
            break;
        }
        let name = block[0][0];
        let person = checker.person(block, &mut attributes, &index, &mut known);
        match names.get(name.text) {
            Some(&first) => {
                checker.problems.push(name.problem(Fault::RepeatedPerson {
                    name: name.text.into(),
                    first,
                }));
                continue;
            }
            None => names.insert(name.text, name.line),
        };
        let Some(person) = person else { continue };
        if let Some(&first) = looks.get(&person.values) {
            let fault = Fault::Alike {
                first: accepted[first].name.clone(),
                second: person.name.clone(),
            };
            checker.doubtful(name.problem(fault));
        } else {
            looks.insert(person.values.clone(), accepted.len());
        }
        accepted.push(person);
    }
    checker.problems.truncate(MOST_PROBLEMS);
    if !checker.problems.is_empty() {
        return Err(ParseError {
            problems: checker.problems,
        });
    }
    Ok(Parsed {
        configuration: Configuration {
            attributes,
            persons: accepted,
        },
        warnings: checker.warnings,
    })
}

/// Reads a chosen person file: on its first line the two players' persons, as indices.
///
/// # Errors
/// The file is empty, has not exactly two names on its first line, or names someone unknown.
pub fn chosen(text: &str, configuration: &Configuration) -> Result<[usize; 2], ParseError> {
    let refuse = |line, column, fault| {
        Err(ParseError {
            problems: vec![Problem {
                line,
                column,
                fault,
            }],
        })
    };
    let lines = lines(text);
    let Some(words) = lines.iter().find(|words| !words.is_empty()) else {
        return refuse(1, 1, Fault::NoChosen);
    };
    let &[first, second] = words.as_slice() else {
        return refuse(
            words[0].line,
            words[0].column,
            Fault::NotTwoChosen(words.len()),
        );
    };
    let mut chosen = [0; 2];
    for (player, word) in [first, second].into_iter().enumerate() {
        match configuration.person(word.text) {
            Some(person) => chosen[player] = person,
            None => {
                let known = some_of(configuration.persons.iter().map(|person| &person.name));
                let fault = Fault::UnknownChosen {
                    name: word.text.into(),
                    player: player + 1,
                    known,
                };
                return refuse(word.line, word.column, fault);
            }
        }
    }
    Ok(chosen)
}
