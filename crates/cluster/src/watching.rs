//! Sends reports of moves from workers to a coordinator that shows them. A lost report affects only the display.

use futures_util::StreamExt;
use serde::Deserialize;

use turnwise_arena::records::{Fault, GameRecord, MoveRecord, Settings};
use turnwise_arena::referee::Event;
use turnwise_arena::schedule::Pair;
use turnwise_engine::fields::Fields;

use crate::coordinator::Run;
use crate::server::{Error, Server, refused};

/// A worker's report of an event in a game: the owned form of an [`Event`].
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Told {
    Begun {
        pair: Pair,
        game: u8,
        players: Vec<String>,
        begins: usize,
        opening: Vec<String>,
    },
    Moved(MoveRecord),
    PutOut {
        pair: u32,
        game: u8,
        fault: Fault,
    },
    Over(GameRecord<Fields>),
}

/// Returns the subject under which the reports of a run are published.
pub(crate) fn subject(run: &str) -> String {
    format!("turnwise.live.{run}")
}

/// Encodes an event as a report.
pub(crate) fn message(event: Event) -> String {
    serde_json::to_string(&event).expect("plain fields become JSON")
}

/// Follows the reports of a run's games until the future is dropped.
///
/// # Errors
///
/// Returns an error if the server rejects the subscription.
pub async fn follow(
    server: &Server,
    run: &Run,
    settings: &Settings,
    follow: &dyn Fn(Event),
) -> Result<(), Error> {
    let listening = server.client.subscribe(subject(run.name())).await;
    let mut told = listening.map_err(refused)?;
    while let Some(message) = told.next().await {
        hear(settings, &message.payload, follow);
    }
    Ok(())
}

/// Passes a worker's report on to `follow`, unless it is invalid or contradicts the settings.
fn hear(settings: &Settings, told: &[u8], follow: &dyn Fn(Event)) {
    let is_agent = |name: &String| settings.agents.iter().any(|agent| agent.name == *name);
    match serde_json::from_slice(told) {
        Ok(Told::Begun {
            pair,
            game,
            players,
            begins,
            opening,
        }) if begins < players.len()
            && players.len() == pair.agents().count()
            && players.iter().all(is_agent) =>
        {
            let players: Vec<&str> = players.iter().map(String::as_str).collect();
            follow(Event::Begun {
                pair: &pair,
                game,
                players: &players,
                begins,
                opening: &opening,
            });
        }
        Ok(Told::Moved(record)) if is_agent(&record.agent) => follow(Event::Moved(&record)),
        Ok(Told::PutOut { pair, game, fault }) if is_agent(&fault.agent) => {
            let fault = &fault;
            follow(Event::PutOut { pair, game, fault });
        }
        Ok(Told::Over(raw)) => {
            if let Ok(game) = GameRecord::of(raw, &settings.game)
                && game.result.players.iter().all(is_agent)
            {
                follow(Event::Over(&game));
            }
        }
        Ok(_) | Err(_) => {}
    }
}
