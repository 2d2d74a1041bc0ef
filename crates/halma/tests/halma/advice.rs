//! What a player expects to follow, and what it makes of advice.

use turnwise_halma::player::{Player, Strong};
use turnwise_halma::rules::Rules;
use turnwise_halma::search::Endless;

use crate::positions::{after_random_moves, legal};
use crate::search::Over;

#[test]
fn a_player_tells_what_it_expects_and_takes_advice() {
    for (seed, rules) in [(5, Rules::Base), (6, Rules::Addendum)] {
        let position = after_random_moves(seed, 24, rules);
        let mut player = Strong::new(1 << 20);
        assert_eq!(player.line(), []);
        let choice = player.choose(&position, 20_000, &mut Endless);
        let after = position.after(choice.expect("a move").mv);
        let line = player.line().to_vec();
        assert_eq!(line.len(), 2, "{line:?}");
        let mut at = after;
        for &mv in &line {
            assert!(at.is_legal(mv), "{line:?}");
            at.play(mv);
        }
        // Without a search the advice is the answer, unless it repeats a position.
        let next = after.after(line[0]);
        let advised = *legal(&next).last().expect("a move");
        let mut glance = Strong::new(1 << 16);
        glance.advise(&next, advised);
        let answer = glance.choose(&next, 0, &mut Over).expect("a move").mv;
        assert_eq!(answer, advised);
        let mut glance = Strong::new(1 << 16);
        glance.resume(vec![next.after(advised).hash()], Vec::new());
        glance.advise(&next, advised);
        assert_ne!(
            glance.choose(&next, 0, &mut Over).expect("a move").mv,
            advised
        );
        player.reset();
        assert_eq!(player.line(), []);
    }
}
