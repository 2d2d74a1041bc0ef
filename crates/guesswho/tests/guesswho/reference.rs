//! A second implementation of the game's values, which follows the rules directly.
//!
//! It does not prune, does not omit dominated guesses, and does not share results between similar sets. It takes
//! exponential time, so it is only for small boards.

use std::collections::HashMap;

use turnwise_guesswho::board::{Board, Question};

/// Returns every possible question on the board, including redundant questions.
pub fn all_questions(board: &Board) -> Vec<Question> {
    let configuration = board.configuration();
    let mut questions = Vec::new();
    for (attribute, declared) in configuration.attributes.iter().enumerate() {
        for value in 0..declared.values.len() {
            questions.push(Question::Attribute {
                attribute: attribute as u32,
                value: value as u32,
            });
        }
    }
    questions
        .extend((0..configuration.persons.len()).map(|person| Question::Person(person as u32)));
    questions
}

fn yes(board: &Board, question: Question, person: usize) -> bool {
    match question {
        Question::Person(guessed) => guessed as usize == person,
        Question::Attribute { attribute, value } => {
            board.configuration().persons[person].values[attribute as usize] == value
        }
    }
}

/// Returns the part of `set` for which the answer to the question is yes.
fn part(board: &Board, question: Question, set: u32) -> u32 {
    (0..32)
        .filter(|&person| set & (1 << person) != 0 && yes(board, question, person))
        .fold(0, |mask, bit| mask | 1 << bit)
}

/// Returns the cost of a set: the sum, over all candidates, of the rounds until the best questions find the candidate.
pub fn cost(board: &Board, set: u32, known: &mut HashMap<u32, u32>) -> u32 {
    if set == 0 {
        return 0;
    }
    if let Some(&cost) = known.get(&set) {
        return cost;
    }
    let mut best = u32::MAX;
    for question in all_questions(board) {
        let yes = part(board, question, set);
        let finished = matches!(question, Question::Person(_)) && yes != 0;
        let redundant = (yes == 0 || yes == set) && !finished;
        if redundant {
            continue;
        }
        let after_yes = if finished { 0 } else { cost(board, yes, known) };
        best = best.min(set.count_ones() + after_yes + cost(board, set & !yes, known));
    }
    known.insert(set, best);
    best
}

/// The values of the race that are already known. The key is (player 1's set, player 2's set, turn, whether player 1
/// named the right person in this round).
pub type Known = HashMap<(u32, u32, usize, bool), f64>;

/// Returns player 1's expected score in the race.
///
/// `turn` is the player that must guess, 0 or 1; `right` says whether player 1 named the right person in this round.
pub fn race(board: &Board, sets: [u32; 2], turn: usize, right: bool, known: &mut Known) -> f64 {
    let key = (sets[0], sets[1], turn, right);
    if let Some(&score) = known.get(&key) {
        return score;
    }
    let set = sets[turn];
    let mut best = if turn == 0 {
        f64::NEG_INFINITY
    } else {
        f64::INFINITY
    };
    for question in all_questions(board) {
        let yes = part(board, question, set);
        let guess = matches!(question, Question::Person(_));
        // The rules allow a redundant question, but it is never better than the best other guess. If both players could
        // ask such questions forever, the recursion would not end.
        let redundant = yes == 0 || (yes == set && !guess);
        if redundant && !(turn == 1 && right) {
            continue;
        }
        let mut total = 0.0;
        for (part, answer) in [(yes, true), (set & !yes, false)] {
            if part == 0 {
                continue;
            }
            let mut after = sets;
            after[turn] = part;
            let hit = guess && answer;
            let score = match (turn, right, hit) {
                (0, _, hit) => race(board, after, 1, hit, known),
                (_, true, true) => 0.5,
                (_, true, false) => 1.0,
                (_, false, true) => 0.0,
                (_, false, false) => race(board, after, 0, false, known),
            };
            total += f64::from(part.count_ones()) / f64::from(set.count_ones()) * score;
        }
        best = if turn == 0 {
            best.max(total)
        } else {
            best.min(total)
        };
    }
    known.insert(key, best);
    best
}
