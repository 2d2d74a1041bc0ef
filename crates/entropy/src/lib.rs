//! Entropy: Order slides tiles to make palindromes, Chaos places them to prevent it.
//!
//! | module | what it is for |
//! |---|---|
//! | [`rules`] | board, bag, legal moves, making and taking back |
//! | [`palindromes`] | the score of lines and boards |
//! | [`line_values`] | what a line with holes is worth |
//! | [`patterns`] | lines up to renaming of colours and reversal |
//! | [`crossings`] | the row and the column that cross in a cell |
//! | `crossing_sums` | what crossings are worth, and after a move |
//! | [`blocks`] | two by three cells, in neighbouring lines or split |
//! | `block_sums` | what blocks are worth, and after a move |
//! | [`gaps`] | empty cells, and what can slide into them |
//! | `gap_sums` | what gaps are worth, and after a slide |
//! | [`local`] | the blocks and gaps that boards of a size are valued by |
//! | [`evaluation`] | the value of every pattern in every phase of the game |
//! | [`evaluated`] | a position with its running evaluation: what the search works on |
//! | [`weights`] | learned line values as data |
//! | [`forecast`] | what final score a value stands for |
//! | [`solution`] | every board of up to four rows solved |
//! | `tracking` | following a game that a server reports, rule breaches included |
//! | [`referee`] | the order of the tiles, which moves count, what a fault costs |
//! | [`conversation`] | what is said to a tournament server, and when; without I/O |
//! | [`hosting`] | what a tournament server tells its players, and how it judges them |
//! | `wire_cells` | cells and slides between the wires and the board |
//! | [`search_agent`] | the agent that searches |
//! | [`baselines`] | agents to measure others by |
//! | [`agents`] | the agents that have a name |
//! | [`match_game`] | the game as others see it: in matches, in logs, on the command line |
//! | [`train`] | learning weights from self-play |
//! | [`picture`] | a board as text |
//! | [`parse`] | a board from text |

pub mod agents;
pub mod baselines;
mod block_sums;
pub mod blocks;
pub mod conversation;
mod crossing_sums;
pub mod crossings;
pub mod evaluated;
pub mod evaluation;
pub mod forecast;
mod gap_sums;
pub mod gaps;
pub mod hosting;
pub mod line_values;
pub mod local;
pub mod match_game;
pub mod palindromes;
pub mod parse;
pub mod patterns;
pub mod picture;
pub mod referee;
pub mod rules;
pub mod search_agent;
pub mod solution;
mod tracking;
pub mod train;
pub mod weights;
mod wire_cells;
