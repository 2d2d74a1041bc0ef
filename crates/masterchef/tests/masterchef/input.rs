//! Tests input files: the assignment's cases, the extensions of the format, and every kind of error.

use crate::support::by_memory;
use proptest::prelude::*;
use turnwise_masterchef::answer::run_to_the_end;
use turnwise_masterchef::input::{InputError, Pool, parse};
use turnwise_masterchef::literal::{self, Algorithm};
use turnwise_masterchef::rules::{Captain, Draft};
use turnwise_masterchef::solver;

/// Returns a file with the algorithm `ab` and ten free contestants, of which `extra` is the first line.
fn file(extra: &str) -> String {
    let rest: String = (1..10)
        .map(|number| format!("1000{number},{number}.5,0.25,0.5,0\n"))
        .collect();
    format!("10\nab\n{extra}\n{rest}")
}

/// Returns the draft of a file whose numbers are as short as the assignment's.
fn draft(text: &str) -> Draft {
    match parse(text.as_bytes()).unwrap().pool {
        Pool::Usual(draft) => draft,
        pool => panic!("long numbers: {pool:?}"),
    }
}

fn fault(text: &str) -> InputError {
    parse(text.as_bytes()).expect_err("the file is malformed")
}

#[test]
fn all_cases_have_the_known_answer() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "in") {
            continue;
        }
        cases += 1;
        let draft = &draft(&std::fs::read_to_string(&path).unwrap());
        let expected: u32 = std::fs::read_to_string(path.with_extension("out"))
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        let mut answers = vec![solver::solve(draft, &mut run_to_the_end)];
        let permutations: usize = (0..draft.picks_left())
            .map(|pick| draft.free().count() - pick)
            .product();
        if permutations <= 1_000_000 {
            answers.push(literal::search(
                draft,
                Algorithm::Minimax,
                &mut run_to_the_end,
            ));
        }
        answers.push(literal::search(
            draft,
            Algorithm::AlphaBeta,
            &mut run_to_the_end,
        ));
        answers.push(by_memory(draft, &mut run_to_the_end));
        for answer in &answers {
            assert_eq!(
                draft.contestants()[answer.pick].id,
                expected,
                "{}: {answer:?}",
                path.display()
            );
            assert_eq!(answer.value, answers[0].value, "{}", path.display());
        }
    }
    assert_eq!(cases, 9);
}

#[test]
fn the_example_of_the_text_is_read_as_it_stands() {
    let text = include_str!("../data/example.in");
    let algorithm = parse(text.as_bytes()).unwrap().algorithm;
    assert_eq!(algorithm, Algorithm::Minimax);
    let draft = draft(text);
    assert_eq!(
        (
            draft.contestants().len(),
            draft.picks_left(),
            draft.decimals()
        ),
        (14, 4, 12)
    );
    let index = draft.find(64504).unwrap();
    // The gains are 193.537866 × 0.239586 and 193.537866 × 0.572906, times 10^12.
    assert_eq!(
        draft.contestants()[index].gain,
        [46_368_963_163_476, 110_879_004_658_596]
    );
    assert_eq!(draft.owner(index), None);
    let team = |captain| {
        draft
            .team(captain)
            .map(|index| draft.contestants()[index].id)
            .collect::<Vec<_>>()
    };
    assert_eq!(team(Captain::A), [46902, 83601, 87705]);
    assert_eq!(team(Captain::B), [12703, 79802, 98403]);
}

#[test]
fn what_the_text_leaves_open_is_accepted() {
    let plain = parse(file("7,200,1,0.1,0").as_bytes()).unwrap();
    let loose = file(" 7 , 200.0000000000000000000000 ,1e0, 1E-1 , 0 ").replace('\n', "\r\n\r\n");
    assert_eq!(
        parse(format!("\u{feff}\n{loose}").as_bytes()).unwrap(),
        plain
    );
    assert_eq!(
        parse(file("7,200,1,0.1,0").trim_end().as_bytes()).unwrap(),
        plain,
        "no line end at the end"
    );
    assert_eq!(draft(&file("7,200,1,0.1,0")).contestants()[0].digit(), 7);
    let long = draft(&file("4294967295,0,0,0,0"));
    assert_eq!(long.contestants()[9].digit(), 5);
    let leading_zeros = draft(&file("00010,0,0,0,0"));
    assert_eq!(leading_zeros.contestants()[0].id, 10);
}

#[test]
fn powers_are_counted_in_the_narrowest_units_that_are_exact() {
    let pool = |line: &str| parse(file(line).as_bytes()).unwrap().pool;
    // Capacities and happiness of the other lines have one and two decimals.
    let usual = draft(&file("7,199.9999999,0.12345678,1,0"));
    assert_eq!(usual.decimals(), 15);
    assert_eq!(usual.contestants()[0].gain[0], 1_999_999_999 * 12_345_678);
    let Pool::Long(long) = pool("7,199.9999999,0.123456789,1,0") else {
        panic!("16 decimals are not exact in 64 bits");
    };
    assert_eq!(
        long.contestants()[0].gain[0].to_string(),
        (1_999_999_999_i64 * 123_456_789).to_string()
    );
    assert!(matches!(pool("7,1e-70,0.12,1,0"), Pool::Long(_)));
    let Pool::Longest(longest) = pool("7,4.9406564584124654e-324,1e-71,1,0") else {
        panic!("411 decimals are not exact in 256 bits");
    };
    assert_eq!(longest.decimals(), 340 + 71);
    assert_eq!(
        longest.contestants()[0].gain[0].to_string(),
        "49406564584124654"
    );
    assert!(matches!(
        pool("7,1e-1074,1e-1074,1,0"),
        Pool::Longest(draft) if draft.decimals() == 2148
    ));
}

/// Without the limit, a small file could take much memory: a contestant with 2148 decimals takes 2 kB.
#[test]
fn a_pool_too_large_for_its_long_numbers_is_refused() {
    let lines: String = (1..=140_000)
        .map(|id| format!("{id},1e-9,1,{},0\n", if id == 77 { "1e-300" } else { "1" }))
        .collect();
    let error = fault(&format!("140000\nab\n{lines}"));
    assert_eq!(error.line, 1);
    let told = error.to_string();
    let most = told
        .strip_prefix("line 1: 140000 contestants are too many for exact powers of 309 decimals; expected at most ")
        .and_then(|rest| rest.strip_suffix(" of them, or shorter numbers"))
        .expect(&told);
    assert!(
        (100_000..140_000).contains(&most.parse().unwrap()),
        "{most}"
    );
    assert!(draft(&format!("140000\nab\n{}", lines.replace("1e-300", "1"))).decimals() == 9);
}

#[test]
fn every_fault_is_named_with_its_line() {
    let good = "10000,1,0,0,0";
    let with_states = |states: &[u8]| {
        let lines: String = states
            .iter()
            .enumerate()
            .map(|(number, state)| format!("{number},1,1,1,{state}\n"))
            .collect();
        format!("{}\nab\n{lines}", states.len())
    };
    let cases: Vec<(String, usize, &str)> = vec![
        (String::new(), 1, "empty"),
        (" \n\r\n".into(), 1, "empty"),
        (
            "ten\nab\n".into(),
            1,
            "expected the number of contestants, found \"ten\"",
        ),
        ("-10\nab\n".into(), 1, "expected the number of contestants"),
        ("10".into(), 2, "expected the algorithm"),
        (
            file(good).replace("ab", "alphabeta"),
            2,
            "unknown algorithm \"alphabeta\"",
        ),
        (
            file(good).replace("ab", "AB"),
            2,
            "unknown algorithm \"AB\"",
        ),
        (
            file(good).replacen("10", "11", 1),
            1,
            "announces 11 contestants, but 10 follow",
        ),
        (
            file(good).replacen("10", "99999999999999999999999", 1),
            1,
            "but 10 follow",
        ),
        (file("1,2,3,4"), 3, "expected 5 fields separated by commas"),
        (file("1,2,0,0,0,0"), 3, "found 6"),
        (file("x,1,0,0,0"), 3, "bad ID \"x\""),
        (file("-5,1,0,0,0"), 3, "bad ID"),
        (file("+5,1,0,0,0"), 3, "bad ID"),
        (file("4294967296,1,0,0,0"), 3, "bad ID"),
        (file("5,,0,0,0"), 3, "bad capacity \"\""),
        (file("5,1;5,0,0,0"), 3, "bad capacity"),
        (file("5,1,nan,0,0"), 3, "bad happiness about A \"nan\""),
        (file("5,1,0,0x1,0"), 3, "bad happiness about B"),
        (
            file("5,200.000001,0,0,0"),
            3,
            "capacity \"200.000001\" is out of range; expected 0 to 200",
        ),
        (file("5,-1,0,0,0"), 3, "out of range"),
        (
            file("5,1,1.1,0,0"),
            3,
            "happiness about A \"1.1\" is out of range; expected 0 to 1",
        ),
        (file("5,1,0,1e20,0"), 3, "out of range"),
        (file("5,1.7976931348623157e308,0,0,0"), 3, "out of range"),
        (
            file("5,1,0,1e-1075,0"),
            3,
            "bad happiness about B \"1e-1075\": more than 1074 decimals",
        ),
        (file("5,1,0,0,3"), 3, "bad pick state \"3\""),
        (
            file("10003,1,0,0,0"),
            6,
            "ID 10003 occurs twice; it is also on line 3",
        ),
        (with_states(&[0; 9]), 1, "only 9 contestants"),
        (
            with_states(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            3,
            "an odd number (1) in all",
        ),
        (
            with_states(&[1, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
            4,
            "2 contestants are picked by you and 0 by Bob;",
        ),
        (
            with_states(&[1, 1, 1, 1, 1, 1, 0, 0, 0, 0]),
            8,
            "pick number 6 of yours",
        ),
        (
            with_states(&[2, 2, 2, 2, 2, 0, 0, 2, 0, 0]),
            10,
            "pick number 6 of Bob's",
        ),
        (
            with_states(&[2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 0]),
            12,
            "both teams are complete",
        ),
    ];
    for (text, line, message) in cases {
        let error = fault(&text);
        assert_eq!(error.line, line, "{error} in\n{text}");
        assert!(
            error.to_string().contains(message),
            "{error}\n   should say: {message}"
        );
    }
    let error = parse(b"10\nab\n\xff\xfe").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3: not text; save the file as plain text (UTF-8)"
    );
}

#[test]
fn a_quoted_text_is_cut_short() {
    let error = fault(&file(&format!("5,{},0,0,0", "ü".repeat(100_000))));
    assert!(error.to_string().len() < 250, "{error}");
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn no_line_makes_the_reader_panic(line in "[-+0-9.,eE ]{0,40}") {
        let _ = parse(file(&line).as_bytes());
    }

    #[test]
    fn gains_are_the_exact_products(capacity in 0..=200_000_000_i64, happy in 0..=1_000_000_i64) {
        let text = format!("7,{}.{:06},{}.{:06},0,0", capacity / 1_000_000, capacity % 1_000_000, happy / 1_000_000, happy % 1_000_000);
        let draft = draft(&file(&text));
        let scale = 10_i64.pow(12 - draft.decimals());
        prop_assert_eq!(draft.contestants()[0].gain[0] * scale, capacity * happy);
    }
}
