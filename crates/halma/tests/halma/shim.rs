//! The shim's way to a daemon: what is no help is found out, what is, is passed on.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;
use std::time::Duration;

use turnwise_halma::files::{board, player};
use turnwise_halma::rules::{Color, Position, Rules};
use turnwise_halma::shim::{NoMove, Question, Reply, ask};
use turnwise_protocol::halma::{Input, Mode};

/// However loaded the machine is, nothing here takes so long.
const FOREVER: Duration = Duration::from_secs(120);

/// A daemon that takes one connection and says this.
fn impostor(words: &'static [u8]) -> SocketAddr {
    listening_impostor(words).0
}

/// The same, and the question that it was asked.
fn listening_impostor(words: &'static [u8]) -> (SocketAddr, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let listening = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut question = String::new();
        let _ = BufReader::new(stream.try_clone().expect("a stream")).read_line(&mut question);
        let _ = stream.write_all(words);
        if words.is_empty() {
            std::thread::sleep(FOREVER);
        }
        question
    });
    (address, listening)
}

/// What the shim makes of a daemon's answer for this position, with so much time in input.txt.
fn asked(
    position: &Position,
    seconds: &str,
    address: SocketAddr,
    within: Duration,
) -> Result<Reply, NoMove> {
    let input = Input {
        mode: Mode::Game,
        player: player(position.to_move()),
        seconds: 1.0,
        board: board(position),
    };
    let text = input
        .to_string()
        .replacen("\n1.0\n", &format!("\n{seconds}\n"), 1);
    let question = Question {
        bytes: text.as_bytes(),
        input: &input,
        position,
    };
    ask(address, question, Duration::ZERO, within)
}

#[test]
fn the_file_goes_to_the_daemon_and_its_answer_comes_back_as_they_were_read() {
    let start = Position::start(Color::White, Rules::Addendum);
    let words = br#"{"answer":"move","output":"E 11,15 10,15\n","cpu_s":0,"game_cpu_s":0,"known":false,"value":0,"depth":0,"nodes":0}
"#;
    let (address, question) = listening_impostor(words);
    let reply = asked(&start, "1.000", address, FOREVER).expect("a move");
    assert_eq!(reply.output, "E 11,15 10,15\n");
    let question = question.join().expect("a question");
    assert!(question.contains("\\n1.000\\n"), "{question}");
    // Jumps that cannot be made, to a square that can be reached.
    let words = br#"{"answer":"move","output":"J 12,15 5,5\nJ 5,5 10,15\n","cpu_s":0,"game_cpu_s":0,"known":false,"value":0,"depth":0,"nodes":0}
"#;
    let reply = asked(&start, "1.0", impostor(words), FOREVER).expect("a move");
    assert_eq!(reply.output, "J 12,15 10,15\n");
}

#[test]
fn what_is_no_help_is_found_out() {
    let start = Position::start(Color::White, Rules::Addendum);
    let asked = |address, within| asked(&start, "1.0", address, within).expect_err("no move");
    let free = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr();
    assert_eq!(asked(free.expect("an address"), FOREVER), NoMove::Absent);
    let short = Duration::from_millis(50);
    assert_eq!(
        asked(impostor(b""), short),
        NoMove::Silent("timed out".to_owned())
    );
    for words in [&b"hello\n"[..], b"{\"answer\":\"tea\"}\n", b"\xff\n"] {
        assert!(matches!(asked(impostor(words), FOREVER), NoMove::Wrong(_)));
    }
    let endless = br#"{"answer":"move","output":"E 11,15 10,15\n","cpu_s":0,"game_cpu_s":1e18,"known":false,"value":0,"depth":0,"nodes":0}
"#;
    assert_eq!(
        asked(impostor(endless), FOREVER),
        NoMove::Wrong("game_cpu_s 1000000000000000000 is no time".to_owned())
    );
    let illegal = br#"{"answer":"move","output":"E 0,0 5,5\n","cpu_s":0,"game_cpu_s":0,"known":false,"value":0,"depth":0,"nodes":0}
"#;
    assert!(matches!(
        asked(impostor(illegal), FOREVER),
        NoMove::Wrong(_)
    ));
    let refusing = b"{\"answer\":\"error\",\"kind\":\"busy\",\"reason\":\"later\"}\n";
    assert_eq!(
        asked(impostor(refusing), FOREVER),
        NoMove::Refused("later".to_owned())
    );
    // Blanks before a line, one a second.
    let late: &'static [u8] = [&[b' '; 10_000][..], refusing].concat().leak();
    assert_eq!(
        asked(impostor(late), FOREVER),
        NoMove::Refused("later".to_owned())
    );
    let colourful =
        b"{\"answer\":\"error\",\"kind\":\"busy\",\"reason\":\"\\u001b[31mlater\\n\"}\n";
    assert_eq!(
        asked(impostor(colourful), FOREVER),
        NoMove::Refused("\u{fffd}[31mlater\u{fffd}".to_owned())
    );
    // A line without an end, or none that ever begins.
    for byte in [b'x', b' '] {
        let endless: &'static [u8] = vec![byte; 200_000].leak();
        let NoMove::Silent(why) = asked(impostor(endless), FOREVER) else {
            panic!("no line has ended");
        };
        assert_eq!(why, "its line does not end");
    }
    assert!(matches!(
        asked(impostor(b"{\"answer\""), FOREVER),
        NoMove::Silent(_)
    ));
}
