//! Tests logs in memory, where the disk can be made full, and in files.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use turnwise_engine::player::TimeControl;
use turnwise_games::GAMES;

use super::*;
use crate::lineup::Lineup;
use crate::pairs::{Done, play_all};
use crate::records::{Contestant, EndRecord, GameSettings, RawRecord, read_line};

/// A file in memory; all clones share its contents.
#[derive(Debug, Clone, Default)]
struct Small(Arc<Mutex<Bytes>>);

#[derive(Debug, Default)]
struct Bytes {
    all: Vec<u8>,
    read: usize,
    /// The number of bytes that may still be written.
    room: usize,
    /// How often the log has asked for its bytes to be written to the disk.
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
        let mut bytes = self.0.lock().expect("no panic");
        bytes.all.truncate(end as usize);
        bytes.read = bytes.read.min(bytes.all.len());
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.lock().expect("no panic").syncs += 1;
        Ok(())
    }
}

/// Returns the settings of a match between two agents.
fn settings() -> Settings {
    let agent = |name: &str| Contestant {
        name: name.to_owned(),
        spec: "random".to_owned(),
        folder: None,
    };
    let game = GameSettings(GAMES[0].by_options(&|_| None).expect("it needs no options"));
    let agents = vec![agent("one"), agent("other")];
    Settings::new(game, agents, TimeControl::Nodes { nodes: 1 })
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
fn a_header_torn_at_any_byte_is_written_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    drop(Log::create(&path, &settings()).expect("there is none"));
    let whole = std::fs::read(&path).expect("it is there");
    for end in 0..whole.len() {
        std::fs::write(&path, &whole[..end]).expect("there is room");
        let error = Log::open(&path, GAMES).expect_err("there are no settings");
        assert!(matches!(error, LogError::Unbegun(_)), "{end}: {error}");
        assert!(error.to_string().contains("start the match again"));
        assert_eq!(std::fs::read(&path).expect("it is there"), whole[..end]);
        drop(Log::create(&path, &settings()).expect("no game would be lost"));
        assert_eq!(std::fs::read(&path).expect("it is there"), whole);
    }
}

#[test]
fn a_header_for_which_the_disk_had_no_room_is_written_again() {
    let (small, path) = (Small::default(), Path::new("log"));
    let room = |room| small.0.lock().expect("no panic").room = room;
    let create = || Log::create_on(Box::new(small.clone()), path, &settings());
    for left in [0, 1, 100] {
        room(left);
        create().expect_err("the disk is full");
        small.0.lock().expect("no panic").read = 0;
    }
    room(10_000);
    create().expect("there is room");
    small.0.lock().expect("no panic").read = 0;
    read(path, small.clone(), GAMES).expect("it is whole");
}

#[test]
fn blank_lines_and_a_byte_order_mark_are_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let mut log = Log::create(&path, &settings()).expect("there is none");
    log.append(&[END]).expect("there is room");
    drop(log);
    let text = std::fs::read_to_string(&path).expect("it is there");
    let edited = format!("\u{feff}\r\n{}\r\n \n", text.replace('\n', "\r\n\r\n"));
    std::fs::write(&path, &edited).expect("there is room");
    let (log, contents) = Log::open(&path, GAMES).expect("it has the same records");
    assert_eq!(contents.settings, settings());
    drop(log);
    let left = std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(left, edited[..contents.end as usize]);
}

#[test]
fn files_that_are_not_a_part_of_a_header_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    drop(Log::create(&path, &settings()).expect("there is none"));
    let whole = std::fs::read(&path).expect("it is there");
    let long = [HEADER_START, &vec![b' '; LONGEST_LINE as usize]].concat();
    for other in [
        &whole,
        &long,
        &[&whole, &whole[..20]].concat(),
        &[&whole[..20], b"\n"].concat(),
        &b"\n".to_vec(),
        &b"{}".to_vec(),
        &b"{\"event\":\"move\"".to_vec(),
        &b"my notes".to_vec(),
    ] {
        std::fs::write(&path, other).expect("there is room");
        let error = Log::create(&path, &settings()).expect_err("it is somebody's");
        assert!(matches!(error, LogError::Exists { .. }), "{error}");
        assert_eq!(std::fs::read(&path).expect("it is there"), *other);
        let opened = Log::open(&path, GAMES);
        assert!(!matches!(opened, Err(LogError::Unbegun(_))), "{opened:?}");
    }
}

#[test]
fn the_disk_is_asked_again_when_the_last_time_is_long_ago() {
    let (small, path) = (Small::default(), Path::new("log"));
    small.0.lock().expect("no panic").room = 10_000;
    let mut log =
        Log::create_on(Box::new(small.clone()), path, &settings()).expect("there is room");
    let syncs = || small.0.lock().expect("no panic").syncs;
    assert_eq!(syncs(), 1);
    // The last write to the disk seems to lie in the future, so the next one is not yet due.
    log.synced = Instant::now() + Duration::from_secs(3600);
    log.append(&[END]).expect("there is room");
    assert_eq!(syncs(), 1);
    log.synced = Instant::now().checked_sub(SYNC_EVERY).expect("a moment");
    log.append(&[END]).expect("there is room");
    assert_eq!(syncs(), 2);
}

#[test]
fn a_lock_ends_with_its_log_even_if_a_child_process_still_has_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let file = File::create_new(&path).expect("a new file");
    let locked = LockedFile::new(&path, file).expect("it is ours");
    let inherited = locked.0.try_clone().expect("a descriptor");
    drop(locked);
    let file = File::open(&path).expect("it is there");
    LockedFile::new(&path, file).expect("nobody writes to it");
    drop(inherited);
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
    let (mut log, _) = Log::open(&path, GAMES).expect("its end alone is torn");
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
fn a_log_with_another_header_has_the_old_records_and_rights_and_is_locked_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let mut log = Log::create(&path, &settings()).expect("there is none");
    log.append(&[END]).expect("there is room");
    let rights = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&path, rights(0o640)).expect("it is ours");
    let more = Settings {
        pairs: settings().pairs + 1,
        ..settings()
    };
    let mut log = log.rewrite(&more, &[]).expect("there is room");
    let in_use = Log::open(&path, GAMES).expect_err("somebody writes to it");
    assert!(matches!(in_use, LogError::InUse(_)), "{in_use}");
    log.append(&[END]).expect("there is room");
    drop(log);
    let file = File::open(&path).expect("it is there");
    let mode = file.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let contents = read(&path, BufReader::new(file), GAMES).expect("it is whole");
    assert_eq!(contents.settings, more);
    let text = std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);
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
fn a_pair_is_its_two_games_in_their_order_and_once() {
    let settings = Settings {
        pairs: 2,
        ..settings()
    };
    let (small, path) = (Small::default(), Path::new("log"));
    small.0.lock().expect("no panic").room = 1 << 20;
    let mut log = Log::create_on(Box::new(small.clone()), path, &settings).expect("there is room");
    let no_daemons = |_| Err(io::ErrorKind::Unsupported.into());
    let lineup = Lineup::of(&settings, no_daemons).expect("both are ours");
    let match_ = (&settings, &lineup);
    play_all(
        match_,
        Done::new(match_.0),
        &mut log,
        1,
        &|| false,
        |_| {},
        &|_| {},
    )
    .expect("there is room");
    let text = String::from_utf8(small.0.lock().expect("no panic").all.clone()).expect("UTF-8");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_game = |at: &usize| matches!(read_line(lines[*at].as_bytes()), Ok(Record::Game(_)));
    let games: Vec<usize> = (0..lines.len()).filter(is_game).collect();
    assert_eq!(games.len(), 4, "{text}");
    let read_without = |left_out: &[usize], behind: &str| {
        let kept = (0..lines.len()).filter(|at| !left_out.contains(at));
        let kept: String = kept.map(|at| lines[at]).collect();
        let contents = read(path, (kept + behind).as_bytes(), GAMES);
        let pairs = contents.map(|contents| contents.pairs);
        pairs
            .map(|pairs| pairs.iter().map(|games| games[0].pair).collect::<Vec<_>>())
            .map_err(|error| error.to_string())
    };
    assert_eq!(read_without(&[], ""), Ok(vec![1, 2]));
    let again = [lines[games[0]], lines[games[1]]].concat();
    for (left_out, behind, got) in [
        (&games[..1], "", "got game 2 of pair 1"),
        (&games[1..3], "", "got game 2 of pair 2"),
        (&[], &*again, "got pair 1 twice"),
    ] {
        let error = read_without(left_out, behind).expect_err(got);
        assert!(error.ends_with(got), "{error}");
    }
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

#[test]
fn a_move_that_says_its_kind_twice_is_no_record() {
    let line =
        br#"{"event":"move","pair":1,"game":1,"ply":1,"role":"ORDER","agent":"a","move":"1111"}"#;
    let text = String::from_utf8(line.to_vec()).expect("UTF-8");
    assert!(matches!(read_line(line), Ok(Record::Move(_))));
    for twice in [
        text.replace(r#""ply""#, r#""event":"move","ply""#),
        text.replace(r#""ply""#, r#""event":"end","ply""#),
        text.replace(r#""ply""#, r#""\u0065vent":"end","ply""#),
        text.replace(r#""ply":1"#, r#""ply":"one""#),
    ] {
        assert!(read_line(twice.as_bytes()).is_err(), "{twice}");
        assert!(
            serde_json::from_str::<RawRecord>(&twice).is_err(),
            "{twice}"
        );
    }
}
