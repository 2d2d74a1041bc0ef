//! Plays a tournament and shows its progress.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context;
use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::Log;
use turnwise_arena::pairs::{Work, play_scheduled};
use turnwise_arena::records::GameRecord;
use turnwise_arena::referee::Event;
use turnwise_engine::player::Counts;
use turnwise_engine::words::printable;
use turnwise_games::start_daemon;
use turnwise_process::guard::Guard;
use turnwise_tournament::class_file::Joined;
use turnwise_tournament::conductor::{Before, Conductor};
use turnwise_tournament::held::Withdrawal;

use super::building::build;
use super::executor::Executor;
use super::standings::GrowingStandings;
use super::{Opened, absent, local, pairs_left, unit};
use crate::cli::arena::{guard, person, summary};
use crate::cli::games::port::{self, Port};
use crate::cli::report::{self, Publisher};
use crate::cli::studio::LiveArguments;
use crate::cli::transcripts::Recording;
use crate::cli::{NO_THREAD, cores, isolation};
use crate::console::interrupt::Interrupt;
use crate::console::note;
use crate::console::output::print;
use crate::console::progress::{Bar, bar};

/// Options for how a tournament is played and shown.
pub(in crate::cli) struct How<'a> {
    pub executor: Executor,
    pub live: &'a LiveArguments,
    /// True to show the standings during the tournament.
    pub watch: bool,
    /// True to show a progress bar or, if stderr is not a terminal, to print a line every minute.
    pub bar: bool,
    /// True to print JSON instead of tables.
    pub json: bool,
    /// The transcripts of the programs, if the user wants them.
    pub recording: Option<Recording>,
    /// The folder for the page, the pictures and the tables; `None` if the user wants no such files.
    pub folder: Option<PathBuf>,
    /// The options for the port to which remote participants connect; `None` if all participants run on this machine.
    pub wanted: Option<port::Wanted>,
}

/// Plays the remaining pairs of a tournament, and prints the tables at the end.
pub(in crate::cli) fn play(opened: Opened, mut log: Log, how: How) -> anyhow::Result<ExitCode> {
    let How {
        mut executor,
        live,
        watch,
        bar: has_bar,
        json,
        recording,
        folder,
        wanted,
    } = how;
    let total = (opened.done.len() + pairs_left(&opened)) as u64;
    let Opened {
        joined,
        draws,
        done,
        versions,
        ..
    } = opened;
    let Joined {
        class,
        mut withdrawn,
        ..
    } = joined;
    let settings = &class.settings;
    let live = live.start(report::match_so_far(settings, &done))?;
    let publisher = Publisher::new(log.path().to_owned(), folder);
    let is_remote = wanted.is_some();
    let interrupt = match is_remote {
        true => {
            port::stop_at_a_signal(publisher.clone())?;
            Interrupt::default()
        }
        false => {
            let stopping = match executor.jobs() {
                Some(_) => {
                    "finishing the running pairs; press Ctrl-C again to stop now (the log stays valid)"
                }
                None => {
                    "stopping; the same command plays the running pairs again (the log stays valid)"
                }
            };
            Interrupt::listen_and(move || note!("turnwise: {stopping}"))?
        }
    };
    let is_stopped = || interrupt.is_requested();
    let jobs = executor.jobs();
    let _guard = match jobs {
        Some(_) => guard(settings),
        // If this process is killed, the guard removes the packed files of the participants.
        None => Guard::start().ok(),
    };
    if jobs.is_some()
        && settings.isolation.is_some()
        && settings.programs().is_ok_and(|it| !it.is_empty())
    {
        isolation::tell_what_is_in_force();
    }
    build(&class, &mut withdrawn, &is_stopped);
    if is_stopped() {
        drop(log);
        print(&publisher.publish(json)?)?;
        return Ok(interrupt.exit_code());
    }
    let mut missing = |place: usize, error: &dyn Display| {
        let name = settings.agents[place].name.as_str();
        absent(&mut withdrawn, name, place, error);
    };
    let mut lineup = Lineup::of_those_there(settings, start_daemon, &mut |place, error| {
        missing(place, &error);
    })?;
    executor.prepare(&mut lineup, settings, &mut missing)?;
    versions.log(&class, &withdrawn, &mut log)?;
    if let Some(recording) = &recording {
        lineup.record_in(recording.0.clone());
    }
    lineup.call_person_by(Box::new(person::at_keyboard));
    // With a person, only one game can be played at a time, because there is only one keyboard. A progress bar would
    // overwrite the board.
    let has_person = lineup.has_person();
    if has_person {
        executor = Executor::Here(1);
    }
    let port =
        wanted.map(|wanted| Port::open(wanted, &class, publisher.clone(), (done.len(), total)));
    let port = port.transpose()?;
    if let Some(port) = &port {
        lineup.call_remote_by(port.calls());
    }
    let at_once = jobs.map(|jobs| match is_remote {
        true => jobs.min(local(&class)),
        false => jobs,
    });
    if settings.time.nodes().is_none() && at_once > Some(cores()) && settings.counts == Counts::Wall
    {
        note!("turnwise: more parallel games than cores: the games compete for the cores");
    }
    let things = format!("{}s", unit(&class.held.format));
    let is_wanted = has_bar && !has_person;
    let (pairs, pace) = bar(
        &format!("{{bar:16}} {{pos}}/{{len}} {things}{{left}}{{wide_msg}}"),
        done.len() as u64,
        total,
        is_wanted,
    );
    let pairs = Bar::counting(pairs, pace, &things, is_wanted);
    let board = watch.then(|| GrowingStandings::of(report::Board::new(settings, &done)));
    let board = board.transpose().context(NO_THREAD)?;
    let busy = [const { AtomicU32::new(0) }; 2];
    let watch = |games: &[GameRecord]| {
        pairs.inc(1);
        for game in games.iter().filter(|game| game.first_try.is_some()) {
            busy[0].fetch_add(1, Ordering::Relaxed);
            busy[1].fetch_add(u32::from(game.busy().is_some()), Ordering::Relaxed);
        }
        port.iter().for_each(Port::pair_is_over);
        for fault in games.iter().flat_map(GameRecord::faults) {
            pairs.set_message(format!(
                ", last fault {}: {}",
                printable(&fault.agent),
                fault.kind.name()
            ));
        }
        if let Some(board) = &board {
            board.add(games);
        }
    };
    let before = withdrawn.clone();
    let logged = Before {
        draws: &draws,
        pairs: &done,
    };
    let attendance = port.as_ref().map(Port::attendance);
    let mut conductor = Conductor::new(&class, withdrawn, logged, attendance, watch);
    drop((draws, done));
    let work = Work::new(&mut conductor, &mut log);
    let follow = |event: Event| {
        port.iter().for_each(|port| port.follow(event));
        live.iter().for_each(|live| live.announcer().hear(event));
    };
    match executor {
        Executor::Here(jobs) => {
            play_scheduled((settings, &lineup), work, jobs, &is_stopped, &follow)?;
        }
        #[cfg(feature = "cluster")]
        Executor::Workers(workers) => {
            let watched = (live.is_some(), &follow as &dyn Fn(Event));
            let places = 0..before.len();
            let absent = places.filter(|&place| before[place].is_some()).collect();
            workers.play((settings, absent), work, &is_stopped, watched)?;
        }
    }
    let withdrawn = conductor.withdrawn().to_vec();
    drop(conductor);
    drop((pairs, board));
    for (place, why) in withdrawn.iter().enumerate() {
        if let (Some(Withdrawal::Faults(faults)), None) = (why, &before[place]) {
            let name = printable(&settings.agents[place].name);
            note!("turnwise: {name} was at fault {faults} times and plays no further meetings");
        }
    }
    let busy = busy.map(AtomicU32::into_inner);
    if let Some(busy) = summary::busy(busy) {
        note!("turnwise: {busy}");
    }
    drop(log);
    if let Some(port) = port {
        port.close();
    }
    print(&publisher.publish(json)?)?;
    Ok(interrupt.exit_code())
}
