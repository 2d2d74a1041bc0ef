//! MasterChef team formation: two captains pick teams of five in turn (USC CSCI 360, spring 2020, project 2).
//!
//! [`input`] reads the assignment's file, [`rules`] says what a team is worth, and two engines answer
//! with the pick to make: [`literal`] (minimax and alpha-beta as the text has them) and [`solver`] (exact at
//! any size). All give the same answer; [`decision`]
//! chooses between them, [`explanation`] says why. Powers are counted in [`units`], as wide as a file's
//! numbers need.

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
