//! The fields of a JSON object, in order. They hold the settings or the result of a game for code that stores these
//! without interpreting them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// The names and values of a JSON object, in the order in which they are written. Input with duplicate names is
/// rejected, because JSON readers do not agree on which of the two values counts.
#[derive(Debug, Clone, Default)]
pub struct Fields(Vec<(String, Value)>);

impl Fields {
    /// Converts a value to the fields of a JSON object, in the order in which the value's type declares them.
    ///
    /// # Panics
    ///
    /// Panics if the value is not serialized as a JSON object, which is a mistake in the declaration of its type.
    pub fn of(value: &impl Serialize) -> Self {
        let text = serde_json::to_string(value).expect("plain values are JSON");
        serde_json::from_str(&text).expect("settings and results are objects")
    }

    /// Converts the fields back to a value. Unknown fields are ignored. Returns an error if a field is missing or has
    /// the wrong type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        let map: Map<String, Value> = self.0.iter().cloned().collect();
        serde_json::from_value(Value::Object(map))
    }

    /// Returns the value of the field with this name, if present.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let mut fields = self.0.iter();
        fields.find(|(known, _)| known == name).map(|(_, it)| it)
    }

    /// Removes the field with this name and returns its value, if present.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Adds a field after the existing fields. Does not check whether the name is already in use.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.0.push((name.into(), value.into()));
    }

    /// Applies `act` to every field's name, and to its value if the value is a text.
    pub fn for_each_text(&mut self, mut act: impl FnMut(&mut String)) {
        for (name, value) in &mut self.0 {
            act(name);
            if let Value::String(text) = value {
                act(text);
            }
        }
    }

    /// Iterates over the names and values of the fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    fn by_name(&self) -> Vec<(&str, &Value)> {
        let mut sorted: Vec<_> = self.iter().collect();
        sorted.sort_by_key(|&(name, _)| name);
        sorted
    }
}

/// Compares fields as JSON objects: their order is irrelevant. The order matters only among fields with equal names,
/// which can arise only through [`Fields::push`].
impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.by_name() == other.by_name()
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl JsonSchema for Fields {
    fn schema_name() -> Cow<'static, str> {
        "Fields".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": true })
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                let mut names = HashSet::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                    }
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Declared {
        zebra: u8,
        ant: Option<f64>,
    }

    #[test]
    fn order_is_kept_and_unknown_fields_are_passed_over() {
        let declared = Declared {
            zebra: 3,
            ant: Some(0.5),
        };
        let mut fields = Fields::of(&declared);
        assert_eq!(
            serde_json::to_string(&fields).expect("plain values"),
            r#"{"zebra":3,"ant":0.5}"#
        );
        fields.push("more", "words");
        assert_eq!(fields.read::<Declared>().expect("both are there"), declared);
        fields.take("zebra");
        assert!(fields.read::<Declared>().is_err());
    }

    proptest! {
        #[test]
        fn numbers_read_back_to_the_last_bit(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let written = serde_json::to_string(&number).expect("a number");
            let read: f64 = serde_json::from_str(&written).expect("a number");
            prop_assert_eq!(read.to_bits(), bits, "{}", written);
        }
    }

    #[test]
    fn what_has_a_name_twice_is_not_read() {
        let read = |text: &str| serde_json::from_str::<Fields>(text);
        let twice = read(r#"{"order_score":15,"size":5,"order_score":16}"#);
        let error = twice.expect_err("which of them counts?").to_string();
        assert!(
            error.starts_with("duplicate field `order_score`"),
            "{error}"
        );
        assert!(
            read(r#"{"a":1,"\u0061":1}"#).is_err(),
            "escapes do not hide it"
        );
    }

    #[test]
    fn all_fields_are_compared_in_any_order() {
        let fields = |pushed: &[(&str, u8)]| {
            let mut fields = Fields::default();
            for &(name, value) in pushed {
                fields.push(name, value);
            }
            fields
        };
        assert_eq!(fields(&[("a", 1), ("b", 2)]), fields(&[("b", 2), ("a", 1)]));
        assert_ne!(fields(&[("a", 1), ("b", 2)]), fields(&[("a", 1), ("b", 3)]));
        let twice = fields(&[("a", 1), ("a", 2)]);
        assert_eq!(twice, twice);
        assert_ne!(twice, fields(&[("a", 1), ("b", 2)]));
        assert_ne!(twice, fields(&[("a", 1), ("a", 1)]));
    }
}
