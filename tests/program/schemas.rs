//! Tests the JSON Schemas that the program prints: the reference page of the log has a table for everything in the
//! log's schema, and the logs, class files and descriptions of games in the repository follow their schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use turnwise_arena::records::FORMAT;

use crate::support::{run, stdout};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

const PAGE: &str = "docs/reference/log.md";

/// The folders that contain logs, besides the folders `tests` of the crates.
const FOLDERS: [&str; 2] = ["tests", "examples"];

/// The rows of each table, without its header. The keys are the headings above the tables.
type Tables = BTreeMap<String, BTreeSet<String>>;

/// Returns the JSON Schema of a kind of file, as the program prints it.
fn schema(of: &str) -> Value {
    let output = run(&["schema", of]);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_str(&stdout(&output)).expect("the schema is JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the schema's variants, if it has any.
fn variants(schema: &Value) -> &[Value] {
    [&schema["oneOf"], &schema["anyOf"]]
        .into_iter()
        .map(list)
        .find(|list| !list.is_empty())
        .unwrap_or_default()
}

/// Iterates over an object's fields, except the tag `event`.
fn fields(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields.filter(|(_, field)| field.get("const").is_none())
}

/// Returns the value of an object's tag, for example the name of an event.
fn tag(schema: &Value) -> Option<&str> {
    let mut fields = schema["properties"].as_object()?.values();
    fields.find_map(|field| field["const"].as_str())
}

/// Returns the first sentence of a description.
fn meaning(schema: &Value) -> String {
    let description = text(&schema["description"]);
    let paragraph = description.lines().next().unwrap_or_default();
    let sentence = paragraph
        .split_once(". ")
        .map_or(paragraph, |(first, _)| first);
    format!("{}.", sentence.trim_end_matches('.'))
}

/// Returns the name of a field's type as the page's tables contain it.
fn type_name(schema: &Value) -> String {
    if let Some(name) = text(&schema["$ref"]).strip_prefix("#/$defs/") {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(variant) = variants(schema).first() {
        return type_name(variant);
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => text(&kinds[0]),
        kind => text(kind),
    };
    match kind {
        "array" if schema["items"].get("$ref").is_none() => {
            format!("array of {}s", type_name(&schema["items"]))
        }
        "array" => format!("array of {}", type_name(&schema["items"])),
        kind => kind.to_owned(),
    }
}

/// Returns true if a schema allows null.
fn allows_null(schema: &Value) -> bool {
    schema["type"] == "null"
        || list(&schema["type"]).contains(&json!("null"))
        || variants(schema).iter().any(allows_null)
}

/// Returns the row of a field in the table of the object `of`.
fn row(of: &Value, name: &str, field: &Value) -> String {
    let mut kind = type_name(field);
    if !list(&of["required"]).contains(&json!(name)) {
        kind += &match field.get("default") {
            Some(default) if !default.is_null() => format!(", default `{default}`"),
            _ if allows_null(field) => ", optional".to_owned(),
            _ => panic!("a reader cannot know what it means that {name} is absent: {of:#}"),
        };
    }
    format!("| `{name}` | {kind} | {} |", meaning(field))
}

/// Adds the table with this heading for a schema, and the tables of its variants.
fn add_tables(heading: &str, schema: &Value, tables: &mut Tables) {
    let mut rows: BTreeSet<String> = fields(schema)
        .map(|(name, field)| row(schema, name, field))
        .collect();
    for variant in variants(schema) {
        let name = match (tag(variant), variant["const"].as_str()) {
            (Some(tag), _) => {
                let is_inline = variant.get("$ref").is_none();
                assert!(is_inline, "the record of {tag} needs #[schemars(inline)]");
                add_tables(&format!("`{tag}`"), variant, tables);
                format!("[`{tag}`](#{tag})")
            }
            (None, Some(value)) => format!("`{value}`"),
            (None, None) => format!("any other {}", type_name(variant)),
        };
        rows.insert(format!("| {name} | {} |", meaning(variant)));
    }
    if !rows.is_empty() {
        let earlier = tables.insert(heading.to_owned(), rows);
        assert!(
            earlier.is_none(),
            "two tables would have the heading {heading}"
        );
    }
}

/// Returns the tables that describe a schema.
fn tables_of_schema(schema: &Value) -> Tables {
    let mut tables = Tables::new();
    add_tables("Events", schema, &mut tables);
    for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
        add_tables(name, definition, &mut tables);
    }
    tables
}

/// Returns the tables of a page.
fn tables_of_page(page: &str) -> Tables {
    let mut tables = Tables::new();
    let mut heading = "";
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let is_header = lines.peek().is_some_and(|next| next.starts_with("|--"));
        if line.starts_with('#') {
            heading = line.trim_start_matches('#').trim();
        } else if line.starts_with("| ") && !is_header {
            tables
                .entry(heading.to_owned())
                .or_default()
                .insert(line.to_owned());
        }
    }
    tables
}

/// Compares the tables of a page with a schema, and describes the differences. Returns an empty text if they agree.
fn differences(page: &str, schema: &Value) -> String {
    let mut found = String::new();
    let (mut of_page, of_schema) = (tables_of_page(page), tables_of_schema(schema));
    let lines = |rows: &BTreeSet<String>, other: &BTreeSet<String>| {
        let rows = rows.difference(other).map(|row| format!("{row}\n"));
        rows.collect::<String>()
    };
    for (heading, expected) in &of_schema {
        let Some(rows) = of_page.remove(heading) else {
            let rows = lines(expected, &BTreeSet::new());
            found += &format!("no table of {heading}; expected the rows\n{rows}");
            continue;
        };
        let (missing, surplus) = (lines(expected, &rows), lines(&rows, expected));
        if !missing.is_empty() {
            found += &format!("the table of {heading} lacks the rows\n{missing}");
        }
        if !surplus.is_empty() {
            found += &format!(
                "the table of {heading} has rows that the schema does not have\n{surplus}"
            );
        }
    }
    for (heading, rows) in &of_page {
        let rows = lines(rows, &BTreeSet::new());
        found += &format!("a table of {heading}, which the schema does not have\n{rows}");
    }
    found
}

#[test]
fn the_page_has_exactly_the_tables_of_the_schema() {
    let page = fs::read_to_string(Path::new(ROOT).join(PAGE)).expect("the page");
    let schema = schema("log");
    let differences = differences(&page, &schema);
    assert!(differences.is_empty(), "{PAGE}:\n{differences}");
    for (name, definition) in schema["$defs"].as_object().expect("definitions") {
        let begin = format!("### {name}\n\n{}", meaning(definition));
        assert!(page.contains(&begin), "{PAGE}: expected\n{begin}");
    }
}

#[test]
fn differences_name_the_table_and_its_rows() {
    let page = "## Events\n\n| event | meaning |\n|---|---|\n| [`end`](#end) | It ended. |\n\n## `end`\n\n\
                | field | type | meaning |\n|---|---|---|\n| `pairs` | integer | How many. |\n";
    let event = |name: &str| {
        json!({
            "description": "It ended. Not a part of the table.",
            "properties": {
                "event": { "const": name },
                "pairs": { "type": "integer", "description": "How many." },
            },
            "required": ["event", "pairs"],
        })
    };
    assert_eq!(differences(page, &json!({ "oneOf": [event("end")] })), "");
    assert_eq!(
        differences(
            page,
            &json!({ "oneOf": [event("end"), event("abandoned")] })
        ),
        "the table of Events lacks the rows\n| [`abandoned`](#abandoned) | It ended. |\n\
         no table of `abandoned`; expected the rows\n| `pairs` | integer | How many. |\n"
    );
}

#[test]
fn descriptions_are_for_readers_who_know_no_rust() {
    for of in ["class", "game", "log"] {
        let schema = schema(of);
        let text = schema.to_string();
        for code in ["::", "](", "[`", "`None`", "Serde", "Unlike [`"] {
            assert!(!text.contains(code), "{code} in {schema:#}");
        }
    }
    let log = schema("log");
    let format = text(&log["oneOf"][0]["properties"]["format"]["description"]);
    assert!(
        format.ends_with(&format!("currently {FORMAT}.")),
        "{format}"
    );
}

/// Adds the files whose names have this ending to `found`, from a folder and its subfolders.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
}

/// Returns true if a value is of a type of JSON Schema.
fn is_of_type(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("unknown type {kind}"),
    }
}

/// Returns the reasons why a value does not follow a part of the schema `root`.
///
/// Unlike JSON Schema, rejects unknown fields of objects that are not open to additional fields.
fn objections(root: &Value, part: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(path) = text(&part["$ref"]).strip_prefix('#') {
        let definition = root.pointer(path).expect("a definition");
        found.extend(objections(root, definition, value));
    }
    let variants = variants(part);
    let is_allowed = |variant: &Value| {
        let mut variant = variant.clone();
        // A variant of an object may also have the common fields.
        if let (Some(own), Some(common)) = (
            variant["properties"].as_object_mut(),
            part["properties"].as_object(),
        ) {
            own.extend(common.clone());
        }
        objections(root, &variant, value).is_empty()
    };
    if !variants.is_empty() && !variants.iter().any(is_allowed) {
        found.push(format!("{value} is of no known kind"));
    }
    let kinds = match &part["type"] {
        Value::Array(kinds) => kinds.iter().map(text).collect(),
        Value::String(kind) => vec![kind.as_str()],
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_of_type(value, kind)) {
        found.push(format!("{value} is not of the type {}", part["type"]));
    }
    if part.get("const").is_some_and(|only| only != value) {
        found.push(format!("{value} is not {}", part["const"]));
    }
    let choices = list(&part["enum"]);
    if !choices.is_empty() && !choices.contains(value) {
        found.push(format!("{value} is none of {choices:?}"));
    }
    for item in list(value) {
        found.extend(objections(root, &part["items"], item));
    }
    if let (Some(fields), Some("object")) = (value.as_object(), kinds.first().copied()) {
        for name in list(&part["required"]).iter().map(text) {
            if !fields.contains_key(name) {
                found.push(format!("no field {name}"));
            }
        }
        for (name, value) in fields {
            let others = &part["additionalProperties"];
            match part["properties"].get(name) {
                Some(field) => found.extend(objections(root, field, value)),
                None if others.is_object() => found.extend(objections(root, others, value)),
                None if *others == true || !variants.is_empty() => {}
                None => found.push(format!("unknown field {name}")),
            }
        }
    }
    found
}

#[test]
fn the_logs_in_the_repository_follow_the_schema() {
    let root = Path::new(ROOT);
    let mut folders: Vec<PathBuf> = FOLDERS.map(|folder| root.join(folder)).into();
    for entry in fs::read_dir(root.join("crates")).expect("a folder") {
        folders.push(entry.expect("an entry").path().join("tests"));
    }
    let mut paths = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        files(folder, ".jsonl", &mut paths);
    }
    let schema = schema("log");
    let events: BTreeMap<&str, &Value> = variants(&schema)
        .iter()
        .filter_map(|event| Some((tag(event)?, event)))
        .collect();
    let is_open = |event: &&Value| event["additionalProperties"] == json!(true);
    let open: Vec<&str> = events
        .iter()
        .filter(|(_, event)| is_open(event))
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(open, ["game", "match"], "events with fields of the game");
    let mut logs = 0;
    for path in paths {
        let log = fs::read_to_string(&path).expect("text");
        // Other files of JSON lines are the input of programs.
        if !log.starts_with("{\"event\":\"match\"") {
            continue;
        }
        logs += 1;
        for (number, line) in (1..).zip(log.lines()) {
            let place = format!("{}:{number}", path.display());
            let record: Value = serde_json::from_str(line).expect(&place);
            let event = events.get(text(&record["event"]));
            let event = event.unwrap_or_else(|| panic!("{place}: an unknown event: {line}"));
            let objections = objections(&schema, event, &record);
            assert!(objections.is_empty(), "{place}: {objections:?}");
        }
    }
    assert!(logs >= 9, "{logs} logs");
}

/// Returns the reasons why a TOML file does not follow a schema.
fn objections_to_toml(schema: &Value, file: &str) -> Vec<String> {
    let table: toml::Table = toml::from_str(file).expect(file);
    objections(schema, schema, &json!(table))
}

#[test]
fn the_class_files_of_the_pages_follow_the_schema() {
    let schema = schema("class");
    let mut pages = Vec::new();
    files(&Path::new(ROOT).join("docs"), ".md", &mut pages);
    let mut classes = 0;
    for path in pages {
        let page = fs::read_to_string(&path).expect("text");
        let blocks = page.split("\n```toml\n").skip(1);
        let blocks = blocks.filter_map(|block| Some(block.split_once("\n```")?.0));
        for class in blocks.filter(|block| block.starts_with("game = ")) {
            let objections = objections_to_toml(&schema, class);
            assert!(objections.is_empty(), "{path:?}: {objections:?}\n{class}");
            classes += 1;
        }
    }
    assert!(classes >= 3, "{classes} class files");
    for wrong in [
        "game = 7",
        "game = \"halma\"\nformat = { kind = \"league\" }",
        "game = \"halma\"\nisolate = \"never\"",
        "game = \"halma\"\nnumber-of-pairs = 3",
        "game = \"halma\"\ntime = { clock = \"long\" }",
        "game = \"halma\"\n[[participant]]\nrun = \"./player\"",
    ] {
        assert_ne!(objections_to_toml(&schema, wrong), [""; 0], "{wrong}");
    }
}

#[test]
fn the_games_in_folders_follow_the_schema() {
    let schema = schema("game");
    let mut paths = Vec::new();
    for folder in ["adapters", "templates", "tests"] {
        files(&Path::new(ROOT).join(folder), "game.toml", &mut paths);
    }
    for path in &paths {
        let file = fs::read_to_string(path).expect("text");
        let objections = objections_to_toml(&schema, &file);
        assert!(objections.is_empty(), "{path:?}: {objections:?}");
    }
    assert!(paths.len() >= 7, "{paths:?}");
    for wrong in [
        "name = \"nim\"\nscoring = \"goals\"",
        "seats = \"two\"",
        "rule = \"Take one.\"",
        "[settings.heaps]\ntype = \"number\"",
        "[settings.heaps]\ntype = \"integer\"",
    ] {
        assert_ne!(objections_to_toml(&schema, wrong), [""; 0], "{wrong}");
    }
}
