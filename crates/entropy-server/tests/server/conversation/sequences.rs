//! Tests that arbitrary messages from the server, in any order, cause no panic and no unexpected answer.

use proptest::prelude::*;
use turnwise_protocol::entropy::{Reply, Wire};

use crate::conversation::table::{Manner, Table};

fn line() -> impl Strategy<Value = String> {
    let number = || prop_oneof![8 => 0u16..4, 1 => 0u16..300];
    let tile = || prop_oneof![8 => "[A-C]", 1 => "[A-Z]"];
    prop_oneof![
        2 => prop_oneof![Just("2"), Just("3"), Just("2\nORDER"), Just("3\nCHAOS"), Just("3\nORDER")]
            .prop_map(str::to_owned),
        1 => prop_oneof![Just("0"), Just("27"), Just("26"), Just("ORDER"), Just("CHAOS")]
            .prop_map(str::to_owned),
        5 => tile(),
        1 => (number(), number()).prop_map(|(row, col)| format!("{row} {col}")),
        6 => (number(), number(), tile()).prop_map(|(row, col, tile)| format!("{row} {col} {tile}")),
        5 => (number(), number(), number(), number())
            .prop_map(|(a, b, c, d)| format!("{a} {b} {c} {d}")),
        1 => "[ -z]{0,9}",
    ]
}

#[derive(Debug, Clone)]
enum Event {
    Hear { lines: Vec<String>, asked: bool },
    Reset,
    Unknown,
    ComeBack,
    Overdue,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        10 => (proptest::collection::vec(line(), 0..4), any::<bool>())
            .prop_map(|(lines, asked)| Event::Hear { lines, asked }),
        1 => Just(Event::Reset),
        1 => Just(Event::Unknown),
        6 => Just(Event::ComeBack),
        2 => Just(Event::Overdue),
    ]
}

fn manner() -> impl Strategy<Value = Manner> {
    prop_oneof![
        4 => Just(Manner::Steady),
        1 => Just(Manner::Illegal),
    ]
}

/// Returns true if a line may require an answer on wires that do not mark such lines.
fn asks(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    matches!(words[..], [tile] | [_, _, tile] if tile.len() == 1 && ("A"..="Z").contains(&tile))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json(events in proptest::collection::vec(event(), 0..60), manner in manner()) {
        let mut table = Table::new(Wire::Json);
        *table.manner.lock().unwrap() = manner;
        let mut asked_for = 0;
        for event in events {
            match event {
                Event::Hear { lines, asked: true } => {
                    asked_for += 1;
                    table.update(&(lines.join("\n") + "\n"));
                }
                Event::Hear { lines, asked: false } => table.update_only(&lines.join("\n")),
                Event::Reset => table.reset(),
                Event::Unknown => table.raw(br#"{"purpose":"?"}"#),
                Event::ComeBack if table.task.is_some() => table.think(),
                Event::Overdue if table.task.is_some() => table.overdue(None),
                Event::ComeBack | Event::Overdue => {}
            }
            prop_assert!(table.sent.len() <= asked_for);
            prop_assert_eq!(&table.closed, &None);
        }
    }

    #[test]
    fn one_answer_to_each_json_update_that_is_waited_for(
        events in proptest::collection::vec(event(), 0..60), manner in manner(),
    ) {
        let mut table = Table::new(Wire::Json);
        *table.manner.lock().unwrap() = manner;
        for event in events {
            match event {
                Event::Hear { lines, asked: true } => {
                    table.update(&lines.join("\n"));
                    if table.task.is_some() {
                        table.think();
                    }
                    table.reply();
                }
                Event::Hear { lines, asked: false } => table.update_only(&lines.join("\n")),
                Event::Reset => table.reset(),
                _ => {}
            }
            prop_assert_eq!(&table.sent, &[]);
        }
    }

    #[test]
    fn lines(events in proptest::collection::vec(event(), 0..60), manner in manner()) {
        let mut table = Table::new(Wire::Line);
        *table.manner.lock().unwrap() = manner;
        let mut asked_for = 0;
        for event in events {
            match event {
                Event::Hear { lines, .. } => {
                    asked_for += lines.iter().filter(|line| asks(line)).count();
                    table.raw((lines.join("\n") + "\n").as_bytes());
                }
                Event::ComeBack if table.task.is_some() => table.think(),
                Event::Overdue if table.task.is_some() => table.overdue(None),
                _ => {}
            }
            prop_assert!(table.sent.len() <= asked_for);
            prop_assert!(!table.sent.iter().any(|reply| matches!(reply, Reply::Concede(_))));
        }
    }

    #[test]
    fn codecup_words(words in proptest::collection::vec("Start|[1-7]|[1-7][A-G][a-g]|([A-G][a-g]){2}|x", 0..80)) {
        let mut table = Table::new(Wire::Codecup);
        for word in words {
            let before = table.sent.len();
            table.raw(format!("{word}\n").as_bytes());
            let asked = table.task.is_some();
            if asked {
                table.think();
            }
            prop_assert_eq!(table.sent.len() - before, usize::from(asked));
        }
    }
}
