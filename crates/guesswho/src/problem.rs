//! What can be wrong with the files, and where.

use std::fmt;

use thiserror::Error;

/// What is wrong at one place of a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Nothing but white space in the file.
    #[error("the file is empty: expected attributes with their values, a blank line, then persons")]
    Empty,
    /// Attributes, but no person.
    #[error("no person follows the attributes: expected a blank line, then persons")]
    NoPersons,
    /// An attribute is declared without any value.
    #[error("attribute {0} has no values: expected \"{0} VALUE VALUE ...\"")]
    NoValues(String),
    /// An attribute is declared a second time.
    #[error("attribute {name} is declared twice, first on line {first}")]
    RepeatedAttribute {
        /// The attribute.
        name: String,
        /// Line of its first declaration.
        first: usize,
    },
    /// A value stands twice in one declaration; harmless.
    #[error("value {value} stands twice in the declaration of {attribute}")]
    RepeatedValue {
        /// The attribute.
        attribute: String,
        /// The value.
        value: String,
    },
    /// The first line of a person's block has more than one word.
    #[error("expected a person's name, one word on a line of its own, got {0} words")]
    NotAName(usize),
    /// A second person has this name.
    #[error("person {name} stands twice, first on line {first}")]
    RepeatedPerson {
        /// The name.
        name: String,
        /// Line of the first person of this name.
        first: usize,
    },
    /// A line of a person's block is not an attribute and a value.
    #[error("expected \"ATTRIBUTE VALUE\" for person {person}, got {words} word(s)")]
    NotAPair {
        /// The person of this block.
        person: String,
        /// Words on the line.
        words: usize,
    },
    /// A person has an attribute that was not declared.
    #[error("unknown attribute {name}: expected one of {known}")]
    UnknownAttribute {
        /// The attribute as it stands.
        name: String,
        /// Those that are declared.
        known: String,
    },
    /// A person has a value that its attribute does not declare.
    #[error("unknown value {value} of attribute {attribute}: expected one of {known}")]
    UnknownValue {
        /// The attribute.
        attribute: String,
        /// The value as it stands.
        value: String,
        /// Those that are declared.
        known: String,
    },
    /// A person gives an attribute twice.
    #[error("person {person} has attribute {attribute} twice, first on line {first}")]
    RepeatedPair {
        /// The person.
        person: String,
        /// The attribute.
        attribute: String,
        /// Line where this person first gives it.
        first: usize,
    },
    /// A person lacks attributes.
    #[error("person {person} has no value of {missing}")]
    MissingAttributes {
        /// The person.
        person: String,
        /// The attributes that are missing.
        missing: String,
    },
    /// Two persons agree in every attribute, so that no question tells them apart.
    #[error("persons {first} and {second} are alike: they agree in every attribute")]
    Alike {
        /// The earlier person.
        first: String,
        /// The later person.
        second: String,
    },
    /// The chosen person file has no first line with words.
    #[error("the chosen person file is empty: expected \"PERSON1 PERSON2\"")]
    NoChosen,
    /// The chosen person file does not have two words.
    #[error("expected two names, \"PERSON1 PERSON2\", got {0} word(s)")]
    NotTwoChosen(usize),
    /// A chosen person is not on the board.
    #[error(
        "chosen person {name} of player {player} is not in the configuration: expected one of {known}"
    )]
    UnknownChosen {
        /// The name as it stands.
        name: String,
        /// 1 or 2.
        player: usize,
        /// Some of those who are.
        known: String,
    },
}

/// A [`Fault`] and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// Column of the offending word, in characters from 1.
    pub column: usize,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.line, self.column, self.fault)
    }
}

/// A file was refused; the problems are in the order in which they were met, never empty.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", .problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ParseError {
    /// What is wrong, at most a hundred entries.
    pub problems: Vec<Problem>,
}
