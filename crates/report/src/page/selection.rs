//! Which games a page shows. A browser holds all of them in memory, so of a large tournament a page has
//! a part: the games that somebody is likely to look for.

use std::collections::HashMap;

use crate::Match;
use crate::logs::Game;

/// So many plies are on a page at most. With all that a log may tell of a move that is some 40 MB, which
/// browsers still open within seconds.
const MOST_PLIES: usize = 400_000;

/// What a game takes besides its plies, counted in plies.
const GAME: usize = 10;

/// At most this part of the plies is given to games for their faults alone.
const FOR_FAULTS: usize = 2;

/// The games of a match that a page shows, by their places in it, in ascending order.
#[derive(Clone)]
pub(super) struct Shown(Vec<usize>);

impl Shown {
    /// Of a match on a page that shows so many.
    pub fn among(of: &Match, matches: usize) -> Self {
        Self::within(of, MOST_PLIES / matches.max(1))
    }

    /// All games if they have no more plies than that together; else those that ended by a fault as far as
    /// half of it goes, and then those of the best: of a ranking from its top down, else the first ones.
    fn within(of: &Match, most: usize) -> Self {
        let plies = |at: usize| of.games[at].record.moves.len() + GAME;
        let all = 0..of.games.len();
        if all.clone().map(plies).sum::<usize>() <= most {
            return Self(all.collect());
        }
        let mut chosen = vec![false; of.games.len()];
        let mut left = most;
        let mut choose = |order: &mut dyn Iterator<Item = usize>, keep: usize| {
            for at in order {
                let is_room = !chosen[at] && left >= keep + plies(at);
                if is_room {
                    chosen[at] = true;
                    left -= plies(at);
                }
            }
        };
        let is_fault = |at: &usize| of.games[*at].record.faults().next().is_some();
        choose(&mut all.clone().filter(is_fault), most / FOR_FAULTS);
        let mut order: Vec<usize> = all.clone().collect();
        let places = places(of);
        order.sort_by_key(|&at| best_place(&places, &of.games[at]));
        choose(&mut order.into_iter(), 0);
        Self(all.filter(|&at| chosen[at]).collect())
    }

    /// How many games are shown.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The games that are shown, in the match's order.
    pub fn of<'a>(&'a self, of: &'a Match) -> impl Iterator<Item = &'a Game> {
        self.0.iter().map(|&at| &of.games[at])
    }
}

/// The participants' places in the ranking, if there is one.
fn places(of: &Match) -> HashMap<&str, usize> {
    let ranked = of.ranking().into_iter().flat_map(|ranking| &ranking.ranked);
    ranked.map(|ranked| &*ranked.agent).zip(0..).collect()
}

fn best_place(places: &HashMap<&str, usize>, game: &Game) -> Option<usize> {
    let players = game.record.result.players.iter();
    players
        .filter_map(|name| places.get(&**name).copied())
        .min()
}

#[cfg(test)]
mod tests {
    use turnwise_games::GAMES;

    use super::*;
    use crate::{logs, merge};

    /// Four pairs of games without clocks, one of the later ones ended by a fault.
    fn of_faults() -> Match {
        let log = include_bytes!("../../../../tests/data/arena/faults.jsonl");
        let log = logs::read(&log[..], GAMES).expect("a log");
        merge([("log".to_owned(), log)]).remove(0)
    }

    #[test]
    fn as_long_as_there_is_room_every_game_is_shown() {
        let of = of_faults();
        let shown = Shown::among(&of, 1);
        assert_eq!(shown.count(), of.games.len());
        assert!(shown.of(&of).eq(&of.games));
    }

    #[test]
    fn games_with_faults_come_first_and_leave_half_of_the_room_to_the_others() {
        let of = of_faults();
        let plies = |games: &[&Game]| -> usize {
            let plies = games.iter().map(|game| game.record.moves.len() + GAME);
            plies.sum()
        };
        let all: Vec<&Game> = of.games.iter().collect();
        let at_fault = |game: &&&Game| game.record.fault.is_some();
        let faults = all.iter().filter(at_fault).count();
        for most in 0..=plies(&all) {
            let within = Shown::within(&of, most);
            let shown: Vec<&Game> = within.of(&of).collect();
            assert!(plies(&shown) <= most, "{most}");
            let shown_faults: Vec<&Game> = shown.iter().filter(at_fault).copied().collect();
            let is_half_full = plies(&shown_faults) + LONGEST >= most / FOR_FAULTS;
            assert!(shown_faults.len() == faults || is_half_full, "{most}");
            let numbers = shown
                .iter()
                .map(|game| (game.record.pair, game.record.game));
            assert!(numbers.is_sorted(), "{most}");
        }
    }

    /// More plies than a game of this log has.
    const LONGEST: usize = 40;

    #[test]
    fn of_a_tournament_the_games_of_the_best_are_shown() {
        let mut of = of_faults();
        let tournament = serde_json::from_str("{\"faults\": 9}");
        of.header.tournament = Some(tournament.expect("fields"));
        of.games.retain(|game| game.record.fault.is_none());
        let best = of.ranking().expect("a tournament").ranked[0].agent.clone();
        let is_best = |game: &&Game| game.record.result.players.contains(&best);
        let of_best: Vec<&Game> = of.games.iter().filter(is_best).collect();
        assert!((1..of.games.len()).contains(&of_best.len()));
        let plies = of_best.iter().map(|game| game.record.moves.len() + GAME);
        let shown = Shown::within(&of, plies.sum());
        assert!(shown.of(&of).eq(of_best));
    }
}
