//! Tests the program from outside, as users run it, and the library code that is in no other crate.

mod analyse;
mod arena;
mod bounded;
mod check;
mod class_at_a_port;
mod contract;
mod daemon;
mod demo;
#[path = "../../crates/twentyone/tests/twentyone/engine_lists.rs"]
mod engine_lists;
mod export;
mod files;
mod forecast;
mod games;
mod guesswho;
mod halma;
mod help;
mod homes;
mod host;
#[cfg(target_os = "linux")]
mod install;
mod many_games;
mod masterchef;
mod masterchef_match;
mod moved;
mod outside;
mod own_folder;
mod puzzles;
mod readme;
#[path = "../../crates/entropy-server/tests/server/naive_referee.rs"]
mod referee;
mod report;
mod review;
mod scarce;
mod schemas;
#[path = "../../crates/entropy-server/tests/server/host/scripted.rs"]
#[expect(dead_code, reason = "the server's own tests use all of it")]
mod scripted;
mod scripts;
mod serve;
mod solve;
mod starters;
mod streams;
mod studio;
mod support;
mod tournament;
mod training;
mod transcripts;
mod twentyone;
mod twentyone_haskell;
mod upgrade;
mod versions;
mod wars;
