//! Lets a person play in a match. The game is shown on stderr, and the person enters moves in the notation that logs
//! use.

use std::io;
use std::iter::once;

use turnwise_engine::player::{Failure, FaultKind};
use turnwise_engine::plugin::{Person, PersonTurn};
use turnwise_engine::view::{CardState, Choice, Grid, Panel, Stock, View};
use turnwise_engine::words::printable_lines;

use crate::console::keyboard::{KEYS, ask, in_lines, width_of_stderr};
use crate::console::note;

/// If a position has at most this number of legal moves, they are listed even if the person does not ask for a list.
const FEW: usize = 8;

/// A player whose moves are entered by a person at the keyboard.
struct AtKeyboard {
    name: String,
}

/// Creates a player with this name whose moves are entered at the keyboard.
pub(in crate::cli) fn at_keyboard(name: &str) -> Box<dyn Person> {
    Box::new(AtKeyboard {
        name: name.to_owned(),
    })
}

impl Person for AtKeyboard {
    fn choose(&mut self, turn: PersonTurn) -> io::Result<Result<String, Failure>> {
        let Some(objection) = turn.objection else {
            if let Some(last) = turn.last {
                note!("\nThe other player: {}", printable_lines(last));
            }
            note!("\n{}", printable_lines(text(turn.view).trim_end()));
            return self.ask(&turn);
        };
        note!("{}", printable_lines(objection));
        self.ask(&turn)
    }

    fn finish(&mut self, view: &View) {
        note!("\n{}", printable_lines(text(view).trim_end()));
        note!("The game is over.");
    }
}

impl AtKeyboard {
    fn ask(&mut self, turn: &PersonTurn) -> io::Result<Result<String, Failure>> {
        let choices = &turn.view.choices;
        let left = turn
            .left
            .map(|left| format!(", {:.0} s left", left.as_secs_f64()));
        let prompt = format!("{}{}> ", self.name, left.unwrap_or_default());
        let help = || format!("{}\n{KEYS}", listed(choices));
        if choices.len() <= FEW && turn.objection.is_none() {
            note!("{}", listed(choices));
        }
        match ask(&prompt, &mut io::stdin().lock(), &mut io::stderr(), help) {
            Ok(Some(typed)) => Ok(Ok(meant(&typed, choices).to_owned())),
            Ok(None) => {
                let why = format!("{} resigned", self.name);
                Ok(Err(Failure::new(FaultKind::Resigned, why)))
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Ok(Err(Failure::new(FaultKind::Crash, error.to_string())))
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns the notation of the move that a person means.
///
/// The last words of a move are enough, in upper or lower case, if no other listed move ends with them. An empty line
/// means the only legal move. Any other text is returned as it is.
fn meant<'a>(typed: &'a str, choices: &'a [Choice]) -> &'a str {
    let moves = || choices.iter().map(|choice| choice.notation.as_str());
    let ending = format!(" {typed}").to_lowercase();
    let mut fits = moves().filter(|text| format!(" {text}").to_lowercase().ends_with(&ending));
    match (choices, fits.next(), fits.next()) {
        ([only], ..) if typed.is_empty() => &only.notation,
        (_, Some(only), None) if moves().all(|text| text != typed) => only,
        _ => typed,
    }
}

/// Formats a list of the legal moves.
fn listed(choices: &[Choice]) -> String {
    let shown = |choice: &Choice| match choice.words == choice.notation {
        true => choice.notation.clone(),
        false => format!("{} ({})", choice.notation, choice.words),
    };
    in_lines("Moves:", choices.iter().map(shown), width_of_stderr())
}

/// Formats a player's view of the game as text.
fn text(view: &View) -> String {
    let grid = view.grid.as_ref().map(Grid::to_string);
    let stock = of_stock(&view.stock);
    let panels = view.panels.iter().map(of_panel);
    let facts = view.facts.iter();
    let facts = facts.map(|fact| format!("{}: {}\n", fact.name, fact.value));
    let news = view.news.iter().map(|news| format!("{news}\n"));
    let parts = grid.into_iter().chain(stock).chain(panels);
    let parts = parts.chain(facts).chain(news);
    parts.chain(once(view.caption.clone())).collect()
}

/// Formats the tiles that can still come to the board, if there are any.
fn of_stock(stock: &[Stock]) -> Option<String> {
    let left = stock.iter().filter(|stock| stock.count > 0);
    let left: Vec<String> = left
        .map(|stock| format!("{} {}", stock.letter, stock.count))
        .collect();
    (!left.is_empty()).then(|| format!("still to come: {}\n", left.join(", ")))
}

fn of_panel(panel: &Panel) -> String {
    let cards = panel.cards.iter().map(|card| {
        let mark = match card.state {
            CardState::Open => "",
            CardState::Down => "-",
            CardState::First => "1:",
            CardState::Second => "2:",
        };
        let lines = match card.lines.is_empty() {
            true => String::new(),
            false => format!(" ({})", card.lines.join(", ")),
        };
        format!("{mark}{}{lines}", card.name)
    });
    let heading = match panel.note.is_empty() {
        true => format!("{}:", panel.title),
        false => format!("{} ({}):", panel.title, panel.note),
    };
    in_lines(&heading, cards, width_of_stderr()) + "\n"
}
