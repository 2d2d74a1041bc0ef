//! Tests the contract that every registered game must keep, by letting each game's own agents play against each other.

mod hidden_die;

use std::collections::BTreeSet;
use std::num::NonZeroU8;
use std::path::Path;
use std::sync::Arc;

use turnwise_engine::fields::Fields;
use turnwise_engine::player::{Allowance, TimeControl};
use turnwise_engine::plugin::{
    AgentOptions, AnyGame, AnyState, Beginning, Judging, Meeting, Plugin, Seat, Studying,
};
use turnwise_engine::search::{Limits, Stop};
use turnwise_games::GAMES;

use hidden_die::HIDDEN_DIE;

/// The node limit per move: high enough for every agent to search.
const NODES: u64 = 60;

/// The number of plies in which a game must show its optional abilities.
const PLIES: usize = 16;

/// Returns every registered game and [`HIDDEN_DIE`], with default settings.
fn usual() -> impl Iterator<Item = (&'static Plugin, Arc<dyn AnyGame>)> {
    let settled = |game: &Plugin| game.by_options(&|_| None).expect("it needs no options");
    let all = GAMES.iter().chain([&HIDDEN_DIE]);
    all.map(move |game| (game, settled(game)))
}

/// Plays both games of a pair between two agents; returns each game's moves and result.
fn games_of(game: &Arc<dyn AnyGame>, agents: [&str; 2], seed: u64) -> [(Vec<String>, Fields); 2] {
    let options = AgentOptions::default();
    games_with(game, agents, [&options; 2], seed)
}

/// Like [`games_of`], with options for the agents.
fn games_with(
    game: &Arc<dyn AnyGame>,
    agents: [&str; 2],
    options: [&AgentOptions; 2],
    seed: u64,
) -> [(Vec<String>, Fields); 2] {
    let resources = [0, 1].map(|side| {
        let loaded = game.resources(agents[side], options[side]);
        loaded.expect("its own weights")
    });
    let seat = |side: usize| Seat::BuiltIn {
        name: agents[side],
        options: options[side],
        resources: &resources[side],
        nodes: Some(NODES),
        seed: seed + side as u64,
    };
    let pair = Meeting::new(game.clone(), vec![seat(0), seat(1)], seed, 0);
    let mut pair = pair.expect("both play it");
    [1, 2].map(|game| {
        let (first, opening) = pair.begin(game, 2).expect("they sit down");
        assert!(first < 2);
        let moves = play(&mut pair, opening);
        pair.finish(false);
        (moves, pair.outcome(None, None).expect("a result"))
    })
}

fn play(pair: &mut Meeting, mut moves: Vec<String>) -> Vec<String> {
    let allowance = Allowance::default();
    while let Some(side) = pair.turn() {
        let asked = pair.ask(side, allowance).expect("they are here");
        let mv = asked
            .answer
            .mv
            .expect("an agent of this program has a move");
        assert_eq!(asked.objection, None, "{mv} after {moves:?}");
        pair.play();
        moves.push(mv);
    }
    moves
}

#[test]
fn names_and_options_are_told_apart() {
    let names: BTreeSet<&str> = GAMES.iter().map(|game| game.about().name).collect();
    assert_eq!(names.len(), GAMES.len());
    for game in GAMES {
        let about = game.about();
        assert_eq!(about.name, about.name.to_lowercase());
        assert_eq!(about.side(about.roles[0]), Some(0));
        assert_eq!(about.side(&about.roles[1].to_uppercase()), Some(1));
        let agents: BTreeSet<&str> = about.agents.iter().map(|agent| agent.name).collect();
        assert_eq!(agents.len(), about.agents.len(), "{}", about.name);
        assert!(agents.contains(about.random_agent), "{}", about.name);
        let [first, others @ ..] = about.agents else {
            panic!("{} has no agents", about.name);
        };
        // In a game without a study of its own, the first agent gives the hints.
        let is_random = first.name == about.random_agent && !others.is_empty();
        assert!(
            !is_random,
            "{}: the strongest agent comes first",
            about.name
        );
        for agent in about.agents {
            let named = about.help.agents.contains(agent.name);
            assert!(named, "{} of {} is in no help", agent.name, about.name);
        }
        let mut help = about.help.agents.lines();
        assert!(help.all(|line| line.starts_with("  ")), "{}", about.name);
    }
}

/// Returns the names of the optional abilities that a game lacks, as in [`About::lacks`].
///
/// [`About::lacks`]: turnwise_engine::plugin::About::lacks
fn lacking(game: &dyn AnyGame) -> Vec<&'static str> {
    let about = game.about();
    let (seed, meetings) = (1, 0);
    let beginning = Beginning::Seed { seed, meetings };
    let mut table = game.open(beginning).expect("a beginning");
    let nodes = 1000;
    let limits = Limits {
        nodes,
        ..Limits::default()
    };
    let how = Studying {
        top: 2,
        limits,
        stop: Stop::default(),
        solutions: None,
    };
    let (mut is_shown, mut is_ranked, mut is_set_up) = (false, false, false);
    // Some positions have a single legal move, and some have no text.
    for _ in 0..PLIES {
        let Some(studied) = table.study(&how, &mut |_| {}) else {
            break;
        };
        is_ranked |= studied.lines.len() > 1;
        let view = table.view(None);
        is_shown |= view.grid.is_some() || !view.panels.is_empty();
        if let Some(text) = table.text() {
            game.open(Beginning::Text(&text)).expect("its own text");
            is_set_up = true;
        }
        let best = &studied.lines[0].moves[0];
        table.play(best).expect("a legal move");
    }
    let by = Judging {
        solutions: None,
        nodes,
    };
    let loss = game.loss_judge(&by).expect("no file is needed");
    let has_programs = !about.wires.is_empty() || game.file_venue().is_some();
    let starters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../starters");
    let abilities = [
        ("view", is_shown),
        ("study", is_ranked),
        ("set-up", is_set_up),
        ("loss", loss.is_some()),
        ("luck", game.luck_judge().is_some()),
        ("programs", has_programs),
        ("starters", starters.join(about.name).is_dir()),
    ];
    let missing = abilities.into_iter().filter(|&(_, is_there)| !is_there);
    missing.map(|(name, _)| name).collect()
}

#[test]
fn a_game_declares_the_abilities_that_it_lacks() {
    for (game, settled) in usual() {
        let about = game.about();
        println!("{} lacks {:?}", about.name, about.lacks);
        assert_eq!(lacking(&*settled), about.lacks, "{}: lacks", about.name);
    }
}

#[test]
fn settings_survive_a_log() {
    for (game, settled) in usual() {
        let text = serde_json::to_string(&settled.fields()).expect("JSON");
        let fields: Fields = serde_json::from_str(&text).expect("fields");
        let again = game.by_fields(&fields).expect("its own settings");
        let again = serde_json::to_string(&again.fields()).expect("JSON");
        assert_eq!(again, text, "{}", game.about().name);
        assert!(!settled.conditions().is_empty() && !settled.place().is_empty());
    }
}

/// Asserts that pictures of a logged game match the open game, and its view if the view has a grid.
fn assert_shows(logged: &dyn AnyState, table: &mut dyn AnyState) {
    // This call also makes the draw that is due before the next move, if any.
    table.turn();
    let shown = logged.shown(false);
    assert_eq!(shown, table.shown(false));
    if let Some(seen) = table.view(None).grid {
        assert_eq!(shown.grid, seen);
    }
}

/// Asserts that the codes of all legal moves differ, and that each code converts back to its move.
fn assert_codes_lead_back(state: &mut dyn AnyState, played: &str) {
    state.turn().expect("the game goes on");
    let mut moves = state.legal_moves();
    moves.push(state.parse(played).expect("a move"));
    let by_code: BTreeSet<u64> = moves.iter().copied().collect();
    let by_text: BTreeSet<String> = moves.iter().map(|&code| state.notation(code)).collect();
    assert_eq!(by_code.len(), by_text.len(), "{by_text:?}");
    for code in by_code {
        assert!(state.is_legal(code));
        assert_eq!(state.parse(&state.notation(code)), Ok(code));
    }
    // Most numbers are the code of no move, which is an illegal move rather than an internal error.
    assert!(!state.is_legal(u64::MAX) && !state.is_legal(u64::MAX / 3));
}

/// Asserts that the state explains in words why it rejects each of the illegal moves among `earlier`.
fn assert_words_for_illegal_moves(state: &mut dyn AnyState, earlier: &[String]) {
    let codes = earlier.iter().filter_map(|text| state.parse(text).ok());
    for code in codes.filter(|&code| !state.is_legal(code)) {
        let why = state.objection(code);
        let mv = state.notation(code);
        assert!(why.split(' ').count() >= 3, "{mv}: {why:?}");
    }
}

#[test]
fn agents_play_legal_games_whose_notation_leads_over_the_same_boards() {
    for (game, settled) in usual() {
        let about = game.about();
        for (number, agent) in (0..).zip(about.agents) {
            for (moves, fields) in games_of(&settled, [agent.name, about.random_agent], number) {
                settled.meaning(&fields).expect("its own result");
                let logged = settled.open(Beginning::Logged(&fields));
                let mut logged = logged.expect("its own result");
                let beginning = Beginning::Seed {
                    seed: number,
                    meetings: 0,
                };
                let mut table = settled.open(beginning).expect("a beginning");
                let mut sides = Vec::new();
                assert_shows(&*logged, &mut *table);
                for (ply, mv) in moves.iter().enumerate() {
                    assert_codes_lead_back(&mut *table, mv);
                    assert_words_for_illegal_moves(&mut *table, &moves[..ply]);
                    let before = logged.shown(false).grid.letters;
                    let moved = logged.follow(mv).expect("a legal move can be shown");
                    sides.push(moved.side);
                    let shown = logged.shown(false);
                    let after: Vec<char> = shown.grid.letters.chars().collect();
                    assert_eq!(after.len() % shown.grid.columns, 0);
                    assert_eq!(shown.measured.len(), about.look.measures.len());
                    if let Some(to) = moved.to {
                        assert_ne!(after[to], ' ', "{mv} leads to an empty cell");
                    }
                    if let (Some(from), Some(to)) = (moved.from, moved.to)
                        && from != to
                    {
                        assert_eq!(after[from], ' ', "{mv} leaves something behind");
                        assert_eq!(before.chars().nth(from), Some(after[to]), "{mv}");
                    }
                    table.play(mv).expect("what was played");
                    assert_shows(&*logged, &mut *table);
                }
                assert!(sides.contains(&0) && sides.contains(&1), "{}", about.name);
                assert!(logged.follow("no move at all").is_err());
                assert!(!logged.shown(false).text.contains('\u{1b}'));
            }
        }
    }
}

#[test]
fn the_same_seed_and_nodes_give_the_same_game() {
    for (game, settled) in usual() {
        let about = game.about();
        let agents = [about.agents[0].name, about.random_agent];
        let play = |seed| games_of(&settled, agents, seed).map(|(moves, ..)| moves);
        assert_eq!(play(3), play(3), "{}", about.name);
    }
}

/// Returns the options that select a level.
fn at_level(level: usize) -> AgentOptions {
    AgentOptions {
        level: u8::try_from(level).ok().and_then(NonZeroU8::new),
        ..AgentOptions::default()
    }
}

#[test]
fn levels_play_whole_games() {
    for (game, settled) in usual() {
        let about = game.about();
        let name = about.agents[0].name;
        let option = format!("level=1-{}", about.levels.len());
        let is_offered = about.agents[0].options.contains(&&*option);
        assert_eq!(is_offered, !about.levels.is_empty(), "{}", about.name);
        for (number, level) in (1..).zip(about.levels) {
            assert!(about.agents.iter().any(|agent| agent.name == level.agent));
            let options = [&at_level(number), &at_level(1)];
            for seed in 1..=2 {
                games_with(&settled, [name, name], options, seed);
            }
        }
    }
}

/// Calls `act` with a pair of games between two random players that are seated for the first game.
fn with_random_players(game: &Arc<dyn AnyGame>, act: &mut dyn FnMut(&mut Meeting)) {
    let options = AgentOptions::default();
    let name = game.about().random_agent;
    let resources = game.resources(name, &options).expect("none");
    let seat = || Seat::BuiltIn {
        name,
        options: &options,
        resources: &resources,
        nodes: Some(1),
        seed: 1,
    };
    let pair = Meeting::new(game.clone(), vec![seat(), seat()], 1, 0);
    let mut pair = pair.expect("both play it");
    pair.begin(1, 0).expect("they sit down");
    act(&mut pair);
}

#[test]
fn a_fault_loses_in_either_role() {
    for (game, settled) in usual() {
        with_random_players(&settled, &mut |pair| {
            let [first, second] = [0, 1].map(|side| {
                let result = pair.outcome(Some(side), None).expect("a result");
                settled.meaning(&result).expect("its own result").score
            });
            assert!(first < second, "{}", game.about().name);
        });
    }
}

#[test]
fn a_budget_is_within_what_is_left() {
    for (game, settled) in usual() {
        with_random_players(&settled, &mut |pair| {
            pair.turn();
            for seconds in [0.001, 0.01, 1.0, 300.0] {
                let left = std::time::Duration::from_secs_f64(seconds);
                let increment = 0.0;
                for time in [
                    TimeControl::Clock { seconds, increment },
                    TimeControl::MoveTime { seconds },
                ] {
                    let (soft, hard) = pair.budget(time, left);
                    assert!(
                        soft <= hard && hard <= left,
                        "{}: {time:?}",
                        game.about().name
                    );
                }
            }
        });
    }
}
