//! The rules of a game, for newcomers.

use serde::Serialize;
use turnwise_engine::plugin::{Beginning, Plugin, Rule, RuleExample};
use turnwise_engine::view::View;

use crate::RefusedError;
use crate::games::find;

/// A paragraph of the rules of a game.
#[derive(Debug, Serialize)]
pub struct Paragraph {
    /// The paragraph.
    pub words: &'static str,
    /// A position that illustrates the paragraph, if there is one.
    pub example: Option<Example>,
}

/// A position that illustrates a rule.
#[derive(Debug, Serialize)]
pub struct Example {
    /// A caption of the position, in one sentence.
    pub caption: &'static str,
    /// The position as the public sees it.
    pub view: View,
    /// The position as a terminal shows it.
    pub text: String,
}

/// Returns the rules of a game.
///
/// # Errors
///
/// Returns an error if the game is unknown, or if the game rejects one of its examples.
pub fn rules(games: &'static [Plugin], name: &str) -> Result<Vec<Paragraph>, RefusedError> {
    let game = find(games, |game| game.about().name == name)?;
    let paragraph = |rule: &Rule| {
        let shown = rule.example.as_ref().map(|example| shown(game, example));
        Ok(Paragraph {
            words: rule.words,
            example: shown.transpose()?,
        })
    };
    game.about().rules.iter().map(paragraph).collect()
}

fn shown(game: &Plugin, example: &RuleExample) -> Result<Example, RefusedError> {
    let settled = game.by_options(&|name| {
        let mut options = example.options.iter();
        let (_, value) = options.find(|(known, _)| *known == name)?;
        Some((*value).to_owned())
    })?;
    let mut open = settled.open(Beginning::Text(example.position))?;
    for mv in example.moves {
        open.play(mv)?;
    }
    Ok(Example {
        caption: example.caption,
        view: open.view(None),
        text: open.shown(false).text,
    })
}
