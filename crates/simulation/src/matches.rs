//! Tests matches of the arena between programs of all kinds. Each match is interrupted and resumed repeatedly, and then
//! compared with an uninterrupted run.

mod commands;
mod players;
mod settings;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::{self, Log, LogError};
use turnwise_arena::pairs::{Done, MatchError, play_all};
use turnwise_arena::records::{GameRecord, RawRecord, Record, Settings};
use turnwise_arena::strength::sprt::Verdict;
use turnwise_engine::plugin::Plugin;
use turnwise_entropy::match_game::Entropy;
use turnwise_halma::match_game::Halma;

use crate::bugs::Bug;
use crate::disk::{Disk, Trouble};
use crate::run::Scene;
use commands::Room;
use settings::settings;

static GAMES: &[Plugin] = &[Plugin::of::<Entropy>(), Plugin::of::<Halma>()];

/// Returns the word that stands for a manner (a program's behavior) in the program's command line.
fn name_of(manner: impl Debug) -> String {
    format!("{manner:?}").to_lowercase()
}

/// Returns the manner with the name `word`, if any.
fn called<M: Copy + Debug>(name: &str, all: impl IntoIterator<Item = M>) -> Option<M> {
    all.into_iter().find(|&manner| name_of(manner) == name)
}

/// The path of the log that appears in messages. The log itself is on a simulated disk.
const LOG: &str = "match.jsonl";

/// The maximum number of interruptions of a match.
const MOST_BREAKS: u32 = 4;

/// The maximum size in bytes of a match's log, without its games.
const LOG_BYTES: usize = 2048;
const LOG_BYTES_A_GAME: usize = 16 * 1024;

/// Plays a match without interruption and then again with interruptions, and compares the logs.
pub(crate) fn play(random: &mut Xoshiro256PlusPlus, scene: &Scene) {
    let (settings, manners) = settings(random, scene.bug);
    scene.note(format_args!("{settings:?}"));
    let room = Room::default();
    let lineup = match Lineup::of(&settings, players::start) {
        Ok(mut lineup) => {
            lineup.run_commands_in(commands::places(&room, scene.bug));
            lineup
        }
        Err(error) => {
            scene.violated(format_args!("a match can be played: {error}"));
            return;
        }
    };
    let arena = Arena {
        scene,
        settings: &settings,
        lineup: &lineup,
        room: &room,
    };
    let whole = Disk::new(None);
    let verdict = arena.go_on(&whole, Way::Anew, u32::MAX).verdict;
    scene.note(format_args!("verdict of the test: {verdict:?}"));
    let (all, _) = arena.read(&whole);
    let expected = decisive(all.clone(), verdict);
    for game in expected.values() {
        scene.note(format_args!(
            "pair {} game {}: {:?} {} {:?}",
            game.pair,
            game.game,
            game.result.players,
            game.result.score(),
            game.fault
        ));
        let Some(fault) = &game.fault else { continue };
        let manner = manners.get(&fault.agent);
        if manner.is_none_or(|is_to_blame_for| !is_to_blame_for(fault.kind)) {
            scene.violated(format_args!(
                "whoever is honest is not charged: {}: {:?}: {}",
                fault.agent, fault.kind, fault.reason
            ));
        }
    }
    scene.change(|report| {
        report.games += expected.len() as u32;
        let moves = expected.values().map(|game| game.moves.len() as u32);
        report.moves += moves.sum::<u32>();
    });
    let bytes = whole.bytes().len();
    let most = LOG_BYTES + LOG_BYTES_A_GAME * all.len();
    if bytes > most {
        scene.violated(format_args!(
            "a match's log has at most {most} bytes: {bytes}"
        ));
    }
    let broken = Disk::new(scene.bug);
    if let Some(resumed) = arena.play_in_pieces(&broken, bytes, random) {
        if resumed != verdict {
            scene.violated(format_args!(
                "a test that was resumed comes to the same verdict: {resumed:?}, not {verdict:?}"
            ));
        }
        if decisive(arena.read(&broken).0, verdict) != expected {
            scene.violated("a match that was resumed comes to the same");
        }
    }
    whole.reopen(None);
    room.limit(None);
    arena.go_on(&whole, Way::Resumed, u32::MAX);
    if arena.read(&whole).0 != all {
        scene.violated("a match that is over plays no more");
    }
}

/// Returns the games that the sequential test has evaluated, or all games if it has no verdict.
///
/// Games that are in progress when the test is decided are still completed, but they are left out here: which games
/// these are depends on the timing of threads.
fn decisive(mut games: Games, verdict: Option<(Verdict, u64)>) -> Games {
    if let Some((_, pairs)) = verdict {
        games.retain(|&(pair, _), _| u64::from(pair) <= pairs);
    }
    games
}

/// Whether a log is created or resumed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Anew,
    Resumed,
}

/// The games of a log, keyed by pair number and game number.
type Games = BTreeMap<(u32, u8), GameRecord>;

/// The result of playing a match until it ends or is interrupted.
#[derive(Default)]
struct Piece {
    /// The number of pairs that were reported to the user.
    told: u32,
    is_over: bool,
    /// The verdict of the sequential test and the number of pairs that it took, once the test is decided.
    verdict: Option<(Verdict, u64)>,
}

struct Arena<'a> {
    scene: &'a Scene,
    settings: &'a Settings,
    lineup: &'a Lineup,
    /// The free space on the disk on which commands run.
    room: &'a Room,
}

impl Arena<'_> {
    /// Plays until the match is over, the disk fails, or `most` pairs have been reported to the user.
    fn go_on(&self, disk: &Disk, way: Way, most: u32) -> Piece {
        let told = AtomicU32::new(0);
        let opened = self.open(disk, way);
        let (mut log, settings, pairs) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                if !disk.has_refused() {
                    self.scene
                        .violated(format_args!("a log can be resumed: {error}"));
                }
                return Piece::default();
            }
        };
        let is_stopped = || told.load(Ordering::Relaxed) >= most;
        let mut done = Done::new(&settings);
        pairs.iter().for_each(|games| done.add(games));
        let ended = play_all(
            (&settings, self.lineup),
            done,
            &mut log,
            settings.jobs,
            &is_stopped,
            |standings| told.store(standings.done, Ordering::Relaxed),
            &|_event| {},
        );
        let mut piece = Piece {
            told: told.into_inner(),
            ..Piece::default()
        };
        match ended {
            Ok(standings) => {
                piece.verdict = standings.test.and_then(|test| test.verdict());
                piece.is_over = standings.done == settings.pairs || piece.verdict.is_some();
            }
            Err(MatchError::Log(_)) if disk.has_refused() => {}
            Err(MatchError::Start(_)) if self.room.has_refused() => {}
            Err(error) => {
                self.scene
                    .violated(format_args!("a match comes to its end: {error}"));
                piece.is_over = true;
            }
        }
        piece
    }

    /// Opens the log, and returns it with its settings and its games.
    fn open(
        &self,
        disk: &Disk,
        way: Way,
    ) -> Result<(Log, Settings, Vec<Vec<GameRecord>>), LogError> {
        let storage = Box::new(disk.clone());
        match way {
            Way::Anew => {
                let log = Log::create_on(storage, Path::new(LOG), self.settings)?;
                Ok((log, self.settings.clone(), Vec::new()))
            }
            Way::Resumed => {
                let (log, mut contents) = Log::resume_on(storage, Path::new(LOG), GAMES)?;
                if self.scene.bug == Some(Bug::Endless) {
                    contents.settings.sprt = None;
                }
                Ok((log, contents.settings, contents.pairs))
            }
        }
    }

    /// Plays a match with interruptions until it is over.
    ///
    /// Returns the sequential test's verdict if the match was completed.
    fn play_in_pieces(
        &self,
        disk: &Disk,
        bytes: usize,
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<Option<(Verdict, u64)>> {
        let mut way = Way::Anew;
        for piece in 0..=MOST_BREAKS {
            let is_last = piece == MOST_BREAKS;
            let trouble = Trouble::some(random, bytes + bytes / 4);
            let most = match random.random_bool(0.2) {
                true => random.random_range(0..=self.settings.pairs),
                false => u32::MAX,
            };
            let loses = random.random_bool(0.3);
            let kept = random.random_range(0.0..1.0);
            disk.reopen((!is_last).then_some(trouble));
            let files = random.random_range(0..200);
            let is_short = random.random_bool(0.3) && !is_last;
            self.room.limit(is_short.then_some(files));
            let piece = self.go_on(disk, way, if is_last { u32::MAX } else { most });
            let header = disk.bytes().iter().position(|&byte| byte == b'\n');
            let Some(header) = header else {
                // The log has no complete header yet, so the match is started again.
                way = Way::Anew;
                continue;
            };
            way = Way::Resumed;
            let there = self.read(disk).1;
            if there < piece.told {
                let told = piece.told;
                self.scene.violated(format_args!(
                    "every pair that was told of is in the log: {there} of {told} are"
                ));
                return None;
            }
            if piece.is_over {
                return Some(piece.verdict);
            }
            if loses {
                // The power fails, and data that was not on disk is lost.
                let bytes = disk.bytes().len() - header - 1;
                disk.lose(header + 1 + (bytes as f64 * kept) as usize);
            }
        }
        self.scene.violated("a match comes to its end");
        None
    }

    /// Returns the games in a log, and the number of complete pairs.
    fn read(&self, disk: &Disk) -> (Games, u32) {
        let bytes = disk.bytes();
        let contents = match log::read(Path::new(LOG), &bytes[..], GAMES) {
            Ok(contents) => contents,
            Err(error) => {
                self.scene
                    .violated(format_args!("a log can be read: {error}"));
                return (Games::new(), 0);
            }
        };
        let pairs = contents.pairs.len() as u32;
        let mut games = Games::new();
        for mut game in contents.pairs.into_iter().flatten() {
            // The times of built-in players are real and differ from run to run, so they are not compared.
            (game.used_s, game.cpu_s) = (None, None);
            games.insert((game.pair, game.game), game);
        }
        self.check_lines(&bytes, &games);
        (games, pairs)
    }

    /// Checks that each game occurs once in a log, after the game's moves, and that only the log's end is incomplete.
    fn check_lines(&self, bytes: &[u8], games: &Games) {
        let mut seen = BTreeMap::new();
        let mut moves = Vec::new();
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let Ok(record) = serde_json::from_slice::<RawRecord>(line) else {
                continue;
            };
            match record {
                Record::Move(mv) => moves.push(mv.mv),
                Record::Game(game) => {
                    let moves = std::mem::take(&mut moves);
                    let of_it = games.get(&(game.pair, game.game));
                    if of_it.is_some_and(|game| game.moves != moves) {
                        let (pair, game) = (game.pair, game.game);
                        self.scene.violated(format_args!(
                            "every move has one record: pair {pair}, game {game}"
                        ));
                    }
                    *seen.entry((game.pair, game.game)).or_insert(0) += 1;
                }
                Record::Match(_)
                | Record::Draw(_)
                | Record::Participant(_)
                | Record::Abandoned(_)
                | Record::End(_) => {
                    moves.clear();
                }
            }
        }
        for (at, times) in seen {
            if times != 1 {
                self.scene.violated(format_args!(
                    "every game has one record: {at:?} has {times}"
                ));
            }
        }
    }
}
