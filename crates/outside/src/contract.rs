//! Checks whether a referee keeps its contract: `turnwise check --game DIR`.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Map, Value, json};

use crate::manifest::{Manifest, Scores};
use crate::referee::{
    ABILITIES, Moves, Played, Position, Referee, Rollout, Source, Status, Values, Views,
};
use crate::table::{MOST_DRAWS_AT_ONCE, draw};

/// The number of random games, and the number of positions in each in which every listed move is tried.
const GAMES: u64 = 10;
const TRIED_POSITIONS: usize = 3;

/// The time after which no further random game begins.
const ENOUGH: Duration = Duration::from_secs(20);

/// The duration of a reply from which the check warns, because players and people wait for the reply.
const SLOW: Duration = Duration::from_secs(1);

/// The length of the longest move that is tried.
const LONG: usize = 1 << 20;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The referee fulfills the contract.
    Passed,
    /// The check does not apply to this game, for this reason.
    Skipped(String),
    /// The referee does something else.
    Failed {
        /// The referee's actual behavior.
        got: String,
        /// How to mend it.
        advice: &'static str,
    },
}

/// A check and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The name of the check.
    pub name: &'static str,
    /// The behavior that the contract requires.
    pub expected: &'static str,
    /// The result.
    pub outcome: Outcome,
}

/// Why a check ended early: the referee failed, or it broke the contract.
type Broken = String;

/// A game at a referee, as the checks play it.
struct Play<'a> {
    referee: &'a mut Referee,
    game: u64,
    seed: u64,
    draws: u64,
    seats: usize,
    /// The values that the referee drew, in order. Empty if the referee does not report them.
    drawn: Vec<String>,
    status: Value,
}

impl<'a> Play<'a> {
    fn begin(
        referee: &'a mut Referee,
        options: &Map<String, Value>,
        seats: usize,
        seed: u64,
        position: Option<&str>,
    ) -> Result<Self, Broken> {
        referee.last_game += 1;
        let game = referee.last_game;
        let mut params = json!({"game": game, "seats": seats, "settings": options});
        if let Some(position) = position {
            params["position"] = position.into();
        }
        let status = referee.request("start", &params)?;
        let mut play = Self {
            referee,
            game,
            seed,
            draws: 0,
            seats,
            drawn: Vec::new(),
            status,
        };
        play.settle()?;
        Ok(play)
    }

    fn settle(&mut self) -> Result<(), Broken> {
        while let Some(draws) = self.status["draws"].as_u64() {
            if !(1..=MOST_DRAWS_AT_ONCE as u64).contains(&draws) {
                return Err(format!(
                    "it requests {draws} draws at once, expected 1 to {MOST_DRAWS_AT_ONCE}"
                ));
            }
            let values: Vec<u64> = (self.draws..self.draws + draws)
                .map(|n| draw(self.seed, n))
                .collect();
            self.draws += draws;
            self.status = self
                .referee
                .request("draw", &json!({"game": self.game, "values": values}))?;
            let drawn = self.status["drawn"].as_array().cloned().unwrap_or_default();
            self.drawn.extend(drawn.iter().map(Value::to_string));
        }
        let status: Status = serde_json::from_value(self.status.clone())
            .map_err(|_| format!("{} is no status", self.status))?;
        match status {
            Status::ToMove { seat, .. } if seat >= self.seats => {
                Err(format!("seat {seat} is to move among {} seats", self.seats))
            }
            _ => Ok(()),
        }
    }

    fn seat(&self) -> Option<u64> {
        self.status["seat"].as_u64()
    }

    fn ask<T: serde::de::DeserializeOwned>(
        &mut self,
        method: &str,
        extra: Value,
    ) -> Result<T, Broken> {
        let mut params = json!({"game": self.game});
        if let (Some(params), Value::Object(extra)) = (params.as_object_mut(), extra) {
            params.extend(extra);
        }
        self.referee.request(method, &params)
    }

    fn moves(&mut self) -> Result<Vec<String>, Broken> {
        Ok(self.ask::<Moves>("moves", json!({}))?.moves)
    }

    /// Plays a move. Returns the reason if the referee rejects it.
    fn play(&mut self, text: &str) -> Result<Option<String>, Broken> {
        let seat = self.seat();
        let reply: Value = self.ask("play", json!({"seat": seat, "move": text}))?;
        match serde_json::from_value(reply.clone()) {
            Ok(Played::Illegal { illegal }) => Ok(Some(illegal)),
            Ok(Played::Legal { .. }) => {
                self.status = reply;
                self.settle()?;
                Ok(None)
            }
            Err(_) => Err(format!("{reply} is no reply to `play`")),
        }
    }

    fn views(&mut self) -> Result<Vec<Value>, Broken> {
        let seats = (0..self.seats).map(Value::from).chain([Value::Null]);
        seats
            .map(|seat| self.ask("view", json!({"seat": seat})))
            .collect()
    }

    fn end(mut self) -> Result<(), Broken> {
        self.ask::<Value>("end", json!({})).map(drop)
    }
}

/// A referee under test.
struct Checked<'a> {
    manifest: &'a Manifest,
    source: &'a Source,
    options: &'a Map<String, Value>,
    referee: Referee,
    seats: usize,
    told: &'a mut dyn FnMut(Finding),
    /// The name of each failed check, and its result.
    failures: Vec<(&'static str, String)>,
}

impl Checked<'_> {
    fn can(&self, ability: &str) -> bool {
        self.referee.described.can(ability)
    }

    /// Runs a check, and reports it as skipped if it fails like an earlier one. Returns false if it fails.
    ///
    /// After a failure of the referee, continues with a new process.
    fn run(
        &mut self,
        name: &'static str,
        expected: &'static str,
        advice: &'static str,
        check: impl FnOnce(&mut Self) -> Result<Option<String>, Broken>,
    ) -> bool {
        let result = check(self);
        let has_failed = result.is_err();
        let outcome = match result {
            Ok(None) => Outcome::Passed,
            Ok(Some(why)) => Outcome::Skipped(why),
            Err(got) => {
                if let Ok(fresh) = Referee::start(self.source) {
                    self.referee = fresh;
                }
                let is_known = |known: &str| {
                    let (known, now) = (cause(known), cause(&got));
                    known.contains(now) || now.contains(known)
                };
                let mut failures = self.failures.iter();
                match failures.find(|(_, known)| is_known(known)) {
                    Some((earlier, _)) => {
                        Outcome::Skipped(format!("the referee fails as in \"{earlier}\""))
                    }
                    None => {
                        self.failures.push((name, got.clone()));
                        Outcome::Failed { got, advice }
                    }
                }
            }
        };
        (self.told)(Finding {
            name,
            expected,
            outcome,
        });
        !has_failed
    }

    fn begin(&mut self, seed: u64) -> Result<Play<'_>, Broken> {
        Play::begin(&mut self.referee, self.options, self.seats, seed, None)
    }

    /// Plays a random game. Returns its moves and its scores.
    fn random_game(&mut self, seed: u64, moves_seed: u64) -> Result<(Vec<String>, Value), Broken> {
        let longest = self.manifest.longest as usize;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(moves_seed);
        let mut play = self.begin(seed)?;
        let mut made = Vec::new();
        while play.seat().is_some() {
            if made.len() >= longest {
                return Err(format!(
                    "the game is not over after {longest} moves, its `longest`"
                ));
            }
            let moves = play.moves()?;
            let different: BTreeSet<&String> = moves.iter().collect();
            if different.len() < moves.len() {
                return Err(format!("`moves` lists a move twice after {made:?}"));
            }
            let Some(text) = moves.choose(&mut random) else {
                return Err(format!(
                    "seat {:?} is to move and has no move after {made:?}",
                    play.seat()
                ));
            };
            if let Some(why) = play.play(text)? {
                return Err(format!(
                    "`moves` lists {text:?} after {made:?}, but `play` rejects it: {why}"
                ));
            }
            made.push(text.clone());
        }
        let scores = play.status["scores"].clone();
        play.end()?;
        Ok((made, scores))
    }

    /// Replays these moves and returns the game.
    fn replayed(&mut self, seed: u64, moves: &[String]) -> Result<Play<'_>, Broken> {
        let mut play = self.begin(seed)?;
        for text in moves {
            if let Some(why) = play.play(text)? {
                return Err(format!(
                    "{text:?} was legal in a game with the same draws, but now: {why}"
                ));
            }
        }
        Ok(play)
    }
}

/// Returns the message without the name of the method, if the referee replied with an error; otherwise the whole text.
fn cause(got: &str) -> &str {
    let error = got.split_once("error in `");
    let error = error.and_then(|(_, rest)| rest.split_once("`: "));
    error.map_or(got, |(_method, message)| message)
}

/// Checks a referee. Reports each finding to `told`, and returns true if nothing failed.
pub(crate) fn check(
    manifest: &Manifest,
    source: &Source,
    options: &Map<String, Value>,
    told: &mut dyn FnMut(Finding),
) -> bool {
    let started = Instant::now();
    let referee = match Referee::start(source) {
        Ok(referee) => referee,
        Err(got) => {
            let advice = "run the command of game.toml yourself: it must wait for requests on standard input";
            let outcome = Outcome::Failed { got, advice };
            told(Finding {
                name: "it starts",
                expected: "a reply to `describe`",
                outcome,
            });
            return false;
        }
    };
    let outcome = Outcome::Passed;
    told(Finding {
        name: "it starts",
        expected: "a reply to `describe`",
        outcome,
    });
    let mut checked = Checked {
        manifest,
        source,
        options,
        referee,
        seats: manifest.seats.least(),
        told,
        failures: Vec::new(),
    };
    let (mut games, mut wrong_scores) = (Vec::new(), None);
    checked.run(
        "it describes itself",
        "the name in game.toml, and known abilities that it has",
        "correct the error that is named, or return only the abilities whose methods the referee has",
        |checked| describes(checked).map(|()| None),
    );
    if !checked.can("moves") {
        let outcome = Outcome::Skipped("all other checks need the ability `moves`".to_owned());
        (checked.told)(Finding {
            name: "random games",
            expected: "games that end",
            outcome,
        });
        return checked.failures.is_empty();
    }
    let have_ended = checked.run(
        "random games",
        "every listed move is accepted, and every game ends within `longest`",
        "compare `moves` and `play`, and the key `longest` of game.toml",
        |checked| {
            wrong_scores = random_games(checked, started, &mut games)?;
            Ok(None)
        },
    );
    if !have_ended {
        (checked.told)(Finding {
            name: "all other checks",
            expected: "random games that end",
            outcome: Outcome::Skipped("they need random games that end".to_owned()),
        });
        return false;
    }
    checked.run(
        "scores",
        "scores that `scoring` and `points` in game.toml allow",
        match manifest.scoring {
            Scores::Win => {
                "return 1 and 0, 0 and 1, or 0.5 and 0.5; or set `scoring = \"points\"` and `points` in game.toml"
            }
            Scores::Points => "compare the scores with `points` in game.toml",
        },
        |_| wrong_scores.map_or(Ok(None), Err),
    );
    checked.run(
        "every listed move",
        "all moves of a position are accepted",
        "list only legal moves",
        |checked| every_move(checked, &games).map(|()| None),
    );
    checked.run(
        "illegal moves",
        "`illegal` with a reason, and nothing changes: hostile texts of 1 MiB, with NUL and with broken Unicode too",
        "compare the text with the legal moves before anything else",
        |checked| illegal_moves(checked, &games).map(|()| None),
    );
    checked.run(
        "the same game twice",
        "the same replies to the same draws and moves, in another process and beside another game",
        "use no randomness but the draws, and no state but the game's",
        |checked| same_twice(checked, &games).map(|()| None),
    );
    checked.run(
        "draws depend on nothing else",
        "value n decides the same, whatever the players do",
        "use value n for one purpose, and decide what it means without looking at the moves",
        equal_draws,
    );
    checked.run(
        "hidden information",
        "nothing changes for a seat before it has moved in the round",
        "show a seat the others' moves only when the round is over",
        |checked| hides(checked, &games),
    );
    checked.run(
        "views",
        "a view after the start and after each move, and choices that are legal",
        "take `choices` from the list of moves",
        |checked| views(checked, &games),
    );
    checked.run(
        "positions",
        "a game that begins from a position's text continues like the original",
        "put everything that matters into the position's text",
        |checked| positions(checked, &games),
    );
    checked.run(
        "values and play-outs",
        "`values` lists all legal moves, and `rollout` ends with scores in range and changes nothing",
        "let `rollout` work on a copy of the game",
        |checked| play_outs(checked, &games),
    );
    checked.run(
        "speed",
        "each reply within a second",
        "find the method that is slow or fails: turnwise waits ten seconds at most",
        |checked| speed(checked, &games).map(|()| None),
    );
    checked.failures.is_empty()
}

fn describes(checked: &mut Checked) -> Result<(), Broken> {
    let (got, expected) = (&checked.referee.described.name, &checked.manifest.name);
    if got != expected {
        return Err(format!("the name {got:?}, but game.toml has {expected:?}"));
    }
    let unknown = checked.referee.described.abilities.clone();
    if let Some(unknown) = unknown
        .iter()
        .find(|ability| !ABILITIES.contains(&ability.as_str()))
    {
        return Err(format!("the unknown ability {unknown:?}"));
    }
    let mut play = checked.begin(1)?;
    let abilities = play.referee.described.abilities.clone();
    for ability in abilities {
        let params = match ability.as_str() {
            "view" => json!({"seat": 0}),
            "rollout" => json!({"moves": [], "seed": 1}),
            "moves" | "views" | "position" | "values" => json!({}),
            _ => continue,
        };
        if play.seat().is_none() {
            break;
        }
        play.ask::<Value>(&ability, params)
            .map_err(|why| format!("the ability `{ability}`, but {why}"))?;
    }
    play.end()
}

/// Plays random games. Returns a description of the first wrong scores, if any game ended with wrong scores.
fn random_games(
    checked: &mut Checked,
    started: Instant,
    games: &mut Vec<(u64, Vec<String>)>,
) -> Result<Option<String>, Broken> {
    let mut wrong = None;
    for seats in [
        checked.manifest.seats.most(),
        checked.manifest.seats.least(),
    ] {
        checked.seats = seats;
        games.clear();
        for seed in 0..GAMES {
            if seed > 1 && started.elapsed() > ENOUGH {
                break;
            }
            let (moves, scores) = checked.random_game(seed, seed)?;
            let all: Vec<f64> = serde_json::from_value(scores.clone()).unwrap_or_default();
            let why = match all.len() == seats {
                true => checked.manifest.wrong_scores(&all),
                false => Some(format!("expected {seats} scores, got {scores}")),
            };
            wrong = wrong.or_else(|| why.map(|why| format!("{why} after {moves:?}")));
            games.push((seed, moves));
        }
    }
    Ok(wrong)
}

/// Returns the game with the most moves, whose moves the checks then examine.
fn longest(games: &[(u64, Vec<String>)]) -> (u64, Vec<String>) {
    let game = games.iter().max_by_key(|(_, moves)| moves.len()).cloned();
    game.expect("random games were played")
}

/// Returns the numbers of some moves of a game, spread over it.
fn some_plies(moves: usize) -> impl Iterator<Item = usize> {
    let plies: BTreeSet<usize> = (0..TRIED_POSITIONS)
        .map(|part| part * moves / TRIED_POSITIONS)
        .collect();
    plies.into_iter()
}

fn every_move(checked: &mut Checked, games: &[(u64, Vec<String>)]) -> Result<(), Broken> {
    let (seed, made) = longest(games);
    for ply in some_plies(made.len()) {
        let mut play = checked.replayed(seed, &made[..ply])?;
        let moves = play.moves()?;
        play.end()?;
        for text in moves.iter().take(100) {
            let mut play = checked.replayed(seed, &made[..ply])?;
            if let Some(why) = play.play(text)? {
                return Err(format!(
                    "`moves` lists {text:?}, but `play` rejects it: {why}"
                ));
            }
            play.end()?;
        }
    }
    Ok(())
}

fn illegal_moves(checked: &mut Checked, games: &[(u64, Vec<String>)]) -> Result<(), Broken> {
    let (seed, made) = longest(games);
    let sees = checked.can("view");
    let of_other_positions = made.iter().cloned().collect::<BTreeSet<String>>();
    for ply in some_plies(made.len()) {
        let mut play = checked.replayed(seed, &made[..ply])?;
        let moves = play.moves()?;
        let hostile = [
            "",
            " ",
            "\u{0}",
            "\u{fffd}",
            "-1",
            "1e9999",
            "{\"move\":",
            "\u{202e}x",
            "9999999999999999999999",
        ];
        let hostile = hostile
            .map(str::to_owned)
            .into_iter()
            .chain(["x".repeat(LONG)]);
        let elsewhere = of_other_positions.iter().take(20).cloned();
        let padded = moves.iter().take(1).map(|text| format!("{text}\u{0}"));
        let before = (
            play.status.clone(),
            if sees { play.views()? } else { Vec::new() },
        );
        for text in hostile
            .chain(elsewhere)
            .chain(padded)
            .filter(|text| !moves.contains(text))
        {
            let shown: String = text.chars().take(40).collect();
            let rejected = play
                .play(&text)
                .map_err(|why| format!("after the move {shown:?}: {why}"))?;
            match rejected {
                None => {
                    return Err(format!(
                        "the move {shown:?} is accepted, but `moves` does not list it"
                    ));
                }
                Some(why) if why.trim().is_empty() => {
                    return Err(format!("no reason why {shown:?} is illegal"));
                }
                Some(_) => {}
            }
        }
        let after = (
            play.status.clone(),
            if sees { play.views()? } else { Vec::new() },
        );
        if before != after || moves != play.moves()? {
            return Err(format!(
                "an illegal move after {:?} changed the game",
                &made[..ply]
            ));
        }
        play.end()?;
    }
    Ok(())
}

fn same_twice(checked: &mut Checked, games: &[(u64, Vec<String>)]) -> Result<(), Broken> {
    let mut fresh = Referee::start(checked.source)?;
    let (options, seats) = (checked.options, checked.seats);
    for (seed, made) in games.iter().take(3) {
        let other = &games[games.len() - 1];
        let mut disturbed = Play::begin(&mut fresh, options, seats, other.0, None)?;
        let other_game = disturbed.game;
        if let (Some(_), Some(text)) = (disturbed.seat(), other.1.first()) {
            disturbed.play(text)?;
        }
        let mut again = Play::begin(&mut fresh, options, seats, *seed, None)?;
        let mut play = checked.begin(*seed)?;
        for (ply, text) in made.iter().enumerate() {
            if play.status != again.status {
                return Err(format!(
                    "{} in one process and {} in another after {:?}",
                    play.status,
                    again.status,
                    &made[..ply]
                ));
            }
            play.play(text)?;
            again.play(text)?;
        }
        if play.status != again.status {
            return Err(format!(
                "{} in one process and {} in another",
                play.status, again.status
            ));
        }
        play.end()?;
        again.end()?;
        fresh.request::<Value>("end", &json!({"game": other_game}))?;
    }
    Ok(())
}

fn equal_draws(checked: &mut Checked) -> Result<Option<String>, Broken> {
    let (mut has_chance, mut has_texts, mut later) = (false, false, false);
    for seed in 0..3 {
        let mut runs = Vec::new();
        for moves_seed in 100..104 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(moves_seed);
            let mut play = checked.begin(seed)?;
            let at_start = play.draws;
            while play.seat().is_some() {
                let moves = play.moves()?;
                let text = moves.choose(&mut random).ok_or("no move")?.clone();
                play.play(&text)?;
            }
            has_chance |= play.draws > 0;
            later |= play.draws > at_start;
            has_texts |= !play.drawn.is_empty();
            runs.push(play.drawn.clone());
            play.end()?;
        }
        let first = runs.remove(0);
        for other in runs {
            let differs = first
                .iter()
                .zip(&other)
                .position(|(one, other)| one != other);
            if let Some(n) = differs {
                return Err(format!(
                    "value {n} decided {} in one game and {} in another game with the same values",
                    first[n], other[n]
                ));
            }
        }
    }
    Ok(match (has_chance, has_texts, later) {
        (false, ..) => Some("the game has no chance".to_owned()),
        (true, false, true) => Some("the referee does not say what it draws (`drawn`)".to_owned()),
        _ => None,
    })
}

fn hides(checked: &mut Checked, games: &[(u64, Vec<String>)]) -> Result<Option<String>, Broken> {
    if !checked.manifest.simultaneous {
        return Ok(Some(
            "the game has no simultaneous moves (`simultaneous` in game.toml)".to_owned(),
        ));
    }
    if !checked.can("view") {
        return Ok(Some("the referee has no views".to_owned()));
    }
    for (seed, made) in games {
        let mut play = checked.begin(*seed)?;
        let (mut moved, mut at_start) = (BTreeSet::new(), play.views()?);
        for text in made {
            let seat = play.seat().ok_or("the game ended early")?;
            if moved.contains(&seat) {
                moved.clear();
                at_start = play.views()?;
            }
            moved.insert(seat);
            play.play(text)?;
            let Some(next) = play.seat() else { break };
            if moved.contains(&next) {
                continue;
            }
            let now = play.views()?;
            let waiting = (0..play.seats).filter(|seat| !moved.contains(&(*seat as u64)));
            for waiting in waiting.chain([play.seats]) {
                let without_choices = |view: &Value| {
                    let mut view = view.clone();
                    view.as_object_mut().map(|view| view.remove("choices"));
                    view
                };
                if without_choices(&now[waiting]) != without_choices(&at_start[waiting]) {
                    let who = match waiting == play.seats {
                        true => "the spectators".to_owned(),
                        false => format!("seat {waiting}"),
                    };
                    return Err(format!(
                        "the view of {who} changes when seat {seat} plays {text:?}"
                    ));
                }
            }
        }
        play.end()?;
    }
    lines_hide(checked, games)
}

/// Checks that the question to a seat does not depend on the moves of the seats before it in the round.
fn lines_hide(
    checked: &mut Checked,
    games: &[(u64, Vec<String>)],
) -> Result<Option<String>, Broken> {
    for (seed, made) in games.iter().take(3) {
        let mut play = checked.begin(*seed)?;
        let first = play.seat();
        let moves = play.moves()?;
        play.end()?;
        let mut questions = BTreeSet::new();
        for text in moves.iter().take(10) {
            let play = checked.replayed(*seed, std::slice::from_ref(text))?;
            if play.seat() != first && play.seat().is_some() {
                questions.insert(play.status["lines"].to_string());
            }
            play.end()?;
        }
        if questions.len() > 1 {
            let shown: Vec<&String> = questions.iter().take(2).collect();
            return Err(format!(
                "the lines of the second seat depend on the first seat's move: {shown:?}"
            ));
        }
        if made.is_empty() {
            break;
        }
    }
    Ok(None)
}

fn views(checked: &mut Checked, games: &[(u64, Vec<String>)]) -> Result<Option<String>, Broken> {
    if !checked.can("view") || !checked.can("views") {
        return Ok(Some(
            "the referee has no views: people cannot watch its games".to_owned(),
        ));
    }
    let (seed, made) = longest(games);
    let mut play = checked.begin(seed)?;
    let mut all: Vec<Value> = Vec::new();
    for text in &made {
        let mut public: Value = play.ask("view", json!({"seat": null}))?;
        public.as_object_mut().map(|view| view.remove("choices"));
        all.push(public);
        let seat = play.seat();
        let moves = play.moves()?;
        let view: Result<turnwise_engine::view::View, Broken> =
            play.ask("view", json!({"seat": seat}));
        let view = view?;
        if let Some(grid) = &view.grid
            && (grid.columns == 0 || grid.letters.chars().count() % grid.columns != 0)
        {
            return Err(format!(
                "a grid of {} columns with {} cells",
                grid.columns,
                grid.letters.chars().count()
            ));
        }
        let strange = view
            .choices
            .iter()
            .find(|choice| !moves.contains(&choice.notation));
        if let Some(strange) = strange {
            return Err(format!(
                "the choice {:?}, which `moves` does not list",
                strange.notation
            ));
        }
        play.play(text)?;
    }
    let got = play.ask::<Views>("views", json!({}))?.views.len();
    let raw: Value = play.ask("views", json!({}))?;
    play.end()?;
    if got != made.len() + 1 {
        return Err(format!("{got} views of a game with {} moves", made.len()));
    }
    for (ply, before) in all.iter().enumerate() {
        let mut at_end = raw["views"][ply].clone();
        at_end.as_object_mut().map(|view| view.remove("choices"));
        if at_end != *before {
            return Err(format!(
                "view {ply} was {before} during the game and is {at_end} after its end"
            ));
        }
    }
    Ok(None)
}

fn positions(
    checked: &mut Checked,
    games: &[(u64, Vec<String>)],
) -> Result<Option<String>, Broken> {
    if !checked.can("position") {
        return Ok(Some(
            "the referee has no ability `position`: no game can begin from a position".to_owned(),
        ));
    }
    let (seed, made) = longest(games);
    for ply in some_plies(made.len()) {
        let mut play = checked.replayed(seed, &made[..ply])?;
        let text = play.ask::<Position>("position", json!({}))?.position;
        let expected = (play.seat(), play.moves()?);
        play.end()?;
        let (options, seats) = (checked.options, checked.seats);
        let mut set_up = Play::begin(&mut checked.referee, options, seats, seed, Some(&text))?;
        let got = (set_up.seat(), set_up.moves()?);
        let again = set_up.ask::<Position>("position", json!({}))?.position;
        set_up.end()?;
        if got != expected || again != text {
            return Err(format!(
                "from {text:?}: {got:?} and {again:?}, expected {expected:?} and the same text"
            ));
        }
    }
    Ok(None)
}

fn play_outs(
    checked: &mut Checked,
    games: &[(u64, Vec<String>)],
) -> Result<Option<String>, Broken> {
    let (has_values, has_rollout) = (checked.can("values"), checked.can("rollout"));
    if !has_values && !has_rollout {
        return Ok(Some(
            "the referee has neither: greedy and mcts cannot play".to_owned(),
        ));
    }
    let (seed, made) = longest(games);
    let manifest = checked.manifest;
    let resample = checked.can("resample");
    let seats = checked.seats;
    // Wrong scores of whole games make the scores of play-outs wrong.
    let judges = checked.failures.iter().all(|(name, _)| *name != "scores");
    for ply in some_plies(made.len()) {
        let mut play = checked.replayed(seed, &made[..ply])?;
        let moves: BTreeSet<String> = play.moves()?.into_iter().collect();
        if has_values {
            let Values {
                moves: valued,
                values,
            } = play.ask("values", json!({}))?;
            let valued_moves: BTreeSet<String> = valued.iter().cloned().collect();
            if valued_moves != moves || valued.len() != values.len() {
                return Err(format!(
                    "`values` for {valued:?}, but the legal moves are {moves:?}"
                ));
            }
        }
        if has_rollout {
            let first: Vec<&String> = moves.iter().take(1).collect();
            for seed in 0..5 {
                let mut params = json!({"moves": first, "seed": seed});
                if resample {
                    params["resample"] = play.seat().into();
                }
                let rollout: Rollout = play.ask("rollout", params)?;
                let wrong = manifest.wrong_scores(&rollout.scores);
                if judges && (rollout.scores.len() != seats || wrong.is_some()) {
                    return Err(format!("`rollout` with the scores {:?}", rollout.scores));
                }
                if rollout.played > first.len() || (!resample && rollout.played < first.len()) {
                    return Err(format!(
                        "`rollout` played {} of the legal moves {first:?}",
                        rollout.played
                    ));
                }
            }
            let after: BTreeSet<String> = play.moves()?.into_iter().collect();
            if after != moves {
                return Err("`rollout` changed the legal moves".to_owned());
            }
        }
        play.end()?;
    }
    Ok(None)
}

fn speed(checked: &mut Checked, games: &[(u64, Vec<String>)]) -> Result<(), Broken> {
    let (seed, made) = longest(games);
    let mut slowest = (Duration::ZERO, String::new());
    let sees = checked.can("view");
    let mut play = checked.begin(seed)?;
    for text in &made {
        let sent = Instant::now();
        play.play(text)?;
        let took = sent.elapsed();
        if took > slowest.0 {
            slowest = (took, format!("`play` of {text:?}"));
        }
        if sees {
            let sent = Instant::now();
            play.ask::<Value>("view", json!({"seat": 0}))?;
            if sent.elapsed() > slowest.0 {
                slowest = (sent.elapsed(), "`view`".to_owned());
            }
        }
    }
    play.end()?;
    match slowest.0 > SLOW {
        true => Err(format!("{} took {:.1?}", slowest.1, slowest.0)),
        false => Ok(()),
    }
}
