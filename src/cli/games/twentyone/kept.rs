//! Games that are kept in a file, so that a tournament of many seats can be gone on with whatever ended it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use turnwise_twentyone::rules::Settings;
use turnwise_twentyone::tournament::Played;

use crate::cli::files::{read_text, write_whole};

/// The most that is read of a file, in bytes.
const LARGEST_FILE: u64 = 1 << 30;

/// How much play a kill may cost: the file is written this often.
const BETWEEN_WRITES: Duration = Duration::from_secs(1);

/// What decides the games: nothing of it may change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Parameters of each game.
    pub settings: Settings,
    /// The names of the players, and what plays under them, in the order of their first seats.
    pub players: Vec<(String, String)>,
    pub seed: u64,
}

/// What stands in the file, as JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    terms: Terms,
    /// In the order of their numbers.
    games: Vec<Played>,
}

/// The file of a tournament under way.
pub struct Kept {
    path: PathBuf,
    content: Mutex<(Content, Instant)>,
}

impl Kept {
    /// The file here with the games that it has; an empty one if there is none yet.
    ///
    /// # Errors
    ///
    /// If it is another tournament's, or no such file.
    pub fn open(path: &Path, terms: Terms) -> anyhow::Result<Kept> {
        let games = match path.exists() {
            true => read(path, &terms)?,
            false => Vec::new(),
        };
        Ok(Kept {
            path: path.to_owned(),
            content: Mutex::new((Content { terms, games }, Instant::now())),
        })
    }

    /// The games that it has.
    pub fn games(&self) -> Vec<Played> {
        let content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        content.0.games.clone()
    }

    /// Takes in a game. The file has it a second later at most, if games go on ending.
    pub fn add(&self, game: &Played) -> anyhow::Result<()> {
        let mut content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        let (Content { games, .. }, written) = &mut *content;
        let at = games.partition_point(|known| known.number < game.number);
        games.insert(at, game.clone());
        if written.elapsed() < BETWEEN_WRITES {
            return Ok(());
        }
        *written = Instant::now();
        self.write(&content.0)
    }

    /// Writes all that it has.
    pub fn finish(&self) -> anyhow::Result<()> {
        let content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(&content.0)
    }

    fn write(&self, content: &Content) -> anyhow::Result<()> {
        write_whole(
            &self.path,
            (serde_json::to_string(content)? + "\n").as_bytes(),
        )
    }
}

/// The games of a file, if they are of a tournament on these terms.
fn read(path: &Path, terms: &Terms) -> anyhow::Result<Vec<Played>> {
    let shown = path.display();
    let text = read_text(path, LARGEST_FILE)?;
    let content: Content = serde_json::from_str(&text)
        .with_context(|| format!("{shown} holds no games of turnwise twentyone --keep"))?;
    if content.terms != *terms {
        bail!(
            "{shown} holds games by other settings, of other players or from another seed; choose another \
             file with --keep"
        );
    }
    let players = terms.players.len();
    let are_in_order = content
        .games
        .is_sorted_by(|one, next| one.number < next.number);
    if !are_in_order || !content.games.iter().all(|game| game.is_of(players)) {
        bail!("{shown}: expected each game once, with a place for each of {players} players");
    }
    Ok(content.games)
}
