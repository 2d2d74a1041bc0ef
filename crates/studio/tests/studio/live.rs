//! Tests running games and their spectators.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::Log;
use turnwise_arena::pairs::{Work, play_scheduled};
use turnwise_arena::records::{Contestant, GameRecord, GameSettings, MoveRecord, Settings};
use turnwise_arena::referee::Event;
use turnwise_arena::schedule::{Next, Pair, Schedule};
use turnwise_arena::strength::pair::PairResult;
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::Plugin;
use turnwise_games::{GAMES, start_daemon};
use turnwise_report::page::data::MatchData;
use turnwise_report::{Match, logs, merge};
use turnwise_studio::live::{Beginning, Begun, Heard, Live, News, channel};

use crate::support::config;
use crate::watching::{ask, play, server};

fn settings(game: &Plugin, pairs: u32) -> Settings {
    let agents = ["random", "other=random"].map(|text| Contestant {
        name: text.split('=').next().expect("a name").to_owned(),
        spec: game.about().random_agent.to_owned(),
        folder: None,
    });
    let game = GameSettings(game.by_options(&|_| None).expect("usual settings"));
    Settings {
        seed: 5,
        pairs,
        opening_plies: 2,
        ..Settings::new(game, agents.into(), TimeControl::Nodes { nodes: 10 })
    }
}

/// Returns the events that a spectator receives, until the stream ends.
pub fn events(stream: TcpStream) -> impl Iterator<Item = (String, Value)> {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut name = String::new();
    lines.filter_map(move |line| {
        if let Some(event) = line.strip_prefix("event: ") {
            event.clone_into(&mut name);
        }
        let data = line.strip_prefix("data: ")?;
        Some((name.clone(), serde_json::from_str(data).expect("JSON")))
    })
}

/// Returns the games that a browser would show after receiving these events. Stops reading events once `most` games are
/// over.
fn followed_to(events: impl Iterator<Item = (String, Value)>, most: usize) -> Vec<Value> {
    let mut games: Vec<Value> = Vec::new();
    let is_over =
        |games: &[Value]| games.iter().filter(|game| game["live"] == false).count() >= most;
    for (name, data) in events {
        let at = games.iter().position(|game| game["id"] == data["id"]);
        match (&*name, at) {
            ("games", _) => games = data["games"].as_array().expect("games").clone(),
            ("began", _) => games.push(data),
            ("ended", Some(at)) => {
                assert_eq!(games[at]["moves"], data["moves"]);
                assert_eq!(games[at]["sides"], data["sides"]);
                assert_eq!(games[at]["measures"], data["measures"]);
                games[at] = data;
            }
            ("ended", None) => games.push(data),
            ("moved", at) => {
                let game = &mut games[at.expect("it has begun")];
                let ply = &data["ply"];
                let mut push = |list: &str, value: &Value| {
                    game[list].as_array_mut().expect(list).push(value.clone());
                };
                push("moves", &data["move"]);
                push("sides", &ply["side"]);
                let measured = ply["measures"].as_array().expect("a list");
                for (at, value) in measured.iter().enumerate() {
                    let list = game["measures"][at].as_array_mut();
                    list.expect("a list").push(value.clone());
                }
            }
            ("standings" | "closed", _) => {}
            (other, _) => panic!("{other}"),
        }
        if is_over(&games) {
            break;
        }
    }
    games
}

fn followed(events: impl Iterator<Item = (String, Value)>) -> Vec<Value> {
    followed_to(events, usize::MAX)
}

#[test]
fn a_spectator_of_any_game_sees_what_the_log_will_say() {
    for game in GAMES {
        let settings = settings(game, 3);
        let (server, address) = server(config(), &settings);
        // The server may disconnect a spectator that reads too slowly, so the spectator reconnects until it has seen
        // all games.
        let watched = thread::spawn({
            let address = address.clone();
            move || {
                let mut all = std::iter::repeat_with(|| followed_to(events(ask(&address)), 6));
                all.find(|games| games.len() == 6 && games.iter().all(|game| game["live"] == false))
            }
        });
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.jsonl");
        play(&settings, &path, &|event| server.announcer().hear(event));
        let watched = watched.join().expect("no panic").expect("all games");
        // A spectator that connects after all games have ended receives them all with the first event.
        let late = followed(events(ask(&address)).take(1));
        drop(server);
        for games in [&watched, &late] {
            assert_as_logged(games, &path, 6);
        }
    }
}

/// Checks that there are `count` games, and that they contain all data that a page would show for the log.
fn assert_as_logged(games: &[Value], log: &Path, count: usize) {
    let text = std::fs::read(log).expect("a log");
    let read = logs::read(&*text, GAMES).expect("a log");
    let of = &merge([("log".to_owned(), read)])[0];
    let page = serde_json::to_value(MatchData::studied(of)).expect("values");
    let name = of.header.game.about().name;
    let logged = page["games"].as_array().expect("games");
    assert_eq!((games.len(), logged.len()), (count, count), "{name}");
    for (game, logged) in games.iter().zip(logged) {
        for (field, value) in logged.as_object().expect("a game") {
            assert_eq!(&game[field], value, "{name}: {field}");
        }
        assert_eq!(game["live"], false);
    }
}

/// A schedule that consists of a single rotation.
struct Once(Option<Pair>);

impl Schedule for Once {
    fn next(&mut self) -> Next {
        self.0.take().map_or(Next::Over, Next::Pair)
    }

    fn take_in(&mut self, _games: &[GameRecord], _result: Option<PairResult>) {}
}

#[test]
fn a_table_of_more_than_two_is_seen_while_it_is_played_and_from_its_beginning() {
    // The program `broken` is eliminated. The spectators must see its elimination, and the other players continue.
    let agents = ["basic", "broken=cmd:false", "random"].map(|text| {
        let (name, spec) = text.split_once('=').unwrap_or((text, text));
        Contestant {
            name: name.to_owned(),
            spec: spec.to_owned(),
            folder: None,
        }
    });
    let plugin = GAMES
        .iter()
        .find(|game| game.about().name == "twentyone")
        .expect("TwentyOne");
    let options = |name: &str| match name {
        "seats" => Some("4".to_owned()),
        "rounds" => Some("6".to_owned()),
        _ => None,
    };
    let game = GameSettings(plugin.by_options(&options).expect("settings"));
    let time = TimeControl::Clock {
        seconds: 600.0,
        increment: 0.0,
    };
    let settings = Settings {
        tournament: Some(serde_json::from_str("{\"faults\": 9}").expect("fields")),
        ..Settings::new(game, agents.into(), time)
    };
    let (server, address) = server(config(), &settings);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let mut log = Log::create(&path, &settings).expect("a log");
    let lineup = Lineup::of(&settings, start_daemon).expect("agents");
    let mut rotation = Once(Some(Pair {
        number: 1,
        first: 0,
        second: 1,
        others: vec![2],
        seed: 7,
        pairs_before: 0,
        meeting: None,
    }));
    let joined = Mutex::new(None);
    let follow = |event: Event| {
        server.announcer().hear(event);
        let Event::Moved(&MoveRecord { game: 2, ply, .. }) = event else {
            return;
        };
        let mut joined = joined.lock().expect("no panic");
        // In the middle of the second game, the game waits here until a new spectator has seen its first moves.
        while ply > 10 && joined.is_none() {
            let mut heard = events(ask(&address));
            let whole = heard.next().expect("the state");
            let second = followed([whole.clone()].into_iter()).get(1).cloned();
            if let Some(second) = second
                && second["moves"].as_array().map_or(0, Vec::len) >= 10
            {
                assert_eq!(second["live"], true);
                assert_eq!(second["score"], Value::Null);
                assert_eq!(second["won"], Value::Null);
                assert_eq!(second["players"], json!(["basic", "broken", "random"]));
                assert_eq!(second["fault"][0], "broken (Player 2)");
                let rest = thread::spawn(move || followed_to([whole].into_iter().chain(heard), 4));
                *joined = Some(rest);
            }
        }
    };
    let work = Work::new(&mut rotation, &mut log);
    play_scheduled((&settings, &lineup), work, 1, &|| false, &follow).expect("it is played");
    drop(log);
    let joined = joined.into_inner().expect("no panic").expect("it was seen");
    assert_as_logged(&joined.join().expect("no panic"), &path, 4);
}

fn begun(pair: u32) -> News {
    News::Begun(Begun {
        pair,
        game: 1,
        players: ["random", "other"].map(str::to_owned).into(),
        beginning: Beginning::Seed {
            seed: 7,
            pairs_before: 0,
        },
        opening: Vec::new(),
        measured: None,
    })
}

fn moved(pair: u32, ply: u32, mv: &str) -> News {
    let record = json!({
        "pair": pair, "game": 1, "ply": ply, "role": "CHAOS", "agent": "other", "move": mv
    });
    let record: MoveRecord = serde_json::from_value(record).expect("a move");
    News::Moved(record)
}

#[test]
fn whoever_joins_in_mid_game_sees_it_from_its_beginning() {
    let settings = settings(&GAMES[0], 1);
    let (server, address) = server(config(), &settings);
    server.announcer().tell(begun(1));
    server.announcer().tell(moved(1, 1, "2 2"));
    server.announcer().tell(moved(1, 2, "2 2 2 4"));
    // A new spectator may receive the three events as part of the state, or after it.
    let mut heard = events(ask(&address));
    let mut so_far = Vec::new();
    while followed(so_far.clone().into_iter())
        .first()
        .is_none_or(|game| game["moves"].as_array().map(Vec::len) != Some(2))
    {
        so_far.push(heard.next().expect("there is more to come"));
    }
    let games = followed(so_far.into_iter());
    assert_eq!(games[0]["moves"], json!(["2 2", "2 2 2 4"]));
    assert_eq!(games[0]["score"], Value::Null);
    assert_eq!(games[0]["live"], true);
    assert_eq!(games[0]["players"], json!(["random", "other"]));
    assert!(games[0]["result"].is_object());
}

#[test]
fn a_spectator_who_never_reads_is_dropped_while_games_go_on() {
    let settings = settings(&GAMES[0], 1);
    let mut config = config();
    config.limits.connections = 1;
    config.limits.taken_within = Duration::from_millis(200);
    let (server, address) = server(config, &settings);
    let mut silent = ask(&address);
    // The first bytes show that the server accepted the spectator.
    silent.read_exact(&mut [0; 16]).expect("it is answered");
    // These are more events than the system buffers for the spectator, so the spectator falls behind. Sending never
    // waits.
    for pair in 0..200_000 {
        server.announcer().tell(begun(pair % 7 + 1));
        if pair % 50 == 0 {
            thread::sleep(Duration::from_millis(1));
        }
    }
    // The server must disconnect the silent spectator, so that a new one can connect and receive all seven games.
    let mut attempts = std::iter::repeat_with(|| {
        thread::sleep(Duration::from_millis(20));
        followed(events(ask(&address)).take(1)).len()
    });
    assert!(attempts.by_ref().take(1000).any(|games| games == 7));
}

/// Returns the record of a game of Entropy between the first and the second agent of a pair.
fn over(settings: &Settings, pair: u32, game: u8, agents: [&str; 2], score: u32) -> GameRecord {
    let [first, second] = agents;
    let [order, chaos] = match game {
        1 => [first, second],
        _ => [second, first],
    };
    let record = json!({
        "pair": pair, "game": game, "first": first, "second": second, "order": order,
        "chaos": chaos, "tiles": "ABCDEEDCBAABCDEEDCBAABCDE", "order_score": score, "moves": ["2 2"]
    });
    let raw = serde_json::from_value(record).expect("a record");
    GameRecord::of(raw, &settings.game).expect("a game")
}

/// Returns the state that a new spectator of a match receives after all this news.
fn state_after(heard: Heard, of: Match) -> Value {
    let live = Live::new(of, "war".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime
        .expect("a runtime")
        .block_on(live.run(heard, async {}));
    let (whole, _) = live.watch();
    let whole = String::from_utf8(whole.to_vec()).expect("text");
    let data = whole
        .trim()
        .strip_prefix("event: games\ndata: ")
        .expect("the state");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn the_standings_of_a_tournament_count_all_games_in_any_order() {
    let names: Vec<String> = (1..=12).map(|number| format!("p{number}")).collect();
    let agents = names.iter().map(|name| Contestant {
        name: name.clone(),
        spec: "random".to_owned(),
        folder: None,
    });
    let settings = Settings {
        tournament: Some(serde_json::from_str("{\"faults\": 9}").expect("fields")),
        agents: agents.collect(),
        ..settings(&GAMES[0], 1)
    };
    // The tournament was resumed after its first pair. The games of the other two pairs ended alternately.
    let mut of = Match::new(settings.clone());
    for (game, score) in [(1, 30), (2, 10)] {
        of.add(&over(&settings, 1, game, ["p1", "p2"], score));
    }
    let (announcer, heard) = channel();
    for (pair, game, agents, score) in [
        (3, 1, ["p4", "p2"], 9),
        (2, 1, ["p3", "p1"], 40),
        (3, 2, ["p4", "p2"], 9),
        (2, 2, ["p3", "p1"], 5),
    ] {
        announcer.tell(News::Over(over(&settings, pair, game, agents, score)));
    }
    let standings = &state_after(heard, of)["standings"];
    assert_eq!(standings["unit"], "Elo");
    let rows = standings["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 10, "the best ten of twelve");
    let row = |at: usize| ["place", "name", "games"].map(|field| rows[at][field].clone());
    assert_eq!(row(0), [json!(1), json!("p3"), json!(2)]);
    assert_eq!(row(1), [json!(2), json!("p1"), json!(4)]);
    assert_eq!(row(3), [json!(4), json!("p2"), json!(4)]);
    assert_eq!(row(4), [Value::Null, json!("p5"), json!(0)]);
    assert_eq!(rows[4]["rating"], Value::Null);
    let rating = rows[0]["rating"].as_str().expect("a rating");
    assert!(
        rating.parse::<f64>().is_ok_and(|elo| elo > 0.0) && rating.starts_with('+'),
        "{rating}"
    );
}

#[test]
fn a_spectator_receives_the_standings_of_a_match_of_two() {
    let settings = settings(&GAMES[0], 2);
    let (server, address) = server(config(), &settings);
    let heard = events(ask(&address));
    let mut standings = heard.filter_map(|(name, data)| match &*name {
        "games" => Some(data["standings"].clone()),
        "standings" => Some(data),
        _ => None,
    });
    let first = standings.next().expect("the state");
    assert_eq!(first["rows"][0]["place"], Value::Null);
    for (pair, game, score) in [(1, 1, 8), (1, 2, 20)] {
        let record = over(&settings, pair, game, ["random", "other"], score);
        server.announcer().tell(News::Over(record));
    }
    // The end of the server ends the stream.
    drop(server);
    let last = standings.find(|told| told["rows"][1]["games"] == 2);
    let expected = json!({"unit": "Points", "rows": [
        {"place": 1, "name": "other", "rating": "+12.00", "games": 2},
        {"place": 2, "name": "random", "rating": "-12.00", "games": 2},
    ]});
    assert_eq!(last, Some(expected));
}

#[test]
fn clocks_and_the_side_to_move_are_told_with_every_move() {
    let settings = Settings {
        time: TimeControl::Clock {
            seconds: 10.0,
            increment: 1.0,
        },
        ..settings(&GAMES[0], 1)
    };
    let mut hasty = settings.clone();
    hasty.agents[1].spec = "turnwise:time=0.5".to_owned();
    let (announcer, heard) = channel();
    announcer.tell(begun(1));
    let News::Moved(record) = moved(1, 1, "2 2") else {
        unreachable!("it is a move");
    };
    announcer.tell(News::Moved(MoveRecord {
        clock_left_s: Some(5.0),
        used_ms: Some(1500.0),
        ..record
    }));
    let game = &state_after(heard, Match::new(hasty))["games"][0];
    assert_eq!(game["players"], json!(["random", "other"]));
    // The second player has half of the time and of the increment. Order, the first player, is to move.
    assert_eq!(game["clocks"], json!([10.0, 4.0]));
    assert_eq!(game["to_move"], 0);
}

#[test]
fn what_was_too_much_to_be_told_is_made_whole() {
    // The news is sent before any task receives it, so the buffer overflows.
    let settings = settings(&GAMES[0], 1);
    let (announcer, heard) = channel();
    announcer.tell(begun(1));
    for ply in 1..100_000 {
        announcer.tell(moved(2, ply, "0 0"));
    }
    announcer.tell(News::Over(over(&settings, 1, 1, ["random", "other"], 3)));
    let state = state_after(heard, Match::new(settings));
    let games = state["games"].as_array().expect("games");
    assert_eq!(games.len(), 1);
    assert_eq!(
        (&games[0]["live"], &games[0]["moves"]),
        (&json!(false), &json!(["2 2"]))
    );
}
