//! Entropy at the arena's table.
//!
//! | module | what it is for |
//! |---|---|
//! | `in_process`, `child`, `daemon` | the three kinds of players |
//! | `words` | what players outside are told and answer |

mod child;
mod daemon;
mod in_process;
mod words;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cast::Entrant;
use super::player::{LastMove, Turn};
use super::spec::{Kind, NamedAgent};
use super::table::{PlayerAt, Table};
use crate::records::{Course, GameSettings, Settings, TimeControl, Via};
use child::ChildPlayer;
use daemon::DaemonPlayer;
use in_process::InProcess;
use turnwise_engine::clock::{self, Delays, TimeLeft};
use turnwise_entropy::agents::{BuiltIn, Means};
use turnwise_entropy::evaluation::Evaluation;
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::picture::{letter, notation};
use turnwise_entropy::referee::{
    Illegal, SCORE_IF_CHAOS_FAILS, SCORE_IF_ORDER_FAILS, shuffled_tiles,
};
use turnwise_entropy::rules::{Colour, Move, Phase, Position, Rules};
use turnwise_entropy::weights::best_known;
use turnwise_entropy::weights_file::{self, Unusable};

type Ask<'a> = Turn<'a, Position, Move>;
type Last = LastMove<Position, Move>;

const ORDER: usize = 0;
const CHAOS: usize = 1;

/// A board, and the tiles in the order of their draws.
pub struct EntropyTable {
    position: Position,
    tiles: Vec<Colour>,
    drawn: usize,
}

/// The rules of a match of Entropy.
fn rules(settings: &Settings) -> Rules {
    match settings.game {
        GameSettings::Entropy { size, pass } => Rules { size, pass },
        GameSettings::Halma { .. } => unreachable!("this table is set for Entropy alone"),
    }
}

impl EntropyTable {
    fn side(&self) -> usize {
        match self.position.phase() {
            Phase::Place => CHAOS,
            _ => ORDER,
        }
    }
}

impl Table for EntropyTable {
    type Position = Position;
    type Move = Move;
    /// The weights of its own, if it has any.
    type Means = Option<Arc<Evaluation>>;

    fn new(settings: &Settings, seed: u64) -> Self {
        let rules = rules(settings);
        Self {
            position: Position::new(rules),
            tiles: shuffled_tiles(rules.size, seed),
            drawn: 0,
        }
    }

    fn position(&self) -> &Position {
        &self.position
    }

    fn turn(&mut self) -> Option<usize> {
        if self.position.phase() == Phase::Draw {
            self.position.make(Move::Draw(self.tiles[self.drawn]));
            self.drawn += 1;
        }
        (self.position.phase() != Phase::Over).then(|| self.side())
    }

    fn plies_left(&self) -> u32 {
        self.position.plies_left()
    }

    fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        match self.side() {
            CHAOS => self.position.placements(&mut moves),
            _ => self.position.slides(&mut moves),
        }
        moves
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv)
    }

    fn objection(&self, mv: Move) -> Option<String> {
        let passed = mv == Move::Pass && self.position.phase() == Phase::Slide;
        passed.then(|| Illegal::Pass.to_string())
    }

    fn play(&mut self, mv: Move) {
        self.position.make(mv);
    }

    fn notation(&self, mv: Move) -> String {
        notation(mv, self.position.size())
    }

    fn tile(&self) -> Option<String> {
        (self.side() == CHAOS).then(|| letter(self.position.drawn()).to_string())
    }

    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        let now = Instant::now();
        let draws = u32::from(self.position.bag_total());
        let moves_left = match self.side() {
            CHAOS => draws + 1,
            _ => draws,
        };
        let total = match time {
            TimeControl::Clock { seconds, .. } => Duration::from_secs_f64(seconds),
            TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => left,
        };
        // Where our own threads and the way to a player cost nothing.
        let among = |clock, moves| {
            let left = TimeLeft {
                clock,
                moves,
                of: self.tiles.len() as u32,
                // Our own threads and the way to players in this process cost nothing.
                on_the_way: Duration::ZERO,
                reserve: clock::reserve(total, &Delays::default()),
            };
            clock::budget(now, &left)
        };
        // What is still to come cannot be spent yet.
        let alone = among(left, 1);
        let budget = match time {
            TimeControl::Clock { increment, .. } => {
                let to_come = Duration::from_secs_f64(increment) * moves_left.saturating_sub(1);
                among(left + to_come, moves_left)
            }
            TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => alone,
        };
        let least = |deadline: Instant| deadline.min(alone.hard) - now;
        (least(budget.soft), least(budget.hard))
    }

    fn course(
        &self,
        [order, chaos]: [&str; 2],
        at_fault: Option<usize>,
        _left: Option<[Duration; 2]>,
    ) -> Course {
        Course::Entropy {
            order: order.to_owned(),
            chaos: chaos.to_owned(),
            tiles: self.tiles.iter().map(|&tile| letter(tile)).collect(),
            order_score: match at_fault {
                None => board_score(&self.position),
                Some(ORDER) => SCORE_IF_ORDER_FAILS,
                Some(_) => SCORE_IF_CHAOS_FAILS,
            },
            size: Some(self.position.size()),
        }
    }

    fn means(settings: &Settings, kind: &Kind) -> Result<Self::Means, Unusable> {
        let Kind::BuiltIn {
            weights: Some(path),
            ..
        } = kind
        else {
            return Ok(None);
        };
        let weights = weights_file::read(path, rules(settings).size)?;
        Ok(Some(Arc::new(weights.into_evaluation())))
    }

    fn player(
        settings: &Settings,
        entrant: &Entrant<Self>,
        name: &str,
        seed: u64,
    ) -> io::Result<Box<PlayerAt<Self>>> {
        let kind = &entrant.kind;
        Ok(match kind {
            Kind::BuiltIn { agent, .. } if settings.via == Via::Tcp => {
                let words = our_daemon(settings, entrant.time, agent.name(), name, seed)?;
                Box::new(DaemonPlayer::new(words)?)
            }
            Kind::BuiltIn {
                agent: NamedAgent::Entropy(agent),
                nodes,
                depth,
                ..
            } => {
                let limits = [*nodes, settings.nodes()];
                let fewest = limits.into_iter().flatten().min();
                let evaluation = (*agent == BuiltIn::Turnwise).then(|| {
                    let own = entrant.means.clone();
                    own.unwrap_or_else(|| best_known(rules(settings).size))
                });
                Box::new(InProcess {
                    weights: (evaluation.as_ref()).map(|known| known.name().to_owned()),
                    agent: agent.start(
                        seed,
                        Means {
                            nodes: fewest,
                            evaluation,
                            ..Means::default()
                        },
                    ),
                    nodes: *nodes,
                    depth: *depth,
                })
            }
            Kind::Command { words, wire, .. } => Box::new(ChildPlayer::new(words.clone(), *wire)),
            Kind::Daemon { words } => Box::new(DaemonPlayer::new(words.clone())?),
            Kind::BuiltIn { agent, .. } => {
                let reason = format!("{} does not play Entropy", agent.name());
                return Err(io::Error::other(reason));
            }
        })
    }
}

/// The command line of this program as a daemon.
fn our_daemon(
    settings: &Settings,
    time: TimeControl,
    agent: &str,
    name: &str,
    seed: u64,
) -> io::Result<Vec<String>> {
    let program = std::env::current_exe()?;
    let mut words = vec![
        program.to_string_lossy().into_owned(),
        "play".to_owned(),
        "127.0.0.1".to_owned(),
        "{port}".to_owned(),
    ];
    let seed = seed.to_string();
    words.extend(["--agent", agent, "--seed", &seed, "--name", name].map(str::to_owned));
    words.extend(["--wire", "json", "--reconnect", "never"].map(str::to_owned));
    if let TimeControl::Clock { seconds, .. } = time {
        words.extend(["--clock".to_owned(), seconds.to_string()]);
    }
    if rules(settings).pass {
        words.push("--pass".to_owned());
    }
    Ok(words)
}
