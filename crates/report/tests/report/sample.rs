//! Creates logs of random legal games, using the record types of the arena.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_arena::records::{
    ByRole, Contestant, EndRecord, FORMAT, Fault, GameRecord, GameResult, MoveRecord, Record,
    Settings, Via,
};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::{Counts, FaultKind, Ponder, TimeControl};
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::picture::{letter, notation};
use turnwise_entropy::referee::shuffled_tiles;
use turnwise_entropy::rules::{Colour, Move, Phase, Position, Rules};

use crate::games::{entropy, settled};

const ORDER: usize = 0;
const CHAOS: usize = 1;
const ROLES: [&str; 2] = ["ORDER", "CHAOS"];

/// A fault that the generated log contains. It ends the game at this ply.
pub struct Planned {
    pub pair: u32,
    pub game: u8,
    pub ply: u32,
    pub kind: FaultKind,
    pub reason: &'static str,
    pub stderr: &'static [&'static str],
}

pub struct Plan {
    pub names: &'static [&'static str],
    pub size: u8,
    /// True if the header contains the setting that lets Order pass. Even if the header lacks it, Order may pass in
    /// these games.
    pub says_pass: bool,
    pub seed: u64,
    /// The number of pairs that every two agents play against each other.
    pub pairs: u32,
    pub opening: u32,
    /// True if the agents report measurements, for example the search depth, in addition to their moves.
    pub talkative: bool,
    pub faults: Vec<Planned>,
    pub verdict: Option<&'static str>,
}

/// Creates the records of a log according to the plan: the header, the moves and games of each pair, and the end.
pub fn records(plan: &Plan) -> Vec<Record> {
    let agents = plan.names.iter().map(|name| Contestant {
        name: (*name).to_owned(),
        spec: format!("cmd:{name}"),
        folder: None,
    });
    let meetings: Vec<_> = (0..plan.names.len())
        .flat_map(|first| (first + 1..plan.names.len()).map(move |second| (first, second)))
        .collect();
    let pairs = plan.pairs * meetings.len() as u32;
    let mut records = vec![Record::Match(Settings {
        format: FORMAT,
        turnwise: "0.1.0".to_owned(),
        game: match plan.says_pass {
            true => settled("entropy", &[("size", &plan.size.to_string()), ("pass", "")]),
            false => entropy(plan.size),
        },
        agents: agents.collect(),
        seed: plan.seed,
        pairs,
        opening_plies: plan.opening,
        time: TimeControl::Clock {
            seconds: 10.0,
            increment: 0.0,
        },
        counts: Counts::Wall,
        via: Via::Process,
        jobs: 2,
        gauntlet: None,
        tournament: None,
        sprt: None,
        isolation: None,
        ponder: Ponder::Allow,
        start_s: 10.0,
        restart: true,
    })];
    for pair in 1..=pairs {
        let (first, second) = meetings[(pair as usize - 1) % meetings.len()];
        for game in [1, 2] {
            let mut random =
                Xoshiro256PlusPlus::seed_from_u64(plan.seed ^ u64::from(pair) << 8 ^ game as u64);
            play(plan, pair, game, (first, second), &mut random, &mut records);
        }
    }
    records.push(Record::End(EndRecord {
        pairs,
        verdict: plan.verdict.map(str::to_owned),
    }));
    records
}

/// Formats records as the lines of a log, one JSON object per line.
pub fn lines(records: &[Record]) -> String {
    let line = |record| serde_json::to_string(record).expect("a record is JSON") + "\n";
    records.iter().map(line).collect()
}

fn play(
    plan: &Plan,
    pair: u32,
    game: u8,
    (first, second): (usize, usize),
    random: &mut Xoshiro256PlusPlus,
    records: &mut Vec<Record>,
) {
    let seed = plan.seed.wrapping_mul(1000) + u64::from(pair);
    let tiles = shuffled_tiles(plan.size, seed);
    let (order, chaos) = match game {
        1 => (first, second),
        _ => (second, first),
    };
    let fault = plan
        .faults
        .iter()
        .find(|fault| (fault.pair, fault.game) == (pair, game));
    let mut position = Position::new(Rules {
        size: plan.size,
        pass: true,
    });
    let mut moves = Vec::new();
    let mut left = [10.0, 10.0];
    let mut used = [0.0, 0.0];
    for ply in 1.. {
        if position.phase() == Phase::Over || fault.is_some_and(|fault| fault.ply == ply) {
            break;
        }
        let (role, agent) = match ply % 2 {
            1 => (CHAOS, chaos),
            _ => (ORDER, order),
        };
        let mut choices = Vec::new();
        let mut tile = None;
        if role == CHAOS {
            let drawn = tiles[moves.len() / 2];
            tile = Some(letter(drawn).to_string());
            position.make(Move::Draw(drawn));
            position.placements(&mut choices);
        } else {
            position.slides(&mut choices);
        }
        let mv = best_of_some(agent, role, &position, &choices, random);
        position.make(mv);
        let text = notation(mv, plan.size);
        moves.push(text.clone());
        let part = f64::from(ply) / f64::from(2 * u32::from(plan.size).pow(2));
        let soft = hundredths(400.0 * (1.1 - part) * (1.0 + 0.3 * agent as f64));
        let took = hundredths(soft * random.random_range(0.5..1.25));
        let clock = role;
        let clock_left = left[clock];
        used[clock] += took / 1000.0;
        left[clock] -= took / 1000.0;
        let told = plan.talkative.then_some(());
        let mut sought = None;
        records.push(Record::Move(MoveRecord {
            pair,
            game,
            ply,
            role: ROLES[role].to_owned(),
            agent: plan.names[agent].to_owned(),
            tile,
            mv: text,
            output: None,
            clock_left_s: Some(hundredths(clock_left)),
            soft_ms: told.map(|()| soft),
            hard_ms: told.map(|()| hundredths(soft * 2.5)),
            used_ms: Some(took),
            cpu_ms: told.map(|()| hundredths(took * 0.99)),
            suspended_ms: None,
            depth: told.map(|()| random.random_range(2..4) + (8.0 * part) as u32),
            nodes: told.map(|()| random.random_range(50_000..90_000)),
            score: told.map(|()| {
                let now = f64::from(board_score(&position));
                let score = hundredths(now + (1.0 - part) * random.random_range(5.0..25.0));
                sought = Some(hundredths(score - 4.0));
                score
            }),
            value: sought,
            weights: None,
        }));
    }
    let order_score = match fault {
        None => board_score(&position),
        Some(fault) if fault.ply % 2 == 0 => 0,
        Some(_) => 100,
    };
    let times = |scale: f64| {
        let used = used.map(|used| hundredths(used * scale));
        Some(ByRole::new(entropy(plan.size).about(), &used))
    };
    records.push(Record::Game(GameRecord {
        pair,
        game,
        others: Vec::new(),
        meeting: None,
        first: plan.names[first].to_owned(),
        second: plan.names[second].to_owned(),
        result: result(
            [plan.names[order], plan.names[chaos]],
            &tiles,
            order_score,
            plan.size,
        ),
        seed,
        opening: moves[..moves.len().min(plan.opening as usize)].to_vec(),
        moves,
        fault: fault.map(|fault| Fault {
            agent: plan.names[if fault.ply % 2 == 0 { order } else { chaos }].to_owned(),
            role: ROLES[if fault.ply % 2 == 0 { ORDER } else { CHAOS }].to_owned(),
            kind: fault.kind,
            reason: fault.reason.to_owned(),
            output: None,
            stderr: fault.stderr.iter().map(|line| (*line).to_owned()).collect(),
        }),
        put_out: Vec::new(),
        used_s: times(1.0),
        cpu_s: times(0.99),
        pondered_s: None,
        first_try: None,
        superseded: false,
    }));
}

/// Returns the logged result of a game of Entropy with these tiles, in which Order has this score.
pub fn result(players: [&str; 2], tiles: &[Colour], order_score: u32, size: u8) -> GameResult {
    let mut fields = Fields::default();
    let tiles: String = tiles.iter().map(|&tile| letter(tile)).collect();
    fields.push("tiles", tiles);
    fields.push("order_score", order_score);
    fields.push("size", size);
    GameResult::new(&entropy(size), players.map(str::to_owned).to_vec(), fields).expect("a result")
}

/// Chooses a move for the agent with this index. To make the first agent stronger, it gets the best of three random
/// moves, and every other agent gets a single random move.
fn best_of_some(
    agent: usize,
    role: usize,
    position: &Position,
    choices: &[Move],
    random: &mut Xoshiro256PlusPlus,
) -> Move {
    let looked_at = if agent == 0 { 3 } else { 1 };
    let pick: Vec<Move> = (0..looked_at)
        .map(|_| choices[random.random_range(0..choices.len())])
        .collect();
    let score = |mv: &Move| {
        let mut after = position.clone();
        after.make(*mv);
        board_score(&after)
    };
    match role {
        ORDER => pick.into_iter().max_by_key(score),
        _ => pick.into_iter().min_by_key(score),
    }
    .expect("at least one move was looked at")
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
