//! The description of a game in `game.toml`; see `protocol/referee.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use turnwise_engine::player::Counts;
use turnwise_engine::plugin::{
    About, AgentAbout, Check, Help, Look, MOST_SEATS, OptionAbout, Rule, Scoring, Thresholds,
    Victory, in_range,
};
use turnwise_engine::words::is_unprintable;

/// The maximum length of names, in characters, and of one-line texts.
const LONGEST_NAME: usize = 40;
const LONGEST_TEXT: usize = 200;

/// The maximum length of the rules text, in characters.
const LONGEST_RULES: usize = 10_000;

/// Names that roles cannot have, because a game's entry in a log has fields with these names.
const TAKEN_ROLES: [&str; 19] = [
    "pair",
    "game",
    "first",
    "second",
    "others",
    "meeting",
    "seed",
    "opening",
    "moves",
    "fault",
    "put_out",
    "used_s",
    "cpu_s",
    "pondered_s",
    "first_try",
    "superseded",
    "kind",
    "scores",
    "record",
];

/// The maximum size of a description, in bytes of JSON, and the maximum number of descriptions that a process reads.
/// Descriptions may come from logs of strangers.
const LARGEST: usize = 64 << 10;
const MOST_GAMES: usize = 1000;

/// The tolerance for a sum of scores that must be 1: three scores of 0.333333 are equal shares.
const ROUNDING: f64 = 1e-5;

/// The default maximum number of moves in a game.
const USUAL_LONGEST: u32 = 10_000;

/// The description of a game, as `game.toml` and the headers of logs contain it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "The game.toml of a game in a folder")]
pub(crate) struct Manifest {
    /// The name in commands and logs: lower-case letters, digits, `-` and `_`. Only an adapter's file has none.
    #[serde(default)]
    pub name: String,
    /// The display name; `name` by default.
    #[serde(default)]
    pub title: String,
    /// The version of the rules, which a log stores.
    #[serde(default = "first_version")]
    pub version: String,
    /// One line of help.
    #[serde(default)]
    pub summary: String,
    /// The rules text: paragraphs with blank lines between them. It does not affect matches.
    #[serde(default, skip_serializing)]
    pub rules: String,
    /// The referee's program and its arguments. Logs do not contain it, so that no log can start a program.
    #[serde(default, skip_serializing)]
    pub command: Vec<String>,
    /// The number of players, or the least and the greatest number; 2 to 10.
    #[serde(default)]
    pub seats: Seats,
    /// The names of both seats of a game for two.
    #[serde(default = "usual_roles")]
    pub roles: [String; 2],
    /// `win` if a game is won, drawn or lost, `points` if each seat has points.
    #[serde(default)]
    pub scoring: Scores,
    /// The lowest and the highest points of a seat; required with `points` as the scoring.
    #[serde(default = "won_or_lost")]
    pub points: [f64; 2],
    /// How a game is won, as in "by four in a row".
    #[serde(default = "on_the_board")]
    pub won_by: String,
    /// The maximum number of moves in a game. A referee whose game is longer has failed.
    #[serde(default = "usual_longest")]
    pub longest: u32,
    /// True if some information is hidden from some players.
    #[serde(default)]
    pub hidden: bool,
    /// True if all seats move at once in each round, so that no seat may see the others' moves before it has moved.
    #[serde(default)]
    pub simultaneous: bool,
    /// The form of a player's answer: `json` for `{"move":"..."}`, `lines` for the move alone.
    #[serde(default)]
    pub wire: Wire,
    /// The lines that a player's program gets after its game.
    #[serde(default)]
    pub farewell: Vec<String>,
    /// The settings of the game, by name.
    #[serde(default)]
    pub settings: BTreeMap<String, Setting>,
    /// How boards are drawn.
    #[serde(default)]
    pub look: Appearance,
}

fn first_version() -> String {
    "1".to_owned()
}

fn usual_roles() -> [String; 2] {
    ["Player 1", "Player 2"].map(str::to_owned)
}

fn won_or_lost() -> [f64; 2] {
    [0.0, 1.0]
}

fn on_the_board() -> String {
    "on the board".to_owned()
}

fn usual_longest() -> u32 {
    USUAL_LONGEST
}

/// The number of players: a number, or the least and the greatest number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Seats {
    /// The number of players.
    Fixed(usize),
    /// The least and the greatest number of players.
    Between([usize; 2]),
}

impl Default for Seats {
    fn default() -> Self {
        Self::Fixed(2)
    }
}

impl Seats {
    pub fn least(self) -> usize {
        match self {
            Seats::Fixed(seats) | Seats::Between([seats, _]) => seats,
        }
    }

    pub fn most(self) -> usize {
        match self {
            Seats::Fixed(seats) | Seats::Between([_, seats]) => seats,
        }
    }
}

/// The meaning of the scores that a referee reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scores {
    /// 1 for a won game, 0.5 for a drawn one, 0 for a lost one.
    #[default]
    Win,
    /// Points between the lowest and the highest of `points`.
    Points,
}

/// The form of a player's answer: an object such as `{"move":"..."}`, or the move alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Wire {
    /// The object `{"move":"..."}`.
    #[default]
    Json,
    /// The move alone.
    Lines,
}

/// How boards are drawn.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Appearance {
    /// Two letters of the board that are drawn as the pieces of both players.
    pub pieces: String,
    /// The verb for a move, for example "places".
    pub verb: String,
    /// True if a move names the column before the row.
    pub column_first: bool,
}

/// A setting of a game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Setting {
    #[serde(flatten)]
    pub kind: Kind,
    /// One line of help.
    #[serde(default)]
    pub help: String,
}

/// The type of a setting's values, with the default value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A whole number.
    Integer {
        /// The least and the greatest value.
        range: [i64; 2],
        /// The default value; without it, the least one.
        #[serde(default)]
        default: Option<i64>,
    },
    /// A choice between several texts.
    Choice {
        /// The possible values.
        choices: Vec<String>,
        /// The default value; without it, the first one.
        #[serde(default)]
        default: Option<String>,
    },
    /// On or off; off by default.
    Switch {},
    /// A line of text.
    Text {
        /// The default value.
        #[serde(default)]
        default: String,
    },
}

impl Kind {
    /// Returns the value that the user gave as `text`, or the default value.
    fn value(&self, text: Option<String>) -> Value {
        match (self, text) {
            (Kind::Integer { .. }, Some(text)) => {
                text.parse::<i64>().map_or(Value::Null, Value::from)
            }
            (Kind::Integer { range, default }, None) => default.unwrap_or(range[0]).into(),
            (Kind::Switch {}, text) => text.is_some().into(),
            (Kind::Choice { .. } | Kind::Text { .. }, Some(text)) => text.into(),
            (Kind::Choice { choices, default }, None) => {
                default.as_ref().unwrap_or(&choices[0]).as_str().into()
            }
            (Kind::Text { default }, None) => default.as_str().into(),
        }
    }

    /// Returns true if the setting can have this value.
    fn allows(&self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Integer { range, .. }, value) => {
                (value.as_i64()).is_some_and(|number| (range[0]..=range[1]).contains(&number))
            }
            (Kind::Choice { choices, .. }, Value::String(text)) => choices.contains(text),
            (Kind::Switch {}, Value::Bool(_)) => true,
            (Kind::Text { .. }, Value::String(text)) => is_line(text),
            _ => false,
        }
    }
}

/// Returns true if a text is a short line.
fn is_line(text: &str) -> bool {
    text.chars().count() <= LONGEST_TEXT && !text.contains(is_unprintable)
}

/// Returns true if a text is the name of a game or of a setting.
fn is_name(text: &str) -> bool {
    let is_allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(is_allowed)
}

/// Converts a condition to a result.
fn expect(is_met: bool, expected: impl FnOnce() -> String) -> Result<(), String> {
    match is_met {
        true => Ok(()),
        false => Err(expected()),
    }
}

impl Manifest {
    /// Completes and checks a description. The error names the key with a wrong value, and the expected value.
    pub fn checked(mut self) -> Result<Self, String> {
        let size = serde_json::to_string(&self).map_or(0, |json| json.len());
        expect(size <= LARGEST, || {
            format!("expected a description of at most {LARGEST} bytes, got {size}")
        })?;
        let names = "lower-case letters, digits, `-` and `_`, at most 40 characters";
        expect(is_name(&self.name), || {
            format!("name: expected {names}, got {:?}", self.name)
        })?;
        let length = self.rules.chars().count();
        let is_text = |text: &str| text.lines().all(|line| !line.contains(is_unprintable));
        expect(length <= LONGEST_RULES && is_text(&self.rules), || {
            format!("rules: expected at most {LONGEST_RULES} printable characters, got {length}")
        })?;
        if self.title.is_empty() {
            self.title.clone_from(&self.name);
        }
        let texts = [
            &self.title,
            &self.version,
            &self.summary,
            &self.won_by,
            &self.look.verb,
        ];
        let texts = texts.into_iter().chain(&self.roles).chain(&self.farewell);
        for text in texts.chain(self.settings.values().map(|setting| &setting.help)) {
            expect(is_line(text), || {
                format!("expected a line of at most {LONGEST_TEXT} characters, got {text:?}")
            })?;
        }
        let [first, second] = self.roles.each_ref().map(|role| role.to_lowercase());
        expect(
            first != second && !first.is_empty() && !second.is_empty(),
            || "roles: expected two different names".to_owned(),
        )?;
        for role in [&first, &second] {
            expect(!TAKEN_ROLES.contains(&role.as_str()), || {
                format!("roles: a log has a field {role:?}; expected another name")
            })?;
        }
        let (least, most) = (self.seats.least(), self.seats.most());
        expect(2 <= least && least <= most && most <= MOST_SEATS, || {
            format!("seats: expected 2 to {MOST_SEATS}, got {least} to {most}")
        })?;
        let [lowest, highest] = self.points;
        expect(
            lowest.is_finite() && highest.is_finite() && lowest < highest,
            || {
                format!(
                    "points: expected the lowest and the highest points, got {lowest} and {highest}"
                )
            },
        )?;
        if self.scoring == Scores::Win {
            expect(self.points == won_or_lost(), || {
                "points: expected scoring = \"points\" beside it".to_owned()
            })?;
        }
        expect((1..=1_000_000).contains(&self.longest), || {
            format!("longest: expected 1 to 1000000, got {}", self.longest)
        })?;
        let pieces: Vec<char> = self.look.pieces.chars().collect();
        expect([0, 2].contains(&pieces.len()), || {
            format!(
                "look.pieces: expected two letters, got {:?}",
                self.look.pieces
            )
        })?;
        for (name, setting) in &self.settings {
            expect(is_name(name), || {
                format!("settings: expected a name of {names}, got {name:?}")
            })?;
            if let Kind::Choice { choices, .. } = &setting.kind {
                let different: BTreeSet<_> = choices.iter().collect();
                let is_list = !choices.is_empty() && different.len() == choices.len();
                expect(
                    is_list && choices.iter().all(|choice| is_line(choice)),
                    || format!("settings.{name}.choices: expected a list of different words"),
                )?;
            }
            expect(setting.kind.allows(&setting.kind.value(None)), || {
                format!("settings.{name}: its default value is not allowed")
            })?;
        }
        Ok(self)
    }

    /// Returns the values of all settings. `given` returns the text that the user gave for a setting.
    pub fn options(&self, given: &dyn Fn(&str) -> Option<String>) -> Map<String, Value> {
        let values = self.settings.iter();
        let values = values.map(|(name, setting)| (name.clone(), setting.kind.value(given(name))));
        values.collect()
    }

    /// Checks that every setting has an allowed value, and that no unknown setting occurs.
    pub fn check_options(&self, options: &Map<String, Value>) -> Result<(), String> {
        for (name, setting) in &self.settings {
            let value = options.get(name).unwrap_or(&Value::Null);
            expect(setting.kind.allows(value), || {
                format!("the setting {name} cannot be {value}")
            })?;
        }
        expect(options.len() == self.settings.len(), || {
            "an unknown setting".to_owned()
        })
    }

    /// Returns the expected scores and these scores, as text, if a game cannot end with these.
    pub fn wrong_scores(&self, scores: &[f64]) -> Option<String> {
        let [lowest, highest] = self.points;
        let is_in_range = scores
            .iter()
            .all(|score| (lowest..=highest).contains(score));
        let (is_possible, expected) = match (self.scoring, scores.len()) {
            (Scores::Points, _) => (is_in_range, format!("scores from {lowest} to {highest}")),
            (Scores::Win, 2) => (
                [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
                    .iter()
                    .any(|possible| scores == possible),
                "the scores 1 and 0, 0 and 1, or 0.5 and 0.5".to_owned(),
            ),
            (Scores::Win, _) => (
                is_in_range && (scores.iter().sum::<f64>() - 1.0).abs() < ROUNDING,
                "scores from 0 to 1 that add up to 1".to_owned(),
            ),
        };
        (!is_possible).then(|| format!("expected {expected}, got {scores:?}"))
    }

    /// Returns the public description of the game.
    ///
    /// # Errors
    ///
    /// Returns an error if this process has read too many different descriptions, which are never freed.
    pub fn about(&self) -> Result<&'static About, String> {
        static KNOWN: Mutex<BTreeMap<String, &'static About>> = Mutex::new(BTreeMap::new());
        let key = serde_json::to_string(self).map_err(|error| error.to_string())? + &self.rules;
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(about) = known.get(&key) {
            return Ok(about);
        }
        expect(known.len() < MOST_GAMES, || {
            format!("expected at most {MOST_GAMES} different games in folders")
        })?;
        let about = self.kept();
        known.insert(key, about);
        Ok(about)
    }

    /// Returns the public description of the game, whose texts are never freed.
    pub fn kept(&self) -> &'static About {
        let is_won = self.scoring == Scores::Win;
        let options: Vec<OptionAbout> = self.settings.iter().map(option).collect();
        let rules = self.rules.split("\n\n").map(str::trim);
        let rules = rules.filter(|paragraph| !paragraph.is_empty());
        let rules: Vec<Rule> = rules
            .map(|paragraph| Rule::plain(leaked(paragraph)))
            .collect();
        let pieces: Vec<char> = self.look.pieces.chars().collect();
        Box::leak(Box::new(About {
            name: leaked(&self.name),
            title: leaked(&self.title),
            roles: self.roles.each_ref().map(|role| leaked(role)),
            scoring: if is_won {
                Scoring::Win
            } else {
                Scoring::Points
            },
            thresholds: thresholds(self.points),
            victory: is_won.then_some(Victory {
                by: leaked(&self.won_by),
                margin: "",
            }),
            counts: Counts::Wall,
            agents: &AGENTS,
            levels: &[],
            random_agent: "random",
            wires: match self.wire {
                Wire::Json => &["json"],
                Wire::Lines => &["lines"],
            },
            has_daemons: false,
            options: options.leak(),
            help: Help {
                summary: leaked(&self.summary),
                agents: AGENTS_HELP,
                shared: "draws",
                examples: &[],
            },
            rules: rules.leak(),
            has_puzzles: false,
            look: Look {
                pieces: pieces.try_into().ok(),
                verb: match self.look.verb.as_str() {
                    "" => "plays",
                    verb => leaked(verb),
                },
                column_first: self.look.column_first,
                measures: &[],
            },
            lacks: &["loss", "luck", "starters"],
        }))
    }
}

static AGENTS: [AgentAbout; 3] = [
    AgentAbout::new("mcts", &["nodes=NUMBER", "time=PART", "processes=NUMBER"]),
    AgentAbout::plain("greedy"),
    AgentAbout::plain("random"),
];

const AGENTS_HELP: &str = "  mcts
      Monte Carlo tree search; nodes=NUMBER limits its play-outs, and
      processes=NUMBER searches in several referees at a time
  greedy
      the move with the highest immediate value
  random
      any legal move
  cmd:WORDS
      a process for each game on stdin and stdout
";

/// Returns the shares of a winning chance that [`Thresholds::CHANCE`] states, applied to a range of scores.
fn thresholds([lowest, highest]: [f64; 2]) -> Thresholds {
    let of = |share| share * (highest - lowest);
    let Thresholds {
        inaccuracy,
        mistake,
        blunder,
    } = Thresholds::CHANCE;
    Thresholds::new(of(inaccuracy), of(mistake), of(blunder))
}

/// Returns a copy of a text that is never freed.
fn leaked(text: &str) -> &'static str {
    text.to_owned().leak()
}

/// Returns the command-line option for a setting.
fn option((name, setting): (&String, &Setting)) -> OptionAbout {
    let check: Check = match setting.kind {
        Kind::Integer {
            range: [least, most],
            ..
        } => Box::leak(Box::new(move |text: &str| in_range(text, least..=most))),
        _ => &|text| expect(is_line(text), || "expected a short line".to_owned()),
    };
    let choices: Vec<(&str, &str)> = match &setting.kind {
        Kind::Choice { choices, .. } => choices.iter().map(|choice| (leaked(choice), "")).collect(),
        _ => Vec::new(),
    };
    let default = match setting.kind.value(None) {
        Value::Bool(_) => String::new(),
        Value::String(text) if text.is_empty() => String::new(),
        Value::String(text) => format!("; {text} by default"),
        value => format!("; {value} by default"),
    };
    OptionAbout {
        name: leaked(name),
        alias: None,
        value: match setting.kind {
            Kind::Integer { .. } => Some("N"),
            Kind::Choice { .. } => Some("NAME"),
            Kind::Switch {} => None,
            Kind::Text { .. } => Some("TEXT"),
        },
        choices: choices.leak(),
        offered: &[],
        help: leaked(&format!("{}{default}", setting.help)),
        check,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Manifest, String> {
        let manifest: Manifest = toml::from_str(text).map_err(|error| error.to_string())?;
        manifest.checked()
    }

    #[test]
    fn every_wrong_key_is_named() {
        let cases = [
            ("name = \"Chess\"", "name: expected lower-case letters"),
            (
                "name = \"x\"\nseats = 1",
                "seats: expected 2 to 10, got 1 to 1",
            ),
            (
                "name = \"x\"\nseats = [3, 2]",
                "seats: expected 2 to 10, got 3 to 2",
            ),
            (
                "name = \"x\"\nroles = [\"A\", \"a\"]",
                "roles: expected two different names",
            ),
            (
                "name = \"x\"\nroles = [\"First\", \"B\"]",
                "roles: a log has a field \"first\"",
            ),
            (
                "name = \"x\"\nscoring = \"points\"\npoints = [5, 5]",
                "points: expected the lowest",
            ),
            (
                "name = \"x\"\npoints = [0, 5]",
                "expected scoring = \"points\"",
            ),
            (
                "name = \"x\"\nlongest = 0",
                "longest: expected 1 to 1000000, got 0",
            ),
            (
                "name = \"x\"\n[look]\npieces = \"X\"",
                "look.pieces: expected two letters",
            ),
            ("name = \"x\"\ncolour = 1", "unknown field `colour`"),
            (
                "name = \"x\"\n[settings.\"A b\"]\ntype = \"switch\"",
                "settings: expected a name",
            ),
            (
                "name = \"x\"\n[settings.a]\ntype = \"choice\"\nchoices = []",
                "settings.a.choices",
            ),
            (
                "name = \"x\"\n[settings.a]\ntype = \"integer\"\nrange = [1, 3]\ndefault = 9",
                "settings.a: its default value is not allowed",
            ),
            ("name = \"x\"\nsummary = \"a\\nb\"", "expected a line"),
        ];
        for (text, expected) in cases {
            let got = read(text).expect_err(text);
            assert!(got.contains(expected), "{text}: {got}");
        }
    }

    #[test]
    fn settings_have_their_defaults_and_are_checked() {
        let manifest = read(
            "name = \"x\"\n[settings.size]\ntype = \"integer\"\nrange = [3, 9]\ndefault = 5\n\
             [settings.mode]\ntype = \"choice\"\nchoices = [\"short\", \"long\"]\n\
             [settings.fast]\ntype = \"switch\"\n[settings.word]\ntype = \"text\"\ndefault = \"hi\"",
        )
        .expect("a manifest");
        let usual = manifest.options(&|_| None);
        let expected = serde_json::json!({"size": 5, "mode": "short", "fast": false, "word": "hi"});
        assert_eq!(Value::Object(usual.clone()), expected);
        assert_eq!(manifest.check_options(&usual), Ok(()));
        let given = manifest.options(&|name| match name {
            "size" => Some("7".to_owned()),
            "fast" => Some(String::new()),
            _ => None,
        });
        assert_eq!((&given["size"], &given["fast"]), (&7.into(), &true.into()));
        for wrong in [
            serde_json::json!({"size": 10, "mode": "short", "fast": false, "word": "hi"}),
            serde_json::json!({"size": 5, "mode": "other", "fast": false, "word": "hi"}),
            serde_json::json!({"size": 5, "mode": "short", "fast": 1, "word": "hi"}),
            serde_json::json!({"size": 5, "mode": "short", "fast": false}),
            serde_json::json!({"size": 5, "mode": "short", "fast": false, "word": "hi", "x": 1}),
        ] {
            let Value::Object(wrong) = wrong else {
                continue;
            };
            assert!(manifest.check_options(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_description_is_bounded_and_kept_once() {
        let manifest = read("name = \"x\"").expect("a manifest");
        let [one, other] = [manifest.about(), manifest.clone().about()];
        assert!(std::ptr::eq(
            one.expect("it fits"),
            other.expect("it is known")
        ));
        let long = format!("name = \"x\"\nfarewell = [{}]", "\"bye\", ".repeat(20_000));
        let error = read(&long).expect_err("it is too large");
        assert!(error.contains("at most 65536 bytes"), "{error}");
    }

    #[test]
    fn a_log_never_contains_the_command() {
        let manifest = read("name = \"x\"\ncommand = [\"rm\"]").expect("a manifest");
        assert_eq!(manifest.command, ["rm"]);
        let json = serde_json::to_string(&manifest).expect("JSON");
        assert!(!json.contains("rm"), "{json}");
    }
}
