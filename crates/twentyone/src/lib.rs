//! TwentyOne: a tournament of blackjack-like hands played from one shoe, under two rule sets.
//!
//! The assignment text (FIT2102, Semester 2 2021, Assignment 2) and the engine that its course used differ in places.
//! [`rules::RuleSet`] has a variant for each, and this crate can play by either rule set.
//!
//! | module | purpose |
//! |---|---|
//! | [`cards`] | cards, the shoe, counts of cards by value |
//! | [`rules`] | rule sets, settings, hand values, payment of a hand |
//! | [`actions`] | the actions of players, and when they are legal |
//! | [`player`] | the views that players see, and the replies that they give |
//! | [`game`] | the table: dealing, bidding, turns, the dealer, settlement |
//! | `round` | a round in progress, and its players' turns |
//! | [`record`] | records of a game's events |
//! | [`dealer`] | computes the exact distribution of the dealer's final hand from the cards left |
//! | [`expected`] | computes the exact expected value of every legal action from the cards left |
//! | [`next_hand`] | computes the mean and variance of a hand's gain before it is dealt, within microseconds |
//! | [`memory`] | the player's memory string: grammar, printer, parser |
//! | `counting` | derives the cards left from a player's view and memory |
//! | `bids` | infers other players' bids from visible facts |
//! | `bidding` | chooses the size of bids |
//! | [`strong`] | the player that combines these modules |
//! | [`baselines`] | simpler players, against which the strong player is measured |
//! | [`simulation`] | simulates millions of single hands, to check values and to find ruin probabilities |
//! | [`wire`] | the strong player as a program that exchanges the lines of `protocol/twentyone.md` |
//! | [`match_game`] | TwentyOne in matches: two participants, the same shoe, swapped seats |
//!
//! The best action with a ten and a six against a ten, from a full shoe:
//!
//! ```
//! use turnwise_twentyone::actions::Action;
//! use turnwise_twentyone::cards::{Card, RankCounts};
//! use turnwise_twentyone::expected::{Decision, Unseen};
//! use turnwise_twentyone::rules::RuleSet;
//!
//! let [up, ten, six] = ["SK", "HT", "C6"].map(|card| card.parse::<Card>().expect("a card").rank);
//! let mut seen = RankCounts::default();
//! [up, ten, six].map(|rank| seen.add(rank));
//! let decision = Decision {
//!     rules: RuleSet::Text,
//!     up,
//!     hand: &[ten, six],
//!     unseen: Unseen::one_shoe(RankCounts::of_decks(3).without(&seen)),
//!     bid: 10,
//!     points: 1_000,
//!     first_action: true,
//!     insured: false,
//!     alone: false,
//! };
//! let (action, value) = decision.values().best();
//! println!("{action}: {value:+.3} bids");
//! # assert_eq!(action, Action::Hit);
//! ```

pub mod actions;
pub mod baselines;
mod bidding;
mod bids;
pub mod cards;
mod counting;
pub mod dealer;
pub mod expected;
pub mod game;
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
