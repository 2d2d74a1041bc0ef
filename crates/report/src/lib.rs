//! Reports on an arena's logs: standings, charts and replays. Independent of the game.
//!
//! | module | contents |
//! |---|---|
//! | [`logs`] | reading a log |
//! | [`luck`] | the luck in a result |
//! | [`standings`] | which agent is stronger, by how much, and with what confidence |
//! | [`rotations`] | the results of tables with more than two players |
//! | [`ranking`] | the ranking of a tournament |
//! | [`tables`] | standings, pairings and faults as texts |
//! | [`replay`] | a logged game, position by position |
//! | [`charts`] | the charts, as SVG |
//! | [`page`] | one HTML page with the whole report |

pub mod charts;
pub mod logs;
pub mod luck;
pub mod page;
pub mod ranking;
pub mod replay;
pub mod rotations;
pub mod standings;
pub mod tables;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::OnceLock;

use logs::{Game, Log};
use ranking::Ranking;
use turnwise_arena::records::Settings;
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::words::counted;

/// The maximum number of agents whose commands are listed.
const MOST_NAMED: usize = 64;

/// The contents of one or more logs of one match.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The first log's header.
    pub header: Settings,
    /// The names of the logs, in the order in which they were merged.
    pub sources: Vec<String>,
    /// The games by pair and number.
    pub games: Vec<Game>,
    /// The verdicts that were logged.
    pub verdicts: Vec<String>,
    /// Notes for the user about unusable data.
    pub notes: Vec<String>,
    ranking: OnceLock<Option<Ranking>>,
}

/// Merges logs whose headers agree; the others stay separate.
///
/// Headers agree if equal agents play under equal conditions; seed, number of pairs and jobs may differ. The pairs of
/// another seed continue the numbering. With equal seeds, pairs of equal number have equal tiles and are not
/// independent evidence, so only the first log's pairs count.
pub fn merge(logs: impl IntoIterator<Item = (String, Log)>) -> Vec<Match> {
    let mut groups: Vec<Vec<(String, Log)>> = Vec::new();
    for (name, log) in logs {
        let mut known = groups.iter_mut();
        match known.find(|group| agree(&group[0].1.header, &log.header)) {
            Some(group) => group.push((name, log)),
            None => groups.push(vec![(name, log)]),
        }
    }
    groups.into_iter().map(joined).collect()
}

/// Merges logs whose headers agree.
fn joined(logs: Vec<(String, Log)>) -> Match {
    let mut of = Match::new(logs[0].1.header.clone());
    let mut parts = Vec::new();
    for (name, log) in logs {
        add(&mut of, &mut parts, name, log);
    }
    number_on(of, parts)
}

/// The games of one seed.
struct Part {
    seed: u64,
    /// The first log that has games with the seed.
    source: String,
    /// The games by pair and number.
    games: BTreeMap<(u32, u8), Game>,
}

fn agree(one: &Settings, other: &Settings) -> bool {
    let neutral = |header: &Settings| Settings {
        seed: 0,
        pairs: 0,
        jobs: 0,
        ..header.clone()
    };
    neutral(one) == neutral(other)
}

fn add(of: &mut Match, parts: &mut Vec<Part>, name: String, log: Log) {
    let note = |text: String| format!("{name}: {text}");
    of.notes.extend(log.notes.into_iter().map(note));
    let seed = log.header.seed;
    let at = parts.iter().position(|part| part.seed == seed);
    let at = at.unwrap_or_else(|| {
        parts.push(Part {
            seed,
            source: name.clone(),
            games: BTreeMap::new(),
        });
        parts.len() - 1
    });
    let mut skipped = 0;
    for game in log.games {
        match parts[at].games.entry((game.record.pair, game.record.game)) {
            Entry::Vacant(place) => {
                place.insert(game);
            }
            Entry::Occupied(_) => skipped += 1,
        }
    }
    if skipped > 0 {
        of.notes.push(note(format!(
            "{} with the seed and number of a game of another log: skipped",
            counted(skipped, "game")
        )));
    }
    of.verdicts.extend(log.end.and_then(|end| end.verdict));
    of.sources.push(name);
}

/// Concatenates the games of all seeds.
fn number_on(mut of: Match, parts: Vec<Part>) -> Match {
    for part in parts {
        let offset = of.games.last().map_or(0, |game| game.record.pair);
        if offset > 0 && !part.games.is_empty() {
            of.notes.push(format!(
                "{}: its pair 1 is pair {} here",
                part.source,
                offset.saturating_add(1)
            ));
        }
        of.games.extend(part.games.into_values().map(|mut game| {
            game.record.pair = game.record.pair.saturating_add(offset);
            game
        }));
    }
    of
}

impl Match {
    /// Creates a match with only a header.
    pub fn new(header: Settings) -> Self {
        Self {
            header,
            sources: Vec::new(),
            games: Vec::new(),
            verdicts: Vec::new(),
            notes: Vec::new(),
            ranking: OnceLock::new(),
        }
    }

    /// Adds a newly played game.
    pub fn add(&mut self, game: Game) {
        self.ranking.take();
        self.games.push(game);
    }

    /// Returns the ranking of a tournament. It is computed once from the current games, which takes seconds for a
    /// thousand participants.
    pub fn ranking(&self) -> Option<&Ranking> {
        self.ranking.get_or_init(|| ranking::ranking(self)).as_ref()
    }

    /// Returns true for a tournament at tables of more than two.
    pub fn is_at_tables(&self) -> bool {
        let held = self.header.tournament.as_ref();
        let kind = held.and_then(|held| held.get("format")?.get("kind"));
        kind.is_some_and(|kind| kind == "tables")
    }

    /// Returns the agents' names, or the number of participants of a tournament.
    pub fn title(&self) -> String {
        if self.header.tournament.is_some() {
            let participants = counted(self.header.agents.len(), "participant");
            return format!("A tournament of {participants}");
        }
        let names: Vec<&str> = (self.header.agents.iter())
            .map(|agent| agent.name.as_str())
            .collect();
        names.join(" against ")
    }

    /// Describes agents whose names differ from their commands, unless too many.
    fn agents(&self) -> String {
        let all = &self.header.agents;
        let is_short = all.len() <= MOST_NAMED;
        (all.iter())
            .filter(|agent| is_short && agent.spec != agent.name)
            .map(|agent| format!("; {} is {}", agent.name, agent.spec))
            .collect()
    }

    /// Describes the board, the time, the number of games and the agents in words.
    pub fn conditions(&self) -> String {
        let header = &self.header;
        let time = match header.time {
            TimeControl::Clock { seconds, increment } if increment > 0.0 => {
                format!("{seconds} s for a game and {increment} s for each move")
            }
            TimeControl::Clock { seconds, .. } => format!("{seconds} s for a game"),
            TimeControl::MoveTime { seconds } => format!("{seconds} s for a move"),
            TimeControl::Nodes { nodes } => format!("{} for a move", counted(nodes, "node")),
        };
        let clock = match (header.counts, header.time) {
            (Counts::Wall, _) | (_, TimeControl::Nodes { .. }) => "",
            (Counts::Cpu, _) => " of CPU time",
        };
        let opening = match header.opening_plies {
            0 => String::new(),
            1 => ", 1 random ply at the start".to_owned(),
            plies => format!(", {plies} random plies at the start"),
        };
        let game = header.game.0.conditions();
        format!(
            "{game}, {time}{clock}{opening}; {games}{agents}",
            games = counted(self.games.len(), "game"),
            agents = self.agents(),
        )
    }
}
