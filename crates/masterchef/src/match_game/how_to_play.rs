//! The rules of MasterChef, for newcomers.

use turnwise_engine::plugin::{Rule, RuleExample};

pub(super) static RULES: [Rule; 3] = [
    Rule::plain(
        "Captains A and Bob pick contestants from one pool in turn, A first, until each has a team of five. Both \
         captains know everything about the contestants.",
    ),
    Rule {
        words: "A contestant has a capacity, and for each captain a happiness from 0 to 1. A member adds happiness times \
                capacity to the power of the team. A team whose five IDs all end in different digits gets a diversity \
                bonus of 120.",
        example: Some(RuleExample {
            caption: "A has four contestants with different last digits. With 88903 the last digits would be 1, 2, 3, 5 and \
                      3; with 46900 they would all differ.",
            options: &[],
            position: EXAMPLE,
            moves: &[],
        }),
    },
    Rule::plain("The captain with the more powerful team wins, and the difference is the margin."),
];

const EXAMPLE: &str = "12
ab
83601,10.631835,0.547191,0.251238,1
87705,111.105311,0.931969,0.653667,1
46902,142.316246,0.511181,0.217463,1
39203,87.595928,0.208003,0.255219,1
12703,75.011463,0.456201,0.037517,2
98403,83.132871,0.236225,0.612434,2
79802,118.762381,0.880846,0.579115,2
64504,193.537866,0.239586,0.572906,2
88903,187.685198,0.277158,0.679969,0
46900,150.5,0.4,0.3,0
25202,23.053795,0.075295,0.993499,0
55507,168.823333,0.127049,0.159396,0
";
