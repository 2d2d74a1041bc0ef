//! Generates logs with any number of games for tests.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::plugin::Beginning;
use turnwise_games::GAMES;

/// The header of a log, which says that two programs play Entropy on 5 x 5 boards.
pub const HEADER: &str = concat!(
    r#"{"event":"match","format":1,"turnwise":"0.1.0","game":"entropy","size":5,"pass":true,"agents":["#,
    r#"{"name":"one","spec":"cmd:one"},{"name":"two","spec":"cmd:two"}],"seed":7,"pairs":500000,"#,
    r#""opening_plies":0,"time":{"kind":"clock","seconds":10.0,"increment":0.0},"counts":"wall","via":"process","#,
    r#""jobs":2}"#,
    "\n"
);

/// The number of different games. A log with more games repeats them.
const DIFFERENT: u64 = 20;

/// A set of different games between random players, which a log repeats.
pub struct Games(Vec<(String, Vec<String>)>);

impl Games {
    /// Plays the different games and stores their records.
    pub fn new() -> Self {
        let about = GAMES.iter().find(|game| game.about().name == "entropy");
        let given = |name: &str| {
            ["5".to_owned(), String::new()]
                .into_iter()
                .nth(usize::from(name != "size"))
        };
        let entropy = about
            .expect("it is a game")
            .by_options(&given)
            .expect("settings");
        let game = |seed| {
            let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
            let meetings = 0;
            let mut game = entropy
                .open(Beginning::Seed { seed, meetings })
                .expect("a game");
            let mut moves = Vec::new();
            while let Some(side) = game.turn() {
                let choices = game.view(Some(side)).choices;
                let choice = choices.choose(&mut chance).expect("a move");
                moves.push(game.play(&choice.notation).expect("it is legal"));
            }
            let result = serde_json::to_string(&game.outcome(None, None)).expect("JSON");
            (result.trim_matches(['{', '}']).to_owned(), moves)
        };
        Self((0..DIFFERENT).map(game).collect())
    }

    /// Returns the lines of game `number`, counted from 0, of which `records` are records of moves.
    pub fn lines(&self, number: u64, records: usize) -> String {
        let mut chance = Xoshiro256PlusPlus::seed_from_u64(number);
        let (pair, game) = (number / 2 + 1, number % 2 + 1);
        let [order, chaos] = [["one", "two"], ["two", "one"]][(number % 2) as usize];
        let (result, moves) = &self.0[(number % DIFFERENT) as usize];
        let mut below = |most: u32| chance.random_range(0..most);
        let mut lines = String::new();
        for (ply, mv) in (1..).zip(moves.iter().take(records)) {
            let (role, agent) = [("ORDER", order), ("CHAOS", chaos)][ply % 2];
            lines += &format!(
                "{{\"event\":\"move\",\"pair\":{pair},\"game\":{game},\"ply\":{ply},\"role\":\"{role}\",\
                 \"agent\":\"{agent}\",\"tile\":\"A\",\"move\":\"{mv}\",\"clock_left_s\":{}.5,\"soft_ms\":100.0,\
                 \"hard_ms\":400.0,\"used_ms\":{}.25,\"depth\":{},\"nodes\":{},\"value\":{}.5}}\n",
                below(10),
                below(400),
                below(9),
                below(1_000_000),
                below(60),
            );
        }
        let moves = serde_json::to_string(moves).expect("JSON");
        let [one, two, three, four] = [(); 4].map(|()| f64::from(below(1_000_000)) / 1e5);
        lines
            + &format!(
                "{{\"event\":\"game\",\"pair\":{pair},\"game\":{game},\"first\":\"one\",\"second\":\"two\",\
                 \"order\":\"{order}\",\"chaos\":\"{chaos}\",{result},\"seed\":{number},\"moves\":{moves},\
                 \"fault\":null,\"used_s\":{{\"order\":{one},\"chaos\":{two}}},\
                 \"cpu_s\":{{\"order\":{three},\"chaos\":{four}}}}}\n",
            )
    }
}
