//! MasterChef: input, exact arithmetic, and every engine against brute force.

mod engines;
mod exact;
mod input;
mod matches;
mod people;
mod support;
