//! Tests the Studio in a real browser.
//!
//! Every test starts `turnwise studio`, chromedriver and Chromium, and acts like a person: clicks, taps,
//! drags, keys.

// First, because its tests wait for a compiler.
mod built_site;
mod everybody;
mod friends;
mod games;
mod looking;
mod playing;
#[path = "../program/support.rs"]
#[expect(dead_code, reason = "the tests of the program use all of it")]
mod program;

mod support;
mod table;
