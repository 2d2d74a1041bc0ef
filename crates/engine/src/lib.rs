//! What every game of turnwise shares: search, time, the agent contract. Names no game and, but for
//! reading files and finding sockets with care, does no input or output.
//!
//! | module | what it is for |
//! |---|---|
//! | [`game`] | what a search needs to know of a game |
//! | [`search`] | iterative deepening over max, min and chance nodes; the unpruned reference |
//! | [`agent`] | what chooses moves, and what it knows of its opponent |
//! | [`thought`] | one turn of thinking, also if the agent panics |
//! | [`conversation`] | what a game says on a connection to a server, without I/O |
//! | [`goodbye`] | how a server ends a connection |
//! | [`hosting`] | what a tournament server says to two players, without I/O |
//! | [`service`] | what a daemon does that is asked for one move at a time, without I/O |
//! | [`log_throttle`] | how much the log says of a peer's faults |
//! | [`plugin`] | how a game plugs in, with its types and with its types erased |
//! | [`table`] | a game under way, as a referee needs to know it |
//! | [`view`] | what somebody at a table sees |
//! | [`player`] | what a referee asks of a player, wherever that player runs |
//! | [`outside`] | players outside this process: words and ways |
//! | [`fields`] | what is kept of a game without being understood |
//! | [`files`] | files that are read whole |
//! | [`own_socket`] | sockets that nobody but their user can reach |
//! | [`clock`] | from the time left to soft and hard deadlines |
//! | [`instant`] | points in time, in a browser as well |
//! | [`cpu_time`] | CPU time of this process or of a thread, how long a thread has waited for a core, and the process's age |
//! | [`parallel`] | numbered pieces of work on several threads |
//! | [`statistics`] | means, shares and their intervals |
//! | [`words`] | words for people: counted things, text from outside made fit to be shown |

pub mod agent;
pub mod clock;
pub mod conversation;
pub mod cpu_time;
pub mod fields;
pub mod files;
pub mod game;
pub mod goodbye;
pub mod hosting;
pub mod instant;
pub mod log_throttle;
pub mod outside;
#[cfg(unix)]
pub mod own_socket;
pub mod parallel;
pub mod player;
pub mod plugin;
pub mod search;
pub mod service;
pub mod statistics;
pub mod table;
pub mod thought;
pub mod view;
pub mod words;
