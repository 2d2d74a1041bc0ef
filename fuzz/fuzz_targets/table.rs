//! Runs the target that `TURNWISE_FUZZ_TARGET` names.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use turnwise_fuzzing::{Target, target};

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("TURNWISE_FUZZ_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("TURNWISE_FUZZ_TARGET: expected a target's name, got {name:?}"))
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));
