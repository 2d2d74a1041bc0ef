//! Converts questions and answers to and from the lines of `protocol/twentyone.md`.

use std::cell::RefCell;

use turnwise_engine::outside::Lines;
use turnwise_engine::player::{Failure, FaultKind, LastMove, Turn};

use super::table::Question;
use crate::actions::Action;
use crate::player::check_memory;
use crate::wire::{call_of, reply_of};

/// Sends a program one call per question. Each call contains the program's own last memory.
#[derive(Default)]
pub(super) struct TwentyOneLines {
    /// The memory in the program's last answer in this game.
    memory: RefCell<Option<String>>,
}

impl Lines<Question, Action> for TwentyOneLines {
    fn greeting(&self, _side: usize, _position: &Question) -> Vec<String> {
        self.memory.replace(None);
        Vec::new()
    }

    fn question(&self, turn: &Turn<Question, Action>) -> Vec<String> {
        let memory = self.memory.borrow();
        let call = call_of(&turn.position.seen.view(memory.as_deref()));
        vec![serde_json::to_string(&call).expect("plain data")]
    }

    /// Returns no lines, because each call already contains everything that a player may know about earlier moves.
    fn news(&self, _last: &LastMove<Question, Action>) -> Vec<String> {
        Vec::new()
    }

    fn answer(&self, line: &str, _position: &Question) -> Result<Action, Failure> {
        let garbage = |reason: String| Failure::new(FaultKind::Garbage, reason);
        let reply = reply_of(line.trim_end()).map_err(garbage)?;
        check_memory(&reply.memory).map_err(|fault| garbage(fault.to_string()))?;
        self.memory.replace(Some(reply.memory));
        Ok(reply.action)
    }
}

#[cfg(test)]
mod tests {
    use turnwise_engine::player::Allowance;
    use turnwise_engine::plugin::GameRules;
    use turnwise_engine::table::Table;
    use turnwise_protocol::twentyone::Call;

    use super::super::{TwentyOne, TwentyOneTable};
    use super::*;
    use crate::player::MEMORY_LIMIT;
    use crate::rules::Settings;

    fn table() -> TwentyOneTable {
        let rules = TwentyOne::by_options(&|_| None).expect("settings");
        TwentyOneTable::new(&rules, 5)
    }

    fn called(lines: &TwentyOneLines, position: &Question) -> Call<Settings> {
        let question = lines.question(&Turn {
            position,
            last: None,
            allowance: Allowance::default(),
        });
        Call::parse(&question[0]).expect("a call")
    }

    #[test]
    fn a_memory_comes_back_until_the_game_is_over() {
        let (table, lines) = (table(), TwentyOneLines::default());
        let position = table.position();
        assert_eq!(called(&lines, position).memory, None);
        let answer = r#"{"action":"bid","points":20,"memory":"two"}"#;
        assert_eq!(lines.answer(answer, position), Ok(Action::Bid(20)));
        assert_eq!(called(&lines, position).memory.as_deref(), Some("two"));
        lines.greeting(0, position);
        assert_eq!(called(&lines, position).memory, None);
    }

    #[test]
    fn nonsense_and_long_memories_are_garbage() {
        let (table, lines) = (table(), TwentyOneLines::default());
        let long = "é".repeat(MEMORY_LIMIT + 1);
        let long = format!(r#"{{"action":"bid","points":20,"memory":"{long}"}}"#);
        for line in ["", "hit", "{}", r#"{"action":"bid"}"#, &long] {
            let failure = lines.answer(line, table.position()).expect_err(line);
            assert_eq!(failure.kind, FaultKind::Garbage, "{line}");
        }
        assert_eq!(called(&lines, table.position()).memory, None);
    }
}
