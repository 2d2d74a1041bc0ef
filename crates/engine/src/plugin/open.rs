//! A game that is open in front of people: played, looked at, studied, with its types erased.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::{AgentOptions, MatchGame, Resources, SET_UP};
use crate::agent::Agent;
use crate::fields::Fields;
use crate::player::TimeControl;
use crate::search::{Control, Limits, Stop};
use crate::table::Table;
use crate::thought::{self, Thought};
use crate::view::View;

/// Where an open game begins.
#[derive(Debug, Clone, Copy)]
pub enum Beginning<'a> {
    /// Where a match's game with this seed begins, in the pair that follows so many others.
    Seed {
        /// What chance is drawn from.
        seed: u64,
        /// Pairs that the two have played before.
        meetings: u32,
    },
    /// Where a rotation's game with this seed begins.
    Rotation {
        /// What chance is drawn from, the same in all games of the rotation.
        seed: u64,
        /// So many sit at the table, more than two.
        participants: usize,
        /// Which game of the rotation, counted from 0.
        game: u32,
    },
    /// A position in the game's own notation, see [`MatchGame::set_up`].
    Text(&'a str),
    /// Where a logged game with this result began, see [`MatchGame::begun`].
    Logged(&'a Fields),
}

/// How a position is studied.
#[derive(Debug, Clone)]
pub struct Studying<'a> {
    /// How many moves are ranked.
    pub top: usize,
    /// Depth, nodes and deadlines at which the search stops by itself.
    pub limits: Limits,
    /// Stops the search earlier.
    pub stop: Stop,
    /// The folder of solved games, if there is one.
    pub solutions: Option<&'a Path>,
}

/// What is known of a position's best moves.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Studied {
    /// The deepest completed iteration, in plies.
    pub depth: u32,
    /// Positions that were visited.
    pub nodes: u64,
    /// True if the values are exact: the rest of the game was searched to its end or is solved.
    pub is_exact: bool,
    /// The best moves, the best for the side to move first.
    pub lines: Vec<StudiedLine>,
}

/// Hears of each completed iteration of a search of a position.
pub type Told<'a> = &'a mut dyn FnMut(&Studied);

/// A move among the best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudiedLine {
    /// The move and the expected answers to it, as logs have moves.
    pub moves: Vec<String>,
    /// The move's value for the first role, by which moves are compared.
    pub value: f64,
    /// The final score of the first role that it stands for, where that is known; where games are won, the
    /// probability of winning.
    pub score: Option<f64>,
}

/// What an agent answers in an open game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentMove {
    /// The move, as logs have moves.
    #[serde(rename = "move")]
    pub notation: String,
    /// The deepest completed iteration.
    pub depth: u32,
    /// Positions that it visited.
    pub nodes: u64,
    /// The value of the move for the first role, by which it was chosen.
    pub value: f64,
    /// The final score of the first role that it stands for, where the agent knows.
    pub score: Option<f64>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// An agent that is asked for a move.
pub struct Asking<'a> {
    /// Its name, one of [`About::agents`](super::About::agents).
    pub name: &'a str,
    /// The options that were put behind its name.
    pub options: &'a AgentOptions,
    /// What [`SettledGame::resources`](super::SettledGame::resources) has found for it.
    pub resources: &'a Resources,
    /// Determines what it leaves to chance.
    pub seed: u64,
    /// How long it may think.
    pub limits: Limits,
    /// Stops the search earlier.
    pub stop: Stop,
}

/// A game under way in front of people.
pub trait OpenGame {
    /// The side to move, once chance has had its turn; `None` if the game is over.
    fn turn(&mut self) -> Option<usize>;

    /// Makes a move for the side to move, which is given back as logs have it. An error if it is no legal
    /// move: what was expected.
    fn play(&mut self, text: &str) -> Result<String, String>;

    /// What a player on this side sees, or somebody who sees what everybody may see.
    fn view(&mut self, viewer: Option<usize>) -> View;

    /// How long the side to move should think, and how long it may at most.
    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration);

    /// Asks an agent of this program for the move of the side to move.
    fn ask(&mut self, asking: Asking) -> Result<AgentMove, String>;

    /// Looks for the best moves of the side to move, and tells of each completed look; `None` if the game is
    /// over.
    fn study(&mut self, how: &Studying, told: Told) -> Option<Studied>;

    /// What a log would keep of the game's end here.
    fn outcome(&self, at_fault: Option<usize>) -> Fields;

    /// The position in the game's own notation, if it has one.
    fn text(&mut self) -> Option<String>;
}

/// A typed game and its table.
pub(super) struct Opened<'a, G: MatchGame> {
    pub game: &'a G,
    pub table: G::Table,
    /// The text of the position in which the game was set up, if it was.
    set_up: Option<String>,
}

impl<'a, G: MatchGame> Opened<'a, G> {
    pub fn new(game: &'a G, beginning: Beginning) -> Result<Self, String> {
        let table = match beginning {
            Beginning::Seed { seed, meetings } => G::Table::at_meeting(game, seed, meetings),
            Beginning::Rotation {
                seed,
                participants,
                game: number,
            } => {
                let most = game.seats();
                let table = (3..=most)
                    .contains(&participants)
                    .then(|| G::Table::in_rotation(game, seed, participants, number));
                table.flatten().ok_or_else(|| {
                    format!("expected 3 to {most} participants, got {participants}")
                })?
            }
            Beginning::Text(text) => game.set_up(text)?,
            Beginning::Logged(result) => game.begun(result)?,
        };
        let set_up = match beginning {
            Beginning::Text(text) => Some(text),
            Beginning::Logged(result) => result.get(SET_UP).and_then(|text| text.as_str()),
            Beginning::Seed { .. } | Beginning::Rotation { .. } => None,
        };
        Ok(Self {
            game,
            table,
            set_up: set_up.map(str::to_owned),
        })
    }
}

impl<G: MatchGame> OpenGame for Opened<'_, G> {
    fn turn(&mut self) -> Option<usize> {
        self.table.turn()
    }

    fn play(&mut self, text: &str) -> Result<String, String> {
        self.table.turn().ok_or("the game is over")?;
        let mv = self.table.parse(text)?;
        if !self.table.is_legal(mv) {
            let why = self.table.objection(mv);
            return Err(why.unwrap_or_else(|| "the rules do not allow this move".to_owned()));
        }
        let notation = self.table.notation(mv);
        self.table.play(mv);
        Ok(notation)
    }

    fn view(&mut self, viewer: Option<usize>) -> View {
        let turn = self.table.turn();
        let mut view = self.table.view(viewer);
        if turn.is_none() || turn != viewer {
            view.choices.clear();
        }
        view
    }

    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        self.table.budget(time, left)
    }

    fn ask(&mut self, asking: Asking) -> Result<AgentMove, String> {
        let side = self.table.turn().ok_or("the game is over")?;
        let resources = asking.resources.downcast_ref();
        let resources = resources.ok_or_else(|| format!("{} does not play this", asking.name))?;
        let nodes = Some(asking.limits.nodes).filter(|&nodes| nodes < u64::MAX);
        let agent = self.game.agent(asking.name, resources, nodes, asking.seed);
        let control = Control::stopped_by(asking.stop);
        let position = self.table.seen_by(side);
        let finished = thought::think(agent, position, asking.limits, &control);
        let Thought {
            found,
            forecast,
            wall,
            ..
        } = finished
            .outcome
            .map_err(|_| format!("{} panicked", asking.name))?;
        Ok(AgentMove {
            notation: self.table.notation(found.best),
            depth: found.depth,
            nodes: found.nodes,
            value: f64::from(found.value),
            score: forecast.map(f64::from),
            seconds: wall.as_secs_f64(),
        })
    }

    fn study(&mut self, how: &Studying, told: Told) -> Option<Studied> {
        self.table.turn()?;
        Some(self.game.study(&mut self.table, how, told))
    }

    fn outcome(&self, at_fault: Option<usize>) -> Fields {
        let mut kept = self.table.outcome(at_fault, None);
        if let Some(text) = &self.set_up {
            kept.push(SET_UP, text.as_str());
        }
        kept
    }

    fn text(&mut self) -> Option<String> {
        self.table.turn();
        self.game.set_up_text(&self.table)
    }
}

/// What the game's strongest agent says of the best move: one line.
pub(super) fn study_by_agent<G: MatchGame>(
    game: &G,
    table: &mut G::Table,
    how: &Studying,
) -> Studied {
    let side = table.turn().expect("a side is to move");
    let name = G::ABOUT.agents[0].name;
    let nodes = Some(how.limits.nodes).filter(|&nodes| nodes < u64::MAX);
    let mut agent = game.agent(name, &G::Resources::default(), nodes, 0);
    let control = Control::stopped_by(how.stop.clone());
    let position = table.seen_by(side);
    let found = agent.think(position, how.limits, &control);
    let score = agent.forecast(position, &found).map(f64::from);
    Studied {
        depth: found.depth,
        nodes: found.nodes,
        is_exact: found.solved,
        lines: vec![StudiedLine {
            moves: vec![table.notation(found.best)],
            value: f64::from(found.value),
            score,
        }],
    }
}
