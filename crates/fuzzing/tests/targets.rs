//! Runs every target on its corpus, and on inputs derived from it.

use std::collections::BTreeSet;

use turnwise_fuzzing::mutation::Mutator;
use turnwise_fuzzing::{TARGETS, corpus, folder, target};

/// The number of derived inputs for each target.
const INPUTS: usize = 2000;
/// The number of derived inputs for each target in [`SLOW`].
const FEWER: usize = 200;
/// The targets that take long for an input.
const SLOW: &[&str] = &["replay", "twentyone_call"];

#[test]
fn each_target_has_a_corpus_and_each_corpus_a_target() {
    let folders = std::fs::read_dir(folder().join("corpus")).expect("the corpora");
    let folders: BTreeSet<String> = folders
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let names: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(folders, names);
    assert!(SLOW.iter().all(|name| target(name).is_some()));
}

#[test]
fn every_target_takes_its_corpus() {
    for (name, target) in TARGETS {
        for (file, input) in corpus(name) {
            println!("{name}: {file}");
            target(&input);
        }
    }
}

#[test]
fn every_target_takes_what_is_made_of_its_corpus() {
    let run = |first: usize| {
        for (name, target) in TARGETS.iter().skip(first).step_by(2) {
            let inputs = corpus(name).into_iter().map(|(_, input)| input);
            let mut mutator = Mutator::new(inputs.collect(), 1);
            let count = if SLOW.contains(name) { FEWER } else { INPUTS };
            for number in 0..count {
                let input = mutator.next_input();
                let caught = std::panic::catch_unwind(|| target(&input));
                if let Err(panic) = caught {
                    eprintln!(
                        "{name}, input {number}: {:?}",
                        String::from_utf8_lossy(&input)
                    );
                    std::panic::resume_unwind(panic);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| run(0));
        scope.spawn(|| run(1));
    });
}
