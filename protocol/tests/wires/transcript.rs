//! The text format of golden sessions, described in `transcripts/README.md`.

use std::path::Path;

use turnwise_protocol::entropy::Wire;

use crate::decoding::Side;

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Bytes that arrive.
    In(Vec<u8>),
    /// The stream ends.
    End,
    /// An item that is decoded at this point.
    Got(String),
    /// A message that this end sends.
    Say(String),
    /// The bytes of the message.
    Out(Vec<u8>),
}

/// One golden session, as seen from one end of the wire.
#[derive(Debug)]
pub struct Transcript {
    /// The file's name without its extension.
    pub name: String,
    pub side: Side,
    pub wire: Wire,
    pub events: Vec<Event>,
}

impl Transcript {
    /// Returns all bytes that arrive.
    pub fn bytes(&self) -> Vec<u8> {
        let arrived = self.events.iter().filter_map(|event| match event {
            Event::In(bytes) => Some(&bytes[..]),
            _ => None,
        });
        arrived.collect::<Vec<_>>().concat()
    }

    /// Returns all items that are decoded.
    pub fn items(&self) -> Vec<String> {
        let items = self.events.iter().filter_map(|event| match event {
            Event::Got(item) => Some(item.clone()),
            _ => None,
        });
        items.collect()
    }
}

/// Returns all transcripts of the crate, sorted by name.
pub fn all() -> Vec<Transcript> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("transcripts");
    let entries = std::fs::read_dir(&directory).expect("the directory of transcripts");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("a directory entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|ending| ending == "transcript")
        })
        .collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Transcript {
    let name = path.file_stem().expect("a name").to_string_lossy();
    let text = std::fs::read_to_string(path).expect("a transcript in UTF-8");
    parse(&name, &text).unwrap_or_else(|problem| panic!("{name}.transcript: {problem}"))
}

/// Parses a transcript; the error names the line.
pub fn parse(name: &str, text: &str) -> Result<Transcript, String> {
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let (side, wire) = lines
        .next()
        .and_then(|(_, line)| header(line))
        .ok_or("expected `player json|line|codecup` or `host json|line` first")?;
    let events = lines
        .map(|(number, line)| event(line).map_err(|problem| format!("line {number}: {problem}")))
        .collect::<Result<Vec<_>, _>>()?;
    if events.iter().filter(|event| **event == Event::End).count() != 1 {
        return Err("expected exactly one `end`".to_owned());
    }
    Ok(Transcript {
        name: name.to_owned(),
        side,
        wire,
        events,
    })
}

fn header(line: &str) -> Option<(Side, Wire)> {
    let (side, wire) = line.split_once(' ')?;
    let wire = [Wire::Json, Wire::Line, Wire::Codecup]
        .into_iter()
        .find(|known| known.to_string() == wire)?;
    match side {
        "player" => Some((Side::Player, wire)),
        "host" if wire != Wire::Codecup => Some((Side::Host, wire)),
        _ => None,
    }
}

fn event(line: &str) -> Result<Event, String> {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    if let Some(count) = verb.strip_prefix("in*") {
        let count = count.parse().map_err(|_| "expected `in*COUNT`")?;
        return Ok(Event::In(unescape(rest)?.repeat(count)));
    }
    match verb {
        "in" => Ok(Event::In(unescape(rest)?)),
        "out" => Ok(Event::Out(unescape(rest)?)),
        "got" => Ok(Event::Got(rest.to_owned())),
        "say" => Ok(Event::Say(rest.to_owned())),
        "end" if rest.is_empty() => Ok(Event::End),
        _ => Err(format!("expected in, got, say, out or end, not {line:?}")),
    }
}

fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'\\') => b'\\',
            Some(b'x') => hex(rest.next(), rest.next()).ok_or("expected two hex digits")?,
            _ => return Err("expected \\n, \\r, \\t, \\\\ or \\xHH".to_owned()),
        });
    }
    Ok(bytes)
}

fn hex(high: Option<u8>, low: Option<u8>) -> Option<u8> {
    let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[test]
fn a_transcript_says_what_is_wrong_with_it() {
    for (text, problem) in [
        ("", "expected `player"),
        ("host codecup\nend\n", "expected `player"),
        ("player json\n", "exactly one `end`"),
        ("player json\nend\nend\n", "exactly one `end`"),
        ("player json\n\nsent x\n", "line 3: expected in, got"),
        ("player json\nin \\q\n", "line 2: expected \\n"),
        ("player json\nin \\x1\n", "line 2: expected two hex"),
        ("player json\nin*many x\n", "line 2: expected `in*COUNT`"),
    ] {
        let found = parse("test", text).expect_err(text);
        assert!(found.contains(problem), "{text:?} gave {found}");
    }
    let read = parse("test", "player line\nin*2 a\\x00\\n\nend\n").expect("a transcript");
    assert_eq!(read.bytes(), b"a\0\na\0\n");
}
