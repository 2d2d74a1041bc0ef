//! Logs with any number of games, from a seed.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The first line: two agents play Entropy on 5 x 5.
pub const HEADER: &str = concat!(
    r#"{"event":"match","format":1,"turnwise":"0.1.0","game":"entropy","size":5,"pass":true,"agents":["#,
    r#"{"name":"one","spec":"cmd:one"},{"name":"two","spec":"cmd:two"}],"seed":7,"pairs":500000,"#,
    r#""opening_plies":0,"time":{"kind":"clock","seconds":10.0,"increment":0.0},"counts":"wall","via":"process","#,
    r#""jobs":2}"#,
    "\n"
);

/// The number of moves of a game.
const MOVES: usize = 50;

/// Returns the lines of a game, counted from 0, with this many records of moves. The moves themselves are random, so
/// the game cannot be replayed.
pub fn game(number: u64, records: usize) -> String {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(number);
    let (pair, game) = (number / 2 + 1, number % 2 + 1);
    let [order, chaos] = [["one", "two"], ["two", "one"]][(number % 2) as usize];
    let mut below = |most: u32| chance.random_range(0..most);
    let mut lines = String::new();
    let mut moves = Vec::new();
    for ply in 1..=MOVES {
        let (role, agent, cells) = match ply % 2 {
            1 => ("CHAOS", chaos, 2),
            _ => ("ORDER", order, 4),
        };
        let cells: Vec<String> = (0..cells).map(|_| below(5).to_string()).collect();
        let mv = cells.join(" ");
        if ply <= records {
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
        moves.push(format!("\"{mv}\""));
    }
    let seconds = |below: &mut dyn FnMut(u32) -> u32| f64::from(below(1_000_000)) / 1e5;
    let times = [(); 4].map(|()| seconds(&mut below));
    lines
        + &format!(
            "{{\"event\":\"game\",\"pair\":{pair},\"game\":{game},\"first\":\"one\",\"second\":\"two\",\
             \"order\":\"{order}\",\"chaos\":\"{chaos}\",\"tiles\":\"AABBCCDDEEAABBCCDDEEAABBC\",\
             \"order_score\":{},\"seed\":{number},\"moves\":[{}],\"fault\":null,\
             \"used_s\":{{\"order\":{},\"chaos\":{}}},\"cpu_s\":{{\"order\":{},\"chaos\":{}}}}}\n",
            30 + below(60),
            moves.join(","),
            times[0],
            times[1],
            times[2],
            times[3],
        )
}
