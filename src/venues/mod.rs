//! Where matches are played beyond this process.
//!
//! | module | what it is for |
//! |---|---|
//! | [`daemon`] | daemons that connect by TCP |

pub mod daemon;
