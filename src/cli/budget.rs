//! `turnwise budget`: shows in tables how each player of a log used the time on its clock.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use comfy_table::Table;
use turnwise_arena::records::{ByRole, MoveRecord, Settings};
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::statistics::Sample;
use turnwise_games::GAMES;
use turnwise_report::logs::{Game, Line, ReadError, Reader};

use super::files::open_log;
use super::report::no_log;
use crate::console::interrupt::Interrupt;
use crate::console::note;
use crate::console::output::print;
use crate::console::progress::StatusLine;
use crate::console::table::{UNKNOWN, columns, fitted, table, without_unknown};

/// The maximum number of rows that show the course of a player's games.
const MOST_ROWS: u32 = 8;

/// A row of the course summarizes at least this number of the player's own moves.
const LEAST_IN_ROW: u32 = 5;

/// Arguments of `turnwise budget`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise budget match.jsonl
      a match of the arena with clocks
  turnwise play localhost 10000 --log games.jsonl
  turnwise budget games.jsonl
      our own games on a server

The first table has a row for each player and role: the longest move, by how much a move exceeded its \
hard limit (over), and the least time that was left on the clock after a move; it is below zero if the \
player lost on time. The second shows the \
use of time over the course of a game: the time planned for a move (soft) and used for it (used). Used is \
CPU time if the match counts CPU time. Depth is in plies, nodes are positions searched. A player that \
does not report its search has a dash. The opponent of `turnwise play` is measured from our reply to its \
move, which includes the network.")]
pub struct Arguments {
    /// Logs written with --log by arena, tournament, play, stdio or host
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
}

/// Prints the tables about the use of time for each log.
pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    for log in &arguments.logs {
        print(&format!("{}\n", tables(log, &interrupt)?))?;
    }
    Ok(interrupt.exit_code())
}

/// Reads a log, and returns its tables as text. Prints notes about lines that could not be used.
pub(super) fn tables(log: &Path, interrupt: &Interrupt) -> anyhow::Result<String> {
    let mut status = StatusLine::new();
    let mut games = 0_u64;
    let mut proceed = || {
        games += 1;
        status.tell(|| format!("{}: {games} games read", log.display()));
        interrupt.proceed().is_continue()
    };
    let read = Budgets::read(open_log(log)?, &mut proceed);
    let (budgets, notes) = read.map_err(|error| no_log(log, error))?;
    status.clear();
    for note in notes {
        note!("turnwise: {}: {note}", log.display());
    }
    Ok(budgets.tables().unwrap_or_else(|| {
        let log = log.display();
        format!("{log} has no times: the arena logs them only if the players have clocks")
    }))
}

/// The use of time by each player in each of its roles.
#[derive(Default)]
pub struct Budgets(BTreeMap<(String, &'static str), Budget>);

/// The use of time by a player in one role.
#[derive(Default)]
struct Budget {
    games: u64,
    /// The use of time for the player's first, second and later moves of all games.
    moves: Vec<Use>,
}

/// The use of time for several moves. All times are in milliseconds.
#[derive(Clone, Copy, Default)]
struct Use {
    moves: u64,
    soft: Sample,
    used: Sample,
    cpu: Sample,
    depth: Sample,
    longest: f64,
    /// The largest time by which a move exceeded its hard limit, if any move had a limit.
    over: Option<f64>,
    /// The least time left on the clock after a move.
    least_left: Option<f64>,
    /// The numbers of nodes and the CPU time of the moves that report both.
    nodes: f64,
    nodes_cpu: f64,
}

/// Adds a value to a sample if the value is known.
fn add(sample: &mut Sample, value: Option<f64>) {
    value.into_iter().for_each(|value| sample.add(value));
}

/// Returns the mean of a sample; `None` without values.
fn mean(sample: &Sample) -> Option<f64> {
    (sample.count() > 0).then(|| sample.mean())
}

impl Use {
    fn add(&mut self, mv: &MoveRecord, counts: Counts) {
        let charged = mv.charged_ms(counts);
        self.moves += 1;
        add(&mut self.soft, mv.soft_ms);
        add(&mut self.used, charged);
        add(&mut self.cpu, mv.cpu_ms);
        add(&mut self.depth, mv.depth.map(f64::from));
        self.longest = self.longest.max(charged.unwrap_or(0.0));
        if let (Some(used), Some(hard)) = (charged, mv.hard_ms) {
            self.over = Some(self.over.unwrap_or(0.0).max(used - hard));
        }
        if let (Some(used), Some(left)) = (charged, mv.clock_left_s) {
            let left = left * 1e3 - used;
            self.least_left = Some(self.least_left.map_or(left, |least| least.min(left)));
        }
        if let (Some(nodes), Some(cpu)) = (mv.nodes, mv.cpu_ms) {
            self.nodes += nodes as f64;
            self.nodes_cpu += cpu;
        }
    }

    fn merge(mut self, other: &Self) -> Self {
        self.moves += other.moves;
        self.soft.merge(&other.soft);
        self.used.merge(&other.used);
        self.cpu.merge(&other.cpu);
        self.depth.merge(&other.depth);
        self.longest = self.longest.max(other.longest);
        let of_both = |one: Option<f64>, other, choose: fn(f64, f64) -> f64| match (one, other) {
            (Some(one), Some(other)) => Some(choose(one, other)),
            (one, other) => one.or(other),
        };
        self.over = of_both(self.over, other.over, f64::max);
        self.least_left = of_both(self.least_left, other.least_left, f64::min);
        self.nodes += other.nodes;
        self.nodes_cpu += other.nodes_cpu;
        self
    }
}

impl Budgets {
    /// Reads a log until its end or until `proceed`, which is called after each game, returns false. Returns notes about
    /// lines that could not be used.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be read or is not a log.
    pub fn read(
        input: impl BufRead,
        proceed: &mut dyn FnMut() -> bool,
    ) -> Result<(Self, Vec<String>), ReadError> {
        let mut reader = Reader::new(input, GAMES)?;
        let mut budgets = Self::default();
        while let Some(line) = reader.next_line()? {
            if let Line::Game(game) = line {
                budgets.add(&game, &reader.header);
                if !proceed() {
                    break;
                }
            }
        }
        Ok((budgets, reader.finish()))
    }

    fn add(&mut self, game: &Game, header: &Settings) {
        let mut own: BTreeMap<&str, usize> = BTreeMap::new();
        let failed: Vec<MoveRecord> = (game.record.faults())
            .filter_map(|fault| failed_move(game, header, &fault.agent))
            .collect();
        for mv in game.moves.iter().chain(&failed) {
            let mut players = game.record.result.by_role();
            let Some((agent, role)) = players.find(|&(agent, _)| agent == mv.agent) else {
                continue;
            };
            let number = own.entry(agent).or_default();
            let budget = self.0.entry((agent.to_owned(), role)).or_default();
            budget.games += u64::from(*number == 0);
            if budget.moves.len() == *number {
                budget.moves.push(Use::default());
            }
            budget.moves[*number].add(mv, header.counts);
            *number += 1;
        }
    }

    /// Returns the tables, laid out for the terminal; `None` if the log contains no times.
    pub fn tables(&self) -> Option<String> {
        let mut clocks = table(&columns(
            "agent | role | games | moves | mean ms | max ms | over ms | left s",
        ));
        let mut course = table(&columns(
            "agent | role | moves | soft ms | used ms | cpu ms | depth | Mnodes/s",
        ));
        let timed = |budget: &&Budget| budget.moves.iter().any(|of| of.used.count() > 0);
        let mut rows = self.0.iter().filter(|(_, budget)| timed(budget)).peekable();
        rows.peek()?;
        for ((agent, role), budget) in rows {
            let all = budget.moves.iter().fold(Use::default(), Use::merge);
            clocks.add_row([
                agent.clone(),
                (*role).to_owned(),
                budget.games.to_string(),
                all.moves.to_string(),
                cell(mean(&all.used), 1),
                format!("{:.0}", all.longest),
                cell(all.over, 1),
                cell(all.least_left.map(|left| left / 1e3), 2),
            ]);
            // The times of a player that reports nothing, such as a server's other player, are in the first table.
            if all.soft.count() + all.cpu.count() > 0 {
                add_course(&mut course, (agent, role), budget);
            }
        }
        let [clocks, course] = [clocks, course].map(|table| without_unknown(fitted(table)));
        Some(format!("{clocks}\n\n{course}"))
    }
}

/// Returns the times of the move during which a player failed. The log has no record of this move; its times follow from
/// the times of the whole game. Returns `None` if the log does not have them.
fn failed_move(game: &Game, header: &Settings, agent: &str) -> Option<MoveRecord> {
    let record = &game.record;
    let side = record
        .result
        .players
        .iter()
        .position(|name| name == agent)?;
    let own = || game.moves.iter().filter(|mv| mv.agent == agent);
    let rest = |total: &Option<ByRole>, of: fn(&MoveRecord) -> Option<f64>| {
        let total = total.as_ref()?.of(side)?;
        Some((1e3 * total - own().filter_map(of).sum::<f64>()).max(0.0))
    };
    let clock_left_s = match (header.time, own().next_back()) {
        (TimeControl::Clock { seconds, .. }, None) => Some(seconds),
        (TimeControl::Clock { increment, .. }, Some(last)) => {
            last.clock_after_s(header.counts, increment)
        }
        _ => None,
    };
    Some(MoveRecord {
        agent: agent.to_owned(),
        used_ms: Some(rest(&record.used_s, |mv| mv.used_ms)?),
        cpu_ms: rest(&record.cpu_s, |mv| mv.cpu_ms),
        clock_left_s,
        ..MoveRecord::default()
    })
}

/// Adds the rows that show a player's use of time over the course of its games.
fn add_course(table: &mut Table, (agent, role): (&str, &str), budget: &Budget) {
    let in_row = (budget.moves.len() as u32)
        .div_ceil(MOST_ROWS)
        .max(LEAST_IN_ROW);
    for (row, moves) in (0..).zip(budget.moves.chunks(in_row as usize)) {
        let all = moves.iter().fold(Use::default(), Use::merge);
        let first = row * in_row + 1;
        let last = first + moves.len() as u32 - 1;
        // Nodes per microsecond of CPU time are millions of nodes per second.
        let rate = (all.nodes > 0.0).then(|| all.nodes / 1e3 / all.nodes_cpu.max(1e-3));
        table.add_row([
            agent.to_owned(),
            role.to_owned(),
            format!("{first}-{last}"),
            cell(mean(&all.soft), 0),
            cell(mean(&all.used), 1),
            cell(mean(&all.cpu), 1),
            cell(mean(&all.depth), 1),
            cell(rate, 1),
        ]);
    }
}

/// Formats a value with this number of digits after the point; a dash stands for an unknown value.
fn cell(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), |value| format!("{value:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(counts: &str) -> String {
        format!(
            "{{\"event\":\"match\",\"format\":1,\"turnwise\":\"\",\"game\":\"entropy\",\"size\":2,\"agents\":\
             [{{\"name\":\"a\"}},{{\"name\":\"b\"}}],\"seed\":1,\"pairs\":1,\"counts\":\"{counts}\",\
             \"time\":{{\"kind\":\"clock\",\"seconds\":2.0,\"increment\":0.0}}}}\n"
        )
    }

    fn game(moves: &[String]) -> String {
        let played = vec!["\"0 0\""; moves.len()].join(",");
        let moves: String = (1..)
            .zip(moves)
            .map(|(ply, fields)| {
                format!("{{\"event\":\"move\",\"pair\":1,\"game\":1,\"ply\":{ply},\"move\":\"\",{fields}}}\n")
            })
            .collect();
        format!(
            "{moves}{{\"event\":\"game\",\"pair\":1,\"game\":1,\"first\":\"a\",\"second\":\"b\",\"order\":\"a\",\
             \"chaos\":\"b\",\"order_score\":0,\"tiles\":\"ABAB\",\"moves\":[{played}]}}\n"
        )
    }

    #[test]
    fn the_move_that_lost_on_time_counts() {
        let failed = ",\"fault\":{\"agent\":\"a\",\"role\":\"ORDER\",\"kind\":\"overtime\"},\
                      \"used_s\":{\"order\":2.5,\"chaos\":0.001},\"cpu_s\":{\"order\":0.01,\"chaos\":0.001}}\n";
        let first = mv("a", 20.0, ",\"clock_left_s\":2.0");
        for (moves, row) in [
            (
                &[first][..],
                ["a", "Order", "1", "2", "1250.0", "2480", "-0.50"],
            ),
            (&[], ["a", "Order", "1", "1", "2500.0", "2500", "-0.50"]),
        ] {
            let game = game(moves)
                .strip_suffix("}\n")
                .expect("an object")
                .to_owned()
                + failed;
            let text = tables(&(header("wall") + &game)).expect("it has times");
            assert_eq!(cells(&text, "a")[0], row);
        }
    }

    fn mv(agent: &str, used: f64, more: &str) -> String {
        format!("\"agent\":\"{agent}\",\"role\":\"\",\"used_ms\":{used},\"cpu_ms\":5{more}")
    }

    fn tables(log: &str) -> Option<String> {
        let read = Budgets::read(log.as_bytes(), &mut || true);
        let (budgets, notes) = read.expect("a log");
        assert_eq!(notes, [""; 0]);
        budgets.tables()
    }

    fn cells(table: &str, agent: &str) -> Vec<Vec<String>> {
        let row = |line: &str| -> Vec<String> {
            let cells = line.split('|').map(|cell| cell.trim().to_owned());
            cells.filter(|cell| !cell.is_empty()).collect()
        };
        let rows = table.lines().map(row);
        rows.filter(|row| row.first().is_some_and(|first| first == agent))
            .collect()
    }

    #[test]
    fn moves_are_summed_by_player_and_by_their_number_among_its_own_moves() {
        let limits =
            ",\"soft_ms\":30,\"hard_ms\":35,\"clock_left_s\":1.5,\"depth\":3,\"nodes\":20000";
        let moves = [
            mv("a", 20.0, limits),
            mv("b", 1.0, ""),
            mv("a", 40.0, limits),
        ];
        let log = header("wall") + &game(&moves) + &game(&[mv("a", 30.0, limits)]);
        let text = tables(&log).expect("it has times");
        let [ours, theirs] = ["a", "b"].map(|agent| cells(&text, agent));
        assert_eq!(
            ours[0],
            ["a", "Order", "2", "3", "30.0", "40", "5.0", "1.46"]
        );
        assert_eq!(
            ours[1],
            ["a", "Order", "1-2", "30", "30.0", "5.0", "3.0", "4.0"]
        );
        assert_eq!(theirs[0], ["b", "Chaos", "1", "1", "1.0", "1", "-", "-"]);
        assert_eq!(
            theirs[1],
            ["b", "Chaos", "1-1", "-", "1.0", "5.0", "-", "-"]
        );
    }

    #[test]
    fn cpu_time_is_shown_where_it_counts() {
        let log = header("cpu") + &game(&[mv("a", 20.0, ",\"hard_ms\":4")]);
        let text = tables(&log).expect("it has times");
        assert_eq!(
            cells(&text, "a")[0],
            ["a", "Order", "1", "1", "5.0", "5", "1.0"]
        );
    }

    #[test]
    fn a_long_game_has_few_rows() {
        let moves: Vec<String> = (0..101).map(|_| mv("a", 1.0, "")).collect();
        let text = tables(&(header("wall") + &game(&moves))).expect("it has times");
        let rows = cells(&text, "a");
        assert_eq!(rows.len(), 1 + MOST_ROWS as usize, "{text}");
        assert_eq!([&*rows[1][2], &*rows[8][2]], ["1-13", "92-101"]);
    }

    #[test]
    fn a_log_without_times_has_no_tables() {
        let fields = "\"agent\":\"a\",\"role\":\"\"".to_owned();
        assert_eq!(tables(&(header("wall") + &game(&[fields]))), None);
        assert_eq!(tables(&header("wall")), None);
    }
}
