//! Converts the games that a daemon plays on a server into records like those of an arena, which spectators receive.
//! The daemon sees these games only from its own side.

use std::time::Duration;

use turnwise_arena::records::{GameRecord, GameResult, MoveRecord, Settings};
use turnwise_engine::plugin::MatchGame;
use turnwise_entropy::match_game::result;
use turnwise_entropy::picture::{letter, notation};
use turnwise_entropy::rules::{Colour, Rules};
use turnwise_entropy_server::client::ServerPlayer;
use turnwise_entropy_server::conversation::seen::{Seen, SeenMove};
use turnwise_protocol::entropy::Role;
use turnwise_studio::live::{Beginning, Begun, News};
use turnwise_studio::spectators::SpectatorServer;

use crate::cli::games::entropy::host::spectators::settings;
use crate::cli::studio::LiveArguments;

/// The name under which spectators see the opponent. The server does not reveal the opponent's real name.
const OPPONENT: &str = "opponent";

/// Shows the games of a player to spectators.
pub struct Spectators {
    server: SpectatorServer,
    name: String,
    clock: Duration,
    /// The rules that were last announced to the spectators.
    rules: Rules,
    settings: Settings,
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

impl Spectators {
    /// If the user asked for spectators, starts a server that shows this player's games to them.
    pub fn start(
        arguments: &LiveArguments,
        player: &ServerPlayer,
        name: &str,
        server: &str,
    ) -> anyhow::Result<Option<Self>> {
        // The default board size is only a guess until the tournament server announces the actual size.
        let usual = Rules::by_options(&|_| None).map_err(anyhow::Error::msg)?;
        let rules = Rules {
            pass: player.pass,
            ..usual
        };
        let settings = settings(rules, 0, 0, player.clock);
        let title = format!("{name} at {server}");
        let server = arguments.start_under(&settings, title)?;
        Ok(server.map(|server| Self {
            server,
            name: name.to_owned(),
            clock: player.clock,
            rules,
            settings,
            playing: None,
        }))
    }

    /// Receives an event from the player, and sends it to the spectators. This function never waits.
    pub fn hear(&mut self, seen: Seen) {
        match seen {
            Seen::Begun { role, rules } => self.begin(role, rules),
            Seen::Moved(seen) => self.moved(seen),
            Seen::Over { score } => self.over(score),
            Seen::Abandoned { why } => {
                if let Some(&Playing { pair, game, .. }) = self.playing.as_ref() {
                    self.server
                        .announcer()
                        .tell(News::Abandoned { pair, game, why });
                }
            }
        }
    }

    fn begin(&mut self, role: Role, rules: Rules) {
        if rules != self.rules {
            self.rules = rules;
            self.settings = settings(rules, 0, 0, self.clock);
            self.server
                .announcer()
                .tell(News::Settled(self.settings.clone()));
        }
        // Servers play games in pairs, with swapped roles in the second game.
        let (pair, game) = match &self.playing {
            None => (1, 1),
            Some(last) if last.game == 1 && last.is_whole && last.role != role => (last.pair, 2),
            Some(last) => (last.pair + 1, 1),
        };
        self.server.announcer().tell(News::Begun(Begun {
            pair,
            game,
            players: players(&self.name, role).to_vec(),
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

    fn moved(&mut self, seen: SeenMove) {
        let Some(playing) = &mut self.playing else {
            return;
        };
        let players = players(&self.name, playing.role);
        let mv = notation(seen.mv, self.rules.size);
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
        self.server.announcer().tell(News::Moved(record));
    }

    fn over(&mut self, score: u32) {
        let Some(playing) = &mut self.playing else {
            return;
        };
        let players = players(&self.name, playing.role);
        playing.is_whole = true;
        let fields = result(self.rules.size, &playing.tiles, score);
        let result = GameResult::new(&self.settings.game, players.to_vec(), fields);
        let record = |result| GameRecord::of_result(playing.pair, playing.game, 0, result);
        let Some(mut record) = result.ok().and_then(record) else {
            return;
        };
        record.moves.clone_from(&playing.moves);
        self.server.announcer().tell(News::Over(record));
    }
}

/// Returns the names of both players in the order of the roles; `role` is the role of the player `name`.
fn players(name: &str, role: Role) -> [String; 2] {
    let mut players = [name.to_owned(), OPPONENT.to_owned()];
    players.rotate_left(role.side());
    players
}
