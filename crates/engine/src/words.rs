//! Words for people: counted things, and text from outside made fit to be shown.

use std::fmt::Display;

/// A number and what it counts, `1 pair` or `2 pairs`. The noun is given in the singular.
pub fn counted<N: Display>(number: N, noun: &str) -> String {
    let number = number.to_string();
    let plural = match noun {
        _ if number == "1" => noun.to_owned(),
        "ply" => "plies".to_owned(),
        _ => format!("{noun}s"),
    };
    format!("{number} {plural}")
}

/// Control characters, those that turn the reading direction, and those that XML forbids: what would
/// take hold of the terminal, disguise a line or break an SVG.
pub fn is_unprintable(character: char) -> bool {
    let turns = matches!(
        character,
        '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    let forbidden = matches!(character, '\u{fffe}' | '\u{ffff}');
    character.is_control() || turns || forbidden
}

/// A text without such characters.
pub fn printable(text: &str) -> String {
    text.replace(is_unprintable, "\u{fffd}")
}

/// The same of a text that may have several lines.
pub fn printable_lines(text: &str) -> String {
    text.replace(
        |letter| letter != '\n' && is_unprintable(letter),
        "\u{fffd}",
    )
}

/// A text on one line, printable, and of at most `most` characters; what is cut off shows as `…`.
pub fn one_line(text: &str, most: usize) -> String {
    let text = printable(&text.replace('\t', " "));
    let text = text.trim();
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
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
    fn text_from_outside_stays_on_its_line_and_within_bounds() {
        assert_eq!(one_line("\tat main\u{1b}[2J ", 20), "at main\u{fffd}[2J");
        assert_eq!(one_line("four", 4), "four");
        assert_eq!(one_line("fifth", 4), "fif…");
        assert_eq!(one_line("äöüäöü", 4), "äöü…");
    }
}
