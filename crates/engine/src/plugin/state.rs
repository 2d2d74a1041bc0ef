//! A running game in its type-erased form, which referees conduct, and which people play, watch or study.

use std::any::Any;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::{AgentOptions, GameRules, Resources, RulesError, SET_UP, level};
use crate::agent::Agent;
use crate::fields::Fields;
use crate::player::TimeControl;
use crate::search::{Control, Limits, Stop};
use crate::table::{Action, PUT_OUT, Table};
use crate::thought::{self, Thought};
use crate::view::{Grid, View};

/// The position in which a game is opened.
#[derive(Debug, Clone, Copy)]
pub enum Beginning<'a> {
    /// The regular beginning of a game between two players, as in a match, where two games form a pair.
    Seed {
        /// The seed of all random events in the game.
        seed: u64,
        /// The number of pairs that the two players have played against each other before.
        meetings: u32,
    },
    /// The regular beginning of a game at a table for more than two participants, where several games form a rotation.
    Rotation {
        /// The seed of all random events, shared by all games of the rotation.
        seed: u64,
        /// The number of participants at the table, more than two.
        participants: usize,
        /// The number of the game in the rotation, starting at 0.
        game: u32,
    },
    /// The position that this text describes in the game's own notation; see [`GameRules::set_up`].
    Text(&'a str),
    /// The beginning of the logged game with this result; see [`GameRules::begun`].
    Logged(&'a Fields),
    /// The beginning of a game that is played elsewhere; see [`GameRules::watched`].
    Watched(&'a Fields),
}

/// The effect of a move on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moved {
    /// The number of the side that moved.
    pub side: usize,
    /// The letter of the tile or piece that was placed, if any.
    pub tile: Option<char>,
    /// The cell that the tile or piece left; `None` for a placement. Cells are numbered from 0, row by row.
    pub from: Option<usize>,
    /// The cell on which the tile or piece is now; `None` for a pass.
    pub to: Option<usize>,
}

/// The board at one point of a game.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shown {
    /// The board as pictures show it.
    pub grid: Grid,
    /// The board as text for a terminal.
    pub text: String,
    /// Measurements of the board, in the order of their names in [`Look::measures`](super::Look::measures).
    pub measured: Vec<u32>,
}

/// The settings for studying a position.
#[derive(Debug, Clone)]
pub struct Studying<'a> {
    /// The number of best moves to find.
    pub top: usize,
    /// The limits at which the search ends, such as a depth, a number of nodes or a deadline.
    pub limits: Limits,
    /// A flag that stops the search before it reaches a limit.
    pub stop: Stop,
    /// The folder with the solutions of solved games, if any.
    pub solutions: Option<&'a Path>,
}

/// The best moves of a position, as far as a search has found them.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Studied {
    /// The depth of the deepest completed iteration, in plies.
    pub depth: u32,
    /// The number of positions that the search visited.
    pub nodes: u64,
    /// True if the values are exact, because the rest of the game was searched to its end or is solved.
    pub is_exact: bool,
    /// The best moves, in the order from best to worst for the side to move.
    pub lines: Vec<StudiedLine>,
}

/// A function that receives the result of each completed iteration of a search.
pub type Told<'a> = &'a mut dyn FnMut(&Studied);

/// A move among the best moves of a position.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudiedLine {
    /// The move and the moves that are expected to follow it, in the notation of logs.
    pub moves: Vec<String>,
    /// The value of the move from the first role's point of view. High values are good for the first role, low values
    /// for the second.
    pub value: f64,
    /// The final score of the first role to expect after the move, if known. In games that are won or lost, this is its
    /// probability of winning.
    pub score: Option<f64>,
    /// The numbers of moves that both sides need to reach their goals, in the order of the roles, from the studied
    /// position on. Known only if the rest of the game is a race, in which neither side can stop the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_go: Option<[u32; 2]>,
}

/// The move that an agent chose in an open game, and the agent's report about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentMove {
    /// The chosen move, in the notation of logs.
    #[serde(rename = "move")]
    pub notation: String,
    /// The depth of the deepest completed iteration, in plies.
    pub depth: u32,
    /// The number of positions that the search visited.
    pub nodes: u64,
    /// The value of the move from the first role's point of view. The agent chose the move whose value is best for the
    /// side to move.
    pub value: f64,
    /// The final score of the first role that the agent expects, if it can predict it.
    pub score: Option<f64>,
    /// The time that the agent took, in seconds.
    pub seconds: f64,
}

/// A request to an agent for a move.
pub struct Asking<'a> {
    /// The name of the agent, as in [`About::agents`](super::About::agents).
    pub name: &'a str,
    /// The options that were given after the agent's name.
    pub options: &'a AgentOptions,
    /// The data that [`AnyGame::resources`](super::AnyGame::resources) loaded for the agent.
    pub resources: &'a Resources,
    /// The seed of the agent's random choices.
    pub seed: u64,
    /// The limits on the agent's search.
    pub limits: Limits,
    /// A flag that stops the search before it reaches a limit.
    pub stop: Stop,
}

/// A running game, for code that does not know the types of the game. Moves cross this interface as [codes](Action),
/// and as text only in logs and on wires. All states of a game are created by [`AnyGame::open`].
///
/// [`AnyGame::open`]: super::AnyGame::open
pub trait AnyState: Send {
    /// Returns the side to move; `None` if the game is over. A chance event that is due happens first.
    fn turn(&mut self) -> Option<usize>;

    /// Returns the maximum number of plies left until the end of the game.
    fn plies_left(&self) -> u32;

    /// Returns legal moves of the side to move, always in a fixed order; see [`Table::legal_moves`].
    fn legal_moves(&self) -> Vec<u64>;

    /// Returns true if this is the code of a legal move of the side to move.
    fn is_legal(&self, code: u64) -> bool;

    /// Returns the rule that forbids an illegal move, in words; see [`Table::objection`].
    fn objection(&self, code: u64) -> String;

    /// Plays a legal move of the side to move.
    fn apply(&mut self, code: u64);

    /// Removes the side to move after a fault; see [`Table::put_out`].
    fn put_out(&mut self) -> bool {
        false
    }

    /// Returns a move of the side to move in the notation of logs.
    fn notation(&self, code: u64) -> String;

    /// Parses the text of a move of the side to move. The move may be illegal. If the text is not a move, the error
    /// states the expected form.
    fn parse(&self, text: &str) -> Result<u64, String>;

    /// Returns the cells of the board that a piece or tile leaves and enters with a legal move of the side to move.
    fn cells(&self, code: u64) -> [Option<usize>; 2];

    /// Returns the typed position as the player on this side sees it.
    fn seen_by(&self, side: usize) -> &dyn Any;

    /// Returns a copy of the typed position that the player on this side sees.
    fn copy_for(&self, side: usize) -> Box<dyn Any>;

    /// Returns the letter of the tile that the side to move must place; `None` if it need not place a tile.
    fn tile(&self) -> Option<String> {
        None
    }

    /// Sets the letter of the tile that the next move of a [watched](Beginning::Watched) game places.
    fn reveal(&mut self, _tile: &str) {}

    /// Returns the game as the player on this side sees it, or as the public sees it if `viewer` is `None`.
    fn view(&mut self, viewer: Option<usize>) -> View;

    /// Returns the board as pictures show it.
    fn grid(&self) -> Grid;

    /// Returns the board as text for a terminal; see [`Table::drawing`].
    fn drawing(&self, coloured: bool) -> String;

    /// Returns measurements of the current board; see [`Table::measured`].
    fn measured(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Returns the soft and the hard time limit for the next move of the side to move. `left` is the time left on its
    /// clock.
    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration);

    /// Asks a built-in agent for a move of the side to move, without making the move.
    fn ask(&mut self, asking: Asking) -> Result<AgentMove, String>;

    /// Searches for the best moves of the side to move. Passes the result of each completed iteration to `told`.
    /// Returns `None` if the game is over.
    fn study(&mut self, how: &Studying, told: Told) -> Option<Studied>;

    /// Returns the result that a log would store if the game ended here. For the arguments, see [`Table::outcome`].
    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields;

    /// Returns the text of the current position in the game's own notation; `None` if the game has no notation for
    /// positions.
    fn text(&mut self) -> Option<String> {
        None
    }

    /// Returns the failure of rules that run in another program. After a failure, neither side is to move, and no move
    /// is legal. Rules in this program do not fail.
    fn failure(&self) -> Option<RulesError> {
        None
    }
}

/// The error for a move when no side is to move.
const OVER: &str = "the game is over";

impl dyn AnyState + '_ {
    /// Returns the legal move that `text` describes.
    pub(super) fn legal(&self, text: &str) -> Result<u64, String> {
        let code = self.parse(text)?;
        if !self.is_legal(code) {
            return Err(self.objection(code));
        }
        Ok(code)
    }

    /// Returns the board. Its text has colors if `coloured` is true.
    pub fn shown(&self, coloured: bool) -> Shown {
        Shown {
            grid: self.grid(),
            text: self.drawing(coloured),
            measured: self.measured(),
        }
    }

    /// Makes the move that `text` describes, for the side to move. Returns the move in the notation of logs.
    ///
    /// # Errors
    ///
    /// Returns an error if the move is illegal. The error states the expected form.
    pub fn play(&mut self, text: &str) -> Result<String, String> {
        self.turn().ok_or(OVER)?;
        let code = self.legal(text)?;
        let notation = self.notation(code);
        self.apply(code);
        Ok(notation)
    }

    /// Makes the move of a game that was played elsewhere, where a player may also be [put out](PUT_OUT). Returns the
    /// effect of the move on the board.
    ///
    /// # Errors
    ///
    /// Returns an error if the move is illegal. The error states the expected form.
    pub fn follow(&mut self, text: &str) -> Result<Moved, String> {
        let side = self.turn().ok_or(OVER)?;
        if text == PUT_OUT && self.put_out() {
            return Ok(Moved {
                side,
                ..Moved::default()
            });
        }
        let code = self.legal(text)?;
        let [from, to] = self.cells(code);
        self.apply(code);
        let placed = to.filter(|_| from.is_none());
        let tile = placed.and_then(|cell| self.grid().letters.chars().nth(cell));
        Ok(Moved {
            side,
            tile,
            from,
            to,
        })
    }
}

/// A running game in its typed form: the game and its table.
pub(super) struct Running<G: GameRules> {
    game: G,
    table: G::Table,
    /// The text of the position in which the game was set up, if any.
    set_up: Option<String>,
}

impl<G: GameRules> Running<G> {
    pub fn new(game: &G, beginning: Beginning) -> Result<Self, String> {
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
            Beginning::Watched(result) => game.watched(result)?,
        };
        let set_up = match beginning {
            Beginning::Text(text) => Some(text),
            Beginning::Logged(result) | Beginning::Watched(result) => {
                result.get(SET_UP).and_then(|text| text.as_str())
            }
            Beginning::Seed { .. } | Beginning::Rotation { .. } => None,
        };
        Ok(Self {
            game: game.clone(),
            table,
            set_up: set_up.map(str::to_owned),
        })
    }

    pub fn into_table(self) -> G::Table {
        self.table
    }
}

/// Returns the move with this code, which must come from a method of the same game's state.
fn move_of<M: Action>(code: u64) -> M {
    M::of_code(code).expect("a code of this game")
}

impl<G: GameRules> AnyState for Running<G> {
    fn turn(&mut self) -> Option<usize> {
        self.table.turn()
    }

    fn plies_left(&self) -> u32 {
        self.table.plies_left()
    }

    fn legal_moves(&self) -> Vec<u64> {
        let moves = self.table.legal_moves().into_iter();
        moves.map(Action::code).collect()
    }

    fn is_legal(&self, code: u64) -> bool {
        Action::of_code(code).is_some_and(|mv| self.table.is_legal(mv))
    }

    fn objection(&self, code: u64) -> String {
        self.table.objection(move_of(code))
    }

    fn apply(&mut self, code: u64) {
        self.table.play(move_of(code));
    }

    fn put_out(&mut self) -> bool {
        self.table.put_out()
    }

    fn notation(&self, code: u64) -> String {
        self.table.notation(move_of(code))
    }

    fn parse(&self, text: &str) -> Result<u64, String> {
        self.table.parse(text).map(Action::code)
    }

    fn cells(&self, code: u64) -> [Option<usize>; 2] {
        self.table.cells(move_of(code))
    }

    fn seen_by(&self, side: usize) -> &dyn Any {
        self.table.seen_by(side)
    }

    fn copy_for(&self, side: usize) -> Box<dyn Any> {
        Box::new(self.table.seen_by(side).clone())
    }

    fn tile(&self) -> Option<String> {
        self.table.tile()
    }

    fn reveal(&mut self, tile: &str) {
        self.table.reveal(tile);
    }

    fn view(&mut self, viewer: Option<usize>) -> View {
        let turn = self.table.turn();
        let mut view = self.table.view(viewer);
        if turn.is_none() || turn != viewer {
            view.choices.clear();
        }
        view
    }

    fn grid(&self) -> Grid {
        self.table.grid()
    }

    fn drawing(&self, coloured: bool) -> String {
        self.table.drawing(coloured)
    }

    fn measured(&self) -> Vec<u32> {
        self.table.measured()
    }

    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        self.table.budget(time, left)
    }

    fn ask(&mut self, asking: Asking) -> Result<AgentMove, String> {
        let side = self.table.turn().ok_or(OVER)?;
        let resources = asking.resources.downcast_ref();
        let resources =
            resources.ok_or_else(|| format!("{} does not play this game", asking.name))?;
        let mut options = AgentOptions {
            level: asking.options.level,
            ..AgentOptions::within(&asking.limits)
        };
        options.nodes = level::nodes::<G>(&options);
        let limits = Limits {
            nodes: options.nodes.unwrap_or(u64::MAX),
            ..asking.limits
        };
        let agent = level::agent(&self.game, asking.name, resources, &options, asking.seed);
        let control = Control::stopped_by(asking.stop);
        let position = self.table.seen_by(side);
        let finished = thought::think(agent, position, limits, &control);
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

    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields {
        let mut kept = self.table.outcome(at_fault, left);
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

/// Asks the game's strongest agent for its move, and returns this move as the only line.
pub(super) fn study_by_agent<G: GameRules>(
    game: &G,
    table: &mut G::Table,
    how: &Studying,
) -> Studied {
    let side = table.turn().expect("a side is to move");
    let name = G::ABOUT.agents[0].name;
    let options = AgentOptions::within(&how.limits);
    let mut agent = game.agent(name, &G::Resources::default(), &options, 0);
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
            to_go: None,
        }],
    }
}
