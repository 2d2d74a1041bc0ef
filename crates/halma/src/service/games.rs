//! The daemon's games: finds the game to which a position belongs, evicts games to make room, and counts time.
//!
//! This module uses no sockets and no clock: the caller passes the current time.

use std::time::Duration;

use turnwise_engine::agent::Agent;
use turnwise_engine::instant::Instant;
use turnwise_protocol::halma::Mode;

use crate::budget::{Forecast, budget};
use crate::playdata::reply;
use crate::rules::{Move, Position};
use crate::search_agent::{Memory, SearchAgent};

/// The minimum time of a search, however little time is left on the clock.
const GLANCE: Duration = Duration::from_millis(1);

/// Limits on the stored games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of games. A single move is rejected if this many searches are running.
    pub games: usize,
    /// The time without a question after which a game is dropped.
    pub idle: Duration,
    /// The size of the transposition table of each agent, in bytes.
    pub table: usize,
}

/// A stored game. It has no agent while the agent is thinking about a question.
struct Game {
    number: u64,
    /// The position after our last move in the game; `None` before our first move.
    after: Option<Position>,
    agent: Option<SearchAgent>,
    used: Duration,
    last_asked: Instant,
}

/// All games that a daemon remembers, and the agents that play them.
pub struct Games {
    limits: Limits,
    games: Vec<Game>,
    /// The number of running searches for single positions, which belong to no game.
    singles_away: usize,
    next_number: u64,
}

/// A question that an agent is thinking about: its game and position, and the time limits.
pub struct Ticket {
    /// The game's number; `None` for a single move.
    pub number: Option<u64>,
    /// The position in which the agent must move.
    pub position: Position,
    /// The agent's memory before the question.
    before: Memory,
    /// The soft and the hard limit of the search, in CPU time.
    pub limits: (Duration, Duration),
    /// Whether the position was matched to a game that the daemon already knew.
    pub is_known: bool,
}

impl Games {
    /// Creates an empty store of games, to which these limits apply.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            games: Vec::new(),
            singles_away: 0,
            next_number: 0,
        }
    }

    /// Returns the number of stored games.
    pub fn count(&self) -> usize {
        self.games.len()
    }

    /// Drops games that have been idle for too long.
    pub fn expire(&mut self, now: Instant) {
        let idle = self.limits.idle;
        self.games.retain(|game| {
            game.agent.is_none() || now.saturating_duration_since(game.last_asked) < idle
        });
    }

    /// Returns the agent for a position of a game, or for a single move.
    ///
    /// `given` is the time that the clock shows. As far as the client knows, daemons have already used `spent` of that
    /// time in this game. Returns `None` if the agents of all games are thinking, or if a single move would exceed the
    /// limit on running searches. Single moves never delay a game. If the position follows from several games, the most
    /// recently used game gets it. The caller must return the ticket and the agent exactly once, with
    /// [`Games::answered`], [`Games::broken_off`] or [`Games::lost`].
    pub fn ask(
        &mut self,
        position: &Position,
        mode: Mode,
        (given, spent): (Duration, Duration),
        now: Instant,
    ) -> Option<(Ticket, SearchAgent)> {
        self.expire(now);
        if mode == Mode::Single {
            // The limit on running searches bounds memory and threads.
            let thinking = self.games.iter().filter(|game| game.agent.is_none());
            if thinking.count() + self.singles_away >= self.limits.games {
                return None;
            }
            self.singles_away += 1;
            let ticket = Ticket {
                number: None,
                position: *position,
                before: Memory::default(),
                limits: budget(given.max(GLANCE), mode, position, Forecast::default()),
                is_known: false,
            };
            let mut agent = SearchAgent::new(self.limits.table);
            agent.ends_early = true;
            return Some((ticket, agent));
        }
        let follows = |game: &Game| {
            let after = game.after.filter(|after| {
                game.agent.is_some()
                    && after.rules() == position.rules()
                    && after.to_move() == position.to_move().other()
            })?;
            reply(&after, position)
        };
        let all = self.games.iter().enumerate();
        let known = all
            .filter_map(|(at, game)| Some((at, follows(game)?)))
            .max_by_key(|&(at, _)| self.games[at].last_asked);
        let at = match known {
            Some((at, _)) => at,
            None => self.make_room(now)?,
        };
        let game = &mut self.games[at];
        let mut agent = game.agent.take()?;
        // The agent's new knowledge becomes permanent only if the agent answers the question.
        let before = agent.memory.clone();
        if let (Some((_, mv)), Some(after)) = (known, game.after) {
            let took = now.saturating_duration_since(game.last_asked);
            agent.observe(after, mv, took);
        }
        game.last_asked = now;
        // A daemon that was started during the game learns only here how much time earlier daemons have used.
        game.used = game.used.max(spent);
        let forecast = Forecast {
            opponent_pace: agent.memory.opponent.steady_pace(),
            ..Forecast::default()
        };
        let left = given.saturating_sub(game.used).max(GLANCE);
        let ticket = Ticket {
            number: Some(game.number),
            position: *position,
            before,
            limits: budget(left, mode, position, forecast),
            is_known: known.is_some(),
        };
        Some((ticket, agent))
    }

    /// Adds a new game and returns its index. If necessary, it replaces the longest idle game.
    ///
    /// Returns `None` if all places are taken and the agents of all games are thinking.
    fn make_room(&mut self, now: Instant) -> Option<usize> {
        if self.games.len() >= self.limits.games {
            let idle = self.games.iter().enumerate();
            let idle = idle.filter(|(_, game)| game.agent.is_some());
            let (at, _) = idle.min_by_key(|(_, game)| game.last_asked)?;
            self.games.remove(at);
        }
        self.next_number += 1;
        self.games.push(Game {
            number: self.next_number,
            after: None,
            agent: Some(SearchAgent::new(self.limits.table)),
            used: Duration::ZERO,
            last_asked: now,
        });
        Some(self.games.len() - 1)
    }

    /// Takes back an agent that has chosen a move. Returns the CPU time used in the game so far.
    pub fn answered(
        &mut self,
        ticket: Ticket,
        agent: SearchAgent,
        mv: Move,
        cpu: Duration,
        now: Instant,
    ) -> Duration {
        let Some(game) = self.back(&ticket) else {
            return cpu;
        };
        game.after = Some(ticket.position.after(mv));
        game.used += cpu;
        game.last_asked = now;
        game.agent = Some(agent);
        game.used
    }

    /// Takes back an agent whose search was broken off. The game continues from its last state.
    ///
    /// Even if the search finished unnoticed, its move is ignored. In any case, the CPU time of the search is charged
    /// to the game.
    pub fn broken_off(&mut self, ticket: Ticket, mut agent: SearchAgent, cpu: Duration) {
        match self.back(&ticket) {
            Some(game) if game.after.is_some() => {
                agent.memory = ticket.before;
                game.used += cpu;
                game.agent = Some(agent);
            }
            // A game in which we made no move is dropped, because no later position can be matched to it.
            _ => self.forget(&ticket),
        }
    }

    /// Drops a game, or a single move, whose agent will not return.
    pub fn lost(&mut self, ticket: Ticket) {
        self.back(&ticket);
        self.forget(&ticket);
    }

    fn forget(&mut self, ticket: &Ticket) {
        self.games.retain(|game| Some(game.number) != ticket.number);
    }

    /// Returns the game whose search has ended, given its ticket. If the position belongs to no game, only releases its
    /// place and returns `None`.
    fn back(&mut self, ticket: &Ticket) -> Option<&mut Game> {
        let Some(number) = ticket.number else {
            self.singles_away -= 1;
            return None;
        };
        self.games.iter_mut().find(|game| game.number == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opponent::Opponent;
    use crate::rules::{Color, Rules};
    use turnwise_engine::search::{Control, Found, Limits as SearchLimits};

    const SECOND: Duration = Duration::from_secs(1);
    const HUNDRED: Duration = Duration::from_secs(100);

    fn games(games: usize) -> Games {
        Games::new(Limits {
            games,
            idle: 60 * SECOND,
            table: 1 << 20,
        })
    }

    fn some_move(position: &Position, at: usize) -> Move {
        position.moves()[at]
    }

    fn start() -> Position {
        Position::start(Color::Black, Rules::Addendum)
    }

    type Asked = (Ticket, SearchAgent);

    fn choose(agent: &mut SearchAgent, position: &Position) -> Found<Move> {
        let limits = SearchLimits::of_nodes(3_000);
        agent.think(position, limits, &Control::new())
    }

    fn asked(games: &mut Games, position: &Position, now: Instant) -> Asked {
        games
            .ask(position, Mode::Game, (HUNDRED, Duration::ZERO), now)
            .expect("room")
    }

    /// Plays our first move of a game, which costs `cpu` of CPU time.
    ///
    /// Returns the position after this move, and the position after a reply.
    fn opened(games: &mut Games, cpu: Duration, now: Instant) -> [Position; 2] {
        let position = start();
        let (ticket, agent) = asked(games, &position, now);
        assert!(!ticket.is_known);
        let mv = some_move(&position, 3);
        assert_eq!(games.answered(ticket, agent, mv, cpu, now), cpu);
        let after = position.after(mv);
        [after, after.after(some_move(&after, 5))]
    }

    #[test]
    fn a_game_is_known_by_the_position_that_follows_and_pays_for_its_time() {
        let (mut games, now) = (games(2), Instant::now());
        let [_, next] = opened(&mut games, 90 * SECOND, now);
        let (ticket, agent) = asked(&mut games, &next, now);
        assert!(ticket.is_known);
        // Ten seconds are left, not a hundred.
        let expected = budget(10 * SECOND, Mode::Game, &next, Forecast::default());
        assert_eq!(ticket.limits, expected);
        let mv = some_move(&next, 0);
        assert_eq!(
            games.answered(ticket, agent, mv, 20 * SECOND, now),
            110 * SECOND
        );
        // The time is overdrawn, so only the minimum remains.
        let reply = next.after(mv);
        let next = reply.after(some_move(&reply, 0));
        let (ticket, _) = asked(&mut games, &next, now);
        assert!(ticket.is_known && ticket.limits.1 <= GLANCE);
        assert_eq!(games.count(), 1);
    }

    #[test]
    fn what_other_daemons_used_is_charged_and_not_twice() {
        let (mut games, now) = (games(1), Instant::now());
        let position = start();
        let clock = (HUNDRED, 30 * SECOND);
        let (ticket, agent) = (games.ask(&position, Mode::Game, clock, now)).expect("room");
        let expected = budget(70 * SECOND, Mode::Game, &position, Forecast::default());
        assert_eq!(ticket.limits, expected);
        let mv = some_move(&position, 3);
        let used = games.answered(ticket, agent, mv, SECOND, now);
        assert_eq!(used, 31 * SECOND);
        // The shim knows these 31 seconds from the daemon's answer.
        let next = position.after(mv);
        let next = next.after(some_move(&next, 0));
        let clock = (HUNDRED, 31 * SECOND);
        let (ticket, agent) = (games.ask(&next, Mode::Game, clock, now)).expect("room");
        let used = games.answered(ticket, agent, some_move(&next, 0), SECOND, now);
        assert_eq!(used, 32 * SECOND);
    }

    #[test]
    fn the_opponents_moves_are_counted_once_and_only_in_its_own_game() {
        let (mut games, now) = (games(2), Instant::now());
        let mut position = start();
        for turn in 0..4 {
            let (ticket, agent) = asked(&mut games, &position, now);
            games.broken_off(ticket, agent, SECOND);
            // A client that breaks off and asks again gets the same statistics.
            let (ticket, mut agent) = asked(&mut games, &position, now);
            assert_eq!(ticket.is_known, turn > 0);
            let counts = agent.memory.opponent.counts;
            assert_eq!(counts.moves, turn);
            if turn > 0 {
                // Every reply so far was the expected one.
                assert_eq!((counts.predicted, counts.expected), (turn, turn));
            }
            let line = choose(&mut agent, &position).principal_variation;
            let (mv, expected) = (line[0], line[1]);
            games.answered(ticket, agent, mv, SECOND, now);
            position = position.after(mv).after(expected);
        }
        let (_, other) = asked(&mut games, &start(), now);
        assert_eq!(other.memory.opponent, Opponent::default());
    }

    #[test]
    fn what_does_not_follow_is_a_new_game() {
        let (mut games, now) = (games(4), Instant::now());
        let [reply, next] = opened(&mut games, SECOND, now);
        let other_rules = Position::new(
            next.pieces(Color::Black),
            next.pieces(Color::White),
            Color::Black,
            Rules::Base,
        )
        .expect("apart");
        for unrelated in [start(), reply, other_rules] {
            let (ticket, agent) = asked(&mut games, &unrelated, now);
            assert!(!ticket.is_known);
            games.broken_off(ticket, agent, SECOND);
        }
        // Games broken off before their first move leave no trace, and the first game is still known.
        assert_eq!(games.count(), 1);
        assert!(asked(&mut games, &next, now).0.is_known);
    }

    #[test]
    fn a_search_broken_off_leaves_the_game_as_it_was_but_for_its_time() {
        let (mut games, now) = (games(1), Instant::now());
        let position = start();
        let (ticket, mut agent) = asked(&mut games, &position, now);
        let mv = choose(&mut agent, &position).best;
        games.answered(ticket, agent, mv, SECOND, now);
        let next = position.after(mv);
        let next = next.after(some_move(&next, 0));
        let (ticket, mut agent) = asked(&mut games, &next, now);
        let before = agent.memory.clone();
        assert_eq!(before.opponent.counts.moves, 1);
        // The search finished, but nobody waited for it.
        choose(&mut agent, &next);
        assert_ne!(agent.memory, before);
        games.broken_off(ticket, agent, SECOND);
        let (ticket, agent) = asked(&mut games, &next, now);
        assert!(ticket.is_known);
        assert_eq!(agent.memory, before);
        let used = games.answered(ticket, agent, some_move(&next, 0), SECOND, now);
        assert_eq!(used, 3 * SECOND);
    }

    #[test]
    fn of_games_that_look_alike_the_one_asked_last_goes_on() {
        for last in [0, 1] {
            let (mut games, now) = (games(2), Instant::now());
            let position = start();
            let mv = some_move(&position, 3);
            let mut tickets = [0, 1].map(|_| Some(asked(&mut games, &position, now)));
            let numbers = tickets.each_ref().map(|it| it.as_ref()?.0.number);
            for (at, later) in [(1 - last, SECOND), (last, 2 * SECOND)] {
                let (ticket, agent) = tickets[at].take().expect("each once");
                games.answered(ticket, agent, mv, SECOND, now + later);
            }
            let next = position.after(mv);
            let next = next.after(some_move(&next, 0));
            for at in [last, 1 - last] {
                let (ticket, _) = asked(&mut games, &next, now + 3 * SECOND);
                assert!(ticket.is_known);
                assert_eq!(ticket.number, numbers[at]);
            }
        }
    }

    #[test]
    fn single_moves_are_bounded_and_do_not_keep_games_waiting() {
        let (mut games, now) = (games(2), Instant::now());
        let position = start();
        let mv = some_move(&position, 3);
        let clock = (HUNDRED, Duration::ZERO);
        let single = |games: &mut Games| games.ask(&position, Mode::Single, clock, now);
        type GiveBack<'a> = Box<dyn Fn(&mut Games, Asked) + 'a>;
        let give_back: [GiveBack; 3] = [
            Box::new(|games, (ticket, agent)| {
                let used = games.answered(ticket, agent, mv, SECOND, now);
                assert_eq!(used, SECOND);
            }),
            Box::new(|games, (ticket, agent)| games.broken_off(ticket, agent, SECOND)),
            Box::new(|games, (ticket, _)| games.lost(ticket)),
        ];
        for give_back in &give_back {
            let [one, two] = [0, 1].map(|_| single(&mut games).expect("room"));
            assert!(single(&mut games).is_none());
            // A game gets its place even now, and its search counts towards the limit on running searches.
            let (ticket, agent) = asked(&mut games, &position, now);
            give_back(&mut games, one);
            assert!(single(&mut games).is_none());
            games.broken_off(ticket, agent, SECOND);
            let one = single(&mut games).expect("room");
            assert!(single(&mut games).is_none());
            for ticket in [one, two] {
                give_back(&mut games, ticket);
            }
            assert_eq!(games.count(), 0);
        }
    }

    #[test]
    fn the_longest_idle_game_makes_room_and_a_thinking_one_never() {
        let (mut games, now) = (games(2), Instant::now());
        let position = start();
        let mv = some_move(&position, 3);
        for at in 0..2 {
            let at = now + at * SECOND;
            let (ticket, agent) = asked(&mut games, &position, at);
            games.answered(ticket, agent, mv, SECOND, at);
        }
        let later = now + 2 * SECOND;
        let one = asked(&mut games, &position, later);
        let two = asked(&mut games, &position, later);
        assert_eq!(games.count(), 2);
        for mode in [Mode::Game, Mode::Single] {
            let clock = (HUNDRED, Duration::ZERO);
            assert!(games.ask(&position, mode, clock, later).is_none());
        }
        games.broken_off(one.0, one.1, SECOND);
        games.lost(two.0);
        assert_eq!(games.count(), 0);
    }

    #[test]
    fn idle_games_are_dropped_and_busy_ones_are_not() {
        let (mut games, now) = (games(3), Instant::now());
        let position = start();
        let (ticket, agent) = asked(&mut games, &position, now);
        games.answered(ticket, agent, some_move(&position, 3), SECOND, now);
        let (ticket, agent) = asked(&mut games, &position, now);
        games.expire(now + 59 * SECOND);
        assert_eq!(games.count(), 2);
        games.expire(now + 60 * SECOND);
        assert_eq!(games.count(), 1);
        let used = games.answered(ticket, agent, some_move(&position, 1), SECOND, now);
        assert_eq!(used, SECOND);
    }
}
