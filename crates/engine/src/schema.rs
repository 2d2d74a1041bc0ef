//! JSON Schemas of the files that this program reads, derived from the types and their doc comments.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// Returns the JSON Schema (draft 2020-12) of JSON and TOML that this program reads as a `T`. The descriptions are the
/// doc comments.
pub fn json_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(clean));
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// Replaces the description of a schema with its plain text.
fn clean(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = plain(description);
    }
}

/// Returns the text of a doc comment with each paragraph on one line and without the targets of links.
fn plain(doc: &str) -> String {
    let paragraphs = doc.split("\n\n");
    let paragraphs: Vec<String> = paragraphs
        .map(|paragraph| without_links(&paragraph.replace('\n', " ")))
        .collect();
    paragraphs.join("\n\n")
}

/// Returns a paragraph with the text of each link in place of the link.
///
/// The links are of the forms `[text](target)`, `[text][target]` and, with the text between backquotes, `[text]`.
/// Other brackets remain.
fn without_links(paragraph: &str) -> String {
    let mut plain = String::new();
    let mut rest = paragraph;
    while let Some((before, text, after)) = bracketed(rest, '[', ']') {
        plain += before;
        let target = [('(', ')'), ('[', ']')]
            .into_iter()
            .find_map(|(open, close)| {
                let is_next = after.starts_with(open);
                let (_, _, after) = bracketed(after, open, close).filter(|_| is_next)?;
                Some(after)
            });
        match target {
            Some(_) => plain += text,
            None if text.starts_with('`') => plain += text,
            None => plain += &format!("[{text}]"),
        }
        rest = target.unwrap_or(after);
    }
    plain + rest
}

/// Splits a text at the first pair of brackets: the text before, between and after them.
fn bracketed(text: &str, open: char, close: char) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(open)?;
    let (between, after) = rest.split_once(close)?;
    Some((before, between, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_their_text() {
        for (doc, text) in [
            (
                "As in [`output`](super::MoveRecord::output).",
                "As in `output`.",
            ),
            (
                "[`FORMAT`] in logs\nof this program.",
                "`FORMAT` in logs of this program.",
            ),
            (
                "One [guard][Guard].\n\nTwo\n[a](b)(c).",
                "One guard.\n\nTwo a(c).",
            ),
            ("The list [1, 2] [and (this)", "The list [1, 2] [and (this)"),
        ] {
            assert_eq!(plain(doc), text);
        }
    }
}
