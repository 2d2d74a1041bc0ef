//! The rules of Entropy, for newcomers.

use turnwise_engine::plugin::{Rule, RuleExample};

pub(super) static RULES: [Rule; 4] = [
    Rule {
        words: "Order and Chaos share a board of N x N cells and a bag that contains N tiles of each of N colors. Chaos \
                draws a tile at random and puts it on any empty cell. Then Order slides one tile along its row or column, \
                over empty cells only, or passes if the match allows it. They continue until the board is full.",
        example: Some(RuleExample {
            caption: "Order has slid the A from row 0, column 0 down to row 3, where it completes the row A B B A.",
            options: &[("size", "4")],
            position: "A.C.\n....\n.D..\n.BBA\n",
            moves: &["0 0 3 0"],
        }),
    },
    Rule {
        words: "When the board is full, Order scores. A palindrome is two or more neighboring tiles of a row or column that \
                read the same in both directions. Each palindrome scores one point for each of its tiles, also if it is \
                part of a longer one.",
        example: Some(RuleExample {
            caption: "Row 0 scores 6 points: 2 for B B, and 4 for A B B A.",
            options: &[("size", "4")],
            position: "ABBA\nCD..\n....\n....\n",
            moves: &[],
        }),
    },
    Rule::plain(
        "Chaos does not know which tile comes next, but everybody can count the tiles that are left in the bag.",
    ),
    Rule::plain(
        "The players then swap roles and play again. Whoever scored more points as Order wins.",
    ),
];
