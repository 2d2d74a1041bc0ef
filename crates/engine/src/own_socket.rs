//! Sockets that only processes of one user can reach. The sockets are in a folder that is private to the user, and a
//! process that connects to a socket checks who owns the listening process.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};
use thiserror::Error;

/// The reason why a socket cannot be trusted or cannot be used.
#[derive(Debug, Error)]
pub enum OwnSocketError {
    /// The folder of the socket is not private to this user.
    #[error("{} must be a folder of user {} with mode 0700", folder.display(), user())]
    NotOurs {
        /// The folder that is not private.
        folder: PathBuf,
    },
    /// This user already has a process that listens on the socket.
    #[error("a process of this user already listens on {}", socket.display())]
    Taken {
        /// The path of the socket on which that process listens.
        socket: PathBuf,
    },
    /// Too many connections are waiting for the listening process to accept them.
    #[error("too many connections are waiting at {}", socket.display())]
    Full {
        /// The path of the socket at which the connections are waiting.
        socket: PathBuf,
    },
    /// The listening process belongs to another user.
    #[error("a process of another user listens on {}", socket.display())]
    Stranger {
        /// The path of the socket on which another user's process listens.
        socket: PathBuf,
    },
    /// A call of the operating system failed.
    #[error("{}: {cause}", path.display())]
    Failed {
        /// The path of the folder, the lock file or the socket for which the call failed.
        path: PathBuf,
        /// The error that the operating system reported.
        cause: io::Error,
    },
}

/// Returns the effective user ID of this process.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The path of a folder for sockets that is private to its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFolder(PathBuf);

impl OwnFolder {
    /// Returns the default folder for sockets. It is in the folder `XDG_RUNTIME_DIR` if this user owns that folder, and
    /// in the system's temporary folder otherwise.
    pub fn usual() -> Self {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let is_ours = |folder: &PathBuf| {
            let owner = fs::metadata(folder).map(|it| it.uid());
            folder.is_absolute() && owner.is_ok_and(|owner| owner == user())
        };
        match runtime.filter(is_ours) {
            Some(runtime) => Self::at(runtime.join("turnwise")),
            None => Self::at(std::env::temp_dir().join(format!("turnwise-{}", user()))),
        }
    }

    /// Returns the folder at this path. The folder is created and checked only when a socket in it is requested.
    pub fn at(folder: PathBuf) -> Self {
        Self(folder)
    }

    fn socket(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.sock"))
    }

    /// Listens on the socket with this name. Creates the folder if necessary, and replaces a socket that a killed
    /// process has left behind.
    ///
    /// # Errors
    ///
    /// Returns an [`OwnSocketError`] if the folder is not private, if a process is listening already, or if a system
    /// call fails.
    pub fn listen(&self, name: &str) -> Result<OwnListener, OwnSocketError> {
        let failed = |path: &Path, cause| {
            let path = path.to_owned();
            OwnSocketError::Failed { path, cause }
        };
        match DirBuilder::new().mode(0o700).create(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(&self.0, error));
            }
            _ => self.check()?,
        }
        let socket = self.socket(name);
        // This file is locked while the process listens. The system releases the lock even if the process is killed.
        let path = self.0.join(format!("{name}.lock"));
        let mut options = OpenOptions::new();
        let lock = options.write(true).create(true).truncate(false).mode(0o600);
        let lock = lock.open(&path).map_err(|error| failed(&path, error))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => return Err(OwnSocketError::Taken { socket }),
            locked => locked.map_err(|error| failed(&path, error.into()))?,
        }
        match fs::remove_file(&socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed(&socket, error));
            }
            _ => {}
        }
        let listener = UnixListener::bind(&socket).map_err(|error| failed(&socket, error))?;
        Ok(OwnListener {
            listener,
            socket,
            _lock: lock,
        })
    }

    /// Connects to the socket with this name, without waiting. Returns `None` if no process listens on it.
    ///
    /// # Errors
    ///
    /// Returns an [`OwnSocketError`], in particular if the listening process belongs to another user.
    pub fn connect(&self, name: &str) -> Result<Option<UnixStream>, OwnSocketError> {
        let socket = self.socket(name);
        if fs::symlink_metadata(&self.0).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        {
            return Ok(None);
        }
        self.check()?;
        match connect_at_once(&socket) {
            Ok(stream) if is_of(&stream, user()).is_ok_and(|is| is) => Ok(Some(stream)),
            Ok(_) => Err(OwnSocketError::Stranger { socket }),
            Err(Errno::NOENT | Errno::CONNREFUSED) => Ok(None),
            Err(Errno::WOULDBLOCK) => Err(OwnSocketError::Full { socket }),
            Err(error) => Err(OwnSocketError::Failed {
                path: socket,
                cause: error.into(),
            }),
        }
    }

    /// Checks that the folder belongs to this user and that no other user can access it.
    fn check(&self) -> Result<(), OwnSocketError> {
        let ours = fs::symlink_metadata(&self.0)
            .is_ok_and(|it| it.is_dir() && it.uid() == user() && it.mode() & 0o077 == 0);
        let folder = self.0.clone();
        ours.then_some(()).ok_or(OwnSocketError::NotOurs { folder })
    }
}

/// Connects to a socket. Returns an error instead of waiting if the socket's queue of connections is full.
fn connect_at_once(path: &Path) -> Result<UnixStream, Errno> {
    let address = SocketAddrUnix::new(path)?;
    let stream = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    ioctl_fionbio(&stream, true)?;
    connect(&stream, &address)?;
    ioctl_fionbio(&stream, false)?;
    Ok(stream.into())
}

/// Returns true if the process at the other end of a connection belongs to this user.
#[cfg(target_os = "linux")]
fn is_of(stream: impl AsFd, user: u32) -> io::Result<bool> {
    let peer = rustix::net::sockopt::socket_peercred(stream)?;
    Ok(peer.uid.as_raw() == user)
}

/// Always returns true, because on this system only the folder can be checked.
#[cfg(not(target_os = "linux"))]
fn is_of(_stream: impl AsFd, _user: u32) -> io::Result<bool> {
    Ok(true)
}

/// A socket on which this process listens. It is removed when this value is dropped.
#[derive(Debug)]
pub struct OwnListener {
    listener: UnixListener,
    socket: PathBuf,
    _lock: File,
}

impl OwnListener {
    /// Returns the listener, which is bound to the socket and ready to accept connections.
    pub fn listener(&self) -> &UnixListener {
        &self.listener
    }

    /// Returns the path of the socket, to which the user's other processes can connect.
    pub fn path(&self) -> &Path {
        &self.socket
    }
}

impl Drop for OwnListener {
    fn drop(&mut self) {
        // If this fails, the leftover socket rejects connections, and the next listener removes it.
        let _ = fs::remove_file(&self.socket);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn folder_in(parent: &tempfile::TempDir) -> OwnFolder {
        OwnFolder::at(parent.path().join("turnwise"))
    }

    #[test]
    fn the_folder_is_made_for_its_user_alone_and_one_at_a_time_listens() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = folder_in(&parent);
        assert!(
            folder
                .connect("a")
                .expect("no folder is no error")
                .is_none()
        );
        let listener = folder.listen("a").expect("it is free");
        let mode = fs::metadata(&folder.0).expect("it is there").mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(folder.connect("a").expect("it is ours").is_some());
        let taken = folder.listen("a").expect_err("it is taken");
        assert!(matches!(taken, OwnSocketError::Taken { .. }), "{taken}");
        assert!(folder.connect("a").expect("it is still there").is_some());
        drop(listener);
        assert!(!folder.socket("a").exists());
        assert!(folder.connect("a").expect("it has gone").is_none());
    }

    #[test]
    fn what_a_killed_process_left_is_taken_over() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = folder_in(&parent);
        drop(folder.listen("a").expect("it is free"));
        drop(UnixListener::bind(folder.socket("a")).expect("it is free"));
        assert!(folder.connect("a").expect("nobody is there").is_none());
        let _listener = folder.listen("a").expect("nobody listens");
        assert!(folder.connect("a").expect("it is ours").is_some());
    }

    #[test]
    fn a_folder_that_others_can_write_to_or_a_link_is_not_believed() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = folder_in(&parent);
        let _listener = folder.listen("a").expect("it is free");
        let link = OwnFolder::at(parent.path().join("link"));
        symlink(&folder.0, &link.0).expect("there is none yet");
        let shared = |folder: &OwnFolder| {
            let asked = folder.connect("a").expect_err("it is not ours alone");
            let listened = folder.listen("b").expect_err("it is not ours alone");
            for error in [asked, listened] {
                assert!(matches!(error, OwnSocketError::NotOurs { .. }), "{error}");
            }
        };
        shared(&link);
        for mode in [0o755, 0o710, 0o701, 0o777] {
            fs::set_permissions(&folder.0, Permissions::from_mode(mode)).expect("it is ours");
            shared(&folder);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn whose_process_is_at_the_other_end_is_known() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = folder_in(&parent);
        let _listener = folder.listen("a").expect("it is free");
        let stream = connect_at_once(&folder.socket("a")).expect("it listens");
        assert!(is_of(&stream, user()).expect("it is known"));
        assert!(!is_of(&stream, user() + 1).expect("it is known"));
    }

    #[test]
    fn a_full_queue_is_not_waited_for() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = folder_in(&parent);
        let listener = folder.listen("a").expect("it is free");
        rustix::net::listen(listener.listener(), 0).expect("it listens already");
        let mut waiting = Vec::new();
        let full = loop {
            assert!(waiting.len() < 10_000, "it is never full");
            match folder.connect("a") {
                Ok(stream) => waiting.push(stream),
                Err(error) => break error,
            }
        };
        assert!(matches!(full, OwnSocketError::Full { .. }), "{full}");
    }
}
