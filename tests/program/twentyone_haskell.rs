//! Tests that the exported Haskell player of TwentyOne compiles as in the course and decides as the program does, and that
//! the bridge from the course's engine to the program loses nothing.
//!
//! The tests need `ghc`. If it is not installed, the tests print a message and check nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use tempfile::TempDir;
use turnwise_protocol::twentyone::Answer;
use turnwise_twentyone::actions::Action;
use turnwise_twentyone::baselines::Baseline;
use turnwise_twentyone::cards::Card;
use turnwise_twentyone::game::Game;
use turnwise_twentyone::player::{Fault, Player, Reply, View};
use turnwise_twentyone::rules::{RuleSet, Settings, insurance_cost};
use turnwise_twentyone::strong::{Thought, think};
use turnwise_twentyone::wire::reply_of;

use crate::engine_lists::{Insured, SharedInsured, bridged, parted};
use crate::support::{TURNWISE, is_there, run, stderr};

/// The maximum size of the exported file, in bytes.
const LARGEST_FILE: usize = 200_000;

/// The settings of the games. With larger bids than by default, the bids differ from round to round.
fn settings() -> Settings {
    Settings {
        max_bid: 1_000,
        rounds: 60,
        ..Settings::of(RuleSet::Engine)
    }
}

/// Copies the interface modules of the engine into a folder, with the settings of the games.
fn copy_modules(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_modules(&path, &target);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a module");
        let text = text.replace("maxBid = 100\n", "maxBid = 1000\n");
        let text = text.replace("roundLimit = 100\n", "roundLimit = 60\n");
        fs::write(target, text).expect("it is written");
    }
}

/// The folder with the adapter for Haskell.
fn adapter() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/twentyone-haskell")
}

/// Compiles a player as docs/reference/twentyone.md says, with the program that lets it play on stdin and stdout.
///
/// Returns the folder with the program `player`, or `None` if no Haskell compiler is installed.
fn compiled(write_player: impl FnOnce(&Path), options: &[&str]) -> Option<TempDir> {
    if !is_there("ghc") {
        println!("SKIPPED: no ghc on the path; install ghc to test the Haskell player");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name| folder.path().join(name);
    write_player(&path("Player.hs"));
    let interface = path("interface");
    copy_modules(&adapter().join("interface"), &interface);
    let output = Command::new("ghc")
        .current_dir(adapter())
        .arg("-O1")
        .arg(format!(
            "-i{}:{}",
            folder.path().display(),
            interface.display()
        ))
        .arg("-outputdir")
        .arg(path("build"))
        .arg("-o")
        .arg(path("player"))
        .arg("StdioPlayer.hs")
        .args(["-Wall", "-Werror", "-v0"])
        .args(options)
        .output()
        .expect("ghc was there a moment ago");
    assert!(output.status.success(), "{}", stderr(&output));
    Some(folder)
}

/// Exports the player and compiles it as a safe module.
fn exported() -> Option<TempDir> {
    let export = |file: &Path| {
        let file = file.to_str().expect("text");
        let exported = run(&["export", "twentyone-haskell", file]);
        assert!(exported.status.success(), "{}", stderr(&exported));
    };
    compiled(export, &["-XSafe"])
}

/// The exported player as a process, which answers one line to each line.
struct Process {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(folder: &Path) -> Process {
        let mut child = Command::new(folder.join("player"))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the player starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Process { child, output }
    }

    fn answer(&mut self, line: &str) -> String {
        let input = self.child.stdin.as_mut().expect("a pipe");
        writeln!(input, "{line}").expect("the player reads");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("text");
        answer.trim_end().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// A grammar in strict BNF: for each symbol, its alternatives as sequences of `<symbols>` and texts.
struct Grammar(BTreeMap<String, Vec<Vec<String>>>);

impl Grammar {
    /// Reads the grammar in the comment at the beginning of a Haskell file: lines that begin with `> `.
    fn of(source: &str) -> Grammar {
        let head = source.split("-}").nth(1).expect("a comment");
        let lines = head.lines().filter_map(|line| line.strip_prefix("> "));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        let mut rules: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
        let mut name = "";
        for (at, &word) in words.iter().enumerate() {
            if words.get(at + 1) == Some(&"::=") {
                name = word;
                continue;
            }
            let alternatives = rules.entry(name.to_owned()).or_default();
            match word {
                "::=" | "|" => alternatives.push(Vec::new()),
                item => {
                    let last = alternatives.last_mut().expect("an alternative");
                    last.push(item.to_owned());
                }
            }
        }
        Grammar(rules)
    }

    /// Returns all places at which a text for this item can end if it begins at `from`.
    fn ends(&self, item: &str, text: &str, from: usize) -> BTreeSet<usize> {
        if let Some(literal) = item
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
        {
            let fits = text[from..].starts_with(literal);
            return fits.then_some(from + literal.len()).into_iter().collect();
        }
        let alternatives = self
            .0
            .get(item)
            .unwrap_or_else(|| panic!("no rule for {item}"));
        let sequence = |items: &Vec<String>| {
            let mut places = BTreeSet::from([from]);
            for item in items {
                let next = places.iter().flat_map(|&at| self.ends(item, text, at));
                places = next.collect();
            }
            places
        };
        alternatives.iter().flat_map(sequence).collect()
    }

    fn accepts(&self, text: &str) -> bool {
        self.ends("<memory>", text, 0).contains(&text.len())
    }
}

/// The comparison of all decisions so far.
#[derive(Default)]
struct Compared {
    bids: u32,
    decisions: u32,
    equal: u32,
    /// The sum of the losses in expected value, in bids.
    loss: f64,
    longest_memory: usize,
}

/// A player in Haskell at a table, which sees the engine's lists. Each of its decisions is compared with the decision of the program's player.
struct Haskell {
    process: Rc<RefCell<Process>>,
    /// The grammar that it documents for its memory.
    grammar: Option<Rc<Grammar>>,
    compared: Rc<RefCell<Compared>>,
    /// The memory of the program's player, which remembers the actions of the player in Haskell.
    memory: Option<String>,
    insured: Rc<RefCell<Insured>>,
    /// The pair that was split, which the engine lists until its second hand is played further.
    pair: Option<[Card; 2]>,
}

impl Haskell {
    /// Returns how much less an action is worth than the action of the program's player, in bids.
    fn loss(thought: &Thought, action: Action) -> f64 {
        if action == thought.action {
            return 0.0;
        }
        if let (Some(situation), Action::Bid(bid)) = (&thought.bidding, action) {
            let points = situation.worth(thought.bid()) - situation.worth(bid);
            return points / thought.bid() as f64;
        }
        let values = thought.values.expect("a choice");
        let value = values
            .listed()
            .into_iter()
            .find(|(legal, _)| *legal == action);
        values.best().1 - value.expect("a legal action").1
    }
}

impl Player for Haskell {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        if view.up_card.is_none() || view.hand.len() > 2 {
            self.pair = None;
        }
        let call = self.insured.borrow().engine_call(view, self.pair);
        let call = serde_json::to_string(&bridged(view, &call, parted)).expect("plain data");
        let line = self.process.borrow_mut().answer(&call);
        let reply = reply_of(&line).map_err(Fault::Failed)?;
        if let Some(grammar) = &self.grammar {
            assert!(grammar.accepts(&reply.memory), "{}", reply.memory);
        }
        let memory = self.memory.as_deref();
        let thought = think(&View { memory, ..*view });
        // The engine rejects all other amounts.
        let amount = match reply.action {
            Action::Bid(bid) => Some(bid),
            Action::DoubleDown | Action::Split => Some(thought.bid()),
            Action::Insurance => Some(insurance_cost(thought.bid())),
            Action::Hit | Action::Stand => None,
        };
        assert_eq!(
            Answer::parse(&line).expect("an answer").points,
            amount,
            "{line}"
        );
        let mut compared = self.compared.borrow_mut();
        compared.bids += u32::from(view.up_card.is_none());
        compared.decisions += 1;
        compared.equal += u32::from(reply.action == thought.action);
        compared.loss += Self::loss(&thought, reply.action);
        compared.longest_memory = compared.longest_memory.max(reply.memory.len());
        self.memory = Some(thought.memory_after(reply.action));
        if reply.action == Action::Split {
            self.pair = <[Card; 2]>::try_from(view.hand).ok();
        }
        Ok(reply)
    }
}

/// Plays games at a table of ten with five players in Haskell. Returns the comparison of all their decisions.
fn play(folder: &Path, grammar: Option<Grammar>, games: u64) -> Compared {
    let grammar = grammar.map(Rc::new);
    let process = Rc::new(RefCell::new(Process::start(folder)));
    let compared = Rc::new(RefCell::new(Compared::default()));
    for seed in 0..games {
        let insured = Rc::new(RefCell::new(Insured::default()));
        let mut players: Vec<Box<dyn Player>> = Vec::new();
        for other in Baseline::ALL.into_iter().cycle().take(5) {
            players.push(Box::new(other));
            players.push(Box::new(Haskell {
                process: process.clone(),
                grammar: grammar.clone(),
                compared: compared.clone(),
                memory: None,
                insured: insured.clone(),
                pair: None,
            }));
        }
        let mut game = Game::new(settings(), players.len(), seed).expect("settings");
        game.play(&mut players, &mut SharedInsured(insured));
    }
    compared.take()
}

#[test]
fn the_exported_player_decides_as_the_program_does() {
    let Some(folder) = exported() else { return };
    let source = fs::read_to_string(folder.path().join("Player.hs")).expect("the file");
    assert!(source.len() < LARGEST_FILE, "{} bytes", source.len());
    let compared = play(folder.path(), Some(Grammar::of(&source)), 1);
    let (equal, decisions) = (f64::from(compared.equal), f64::from(compared.decisions));
    let loss = compared.loss / f64::from(compared.bids);
    let longest = compared.longest_memory;
    println!("{equal} of {decisions} equal, loss {loss:.6} bids a hand, memory {longest}");
    assert!(decisions > 500.0, "{decisions} decisions");
    assert!(equal > 0.99 * decisions, "{equal} of {decisions}");
    assert!(loss < 0.0002, "{loss} bids a hand");
    assert!((100..2_000).contains(&longest), "{longest} characters");

    // Hostile input is survived, and another memory means a new game.
    let mut process = Process::start(folder.path());
    let settings = serde_json::to_string(&settings()).expect("plain data");
    let call = |memory: &str| {
        let memory = serde_json::to_string(memory).expect("plain data");
        format!(
            r#"{{"id":0,"points":[[0,10000],[1,10000]],"memory":{memory},"settings":{settings}}}"#
        )
    };
    let bid = reply_of(&process.answer(&call(""))).expect("a bid");
    let nines = "9".repeat(10_000);
    for memory in [
        "rubbish",
        "1|2|3",
        "\u{1F0A1}\"\\\n",
        &nines,
        &bid.memory[1..],
    ] {
        let reply = reply_of(&process.answer(&call(memory))).expect("a bid");
        assert_eq!(reply, bid, "{memory}");
    }
    let text_rules = call("").replace("engine", "text");
    for line in ["rubbish", "{}", r#"{"id":0,"points":"#, &text_rules] {
        let answer = process.answer(line);
        assert!(answer.starts_with(r#"{"error":"#), "{answer}");
    }
}

/// What an aborted call may have left in the pipe: an answer without a number, one with another number, half a line.
const LATE: &str =
    r#"printf '{"action":"hit"}\n{"request":7,"action":"bid","points":1}\n{"acti\n' >&3"#;

#[test]
fn the_bridge_passes_everything_on_and_skips_late_answers() {
    let copy = |file: &Path| {
        fs::copy(adapter().join("bridge/Player.hs"), file).expect("it is copied");
    };
    let Some(folder) = compiled(copy, &[]) else {
        return;
    };
    let script = format!(
        "mkfifo turnwise-calls turnwise-answers && exec 3<>turnwise-answers && {LATE} && \
         exec '{TURNWISE}' stdio twentyone <turnwise-calls >&3 3>&-"
    );
    let mut turnwise = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&folder)
        .spawn()
        .expect("a shell");
    while !folder.path().join("turnwise-answers").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let compared = play(folder.path(), None, 1);
    // Without the bridge, the input of the program ends.
    turnwise.wait().expect("it ends");
    assert!(compared.decisions > 500, "{} decisions", compared.decisions);
    assert_eq!(compared.equal, compared.decisions);
}
