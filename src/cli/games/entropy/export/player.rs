use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use engine::agent::Agent;
use engine::clock::{on_the_way, reserve, Delays, GameClock, MovesLeft, Policy, TimeLeft};
use entropy::rules::{Cell, Move, Phase, Position, Rules, EMPTY};
use entropy::search_agent::SearchAgent;
use search::{Control, Limits};

/// The time for a game.
const CLOCK: Duration = Duration::from_secs(30);

/// A game, as one player sees it.
struct Game {
    position: Position,
    agent: SearchAgent,
    clock: GameClock,
    /// The maximum number of nodes of each search; `None` if the clock limits the search.
    nodes: Option<u64>,
}

impl Game {
    /// Plays a reported move if it is legal. The agent learns from the opponent's moves.
    fn follow(&mut self, mv: Move, is_opponents: bool) -> Result<(), String> {
        if !self.position.is_legal(mv) {
            return Err(format!("{mv:?} is not legal here; ignored"));
        }
        if is_opponents {
            self.agent.observe(self.position.clone(), mv, Duration::ZERO);
        }
        self.position.make(mv);
        Ok(())
    }

    /// Chooses and plays our move.
    fn play(&mut self, arrived: Instant) -> String {
        let (moves, of) = (self.position.moves_left(), u32::from(SIZE) * u32::from(SIZE));
        let delays = Delays::default();
        let on_the_way = on_the_way(Duration::ZERO, &delays, CLOCK, of);
        let left = TimeLeft {
            clock: self.clock.remaining(),
            moves: MovesLeft::Counted { moves, of },
            on_the_way,
            further: on_the_way * moves.saturating_sub(1),
            reserve: reserve(CLOCK, &delays),
            policy: Policy::default(),
        };
        let budget = left.budget(arrived);
        let limits = match self.nodes {
            Some(nodes) => Limits::of_nodes(nodes),
            None => Limits {
                soft: Some(budget.soft),
                hard: Some(budget.hard),
                ..Limits::default()
            },
        };
        let best = self.agent.think(&self.position, limits, &Control::new()).best;
        let word = self.word(best);
        self.position.make(best);
        self.clock.charge(arrived.elapsed() + on_the_way);
        word
    }

    /// Formats a move as a word of the protocol. A pass becomes a slide of a tile to its own cell.
    fn word(&self, mv: Move) -> String {
        let cells = match mv {
            Move::Place(cell) => vec![cell],
            Move::Slide { from, to } => vec![from, to],
            _ => {
                let tile = self.position.cells().iter().position(|&tile| tile != EMPTY);
                vec![tile.unwrap_or(0) as Cell; 2]
            }
        };
        let size = Cell::from(SIZE);
        let letters = |cell: Cell| [b'A' + (cell / size) as u8, b'a' + (cell % size) as u8];
        cells.into_iter().flat_map(letters).map(char::from).collect()
    }

    /// Handles a word from the manager. Returns our move if the word asks for one.
    fn receive(&mut self, word: &[u8], arrived: Instant) -> Result<Option<String>, String> {
        match *word {
            [b'S', b't', b'a', b'r', b't'] => return Ok(None),
            [colour] => self.follow(Move::Draw(number(colour, b'1')? + 1), false)?,
            [colour, row, column] => {
                let draw = Move::Draw(number(colour, b'1')? + 1);
                let place = Move::Place(cell(row, column)?);
                self.follow(draw, false)?;
                if let Err(why) = self.follow(place, true) {
                    self.position.unmake(draw);
                    return Err(why);
                }
            }
            [row1, column1, row2, column2] => {
                let (from, to) = (cell(row1, column1)?, cell(row2, column2)?);
                let slide = if from == to { Move::Pass } else { Move::Slide { from, to } };
                self.follow(slide, true)?;
                return Ok(None);
            }
            _ => return Err("an unknown word; ignored".to_owned()),
        }
        Ok((self.position.phase() != Phase::Over).then(|| self.play(arrived)))
    }
}

/// Reads a colour, a row or a column, counted from `first`.
fn number(symbol: u8, first: u8) -> Result<u8, String> {
    let number = symbol.wrapping_sub(first);
    let shown = char::from(symbol);
    (number < SIZE).then_some(number).ok_or(format!("{shown:?} is out of range; ignored"))
}

fn cell(row: u8, column: u8) -> Result<Cell, String> {
    Ok(Cell::from(number(row, b'A')? * SIZE + number(column, b'a')?))
}

fn main() {
    let mut game = Game {
        position: Position::new(Rules { size: SIZE, pass: true }),
        agent: SearchAgent::for_clock(CLOCK),
        clock: GameClock::new(CLOCK),
        nodes: std::env::args().nth(1).map(|nodes| nodes.parse().expect("a number of nodes")),
    };
    for line in std::io::stdin().lock().lines() {
        let arrived = Instant::now();
        let line = line.expect("text");
        match line.trim() {
            "" => {}
            "Quit" => return,
            word => match game.receive(word.as_bytes(), arrived) {
                Ok(None) => {}
                Ok(Some(word)) => {
                    println!("{word}");
                    std::io::stdout().flush().expect("the manager listens");
                }
                Err(why) => eprintln!("{word:?}: {why}"),
            },
        }
    }
}
