//! A game with hidden information and chance that implements the type-erased traits directly, as a game without Rust
//! types of its own would. It ensures that no code above these traits relies on the typed ones.
//!
//! In each round, the roller sees the roll of a die and names half of its numbers, truthfully or not. The guesser, who
//! does not see the die, names a half too. If the roll is not in that half, the roller scores a point.

use std::any::Any;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::fields::Fields;
use turnwise_engine::player::{Answer, AnyLastMove, AnyTurn, Counts, Player, TimeControl};
use turnwise_engine::plugin::{
    About, AgentAbout, AgentMove, AgentOptions, AnyGame, AnyState, Asking, Beginning, Help, Look,
    Meaning, Plugin, Registered, Resources, Scoring, Seat, Studied, StudiedLine, Studying,
    Thresholds, Told, UnplayableError, UntypedGame,
};
use turnwise_engine::view::{Choice, Fact, Grid, View};

const ROUNDS: usize = 3;
const ROLLER: usize = 0;
const GUESSER: usize = 1;
const HALVES: [&str; 2] = ["low", "high"];

static ABOUT: About = About {
    name: "hiddendie",
    title: "Hidden Die",
    roles: ["Roller", "Guesser"],
    scoring: Scoring::Points,
    thresholds: Thresholds::new(1.0, 2.0, 3.0),
    victory: None,
    counts: Counts::Wall,
    agents: &[AgentAbout::plain("random")],
    levels: &[],
    random_agent: "random",
    wires: &[],
    has_daemons: false,
    options: &[],
    help: Help {
        summary: "The roller bluffs, the guesser guesses",
        agents: "  random\n      either half\n",
        shared: "rolls",
        examples: &[],
    },
    rules: &[],
    has_puzzles: false,
    look: Look {
        pieces: None,
        verb: "names",
        column_first: false,
        measures: &["points"],
    },
    lacks: &["study", "set-up", "loss", "luck", "programs", "starters"],
};

pub static HIDDEN_DIE: Plugin = Plugin(&HiddenDie);

struct HiddenDie;

impl Registered for HiddenDie {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn by_options(
        &self,
        _given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn AnyGame>, String> {
        Ok(Arc::new(HiddenDie))
    }

    fn by_fields(&self, _fields: &Fields) -> Result<Arc<dyn AnyGame>, UnplayableError> {
        Ok(Arc::new(HiddenDie))
    }
}

impl AnyGame for HiddenDie {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn fields(&self) -> Fields {
        Fields::default()
    }

    fn resources(&self, _name: &str, _options: &AgentOptions) -> Result<Resources, String> {
        Ok(Box::new(()))
    }

    fn player(&self, seat: Seat) -> io::Result<Box<dyn Player>> {
        match seat {
            Seat::BuiltIn { seed, .. } => {
                Ok(Box::new(Random(Xoshiro256PlusPlus::seed_from_u64(seed))))
            }
            _ => Err(io::Error::other("only agents play this game")),
        }
    }

    fn open(&self, beginning: Beginning) -> Result<Box<dyn AnyState>, String> {
        let rolls = match beginning {
            Beginning::Seed { seed, .. } => {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
                (0..ROUNDS).map(|_| random.random_range(1..=6)).collect()
            }
            Beginning::Logged(result) | Beginning::Watched(result) => rolls(result)?,
            Beginning::Rotation { .. } | Beginning::Text(_) => {
                return Err("expected a game for two from a seed".to_owned());
            }
        };
        Ok(Box::new(State {
            rolls,
            hidden: String::new(),
            shown: String::new(),
            named: Vec::new(),
        }))
    }
}

impl UntypedGame for HiddenDie {
    fn conditions(&self) -> String {
        "Hidden Die".to_owned()
    }

    fn place(&self) -> String {
        "of Hidden Die".to_owned()
    }

    fn meaning(&self, result: &Fields) -> Result<Meaning, String> {
        let points = result
            .get("roller_score")
            .and_then(|points| points.as_f64());
        points
            .map(Meaning::points)
            .ok_or_else(|| "no score".to_owned())
    }
}

fn rolls(result: &Fields) -> Result<Vec<usize>, String> {
    let rolls = result.get("rolls").cloned().unwrap_or_default();
    serde_json::from_value(rolls).map_err(|error| error.to_string())
}

/// A running game. What a player sees is text: `hidden` for the roller, `shown` for the guesser and the public.
struct State {
    rolls: Vec<usize>,
    hidden: String,
    shown: String,
    /// The halves that both players have named in turn.
    named: Vec<usize>,
}

impl State {
    fn round(&self) -> usize {
        self.named.len() / 2
    }

    fn roll(&self) -> usize {
        self.rolls[self.round()]
    }

    fn points(&self) -> u32 {
        let rounds = self.named.chunks_exact(2).zip(&self.rolls);
        rounds
            .map(|(named, &roll)| u32::from(named[1] != (roll - 1) / 3))
            .sum()
    }
}

impl AnyState for State {
    fn turn(&mut self) -> Option<usize> {
        if self.round() == ROUNDS {
            return None;
        }
        self.shown = format!("{:?}", self.named);
        self.hidden = format!("{} {}", self.shown, self.roll());
        Some(self.named.len() % 2)
    }

    fn plies_left(&self) -> u32 {
        (2 * ROUNDS - self.named.len()) as u32
    }

    fn legal_moves(&self) -> Vec<u64> {
        vec![0, 1]
    }

    fn is_legal(&self, code: u64) -> bool {
        code < 2
    }

    fn objection(&self, code: u64) -> String {
        format!("the die has no side {code}")
    }

    fn apply(&mut self, code: u64) {
        self.named.push(code as usize);
    }

    fn notation(&self, code: u64) -> String {
        HALVES[code as usize].to_owned()
    }

    fn parse(&self, text: &str) -> Result<u64, String> {
        let found = HALVES.iter().position(|&half| half == text);
        found
            .map(|half| half as u64)
            .ok_or_else(|| "expected low or high".to_owned())
    }

    fn cells(&self, _code: u64) -> [Option<usize>; 2] {
        [None, None]
    }

    fn seen_by(&self, side: usize) -> &dyn Any {
        [&self.hidden, &self.shown][side]
    }

    fn copy_for(&self, side: usize) -> Box<dyn Any> {
        Box::new([&self.hidden, &self.shown][side].clone())
    }

    fn view(&mut self, viewer: Option<usize>) -> View {
        let turn = self.turn();
        let choices = match turn.is_some() && turn == viewer {
            true => HALVES.map(Choice::plain).to_vec(),
            false => Vec::new(),
        };
        let roll =
            (viewer == Some(ROLLER) && turn.is_some()).then(|| Fact::new("roll", self.roll()));
        View {
            grid: Some(self.grid()),
            facts: roll.into_iter().collect(),
            choices,
            ..View::default()
        }
    }

    fn grid(&self) -> Grid {
        let mut letters: String = self.named.iter().map(|&half| ['L', 'H'][half]).collect();
        letters.push_str(&" ".repeat(2 * ROUNDS - letters.len()));
        Grid {
            columns: 2,
            letters,
            ..Grid::default()
        }
    }

    fn drawing(&self, _coloured: bool) -> String {
        self.grid().letters
    }

    fn measured(&self) -> Vec<u32> {
        vec![self.points()]
    }

    fn budget(&self, _time: TimeControl, left: Duration) -> (Duration, Duration) {
        (left / 2, left / 2)
    }

    fn ask(&mut self, _asking: Asking) -> Result<AgentMove, String> {
        Err("the tests ask no agent for advice".to_owned())
    }

    fn study(&mut self, _how: &Studying, _told: Told) -> Option<Studied> {
        self.turn()?;
        Some(Studied {
            lines: vec![StudiedLine {
                moves: vec![HALVES[0].to_owned()],
                value: 0.0,
                score: None,
                to_go: None,
            }],
            ..Studied::default()
        })
    }

    fn outcome(&self, at_fault: Option<usize>, _left: Option<[Duration; 2]>) -> Fields {
        let points = match at_fault {
            Some(ROLLER) => 0,
            Some(_) => ROUNDS as u32,
            None => self.points(),
        };
        let mut result = Fields::default();
        result.push("rolls", self.rolls.clone());
        result.push("roller_score", points);
        result
    }
}

/// A player that names a random half. It checks that a player sees the die only if it rolled the die.
struct Random(Xoshiro256PlusPlus);

impl Player for Random {
    fn begin(&mut self, side: usize, position: &dyn Any, is_first: bool) -> io::Result<()> {
        let seen: &String = position.downcast_ref().expect("text");
        assert_eq!((seen == "[]", is_first), (side == GUESSER, side == ROLLER));
        Ok(())
    }

    fn choose(&mut self, turn: AnyTurn) -> io::Result<Answer<u64>> {
        let seen: &String = turn.position.downcast_ref().expect("text");
        let named = seen
            .split(',')
            .filter(|part| part.contains(['0', '1']))
            .count();
        assert_eq!(seen.ends_with(']'), named % 2 == GUESSER, "{seen}");
        let mv = Ok(self.0.random_range(0..2));
        Ok(Answer::from_outside(mv, Duration::ZERO, None))
    }

    fn finish(&mut self, _last: Option<AnyLastMove>) {}
}
