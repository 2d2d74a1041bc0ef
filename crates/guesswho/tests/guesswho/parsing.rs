//! Tests which configuration files and chosen person files are accepted, and the errors about the others.

use proptest::prelude::*;
use turnwise_guesswho::config::Configuration;
use turnwise_guesswho::parse::{self, Strictness};

use super::boards::{COURSE, path, small_boards};

const SMALL: &str =
    "hair short long\nhat red\n\nP1\nhair short\nhat red\n\nP2\nhat red\nhair long\n";

fn read(text: &str) -> Configuration {
    parse::configuration(text, Strictness::Strict)
        .expect("the file is sound")
        .configuration
}

/// Returns the printed problems of a configuration file that strict parsing must reject.
fn problems(text: &str) -> Vec<String> {
    let error = parse::configuration(text, Strictness::Strict).expect_err("the file is not sound");
    error.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn the_assignments_example_is_read() {
    let configuration = read(SMALL);
    assert_eq!(configuration.attributes.len(), 2);
    assert_eq!(configuration.attributes[0].values, ["short", "long"]);
    assert_eq!(configuration.persons[1].name, "P2");
    assert_eq!(configuration.persons[1].values, [1, 0]);
    assert_eq!(configuration.person("P2"), Some(1));
    assert_eq!(configuration.pair("hair", "long"), Some((0, 1)));
    assert_eq!(configuration.pair("hair", "red"), None);
}

#[test]
fn line_ends_and_white_space_do_not_matter() {
    let odd = format!(
        "\u{feff}\n \n{}",
        SMALL.replace('\n', " \r\n").replace(' ', " \t ")
    );
    assert_eq!(read(&odd), read(SMALL));
    assert_eq!(read(SMALL.trim_end()), read(SMALL));
}

#[test]
fn a_byte_order_mark_inside_a_file_belongs_to_no_word() {
    let (attributes, persons) = SMALL.split_once("\n\n").expect("a blank line");
    let mark = '\u{feff}';
    let joined = format!("{mark}{attributes}\n{mark}\n{mark}{persons}");
    assert_eq!(read(&joined), read(SMALL));
    let text = " \u{feff}\u{feff}a \u{feff}\n\n\u{feff}p\na b";
    let parsed = parse::configuration(text, Strictness::Lenient).expect_err("a has no values");
    assert_eq!(
        parsed.problems[0].to_string(),
        "1:4: attribute a has no values: expected \"a VALUE VALUE ...\""
    );
    assert_eq!(
        parse::chosen("\u{feff} P2\u{feff}P1", &read(SMALL)),
        Ok([1, 0])
    );
}

#[test]
fn every_problem_is_told_with_its_place() {
    let cases: &[(&str, &[&str])] = &[
        (
            "",
            &[
                "1:1: the file is empty: expected attributes with their values, a blank line, then persons",
            ],
        ),
        (
            " \n\t\n",
            &[
                "1:1: the file is empty: expected attributes with their values, a blank line, then persons",
            ],
        ),
        (
            "hair a b\n",
            &["2:1: no person follows the attributes: expected a blank line, then persons"],
        ),
        (
            "hair\n\nP1\nhair x\n",
            &[
                "1:1: attribute hair has no values: expected \"hair VALUE VALUE ...\"",
                "4:6: unknown value x of attribute hair: expected one of nothing",
            ],
        ),
        (
            "hair a\nhair b\n\nP1\nhair a\n",
            &["2:1: attribute hair is declared twice, first on line 1"],
        ),
        (
            "hair a\n\nP1\nhat a\nhair a\n",
            &["4:1: unknown attribute hat: expected one of hair"],
        ),
        (
            "hair a b\n\nP1\n  hair   c\n",
            &["4:10: unknown value c of attribute hair: expected one of a, b"],
        ),
        (
            "hair a\nhat b\n\nP1\nhair a\n",
            &["4:1: person P1 has no value of hat"],
        ),
        (
            "hair a b\n\nP1\nhair a\nhair b\n",
            &["5:1: person P1 has attribute hair twice, first on line 4"],
        ),
        (
            "hair a b\n\nP1\nhair a\n\nP1\nhair b\n",
            &["6:1: person P1 occurs twice, first on line 3"],
        ),
        (
            "hair a b\n\nP1\nhair a\n\nP2\nhair a\n",
            &["6:1: persons P1 and P2 are identical: they have the same value of every attribute"],
        ),
        (
            "hair a b\n\nP1 P2\nhair a\n",
            &["3:1: expected a person's name, one word on a line of its own, got 2 words"],
        ),
        (
            "hair a b\n\nP1\nhair\n",
            &[
                "4:1: expected \"ATTRIBUTE VALUE\" for person P1, got 1 word(s)",
                "3:1: person P1 has no value of hair",
            ],
        ),
        (
            "häär ä\n\nP1\nhäär ö\n",
            &["4:6: unknown value ö of attribute häär: expected one of ä"],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(problems(text), *expected, "{text:?}");
    }
}

#[test]
fn a_hopeless_file_does_not_fill_the_memory_with_problems() {
    let text = format!("hair a\n{}", "\nP\nhat x\n".repeat(10_000));
    let error = parse::configuration(&text, Strictness::Strict).expect_err("the file is not sound");
    assert_eq!(error.problems.len(), 100);
}

#[test]
fn lenient_reading_accepts_undeclared_values_and_persons_who_are_alike() {
    let text = "hair a b b\n\nP1\nhair c\n\nP2\nhair c\n\nP3\nhair a\n";
    assert_eq!(problems(text).len(), 2);
    let parsed = parse::configuration(text, Strictness::Lenient).expect("it is read leniently");
    let warnings: Vec<String> = parsed.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "1:10: value b occurs twice in the declaration of hair",
            "4:6: unknown value c of attribute hair: expected one of a, b",
            "6:1: persons P1 and P2 are identical: they have the same value of every attribute",
        ]
    );
    assert_eq!(parsed.configuration.attributes[0].values, ["a", "b", "c"]);
    assert_eq!(parsed.configuration.persons.len(), 3);
}

#[test]
fn of_the_courses_files_only_one_needs_lenience() {
    for name in COURSE {
        let text = std::fs::read_to_string(path(name)).expect("the test data is there");
        let strict = parse::configuration(&text, Strictness::Strict);
        assert_eq!(strict.is_err(), name == "jm_game3", "{name}");
        if let Err(error) = strict {
            assert!(error.problems.iter().all(|problem| {
                problem.is_doubtful && problem.to_string().contains("unknown value")
            }));
            assert_eq!(error.problems.len(), 76);
        }
    }
}

#[test]
fn chosen_persons_are_found_or_refused_with_their_place() {
    let configuration = read(SMALL);
    assert_eq!(parse::chosen("P2 P1\n", &configuration), Ok([1, 0]));
    assert_eq!(parse::chosen("  P1\tP1", &configuration), Ok([0, 0]));
    for (text, expected) in [
        (
            "",
            "1:1: the chosen person file is empty: expected \"PERSON1 PERSON2\"",
        ),
        (
            "P1\n",
            "1:1: expected two names, \"PERSON1 PERSON2\", got 1 word(s)",
        ),
        (
            "P1 P2 P1\n",
            "1:1: expected two names, \"PERSON1 PERSON2\", got 3 word(s)",
        ),
        (
            "P1 P9\n",
            "1:4: chosen person P9 of player 2 is not in the configuration: expected one of P1, P2",
        ),
    ] {
        assert_eq!(
            parse::chosen(text, &configuration)
                .expect_err("it is refused")
                .to_string(),
            expected
        );
    }
}

proptest! {
    #[test]
    fn a_printed_configuration_is_read_back(board in small_boards(12)) {
        let configuration = board.configuration();
        let text = configuration.to_string();
        let parsed = parse::configuration(&text, Strictness::Lenient).expect("what was printed is sound");
        prop_assert_eq!(&parsed.configuration, configuration);
        prop_assert_eq!(parsed.configuration.to_string(), text);
    }

    #[test]
    fn names_of_any_characters_are_read_back(
        names in proptest::collection::hash_set("[^\\s\u{feff}]{1,6}", 5),
    ) {
        let names: Vec<String> = names.into_iter().collect();
        let text = format!("{0} {1} {2}\n\n{3}\n{0} {1}\n\n{4}\n{0} {2}\n", names[0], names[1], names[2], names[3], names[4]);
        prop_assert_eq!(read(&text).to_string(), text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "([a-c]{1,2}|[ \t]|\n|\r\n|\u{feff}|é){0,60}") {
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            match parse::configuration(&text, strictness) {
                Ok(parsed) => {
                    let again = parse::configuration(&parsed.configuration.to_string(), Strictness::Lenient);
                    prop_assert_eq!(again.expect("what was printed is sound").configuration, parsed.configuration);
                }
                Err(error) => {
                    prop_assert!(!error.problems.is_empty());
                    let lines = text.lines().count();
                    prop_assert!(error.problems.iter().all(|problem| problem.line <= lines + 1 && problem.column >= 1));
                }
            }
        }
    }
}
