//! Tests how users name agents on the command line, and that the text written for an agent can be parsed again.

use turnwise_arena::agents::{Spec, SpecError, unique_names};
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::About;

use crate::game;

fn about(name: &str) -> &'static About {
    game(name).about()
}

#[test]
fn what_is_written_is_read_again() {
    for text in [
        "turnwise",
        "turnwise:nodes=1000",
        "turnwise:nodes=5,depth=2",
        "turnwise:depth=2,weights=my.weights",
        "turnwise:time=0.1",
        "turnwise:nodes=7,time=1",
        "turnwise:time=0.5,hash=256",
        "holes",
        "cmd:./player --level 3",
        "cmd/codecup:python3 'my player.py'",
        "cmd:time=0.1:./player 'a:b' x:time=y",
        "cmd/codecup:time=0.25:./player",
        "cmd:folder=theirs:python3 player.py",
        "cmd:./player b:fol'der'=x",
        "ada=cmd/codecup:time=0.5,folder=class/ada:./player x:y=z",
        "daemon:./bot {port}",
    ] {
        let spec = Spec::read(about("entropy"), text).expect(text);
        let again = Spec::read(about("entropy"), &spec.to_string()).expect(text);
        assert_eq!(spec, again, "{text}");
    }
}

#[test]
fn a_command_with_a_nul_byte_is_none() {
    for text in ["cmd:./player \0", "daemon:\0"] {
        let error = Spec::read(about("entropy"), text).expect_err("no program can be given it");
        let SpecError::Words(_) = error else {
            panic!("{text:?}: {error}");
        };
    }
}

#[test]
fn commands_give_time_odds_too() {
    let of_match = TimeControl::Clock {
        seconds: 300.0,
        increment: 2.0,
    };
    for (text, seconds) in [("cmd:./x", 300.0), ("slow=cmd:time=0.25:./x", 75.0)] {
        for game in ["entropy", "halma"] {
            let kind = Spec::read(about(game), text).expect(text).kind;
            let increment = seconds / 150.0;
            let expected = TimeControl::Clock { seconds, increment };
            assert_eq!(kind.time(of_match), expected, "{text}");
        }
    }
}

#[test]
fn names_come_first_and_are_made_unique() {
    let specs: Vec<Spec> = [
        "mine=turnwise:depth=2",
        "turnwise",
        "turnwise",
        "cmd:a/b x=1",
    ]
    .iter()
    .map(|text| Spec::read(about("entropy"), text).expect(text))
    .collect();
    assert_eq!(
        unique_names(&specs),
        ["mine", "turnwise", "turnwise-2", "b"]
    );
}

#[test]
fn errors_say_what_was_expected() {
    for (game, text, part) in [
        (
            "halma",
            "holes",
            "expected turnwise, random, minimax, distance, stayer, human or cmd",
        ),
        (
            "halma",
            "turnwise:depth=3",
            "expected one of nodes=NUMBER, level=1-8, time=PART, hash=MB after",
        ),
        ("halma", "turnwise:hash=0", "hash=MB"),
        ("entropy", "turnwise:hash=100000", "hash=MB"),
        ("halma", "daemon:x", "expected turnwise, random"),
        ("halma", "cmd/codecup:x", "expected turnwise, random"),
        ("halma", "cmd:", "expected a command line"),
        ("entropy", "turnwize", "expected turnwise, last, random"),
        ("entropy", "last:weights=w", "expected one of nodes=NUMBER"),
        (
            "entropy",
            "turnwise:knots=3",
            "expected one of nodes=NUMBER",
        ),
        (
            "entropy",
            "turnwise:nodes=0",
            "expected one of nodes=NUMBER",
        ),
        ("entropy", "turnwise:time=0", "expected one of nodes=NUMBER"),
        ("entropy", "turnwise:time=1.5", "time=PART"),
        ("halma", "turnwise:time=nan", "time=PART"),
        ("entropy", "holes:depth=3", "holes has no options"),
        ("entropy", "cmd:", "expected a command line"),
        ("entropy", "cmd:'open", "expected a command line"),
        ("entropy", "cmd/uci:x", "expected cmd/entropy"),
        (
            "halma",
            "cmd:time=0:x",
            "time=PART, folder=DIR after `cmd:`, got \"time=0\"",
        ),
        (
            "halma",
            "cmd:time=2:x",
            "time=PART, folder=DIR after `cmd:`, got \"time=2\"",
        ),
        ("entropy", "cmd:time=0.1:", "expected a command line"),
        (
            "halma",
            "a=cmd:./x 3:time=0.1",
            "before the words of the command: cmd:time=0.1:./x 3",
        ),
        (
            "entropy",
            "cmd:python3 x.py:folder=theirs",
            "write the folder before the words of the command: cmd:folder=theirs:python3 x.py",
        ),
        (
            "entropy",
            "cmd:folder=:x",
            "expected one of time=PART, folder=DIR after `cmd:`, got \"folder=\"",
        ),
        (
            "entropy",
            "cmd:folder=theirs,depth=2:x",
            "after `cmd:`, got \"depth=2\"",
        ),
        ("entropy", "turnwise:folder=x", "expected one of nodes="),
    ] {
        let error = Spec::read(about(game), text).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}
