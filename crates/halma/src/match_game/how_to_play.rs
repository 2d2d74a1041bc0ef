//! The rules of Halma, for newcomers.

use turnwise_engine::plugin::{Rule, RuleExample};

/// A black piece can jump over two white ones.
const JUMPS: &str = "
BBBBB...........
BBBBB...........
BBBB............
BBB.............
B...............
..B.............
...W............
................
.....W..........
................
................
..............WW
.............WWW
............W.WW
...........WWWWW
...........WWWW.
to move: Black
";

pub(super) static RULES: [Rule; 4] = [
    Rule::plain(
        "Black starts with 19 pieces in the top left corner, White with 19 in the bottom right corner. Each wants to fill \
         the opposite corner, the opponent's camp, first.",
    ),
    Rule {
        words: "A piece moves to one of the eight neighboring squares if it is empty. Or it jumps over a neighboring piece of \
                either player to the empty square directly behind. After a jump, the same piece may jump again in any \
                direction. Jumped pieces stay on the board.",
        example: Some(RuleExample {
            caption: "The black piece that was on column 2, row 5 has jumped over two white pieces.",
            // Otherwise, a piece would have to leave the camp.
            options: &[("rules", "base")],
            position: JUMPS,
            moves: &["J 2,5 6,9"],
        }),
    },
    Rule::plain(
        "A piece may not return into its own camp. While any piece can leave your own camp, you must move one of them \
         out; if none can, a piece in the camp must move further from the corner if possible. A piece that has reached the \
         opponent's camp may not leave it. Only the square on which a move ends counts, so a chain of jumps may pass \
         through a camp.",
    ),
    Rule::plain(
        "You win when your move leaves the opponent's camp full and at least one of the pieces in it is yours. The \
         opponent's pieces that are still there count as well.",
    ),
];
