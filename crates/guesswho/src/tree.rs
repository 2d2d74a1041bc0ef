//! The decision tree of a strategy, as text and as a drawing.

use std::fmt::Write as _;

use turnwise_engine::words::printable;

use super::board::{Board, Question};
use super::strategies::Optimal;

/// The maximum number of persons in a tree; larger trees would be unreadable.
pub const MOST_PERSONS: usize = 1000;

/// A decision tree: the question to ask about a set of candidates, and the branch for each answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// Names the only candidate.
    Last(u32),
    /// Asks a question, then continues with the branch for the answer.
    Ask {
        /// The question to ask.
        question: Question,
        /// The number of candidates before the question.
        candidates: usize,
        /// The branch for the answer yes, or `None` if the question names a person, because a right guess ends the
        /// game.
        yes: Option<Box<Tree>>,
        /// The branch for the answer no.
        no: Box<Tree>,
    },
}

impl Tree {
    /// Returns the tree that finds a person on the board in the fewest rounds on average.
    ///
    /// The tree is proven to be the best one where [`Optimal`] is exact. Returns `None` if the board has more than
    /// [`MOST_PERSONS`] persons.
    pub fn optimal(board: &Board) -> Option<Tree> {
        let everyone = board.everyone();
        (everyone.len() <= MOST_PERSONS).then(|| grow(board, &everyone, &mut Optimal::default()))
    }

    /// Returns the number of the round in which each person is found, in the order of the tree.
    pub fn rounds(&self) -> Vec<u32> {
        let mut rounds = Vec::new();
        self.collect_rounds(1, &mut rounds);
        rounds
    }

    fn collect_rounds(&self, round: u32, rounds: &mut Vec<u32>) {
        match self {
            Tree::Last(_) => rounds.push(round),
            Tree::Ask { yes, no, .. } => {
                match yes {
                    Some(yes) => yes.collect_rounds(round + 1, rounds),
                    None => rounds.push(round),
                }
                no.collect_rounds(round + 1, rounds);
            }
        }
    }

    /// Formats the tree as lines of text, indented with box-drawing characters.
    pub fn to_text(&self, board: &Board) -> String {
        let mut text = String::new();
        self.write_text(board, 1, "", &mut text);
        text
    }

    fn write_text(&self, board: &Board, round: u32, indent: &str, text: &mut String) {
        let label = self.label(board);
        match self {
            Tree::Last(_) => {
                let _ = writeln!(text, "{label} in round {round}");
            }
            Tree::Ask {
                yes,
                no,
                candidates,
                ..
            } => {
                let _ = write!(text, "{label} ({candidates})\n{indent}├── yes: ");
                match yes {
                    Some(yes) => {
                        yes.write_text(board, round + 1, &format!("{indent}│   "), text);
                    }
                    None => {
                        let _ = writeln!(text, "found in round {round}");
                    }
                }
                let _ = write!(text, "{indent}└── no: ");
                no.write_text(board, round + 1, &format!("{indent}    "), text);
            }
        }
    }

    fn label(&self, board: &Board) -> String {
        let question = match self {
            Tree::Last(person) => return board.names(Question::Person(*person)).1.to_string(),
            Tree::Ask { question, .. } => *question,
        };
        match board.names(question) {
            (Some(attribute), value) => format!("{attribute} {value}?"),
            (None, person) => format!("is it {person}?"),
        }
    }

    /// Draws the tree as an SVG document, with the root at the top and the branches for yes on the left.
    pub fn to_svg(&self, board: &Board) -> String {
        let mut drawing = Drawing {
            board,
            body: String::new(),
            depth: 0,
        };
        drawing.draw(self, MARGIN, 0);
        let width = drawing.width(self) + 2.0 * MARGIN;
        let height = f64::from(drawing.depth) * LEVEL + BOX + 2.0 * MARGIN;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            drawing.body
        )
    }
}

fn grow(board: &Board, candidates: &[u32], optimal: &mut Optimal) -> Tree {
    if let [last] = candidates {
        return Tree::Last(*last);
    }
    let question = optimal.question(board, candidates);
    let mut part = |answer| {
        Box::new(grow(
            board,
            &board.remaining(candidates, question, answer),
            optimal,
        ))
    };
    let yes = matches!(question, Question::Attribute { .. }).then(|| part(true));
    Tree::Ask {
        question,
        candidates: candidates.len(),
        yes,
        no: part(false),
    }
}

/// The height of a box, in pixels, like the three lengths below: the distance between levels, the gap and the margin.
const BOX: f64 = 24.0;
const LEVEL: f64 = 64.0;
const GAP: f64 = 12.0;
const MARGIN: f64 = 16.0;
/// The width to reserve per character at the drawing's font size, in pixels. Most characters are narrower.
const CHARACTER: f64 = 7.5;

struct Drawing<'a> {
    board: &'a Board,
    body: String,
    depth: u32,
}

impl Drawing<'_> {
    /// Draws a subtree whose left edge is at `left`, and returns the horizontal position of the root's middle.
    fn draw(&mut self, tree: &Tree, left: f64, depth: u32) -> f64 {
        self.depth = self.depth.max(depth);
        let label = self.label(tree);
        let Tree::Ask {
            question, yes, no, ..
        } = tree
        else {
            let middle = left + 0.5 * width_of(&label);
            self.boxed(&label, middle, depth, "#e3f3da");
            return middle;
        };
        let found = Tree::Last(match question {
            Question::Person(person) => *person,
            Question::Attribute { .. } => 0,
        });
        let yes = yes.as_deref().unwrap_or(&found);
        let (yes_width, no_width) = (self.width(yes), self.width(no));
        let spare = (width_of(&label) - yes_width - GAP - no_width).max(0.0);
        let yes_middle = self.draw(yes, left + 0.5 * spare, depth + 1);
        let no_middle = self.draw(no, left + 0.5 * spare + yes_width + GAP, depth + 1);

        let middle = left + 0.5 * self.width(tree);
        let top = MARGIN + f64::from(depth) * LEVEL;
        for (child, answer) in [(yes_middle, "yes"), (no_middle, "no")] {
            let _ = writeln!(
                self.body,
                "<line x1=\"{middle:.1}\" y1=\"{:.1}\" x2=\"{child:.1}\" y2=\"{:.1}\" stroke=\"gray\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"10\" fill=\"gray\">{answer}</text>",
                top + BOX,
                top + LEVEL,
                0.5 * (middle + child),
                top + 0.5 * (BOX + LEVEL) + 4.0,
            );
        }
        self.boxed(&label, middle, depth, "#dbe9f6");
        middle
    }

    /// Returns the width of the drawing of a whole subtree, in pixels.
    fn width(&self, tree: &Tree) -> f64 {
        let own = width_of(&self.label(tree));
        let Tree::Ask {
            question, yes, no, ..
        } = tree
        else {
            return own;
        };
        let yes = match yes {
            Some(yes) => self.width(yes),
            None => width_of(self.board.names(*question).1),
        };
        own.max(yes + GAP + self.width(no))
    }

    fn label(&self, tree: &Tree) -> String {
        match tree {
            Tree::Last(_) => tree.label(self.board),
            Tree::Ask { candidates, .. } => format!("{} ({candidates})", tree.label(self.board)),
        }
    }

    fn boxed(&mut self, label: &str, middle: f64, depth: u32, fill: &str) {
        let (width, top) = (width_of(label), MARGIN + f64::from(depth) * LEVEL);
        let _ = writeln!(
            self.body,
            "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{BOX}\" rx=\"5\" fill=\"{fill}\" stroke=\"gray\"/>\
             <text x=\"{middle:.1}\" y=\"{:.1}\">{}</text>",
            middle - 0.5 * width,
            top + 16.0,
            escaped(label),
        );
    }
}

fn width_of(label: &str) -> f64 {
    CHARACTER * label.chars().count() as f64 + 12.0
}

/// Escapes text for an XML document and makes it printable.
fn escaped(text: &str) -> String {
    printable(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
