//! The rules of Guess Who, for newcomers.

use turnwise_engine::plugin::{Rule, RuleExample};

pub(super) static RULES: [Rule; 3] = [
    Rule::plain(
        "Both players see the same board of persons, and each secretly has one of them. Each wants to find the other's \
         person first.",
    ),
    Rule {
        words: "On your turn, ask about one attribute, for example whether the other's person has brown eyes. The answer \
                rules out everyone it does not fit. Or guess a person: if you are wrong, only this person is ruled out.",
        example: Some(RuleExample {
            caption: "Player 1 has asked whether the eyes are blue. They are, so the four persons with brown eyes are \
                      turned down.",
            options: &[],
            position: "person 2 P4\n",
            moves: &["guess Attribute eyeColor blue", "answer true"],
        }),
    },
    Rule::plain(
        "In each round, player 1 moves first. If player 1 guesses the right person, player 2 still gets its turn: if both \
         are right in the same round, the game is a tie. Both players hear all questions and answers.",
    ),
];
