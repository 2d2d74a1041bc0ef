//! The content of a game configuration: attributes with their values, and persons.
//!
//! A [`Configuration`] is always consistent: every person has exactly one value of every attribute.
//! [`super::parse::configuration`] parses the course's file format, and `Display` prints it; parsing the printed text
//! gives an equal configuration.

use std::fmt;

/// An attribute with its values, such as hair color.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name of the attribute, which is one word.
    pub name: String,
    /// The values, one word each, all different, in the order of declaration.
    pub values: Vec<String>,
}

/// A person on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The name of the person, which is one word and unique in the configuration.
    pub name: String,
    /// For each attribute, in the order of declaration, the index of the value that this person has.
    pub values: Vec<u32>,
}

/// A whole game configuration: at least one attribute and at least one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The attributes in the order of declaration.
    pub attributes: Vec<Attribute>,
    /// The persons in the order of declaration.
    pub persons: Vec<Person>,
}

impl Configuration {
    /// Returns the index of the person with this name.
    pub fn person(&self, name: &str) -> Option<u32> {
        index_of(self.persons.iter().map(|person| &person.name), name)
    }

    /// Returns the indices of the attribute and the value with these names.
    pub fn pair(&self, attribute: &str, value: &str) -> Option<(u32, u32)> {
        let attributes = self.attributes.iter().map(|attribute| &attribute.name);
        let attribute = index_of(attributes, attribute)?;
        let values = &self.attributes[attribute as usize].values;
        Some((attribute, index_of(values, value)?))
    }
}

fn index_of<'a>(names: impl IntoIterator<Item = &'a String>, name: &str) -> Option<u32> {
    let index = names.into_iter().position(|known| known == name)?;
    Some(index as u32)
}

impl fmt::Display for Configuration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for attribute in &self.attributes {
            let values = attribute.values.join(" ");
            writeln!(formatter, "{} {values}", attribute.name)?;
        }
        for person in &self.persons {
            writeln!(formatter, "\n{}", person.name)?;
            for (attribute, &value) in self.attributes.iter().zip(&person.values) {
                let value = &attribute.values[value as usize];
                writeln!(formatter, "{} {value}", attribute.name)?;
            }
        }
        Ok(())
    }
}
