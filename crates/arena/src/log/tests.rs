//! Logs in memory, where a disk can be full, and in files.

use std::sync::{Arc, Mutex};

use turnwise_engine::player::{Counts, TimeControl};
use turnwise_games::GAMES;

use super::*;
use crate::records::{Contestant, EndRecord, FORMAT, GameSettings, Via};

/// A file in memory. Clones are the same one.
#[derive(Debug, Clone, Default)]
struct Small(Arc<Mutex<Bytes>>);

#[derive(Debug, Default)]
struct Bytes {
    all: Vec<u8>,
    read: usize,
    /// So many more may be written.
    room: usize,
    /// How often they were brought to the disk.
    syncs: u32,
}

impl Read for Small {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bytes = self.0.lock().expect("no panic");
        let length = (&bytes.all[bytes.read..]).read(buffer)?;
        bytes.read += length;
        Ok(length)
    }
}

impl Write for Small {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let mut bytes = self.0.lock().expect("no panic");
        let length = part.len().min(bytes.room);
        bytes.room -= length;
        bytes.all.extend_from_slice(&part[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Storage for Small {
    fn cut(&mut self, end: u64) -> io::Result<()> {
        self.0.lock().expect("no panic").all.truncate(end as usize);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.lock().expect("no panic").syncs += 1;
        Ok(())
    }
}

/// A match of two.
fn settings() -> Settings {
    let agent = |name: &str| Contestant {
        name: name.to_owned(),
        spec: "random".to_owned(),
        folder: None,
    };
    Settings {
        format: FORMAT,
        turnwise: String::new(),
        game: GameSettings(GAMES[0].by_options(&|_| None).expect("it needs no options")),
        agents: vec![agent("one"), agent("other")],
        seed: 1,
        pairs: 1,
        opening_plies: 0,
        time: TimeControl::Nodes { nodes: 1 },
        counts: Counts::Wall,
        via: Via::Process,
        jobs: 1,
        gauntlet: None,
        tournament: None,
        sprt: None,
        isolation: None,
    }
}

const END: Record = Record::End(EndRecord {
    pairs: 0,
    verdict: None,
});

#[test]
fn behind_half_a_record_nothing_is_written() {
    let settings = settings();
    let (small, path) = (Small::default(), Path::new("log"));
    let room = |room| small.0.lock().expect("no panic").room = room;
    room(10_000);
    let mut log = Log::create_on(Box::new(small.clone()), path, &settings).expect("there is room");
    room(5);
    log.append(&[END]).expect_err("the disk is full");
    room(10_000);
    log.append(&[END])
        .expect_err("it would stand behind half a record");
    let resumed = Log::resume_on(Box::new(small.clone()), path, GAMES);
    let (mut log, contents) = resumed.expect("its end alone is torn");
    assert_eq!(contents.settings, settings);
    log.append(&[END]).expect("there is room");
    small.0.lock().expect("no panic").read = 0;
    read(path, small.clone(), GAMES).expect("it is whole");
}

#[test]
fn the_disk_is_asked_again_when_the_last_time_is_long_ago() {
    let (small, path) = (Small::default(), Path::new("log"));
    small.0.lock().expect("no panic").room = 10_000;
    let mut log =
        Log::create_on(Box::new(small.clone()), path, &settings()).expect("there is room");
    let syncs = || small.0.lock().expect("no panic").syncs;
    assert_eq!(syncs(), 1);
    // Nothing is long ago for as long as this moment has not come.
    log.synced = Instant::now() + Duration::from_secs(3600);
    log.append(&[END]).expect("there is room");
    assert_eq!(syncs(), 1);
    log.synced = Instant::now().checked_sub(SYNC_EVERY).expect("a moment");
    log.append(&[END]).expect("there is room");
    assert_eq!(syncs(), 2);
}

#[test]
fn a_file_is_one_arenas_is_cut_where_it_is_torn_and_never_begun_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let log = Log::create(&path, &settings()).expect("there is none");
    let whole = std::fs::read(&path).expect("it is there");
    let in_use = Log::open(&path, GAMES).expect_err("somebody writes to it");
    assert!(matches!(in_use, LogError::InUse(_)), "{in_use}");
    drop(log);
    let exists = |pairs| {
        let settings = Settings {
            pairs,
            ..settings()
        };
        let error = Log::create(&path, &settings).expect_err("it is there");
        error.to_string().contains("--resume")
    };
    assert!(exists(1));
    assert!(!exists(0), "a game alone cannot be gone on with");
    let torn = [&whole[..], b"{\"event\":\"mo"].concat();
    std::fs::write(&path, torn).expect("there is room");
    let (mut log, _) = Log::resume(&path, GAMES).expect("its end alone is torn");
    assert_eq!(std::fs::read(&path).expect("it is there"), whole);
    log.append(&[END]).expect("there is room");
    drop(log);
    let written = std::fs::read(&path).expect("it is there");
    assert!(written.len() > whole.len());
    assert_eq!(written[..whole.len()], whole);
    let error = Log::open(folder.path(), GAMES).expect_err("a folder is no log");
    assert!(matches!(error, LogError::System { .. }), "{error}");
}

#[test]
fn damage_before_the_end_is_told_with_its_line() {
    let small = Small::default();
    small.0.lock().expect("no panic").room = 10_000;
    let path = Path::new("log");
    let mut log =
        Log::create_on(Box::new(small.clone()), path, &settings()).expect("there is room");
    small.clone().write_all(b"half\n").expect("there is room");
    log.append(&[END]).expect("there is room");
    let error = read(path, small, GAMES).expect_err("only the end may be torn");
    assert!(
        error.to_string().contains("line 2: expected a record"),
        "{error}"
    );
}

#[test]
fn a_record_without_its_line_feed_is_cut_off() {
    let small = Small::default();
    let bytes = || small.0.lock().expect("no panic");
    bytes().room = 10_000;
    let path = Path::new("log");
    let mut log =
        Log::create_on(Box::new(small.clone()), path, &settings()).expect("there is room");
    let header = bytes().all.len();
    log.append(&[END]).expect("there is room");
    bytes().all.pop();
    let resumed = Log::resume_on(Box::new(small.clone()), path, GAMES);
    resumed.expect("its end alone is torn");
    assert_eq!(bytes().all.len(), header);
}
