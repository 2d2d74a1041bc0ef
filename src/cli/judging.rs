//! Judges games on a cluster's workers, for `turnwise review` and `turnwise report --luck`.
//!
//! Each batch of work consists of one game. Workers do not use stored solutions of games, so the result does not depend
//! on which solutions a machine has.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use turnwise_arena::records::{GameRecord, GameSettings, RawGame};
use turnwise_cluster::coordinator::{self, Run};
use turnwise_cluster::playing::PlayBatch;
use turnwise_cluster::units::{Batches, Read};
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{JudgedMove, Judging, MOST_SEATS};
use turnwise_engine::words::{is_unprintable, printable};
use turnwise_games::GAMES;
use turnwise_report::luck::at_fault;

use super::cluster::{Cluster, build};
use crate::console::interrupt::Interrupt;
use crate::console::output;
use crate::console::progress::Bar;

/// The maximum length of the text of a move that a worker sends, in bytes.
const LONGEST_MOVE: usize = 4096;

/// The question about each game that the workers answer.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Question {
    /// How many points the first role gained by luck.
    Luck,
    /// How many points each move lost, according to searches with this number of nodes.
    Loss { nodes: NonZeroU64 },
}

/// An order that tells workers to judge games. `G` is the type of the game with its settings.
#[derive(Serialize, Deserialize)]
struct Order<G> {
    judge: Question,
    game: G,
}

/// Returns true for an order that [`prepare`] accepts.
pub(super) fn is_order(order: &Value) -> bool {
    order.get("judge").is_some()
}

/// A played game in the form in which it is sent to workers.
#[derive(Serialize, Deserialize)]
struct Played {
    result: Fields,
    moves: Vec<String>,
    at_fault: Option<usize>,
}

/// The judged moves of a game, or the reason why the game cannot be judged.
pub(super) type JudgedGame = Result<Vec<JudgedMove>, String>;

/// Checks a judged move that a worker has sent. Returns an error if it contains an impossible value.
/// Infinite numbers need no check, because JSON has none.
fn checked(judged: JudgedMove) -> Result<JudgedMove, String> {
    let is_possible = judged.side < MOST_SEATS
        && (0.0..=1.0).contains(&judged.progress)
        && judged.best.len() <= LONGEST_MOVE
        && !judged.best.contains(is_unprintable);
    match is_possible {
        true => Ok(judged),
        false => Err("a judged move with impossible values".to_owned()),
    }
}

fn bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("plain values become JSON")
}

/// Prepares a worker to judge the games of an order. `games` is the content of the file that contains the games.
pub(super) fn prepare(order: &Value, games: Option<&[u8]>) -> Result<Box<PlayBatch>, String> {
    let words = |error: serde_json::Error| error.to_string();
    let order: Order<RawGame> = serde_json::from_value(order.clone()).map_err(words)?;
    let games: Vec<Played> = serde_json::from_slice(games.unwrap_or_default()).map_err(words)?;
    let plugin = GAMES
        .iter()
        .find(|game| game.about().name == order.game.game);
    let settings = plugin.ok_or("a game that this program does not know")?;
    let settings = settings.by_fields(&order.game.fields);
    let settings = settings.map_err(|error| error.to_string())?;
    for game in &games {
        settings.meaning(&game.result)?;
    }
    match order.judge {
        Question::Luck => {
            settings.luck_judge().ok_or("a game without luck")?;
            Ok(Box::new(move |batch| {
                let judge = settings.luck_judge();
                let luck = judge.zip(numbered(&games, batch));
                let luck = luck.and_then(|(mut judge, game)| {
                    judge.luck(&game.result, &game.moves, game.at_fault)
                });
                bytes(&luck)
            }))
        }
        Question::Loss { nodes } => {
            let by = Judging {
                solutions: None,
                nodes: nodes.get(),
            };
            let judge = settings.loss_judge(&by)?;
            judge.ok_or("a game whose moves cannot be judged")?;
            Ok(Box::new(move |batch| {
                let judge = settings.loss_judge(&by).ok().flatten();
                let judged = judge.zip(numbered(&games, batch)).map(|(mut judge, game)| {
                    let mut moves = Vec::new();
                    let judged = judge.judge(&game.result, &game.moves, &mut |judged| {
                        moves.push(judged);
                        ControlFlow::Continue(())
                    });
                    judged.map(|()| moves)
                });
                bytes(&judged)
            }))
        }
    }
}

/// Returns the game that belongs to the batch with this number. Batch numbers start at 1.
fn numbered(games: &[Played], batch: u32) -> Option<&Played> {
    games.get((batch as usize).checked_sub(1)?)
}

/// Parses the luck in a game from the bytes that a worker has sent.
fn read_luck(bytes: &[u8]) -> Result<Option<f64>, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

/// Parses the judged moves from the bytes that a worker has sent. `moves` is the number of moves in the game.
fn read_loss(moves: usize, bytes: &[u8]) -> Result<JudgedGame, String> {
    let judged: Option<JudgedGame> =
        serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let judged = match judged.ok_or("nothing")? {
        Ok(judged) => judged,
        Err(why) => return Ok(Err(printable(&why))),
    };
    if judged.len() != moves {
        return Err(format!("{} judged moves of {moves}", judged.len()));
    }
    let judged: Result<Vec<_>, _> = judged.into_iter().map(checked).collect();
    judged.map(Ok)
}

/// A connection to the workers of a cluster, which judge games.
pub(super) struct Judges {
    cluster: Cluster,
    interrupt: Interrupt,
}

/// A request to judge games of a match or log.
pub(super) struct Asked<'a> {
    /// The game that was played in the match, with its settings.
    pub settings: &'a GameSettings,
    /// The description of the match.
    pub title: String,
    /// The path of the log.
    pub log: &'a Path,
    /// The games to judge. The results are keyed by the index in this list.
    pub games: Vec<&'a GameRecord>,
}

impl Judges {
    /// Connects to the NATS server at `url`. Once `interrupt` is set, judging stops.
    pub fn reach(url: &str, interrupt: Interrupt) -> anyhow::Result<Self> {
        let cluster = Cluster::reach(url)?;
        Ok(Self { cluster, interrupt })
    }

    /// Returns the exit code for an interruption if the user has stopped the judging, so that results may be missing;
    /// otherwise `None`.
    pub fn stopped(&self) -> Option<ExitCode> {
        (self.interrupt.is_requested()).then(|| self.interrupt.exit_code())
    }

    /// Returns the luck in each game, keyed by the index of the game. `bar` shows how many games have been judged.
    pub fn luck(&self, asked: &Asked, bar: &Bar) -> anyhow::Result<BTreeMap<usize, Option<f64>>> {
        self.ask(asked, Question::Luck, bar, |_, bytes| read_luck(bytes))
    }

    /// Returns the judged moves of each game, keyed by the index of the game. `bar` shows how many games have been
    /// judged.
    pub fn losses(
        &self,
        asked: &Asked,
        nodes: NonZeroU64,
        bar: &Bar,
    ) -> anyhow::Result<BTreeMap<usize, JudgedGame>> {
        self.ask(asked, Question::Loss { nodes }, bar, |place, bytes| {
            read_loss(asked.games[place].moves.len(), bytes)
        })
    }

    fn ask<T>(
        &self,
        asked: &Asked,
        judge: Question,
        bar: &Bar,
        read: impl Fn(usize, &[u8]) -> Result<T, String>,
    ) -> anyhow::Result<BTreeMap<usize, T>> {
        let settings = asked.settings;
        let games = asked.games.iter().map(|record| Played {
            result: record.result.fields.clone(),
            moves: record.moves.clone(),
            at_fault: at_fault(settings, record),
        });
        let games: Vec<Played> = games.collect();
        let order = Order {
            judge,
            game: settings,
        };
        let count = u32::try_from(games.len())?;
        let title = match judge {
            Question::Luck => format!("luck of {}", asked.title),
            Question::Loss { .. } => format!("losses in {}", asked.title),
        };
        let (order, games) = (serde_json::to_value(order)?, bytes(&games));
        let run = Run::of_batches(order, (title, count), Some(&games), asked.log, build()?)?;
        let place = |batch: u32| batch as usize - 1;
        let read: &Read<T> = &|batch, bytes| {
            let judged = read(place(batch), bytes);
            bar.inc(1);
            judged
        };
        let mut batches = Batches::new(count, read);
        let is_stopped = || self.interrupt.is_requested();
        let Cluster { runtime, server } = &self.cluster;
        let tell: &dyn Fn(&str) = &output::note;
        // Workers may still have results that were ordered by an earlier process. These results are valid, so the run
        // is treated as resumed (`true`).
        let judged = coordinator::conduct(server, &run, true, &mut batches, &is_stopped, tell);
        runtime.block_on(judged)?;
        let come = batches.come().into_iter();
        Ok(come.map(|(batch, judged)| (place(batch), judged)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged() -> JudgedMove {
        JudgedMove {
            side: 1,
            progress: 1.0 / 3.0,
            lost: 0.1 + 0.2,
            is_exact: true,
            best: "A1".to_owned(),
            score: Some(-1.0 / 7.0),
        }
    }

    #[test]
    fn judged_moves_come_as_they_were_sent() {
        let moves = vec![
            judged(),
            JudgedMove {
                score: None,
                ..judged()
            },
        ];
        let bytes = bytes(&Some(Ok::<_, String>(&moves)));
        assert_eq!(read_loss(2, &bytes), Ok(Ok(moves)));
        let error = read_loss(3, &bytes).expect_err("a move is missing");
        assert_eq!(error, "2 judged moves of 3");
    }

    #[test]
    fn what_cannot_be_is_no_judgement() {
        for wrong in [
            JudgedMove {
                side: MOST_SEATS,
                ..judged()
            },
            JudgedMove {
                progress: f64::NAN,
                ..judged()
            },
            JudgedMove {
                lost: f64::INFINITY,
                ..judged()
            },
            JudgedMove {
                best: "\x1b[2J".to_owned(),
                ..judged()
            },
            JudgedMove {
                best: "x".repeat(LONGEST_MOVE + 1),
                ..judged()
            },
        ] {
            let bytes = bytes(&Some(Ok::<_, String>([wrong])));
            assert!(read_loss(1, &bytes).is_err());
        }
        assert!(read_luck(b"luck").is_err());
        assert!(read_luck(b"1e999").is_err());
        assert_eq!(read_luck(&bytes(&Some(0.1 + 0.2))), Ok(Some(0.1 + 0.2)));
    }

    #[test]
    fn what_is_no_order_is_refused() {
        let order = |game: Value| serde_json::json!({"judge": "luck", "game": game});
        for (order, games) in [
            (order(serde_json::json!({"game": "chess"})), "[]"),
            (order(serde_json::json!({"game": "halma"})), "[]"),
            (
                order(serde_json::json!({"game": "entropy", "n": 3})),
                "no games",
            ),
            (serde_json::json!({"judge": "luck"}), "[]"),
            (serde_json::json!({"judge": {"loss": {"nodes": 0}}}), "[]"),
        ] {
            assert!(prepare(&order, Some(games.as_bytes())).is_err(), "{order}");
        }
    }
}
