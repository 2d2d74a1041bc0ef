//! What every game of turnwise shares: search, time, the agent contract. Names no game and does no
//! input or output.
//!
//! | module | what it is for |
//! |---|---|
//! | [`game`] | what a search needs to know of a game |
//! | [`search`] | iterative deepening over max, min and chance nodes; the unpruned reference |
//! | [`agent`] | what chooses moves |
//! | [`opponent`] | what is known of an opponent after some of its moves |
//! | [`clock`] | from the time left to soft and hard deadlines |
//! | [`cpu_time`] | CPU time of this process or of a thread, and the process's age |
//! | [`statistics`] | means, shares and their intervals |
//! | [`words`] | words for people: counted things, text from outside made fit to be shown |

pub mod agent;
pub mod clock;
pub mod cpu_time;
pub mod game;
pub mod opponent;
pub mod search;
pub mod statistics;
pub mod words;
