//! The game MasterChef: two captains take turns to pick contestants for their teams of five.
//!
//! The game is project 2 of USC CSCI 360, spring 2020.
//!
//! [`input`] reads the assignment's file, and [`rules`] computes the power of a team. Two engines find the pick to
//! make: [`literal`] (minimax and alpha-beta as in the assignment's text) and [`solver`] (exact for pools of any size).
//! When both finish, their answers are equal. [`decision`] chooses between the engines, and [`explanation`] explains
//! the pick. Powers are integers of the types in [`units`], which are as wide as the numbers in a file require.
//!
//! The best first pick for the assignment's example:
//!
//! ```
//! use turnwise_masterchef::answer::run_to_the_end;
//! use turnwise_masterchef::input::{Pool, parse};
//! use turnwise_masterchef::solver::solve;
//!
//! # let file = include_bytes!("../tests/data/example.in");
//! let Pool::Usual(draft) = parse(file)?.pool else {
//!     panic!("the assignment's numbers are short");
//! };
//! let answer = solve(&draft, &mut run_to_the_end);
//! assert_eq!(draft.contestants()[answer.pick].id, 88903);
//! # Ok::<(), turnwise_masterchef::input::InputError>(())
//! ```

pub mod answer;
mod decimal;
pub mod decision;
pub mod explanation;
pub mod input;
pub mod literal;
pub mod match_game;
pub mod pools;
pub mod rules;
pub mod solver;
pub mod units;
