//! TwentyOne: a tournament of blackjack-like hands played out of one shoe, under two rule sets.
//!
//! The assignment text (FIT2102, Semester 2 2021, Assignment 2) and the engine its course used
//! disagree in places; [`rules::RuleSet`] names both, and everything here plays either.
//!
//! | module | what it is for |
//! |---|---|
//! | [`cards`] | cards, the shoe, counts of cards by value |
//! | [`rules`] | rule sets, settings, hand values, what a hand is paid |
//! | [`actions`] | what a player can do, and when it is legal |
//! | [`player`] | what a player is asked, and what it answers |
//! | [`game`] | the table: dealing, bidding, turns, the dealer, settlement |
//! | `round` | a round under way, and the turns of its players |
//! | [`record`] | what is told of a game, and its final standings |
//! | [`dealer`] | exact distribution of the dealer's final hand for the cards that are left |
//! | [`expected`] | exact expected value of every legal action for the cards that are left |
//! | [`next_hand`] | mean and variance of a hand before it is dealt, in microseconds, for bidding |
//! | [`memory`] | the player's memory string: grammar, printer, parser |
//! | `counting` | what a player has seen: a view and a memory to the cards that are left |
//! | `bids` | what others bid, from what can be seen of them |
//! | `bidding` | how much to bid |
//! | [`strong`] | the player that puts these together |
//! | [`baselines`] | simpler players to measure against |
//! | [`simulation`] | millions of single hands, to check values and to find ruin probabilities |
//! | [`wire`] | the strong player behind a pipe: `protocol/twentyone.md` |
//! | [`log`] | the course's two CSV formats and a JSON record of a game |
//! | [`match_game`] | TwentyOne in matches: two participants, the same shoe, swapped seats |
//! | [`game_file`] | a file of any of these formats: points by round, what each player did |

pub mod actions;
pub mod baselines;
mod bidding;
mod bids;
pub mod cards;
mod counting;
pub mod dealer;
pub mod expected;
pub mod game;
pub mod game_file;
pub mod log;
pub mod match_game;
pub mod memory;
pub mod next_hand;
pub mod player;
pub mod record;
mod round;
pub mod rules;
pub mod simulation;
pub mod strong;
pub mod wire;
