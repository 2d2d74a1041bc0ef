//! What can be asked about a configuration, and what the answers leave.
//!
//! A set of candidates is a sorted list of person indices ([`Candidates`]); the solvers turn lists
//! of up to 64 into bit masks ([`super::table`]).

use super::config::Configuration;

/// Indices of persons in the configuration, ascending.
pub type Candidates = Vec<u32>;

/// A guess: does the opponent's person have this value, or is it this person?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Does the person have this value of this attribute?
    Attribute {
        /// Index of the attribute in the configuration.
        attribute: u32,
        /// Index of the value in the attribute.
        value: u32,
    },
    /// Is it this person? (Index in the configuration.)
    Person(u32),
}

/// A configuration as the players see it.
#[derive(Clone, Debug)]
pub struct Board {
    configuration: Configuration,
    /// Indices of attributes, and for each of them of its values, in alphabetical order.
    alphabetical: Vec<(u32, Vec<u32>)>,
}

impl Board {
    /// A board of this configuration.
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

    /// What the board was made of.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// All persons: the candidates of a game that begins.
    pub fn everyone(&self) -> Candidates {
        (0..self.configuration.persons.len() as u32).collect()
    }

    /// Every guess that can be made, attributes first, in the order of the configuration.
    pub fn questions(&self) -> impl Iterator<Item = Question> + '_ {
        let attributes = (0..).zip(&self.configuration.attributes);
        let values = attributes.flat_map(|(attribute, declared)| {
            let values = 0..declared.values.len() as u32;
            values.map(move |value| Question::Attribute { attribute, value })
        });
        values.chain(self.everyone().into_iter().map(Question::Person))
    }

    /// True if the board has what a guess is about.
    pub fn has(&self, question: Question) -> bool {
        match question {
            Question::Attribute { attribute, value } => {
                let attribute = self.configuration.attributes.get(attribute as usize);
                attribute.is_some_and(|known| (value as usize) < known.values.len())
            }
            Question::Person(person) => (person as usize) < self.configuration.persons.len(),
        }
    }

    /// The true answer to `question` if the chosen person is `person`.
    pub fn answer(&self, question: Question, person: u32) -> bool {
        match question {
            Question::Attribute { attribute, value } => {
                self.configuration.persons[person as usize].values[attribute as usize] == value
            }
            Question::Person(guessed) => guessed == person,
        }
    }

    /// Those of `candidates` for whom `question` has this answer.
    pub fn remaining(&self, candidates: &[u32], question: Question, answer: bool) -> Candidates {
        candidates
            .iter()
            .copied()
            .filter(|&person| self.answer(question, person) == answer)
            .collect()
    }

    /// How many of `candidates` have each value of an attribute, indexed by value.
    fn count_values(&self, candidates: &[u32], attribute: usize) -> Vec<u32> {
        let mut counts = vec![0; self.configuration.attributes[attribute].values.len()];
        for &person in candidates {
            counts[self.configuration.persons[person as usize].values[attribute] as usize] += 1;
        }
        counts
    }

    /// The non-redundant attribute questions about `candidates`: those that some but not all would
    /// answer with yes, with the number who would, in alphabetical order of attribute, then value.
    ///
    /// This is the order in which ties are broken everywhere, so that a game does not depend on the
    /// order in which a file declares things.
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

    /// The question with its names, as the course framework prints a guess: a person guess has an empty
    /// attribute there, hence the two spaces.
    pub fn display(&self, question: Question) -> String {
        match self.names(question) {
            (Some(attribute), value) => format!("Attribute {attribute} {value}"),
            (None, person) => format!("Person  {person}"),
        }
    }

    /// The question about a person of this name.
    pub fn about_person(&self, name: &str) -> Option<Question> {
        self.configuration.person(name).map(Question::Person)
    }

    /// The question about an attribute and a value of these names.
    pub fn about_value(&self, attribute: &str, value: &str) -> Option<Question> {
        let (attribute, value) = self.configuration.pair(attribute, value)?;
        Some(Question::Attribute { attribute, value })
    }

    /// Name of an attribute question's attribute and value, or the guessed person's name.
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
