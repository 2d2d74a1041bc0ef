use std::collections::BTreeMap;

use turnwise_process::Scratch;

use super::*;

fn scratch() -> Scratch {
    Scratch::new().expect("a folder")
}

fn write(folder: &Path, name: &str, content: &str, mode: u32) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("there is room");
    fs::write(&path, content).expect("there is room");
    fs::set_permissions(&path, Permissions::from_mode(mode)).expect("it is ours");
}

/// Returns the content (`None` for a folder) and the mode of all entries in a folder, keyed by path.
fn all(folder: &Path) -> BTreeMap<PathBuf, (Option<Vec<u8>>, u32)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).expect("a folder").flatten() {
            let path = entry.path();
            let about = fs::symlink_metadata(&path).expect("it is there");
            assert!(about.is_file() || about.is_dir(), "{path:?}");
            let content = about.is_file().then(|| fs::read(&path).expect("a file"));
            let name = path.strip_prefix(folder).expect("it is inside").to_owned();
            found.insert(name, (content, about.permissions().mode() & 0o7777));
            if about.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

/// An entry of an archive: its name, its kind and its content.
type Entry<'a> = (&'a [u8], EntryType, &'a [u8]);

/// Creates an archive from these entries without any checks.
fn archive(entries: &[Entry]) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    for (name, kind, content) in entries {
        let mut header = Header::new_gnu();
        header.as_gnu_mut().expect("GNU's").name[..name.len()].copy_from_slice(name);
        header.set_entry_type(*kind);
        header.set_mode(0o6777);
        header.set_size(content.len() as u64);
        if kind.is_symlink() || kind.is_hard_link() {
            header.set_link_name("/etc/passwd").expect("it fits");
        }
        header.set_cksum();
        tar.append(&header, *content).expect("memory");
    }
    tar.into_inner().expect("memory")
}

#[test]
fn a_folder_arrives_as_it_was_but_for_rights_and_times() {
    let (one, other, there) = (scratch(), scratch(), scratch());
    let long = format!("{}/{}", "deep/".repeat(30), "name".repeat(40));
    let files = [
        ("player.py", "print()", 0o600),
        ("run.sh", "#!/bin/sh", 0o700),
        ("data/table", "", 0o4644),
        (&*long, "far", 0o644),
    ];
    for (name, content, mode) in files {
        write(one.path(), name, content, mode);
    }
    for (name, content, mode) in files.into_iter().rev() {
        write(other.path(), name, content, mode);
    }
    let packed = pack_folder(one.path()).expect("it travels");
    assert_eq!(packed, pack_folder(other.path()).expect("it travels"));
    unpack(&packed, there.path()).expect("it was packed");
    let arrived = all(there.path());
    for (name, content, mode) in files {
        let readable = match mode & 0o111 {
            0 => 0o644,
            _ => 0o755,
        };
        let expected = (Some(content.as_bytes().to_vec()), readable);
        assert_eq!(arrived[Path::new(name)], expected, "{name}");
    }
    assert_eq!(arrived[Path::new("data")], (None, 0o755));
    assert_eq!(arrived.keys().len(), all(one.path()).len());
    write(other.path(), "player.py", "print(1)", 0o600);
    let changed = pack_folder(other.path()).expect("it travels");
    assert_ne!(hash(&changed), hash(&packed));
}

#[test]
fn what_is_no_plain_file_does_not_leave() {
    for kind in ["link", "pipe"] {
        let folder = scratch();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("there is room");
        let path = inner.join(kind);
        match kind {
            "link" => std::os::unix::fs::symlink("/etc/passwd", &path).expect("there is room"),
            _ => {
                let made = std::process::Command::new("mkfifo").arg(&path).status();
                assert!(made.expect("mkfifo starts").success());
            }
        }
        let packed = pack_folder(folder.path());
        assert!(matches!(packed, Err(FilesError::Kind(_))), "{packed:?}");
    }
    let folder = scratch();
    assert!(pack_file(folder.path()).is_err());
    assert!(pack_file(&folder.path().join("none")).is_err());
}

#[test]
fn too_much_neither_leaves_nor_arrives() {
    let (folder, there) = (scratch(), scratch());
    let large = folder.path().join("large");
    let sparse = File::create(&large).expect("there is room");
    sparse.set_len(LARGEST + 1).expect("it takes no room");
    let packed = pack_folder(folder.path());
    assert!(matches!(packed, Err(FilesError::TooLarge)));
    let content = vec![0; LARGEST as usize / 2 + 1];
    let two = [&b"one"[..], b"two"].map(|name| (name, EntryType::Regular, &*content));
    let unpacked = unpack(&archive(&two), there.path());
    assert!(
        matches!(unpacked, Err(FilesError::TooLarge)),
        "{unpacked:?}"
    );

    let (folder, there) = (scratch(), scratch());
    let names: Vec<String> = (0..=MOST_FILES).map(|number| number.to_string()).collect();
    for name in &names {
        File::create(folder.path().join(name)).expect("there is room");
    }
    let packed = pack_folder(folder.path());
    assert!(matches!(packed, Err(FilesError::TooMany)));
    let many: Vec<_> = (names.iter())
        .map(|name| (name.as_bytes(), EntryType::Regular, &b""[..]))
        .collect();
    let unpacked = unpack(&archive(&many), there.path());
    assert!(matches!(unpacked, Err(FilesError::TooMany)), "{unpacked:?}");
}

#[test]
fn all_together_are_bounded() {
    let packed = [0; 512];
    assert_eq!(together(7, &packed).expect("it is little"), 519);
    assert!(together(LARGEST_TOGETHER - 512, &packed).is_ok());
    let too_much = together(LARGEST_TOGETHER - 511, &packed);
    assert!(matches!(too_much, Err(FilesError::TooLargeTogether)));
}

#[test]
fn nothing_that_arrives_leads_out() {
    let around = scratch();
    let outside: [&[u8]; 6] = [
        b"../out",
        b"inner/../../out",
        b"/tmp/turnwise-out",
        b"..",
        b".",
        b"./out",
    ];
    for name in outside {
        let there = around.path().join("there");
        fs::create_dir(&there).expect("there is room");
        let packed = archive(&[(name, EntryType::Regular, b"out")]);
        let unpacked = unpack(&packed, &there);
        assert!(
            matches!(unpacked, Err(FilesError::Outside(_))),
            "{name:?}: {unpacked:?}"
        );
        assert!(all(&there).is_empty());
        fs::remove_dir(&there).expect("it is empty");
        assert!(all(around.path()).is_empty());
    }
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Char,
        EntryType::Block,
        EntryType::Fifo,
        EntryType::Continuous,
        EntryType::GNUSparse,
    ] {
        let there = scratch();
        let packed = archive(&[(b"inner", kind, b"")]);
        assert!(unpack(&packed, there.path()).is_err(), "{kind:?}");
        assert!(all(there.path()).is_empty(), "{kind:?}");
    }
    // No entry is overwritten, and no file is used as a folder.
    let twice: [[Entry; 2]; 2] = [
        [
            (b"a", EntryType::Regular, b"one"),
            (b"a", EntryType::Regular, b"two"),
        ],
        [
            (b"a", EntryType::Regular, b"one"),
            (b"a/b", EntryType::Regular, b"two"),
        ],
    ];
    for entries in twice {
        let there = scratch();
        assert!(unpack(&archive(&entries), there.path()).is_err());
        // Dangerous mode bits are not unpacked either.
        let one = (Some(b"one".to_vec()), 0o755);
        assert_eq!(all(there.path()), BTreeMap::from([("a".into(), one)]));
    }
}

#[test]
fn damaged_archives_are_errors_or_stay_inside() {
    let folder = scratch();
    write(folder.path(), "inner/player.py", "print()", 0o755);
    let packed = pack_folder(folder.path()).expect("it travels");
    let around = scratch();
    let there = around.path().join("there");
    // The archive consists of two headers and a line of content; all later bytes are zero.
    for at in 0..3 * 512 {
        for change in [1, 0xff] {
            let mut damaged = packed.clone();
            damaged[at] ^= change;
            fs::create_dir(&there).expect("there is room");
            let _ = unpack(&damaged, &there);
            all(&there);
            fs::remove_dir_all(&there).expect("it is ours");
            assert!(all(around.path()).is_empty(), "{at}");
        }
    }
    for length in (0..packed.len()).step_by(32) {
        fs::create_dir(&there).expect("there is room");
        let _ = unpack(&packed[..length], &there);
        fs::remove_dir_all(&there).expect("it is ours");
    }
}
