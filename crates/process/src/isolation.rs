//! The limits and permissions of an untrusted program, and how much of them this machine enforces.
//!
//! Not every machine can enforce all limits; see [`in_force`].

use std::io;
use std::path::Path;

pub use turnwise_engine::isolation::{Isolation, Own};

/// Returns the names of the walls (protections) that this machine lacks although a program could do harm without them.
///
/// The caller must hold a [guard](super::guard::Guard).
pub fn missing() -> Vec<String> {
    #[cfg(target_os = "linux")]
    return super::means::means().missing().map(str::to_owned).collect();
    #[cfg(not(target_os = "linux"))]
    vec!["all of them: only Linux can isolate programs".to_owned()]
}

/// Returns true if a path is in one of the system's folders, which every isolated program may read.
pub fn is_systems(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return super::walls::is_systems(path);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        false
    }
}

/// Checks that an isolated program can open the paths in its command.
///
/// This check is needed only for a program without a folder of its own ([`Own::Named`]).
///
/// # Errors
///
/// Returns an error if a word of the command names a link that leads out of the link's folder.
pub fn check_words(words: &[String]) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    for word in words {
        super::walls::named(word)?;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = words;
    Ok(())
}

/// Returns true if a folder is the user's home folder, the folder for temporary files, or a parent of one of them.
///
/// If a command names a file in such a folder, the program gets no access to the whole folder.
pub fn is_everybodys(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return folder
        .canonicalize()
        .is_ok_and(|folder| super::walls::is_everybodys(&folder));
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        true
    }
}

/// Describes which parts of an isolation this machine enforces, and which parts it does not enforce.
///
/// The description is based on a probe. The caller must hold a [guard](super::guard::Guard).
pub fn in_force() -> String {
    #[cfg(target_os = "linux")]
    let words = super::means::means().to_string();
    #[cfg(not(target_os = "linux"))]
    let words = "nothing in force: only Linux can isolate programs".to_owned();
    words
}

/// Reports on a separate line for each wall (protection) whether it is in force, based on a probe of the machine.
///
/// The caller must hold a [guard](super::guard::Guard).
pub fn report() -> String {
    #[cfg(target_os = "linux")]
    let report = super::means::means().report();
    #[cfg(not(target_os = "linux"))]
    let report = "isolation  none: only Linux can isolate programs\n".to_owned();
    report
}
