//! Tests the line wire with a bot that is based on the assignment text alone.

use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use turnwise_protocol::entropy::{Role, Wire};

use crate::host::table::{Config, Event, Table, config};

fn lines(size: u8, wars: u32) -> Config {
    Config {
        size,
        wars,
        pass: false,
        wire: Wire::Line,
        ..config()
    }
}

/// A bot as a student would write it.
///
/// In each game, it reads `N` and its role, keeps track of the board, and plays the first legal move that it finds.
struct Bot {
    server: BufReader<TcpStream>,
    board: Vec<Vec<Option<String>>>,
    /// The received lines of each game.
    games: Vec<Vec<String>>,
}

impl Bot {
    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.server.read_line(&mut line).await;
        if matches!(read, Ok(0) | Err(_)) {
            return None;
        }
        let line = line.strip_suffix('\n').expect("whole lines").to_owned();
        self.games.last_mut().expect("a game").push(line.clone());
        Some(line)
    }

    async fn say(&mut self, line: &str) {
        let line = format!("{line}\n");
        let _ = self.server.write_all(line.as_bytes()).await;
    }

    fn is_full(&self) -> bool {
        self.board.iter().flatten().all(Option::is_some)
    }

    fn first_free(&self) -> [usize; 2] {
        let size = self.board.len();
        let mut cells = (0..size).flat_map(|row| (0..size).map(move |column| [row, column]));
        cells
            .find(|&[row, column]| self.board[row][column].is_none())
            .expect("a free cell")
    }

    /// Returns the first slide of a tile to the cell beside it or below it, or in the opposite direction.
    fn first_slide(&self) -> [usize; 4] {
        let size = self.board.len();
        let taken = |row: usize, column: usize| self.board[row][column].is_some();
        for row in 0..size {
            for column in 0..size {
                for (row2, column2) in [(row, column + 1), (row + 1, column)] {
                    if row2 >= size || column2 >= size {
                        continue;
                    }
                    match (taken(row, column), taken(row2, column2)) {
                        (true, false) => return [row, column, row2, column2],
                        (false, true) => return [row2, column2, row, column],
                        _ => {}
                    }
                }
            }
        }
        unreachable!("a board that is neither empty nor full has such neighbours")
    }

    fn slide(&mut self, [row, column, row2, column2]: [usize; 4]) {
        let tile = self.board[row][column].take();
        self.board[row2][column2] = tile;
    }

    /// Plays one game, or returns `None` if no further game begins.
    async fn game(&mut self) -> Option<()> {
        self.games.push(Vec::new());
        let size: usize = self.line().await?.parse().expect("a size");
        self.board = vec![vec![None; size]; size];
        match self.line().await?.as_str() {
            "ORDER" => loop {
                let placed = self.line().await?;
                let [row, column, tile] = placed.split(' ').collect::<Vec<_>>()[..] else {
                    panic!("expected a placement, got {placed:?}");
                };
                let [row, column]: [usize; 2] =
                    [row, column].map(|word| word.parse().expect("a number"));
                assert_eq!(self.board[row][column], None);
                self.board[row][column] = Some(tile.to_owned());
                if self.is_full() {
                    return Some(());
                }
                let slide = self.first_slide();
                self.slide(slide);
                self.say(&slide.map(|number| number.to_string()).join(" "))
                    .await;
            },
            "CHAOS" => loop {
                let tile = self.line().await?;
                let [row, column] = self.first_free();
                self.board[row][column] = Some(tile);
                self.say(&format!("{row} {column}")).await;
                if self.is_full() {
                    return Some(());
                }
                let slide = self.line().await?;
                let numbers: Vec<usize> = slide
                    .split(' ')
                    .map(|word| word.parse().expect("a number"))
                    .collect();
                self.slide(numbers.try_into().expect("four numbers"));
            },
            other => panic!("expected a role, got {other:?}"),
        }
    }
}

async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("a host")
}

/// Starts a bot that plays all games. It returns the lines that it received in each game.
fn bot(address: SocketAddr) -> JoinHandle<Vec<Vec<String>>> {
    tokio::spawn(async move {
        let mut bot = Bot {
            server: BufReader::new(connect(address).await),
            board: Vec::new(),
            games: Vec::new(),
        };
        while bot.game().await.is_some() {}
        let rest = bot.games.pop();
        assert_eq!(rest, Some(Vec::new()), "the stream ends between two games");
        bot.games
    })
}

#[tokio::test]
async fn a_bot_written_from_the_assignment_plays_several_games() {
    let table = Table::open(lines(4, 3)).await;
    let first = bot(table.address);
    table.seated(0).await;
    let second = bot(table.address);
    let outcome = table.outcome().await;
    outcome.finished(6);
    (0..6).for_each(|game| outcome.complete(game));
    let [first, second] = [
        first.await.expect("no panic"),
        second.await.expect("no panic"),
    ];
    for (game, (first, second)) in first.iter().zip(&second).enumerate() {
        let roles = [["ORDER", "CHAOS"], ["CHAOS", "ORDER"]][game % 2];
        assert_eq!([&first[..2], &second[..2]], roles.map(|role| ["4", role]));
    }
    assert_eq!([first.len(), second.len()], [6, 6]);
}

/// Plays a war in which a player gives this answer to its first question as Order, and leaves.
async fn a_war_with(answer: Vec<u8>, reason: &str) {
    let table = Table::open(lines(2, 1)).await;
    let mut culprit = connect(table.address).await;
    table.seated_in_no_time(0).await;
    let other = bot_that_is_cut_off(table.address);
    table.seated_in_no_time(1).await;
    let mut heard = vec![0; "2\nORDER\n0 0 A\n".len()];
    culprit.read_exact(&mut heard).await.expect("a question");
    let heard = String::from_utf8(heard).expect("text");
    assert!(heard.starts_with("2\nORDER\n"), "{heard:?}");
    // If the answer has no line end, bytes that are sent later would belong to the answer.
    culprit.write_all(&answer).await.expect("a listener");
    table.reports().until(crate::host::table::is_fault).await;
    drop(culprit);
    // No player replaces the culprit.
    tokio::time::pause();
    other.await.expect("no panic");
    let outcome = table.outcome().await;
    tokio::time::resume();
    outcome.finished(2);
    let fault = outcome.games()[0].fault.clone().expect("a fault");
    assert_eq!(fault.role, Role::Order);
    assert!(
        fault.reason.contains(reason),
        "expected {reason}, got {fault:?}"
    );
    assert_eq!(outcome.games()[0].score, 0);
    let fault = outcome.games()[1].fault.clone().expect("a fault");
    assert_eq!((fault.role, outcome.games()[1].score), (Role::Chaos, 100));
}

/// Starts a bot that answers once as Chaos, and then waits for the end of the connection.
fn bot_that_is_cut_off(address: SocketAddr) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut stream = BufReader::new(connect(address).await);
        let mut heard = String::new();
        for _ in 0..3 {
            stream.read_line(&mut heard).await.expect("a line");
        }
        assert!(heard.starts_with("2\nCHAOS\n"), "{heard:?}");
        stream.write_all(b"0 0\n").await.expect("a listener");
        let mut rest = String::new();
        stream.read_to_string(&mut rest).await.expect("text");
        // The next game begins only if the host has not noticed yet that the culprit left.
        assert!(["", "2\nORDER\n"].contains(&rest.as_str()), "{rest:?}");
    })
}

#[tokio::test]
async fn answers_that_are_no_moves() {
    a_war_with(b"\n".to_vec(), "expected a size").await;
    a_war_with(b"hello\n".to_vec(), "hello").await;
    a_war_with(b"0 0 0 1 0\n".to_vec(), "expected a size").await;
    a_war_with(b"0 1 0 0\n".to_vec(), "illegal move `0 1 0 0`").await;
    a_war_with(b"0 0 0 0\n".to_vec(), "illegal move `0 0 0 0`").await;
    a_war_with(b"\xff\xfe\n".to_vec(), "UTF-8").await;
    a_war_with(vec![b'7'; 64 * 1024], "1024 bytes").await;
    a_war_with(b"{\"status\":false}\n".to_vec(), "status").await;
}

/// Tests that a name is ignored on the line wire: a player that has to detect the wire sends its name if the host stays
/// silent for long, for example at the door.
#[tokio::test]
async fn a_bare_name_is_passed_over_and_json_is_turned_away() {
    let table = Table::open(lines(2, 1)).await;
    let mut stranger = connect(table.address).await;
    stranger
        .write_all(b"stranger{\"status\":false}")
        .await
        .expect("a listener");
    let mut heard = String::new();
    stranger.read_to_string(&mut heard).await.expect("text");
    assert_eq!(
        heard,
        "2\nERROR this host speaks the line wire: use --wire line or auto\n"
    );
    let refused = |event: &Event| matches!(event, Event::Refused { .. });
    table.reports().until(refused).await;
    let first = tokio::spawn(async move {
        let mut stream = connect(table.address).await;
        stream.write_all(b"a name").await.expect("a listener");
        let mut bot = Bot {
            server: BufReader::new(stream),
            board: Vec::new(),
            games: Vec::new(),
        };
        while bot.game().await.is_some() {}
    });
    table.seated(0).await;
    let second = bot(table.address);
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.complete(0);
    outcome.complete(1);
    first.await.expect("no panic");
    second.await.expect("no panic");
}
