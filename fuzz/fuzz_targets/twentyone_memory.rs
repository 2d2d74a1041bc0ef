//! The memory string of the TwentyOne player: any bytes are read or refused, never a panic, and
//! what is read is written back so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnwise_twentyone::memory::Memory;
use turnwise_twentyone::player::MEMORY_LIMIT;

fuzz_target!(|text: &str| {
    if let Ok(memory) = Memory::parse(text) {
        let written = memory.to_string();
        assert_eq!(Memory::parse(&written).as_ref(), Ok(&memory), "{written}");
        // What is left out of a long one leaves a memory.
        let kept = memory.to_limited_string();
        assert!(kept.len() <= MEMORY_LIMIT && Memory::parse(&kept).is_ok(), "{kept}");
    }
});
