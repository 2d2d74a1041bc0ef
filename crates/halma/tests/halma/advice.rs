//! Tests which moves an agent expects after its own, and how it uses advice from earlier searches.

use turnwise_engine::agent::Agent;
use turnwise_engine::search::{Control, Limits};
use turnwise_halma::rules::{Move, Position, Rules};
use turnwise_halma::search_agent::{Memory, SearchAgent};

use crate::positions::{after_random_moves, found};
use crate::search::no_time;

#[test]
fn an_agent_tells_what_it_expects_and_takes_advice() {
    for (seed, rules) in [(5, Rules::Base), (6, Rules::Addendum)] {
        let position = after_random_moves(seed, 24, rules);
        let mut agent = SearchAgent::new(1 << 20);
        assert_eq!(agent.memory.line, []);
        let after = position.after(found(&mut agent, &position, 20_000).best);
        let line = agent.memory.line.clone();
        assert_eq!(line.len(), 2, "{line:?}");
        let mut at = after;
        for &mv in &line {
            assert!(at.is_legal(mv), "{line:?}");
            at.play(mv);
        }
        // Without a search, the advice is the answer, unless it repeats a position.
        let next = after.after(line[0]);
        let advised = *next.moves().last().expect("a move");
        assert_eq!(at_a_glance(&next, advised, Memory::default()), advised);
        let seen = Memory {
            seen: vec![next.after(advised).hash()],
            ..Memory::default()
        };
        assert_ne!(at_a_glance(&next, advised, seen), advised);
        agent.new_game();
        assert_eq!(agent.memory, Memory::default());
    }
}

/// Returns the move of an agent that has this memory and advice, but no time to search.
fn at_a_glance(position: &Position, advised: Move, memory: Memory) -> Move {
    let mut agent = SearchAgent::new(1 << 16);
    agent.memory = memory;
    agent.advise(position, advised);
    let limits = Limits {
        nodes: 0,
        ..no_time()
    };
    agent.think(position, limits, &Control::new()).best
}
