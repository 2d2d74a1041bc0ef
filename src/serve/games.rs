//! The games that the daemon keeps: which one a position belongs to, who makes room, what time is left.
//!
//! No sockets and no clock: the present moment is passed in.

use std::time::{Duration, Instant};

use crate::agent::halma::opponent::Opponent;
use crate::agent::halma::playdata::reply;
use crate::agent::halma::{Outlook, Purpose, allot};
use crate::games::halma::player::Strong;
use crate::games::halma::rules::{Move, Position};

/// The table of a game's player, in bytes.
const TABLE_BYTES: usize = 32 << 20;

/// However little is left, a glance is taken.
const GLANCE: Duration = Duration::from_millis(1);

/// What may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Games at the same time.
    pub games: usize,
    /// A game that nobody has asked about for so long is dropped.
    pub idle: Duration,
}

/// A game between two questions, or while its player is away, thinking.
struct Game {
    number: u64,
    /// The position after our last move; none before the first.
    after: Option<Position>,
    player: Option<Strong>,
    /// The reply that the player expects to its last move.
    expected: Option<Move>,
    opponent: Opponent,
    used: Duration,
    last_asked: Instant,
}

/// All games.
pub struct Games {
    limits: Limits,
    games: Vec<Game>,
    next_number: u64,
}

/// A question under way: the game's player, and how long it may think, in CPU time.
pub struct Ticket {
    /// The game's number; none for a single move.
    number: Option<u64>,
    /// The player, to be given back.
    pub player: Strong,
    /// Soft and hard limit.
    pub limits: (Duration, Duration),
    /// Whether the game was known.
    pub is_known: bool,
    /// What is known of the opponent, its last move included.
    pub opponent: Opponent,
}

impl Games {
    /// None yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            games: Vec::new(),
            next_number: 0,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.games.len()
    }

    /// Drops games that have been idle for too long.
    pub fn expire(&mut self, now: Instant) {
        let idle = self.limits.idle;
        self.games.retain(|game| {
            game.player.is_none() || now.saturating_duration_since(game.last_asked) < idle
        });
    }

    /// The player for a position of a game or a single one, with `given` on its clock, of which `spent`
    /// has been used by daemons in this game as far as the asker knows; `None` if all games are thinking.
    /// The player has to come back by [`Games::answered`] or [`Games::broken_off`].
    pub fn ask(
        &mut self,
        position: &Position,
        purpose: Purpose,
        (given, spent): (Duration, Duration),
        now: Instant,
    ) -> Option<Ticket> {
        self.expire(now);
        if purpose == Purpose::Single {
            // As many players away as there are games: more would be more memory.
            let away = self
                .games
                .iter()
                .filter(|game| game.player.is_none())
                .count();
            return (away < self.limits.games).then(|| Ticket {
                number: None,
                player: Strong::new(TABLE_BYTES),
                limits: allot(given.max(GLANCE), purpose, position, Outlook::default()),
                is_known: false,
                opponent: Opponent::default(),
            });
        }
        let follows = |game: &Game| {
            let after = game.after.filter(|after| {
                game.player.is_some()
                    && after.rules() == position.rules()
                    && after.to_move() == position.to_move().other()
            })?;
            reply(&after, position)
        };
        let mut all = self.games.iter().enumerate();
        let known = all.find_map(|(at, game)| Some((at, follows(game)?)));
        let at = match known {
            Some((at, _)) => at,
            None => self.make_room(now)?,
        };
        let game = &mut self.games[at];
        let player = game.player.take()?;
        game.last_asked = now;
        game.used = game.used.max(spent);
        // Counted in for good when there is an answer.
        let mut opponent = game.opponent;
        if let Some((_, mv)) = known {
            opponent.observe(position.to_move().other(), mv, game.expected);
        }
        let outlook = Outlook {
            opponent_pace: opponent.steady_pace(),
            ..Outlook::default()
        };
        let left = given.saturating_sub(game.used).max(GLANCE);
        Some(Ticket {
            number: Some(game.number),
            player,
            limits: allot(left, purpose, position, outlook),
            is_known: known.is_some(),
            opponent,
        })
    }

    /// A new game's place; that of the game that has been idle for longest if there is no other.
    fn make_room(&mut self, now: Instant) -> Option<usize> {
        if self.games.len() >= self.limits.games {
            let idle = self.games.iter().enumerate();
            let idle = idle.filter(|(_, game)| game.player.is_some());
            let (at, _) = idle.min_by_key(|(_, game)| game.last_asked)?;
            self.games.remove(at);
        }
        self.next_number += 1;
        self.games.push(Game {
            number: self.next_number,
            after: None,
            player: Some(Strong::new(TABLE_BYTES)),
            expected: None,
            opponent: Opponent::default(),
            used: Duration::ZERO,
            last_asked: now,
        });
        Some(self.games.len() - 1)
    }

    /// Takes the player back after its move; the CPU time used in the game so far.
    pub fn answered(
        &mut self,
        ticket: Ticket,
        position: &Position,
        mv: Move,
        cpu: Duration,
        now: Instant,
    ) -> Duration {
        let Some(game) = self.of(&ticket) else {
            return cpu;
        };
        game.after = Some(position.after(mv));
        game.expected = ticket.player.line().first().copied();
        game.opponent = ticket.opponent;
        game.used += cpu;
        game.last_asked = now;
        game.player = Some(ticket.player);
        game.used
    }

    /// Takes the player back without a move: the game goes on from where it was, and its time is
    /// charged all the same.
    pub fn broken_off(&mut self, ticket: Ticket, cpu: Duration) {
        let Some(game) = self.of(&ticket) else {
            return;
        };
        game.used += cpu;
        game.player = Some(ticket.player);
        if game.after.is_none() {
            // Nothing could ever follow from it.
            let number = game.number;
            self.games.retain(|game| game.number != number);
        }
    }

    /// Forgets a game whose player did not come back.
    pub fn lost(&mut self, number: Option<u64>) {
        self.games.retain(|game| Some(game.number) != number);
    }

    fn of(&mut self, ticket: &Ticket) -> Option<&mut Game> {
        self.games
            .iter_mut()
            .find(|game| Some(game.number) == ticket.number)
    }
}

impl Ticket {
    /// The game's number; none for a single move.
    pub fn number(&self) -> Option<u64> {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::halma::rules::{Color, Rules};

    const SECOND: Duration = Duration::from_secs(1);
    const HUNDRED: Duration = Duration::from_secs(100);

    fn games(games: usize) -> Games {
        Games::new(Limits {
            games,
            idle: 60 * SECOND,
        })
    }

    fn some_move(position: &Position, at: usize) -> Move {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        moves[at]
    }

    fn start() -> Position {
        Position::start(Color::Black, Rules::Addendum)
    }

    fn asked(games: &mut Games, position: &Position, now: Instant) -> Ticket {
        games
            .ask(position, Purpose::Game, (HUNDRED, Duration::ZERO), now)
            .expect("room")
    }

    /// Plays the first move of a game with this CPU time; the positions after it and after a reply to it.
    fn opened(games: &mut Games, cpu: Duration, now: Instant) -> [Position; 2] {
        let position = start();
        let ticket = asked(games, &position, now);
        assert!(!ticket.is_known);
        let mv = some_move(&position, 3);
        assert_eq!(games.answered(ticket, &position, mv, cpu, now), cpu);
        let after = position.after(mv);
        [after, after.after(some_move(&after, 5))]
    }

    #[test]
    fn a_game_is_known_by_the_position_that_follows_and_pays_for_its_time() {
        let (mut games, now) = (games(2), Instant::now());
        let [_, next] = opened(&mut games, 90 * SECOND, now);
        let ticket = asked(&mut games, &next, now);
        assert!(ticket.is_known);
        // Ten seconds are left, not a hundred.
        let expected = allot(10 * SECOND, Purpose::Game, &next, Outlook::default());
        assert_eq!(ticket.limits, expected);
        let mv = some_move(&next, 0);
        assert_eq!(
            games.answered(ticket, &next, mv, 20 * SECOND, now),
            110 * SECOND
        );
        // Overdrawn: a glance.
        let reply = next.after(mv);
        let next = reply.after(some_move(&reply, 0));
        let ticket = asked(&mut games, &next, now);
        assert!(ticket.is_known && ticket.limits.1 <= GLANCE);
        assert_eq!(games.count(), 1);
    }

    #[test]
    fn what_other_daemons_used_is_charged_and_not_twice() {
        let (mut games, now) = (games(1), Instant::now());
        let position = start();
        let clock = (HUNDRED, 30 * SECOND);
        let ticket = (games.ask(&position, Purpose::Game, clock, now)).expect("room");
        let expected = allot(70 * SECOND, Purpose::Game, &position, Outlook::default());
        assert_eq!(ticket.limits, expected);
        let mv = some_move(&position, 3);
        let used = games.answered(ticket, &position, mv, SECOND, now);
        assert_eq!(used, 31 * SECOND);
        // The shim has been told of it.
        let next = position.after(mv);
        let next = next.after(some_move(&next, 0));
        let clock = (HUNDRED, 31 * SECOND);
        let ticket = (games.ask(&next, Purpose::Game, clock, now)).expect("room");
        let used = games.answered(ticket, &next, some_move(&next, 0), SECOND, now);
        assert_eq!(used, 32 * SECOND);
    }

    #[test]
    fn the_opponents_moves_are_counted_once_and_only_in_its_own_game() {
        use crate::games::halma::player::Player;
        use crate::games::halma::search::Endless;
        let (mut games, now) = (games(2), Instant::now());
        let mut position = start();
        for turn in 0..4 {
            let ticket = asked(&mut games, &position, now);
            games.broken_off(ticket, SECOND);
            // Whoever breaks off and asks again sees the same.
            let mut ticket = asked(&mut games, &position, now);
            assert_eq!(ticket.is_known, turn > 0);
            assert_eq!(ticket.opponent.moves, turn);
            if turn > 0 {
                // Every reply so far was the expected one.
                let Opponent {
                    predicted,
                    expected,
                    ..
                } = ticket.opponent;
                assert_eq!((predicted, expected), (turn, turn));
            }
            let choice = ticket.player.choose(&position, 3_000, &mut Endless);
            let mv = choice.expect("a move").mv;
            let expected = ticket.player.line()[0];
            games.answered(ticket, &position, mv, SECOND, now);
            position = position.after(mv).after(expected);
        }
        let other = asked(&mut games, &start(), now);
        assert_eq!(other.opponent, Opponent::default());
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
            let ticket = asked(&mut games, &unrelated, now);
            assert!(!ticket.is_known);
            games.broken_off(ticket, SECOND);
        }
        // What was broken off at once leaves nothing behind, and the first game is still known.
        assert_eq!(games.count(), 1);
        assert!(asked(&mut games, &next, now).is_known);
    }

    #[test]
    fn a_search_broken_off_leaves_the_game_as_it_was_but_for_its_time() {
        let (mut games, now) = (games(1), Instant::now());
        let [_, next] = opened(&mut games, SECOND, now);
        let ticket = asked(&mut games, &next, now);
        games.broken_off(ticket, SECOND);
        let ticket = asked(&mut games, &next, now);
        assert!(ticket.is_known);
        let used = games.answered(ticket, &next, some_move(&next, 0), SECOND, now);
        assert_eq!(used, 3 * SECOND);
    }

    #[test]
    fn the_longest_idle_game_makes_room_and_a_thinking_one_never() {
        let (mut games, now) = (games(2), Instant::now());
        let position = start();
        let mv = some_move(&position, 3);
        for at in 0..2 {
            let at = now + at * SECOND;
            let ticket = asked(&mut games, &position, at);
            games.answered(ticket, &position, mv, SECOND, at);
        }
        let later = now + 2 * SECOND;
        let one = asked(&mut games, &position, later);
        let two = asked(&mut games, &position, later);
        assert_eq!(games.count(), 2);
        for purpose in [Purpose::Game, Purpose::Single] {
            let clock = (HUNDRED, Duration::ZERO);
            assert!(games.ask(&position, purpose, clock, later).is_none());
        }
        games.broken_off(one, SECOND);
        games.lost(two.number());
        assert_eq!(games.count(), 0);
    }

    #[test]
    fn idle_games_are_dropped_and_busy_ones_are_not() {
        let (mut games, now) = (games(3), Instant::now());
        let position = start();
        let ticket = asked(&mut games, &position, now);
        games.answered(ticket, &position, some_move(&position, 3), SECOND, now);
        let thinking = asked(&mut games, &position, now);
        games.expire(now + 59 * SECOND);
        assert_eq!(games.count(), 2);
        games.expire(now + 60 * SECOND);
        assert_eq!(games.count(), 1);
        let used = games.answered(thinking, &position, some_move(&position, 1), SECOND, now);
        assert_eq!(used, SECOND);
    }
}
