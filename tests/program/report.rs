//! Tests the commands `turnwise report` and `turnwise replay` as a user runs them.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::many_games;
use crate::support::{TURNWISE, on_a_terminal, run, run_with_input, stderr, stdout, turnwise};
use page_check::check_page;

#[path = "../../crates/report/tests/report/page_check.rs"]
mod page_check;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/arena")
        .join(name)
}

fn path(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

#[test]
fn report_prints_tables_and_writes_page_and_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("new/report");
    let output = run(&["report", path(&data("sample.jsonl")), "--out", path(&out)]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(stderr(&output), "");
    let printed = stdout(&output);
    assert!(printed.starts_with(
        "three against one\nEntropy on 5 x 5, 10 s for a game, 2 random plies at the start; 8 games; three is cmd:three; one is cmd:one\n"
    ));
    assert!(
        printed.contains("points a pair | pairs | won | drawn | lost |"),
        "{printed}"
    );
    assert!(!printed.contains('\u{1b}'));
    for name in ["estimate", "scores", "time", "depth"] {
        assert!(out.join(format!("{name}.svg")).is_file(), "{name}");
    }
    check_page(&fs::read_to_string(out.join("report.html")).expect("the page"));
}

#[test]
fn report_takes_the_luck_of_the_tiles_off() {
    let log = data("sample.jsonl");
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(&["report", path(&log), "--luck", "--out", path(folder.path())]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(stderr(&output), "");
    let printed = stdout(&output);
    let header = "points a pair | of that, luck |   without luck | pairs |";
    assert!(printed.contains(header), "{printed}");
    let page = fs::read_to_string(folder.path().join("report.html")).expect("the page");
    assert!(page.contains("Luck of the tiles"));

    let without = run(&["report", path(&data("halma.jsonl")), "--luck"]);
    assert!(without.status.success(), "{without:?}");
    assert_eq!(
        stderr(&without),
        "turnwise: Halma has no random draws, so there is no luck to judge\n"
    );
    assert!(!stdout(&without).contains("luck"));
}

#[test]
fn report_tells_programs_elo_and_the_test_as_json_and_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("tested.jsonl");
    let sample = fs::read_to_string(data("sample.jsonl")).expect("the sample");
    let test =
        "\"sprt\":{\"unit\":\"elo\",\"lower\":0.0,\"upper\":30.0,\"alpha\":0.05,\"beta\":0.05},";
    let tested = sample.replacen("\"seed\":", &format!("{test}\"seed\":"), 1);
    let tested = tested.replace("\"three\"", "\"th,ree\"");
    fs::write(&log, tested).expect("the log can be written");

    let output = run(&["report", path(&log), "--json"]);
    assert!(output.status.success(), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let of = &json["matches"][0];
    assert_eq!(of["pairings"][0]["first"], "th,ree");
    assert_eq!(
        of["pairings"][0]["pairs_won_drawn_lost"],
        serde_json::json!([4, 0, 0])
    );
    let elo = of["pairings"][0]["elo"].as_array().expect("an interval");
    assert!(elo.iter().all(serde_json::Value::is_f64), "{elo:?}");
    let llr = of["test"]["llr"].as_f64().expect("a ratio");
    assert!(llr > 0.0, "{llr}");
    assert_eq!(of["standings"][0]["points"][0], 32.5);

    let output = run(&["report", path(&log), "--csv"]);
    let printed = stdout(&output);
    let rows: Vec<&str> = printed.lines().collect();
    assert_eq!(rows.len(), 2, "{printed}");
    assert!(
        rows[0].starts_with("match,game,first,second,pairs,"),
        "{printed}"
    );
    assert!(
        rows[1].starts_with("1,Entropy,\"th,ree\",one,4,4,0,0,32.5,"),
        "{printed}"
    );
    let column = rows[0]
        .split(',')
        .position(|name| name == "llr")
        .expect("a column");
    // The quoted name contains a comma.
    let cell = rows[1].split(',').nth(column + 1).expect("a cell");
    assert_eq!(cell.parse(), Ok(llr));

    let both = run(&["report", path(&log), "--csv", "--json"]);
    assert_eq!(both.status.code(), Some(2));
    let table = run(&["report", path(&log)]);
    let printed = stdout(&table);
    assert!(
        printed.contains(&format!("LLR: {llr:.2} (-2.94, 2.94)\n")),
        "{printed}"
    );
    assert!(printed.contains(" Elo |"), "{printed}");
}

#[test]
fn no_name_is_a_formula_in_a_spreadsheet() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.jsonl");
    let sample = fs::read_to_string(data("sample.jsonl")).expect("the sample");
    for (name, cell) in [
        ("three", "three"),
        ("th=ree", "th=ree"),
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("+1", "'+1"),
        ("-1+1", "'-1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("=1,2", "\"'=1,2\""),
    ] {
        let renamed = sample.replace("\"three\"", &format!("\"{name}\""));
        fs::write(&log, renamed).expect("the log can be written");
        let output = run(&["report", path(&log), "--csv"]);
        let printed = stdout(&output);
        let row = format!("1,Entropy,{cell},one,4,4,0,0,32.5,");
        assert!(printed.contains(&row), "{name}: {printed:?}");
    }
}

#[test]
fn report_shows_faults_without_control_characters() {
    let output = run(&["report", path(&data("faults.jsonl"))]);
    assert!(output.status.success());
    let printed = stdout(&output);
    for shown in [
        "overtime",
        "crash",
        "illegal move",
        "garbage",
        "silence",
        "Verdict: ",
    ] {
        assert!(printed.contains(shown), "{shown} in {printed}");
    }
    assert!(
        !printed
            .chars()
            .any(|character| character.is_control() && character != '\n')
    );
}

#[test]
fn report_notes_what_is_torn() {
    let folder = tempfile::tempdir().expect("a folder");
    let torn = folder.path().join("torn.jsonl");
    let mut log = fs::read(data("sample.jsonl")).expect("the sample");
    log.truncate(log.len() - 60);
    fs::write(&torn, log).expect("the log can be written");
    let output = run(&["report", path(&torn)]);
    assert!(output.status.success());
    let noted = stderr(&output);
    assert!(noted.contains("torn.jsonl: line "), "{noted}");
    assert!(noted.contains("is incomplete: skipped"), "{noted}");
}

#[test]
fn wrong_files_are_named_and_the_exit_code_tells_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.jsonl");
    let other = folder.path().join("other.jsonl");
    fs::write(&other, "{\"event\":\"turn\"}\n").expect("the file can be written");
    for command in ["report", "replay"] {
        let output = run(&[command, path(&missing)]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("cannot read the log"));
        let output = run(&[command, path(&other)]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("other.jsonl is not a log of games: line 1 should be"));
        assert_eq!(run(&[command]).status.code(), Some(2));
    }
    // A file already exists under the name of the folder.
    let output = run(&["report", path(&data("sample.jsonl")), "--out", path(&other)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot create the folder"));
}

#[test]
fn replay_prints_a_game_plainly_when_piped() {
    let log = data("sample.jsonl");
    let output = run(&["replay", path(&log), "--game", "3"]);
    assert!(output.status.success());
    let printed = stdout(&output);
    assert!(printed.starts_with("Pair 2, game 1: three is Order, one is Chaos\n"));
    assert_eq!(printed.matches("(cols)").count(), 50);
    assert_eq!(printed.matches(", random opening\n").count(), 2);
    assert!(printed.contains("\nply 49 of 49: one (Chaos) "));
    assert!(!printed.contains('\u{1b}'));
    let score = printed.lines().last().expect("lines");
    let points = printed
        .lines()
        .rfind(|line| line.starts_with("ply 49"))
        .and_then(|line| line.rsplit_once(", "))
        .expect("the last ply");
    assert_eq!(
        score.strip_prefix("Order's score: "),
        points.1.strip_suffix(" points")
    );
    let by_pair = run(&["replay", path(&log), "--pair", "2", "--game", "1"]);
    assert_eq!(by_pair.stdout, output.stdout);
}

#[test]
fn replay_with_a_delay_shows_the_same_moves() {
    let log = data("sample.jsonl");
    let words = ["replay", path(&log), "--game", "3"];
    let at_once = run(&words);
    let slowly = run(&[&words[..], &["--delay", "0.001"]].concat());
    assert!(slowly.status.success());
    assert_eq!(stdout(&slowly), stdout(&at_once));
}

#[test]
fn replay_tells_of_the_fault() {
    let log = data("faults.jsonl");
    let output = run(&["replay", path(&log), "--pair", "4"]);
    let printed = stdout(&output);
    assert!(
        printed.contains("): crash: ended with exit code 101\n"),
        "{printed}"
    );
    assert!(printed.contains("  stderr: thread 'main' panicked\n"));
    assert!(printed.ends_with("Order's score: 0\n"));
}

#[test]
fn replay_draws_a_position_into_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("board.svg");
    let draw = |log: &str, words: &[&str]| {
        let log = data(log);
        let fixed = ["replay", path(&log), "--svg", path(&file)];
        let output = run(&[&fixed, words].concat());
        (output, fs::read_to_string(&file).unwrap_or_default())
    };
    let count = |svg: &str, what: &str| svg.matches(what).count();

    let (output, beginning) = draw("sample.jsonl", &["--game", "3", "--ply", "0"]);
    assert!(output.status.success(), "{output:?}");
    let ten_numbers = count(&beginning, "<text");
    assert_eq!(ten_numbers, 10);
    let (_, third) = draw("sample.jsonl", &["--game", "3", "--ply", "3"]);
    assert_eq!(count(&third, "<text"), 12, "two tiles besides: {third}");
    let (output, last) = draw("sample.jsonl", &["--game", "3"]);
    assert_eq!(count(&last, "<text"), 35);
    assert!(stdout(&output).ends_with("the position after ply 49 of 49\n"));

    let (_, pieces) = draw("halma.jsonl", &["--ply", "0"]);
    assert_eq!(count(&pieces, "<circle"), 38);

    let (output, _) = draw("sample.jsonl", &["--ply", "50"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("there is no ply 50; the game has 49 moves"));
}

#[test]
fn replay_draws_a_whole_game_into_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game.gif");
    let log = data("sample.jsonl");
    let output = run(&["replay", path(&log), "--game", "3", "--gif", path(&file)]);
    assert!(output.status.success(), "{output:?}");
    assert!(stdout(&output).ends_with("game.gif, 49 moves\n"));
    let bytes = fs::read(&file).expect("it is written");
    assert!(bytes.starts_with(b"GIF89a") && bytes.ends_with(b"\x3b"));
}

#[test]
fn replay_says_which_games_there_are() {
    let log = data("sample.jsonl");
    let refused = |arguments: &[&str], message: &str| {
        let output = run(&[&["replay", path(&log)], arguments].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(message), "{output:?}");
    };
    refused(
        &["--game", "9"],
        "there is no game 9; the log has games 1 to 8",
    );
    refused(&["--pair", "5"], "there is no pair 5 in the log");
    refused(&["--pair", "4", "--game", "3"], "pair 4 has no game 3");
    assert_eq!(
        run(&["replay", path(&log), "--game", "0"]).status.code(),
        Some(2)
    );
}

#[test]
fn colours_are_left_out_where_they_are_not_wanted() {
    let program = TURNWISE;
    let log = data("sample.jsonl");
    let replay = format!("{program} replay {} --game 3 --delay 0.0001", log.display());
    let stdio = format!("printf '3\\nCHAOS\\nA\\nQuit\\n' | {program} stdio entropy");
    let help = format!("{program} --help");
    for command in [replay, stdio, help] {
        let coloured = on_a_terminal(&command, &[]).0;
        assert!(coloured.contains("\u{1b}["), "{command}: {coloured}");
        for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let plain = on_a_terminal(&command, &[variable]).0;
            assert!(!plain.contains('\u{1b}'), "{command}: {plain}");
            assert!(plain.len() > 100, "{command}: {plain}");
        }
    }
}

#[test]
fn tables_fit_the_terminal_without_breaking_words() {
    let program = TURNWISE;
    let log = data("sample.jsonl");
    let shown = on_a_terminal(&format!("{program} report {}", log.display()), &[]).0;
    let rows = shown.lines().filter(|line| line.starts_with('|'));
    let widths: Vec<usize> = rows.map(|row| row.trim_end().chars().count()).collect();
    assert!(widths.len() > 5, "{shown}");
    assert!(widths.iter().all(|&width| width <= 80), "{shown}");
    for word in ["agent", "points", "faults", "Chaos", "+32.50", "16.91"] {
        assert!(shown.contains(word), "{word} in {shown}");
    }
}

/// The log of a game in which clocks count CPU time.
///
/// It contains two moves by a command that slept, and a move by a built-in player.
const TIMED: &str = r#"{"event":"match","format":1,"turnwise":"0.1.0","game":"halma","rules":"base","plies":600,"grace_s":10.0,"lenient":true,"agents":[{"name":"a","spec":"cmd:./a"},{"name":"b","spec":"random"}],"seed":1,"pairs":1,"time":{"kind":"clock","seconds":300.0,"increment":0.0},"counts":"cpu"}
{"event":"move","pair":1,"game":1,"ply":1,"role":"BLACK","agent":"a","move":"E 0,4 1,5","output":"E 0,4 1,5","clock_left_s":299.9877,"used_ms":5000.0,"cpu_ms":9.0}
{"event":"move","pair":1,"game":1,"ply":2,"role":"WHITE","agent":"b","move":"E 11,14 10,14","clock_left_s":300.0,"used_ms":777.7,"cpu_ms":0.5}
{"event":"move","pair":1,"game":1,"ply":3,"role":"BLACK","agent":"a","move":"J 2,2 2,4 0,6","output":"J 2,2 2,4 \r\nJ 2,4 0,6 \r\n","clock_left_s":300.0,"used_ms":5123.4,"cpu_ms":12.3}
{"event":"game","pair":1,"game":1,"first":"a","second":"b","black":"a","white":"b","begins":"BLACK","black_score":0.0,"ending":"fault","moves":["E 0,4 1,5","E 11,14 10,14","J 2,2 2,4 0,6"],"fault":{"agent":"a","role":"BLACK","kind":"garbage","reason":"no move","output":"E \u001b[31m\n"}}
"#;

#[test]
fn replay_shows_the_time_that_the_clock_was_charged_with_and_what_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = |text: &str| {
        let log = folder.path().join("log");
        std::fs::write(&log, text).expect("a file");
        let output = run(&["replay", path(&log)]);
        assert_eq!(stderr(&output), "", "{output:?}");
        stdout(&output)
    };
    let by_cpu = shown(TIMED);
    for part in [
        "\n  used 12.3 ms of CPU time, 300.00 s left before it\n  output.txt \"J 2,2 2,4 \\r\\nJ 2,4 0,6 \\r\\n\"\n",
        // A built-in player writes no file, and replay omits files that match the format exactly.
        "\n  used 0.5 ms of CPU time, 300.00 s left before it\n     0  1 ",
        "\n  used 9.0 ms of CPU time, 299.99 s left before it\n     0  1 ",
        "\n  output.txt \"E \\u{1b}[31m\\n\"\n",
    ] {
        assert!(by_cpu.contains(part), "no {part:?} in {by_cpu}");
    }
    for wall in ["5123.4", "777.7", "5000.0", "\u{1b}"] {
        assert!(!by_cpu.contains(wall), "{wall} in {by_cpu}");
    }
    let by_wall = shown(&TIMED.replace("\"counts\":\"cpu\"", "\"counts\":\"wall\""));
    assert!(by_wall.contains("\n  used 5123.4 ms, 300.00 s left before it\n"));
    assert!(!by_wall.contains("12.3"), "{by_wall}");
}

/// Returns the concatenation of these logs.
fn concatenated(logs: &[&str]) -> Vec<u8> {
    let read = |log: &&str| fs::read(log).expect("a log");
    logs.iter().flat_map(read).collect()
}

#[test]
fn concatenated_logs_are_reported_like_separate_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| path(&folder.path().join(name)).to_owned();
    let log = |name: &str, words: &[&str]| {
        let place = place(name);
        let words = [
            &["arena", "random", "greedy", "--nodes", "1", "--pairs", "4"],
            words,
        ]
        .concat();
        let output = run(&[&words[..], &["--quiet", "--log", &place]].concat());
        assert!(output.status.success(), "{output:?}");
        place
    };
    let small = log("a", &["--size", "2", "--seed", "1"]);
    let more = log("b", &["--size", "2", "--seed", "2"]);
    let other = log("c", &["--size", "3", "--seed", "1"]);
    // In the first case, the two logs belong to one match played with different seeds. In the second case, they belong
    // to two different matches.
    for logs in [[&*small, &*more], [&*small, &*other]] {
        let separate = run(&["report", logs[0], logs[1], "--json"]);
        let text = concatenated(&logs);
        let mut piped = turnwise(&["report", "/dev/stdin", "--json"]);
        let piped = run_with_input(&mut piped, &text);
        let figures = |text: &str| -> Vec<serde_json::Value> {
            let report: serde_json::Value = serde_json::from_str(text).expect("JSON");
            let matches = report["matches"].as_array().expect("matches").clone();
            let figures = matches.into_iter().map(|mut of| {
                let of_log = of.as_object_mut().expect("a match");
                of_log.remove("sources");
                // The notes contain the name of the log, so they differ.
                of_log.remove("notes");
                of
            });
            figures.collect()
        };
        assert_eq!(figures(&stdout(&piped)), figures(&stdout(&separate)));
    }
    // A command that reads all games of a match stops reading where the log of another match begins.
    let both = place("both");
    fs::write(&both, concatenated(&[&small, &other])).expect("there is room");
    let judged = run(&["review", &both]);
    assert!(judged.status.success(), "{judged:?}");
    let notes = stderr(&judged);
    assert!(notes.contains("begins another log"), "{judged:?}");
    // The numbering of games continues from the first log to the second.
    let ninth = run(&["replay", &both, "--game", "9"]);
    let first = run(&["replay", &other]);
    assert!(first.status.success(), "{first:?}");
    assert_eq!(stdout(&ninth), stdout(&first));
}

#[test]
fn a_game_that_its_moves_contradict_counts_nowhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| path(&folder.path().join(name)).to_owned();
    let log = place("log");
    let words = [
        "arena", "random", "greedy", "--size", "3", "--nodes", "1", "--seed", "1",
    ];
    let output = run(&[&words[..], &["--pairs", "3", "--quiet", "--log", &log]].concat());
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(&log).expect("a log");
    let of_game = "{\"event\":\"game\",\"pair\":2,\"game\":1,";
    let line = text.lines().find(|line| line.starts_with(of_game));
    let line = line.expect("the game");
    let doctored = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut game = serde_json::from_str(line).expect("JSON");
        change(&mut game);
        assert_ne!(
            game,
            serde_json::from_str::<serde_json::Value>(line).expect("JSON")
        );
        text.replace(line, &game.to_string())
    };
    let moves = |game: &mut serde_json::Value| game["moves"].as_array().expect("moves").clone();
    for (what, text) in [
        ("a score", doctored(&|game| game["order_score"] = 90.into())),
        (
            "reversed",
            doctored(&|game| {
                let reversed: Vec<_> = moves(game).into_iter().rev().collect();
                game["moves"] = reversed.into();
            }),
        ),
        (
            "no moves",
            doctored(&|game| game["moves"] = Vec::<String>::new().into()),
        ),
        ("illegal", doctored(&|game| game["moves"][0] = "9 9".into())),
        (
            "no move",
            doctored(&|game| game["moves"][2] = "here".into()),
        ),
        (
            "cut",
            doctored(&|game| {
                let all = moves(game);
                game["moves"] = all[..all.len() - 1].to_vec().into();
            }),
        ),
        (
            "tiles",
            doctored(&|game| game["tiles"] = "AAAAAAAAA".into()),
        ),
    ] {
        let file = place(what);
        fs::write(&file, text).expect("there is room");
        let report = run(&["report", &file]);
        assert!(report.status.success(), "{what}: {report:?}");
        assert!(
            stderr(&report).contains("pair 2, game 1, cannot be replayed"),
            "{what}: {report:?}"
        );
        assert!(stdout(&report).contains("5 games"), "{what}: {report:?}");
        assert!(!stdout(&report).contains("90"), "{what}: {report:?}");
        let resumed = run(&["arena", "--resume", &file]);
        assert!(!resumed.status.success(), "{what}: {resumed:?}");
        assert!(
            stderr(&resumed).contains("a game that can be replayed"),
            "{what}: {resumed:?}"
        );
        for reader in ["replay", "review"] {
            let shown = run(&[reader, &file, "--pair", "2"]);
            assert!(
                stderr(&shown).contains("contradicts itself"),
                "{what}: {shown:?}"
            );
        }
    }
}

#[test]
fn a_signal_ends_the_reading_and_the_known_results_are_printed() {
    let mut reporting = turnwise(&["report", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut log = reporting.stdin.take().expect("a pipe");
    log.write_all(many_games::HEADER.as_bytes())
        .expect("it reads");
    let different = many_games::Games::new();
    let mut games = (0..).map(|number| different.lines(number, 0));
    // These games do not fit in the buffers of the pipe and its reader. So once they are written, the program must be
    // reading and must have set up its signal handler.
    for game in games.by_ref().take(1_000) {
        log.write_all(game.as_bytes()).expect("it reads");
    }
    kill_process(Pid::from_child(&reporting), Signal::INT).expect("it runs");
    let is_read = |game: String| log.write_all(game.as_bytes()).is_ok();
    assert!(!games.all(is_read), "it stops to read");
    let output = reporting.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(stdout(&output).contains("points a pair"), "{output:?}");
    assert!(stderr(&output).contains("interrupted"), "{output:?}");
}

/// Returns the peak memory, in KiB, of `turnwise report` when it reads this number of games from a pipe.
#[cfg(target_os = "linux")]
fn peak_memory(games: u64) -> u64 {
    let mut reporting = turnwise(&["report", "/dev/stdin"]);
    let mut reporting = reporting
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut log = BufWriter::new(reporting.stdin.take().expect("a pipe"));
    log.write_all(many_games::HEADER.as_bytes())
        .expect("it reads");
    let different = many_games::Games::new();
    for number in 0..games {
        let game = different.lines(number, 1);
        log.write_all(game.as_bytes()).expect("it reads");
    }
    // The figures of wait4(2) would include the memory of the test process, from which the program was forked.
    let status = fs::read_to_string(format!("/proc/{}/status", reporting.id()));
    let status = status.expect("it waits for the end of its input");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
    drop(log.into_inner().expect("it reads"));
    assert!(reporting.wait().expect("it ends").success());
    peak.and_then(|peak| peak.parse().ok()).expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn memory_grows_by_the_figures_of_a_game_alone() {
    let (few, many) = (5_000, 50_000);
    let [of_few, of_many] = [few, many].map(peak_memory);
    // The limit on memory per game is a tenth of the length of a game's log. With it, a million games take less than
    // 150 MB.
    let of_a_game = 1024 * of_many.saturating_sub(of_few) / (many - few);
    assert!(of_a_game < 150, "{of_a_game} bytes");
}

/// Returns the peak memory, in KiB, of `turnwise arena --resume` with a log of this number of games.
#[cfg(target_os = "linux")]
fn peak_memory_of_resuming(games: u64) -> u64 {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("match.jsonl");
    let pairs = format!("\"pairs\":{}", games / 2);
    let header = many_games::HEADER.replace("\"pairs\":500000", &pairs);
    let header = header
        .replace("cmd:one", "random")
        .replace("cmd:two", "holes");
    let different = many_games::Games::new();
    let lines = (0..games).map(|number| different.lines(number, 0));
    fs::write(&log, header + &lines.collect::<String>()).expect("there is room");
    // The figures of wait4(2) include the memory of the process that starts the program, so a small one starts it.
    let measure = "import resource, subprocess, sys\n\
                   subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n\
                   print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
    let mut python = Command::new("python3");
    python.args(["-c", measure, TURNWISE, "arena", "--quiet", "--resume"]);
    let output = python.arg(&log).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    stdout(&output).trim().parse().expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn a_match_is_resumed_without_its_games_in_memory() {
    let (few, many) = (2_000, 20_000);
    let [of_few, of_many] = [few, many].map(peak_memory_of_resuming);
    // This is the limit of the report as well.
    let of_a_game = 1024 * of_many.saturating_sub(of_few) / (many - few);
    assert!(of_a_game < 150, "{of_a_game} bytes");
}
