//! Tests that the shim accepts a daemon's usable answers and rejects all others.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;
use std::time::Duration;

use turnwise_halma::files::{board, player};
use turnwise_halma::rules::{Color, Position, Rules};
use turnwise_halma::shim::Question;
use turnwise_halma::shim::asking::{AskError, Daemon, Patience, Reply, ask};
use turnwise_halma::squares::{Square, Squares};
use turnwise_protocol::halma::{Input, Mode};

/// A time that no test takes, however busy the machine is.
const FOREVER: Duration = Duration::from_secs(120);

const ENDLESS: Patience = Patience {
    silence: FOREVER,
    whole: FOREVER,
};

/// Starts a fake daemon that accepts one connection and sends these words.
fn impostor(words: &'static [u8]) -> SocketAddr {
    listening_impostor(words).0
}

/// Like [`impostor`], and also returns the question that the daemon received.
fn listening_impostor(words: &'static [u8]) -> (SocketAddr, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let listening = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut question = String::new();
        let _ = BufReader::new(stream.try_clone().expect("a stream")).read_line(&mut question);
        let _ = stream.write_all(words);
        // A daemon that only sends blanks must never finish.
        if words.trim_ascii().is_empty() {
            std::thread::sleep(FOREVER);
        }
        question
    });
    (address, listening)
}

/// Returns the shim's result for this position, with the given seconds in input.txt.
fn asked(
    position: &Position,
    seconds: f64,
    address: SocketAddr,
    patience: Patience,
) -> Result<Reply, AskError> {
    asked_after(Duration::ZERO, position, seconds, address, patience)
}

/// Like [`asked`], but after daemons have used the time `spent` in this game.
fn asked_after(
    spent: Duration,
    position: &Position,
    seconds: f64,
    address: SocketAddr,
    patience: Patience,
) -> Result<Reply, AskError> {
    let input = Input {
        mode: Mode::Game,
        player: player(position.to_move()),
        seconds,
        board: board(position),
    };
    let question = Question {
        input: &input,
        position,
    };
    ask(&Daemon::At(address), question, spent, patience)
}

#[test]
fn the_input_goes_to_the_daemon_and_its_answer_comes_back() {
    let start = Position::start(Color::White, Rules::Addendum);
    let words = br#"{"answer":"move","output":"E 11,15 10,15\n","cpu_s":0,"game_cpu_s":0,"known":false,"value":0,"depth":0,"nodes":0}
"#;
    let (address, question) = listening_impostor(words);
    let reply = asked(&start, 1.0, address, ENDLESS).expect("a move");
    assert_eq!(reply.output, "E 11,15 10,15\n");
    let question = question.join().expect("a question");
    assert!(question.contains("\\n1.0\\n"), "{question}");
    // The target can be reached, but the jumps to it are impossible.
    let words = br#"{"answer":"move","output":"J 12,15 5,5\nJ 5,5 10,15\n","cpu_s":0,"game_cpu_s":0,"known":false,"value":0,"depth":0,"nodes":0}
"#;
    let reply = asked(&start, 1.0, impostor(words), ENDLESS).expect("a move");
    assert_eq!(reply.output, "J 12,15 10,15\n");
}

#[test]
fn what_is_no_help_is_found_out() {
    let start = Position::start(Color::White, Rules::Addendum);
    let asked = |address, patience| asked(&start, 1.0, address, patience).expect_err("no move");
    let free = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr();
    assert_eq!(asked(free.expect("an address"), ENDLESS), AskError::Absent);
    for words in [&b"hello\n"[..], b"{\"answer\":\"tea\"}\n", b"\xff\n"] {
        assert!(matches!(
            asked(impostor(words), ENDLESS),
            AskError::Wrong(_)
        ));
    }
    let illegal = br#"{"answer":"move","output":"E 0,0 5,5\n","cpu_s":0,"game_cpu_s":0,"known":false,"value":0,"depth":0,"nodes":0}
"#;
    assert_eq!(
        asked(impostor(illegal), ENDLESS),
        AskError::Wrong("`E 0,0 5,5`: it has no piece on 0,0".to_owned())
    );
    let refusing = b"{\"answer\":\"error\",\"kind\":\"busy\",\"reason\":\"later\"}\n";
    assert_eq!(
        asked(impostor(refusing), ENDLESS),
        AskError::Refused("later".to_owned())
    );
    // Blanks before a line mean that the daemon is still thinking.
    let late: &'static [u8] = [&[b' '; 10_000][..], refusing].concat().leak();
    assert_eq!(
        asked(impostor(late), ENDLESS),
        AskError::Refused("later".to_owned())
    );
    let colourful =
        b"{\"answer\":\"error\",\"kind\":\"busy\",\"reason\":\"\\u001b[31mlater\\n\"}\n";
    assert_eq!(
        asked(impostor(colourful), ENDLESS),
        AskError::Refused("\u{fffd}[31mlater\u{fffd}".to_owned())
    );
    // The answer never ends: it is an endless line, or only blanks.
    for byte in [b'x', b' '] {
        let endless: &'static [u8] = vec![byte; 200_000].leak();
        let AskError::Broken(why) = asked(impostor(endless), ENDLESS) else {
            panic!("no line has ended");
        };
        assert_eq!(why, "its line does not end");
    }
    assert!(matches!(
        asked(impostor(b"{\"answer\""), ENDLESS),
        AskError::Broken(_)
    ));
}

#[test]
fn a_forbidden_move_of_a_daemon_is_reported_with_its_clause() {
    let words = br#"{"answer":"move","output":"E 5,5 4,4\n","cpu_s":0,"game_cpu_s":0,"known":false,"value":0,"depth":0,"nodes":0}
"#;
    let white: Squares = [(11, 15), (5, 5)]
        .map(|(x, y)| Square::at(x, y))
        .into_iter()
        .collect();
    let position = Position::new(Squares::EMPTY, white, Color::White, Rules::Addendum);
    let answer = asked(&position.expect("apart"), 1.0, impostor(words), ENDLESS);
    let Err(AskError::Wrong(why)) = answer else {
        panic!("{answer:?}");
    };
    assert!(
        why.starts_with("`E 5,5 4,4`: clause 1b of the addendum: "),
        "{why}"
    );
}

#[test]
fn who_stalls_is_not_waited_for() {
    let start = Position::start(Color::White, Rules::Addendum);
    let second = Duration::from_secs(1);
    let impatient = Patience {
        silence: second,
        ..ENDLESS
    };
    let asked = |words, patience| asked(&start, 1.0, impostor(words), patience);
    let silent = AskError::Silent("it was silent for 1 s".to_owned());
    assert_eq!(asked(b"", impatient), Err(silent));
    // This daemon sends one blank, then nothing.
    let broken = AskError::Broken("it was silent for 1 s".to_owned());
    assert_eq!(asked(b" ", impatient), Err(broken));
    let hasty = Patience {
        whole: second,
        ..ENDLESS
    };
    let broken = AskError::Broken("it took longer than 1.000 s".to_owned());
    assert_eq!(asked(b" ", hasty), Err(broken));
}

/// Starts a fake daemon that repeats `words` forever, with the pause `each` between two bytes.
fn dripping(words: &'static [u8], each: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        for byte in words.iter().cycle() {
            if stream.write_all(&[*byte]).is_err() {
                return;
            }
            std::thread::sleep(each);
        }
    });
    address
}

#[test]
fn an_answer_that_drips_in_buys_no_time() {
    let start = Position::start(Color::White, Rules::Addendum);
    let impatient = Patience {
        silence: Duration::from_secs(1),
        ..ENDLESS
    };
    let asked = |words, each| asked(&start, 1.0, dripping(words, each), impatient);
    // The gap between two bytes is too short to count as silence.
    let each = Duration::from_millis(20);
    let broken = AskError::Broken("its answer took longer than 1 s".to_owned());
    assert_eq!(asked(b"{ ", each), Err(broken.clone()));
    assert_eq!(asked(b" {", each), Err(broken));
}

#[test]
fn no_daemon_has_computed_for_longer_than_it_was_waited_for() {
    let start = Position::start(Color::White, Rules::Addendum);
    let spent = Duration::from_secs(500);
    let says = |cpu: &str, game: &str| {
        let words = format!(
            "{{\"answer\":\"move\",\"output\":\"E 11,15 10,15\\n\",\"cpu_s\":{cpu},\"game_cpu_s\":{game},\
             \"known\":true,\"value\":0,\"depth\":0,\"nodes\":0}}\n"
        );
        let address = impostor(words.leak().as_bytes());
        asked_after(spent, &start, 1.0, address, ENDLESS)
    };
    let reply = says("0", "500").expect("a move");
    assert_eq!(reply.game_cpu, spent);
    assert!(says("0.001", "500.001").is_ok());
    for (cpu, game) in [
        ("0", "99999999"),
        ("0", "1e18"),
        ("0", "1000"),
        ("0", "499"),
        ("0", "-1"),
        ("1000", "500"),
        ("-1", "500"),
    ] {
        let Err(AskError::Wrong(why)) = says(cpu, game) else {
            panic!("{cpu} s, {game} s in the game");
        };
        assert!(why.contains("claims"), "{why}");
    }
}
