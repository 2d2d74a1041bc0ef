//! Checks that no link in the folder with a program's files leads to other people's files.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

use rustix::process::geteuid;
use turnwise_engine::words::printable;

use super::isolation::is_systems;
use super::{locked, run};

/// The lowest user ID for isolated programs if root starts them. It is higher than the ID of any account.
pub(super) const FIRST_USER: u32 = 1_500_000_000;

/// The maximum number of files and folders in a program's folder.
const MOST_ENTRIES: usize = 100_000;

/// The permission bit with which users other than the file's owner and group can read the file.
const READ_BY_ALL: u32 = 0o004;
const OPEN_TO_ALL: u32 = 0o005;

/// The permission bits with which a file is executable for the owner, the group and all others.
const RUN_BY_ANYBODY: u32 = 0o111;

/// The folder with a program's files, checked to contain no links that lead to other people's files.
///
/// Before each start of the program, only the change times of the folder and its subfolders are checked again. This is
/// enough because the kernel updates a folder's change time whenever a name appears, disappears or is replaced. Each
/// folder costs one system call of about two microseconds.
#[derive(Debug)]
pub struct OwnFolder {
    path: PathBuf,
    seen: Mutex<Vec<(PathBuf, Stamp)>>,
}

/// The part of a folder's metadata that changes whenever the folder is changed or replaced.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(about: &Metadata) -> Self {
        Self {
            device: about.dev(),
            inode: about.ino(),
            changed: (about.ctime(), about.ctime_nsec()),
        }
    }
}

impl OwnFolder {
    /// Opens a folder and checks all its entries.
    ///
    /// # Errors
    ///
    /// Returns an error if:
    ///
    /// - the path contains a link;
    /// - a link in the folder leads outside, except to the system's folders;
    /// - an entry is neither a file nor a folder nor a link;
    /// - the folder has more than 100,000 entries;
    /// - the isolated program will run as another user that may not read an entry.
    pub fn open(folder: &Path) -> io::Result<Self> {
        if let Some(link) = first_link(folder) {
            let target = shown(&fs::read_link(&link)?);
            return Err(io::Error::other(format!(
                "expected a folder, got the link {} to {target}; name that folder itself",
                shown(&link)
            )));
        }
        let path = folder.canonicalize()?;
        must_be_readable(&path)?;
        let seen = Mutex::new(walk(&path)?);
        Ok(Self { path, seen })
    }

    /// Returns the folder's path, in which all links have been resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks the folder again if a file may have been added or replaced since the last check.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`OwnFolder::open`].
    pub fn check_again(&self) -> io::Result<()> {
        let mut seen = locked(&self.seen);
        let is_same = |(path, stamp): &(PathBuf, Stamp)| {
            fs::symlink_metadata(path).is_ok_and(|about| Stamp::of(&about) == *stamp)
        };
        if !seen.iter().all(is_same) {
            *seen = walk(&self.path)?;
        }
        Ok(())
    }

    /// Makes all compiled programs (ELF files) in the folder executable.
    ///
    /// This is needed after a build that runs as a shared user: the linker may not change file modes then, and leaves
    /// its output without the execute bits.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read or changed.
    pub fn mark_programs(&self) -> io::Result<()> {
        for (folder, _) in locked(&self.seen).iter() {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                // If the entry is a link, this is the metadata of the link itself, not of the target.
                let about = entry.metadata()?;
                let mode = about.mode();
                if about.is_file() && mode & RUN_BY_ANYBODY == 0 && is_program(&entry.path())? {
                    // Every user with read access may then also execute the file.
                    let mode = mode | mode >> 2 & RUN_BY_ANYBODY;
                    fs::set_permissions(entry.path(), Permissions::from_mode(mode))?;
                }
            }
        }
        Ok(())
    }

    /// Resolves a word of a command: if it names a file in the folder, returns that file's absolute path.
    ///
    /// The word `.` becomes the folder's path. Words that name no file in the folder are returned unchanged.
    ///
    /// # Errors
    ///
    /// Returns an error if the word names a file that the program cannot reach or read.
    pub fn absolute_word(&self, word: &str) -> io::Result<String> {
        let path = self.path.join(word);
        let is_relative = Path::new(word).is_relative();
        if word == "." {
            return Ok(self.path.to_string_lossy().into_owned());
        }
        if !path.is_file() {
            return Ok(word.to_owned());
        }
        let real = path.canonicalize()?;
        if real.starts_with(&self.path) {
            let around = real.ancestors();
            for path in around.take_while(|path| path.starts_with(&self.path)) {
                must_be_readable(path)?;
            }
        } else if !is_systems(&real) {
            return Err(io::Error::other(format!(
                "expected files of its folder {} and of the system in its command, got {word:?}; copy the file into \
                 the folder",
                shown(&self.path)
            )));
        }
        if !is_relative {
            return Ok(word.to_owned());
        }
        // Links are not resolved, because some programs behave differently depending on the name of the link.
        Ok(std::path::absolute(path)?.to_string_lossy().into_owned())
    }
}

fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

/// Returns the first link in a path: any part of a relative path counts, but only the last part of an absolute path.
///
/// The parent folders in an absolute path are trusted, because they belong to the user who wrote the path. A relative
/// path names a folder among the folders of strangers, so any part of it may be a stranger's link.
pub(super) fn first_link(path: &Path) -> Option<PathBuf> {
    let mut whole = PathBuf::new();
    let mut parts: Vec<PathBuf> = Vec::new();
    for part in path.components() {
        whole.push(part);
        parts.push(whole.clone());
    }
    if path.is_absolute() {
        parts = vec![whole];
    }
    parts.into_iter().find(|path| path.is_symlink())
}

/// Returns an error unless every user can read this file or folder.
fn must_be_readable(path: &Path) -> io::Result<()> {
    let about = path.metadata()?;
    let needed = match about.is_dir() {
        true => OPEN_TO_ALL,
        false => READ_BY_ALL,
    };
    if !geteuid().is_root() || about.mode() & needed == needed {
        return Ok(());
    }
    let shown = shown(path);
    Err(io::Error::other(format!(
        "expected {shown} to be readable by all users, got mode {:o}: root runs isolated programs as other users; run \
         chmod -R o+rX {shown}",
        about.mode() & 0o7777
    )))
}

/// Returns true if a file is a compiled program in ELF format; see elf(5).
fn is_program(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(18).read_to_end(&mut head)?;
    let is_linked = |kind: &[u8]| matches!(kind, [2 | 3, 0]);
    Ok(head.starts_with(b"\x7fELF") && head.get(16..).is_some_and(is_linked))
}

/// Walks a folder whose path contains no link. Returns all folders in it, and the folder itself.
fn walk(root: &Path) -> io::Result<Vec<(PathBuf, Stamp)>> {
    let at = |path: &Path, error: io::Error| {
        io::Error::new(error.kind(), format!("{}: {error}", shown(path)))
    };
    let mut seen = Vec::new();
    let mut left = vec![root.to_owned()];
    let mut entries = 0;
    while let Some(folder) = left.pop() {
        // The stamp is read before the entries. If the folder changes in between, the next check notices that.
        let about = fs::symlink_metadata(&folder).map_err(|error| at(&folder, error))?;
        if !about.is_dir() {
            return Err(at(&folder, io::ErrorKind::NotADirectory.into()));
        }
        let inside = fs::read_dir(&folder).map_err(|error| at(&folder, error))?;
        for entry in inside {
            let entry = entry.map_err(|error| at(&folder, error))?;
            entries += 1;
            if entries > MOST_ENTRIES {
                return Err(io::Error::other(format!(
                    "expected at most {MOST_ENTRIES} files and folders in {}, got more; remove what the program does \
                     not need",
                    shown(root)
                )));
            }
            let kind = entry.file_type().map_err(|error| at(&folder, error))?;
            let path = entry.path();
            if kind.is_dir() {
                left.push(path);
            } else if kind.is_symlink() {
                if let Some(target) = target_outside(root, &path) {
                    return Err(io::Error::other(format!(
                        "the link {} leads out of the program's folder, to {}; replace it with a copy of its target",
                        shown(path.strip_prefix(root).unwrap_or(&path)),
                        shown(&target)
                    )));
                }
            } else if !kind.is_file() {
                return Err(io::Error::other(format!(
                    "expected files, folders and links in the program's folder, got a pipe, socket or device: {}; \
                     remove it",
                    shown(path.strip_prefix(root).unwrap_or(&path))
                )));
            }
        }
        seen.push((folder, Stamp::of(&about)));
    }
    Ok(seen)
}

/// Returns the target of a link if it leads out of the folder `root`.
///
/// Returns `None` for a link that stays inside, or that leads to the system's folders.
fn target_outside(root: &Path, link: &Path) -> Option<PathBuf> {
    let target = fs::read_link(link).unwrap_or_default();
    let is_inside = |path: &Path| path.starts_with(root) || is_systems(path);
    let around = link.parent().unwrap_or(root);
    // The name of the target is checked too: a link may lead out and, through another link, back in, or it may name a
    // file that does not exist yet.
    let is_named_inside = is_inside(&without_dots(&around.join(&target)));
    match link.canonicalize() {
        Ok(real) if !is_inside(&real) => Some(real),
        _ if !is_named_inside => Some(target),
        _ => None,
    }
}

/// Resolves `.` and `..` in an absolute path without reading the file system.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The state of a folder before a program that runs as another user changes it.
pub struct Before {
    folder: PathBuf,
    /// The owning user and group of each file and folder.
    owners: BTreeMap<PathBuf, (u32, u32)>,
    bytes: u64,
}

impl Before {
    /// Records the size and the owners of all entries in a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read, or if a file has a second name outside the folder. A program that
    /// may write into the folder would otherwise also change that file outside it.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let all = every(folder)?;
        let mut names: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for (_, about) in &all {
            *names.entry((about.dev(), about.ino())).or_default() += 1;
        }
        let is_shared = |(_, about): &&(PathBuf, Metadata)| {
            about.is_file() && about.nlink() > names[&(about.dev(), about.ino())]
        };
        if let Some((path, _)) = all.iter().find(is_shared) {
            return Err(io::Error::other(format!(
                "{} has another name outside of the folder (a hard link), which a build could change; replace it with \
                 a copy",
                shown(path)
            )));
        }
        // If an earlier run was killed, the folder still belongs to the user of that run's program.
        let around = folder.parent().unwrap_or(folder).metadata()?;
        let owner = |about: &Metadata| match about.uid() >= FIRST_USER {
            true => (around.uid(), around.gid()),
            false => (about.uid(), about.gid()),
        };
        Ok(Self {
            folder: folder.to_owned(),
            bytes: bytes(&all),
            owners: all
                .iter()
                .map(|(path, about)| (path.clone(), owner(about)))
                .collect(),
        })
    }

    /// Returns the disk space that the folder's files used when the state was recorded, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the growth, in bytes, of the disk space of the folder's files since the state was recorded.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read.
    pub fn grown_by(&self) -> io::Result<u64> {
        Ok(bytes(&every(&self.folder)?).saturating_sub(self.bytes))
    }

    /// Removes all entries that did not exist when the state was recorded.
    ///
    /// # Errors
    ///
    /// Returns an error if an entry cannot be removed.
    pub fn remove_new(&self) -> io::Result<()> {
        let mut left = vec![self.folder.clone()];
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(folder)? {
                let (entry, path) = entry.map(|entry| (entry.file_type(), entry.path()))?;
                match (entry?.is_dir(), self.owners.contains_key(&path)) {
                    (true, true) => left.push(path),
                    (true, false) => run::remove(&path),
                    (false, true) => {}
                    (false, false) => fs::remove_file(path)?,
                }
            }
        }
        Ok(())
    }

    /// Restores the recorded owner of each entry. New entries get the owner of the folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the system rejects a change.
    pub fn restore_owners(&self) -> io::Result<()> {
        let of_folder = self.owners[&self.folder];
        give(&self.folder, &|path| {
            *self.owners.get(path).unwrap_or(&of_folder)
        })
    }
}

#[cfg(target_os = "linux")]
/// Changes the owner of a folder and all its entries to a user, and the group to the group with the same ID.
pub(super) fn hand_over(folder: &Path, user: u32) -> io::Result<()> {
    give(folder, &|_| (user, user))
}

fn give(folder: &Path, to: &dyn Fn(&Path) -> (u32, u32)) -> io::Result<()> {
    let mut given = Ok(());
    for (path, about) in every(folder)? {
        let (user, group) = to(&path);
        if (about.uid(), about.gid()) != (user, group) {
            given = given.and(lchown(path, Some(user), Some(group)));
        }
    }
    given
}

/// Returns the disk space that all files use together, in bytes. A file with several names counts once.
fn bytes(all: &[(PathBuf, Metadata)]) -> u64 {
    let files = all
        .iter()
        .map(|(_, about)| ((about.dev(), about.ino()), about.blocks() * 512));
    files.collect::<BTreeMap<_, _>>().values().sum()
}

/// Returns a folder and all its entries, parents before their children. Links are not followed.
fn every(folder: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let mut left = vec![folder.to_owned()];
    let mut all = Vec::new();
    while let Some(path) = left.pop() {
        let about = fs::symlink_metadata(&path)?;
        if about.is_dir() {
            for entry in fs::read_dir(&path)? {
                left.push(entry?.path());
            }
        }
        all.push((path, about));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Creates the files of a class whose students are strangers: the program's folder `ada` and the files of `bob`.
    fn class() -> tempfile::TempDir {
        let class = tempfile::tempdir().expect("a folder");
        for folder in ["ada", "ada/lib", "bob"] {
            fs::create_dir(class.path().join(folder)).expect("there is room");
        }
        for file in ["ada/player.py", "ada/lib/table", "bob/player.py", "answers"] {
            fs::write(class.path().join(file), "").expect("there is room");
        }
        class
    }

    #[test]
    fn every_link_out_of_the_folder_is_named_with_its_target() {
        for (name, target) in [
            ("weights", "../answers"),
            ("weights", "/home/other/answers.txt"),
            ("player2.py", "../bob/player.py"),
            ("lib/deep", "../../bob"),
            ("lib/parent", "../.."),
            ("later", "../no-such-file"),
            ("climbs", "/usr/../answers"),
            ("around", "../ada/../bob/player.py"),
            ("home", "/home"),
            ("memory", "/proc/self/environ"),
        ] {
            let class = class();
            let ada = class.path().join("ada");
            symlink(target, ada.join(name)).expect("a link");
            let why = OwnFolder::open(&ada).expect_err(target).to_string();
            assert!(why.contains(&format!("the link {name} leads out")), "{why}");
            let last = target.rsplit('/').next().expect("a name");
            assert!(last == ".." || why.contains(last), "{why}");
        }
    }

    #[test]
    fn links_within_the_folder_and_into_the_systems_folders_are_allowed() {
        let class = class();
        let ada = class.path().join("ada");
        let whole = ada.canonicalize().expect("it is there").join("player.py");
        for (name, target) in [
            ("again.py", Path::new("player.py")),
            ("lib/up.py", Path::new("../player.py")),
            ("twice.py", Path::new("lib/up.py")),
            ("built", Path::new("lib/not-yet")),
            ("python3", Path::new("/usr/bin/python3")),
            ("whole", &whole),
            ("loop", Path::new("loop")),
        ] {
            symlink(target, ada.join(name)).expect("a link");
        }
        let own = OwnFolder::open(&ada).expect("nothing leads out");
        for (word, absolute) in [
            ("player.py", Some("player.py")),
            ("lib/../player.py", Some("lib/../player.py")),
            ("twice.py", Some("twice.py")),
            ("python3", Some("python3")),
            ("python4", None),
            ("lib", None),
            ("--level=3", None),
            ("/usr/bin/env", None),
        ] {
            let expected = absolute.map_or(word.into(), |path| own.path().join(path));
            let got = own.absolute_word(word).expect("it may be named");
            assert_eq!(Path::new(&got), expected);
        }
        for word in ["../bob/player.py", "lib/../../answers"] {
            let why = own.absolute_word(word).expect_err("it is another's");
            assert!(why.to_string().contains(word), "{why}");
        }
        let others = class.path().join("answers").display().to_string();
        assert!(own.absolute_word(&others).is_err());
    }

    #[test]
    fn a_folder_that_is_a_link_or_holds_a_pipe_is_rejected() {
        let class = class();
        let link = class.path().join("eve");
        symlink("bob", &link).expect("a link");
        for path in [link.clone(), link.join("")] {
            let why = OwnFolder::open(&path).expect_err("a link").to_string();
            assert!(why.contains("eve to bob; name that folder itself"), "{why}");
        }
        let ada = class.path().join("ada");
        let made = std::process::Command::new("mkfifo")
            .arg(ada.join("lib/pipe"))
            .status();
        assert!(made.expect("it starts").success());
        let why = OwnFolder::open(&ada).expect_err("a pipe").to_string();
        assert!(
            why.contains("got a pipe, socket or device: lib/pipe"),
            "{why}"
        );
    }

    #[test]
    fn a_change_is_noticed_wherever_it_is() {
        let class = class();
        let ada = class.path().join("ada");
        let own = OwnFolder::open(&ada).expect("nothing leads out");
        own.check_again().expect("nothing has changed");
        fs::write(ada.join("lib/more"), "").expect("there is room");
        own.check_again().expect("a file leads nowhere");
        fs::remove_file(ada.join("lib/table")).expect("it is there");
        symlink("../../bob/player.py", ada.join("lib/table")).expect("a link");
        for _ in 0..2 {
            let why = own.check_again().expect_err("a link").to_string();
            assert!(why.contains("lib/table"), "{why}");
        }
        fs::remove_file(ada.join("lib/table")).expect("it is there");
        own.check_again().expect("the link is gone");
        fs::rename(&ada, class.path().join("aside")).expect("it is ours");
        symlink("bob", &ada).expect("a link");
        assert!(own.check_again().is_err());
    }

    #[test]
    fn what_a_build_has_left_is_measured_removed_and_given_back() {
        let class = class();
        let ada = class.path().join("ada");
        let before = Before::of(&ada).expect("it can be read");
        fs::create_dir_all(ada.join("out/deep")).expect("there is room");
        fs::write(ada.join("out/deep/big"), vec![1; 1 << 20]).expect("there is room");
        symlink("/etc/passwd", ada.join("lib/link")).expect("a link");
        assert!(before.grown_by().expect("it can be read") >= 1 << 20);
        if geteuid().is_root() {
            let owner = |path: &str| {
                let about = fs::symlink_metadata(ada.join(path)).expect("it is there");
                (about.uid(), about.gid())
            };
            hand_over(&ada, FIRST_USER).expect("root may");
            assert_eq!(owner("player.py"), (FIRST_USER, FIRST_USER));
            assert_eq!(owner("lib/link"), (FIRST_USER, FIRST_USER));
            // The folder now looks as if a run had been killed.
            let later = Before::of(&ada).expect("it can be read");
            later.restore_owners().expect("root may");
            for path in ["", "player.py", "lib/link", "out/deep/big"] {
                assert_eq!(owner(path), (0, 0), "{path}");
            }
            assert_eq!(fs::metadata("/etc/passwd").expect("it is there").uid(), 0);
        }
        let closed = Permissions::from_mode(0o000);
        fs::set_permissions(ada.join("out/deep"), closed).expect("it is ours");
        before.remove_new().expect("it can be removed");
        let left: Vec<_> = fs::read_dir(ada.join("lib"))
            .expect("it is there")
            .collect();
        assert_eq!(left.len(), 1);
        assert!(!ada.join("out").exists() && ada.join("player.py").exists());
        fs::hard_link(class.path().join("bob/player.py"), ada.join("hard")).expect("a link");
        let why = Before::of(&ada).err().expect("a hard link").to_string();
        assert!(why.contains("hard has another name outside"), "{why}");
    }
}
