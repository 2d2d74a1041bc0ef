//! Tests that exported players compile with their own tool chains and decide as the program does.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_entropy::rules::{Cell, Move, Phase, Position, Rules};
use turnwise_entropy::search_agent::SearchAgent;
use turnwise_entropy::wire_cells::{on_wire, slide_on_wire};
use turnwise_entropy::{Agent, Control, Limits};
use turnwise_protocol::entropy::codecup::encode_message;
use turnwise_protocol::entropy::{HostMessage, Line, Role, Tile};

use crate::support::{run, run_with_input, stderr, stdout};

/// The maximum size of a source file at CodeCup, in bytes.
const LARGEST_FILE: u64 = 1_474_560;

/// Compiles a source file with this command line of a compiler and CodeCup's options. Neither an error nor a warning may
/// occur.
fn compile(compiler: &[&str], source: &Path, program: &Path) {
    let mut command = Command::new(compiler[0]);
    command
        .args(&compiler[1..])
        .args(["-O", "--edition", "2021", "-o"]);
    let output = command.arg(program).arg(source).output();
    let output = output.expect("the compiler starts");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

/// Plays a game against random moves. Returns the words that the manager sends to the player of this role, and the
/// player's answers, one a line.
fn game(role: Role, nodes: u64, seed: u64) -> [String; 2] {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut agent = SearchAgent::for_clock(Duration::from_secs(30));
    let rules = Rules {
        size: 7,
        pass: true,
    };
    let mut position = Position::new(rules);
    let mut sent = match role {
        Role::Chaos => vec![Line::Role(role)],
        Role::Order => Vec::new(),
    };
    let mut answers = Vec::new();
    while position.phase() != Phase::Over {
        let bag = (1..=rules.size).flat_map(|colour| vec![colour; position.in_bag(colour).into()]);
        let bag: Vec<u8> = bag.collect();
        let colour = bag[random.random_range(0..bag.len())];
        position.make(Move::Draw(colour));
        let tile = Tile(colour - 1);
        for mover in [Role::Chaos, Role::Order] {
            if position.phase() == Phase::Over {
                break;
            }
            let mv = if mover == role {
                if role == Role::Chaos {
                    sent.push(Line::Draw(tile));
                }
                let limits = Limits::of_nodes(nodes);
                agent.think(&position, limits, &Control::new()).best
            } else {
                let mut moves = Vec::new();
                position.moves(&mut moves);
                let mv = moves[random.random_range(0..moves.len())];
                agent.observe(position.clone(), mv, Duration::ZERO);
                mv
            };
            let cell = |cell: Cell| on_wire(cell, rules.size);
            let line = match (mv, mover == role) {
                (Move::Place(at), true) => Line::Place(cell(at)),
                (Move::Place(at), false) => Line::Placed(cell(at), tile),
                _ => {
                    let [from, to] = slide_on_wire(mv, &position);
                    Line::Slide { from, to }
                }
            };
            position.make(mv);
            let lines = if mover == role {
                &mut answers
            } else {
                &mut sent
            };
            lines.push(line);
        }
    }
    [sent, answers].map(|lines| {
        let answer = false;
        encode_message(&HostMessage::Payload { lines, answer })
    })
}

#[test]
fn the_file_for_codecup_decides_as_the_program_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let [source, program] = ["player.rs", "player"].map(|name| folder.path().join(name));
    let output = run(&["export", "codecup", source.to_str().expect("text")]);
    assert!(output.status.success(), "{}", stderr(&output));
    let size = source.metadata().expect("a file").len();
    assert!(size < LARGEST_FILE, "{size} bytes");
    // Rust 1.66, if it is installed: the file must use no newer idioms and no newer library.
    let old = ["rustup", "run", "1.66.0", "rustc"];
    let has_old = (Command::new(old[0])
        .args(&old[1..])
        .arg("--version")
        .output())
    .is_ok_and(|output| output.status.success());
    match has_old {
        true => compile(&old, &source, &program),
        false => println!("SKIPPED: no Rust 1.66; `rustup toolchain install 1.66.0` to test it"),
    }
    compile(&["rustc"], &source, &program);
    for (role, nodes, seed) in [
        (Role::Order, 3_000, 1),
        (Role::Chaos, 3_000, 2),
        (Role::Order, 20_000, 3),
        (Role::Chaos, 20_000, 4),
    ] {
        let [sent, answers] = game(role, nodes, seed);
        let mut player = Command::new(&program);
        let played = run_with_input(player.arg(nodes.to_string()), sent.as_bytes());
        assert_eq!(stderr(&played), "");
        assert_eq!(stdout(&played), answers, "{role}, {nodes} nodes");
    }
    // Words that fit nowhere change nothing.
    let [sent, _] = game(Role::Chaos, 1, 5);
    let played = |words: &str| run_with_input(Command::new(&program).arg("500"), words.as_bytes());
    let noise = "9\n\n3Hh\nStop\n".to_owned();
    assert_eq!(
        stdout(&played(&(noise + &sent + "Quit\n1\n"))),
        stdout(&played(&sent))
    );
}
