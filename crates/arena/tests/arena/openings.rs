//! Tests the random plies with which both games of a pair begin.

use turnwise_engine::plugin::{AgentOptions, Meeting, Seat};

use crate::game;

/// Returns the random opening of a game of Entropy on a board of 3 x 3.
fn opening(plies: u32, seed: u64) -> Vec<String> {
    let size = |name: &str| (name == "size").then(|| "3".to_owned());
    let settled = game("entropy").by_options(&size).expect("a size");
    let options = AgentOptions::default();
    let resources = settled
        .resources("random", &options)
        .expect("nothing is needed");
    let seat = || Seat::BuiltIn {
        name: "random",
        options: &options,
        resources: &resources,
        nodes: Some(1),
        seed,
    };
    let pair = Meeting::new(settled, vec![seat(), seat()], seed, 0);
    let mut pair = pair.expect("two players");
    let [one, two] = [1, 2].map(|game| {
        let (first, opening) = pair.begin(game, plies).expect("they sit down");
        assert_eq!(first, 1, "Chaos begins");
        assert!(pair.turn().is_some(), "nothing is left to the players");
        opening
    });
    assert_eq!(one, two, "both games of a pair begin alike");
    one
}

#[test]
fn an_opening_leaves_a_ply_and_is_the_seed_s() {
    assert_eq!(opening(1000, 4).len(), 16);
    assert_eq!(opening(5, 4).len(), 5);
    assert_eq!(opening(5, 4), opening(5, 4));
    assert_ne!(opening(5, 4), opening(5, 5));
}
