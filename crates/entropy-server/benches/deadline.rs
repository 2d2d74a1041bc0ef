//! Measures whether replies leave in time on a machine whose cores are all busy.
//!
//! The real driver, conversation, worker and search run beside busy loops, of which there are as many as cores. A
//! server on loopback TCP plays games on a 2 by 2 board. The budget in the table is the player's clock for a whole
//! game. At the last move of a game, which may use all the remaining time, the agent instead searches a mid-game
//! position on a larger board. It cannot finish this search, so it must stop in time. As a tournament server does, the
//! server measures the time from sending the frame that requests a move to receiving the answer. The bench prints a
//! table and asserts nothing.
//!
//! Run it with `cargo bench --bench deadline`.

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use turnwise_engine::agent::{Agent, OpponentMemory};
use turnwise_engine::search::{Control, Found, Limits};
use turnwise_entropy::rules::{Move, Phase, Position, Rules};
use turnwise_entropy::search_agent::SearchAgent;
use turnwise_protocol::entropy::Wire;

/// The number of games per row of the table. Each budget has four rows: two board sizes and two roles.
const GAMES: u32 = 13;
const BUDGETS_MS: [u64; 3] = [200, 50, 10];
const SIZES: [u8; 2] = [5, 7];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Order,
    Chaos,
}

/// Returns a position with tiles on half of all cells, spread over the board, in which `role` is to move.
fn middle_of_a_game(size: u8, role: Role) -> Position {
    let mut position = Position::new(Rules { size, pass: false });
    let cells = u16::from(size) * u16::from(size);
    for tile in 0..cells / 2 {
        position.make(Move::Draw((tile % u16::from(size)) as u8 + 1));
        // 11 has no common divisor with 25 or 49, the numbers of cells, so no cell is used twice.
        position.make(Move::Place(tile * 11 % cells));
        position.make(Move::Pass);
    }
    position.make(Move::Draw(1));
    if role == Role::Order {
        position.make(Move::Place(cells / 2 * 11 % cells));
    }
    position
}

/// An agent that answers at once, except at its last move of a game: there it searches `position` until time is up.
struct Substitute {
    inner: SearchAgent,
    position: Position,
}

impl Agent for Substitute {
    type Position = Position;
    type Move = Move;

    fn think(&mut self, asked: &Position, limits: Limits, control: &Control<Move>) -> Found<Move> {
        let mut moves = Vec::new();
        let (last, side_moves): (u16, fn(&Position, &mut Vec<Move>)) = match asked.phase() {
            Phase::Slide => (1, Position::slides),
            _ => (0, Position::placements),
        };
        side_moves(asked, &mut moves);
        control.publish(moves[0]);
        let limits = if asked.bag_total() == last {
            limits
        } else {
            Limits { depth: 1, ..limits }
        };
        let found = self.inner.think(&self.position, limits, &Control::new());
        Found {
            best: moves[0],
            principal_variation: vec![moves[0]],
            ..found
        }
    }

    fn opponent(&self) -> OpponentMemory {
        self.inner.opponent()
    }

    fn recover(&mut self) {
        self.inner.recover();
    }
}

/// Starts a thread that connects to the bench's server and plays as `turnwise play --wire line` does.
fn player(port: u16, clock: Duration, position: Position) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the bench listens");
        let inner = SearchAgent::default();
        let agent = Box::new(Substitute { inner, position });
        support::play(stream, Wire::Line, clock, agent);
    })
}

fn ask(stream: &mut TcpStream, question: &str) -> (Duration, String) {
    let mut buffer = [0; 1024];
    let asked = Instant::now();
    stream.write_all(question.as_bytes()).expect("a connection");
    let length = stream.read(&mut buffer).expect("an answer");
    let text = String::from_utf8_lossy(&buffer[..length]);
    (asked.elapsed(), text.trim_end().to_owned())
}

/// Plays one game on a 2 by 2 board as the server, and returns the time that the player used.
fn game(stream: &mut TcpStream, role: Role) -> Duration {
    let mut used = Duration::ZERO;
    match role {
        Role::Order => {
            // Chaos may place a tile on a cell to which Order has slid another tile; players accept that.
            for question in ["2\nORDER\n0 0 A\n", "1 1 B\n", "1 0 A\n"] {
                used += ask(stream, question).0;
            }
            stream.write_all(b"0 1 B\n").expect("a connection");
        }
        Role::Chaos => {
            let mut question = "2\nCHAOS\nA\n".to_owned();
            for next in ["A", "B", "B"] {
                let (time, cell) = ask(stream, &question);
                used += time;
                question = format!("{cell} {cell}\n{next}\n");
            }
            used += ask(stream, &question).0;
        }
    }
    used
}

fn main() {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let stop = Arc::new(AtomicBool::new(false));
    let burners: Vec<_> = (0..cores)
        .map(|_| {
            let stop = Arc::clone(&stop);
            thread::spawn(move || while !stop.load(Ordering::Relaxed) {})
        })
        .collect();
    println!("{cores} busy loops on {cores} cores; milliseconds; late if positive");
    println!("a sleeping thread woke up to {:.1} late\n", oversleep());
    println!("budget  board  role    games   most left  largest overrun  late");
    for budget in BUDGETS_MS {
        for size in SIZES {
            for role in [Role::Order, Role::Chaos] {
                row(Duration::from_millis(budget), size, role);
            }
        }
    }
    stop.store(true, Ordering::Relaxed);
    for burner in burners {
        burner.join().expect("a busy loop does not panic");
    }
}

/// Returns how late the system wakes a sleeping thread, in milliseconds.
///
/// The program's safety margins cannot change this delay. A long delay is a sign of other load on the machine.
fn oversleep() -> f64 {
    let nap = Duration::from_millis(20);
    let naps = (0..100).map(|_| {
        let began = Instant::now();
        thread::sleep(nap);
        began.elapsed().saturating_sub(nap)
    });
    naps.max().unwrap_or_default().as_secs_f64() * 1e3
}

fn row(budget: Duration, size: u8, role: Role) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let player = player(port, budget, middle_of_a_game(size, role));
    let (mut stream, _) = listener.accept().expect("the player connects");
    stream.set_nodelay(true).expect("an option of TCP");
    // The first game builds the tables for the board's size, which later games reuse.
    game(&mut stream, role);
    let (mut worst, mut best, mut late) = (f64::NEG_INFINITY, f64::INFINITY, 0);
    for _ in 0..GAMES {
        let overrun = (game(&mut stream, role).as_secs_f64() - budget.as_secs_f64()) * 1e3;
        worst = worst.max(overrun);
        best = best.min(overrun);
        late += u32::from(overrun > 0.0);
    }
    drop(stream);
    player.join().expect("the player does not panic");
    let name = if role == Role::Order {
        "Order"
    } else {
        "Chaos"
    };
    let budget = budget.as_millis();
    println!(
        "{budget:>6}  {size}x{size}    {name:<6}  {GAMES:>5}  {:>10.1}  {worst:>15.1}  {late:>4}",
        -best
    );
}
