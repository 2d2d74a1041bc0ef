//! What the worker calls, and what it is called for. Texts cross the border four bytes at a time in calls, so
//! that neither side has to believe the other's addresses.
//!
//! The worker calls `begin` with a request's length, `push` with its bytes, little-endian, the last ones filled
//! up with zeros, and `ask`, which returns the length of the answer. `pull` gives its bytes. While it asks,
//! `told` is called with the length of each value that grows; `pull` gives that value's bytes then.

// Names that are seen from outside are called unsafe in this language, because two could be alike. Nothing is
// read or written through an address here.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::time::Duration;

use turnwise_engine::instant;

thread_local! {
    static REQUEST: RefCell<Text> = RefCell::default();
    static ANSWER: RefCell<Vec<u8>> = RefCell::default();
}

/// A text that comes in parts.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    length: usize,
}

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Milliseconds of a clock that never goes back.
    safe fn now() -> f64;
    /// Something has grown: so many bytes can be pulled until this returns.
    safe fn told(length: u32);
}

fn put(text: &str) -> u32 {
    ANSWER.with_borrow_mut(|answer| {
        answer.clear();
        answer.extend_from_slice(text.as_bytes());
        answer.len() as u32
    })
}

/// A request of so many bytes begins.
#[unsafe(no_mangle)]
extern "C" fn begin(length: u32) {
    REQUEST.set(Text {
        bytes: Vec::new(),
        length: length as usize,
    });
}

/// The next four bytes of the request.
#[unsafe(no_mangle)]
extern "C" fn push(word: u32) {
    REQUEST.with_borrow_mut(|request| {
        let left = request.length.saturating_sub(request.bytes.len());
        let bytes = &word.to_le_bytes()[..left.min(4)];
        request.bytes.extend_from_slice(bytes);
    });
}

/// Answers the request; the answer's length.
#[unsafe(no_mangle)]
extern "C" fn ask() -> u32 {
    instant::set_clock(|| Duration::from_secs_f64(now().max(0.0) / 1000.0));
    let request = REQUEST.take().bytes;
    let answer = crate::answer_text(&request, |grown| told(put(grown)));
    put(&answer)
}

/// Four bytes of what was told last, or of the answer, from this place on; zeros behind its end.
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
