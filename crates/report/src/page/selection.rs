//! Selects the games that a page contains. A browser holds the whole page in memory, so the page of a large tournament
//! contains only the games that readers are likely to look for.

use crate::Match;
use crate::logs::Game;

/// The maximum number of plies in all games of a page. With all logged data, such a page has about 40 MB, and browsers
/// still open it within seconds.
const MOST_PLIES: usize = 400_000;

/// The size of a game's data without its plies, expressed as the number of plies that take as much space.
const GAME: usize = 10;

/// Games with faults may take up to half of the maximum number of plies, which is divided by this number.
const FOR_FAULTS: usize = 2;

/// The games that a page shows, as ascending indices among the games of the match.
#[derive(Clone)]
pub(crate) struct Shown(Vec<usize>);

impl Shown {
    /// Selects the games of one match for a page that shows this number of matches.
    pub fn among(of: &Match, matches: usize) -> Self {
        Self::within(of, MOST_PLIES / matches.max(1))
    }

    /// Selects all games if they have at most `most` plies together. Otherwise, games with faults may take up to half
    /// of these plies. The remaining plies are for the games of the best participants or, without a ranking, for the
    /// first games.
    fn within(of: &Match, most: usize) -> Self {
        let games = &of.games;
        let plies = |at: usize| games[at].outcome.plies() as usize + GAME;
        let all = 0..games.len();
        if all.clone().map(plies).sum::<usize>() <= most {
            return Self(all.collect());
        }
        let mut chosen = vec![false; games.len()];
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
        let is_fault = |at: &usize| !games[*at].faults().is_empty();
        choose(&mut all.clone().filter(is_fault), most / FOR_FAULTS);
        let mut order: Vec<usize> = all.clone().collect();
        let places = places(of);
        order.sort_by_key(|&at| games[at].players().filter_map(|place| places[place]).min());
        choose(&mut order.into_iter(), 0);
        Self(all.filter(|&at| chosen[at]).collect())
    }

    /// Returns the number of shown games.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the indices of the shown games among all games, in ascending order.
    pub fn places(&self) -> &[usize] {
        &self.0
    }

    /// Returns the shown games of the match `of`, in the order in which the match contains them.
    pub fn of<'a>(&'a self, of: &'a Match) -> impl Iterator<Item = &'a Game> {
        let games = self.0.iter().map(|&at| &of.games[at]);
        games.filter_map(|game| game.whole.as_deref())
    }
}

/// Returns for each agent, in the order of the header, its index in the ranking. All entries are `None` if the match
/// has no ranking.
fn places(of: &Match) -> Vec<Option<usize>> {
    let ranked = of.ranking().into_iter().flat_map(|ranking| &ranking.ranked);
    let mut places = vec![None; of.header.agents.len()];
    for (at, ranked) in ranked.enumerate() {
        if let Some(place) = of.place(&ranked.agent) {
            places[place] = Some(at);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use turnwise_games::GAMES;

    use super::*;
    use crate::{logs, merge};

    /// Returns a match in whose log some games ended by faults.
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
        assert!(shown.of(&of).eq(of.whole_games()));
    }

    #[test]
    fn games_with_faults_come_first_and_leave_half_of_the_room_to_the_others() {
        let of = of_faults();
        let plies = |games: &[&Game]| -> usize {
            let plies = games.iter().map(|game| game.record.moves.len() + GAME);
            plies.sum()
        };
        let all: Vec<&Game> = of.whole_games().collect();
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

    /// A number of plies that no game in the log exceeds.
    const LONGEST: usize = 40;

    #[test]
    fn of_a_tournament_the_games_of_the_best_are_shown() {
        let mut of = of_faults();
        let tournament = serde_json::from_str("{\"faults\": 9}");
        of.header.tournament = Some(tournament.expect("fields"));
        of.games.retain(|game| game.faults().is_empty());
        let best = of.ranking().expect("a tournament").ranked[0].agent.clone();
        let is_best = |game: &&Game| game.record.result.players.contains(&best);
        let of_best: Vec<&Game> = of.whole_games().filter(is_best).collect();
        assert!((1..of.games.len()).contains(&of_best.len()));
        let plies = of_best.iter().map(|game| game.record.moves.len() + GAME);
        let shown = Shown::within(&of, plies.sum());
        assert!(shown.of(&of).eq(of_best));
    }
}
