//! Tests the parsers of texts from users, and of files that turnwise writes and reads again.

use std::fmt::Write;

use turnwise_engine::words::fnv1a;
use turnwise_entropy::parse as board;
use turnwise_entropy::picture;
use turnwise_entropy::rules::Phase;
use turnwise_entropy::train::batches::Generation;
use turnwise_entropy::train::checkpoint as training;
use turnwise_entropy::train::self_play::SelfPlay;
use turnwise_entropy::weights::Weights;
use turnwise_guesswho::parse::{self, Strictness};
use turnwise_halma::calibration::Calibration;
use turnwise_halma::files::{board as halma_board, position};
use turnwise_halma::playdata::Playdata;
use turnwise_masterchef::input;
use turnwise_protocol::halma::{Input, Output};
use turnwise_protocol::halma_serve::Rules;
use turnwise_twentyone::memory::Memory;
use turnwise_twentyone::player::MEMORY_LIMIT;

/// Checks that a board for `turnwise analyse` is unchanged after it is printed and read again.
pub fn board_text(bytes: &[u8]) {
    for pass in [false, true] {
        let Ok(position) = board::parse(bytes, pass, None) else {
            continue;
        };
        let mut text = picture::board(&position, false);
        if position.phase() == Phase::Place {
            let _infallible = writeln!(text, "drawn: {}", picture::letter(position.drawn()));
        }
        let again = board::parse(text.as_bytes(), pass, None).expect("its own picture");
        assert_eq!(again.cells(), position.cells(), "{text}");
        assert_eq!(again.phase(), position.phase(), "{text}");
        assert_eq!(again.drawn(), position.drawn(), "{text}");
    }
    // Repeat the check with the drawn tile given outside the text.
    if let Ok(position) = board::parse(bytes, false, Some(1)) {
        assert_eq!((position.phase(), position.drawn()), (Phase::Place, 1));
    }
}

pub fn guesswho_config(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    let strict = parse::configuration(text, Strictness::Strict);
    match parse::configuration(text, Strictness::Lenient) {
        Ok(lenient) => {
            let printed = lenient.configuration.to_string();
            let again = parse::configuration(&printed, Strictness::Lenient);
            let again = again.expect("what was printed is sound");
            assert_eq!(again.configuration, lenient.configuration);
            let _ = parse::chosen(text, &lenient.configuration);
            if let Ok(strict) = strict {
                assert_eq!(strict.configuration, lenient.configuration);
            }
        }
        Err(error) => {
            assert!(!error.problems.is_empty());
            assert!(strict.is_err());
        }
    }
}

pub fn halma_input(bytes: &[u8]) {
    let mut warnings = Vec::new();
    let lenient = Input::parse_lenient(bytes, |deviation| warnings.push(deviation));
    assert!(warnings.len() <= 20);
    match lenient {
        Ok(input) => {
            let strict = warnings.into_iter().next().map_or(Ok(&input), Err);
            assert_eq!(Input::parse(bytes).as_ref(), strict.as_ref().copied());
            let text = input.to_string();
            assert_eq!(Input::parse(text.as_bytes()).as_ref(), Ok(&input), "{text}");
            for rules in Rules::ALL {
                assert_eq!(halma_board(&position(&input, rules)), input.board);
            }
        }
        Err(error) => assert!(error.to_string().len() < 1024, "{error}"),
    }
}

pub fn halma_output(bytes: &[u8]) {
    let lenient = Output::parse_lenient(bytes);
    match Output::parse(bytes) {
        Ok(output) => {
            let text = output.to_string();
            assert_eq!(Output::parse(text.as_bytes()).as_ref(), Ok(&output));
            assert!(bytes == text.as_bytes() || bytes == text.trim_end().as_bytes());
            assert_eq!(lenient.as_ref(), Ok(&output));
            assert!(output.path().len() >= 2);
        }
        Err(error) => assert!(error.to_string().len() < 1024, "{error}"),
    }
}

pub fn halma_calibration(bytes: &[u8]) {
    if let Some(calibration) = Calibration::parse(bytes) {
        let text = calibration.to_text();
        let again = Calibration::parse(text.as_bytes()).expect("its own text");
        // Writing rounds numbers, so the text no longer changes after it was written once.
        assert_eq!(again.to_text(), text);
    }
}

/// The line between a `playdata.txt` and the `input.txt` that follows it in a fuzz input.
const NEXT_FILE: &[u8] = b"---\n";

/// Reads Halma's `playdata.txt`, first as given, then with a corrected checksum.
///
/// In `bytes`, this file is followed by [`NEXT_FILE`] and by the `input.txt` with the position from which the game
/// continues.
pub fn halma_playdata(bytes: &[u8]) {
    let between = bytes
        .windows(NEXT_FILE.len())
        .position(|at| at == NEXT_FILE);
    let Some(end) = between else { return };
    let (kept, input) = (&bytes[..end], &bytes[end + NEXT_FILE.len()..]);
    let Ok(input) = Input::parse(input) else {
        return;
    };
    let body = match String::from_utf8_lossy(kept) {
        text if text.contains("sum ") => text[..text.rfind("sum ").unwrap_or(0)].to_owned(),
        text => text.into_owned(),
    };
    let whole = format!("{body}sum {:016x}\n", fnv1a(body.bytes()));
    for rules in Rules::ALL {
        let now = position(&input, rules);
        for kept in [kept, whole.as_bytes()] {
            let Ok(read) = Playdata::parse(kept, &now) else {
                continue;
            };
            let text = read.to_text();
            let again = Playdata::parse(text.as_bytes(), &now).expect("its own text");
            assert_eq!(again.position, read.position);
            assert_eq!(
                [again.left, again.used, again.elsewhere],
                [read.left, read.used, read.elsewhere]
            );
            assert_eq!(again.memory.plan, read.memory.plan);
        }
    }
}

/// Checks that neither blank lines nor the kind of line ending (LF or CRLF) change the pool that is read.
pub fn masterchef_input(bytes: &[u8]) {
    let read = input::parse(bytes);
    if let Err(error) = &read {
        assert!(error.line > 0 && error.to_string().len() < 1024, "{error}");
    }
    let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    let with_returns = input::parse(&lines.join(&b"\r\n"[..]));
    assert_eq!(with_returns, read);
    if read.is_ok() {
        let with_blank_lines = input::parse(&lines.join(&b"\n\n"[..]));
        assert_eq!(with_blank_lines, read);
    }
}

pub fn twentyone_memory(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(memory) = Memory::parse(&text) {
        let written = memory.to_string();
        assert_eq!(Memory::parse(&written).as_ref(), Ok(&memory), "{written}");
        // The memory is still valid after it was shortened to the size limit.
        let kept = memory.to_limited_string();
        let is_sound = kept.len() <= MEMORY_LIMIT && Memory::parse(&kept).is_ok();
        assert!(is_sound, "{kept}");
    }
}

pub fn weights(bytes: &[u8]) {
    match Weights::from_bytes(bytes) {
        Ok(weights) => {
            let written = weights.to_bytes();
            let again = Weights::from_bytes(&written).expect("its own bytes");
            assert_eq!(again.about, weights.about);
            assert_eq!(again.forecast, weights.forecast);
            assert_eq!(again.values, weights.values);
            assert_eq!(again.to_bytes(), written);
            let _ = weights.into_evaluation();
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Two self-play games of a training generation, on the smallest board with weights. A worker sends their results.
const GENERATION: Generation = Generation {
    seed: 1,
    before: 0,
    games: 2,
    self_play: SelfPlay {
        size: 3,
        depth: 1,
        lambda: 0.5,
        exploration: 0.1,
        siblings: 1,
    },
    opening_tiles: 4,
    blocks: false,
};

/// A training generation on the smallest board for which blocks are also recorded.
const WITH_BLOCKS: Generation = Generation {
    self_play: SelfPlay {
        size: 5,
        ..GENERATION.self_play
    },
    blocks: true,
    ..GENERATION
};

/// A training generation for which split blocks and gaps are also recorded. The number of gaps decreases as the board
/// fills.
const WITH_GAPS: Generation = Generation {
    self_play: SelfPlay {
        size: 7,
        ..GENERATION.self_play
    },
    ..WITH_BLOCKS
};

pub fn batch(bytes: &[u8]) {
    for generation in [GENERATION, WITH_BLOCKS, WITH_GAPS] {
        match generation.read(1, bytes) {
            Ok(played) => assert_eq!(played.len(), 2),
            Err(error) => assert!(!error.is_empty()),
        }
    }
}

/// Reads a training checkpoint that consists of the bytes and their correct checksum.
pub fn checkpoint(bytes: &[u8]) {
    let sealed = [bytes, &crc32fast::hash(bytes).to_le_bytes()].concat();
    match training::from_bytes(&sealed) {
        Ok(training) => {
            let written = training::to_bytes(&training);
            let again = training::from_bytes(&written).expect("its own bytes");
            assert_eq!(training::to_bytes(&again), written);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
