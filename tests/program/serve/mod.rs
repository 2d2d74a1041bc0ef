//! Tests the daemon that answers the Halma shim, which is a short-lived process that asks for one move.
//!
//! The tests use real sockets. They cover parallel games, hostile input, and the end of the daemon.

mod trust;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use turnwise_halma::files::{board, player, position};
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::shim::{Question, asking};
use turnwise_halma::squares::Square;
use turnwise_protocol::halma::{Input, Mode, Output};

const TURNWISE: &str = env!("CARGO_BIN_EXE_turnwise");

/// The time limit for every wait, longer than any wait should take, even on a busy machine.
const FOREVER: Duration = Duration::from_secs(120);

/// A separate daemon process, which is killed at the end of the test, when this value is dropped.
struct Daemon {
    process: Child,
    address: SocketAddr,
}

impl Daemon {
    fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("port");
        let process = Command::new(TURNWISE)
            .args(["halma", "serve", "--listen", "127.0.0.1:0", "--port-file"])
            .arg(&file)
            .args(options)
            .stderr(Stdio::null())
            .spawn()
            .expect("the program can be started");
        let port = until(|| std::fs::read_to_string(&file).ok());
        let port: u16 = port.trim().parse().expect("a port");
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        Self { process, address }
    }

    fn connect(&self) -> Connection {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(FOREVER)).expect("a limit");
        Connection(BufReader::new(stream))
    }

    fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status();
        assert!(sent.expect("kill can be started").success());
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Repeats `get` until it returns a value.
fn until<T>(mut get: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(got) = get() {
            return got;
        }
        assert!(begun.elapsed() < FOREVER, "it never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

struct Connection(BufReader<TcpStream>);

impl Connection {
    fn say(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).expect("it listens");
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, input: &Input) -> Value {
        self.say(&question(&input.to_string()));
        self.hear()
    }
}

fn question(input: &str) -> Vec<u8> {
    (json!({"ask": "move", "input": input}).to_string() + "\n").into_bytes()
}

/// Returns a question about a position that also states how much time other daemons have used for the game.
fn spent(seconds: f64, input: &Input) -> Vec<u8> {
    let input = input.to_string();
    (json!({"ask": "move", "input": input, "spent_s": seconds}).to_string() + "\n").into_bytes()
}

fn input(position: &Position, mode: Mode, seconds: f64) -> Input {
    Input {
        mode,
        player: player(position.to_move()),
        seconds,
        board: board(position),
    }
}

/// Returns the position that follows when the move in the daemon's answer is made.
fn after(at: &Position, answer: &Value) -> Position {
    let output = answer["output"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"));
    let path = Output::parse(output.as_bytes()).expect("output.txt").path();
    let [from, to] = [path[0], path[path.len() - 1]].map(|place| Square::at(place.x, place.y));
    let mv = Move { from, to };
    assert!(at.is_legal(mv), "{answer}");
    at.after(mv)
}

fn some_reply(at: &Position, number: usize) -> Position {
    at.after(at.moves()[number])
}

#[test]
fn two_games_at_once_are_each_their_own_and_pay_for_their_time() {
    let daemon = Daemon::start(&[]);
    let mut positions = Color::BOTH.map(|color| Position::start(color, Rules::Addendum));
    let mut charged = [0.0, 0.0];
    for turn in 0..4 {
        for at in [0, 1] {
            // There is a new connection for each move, because a shim runs only for one move.
            let answer = daemon
                .connect()
                .ask(&input(&positions[at], Mode::Game, 2.0));
            assert_eq!(answer["answer"], "move", "{answer}");
            assert_eq!(answer["known"], turn > 0, "{answer}");
            let [cpu, game] =
                ["cpu_s", "game_cpu_s"].map(|key| answer[key].as_f64().expect("a time"));
            assert!(
                cpu > 0.0 && (charged[at] + cpu - game).abs() < 1e-6,
                "{answer}"
            );
            charged[at] = game;
            let mine = after(&positions[at], &answer);
            positions[at] = some_reply(&mine, at + turn);
        }
    }
    // The earlier position is not a successor, so a new game begins.
    let answer = daemon
        .connect()
        .ask(&input(&positions[0], Mode::Single, 0.05));
    assert_eq!(answer["known"], false);
}

#[test]
fn questions_at_the_same_time_are_answered_side_by_side() {
    let daemon = Daemon::start(&[]);
    let (black, white) = (
        Position::start(Color::Black, Rules::Addendum),
        Position::start(Color::White, Rules::Addendum),
    );
    let (mut one, mut two) = (daemon.connect(), daemon.connect());
    // The first search runs until it is canceled. Meanwhile, the daemon answers the second question.
    one.say(&question(
        &input(&black, Mode::Single, 100_000.0).to_string(),
    ));
    let answer = two.ask(&input(&white, Mode::Game, 1.0));
    assert_eq!(answer["answer"], "move", "{answer}");
}

#[test]
fn hostile_lines_are_answered_and_change_nothing() {
    let daemon = Daemon::start(&[]);
    let start = Position::start(Color::Black, Rules::Addendum);
    let mut connection = daemon.connect();
    let answer = connection.ask(&input(&start, Mode::Game, 2.0));
    let next = some_reply(&after(&start, &answer), 3);
    let malformed = input(&start, Mode::Game, 2.0).to_string().replace('B', "b");
    for (line, kind) in [
        (b"hello\n".to_vec(), "frame"),
        (b"\n".to_vec(), "frame"),
        (b"{\"ask\":\"tea\"}\n".to_vec(), "frame"),
        (b"{\"ask\":\"move\"}\n".to_vec(), "frame"),
        (b"\xff\xfe\n".to_vec(), "frame"),
        ([vec![b'['; 100_000], b"\n".to_vec()].concat(), "frame"),
        (question(""), "input"),
        (question(&malformed), "input"),
        (question(&"GAME\n".repeat(20)), "input"),
        (spent(-1.0, &input(&start, Mode::Game, 2.0)), "frame"),
        (spent(1e9, &input(&start, Mode::Game, 2.0)), "frame"),
    ] {
        connection.say(&line);
        let answer = connection.hear();
        assert_eq!(answer["answer"], "error", "{answer}");
        assert_eq!(answer["kind"], kind, "{answer}");
        assert!(
            answer["reason"]
                .as_str()
                .is_some_and(|reason| reason.len() > 10),
            "{answer}"
        );
    }
    // A client that sends half a question and then stays silent does not delay another connection. At the end of the
    // stream, the daemon reports the half question.
    let mut half = daemon.connect();
    let whole = question(&input(&next, Mode::Game, 2.0).to_string());
    half.say(&whole[..whole.len() / 2]);
    let answer = connection.ask(&input(&next, Mode::Game, 2.0));
    assert_eq!(answer["known"], true, "{answer}");
    half.0
        .get_mut()
        .shutdown(std::net::Shutdown::Write)
        .expect("open");
    let answer = half.hear();
    assert_eq!(answer["kind"], "frame", "{answer}");
    // A question that arrives in two halves is answered like a whole question.
    let mut slow = daemon.connect();
    slow.say(&whole[..100]);
    slow.say(&whole[100..]);
    assert_eq!(slow.hear()["answer"], "move");
}

#[test]
fn a_position_without_a_move_is_told() {
    let daemon = Daemon::start(&[]);
    // All of Black's pieces are in Black's goal, which is full, and they may not leave it, so Black has no move.
    let goal = Color::Black.goal();
    let mut white = Color::Black.camp();
    assert_eq!((goal.count(), white.count()), (19, 19));
    white.remove(Square::at(0, 0));
    white.insert(Square::at(8, 8));
    let stuck = Position::new(goal, white, Color::Black, Rules::Addendum).expect("apart");
    let answer = daemon.connect().ask(&input(&stuck, Mode::Game, 1.0));
    assert_eq!(answer["kind"], "stuck", "{answer}");
}

#[test]
fn who_leaves_breaks_the_search_off_and_makes_room() {
    let start = Position::start(Color::Black, Rules::Addendum);
    let endless = question(&input(&start, Mode::Game, 100_000.0).to_string());
    let busy = input(&start, Mode::Game, 1.0);
    // The search ends even if the leaving client has asked more questions than the daemon reads in advance.
    for questions in [1, 5, 6] {
        let daemon = Daemon::start(&["--games", "1"]);
        let mut leaving = daemon.connect();
        leaving.say(&endless.repeat(questions));
        until(|| (daemon.connect().ask(&busy)["kind"] == "busy").then_some(()));
        drop(leaving);
        let answered = || Some(daemon.connect().ask(&busy)).filter(|it| it["answer"] == "move");
        assert_eq!(until(answered)["known"], false);
    }
}

#[test]
fn single_moves_are_bounded_too() {
    let daemon = Daemon::start(&["--games", "2"]);
    let start = Position::start(Color::Black, Rules::Addendum);
    let endless = question(&input(&start, Mode::Single, 100_000.0).to_string());
    let mut connections = [(); 3].map(|()| daemon.connect());
    for connection in &mut connections {
        connection.say(&endless);
        let stream = connection.0.get_mut();
        let short = Some(Duration::from_millis(10));
        stream.set_read_timeout(short).expect("a limit");
    }
    // The other connections receive blanks, which show that the daemon is still working on their questions.
    let is_told = |it: &Connection| {
        let mut heard = [0; 4096];
        let length = it.0.get_ref().peek(&mut heard).unwrap_or(0);
        heard[..length].contains(&b'{')
    };
    let told = until(|| connections.iter().position(is_told));
    assert_eq!(connections[told].hear()["kind"], "busy");
    // The daemon still accepts a new game.
    let answer = daemon.connect().ask(&input(&start, Mode::Game, 0.5));
    assert_eq!(answer["answer"], "move", "{answer}");
    drop(connections);
    let single = input(&start, Mode::Single, 0.05);
    until(|| (daemon.connect().ask(&single)["answer"] == "move").then_some(()));
}

#[test]
fn who_closes_its_side_alone_still_gets_its_answers() {
    let daemon = Daemon::start(&["--games", "1"]);
    let start = Position::start(Color::Black, Rules::Addendum);
    let mut half = daemon.connect();
    // The search is so long that the daemon checks the connection several times.
    half.say(&question(&input(&start, Mode::Single, 2.0).to_string()));
    half.say(&question(""));
    half.say(&question(&input(&start, Mode::Game, 0.5).to_string())[..100]);
    let stream = half.0.get_mut();
    stream.shutdown(std::net::Shutdown::Write).expect("open");
    after(&start, &half.hear());
    assert_eq!(half.hear()["kind"], "input");
    assert_eq!(half.hear()["kind"], "frame");
    let mut nothing = String::new();
    assert_eq!(half.0.read_line(&mut nothing).expect("the end"), 0);
    // A half-closed connection also keeps an endless search alive. Once the client leaves, the daemon detects that
    // nobody waits for the answer.
    let mut leaving = daemon.connect();
    leaving.say(&question(&input(&start, Mode::Game, 100_000.0).to_string()));
    let busy = input(&start, Mode::Game, 1.0);
    until(|| (daemon.connect().ask(&busy)["kind"] == "busy").then_some(()));
    let stream = leaving.0.get_mut();
    stream.shutdown(std::net::Shutdown::Write).expect("open");
    assert_eq!(daemon.connect().ask(&busy)["kind"], "busy");
    drop(leaving);
    until(|| (daemon.connect().ask(&busy)["answer"] == "move").then_some(()));
}

#[test]
fn who_waits_is_told_all_the_time_that_it_is_thought_about() {
    let daemon = Daemon::start(&[]);
    let start = Position::start(Color::Black, Rules::Addendum);
    let mut waiting = daemon.connect();
    let asked = Instant::now();
    waiting.say(&question(
        &input(&start, Mode::Single, 100_000.0).to_string(),
    ));
    let mut blanks = [0; 20];
    waiting.0.read_exact(&mut blanks).expect("blanks");
    assert_eq!(blanks, [b' '; 20]);
    // The daemon sends at most one blank every 20 ms, because the client has to read every blank.
    assert!(asked.elapsed() >= Duration::from_millis(19 * 20));
}

#[test]
fn signals_end_it_also_while_it_thinks() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let mut daemon = Daemon::start(&[]);
        let start = Position::start(Color::Black, Rules::Addendum);
        let mut waiting = daemon.connect();
        waiting.say(&question(
            &input(&start, Mode::Single, 100_000.0).to_string(),
        ));
        // Once the daemon has answered this question, it must also have accepted the other question.
        daemon.connect().ask(&input(&start, Mode::Single, 0.02));
        daemon.signal(signal);
        let status = until(|| daemon.process.try_wait().expect("a child"));
        assert_eq!(status.code(), Some(code));
    }
}

#[test]
fn it_listens_to_this_machine_unless_told_otherwise() {
    let help = Command::new(TURNWISE)
        .args(["halma", "serve", "--help"])
        .output();
    let help = help.expect("the program can be started").stdout;
    assert!(String::from_utf8_lossy(&help).contains("127.0.0.1:7361"));
}

#[test]
fn the_shims_way_gives_a_legal_move() {
    let daemon = Daemon::start(&[]);
    for rules in Rules::ALL {
        let input = input(&Position::start(Color::White, rules), Mode::Game, 1.0);
        let at = position(&input, rules);
        let spent = Duration::from_millis(100);
        let question = Question {
            input: &input,
            position: &at,
        };
        let patience = asking::Patience {
            silence: FOREVER,
            whole: FOREVER,
        };
        let asked = asking::Daemon::At(daemon.address);
        let reply = asking::ask(&asked, question, spent, patience).expect("a move");
        assert!(at.is_legal(reply.mv));
        assert!(reply.game_cpu > spent);
    }
}

/// Writes this input.txt into a folder and runs the shim `turnwise halma` there.
fn shim(folder: &Path, input: &Input, daemon: &str) -> std::process::Output {
    let mut command = Command::new(TURNWISE);
    run_shim(command.args(["halma", "--daemon", daemon]), folder, input)
}

fn run_shim(command: &mut Command, folder: &Path, input: &Input) -> std::process::Output {
    std::fs::write(folder.join("input.txt"), input.to_string()).expect("a file");
    let output = command
        .current_dir(folder)
        .output()
        .expect("the program can be started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Runs a shim repeatedly until its daemon answers.
///
/// On a busy machine, one run may not suffice, because the daemon may seem to the shim to have stalled.
fn hand_over(folder: &Path, run: impl Fn() -> std::process::Output) {
    let playdata = folder.join("playdata.txt");
    let before = std::fs::read(&playdata).ok();
    until(|| {
        match &before {
            Some(before) => std::fs::write(&playdata, before).expect("a file"),
            None => drop(std::fs::remove_file(&playdata)),
        }
        run().stderr.is_empty().then_some(())
    });
}

#[test]
fn turnwise_halma_hands_over_and_goes_on_alone_when_the_daemon_has_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let daemon = Daemon::start(&[]);
    let address = daemon.address.to_string();
    let mut at = Position::start(Color::White, Rules::Addendum);
    let answered = || {
        let bytes = std::fs::read(folder.path().join("output.txt")).expect("an answer");
        json!({ "output": String::from_utf8(bytes).expect("text") })
    };
    hand_over(folder.path(), || {
        shim(folder.path(), &input(&at, Mode::Game, 1.0), &address)
    });
    at = some_reply(&after(&at, &answered()), 2);
    // The daemon knows the game from the shim's question.
    assert_eq!(
        daemon.connect().ask(&input(&at, Mode::Game, 1.0))["known"],
        true
    );
    let spent = spent_elsewhere(folder.path());
    assert!(spent > 0.0);
    drop(daemon);
    shim(folder.path(), &input(&at, Mode::Game, 1.0), &address);
    at = some_reply(&after(&at, &answered()), 2);
    // The time that the first daemon used is still stored, and the next daemon also counts it.
    assert_eq!(spent_elsewhere(folder.path()), spent);
    let daemon = Daemon::start(&[]);
    let address = daemon.address.to_string();
    hand_over(folder.path(), || {
        shim(folder.path(), &input(&at, Mode::Game, 1.0), &address)
    });
    after(&at, &answered());
    assert!(spent_elsewhere(folder.path()) > spent);
}

/// Returns the time that daemons have used, according to playdata.txt.
fn spent_elsewhere(folder: &Path) -> f64 {
    let text = std::fs::read_to_string(folder.join("playdata.txt")).expect("playdata");
    let clock = text.lines().find(|line| line.starts_with("clock "));
    let spent = clock.and_then(|clock| clock.split(' ').nth(3));
    spent.expect("a time").parse().expect("a number")
}
