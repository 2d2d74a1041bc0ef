//! The questions that players can ask about the persons of a configuration, and the candidates that the answers leave.
//!
//! A set of candidates is a sorted list of person indices ([`Candidates`]). The solvers turn lists of up to 64
//! candidates into bit masks ([`super::table`]).

use super::config::Configuration;

/// Indices of persons in the configuration, ascending.
pub type Candidates = Vec<u32>;

/// A guess: it asks about an attribute of the opponent's person, or names a person as the opponent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Asks whether the opponent's person has a certain value of an attribute.
    Attribute {
        /// The index of the attribute in the configuration.
        attribute: u32,
        /// The index of the value among the attribute's values.
        value: u32,
    },
    /// Names a person: asks whether the opponent has the person with this index in the configuration.
    Person(u32),
}

/// The board that players use: a configuration, and the questions that can be asked about its persons.
#[derive(Clone, Debug)]
pub struct Board {
    configuration: Configuration,
    /// The indices of attributes, each with the indices of the attribute's values. Both are sorted by name.
    alphabetical: Vec<(u32, Vec<u32>)>,
}

impl Board {
    /// Creates a board with this configuration.
    pub fn new(configuration: Configuration) -> Self {
        let attributes = &configuration.attributes;
        let mut alphabetical: Vec<(u32, Vec<u32>)> = (0..attributes.len() as u32)
            .map(|attribute| {
                let values = &attributes[attribute as usize].values;
                let mut order: Vec<u32> = (0..values.len() as u32).collect();
                order.sort_by_key(|&value| &values[value as usize]);
                (attribute, order)
            })
            .collect();
        alphabetical.sort_by_key(|&(attribute, _)| &attributes[attribute as usize].name);
        Board {
            configuration,
            alphabetical,
        }
    }

    /// Returns the configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Returns all persons: the candidates at the beginning of a game.
    pub fn everyone(&self) -> Candidates {
        (0..self.configuration.persons.len() as u32).collect()
    }

    /// Returns every possible guess: first all attribute questions, then all person guesses.
    ///
    /// Both are in the order of the configuration.
    pub fn questions(&self) -> impl Iterator<Item = Question> + '_ {
        let attributes = (0..).zip(&self.configuration.attributes);
        let values = attributes.flat_map(|(attribute, declared)| {
            let values = 0..declared.values.len() as u32;
            values.map(move |value| Question::Attribute { attribute, value })
        });
        values.chain(self.everyone().into_iter().map(Question::Person))
    }

    /// Returns true if the question fits the board: the board must have its attribute and value, or its person.
    pub fn has(&self, question: Question) -> bool {
        match question {
            Question::Attribute { attribute, value } => {
                let attribute = self.configuration.attributes.get(attribute as usize);
                attribute.is_some_and(|known| (value as usize) < known.values.len())
            }
            Question::Person(person) => (person as usize) < self.configuration.persons.len(),
        }
    }

    /// Returns the true answer to `question` if the chosen person is `person`.
    pub fn answer(&self, question: Question, person: u32) -> bool {
        match question {
            Question::Attribute { attribute, value } => {
                self.configuration.persons[person as usize].values[attribute as usize] == value
            }
            Question::Person(guessed) => guessed == person,
        }
    }

    /// Returns the candidates for whom `question` has this answer.
    pub fn remaining(&self, candidates: &[u32], question: Question, answer: bool) -> Candidates {
        candidates
            .iter()
            .copied()
            .filter(|&person| self.answer(question, person) == answer)
            .collect()
    }

    /// Returns how many candidates have each value of an attribute, indexed by value.
    fn count_values(&self, candidates: &[u32], attribute: usize) -> Vec<u32> {
        let mut counts = vec![0; self.configuration.attributes[attribute].values.len()];
        for &person in candidates {
            counts[self.configuration.persons[person as usize].values[attribute] as usize] += 1;
        }
        counts
    }

    /// Returns the attribute questions that are not redundant for `candidates`, so that every answer excludes someone.
    ///
    /// Each question comes with the number of candidates for whom the answer is yes. The questions are sorted by the
    /// names of the attributes, then by the names of the values. Strategies break ties in this order, so that a game
    /// does not depend on the order of declarations in a file.
    pub fn splits(&self, candidates: &[u32]) -> Vec<(Question, u32)> {
        let mut splits = Vec::new();
        for (attribute, values) in &self.alphabetical {
            let counts = self.count_values(candidates, *attribute as usize);
            for &value in values {
                let count = counts[value as usize];
                if count > 0 && (count as usize) < candidates.len() {
                    let attribute = *attribute;
                    splits.push((Question::Attribute { attribute, value }, count));
                }
            }
        }
        splits
    }

    /// Formats a question in the notation of the course framework's log, with names instead of indices.
    ///
    /// The framework prints an empty attribute for a person guess, so the text has two spaces after `Person`.
    pub fn display(&self, question: Question) -> String {
        match self.names(question) {
            (Some(attribute), value) => format!("Attribute {attribute} {value}"),
            (None, person) => format!("Person  {person}"),
        }
    }

    /// Returns the question that names this person, or `None` if the board has no such person.
    pub fn about_person(&self, name: &str) -> Option<Question> {
        self.configuration.person(name).map(Question::Person)
    }

    /// Returns the question about this attribute and value, or `None` if the board does not have them.
    pub fn about_value(&self, attribute: &str, value: &str) -> Option<Question> {
        let (attribute, value) = self.configuration.pair(attribute, value)?;
        Some(Question::Attribute { attribute, value })
    }

    /// Returns the names of the question's attribute and value. For a person guess, these are `None` and the person's
    /// name.
    pub fn names(&self, question: Question) -> (Option<&str>, &str) {
        match question {
            Question::Attribute { attribute, value } => {
                let attribute = &self.configuration.attributes[attribute as usize];
                (Some(&attribute.name), &attribute.values[value as usize])
            }
            Question::Person(person) => (None, &self.configuration.persons[person as usize].name),
        }
    }
}
