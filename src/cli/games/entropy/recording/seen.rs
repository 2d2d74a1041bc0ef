//! Converts the games that a player plays on a server into records like those of an arena. The player sees these games
//! only from its own side.

use std::time::Duration;

use turnwise_arena::records::{GameRecord, GameResult, MoveRecord, Settings};
use turnwise_engine::plugin::GameRules;
use turnwise_entropy::match_game::result;
use turnwise_entropy::picture::{letter, notation};
use turnwise_entropy::rules::{Colour, Rules};
use turnwise_entropy_server::conversation::seen::{Seen, SeenMove};
use turnwise_protocol::entropy::Role;
use turnwise_studio::live::{Beginning, Begun, News};

use super::{LogArguments, Recording, settings};
use crate::cli::studio::LiveArguments;

/// The name of the opponent. The server does not reveal the opponent's real name.
const OPPONENT: &str = "opponent";

/// Records the games of a player.
pub struct SeenGames {
    recording: Recording,
    name: String,
    opponent: String,
    clock: Duration,
    settings: Settings,
    /// The rules of the last game; `None` before the first game.
    rules: Option<Rules>,
    /// The current or last game.
    playing: Option<Playing>,
}

/// A game that has been announced to spectators, with the moves that have been made so far.
struct Playing {
    pair: u32,
    game: u8,
    role: Role,
    moves: Vec<String>,
    tiles: Vec<Colour>,
    /// The total time during which this player waited for the opponent's moves.
    waited: Duration,
    is_whole: bool,
}

impl SeenGames {
    /// Starts recording the games of the player `name`, as far as the user asked for it. Spectators see the title before
    /// the first game begins.
    pub fn start(
        log: &LogArguments,
        live: &LiveArguments,
        (name, title): (&str, String),
        clock: Duration,
        pass: bool,
    ) -> anyhow::Result<Self> {
        // The default board size is only a guess until the server announces the actual size.
        let usual = Rules::by_options(&|_| None).map_err(anyhow::Error::msg)?;
        // Several processes may append to one log, and the seed tells their games apart.
        let settings = settings(Rules { pass, ..usual }, crate::cli::seed_of_now(), clock);
        Ok(Self {
            recording: Recording::start(log, live, &settings, title)?,
            name: name.to_owned(),
            opponent: match name {
                OPPONENT => "other".to_owned(),
                _ => OPPONENT.to_owned(),
            },
            clock,
            settings,
            rules: None,
            playing: None,
        })
    }

    /// Records an event of the player. This function never waits.
    pub fn hear(&mut self, seen: Seen) {
        if self.recording.is_idle() {
            return;
        }
        match seen {
            Seen::Begun { role, rules } => self.begin(role, rules),
            Seen::Moved(seen) => self.moved(seen),
            Seen::Over { score } => self.over(score),
            Seen::Abandoned { why } => {
                if let Some(&Playing { pair, game, .. }) = self.playing.as_ref() {
                    self.recording.tell(News::Abandoned { pair, game, why });
                }
            }
        }
    }

    fn begin(&mut self, role: Role, rules: Rules) {
        if self.rules != Some(rules) {
            self.rules = Some(rules);
            self.settings = settings(rules, self.settings.seed, self.clock);
            let names = [self.name.clone(), self.opponent.clone()];
            self.recording.begin(&self.settings, &names);
            self.recording.tell(News::Settled(self.settings.clone()));
        }
        // Servers play games in pairs, with swapped roles in the second game.
        let (pair, game) = match &self.playing {
            None => (1, 1),
            Some(last) if last.game == 1 && last.is_whole && last.role != role => (last.pair, 2),
            Some(last) => (last.pair + 1, 1),
        };
        self.recording.tell(News::Begun(Begun {
            pair,
            game,
            players: self.players(role).to_vec(),
            beginning: Beginning::Result(result(rules.size, &[], 0)),
            opening: Vec::new(),
            measured: Some(role.other().side()),
        }));
        self.playing = Some(Playing {
            pair,
            game,
            role,
            moves: Vec::new(),
            tiles: Vec::new(),
            waited: Duration::ZERO,
            is_whole: false,
        });
    }

    /// Returns the names of both players in the order of the roles; `role` is the player's own role.
    fn players(&self, role: Role) -> [String; 2] {
        let mut players = [self.name.clone(), self.opponent.clone()];
        players.rotate_left(role.side());
        players
    }

    fn moved(&mut self, seen: SeenMove) {
        let (Some(mut playing), Some(rules)) = (self.playing.take(), self.rules) else {
            return;
        };
        let players = self.players(playing.role);
        let mv = notation(seen.mv, rules.size);
        playing.moves.push(mv.clone());
        playing.tiles.extend(seen.tile);
        let figures = seen.figures.as_ref();
        // Both clocks start with equal times. The opponent does not report its remaining time, so it is computed from
        // the time that this player waited.
        let clock_left = match figures {
            Some(known) => Some(known.clock_left),
            None => (seen.waited).map(|_| self.clock.saturating_sub(playing.waited)),
        };
        playing.waited += seen.waited.unwrap_or_default();
        let used = figures.map(|known| known.used).or(seen.waited);
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let record = MoveRecord {
            pair: playing.pair,
            game: playing.game,
            ply: playing.moves.len() as u32,
            role: seen.role.to_string(),
            agent: players[seen.role.side()].clone(),
            tile: seen.tile.map(|tile| letter(tile).to_string()),
            mv,
            output: None,
            clock_left_s: clock_left.map(|left| left.as_secs_f64()),
            soft_ms: figures.map(|known| milliseconds(known.soft)),
            hard_ms: figures.map(|known| milliseconds(known.hard)),
            used_ms: used.map(milliseconds),
            cpu_ms: figures.map(|known| milliseconds(known.cpu)),
            suspended_ms: None,
            depth: figures.map(|known| known.depth),
            nodes: figures.map(|known| known.nodes),
            score: figures.and_then(|known| known.score).map(f64::from),
            value: figures.and_then(|known| known.value).map(f64::from),
            weights: None,
        };
        self.playing = Some(playing);
        self.recording.tell(News::Moved(record));
    }

    fn over(&mut self, score: u32) {
        let (Some(mut playing), Some(rules)) = (self.playing.take(), self.rules) else {
            return;
        };
        playing.is_whole = true;
        let (pair, game) = (playing.pair, playing.game);
        let players = self.players(playing.role).to_vec();
        let fields = result(rules.size, &playing.tiles, score);
        let moves = playing.moves.clone();
        self.playing = Some(playing);
        let result = GameResult::new(&self.settings.game, players, fields);
        let record = |result| GameRecord::of_result(pair, game, 0, result);
        if let Some(record) = result.ok().and_then(record) {
            self.recording
                .tell(News::Over(GameRecord { moves, ..record }));
        }
    }
}
