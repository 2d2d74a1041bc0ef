//! Human-readable text: counted nouns, and text from other programs made safe to display.

use std::fmt::Display;

/// Formats a number with a noun, for example as `1 pair` or `2 pairs`. The noun is given in the singular.
pub fn counted<N: Display>(number: N, noun: &str) -> String {
    let number = number.to_string();
    let plural = match noun {
        _ if number == "1" => noun.to_owned(),
        "ply" => "plies".to_owned(),
        _ => format!("{noun}s"),
    };
    format!("{number} {plural}")
}

/// Returns true for characters that are unsafe to display. They could control the terminal, disguise a line or a
/// name, or break an SVG: control characters, invisible characters, characters that change the writing direction,
/// and those forbidden by XML.
pub fn is_unprintable(character: char) -> bool {
    let turns = matches!(
        character,
        '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    let has_no_width = matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    );
    let forbidden = matches!(character, '\u{fffe}' | '\u{ffff}');
    character.is_control() || turns || has_no_width || forbidden
}

/// Returns the bytes as hexadecimal digits, two for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the 64-bit FNV-1a hash of the bytes (Fowler, Noll and Vo). Every machine and every version of the program
/// computes the same hash.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Replaces each unprintable character by U+FFFD; see [`is_unprintable`].
pub fn printable(text: &str) -> String {
    text.replace(is_unprintable, "\u{fffd}")
}

/// Makes a text of several lines [`printable`], but keeps its line feeds.
pub fn printable_lines(text: &str) -> String {
    text.replace(
        |letter| letter != '\n' && is_unprintable(letter),
        "\u{fffd}",
    )
}

/// Makes a text [`printable`] on one line of at most `most` characters. If the text is cut, it ends with `…`.
pub fn one_line(text: &str, most: usize) -> String {
    let text = printable(&text.replace('\t', " "));
    let text = text.trim();
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// Cuts the middle out of a text that is longer than `most` bytes, and marks the cut with `…`.
///
/// Both ends of the text are kept because an error message usually names the place of the error at its beginning, and
/// gives the expected value and advice at its end.
pub fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let head = (0..=most / 2).rev().find(is_boundary).unwrap_or_default();
    let tail = (text.len() - most / 2..).find(is_boundary);
    let tail = tail.and_then(|at| text.get(at..)).unwrap_or_default();
    format!("{}…{tail}", &text[..head])
}

/// The maximum number of characters of a line that an error quotes.
const LONGEST_QUOTED: usize = 60;

/// Passes each line of a text to `take`, until `take` rejects a line by returning false. The error then states the
/// expected and the actual text.
pub fn take_lines(
    text: &str,
    expected: &str,
    mut take: impl FnMut(&str) -> bool,
) -> Result<(), String> {
    match (1..).zip(text.lines()).find(|(_, line)| !take(line)) {
        None => Ok(()),
        Some((number, line)) => {
            let got = one_line(line, LONGEST_QUOTED);
            Err(format!("line {number}: expected {expected}, got `{got}`"))
        }
    }
}

/// Stores `said` in `place`, unless `said` is `None` or `place` already holds a value. Returns true if `said` was
/// stored.
pub fn is_new<T>(place: &mut Option<T>, said: Option<T>) -> bool {
    let is_new = place.is_none() && said.is_some();
    if is_new {
        *place = said;
    }
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_singular() {
        assert_eq!(counted(0, "pair"), "0 pairs");
        assert_eq!(counted(1_u64, "pair"), "1 pair");
        assert_eq!(counted(21, "pair"), "21 pairs");
        assert_eq!(counted(1, "ply"), "1 ply");
        assert_eq!(counted(3, "ply"), "3 plies");
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(*b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(*b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(*b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn nobody_is_disguised_by_what_cannot_be_seen() {
        for hidden in [
            '\u{202e}',
            '\u{2066}',
            '\u{200b}',
            '\u{200d}',
            '\u{2060}',
            '\u{feff}',
            '\u{e0041}',
        ] {
            assert_eq!(printable(&format!("al{hidden}ice")), "al\u{fffd}ice");
        }
        assert_eq!(printable("Zoë 李 ♞ é"), "Zoë 李 ♞ é");
    }

    #[test]
    fn text_from_outside_stays_on_its_line_and_within_bounds() {
        assert_eq!(one_line("\tat main\u{1b}[2J ", 20), "at main\u{fffd}[2J");
        assert_eq!(one_line("four", 4), "four");
        assert_eq!(one_line("fifth", 4), "fif…");
        assert_eq!(one_line("äöüäöü", 4), "äöü…");
        assert_eq!(shortened("four", 4), "four");
        assert_eq!(shortened("fifthly", 4), "fi…ly");
        assert_eq!(shortened("äöüäöü", 6), "ä…ü");
    }
}
