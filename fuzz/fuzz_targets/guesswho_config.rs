//! Any text is a Guess Who configuration or is refused; what is read prints and reads back alike.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnwise_guesswho::parse::{self, Strictness};

fuzz_target!(|text: &str| {
    let strict = parse::configuration(text, Strictness::Strict);
    match parse::configuration(text, Strictness::Lenient) {
        Ok(lenient) => {
            let printed = lenient.configuration.to_string();
            let again = parse::configuration(&printed, Strictness::Lenient).expect("what was printed is sound");
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
});
