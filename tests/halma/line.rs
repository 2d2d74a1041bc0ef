//! Principal variations in the table: legal when read, harmless when written.

use proptest::prelude::*;
use turnwise::games::halma::evaluation::Values;
use turnwise::games::halma::line::{read, write};
use turnwise::games::halma::player::{Player, Strong};
use turnwise::games::halma::rules::{Move, Position, Rules};
use turnwise::games::halma::search::{Endless, Searcher, Selectivity, WON};
use turnwise::games::halma::squares::Square;
use turnwise::search::table::Table;

use crate::positions::{after_random_moves, any_position, legal, rules, scattered};

/// The moves that these numbers pick, one after the other.
fn walk(mut position: Position, picks: &[prop::sample::Index]) -> Vec<Move> {
    let mut line = Vec::new();
    for pick in picks {
        let moves = legal(&position);
        if position.is_won() || moves.is_empty() {
            break;
        }
        line.push(*pick.get(&moves));
        position.play(line[line.len() - 1]);
    }
    line
}

/// The exact value at full width, and the table that it was found with.
fn searched(position: &Position, depth: u32, hints: &[Move]) -> (i32, Table<Move>) {
    let values = Values::default();
    let mut table = Table::new(1 << 18);
    write(&mut table, *position, hints);
    let mut endless = Endless;
    let mut searcher = Searcher::new(
        &values,
        Selectivity::NONE,
        &mut table,
        u64::MAX,
        &mut endless,
    );
    let balance = values.position(position);
    let found = searcher.value(position, balance, depth, 0, (-WON, WON));
    (found.expect("nothing ends it"), table)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_written_is_read_as_far_as_it_is_legal(
        position in any_position(), picks in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        most in 0usize..8,
    ) {
        prop_assume!(!position.is_won());
        let line = walk(position, &picks);
        let mut table = Table::new(1 << 18);
        let corner = Square::at(0, 0);
        let nowhere = Move { from: corner, to: corner };
        let more = [&line[..], &[nowhere]].concat();
        write(&mut table, position, &more);
        let read = read(&table, position, most);
        // A line that comes back to a position has two moves there; the later one is known.
        let mut at = position;
        for &mv in &read {
            prop_assert!(at.is_legal(mv) && line.contains(&mv));
            at.play(mv);
        }
        let mut hashes = vec![position.hash()];
        let mut at = position;
        for &mv in &line {
            at.play(mv);
            hashes.push(at.hash());
        }
        hashes.sort_unstable();
        hashes.dedup();
        if hashes.len() == line.len() + 1 {
            prop_assert_eq!(&read[..], &line[..line.len().min(most)]);
        }
    }

    #[test]
    fn hints_change_no_value(
        seed in any::<u64>(), rules in rules(),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..4), depth in 1u32..4,
    ) {
        let position = scattered(seed, 3, 3, rules);
        prop_assume!(!position.is_won() && !legal(&position).is_empty());
        let hints = walk(position, &picks);
        prop_assert_eq!(searched(&position, depth, &hints).0, searched(&position, depth, &[]).0);
    }
}

#[test]
fn a_player_tells_what_it_expects_and_takes_advice() {
    for (seed, rules) in [(5, Rules::Base), (6, Rules::Addendum)] {
        let position = after_random_moves(seed, 24, rules);
        let mut player = Strong::new(1 << 20);
        assert_eq!(player.line(), []);
        let choice = player.choose(&position, 20_000, &mut Endless);
        let after = position.after(choice.expect("a move").mv);
        let line = player.line().to_vec();
        assert!(line.len() >= 2, "{line:?}");
        let mut at = after;
        for &mv in &line {
            assert!(at.is_legal(mv), "{line:?}");
            at.play(mv);
        }
        // Without a search the advice is the answer, unless it repeats a position.
        let next = after.after(line[0]);
        let advised = *legal(&next).last().expect("a move");
        let mut glance = Strong::new(1 << 16);
        glance.expect(&next, &[advised]);
        let answer = glance.choose(&next, 0, &mut Over).expect("a move").mv;
        assert_eq!(answer, advised);
        let mut glance = Strong::new(1 << 16);
        glance.resume(vec![next.after(advised).hash()], Vec::new());
        glance.expect(&next, &[advised]);
        assert_ne!(
            glance.choose(&next, 0, &mut Over).expect("a move").mv,
            advised
        );
        player.reset();
        assert_eq!(player.line(), []);
    }
}

/// No time at all.
struct Over;

impl turnwise::games::halma::search::Watch for Over {
    fn is_early(&mut self) -> bool {
        false
    }

    fn is_soft_over(&mut self) -> bool {
        true
    }

    fn is_hard_over(&mut self) -> bool {
        true
    }
}
