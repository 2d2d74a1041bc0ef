//! Shows the table to people: the candidates, the possible moves, and to each player its own person.
//!
//! Each player sees the other's person once the game is over.

use turnwise_engine::table::Table;
use turnwise_engine::view::{Card, CardState, Choice, Fact, Named, Panel, Standing, View};
use turnwise_engine::words::counted;

use super::ROLES;
use super::table::{GuessWhoTable, Move, Seen};
use crate::board::{Board, Question};

/// Returns the view for the player on the side `viewer`, or for spectators if it is `None`.
pub(super) fn of(table: &GuessWhoTable, viewer: Option<usize>) -> View {
    let viewer = viewer.filter(|&side| side < 2);
    let mut panels = Vec::new();
    for side in [0, 1]
        .into_iter()
        .filter(|&side| viewer.is_none_or(|own| own == side))
    {
        panels.push(candidates(table, side, viewer));
    }
    if let Some(side) = viewer {
        panels.push(Panel {
            title: "Your person".to_owned(),
            cards: vec![card(
                &table.board,
                table.seen[side].player.chosen(),
                CardState::Open,
            )],
            ..Panel::default()
        });
    }
    View {
        caption: caption(table, viewer),
        standings: table.seen.iter().map(standing).collect(),
        panels,
        facts: facts(table, viewer),
        choices: match viewer.is_some() && viewer == table.mover() {
            true => choices(table),
            false => Vec::new(),
        },
        ..View::default()
    }
}

/// Formats the name of an attribute as words, such as "hair length" for `hairLength`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        match letter {
            '_' | '-' => words.push(' '),
            _ if letter.is_uppercase() && words.ends_with(char::is_lowercase) => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            _ => words.push(letter),
        }
    }
    words
}

fn card(board: &Board, person: u32, state: CardState) -> Card {
    let configuration = board.configuration();
    let person = &configuration.persons[person as usize];
    let lines = (configuration.attributes.iter().zip(&person.values)).map(|(attribute, &value)| {
        let name = in_words(&attribute.name);
        format!("{name} {}", attribute.values[value as usize])
    });
    Card {
        name: person.name.clone(),
        lines: lines.collect(),
        state,
        ..Card::default()
    }
}

/// Returns a panel with a card for every person on the board, in the order of the configuration.
///
/// A card lies face down if its person is not a candidate of player `side` anymore. After the game, the card of the
/// opponent's person is marked as the opponent's.
fn candidates(table: &GuessWhoTable, side: usize, viewer: Option<usize>) -> Panel {
    let board = &table.board;
    let left = table.seen[side].player.candidates();
    let found = table
        .mover()
        .is_none()
        .then(|| table.seen[1 - side].player.chosen());
    let cards = board.everyone().into_iter().map(|person| {
        let state = match left.binary_search(&person) {
            _ if found == Some(person) => [CardState::First, CardState::Second][1 - side],
            Ok(_) => CardState::Open,
            Err(_) => CardState::Down,
        };
        card(board, person, state)
    });
    Panel {
        title: match viewer {
            Some(_) => "Your candidates".to_owned(),
            None => format!("{}'s candidates", ROLES[side]),
        },
        cards: cards.collect(),
        ..Panel::default()
    }
}

/// States how many persons a player still considers.
fn standing(seen: &Seen) -> Standing {
    let left = seen.player.candidates().len();
    Standing::new(format!("{} left", counted(left, "candidate")))
}

fn facts(table: &GuessWhoTable, viewer: Option<usize>) -> Vec<Fact> {
    let persons = &table.board.configuration().persons;
    let mut facts = vec![Fact::new(
        "Round",
        format!("{} of at most {}", table.round, table.most_rounds),
    )];
    for (side, seen) in table.seen.iter().enumerate() {
        if let Some((question, answer)) = seen.answered {
            let answer = if answer { "yes" } else { "no" };
            let asked = question_words(&table.board, question);
            facts.push(Fact::new(
                format!(
                    "Last answer to {}",
                    Named::new(viewer, side, &ROLES).in_sentence()
                ),
                format!("{asked}: {answer}"),
            ));
        }
    }
    if let Some(question) = table.open {
        let asked = question_words(&table.board, question);
        let asker = Named::new(viewer, table.guesser, &ROLES);
        facts.push(Fact::new(asker.does("ask", "asks"), asked));
    }
    if table.mover().is_none() {
        for (side, seen) in table.seen.iter().enumerate() {
            let name = &persons[seen.player.chosen() as usize].name;
            let whose = Named::new(viewer, side, &ROLES).whose();
            facts.push(Fact::new(format!("{whose} person"), name));
        }
    }
    facts
}

fn choices(table: &GuessWhoTable) -> Vec<Choice> {
    let board = &table.board;
    let choice = |mv: Move| {
        let plain = Choice::plain(table.notation(mv));
        match mv {
            Move::Guess(question @ Question::Attribute { .. }) => {
                let (attribute, value) = board.names(question);
                let attribute = in_words(attribute.expect("a question about an attribute"));
                Choice {
                    words: format!("ask: {attribute} {value}?"),
                    group: Some(attribute),
                    label: Some(value.to_owned()),
                    ..plain
                }
            }
            Move::Guess(question @ Question::Person(person)) => Choice {
                words: format!("guess {}", board.names(question).1),
                card: Some([0, person as usize]),
                is_decisive: true,
                ..plain
            },
            Move::Answer(answer) => Choice {
                words: format!("answer {}", if answer { "yes" } else { "no" }),
                ..plain
            },
        }
    };
    table.legal_moves().into_iter().map(choice).collect()
}

fn caption(table: &GuessWhoTable, viewer: Option<usize>) -> String {
    let name = |side: usize| Named::new(viewer, side, &ROLES);
    let has_found = |side: usize| {
        let whose = name(1 - side).in_sentence().whose();
        format!(
            "{} {whose} person",
            name(side).does("have found", "has found")
        )
    };
    let Some(mover) = table.mover() else {
        return match table.found.iter().position(|&found| found) {
            Some(winner) if !table.found[1 - winner] => format!("{}.", has_found(winner)),
            _ => format!("It is a tie: {}.", table.result().1.name()),
        };
    };
    let is_viewer = viewer == Some(mover);
    let who = name(mover).does("are", "is");
    let left = table.seen[table.guesser].player.candidates().len();
    match table.open {
        None => {
            let still = match table.found[0] && mover == 1 {
                true => format!(" {}: only a right guess now makes it a tie.", has_found(0)),
                false => String::new(),
            };
            let what = match is_viewer {
                true => "Ask a question, or guess the person".to_owned(),
                false => format!("{who} to guess"),
            };
            format!("{what}: {} left.{still}", counted(left, "candidate"))
        }
        Some(question) => format!(
            "{who} to answer whether {}.",
            asked(
                &table.board,
                question,
                if is_viewer { "your" } else { "its" }
            )
        ),
    }
}

/// Formats a question in a few words, such as "hat red".
fn question_words(board: &Board, question: Question) -> String {
    match board.names(question) {
        (Some(attribute), value) => format!("{} {value}", in_words(attribute)),
        (None, name) => name.to_owned(),
    }
}

/// Formats a question as a clause, such as "your person has hat red". `whose` is the word for the owner, such as
/// "your".
fn asked(board: &Board, question: Question, whose: &str) -> String {
    match board.names(question) {
        (Some(_), _) => format!("{whose} person has {}", question_words(board, question)),
        (None, name) => format!("{whose} person is {name}"),
    }
}
