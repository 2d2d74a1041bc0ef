//! Defines the interface between the worker and the WebAssembly module.
//!
//! Each call passes at most four bytes of text, so neither side has to trust the other's addresses.
//!
//! The worker calls `begin` with the request's length, `push` with its bytes and `ask`, which returns the answer's
//! length. For a log, it calls `read` instead of `ask`. `push` accepts little-endian words; the last word is padded with zeros. `pull` returns the answer's bytes.
//! During `ask`, the module calls `told` with the length of each partial result, which the worker reads with `pull`.

// Rust requires `unsafe` for exported names, because two names could collide. This module reads and writes nothing
// through addresses.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::time::Duration;

use turnwise_engine::instant;

thread_local! {
    static REQUEST: RefCell<Text> = RefCell::default();
    static ANSWER: RefCell<Vec<u8>> = RefCell::default();
}

/// A text that arrives four bytes at a time.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    length: usize,
}

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Returns the time of a monotonic clock, in milliseconds.
    safe fn now() -> f64;
    /// Reports the length of a partial result, in bytes. The worker reads the result with `pull` during this call.
    safe fn told(length: u32);
}

fn put(text: &str) -> u32 {
    ANSWER.with_borrow_mut(|answer| {
        answer.clear();
        answer.extend_from_slice(text.as_bytes());
        answer.len() as u32
    })
}

/// Begins a new request, whose length in bytes is given.
#[unsafe(no_mangle)]
extern "C" fn begin(length: u32) {
    REQUEST.set(Text {
        bytes: Vec::new(),
        length: length as usize,
    });
}

/// Adds the next four bytes of the request.
#[unsafe(no_mangle)]
extern "C" fn push(word: u32) {
    REQUEST.with_borrow_mut(|request| {
        let left = request.length.saturating_sub(request.bytes.len());
        let bytes = &word.to_le_bytes()[..left.min(4)];
        request.bytes.extend_from_slice(bytes);
    });
}

/// Answers the request and returns the length of the answer, in bytes.
#[unsafe(no_mangle)]
extern "C" fn ask() -> u32 {
    instant::set_clock(|| Duration::from_secs_f64(now().max(0.0) / 1000.0));
    let request = REQUEST.take().bytes;
    let answer = crate::answer_text(&request, |grown| told(put(grown)));
    put(&answer)
}

/// Reads the log that was pushed like a request, and returns the length of the answer, in bytes.
#[unsafe(no_mangle)]
extern "C" fn read() -> u32 {
    put(&crate::log_text(&REQUEST.take().bytes))
}

/// Returns four bytes, starting at offset `at`, of the latest partial result or of the answer. Pads them with zeros at
/// the end.
#[unsafe(no_mangle)]
extern "C" fn pull(at: u32) -> u32 {
    ANSWER.with_borrow(|answer| {
        let rest = answer.get(at as usize..).unwrap_or_default();
        let mut word = [0; 4];
        let length = rest.len().min(4);
        word[..length].copy_from_slice(&rest[..length]);
        u32::from_le_bytes(word)
    })
}
