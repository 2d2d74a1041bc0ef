//! A running game at a referee's table.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use turnwise_engine::plugin::RulesError;
use turnwise_engine::table::Action;
use turnwise_engine::words::{is_unprintable, one_line};

use crate::manifest::Manifest;
use crate::referee::{Played, Referee, Referees, Status};

/// The maximum number of characters of a move.
pub(crate) const LONGEST_MOVE: usize = 1000;

/// The maximum number of characters of an invalid move or answer that an error quotes.
pub(crate) const LONGEST_QUOTED: usize = 100;

/// The maximum number of random values in a game, and in one request.
const MOST_DRAWS: usize = 1_000_000;
pub(crate) const MOST_DRAWS_AT_ONCE: usize = 10_000;

/// The text of a move, as an index into the table's [`Texts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move(pub usize);

impl Action for Move {
    fn code(self) -> u64 {
        self.0 as u64
    }

    fn of_code(code: u64) -> Option<Self> {
        code.try_into().ok().map(Self)
    }
}

/// The texts of the moves that have occurred in a game.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    texts: Vec<String>,
    places: HashMap<String, usize>,
}

impl Texts {
    /// Parses a move of a player or of the referee. The error states the expected form.
    pub fn parse(&mut self, text: &str) -> Result<Move, String> {
        let length = text.chars().take(LONGEST_MOVE + 1).count();
        if !(1..=LONGEST_MOVE).contains(&length) || text.contains(is_unprintable) {
            return Err(format!(
                "expected a move of 1 to {LONGEST_MOVE} printable characters"
            ));
        }
        if let Some(&place) = self.places.get(text) {
            return Ok(Move(place));
        }
        self.texts.push(text.to_owned());
        self.places.insert(text.to_owned(), self.texts.len() - 1);
        Ok(Move(self.texts.len() - 1))
    }

    pub fn text(&self, Move(place): Move) -> &str {
        &self.texts[place]
    }
}

/// Returns random value number `n` of the game with this seed. It depends on nothing else, so both games of a pair
/// have equal luck. The values are a sequence of the generator SplitMix64.
pub(crate) fn draw(seed: u64, n: u64) -> u64 {
    let before = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    SplitMix64::seed_from_u64(seed.wrapping_add(before)).next_u64()
}

/// How a game begins.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub manifest: Arc<Manifest>,
    pub options: Arc<Map<String, Value>>,
    pub seed: u64,
    pub seats: usize,
    /// The position in which the game is set up, if it does not begin in the regular way.
    pub position: Option<String>,
}

/// A game that a referee conducts. The state of the game and its players share this value.
pub(crate) struct Table {
    referees: Arc<Referees>,
    pub start: Start,
    pub texts: Mutex<Texts>,
    /// The move that an agent has chosen among the moves that the referee listed as legal.
    pub listed: Mutex<Option<Move>>,
    at: Mutex<At>,
}

/// The referee, and how far the game is.
struct At {
    /// The referee; `None` after its failure.
    referee: Option<Referee>,
    failure: Option<RulesError>,
    /// The number of the game at this referee.
    game: u64,
    /// The number of random values that the referee has received.
    draws: u64,
    /// All moves that the referee has played, each with its seat. The move is `None` if the seat was removed.
    history: Vec<(usize, Option<String>)>,
}

/// Locks a mutex, even if another thread has panicked while it held the lock.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Table {
    /// Begins a game. Returns its table and its first status; `None` if the referee failed.
    pub fn begin(referees: Arc<Referees>, start: Start) -> (Arc<Self>, Option<Status>) {
        let (referee, failure) = match referees.take() {
            Ok(referee) => (Some(referee), None),
            Err(reason) => (None, Some(referees.failure(reason))),
        };
        let at = At {
            referee,
            failure,
            game: 0,
            draws: 0,
            history: Vec::new(),
        };
        let table = Arc::new(Self {
            referees,
            start,
            texts: Mutex::default(),
            listed: Mutex::default(),
            at: Mutex::new(at),
        });
        let begun = table.begin_again();
        (table, begun)
    }

    /// Begins the game at its referee, or begins it again.
    fn begin_again(&self) -> Option<Status> {
        let mut at = locked(&self.at);
        let referee = at.referee.as_mut()?;
        if let Some(game) = referee.to_end.take() {
            let _: Value = self.request(&mut at, "end", json!({"game": game}))?;
        }
        let referee = at.referee.as_mut()?;
        referee.last_game += 1;
        let game = referee.last_game;
        referee.to_end = Some(game);
        (at.game, at.draws) = (game, 0);
        at.history.clear();
        let mut params = json!({
            "game": game,
            "seats": self.start.seats,
            "settings": *self.start.options,
        });
        if let Some(position) = &self.start.position {
            params["position"] = position.as_str().into();
        }
        let status = self.request(&mut at, "start", params)?;
        self.settle(&mut at, status, true)
    }

    /// Sends random values until a seat must move or the game is over.
    fn settle(&self, at: &mut At, mut status: Status, is_start: bool) -> Option<Status> {
        while let Status::Chance { draws } = status {
            let total = (at.draws as usize).saturating_add(draws);
            if !(1..=MOST_DRAWS_AT_ONCE).contains(&draws) || total > MOST_DRAWS {
                let expected = format!(
                    "expected 1 to {MOST_DRAWS_AT_ONCE} draws, and at most {MOST_DRAWS} a game; got {draws}"
                );
                return self.fail(at, expected);
            }
            let values: Vec<u64> = (at.draws..total as u64)
                .map(|n| draw(self.start.seed, n))
                .collect();
            at.draws = total as u64;
            status = self.request(at, "draw", json!({"game": at.game, "values": values}))?;
        }
        match self.objection(&status, is_start) {
            Some(why) => self.fail(at, why),
            None => Some(status),
        }
    }

    /// Returns the reason why this cannot be the status of the game, if any.
    fn objection(&self, status: &Status, is_start: bool) -> Option<String> {
        let seats = self.start.seats;
        match status {
            Status::Chance { .. } => None,
            Status::ToMove { seat, .. } if *seat >= seats => {
                Some(format!("seat {seat} cannot move among {seats} seats"))
            }
            Status::ToMove { seat, lines, .. } if is_start && lines.is_empty() => {
                let why = format!("expected `lines` that ask seat {seat} for its move");
                Some(why)
            }
            Status::ToMove {
                lines, greetings, ..
            } => {
                let is_broken = |line: &String| line.contains(['\n', '\r']);
                if is_start && !greetings.is_empty() && greetings.len() != seats {
                    let got = greetings.len();
                    return Some(format!("expected {seats} greetings, got {got}"));
                }
                let mut all = lines.iter().chain(greetings.iter().flatten());
                let why = "expected lines without line breaks inside";
                all.any(is_broken).then(|| why.to_owned())
            }
            Status::Over { scores, .. } if scores.len() != seats => {
                Some(format!("expected {seats} scores, got {}", scores.len()))
            }
            Status::Over { scores, .. } => self.start.manifest.wrong_scores(scores),
        }
    }

    /// Plays a move of a seat. Returns the event that the game waits for next, with the move in the notation of logs if
    /// it differs from `text`; or the rule that forbids the move. `None` if the referee failed.
    pub fn play(
        &self,
        seat: usize,
        text: &str,
    ) -> Option<Result<(Status, Option<String>), String>> {
        let mut at = locked(&self.at);
        let params = json!({"game": at.game, "seat": seat, "move": text});
        match self.request(&mut at, "play", params)? {
            Played::Illegal { illegal } => Some(Err(illegal)),
            Played::Legal { notation, status } => {
                at.history.push((seat, Some(text.to_owned())));
                let status = self.settle(&mut at, status, false)?;
                Some(Ok((status, notation)))
            }
        }
    }

    /// Returns to the position before the last move.
    pub fn undo(&self) -> Option<()> {
        let mut history = locked(&self.at).history.clone();
        history.pop();
        self.begin_again()?;
        self.repeat(history)
    }

    /// Copies this game to another referee. Returns `None` if the other referee fails.
    pub fn twin(&self) -> Option<Arc<Self>> {
        let history = locked(&self.at).history.clone();
        let (twin, begun) = Self::begin(self.referees.clone(), self.start.clone());
        begun?;
        twin.repeat(history)?;
        Some(twin)
    }

    /// Plays the moves of an equal game again.
    fn repeat(&self, history: Vec<(usize, Option<String>)>) -> Option<()> {
        for (seat, text) in history {
            match text {
                None => drop(self.put_out(seat)?),
                Some(text) => {
                    if let Err(why) = self.play(seat, &text)? {
                        let why = format!("a move that was legal before is illegal: {why}");
                        return self.fail(&mut locked(&self.at), why);
                    }
                }
            }
        }
        Some(())
    }

    /// Removes a seat from the game.
    pub fn put_out(&self, seat: usize) -> Option<Status> {
        let mut at = locked(&self.at);
        let params = json!({"game": at.game, "seat": seat});
        let status = self.request(&mut at, "out", params)?;
        at.history.push((seat, None));
        self.settle(&mut at, status, false)
    }

    /// Queries the referee about the present position, if the referee has the ability. `params` are further parameters.
    pub fn query<T: DeserializeOwned>(&self, method: &str, params: Value) -> Option<T> {
        let mut at = locked(&self.at);
        let referee = at.referee.as_ref()?;
        if !referee.described.can(method) {
            return None;
        }
        let mut all = json!({"game": at.game});
        if let (Some(all), Value::Object(params)) = (all.as_object_mut(), params) {
            all.extend(params);
        }
        self.request(&mut at, method, all)
    }

    /// Returns true if the referee has this optional ability.
    pub fn can(&self, ability: &str) -> bool {
        let at = locked(&self.at);
        (at.referee.as_ref()).is_some_and(|referee| referee.described.can(ability))
    }

    /// Sends a request. If the referee fails, returns `None`, as do all further requests.
    fn request<T: DeserializeOwned>(&self, at: &mut At, method: &str, params: Value) -> Option<T> {
        match at.referee.as_mut()?.request(method, &params) {
            Ok(reply) => Some(reply),
            Err(reason) => self.fail(at, reason),
        }
    }

    /// Ends the referee after a failure. Only the first failure is reported.
    fn fail<T>(&self, at: &mut At, reason: String) -> Option<T> {
        if at.failure.is_none() {
            at.failure = Some(self.referees.failure(reason));
        }
        at.referee = None;
        None
    }

    /// Reports a reply that contradicts earlier replies.
    pub fn contradict(&self, reason: String) {
        let _: Option<()> = self.fail(&mut locked(&self.at), reason);
    }

    /// Returns the move with a text from the referee. A text that cannot be a move is a failure of the referee.
    pub fn own_move(&self, text: &str) -> Option<Move> {
        let parsed = locked(&self.texts).parse(text);
        if let Err(why) = &parsed {
            self.contradict(format!("{why}, got {}", one_line(text, LONGEST_QUOTED)));
        }
        parsed.ok()
    }

    /// Returns the CPU time that the referee's process has used, if the system reports it.
    pub fn cpu(&self) -> Option<Duration> {
        locked(&self.at).referee.as_mut()?.cpu()
    }

    /// Returns the failure of the referee, if it has failed.
    pub fn failure(&self) -> Option<RulesError> {
        locked(&self.at).failure.clone()
    }

    /// Returns the number of random values of the game so far.
    pub fn draws(&self) -> u64 {
        locked(&self.at).draws
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let at = self.at.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(referee) = at.referee.take() {
            self.referees.give_back(referee);
        }
    }
}

/// Returns a checksum of the moves of a game.
pub(crate) fn checksum<'a>(moves: impl IntoIterator<Item = &'a str>) -> String {
    let mut all = String::new();
    for text in moves {
        let _ = writeln!(all, "{text}");
    }
    format!("{:08x}", crc32fast::hash(all.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::Source;

    #[test]
    fn draws_depend_on_the_seed_and_the_number_only() {
        assert_eq!(draw(7, 3), draw(7, 3));
        assert_ne!(draw(7, 3), draw(7, 4));
        assert_ne!(draw(7, 3), draw(8, 3));
        // The first values of SplitMix64 with seed 0, from its reference implementation.
        assert_eq!(
            [draw(0, 0), draw(0, 1)],
            [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]
        );
    }

    /// Begins a game of two seats at a shell script that answers `start` with this status. Returns the failure.
    fn failure(status: &str) -> String {
        let described = r#"{"id":1,"result":{"protocol":1,"name":"x"}}"#;
        let script = format!(
            "read -r line; echo '{described}'; read -r line; printf '%s\n' '{{\"id\":2,\"result\":{status}}}'; sleep 60"
        );
        let source = Source {
            folder: ".".into(),
            words: ["sh", "-c", &script].map(str::to_owned).to_vec(),
        };
        let manifest: Manifest = toml::from_str("name = \"x\"").expect("a manifest");
        let start = Start {
            manifest: Arc::new(manifest),
            options: Arc::default(),
            seed: 1,
            seats: 2,
            position: None,
        };
        let (table, begun) = Table::begin(Arc::new(Referees::new(source, None)), start);
        assert_eq!(begun, None, "{status}");
        table.failure().expect("it failed").reason
    }

    #[test]
    fn impossible_statuses_are_failures() {
        let cases = [
            (r#"{"draws":0}"#, "expected 1 to 10000 draws"),
            (
                r#"{"draws":18446744073709551615}"#,
                "got 18446744073709551615",
            ),
            (
                r#"{"seat":2,"lines":["x"]}"#,
                "seat 2 cannot move among 2 seats",
            ),
            (r#"{"seat":0}"#, "expected `lines` that ask seat 0"),
            (r#"{"seat":0,"lines":["a\nb"]}"#, "without line breaks"),
            (
                r#"{"seat":0,"lines":["x"],"greetings":[["y"]]}"#,
                "expected 2 greetings, got 1",
            ),
            (r#"{"scores":[1]}"#, "expected 2 scores, got 1"),
            (r#"{"scores":[1,7]}"#, "got [1.0, 7.0]"),
            (
                r#"{"scores":[1,1]}"#,
                "expected the scores 1 and 0, 0 and 1, or 0.5 and 0.5, got [1.0, 1.0]",
            ),
            (r#"{"scores":[0,0]}"#, "got [0.0, 0.0]"),
            (r#"{"scores":[0.3,0.7]}"#, "got [0.3, 0.7]"),
        ];
        for (status, expected) in cases {
            let got = failure(status);
            assert!(got.contains(expected), "{status}: {got}");
        }
    }

    #[test]
    fn texts_keep_their_numbers_and_are_bounded() {
        let mut texts = Texts::default();
        let first = texts.parse("a1").expect("a move");
        let second = texts.parse("b2").expect("a move");
        assert_eq!((texts.parse("a1"), texts.text(second)), (Ok(first), "b2"));
        let longest = "x".repeat(LONGEST_MOVE);
        assert!(texts.parse(&longest).is_ok());
        for wrong in ["", "a\nb", "a\u{1b}[2J", &format!("{longest}x")] {
            assert!(texts.parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_checksum_tells_moves_apart() {
        assert_eq!(checksum(["1", "2"]), checksum(["1", "2"]));
        assert_ne!(checksum(["1", "2"]), checksum(["12"]));
        assert_ne!(checksum(["1", "2"]), checksum(["2", "1"]));
    }
}
