//! TwentyOne with real processes: tournaments, programs as players, logs and reports, a person.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::{TURNWISE, run_with_input, stderr, stdout, turnwise};

fn run(arguments: &[&str], input: &str) -> Output {
    run_with_input(&mut turnwise(arguments), input.as_bytes())
}

fn printed(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
    stdout(&output)
}

const SMALL: [&str; 7] = ["twentyone", "--games", "3", "--rounds", "15", "--seed", "4"];

fn tournament(players: &str, more: &[&str]) -> String {
    printed(&[&SMALL[..], &["--players", players], more].concat(), "")
}

#[test]
fn a_tournament_is_reproducible() {
    let once = tournament("ours,basic*2,timid", &[]);
    assert_eq!(once, tournament("ours,basic*2,timid", &["--threads", "1"]));
    assert!(once.contains("3 of 3 games"), "{once}");
    for name in ["ours", "basic", "basic#2", "timid"] {
        assert_eq!(
            once.lines()
                .filter(|line| line.starts_with(&format!("| {name} ")))
                .count(),
            1
        );
    }
}

#[test]
fn seats_rotate_until_everybody_has_had_all() {
    let games = |more: &[&str]| {
        let players = ["twentyone", "--rounds", "2", "--players", "basic*3"];
        printed(&[&players, more].concat(), "")
    };
    let whole = games(&[]);
    assert!(whole.contains("102 of 102 games"), "{whole}");
    assert!(!whole.contains("Not everybody"), "{whole}");
    // In a rotation equal players do equally well.
    let equal = whole.matches(" 0 ± 0 | 0.00 ± 0.00 |").count();
    assert_eq!(equal, 3, "{whole}");
    let partial = games(&["--games", "4"]);
    let told = "Not everybody had every seat: that takes 3 games with each shoe.";
    assert!(partial.contains(told), "{partial}");
}

#[test]
fn the_player_behind_a_pipe_plays_as_the_one_inside() {
    for rules in ["text", "engine"] {
        let piped = format!("cmd:{TURNWISE} stdio twentyone");
        let inside = tournament("ours,counter", &["--rules", rules]);
        let outside = tournament(&format!("{piped},counter"), &["--rules", rules]);
        let points = |text: &str, name: &str| {
            let line = text
                .lines()
                .find(|line| line.starts_with(&format!("| {name}")))
                .expect("a line");
            // The columns are as wide as the names.
            let cells = line.split('|').skip(2).map(str::trim);
            cells.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(points(&inside, "ours"), points(&outside, "cmd:"));
        assert_eq!(points(&inside, "counter"), points(&outside, "counter"));
    }
}

#[test]
fn programs_that_fail_are_out_and_the_others_play_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let prefix = folder.path().join("game");
    let prefix = prefix.to_str().expect("UTF-8");
    let players = "cmd:false,cmd:echo nonsense,cmd:yes,cmd:/no/such/program,basic".to_string();
    let arguments = ["--games", "10", "--rounds", "4", "--seed", "4"];
    let arguments = [
        &["twentyone", "--players", &players, "--log", prefix],
        &arguments[..],
    ];
    let text = printed(&arguments.concat(), "");
    assert!(
        text.lines()
            .any(|line| line.starts_with("| basic") && line.contains("1.00 ± 0.00"))
    );
    for told in [
        "cmd:false was put out in 10 games, first in round 1: the process ended: exit status: 1",
        "cmd:echo nonsens was put out in 10 games, first in round 1: ",
    ] {
        assert!(text.contains(told), "{text}");
    }
    assert!(
        text.contains("By points not told apart: cmd:false - "),
        "{text}"
    );
    let json = std::fs::read_to_string(format!("{prefix}.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let faults = record["faults"].as_array().expect("a list");
    assert_eq!(faults.len(), 4, "{faults:?}");
    assert!(faults.iter().all(|fault| fault["round"] == 1));
}

#[test]
fn programs_have_names_and_play_isolated_as_they_do_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = || fs::Permissions::from_mode(0o755);
    let path = |name: &str| folder.path().join(name);
    for name in ["", "spy", "other"] {
        fs::create_dir_all(path(name)).expect("there is room");
        fs::set_permissions(path(name), all()).expect("it is ours");
    }
    fs::write(path("other/file"), "").expect("there is room");
    let file = path("other/file").display().to_string();
    let look = format!("[ -e {file} ] && echo seen >&2 || echo hidden >&2\n");
    fs::write(path("spy/spy.sh"), look).expect("there is room");
    fs::set_permissions(path("spy/spy.sh"), all()).expect("it is ours");
    let spy = path("spy/spy.sh").display().to_string();
    let players = format!("ada=cmd:{TURNWISE} stdio twentyone,eve=cmd:sh {spy},basic");

    let plain = tournament(&players, &[]);
    assert!(plain.contains("| ada "), "{plain}");
    assert!(plain.contains("eve was put out in 3 games, first in round 1: "));
    assert!(plain.contains("its last words: seen"), "{plain}");
    let arguments = [&SMALL[..], &["--players", &players, "--isolate"]].concat();
    let isolated = run(&arguments, "");
    let told = stderr(&isolated);
    assert!(told.contains("turnwise: isolation: "), "{told}");
    if !told.contains("namespaces (bubblewrap)") {
        println!("skipped: there is nothing here to wall programs in with");
        return;
    }
    let expected = plain.replace("its last words: seen", "its last words: hidden");
    assert_eq!(stdout(&isolated), expected);
}

#[test]
fn kept_games_are_gone_on_with_after_a_kill_and_with_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("games.json");
    let path = file.to_str().expect("UTF-8");
    let words = |games| {
        let mut words = vec![
            "twentyone",
            "--players",
            "ours,basic,timid",
            "--games",
            games,
        ];
        words.extend([
            "--rounds",
            "40",
            "--seed",
            "9",
            "--threads",
            "2",
            "--keep",
            path,
        ]);
        words
    };
    // Killed when some games are kept.
    let mut child = turnwise(&words("100000"))
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    while !file.exists() {
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let games = |text: &str| -> Vec<serde_json::Value> {
        let mut content: serde_json::Value = serde_json::from_str(text).expect("JSON");
        serde_json::from_value(content["games"].take()).expect("a list")
    };
    let before = games(&fs::read_to_string(&file).expect("whole"));
    assert!(!before.is_empty());
    let more = (before.len() + 5).to_string();
    let text = printed(&words(&more), "");
    let after = games(&fs::read_to_string(&file).expect("whole"));
    assert!(before.iter().all(|game| after.contains(game)));
    let numbers = after.iter().flat_map(|game| game["number"].as_u64());
    assert!(numbers.eq(0..before.len() as u64 + 5), "{after:?}");
    // Nothing is left to play, and in one go it is the same.
    assert_eq!(printed(&words(&more), ""), text);
    fs::remove_file(&file).expect("it is there");
    printed(&words(&more), "");
    let whole = games(&fs::read_to_string(&file).expect("whole"));
    assert_eq!(whole, after);

    let refused = |words: &[&str], told: &str| {
        let output = run(words, "");
        let errors = stderr(&output);
        assert!(
            !output.status.success() && errors.contains(told),
            "{errors}"
        );
    };
    let mut others = words(&more);
    others[2] = "ours,basic,naive";
    refused(&others, "other players");
    for (from, to) in [("\"id\":0", "\"id\":1"), ("\"games\"", "\"plays\"")] {
        let text = fs::read_to_string(&file).expect("whole");
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text);
        fs::write(&file, broken).expect("there is room");
        refused(&words(&more), "games.json");
        fs::write(&file, text).expect("there is room");
    }
}

#[test]
fn logs_are_written_and_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| {
        folder
            .path()
            .join(name)
            .to_str()
            .expect("UTF-8")
            .to_string()
    };
    tournament("ours,basic,naive", &["--log", &path("game")]);
    let score = std::fs::read_to_string(path("game-score.csv")).expect("a score file");
    assert_eq!(score.lines().count(), 15);
    assert!(
        score
            .lines()
            .all(|line| line.split(',').count() == 3 && line.contains(';'))
    );
    let turns = std::fs::read_to_string(path("game.csv")).expect("a turn file");
    assert!(turns.lines().all(|line| line.split(',').count() == 8));

    let report = printed(
        &[
            "twentyone",
            "report",
            &path("game-score.csv"),
            &path("game.csv"),
            &path("game.json"),
            "--svg",
            &path("game.svg"),
        ],
        "",
    );
    let last = score
        .lines()
        .last()
        .expect("a line")
        .replace([',', ';'], " ");
    let in_words = |line: &str| {
        let cells = line.split(|c: char| c == '|' || c.is_whitespace());
        cells
            .filter(|cell| !cell.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let shown = report.lines().filter(|line| in_words(line) == last).count();
    assert_eq!(
        shown, 2,
        "the last round, from the score file and from the record: {report}"
    );
    assert!(report.contains("other 2") && report.contains("mean bid") && report.contains("naive"));
    let svg = std::fs::read_to_string(path("game.svg")).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.matches("<polyline").count() >= 3);
}

#[test]
fn broken_logs_are_named_and_not_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.csv");
    let path = path.to_str().expect("UTF-8");
    for (content, expected) in [
        ("1,2,3\n2,x,3\n", "line 2"),
        ("", "expected a score file"),
        ("{\"settings\":1}", "not a record of a game"),
        (
            "1,SQ;H3;D6,0,0,0,Stand,10,DK\n1,SQ,0,2,0,Stand,10,DK\n",
            "line 2",
        ),
    ] {
        std::fs::write(path, content).expect("a file");
        let output = run(&["twentyone", "report", path], "");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && errors.contains(expected),
            "{content:?}: {errors}"
        );
    }
    let never = format!("{path}.svg");
    std::fs::write(path, "1,SQ;H3;D6,0,0,0,Stand,10,DK\n").expect("a file");
    assert!(
        !run(&["twentyone", "report", path, "--svg", &never], "")
            .status
            .success()
    );
    assert!(!Path::new(&never).exists());
}

#[test]
fn calls_are_answered_line_by_line() {
    let lines = include_str!("../../protocol/twentyone.md")
        .lines()
        .filter_map(|line| line.strip_prefix("> "))
        .collect::<Vec<_>>();
    let answers = printed(
        &["stdio", "twentyone"],
        &format!("{}\nrubbish\n", lines.join("\n")),
    );
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), lines.len() + 1);
    // The page shows what is really answered.
    let documented = include_str!("../../protocol/twentyone.md")
        .lines()
        .filter_map(|line| line.strip_prefix("< "))
        .collect::<Vec<_>>();
    assert_eq!(answers[..lines.len()], documented);
    assert!(answers[lines.len()].starts_with("{\"error\":"));
}

#[test]
fn a_person_plays_and_asks_for_advice() {
    let input = "nonsense\n?\n100\n?\ns\nq\n";
    let text = printed(
        &[
            "twentyone",
            "--play",
            "--seed",
            "3",
            "--players",
            "ours,basic",
        ],
        input,
    );
    for expected in [
        "is not a bid",
        "I would bid",
        "Stand",
        "left the table",
        "Standings",
    ] {
        assert!(text.contains(expected), "{expected:?} is missing:\n{text}");
    }
}

/// A game of two in which a person plays, with this seed.
fn by_hand(seed: &str) -> Vec<&str> {
    "twentyone --play --players basic --rounds 60 --seed"
        .split(' ')
        .chain([seed])
        .collect()
}

/// What a person did, as the table shows it.
fn own_actions(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| line.trim_start_matches("> ").trim_start())
        .filter_map(|line| line.strip_prefix("you  "))
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

#[test]
fn a_double_down_can_be_taken_back_until_the_next_action() {
    let text = printed(&by_hand("7"), "u\n100\nd\nu\nu\nd\nh\ns\nq\n");
    assert_eq!(
        text.matches("Nothing can be taken back now").count(),
        2,
        "{text}"
    );
    assert_eq!(
        text.matches("DoubleDown: it counts with your next action")
            .count(),
        2,
        "{text}"
    );
    assert!(text.contains("DoubleDown is taken back."), "{text}");
    let expected = ["bids", "DoubleDown", "Hit", "Stand", "is"];
    assert_eq!(own_actions(&text), expected, "{text}");
}

#[test]
fn an_insurance_can_be_taken_back_and_an_action_after_it_is_checked_anew() {
    let taken_back = printed(&by_hand("14"), "100\ni\nu\ns\nq\n");
    assert!(
        taken_back.contains("Insurance is taken back."),
        "{taken_back}"
    );
    assert_eq!(own_actions(&taken_back), ["bids", "Stand", "is"]);
    // A second insurance, which was possible when it was typed first.
    let text = printed(&by_hand("14"), "100\ni\ni\ns\nq\n");
    assert!(text.contains("Insurance is not possible now."), "{text}");
    assert_eq!(own_actions(&text), ["bids", "Insurance", "Stand", "is"]);
}

#[test]
fn an_input_that_ends_is_one_error_after_the_standings() {
    let output = run(&by_hand("1"), "100\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "turnwise: the input ended before the game (q leaves a game)\n"
    );
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Standings after round 1:"), "{text}");
    assert!(!text.contains("the input ended"), "{text}");
}

#[test]
fn wrong_usage_says_what_was_expected() {
    for (arguments, expected) in [
        (
            &["twentyone", "--players", "ours,nobody"][..],
            "expected ours, naive, basic",
        ),
        (&["twentyone", "--players", "ours"], "two players or more"),
        (&["twentyone", "--players", "ours,cmd:"], "a command line"),
        (
            &["twentyone", "--players", "ours,a=cmd:time=0.5:b"],
            "no time odds",
        ),
        (&["twentyone", "--memory", "64"], "--isolate"),
        (
            &["twentyone", "--players", "ours,basic*0"],
            "expected 1 to 1000, as in basic*3",
        ),
        (
            &["twentyone", "--min-bid", "20", "--max-bid", "10"],
            "minimum <= maximum",
        ),
        (&["twentyone", "--decks", "9"], "expected 1 to 8"),
        (
            &["twentyone", "--rules", "house"],
            "expected text or engine",
        ),
    ] {
        let output = run(arguments, "");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && errors.contains(expected),
            "{arguments:?}: {errors}"
        );
    }
}

#[test]
fn values_are_printed() {
    let text = printed(
        &[
            "twentyone",
            "value",
            "--rules",
            "engine",
            "--hands",
            "2000",
            "--shoes",
            "50",
            "--stacks",
            "2",
        ],
        "",
    );
    assert!(
        text.contains("exact value of a hand from a fresh shoe     +9.176"),
        "{text}"
    );
    assert_eq!(text.matches("flat bids from").count(), 3);
    assert!(text.contains("time of a call"));
}
