//! Tests TwentyOne with real processes.
//!
//! The tests cover whole games, programs as players, logs and reports, and a person at the keyboard.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

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

const SMALL: [&str; 5] = ["twentyone", "--rounds", "15", "--seed", "4"];

fn game(players: &str, more: &[&str]) -> String {
    printed(&[&SMALL[..], &["--players", players], more].concat(), "")
}

#[test]
fn a_game_is_reproducible() {
    let once = game("ours,basic*2,timid", &[]);
    assert_eq!(once, game("ours,basic*2,timid", &["--games", "1"]));
    assert_ne!(once, game("ours,basic*2,timid", &["--rules", "engine"]));
    let told = "TwentyOne, text rules: 15 rounds, bids 10 to 1000, 10000 points each, 3 decks.\n";
    assert!(once.starts_with(told), "{once}");
    assert!(once.contains("Standings after round 15:"), "{once}");
    for name in ["ours", "basic", "basic#2", "timid"] {
        let is_theirs = |line: &&str| line.split_whitespace().nth(1) == Some(name);
        assert_eq!(once.lines().filter(is_theirs).count(), 1, "{name}: {once}");
    }
}

#[test]
fn the_player_behind_a_pipe_plays_as_the_one_inside() {
    for rules in ["text", "engine"] {
        let piped = format!("ours=cmd:{TURNWISE} stdio twentyone,counter");
        let inside = game("ours,counter", &["--rules", rules]);
        assert_eq!(inside, game(&piped, &["--rules", rules]));
    }
}

#[test]
fn programs_that_fail_are_out_and_the_others_play_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let prefix = folder.path().join("game");
    let prefix = prefix.to_str().expect("UTF-8");
    let players = "cmd:false,cmd:echo nonsense,cmd:yes,cmd:/no/such/program,basic";
    let text = game(players, &["--log", prefix]);
    for told in [
        "\n  1. basic ",
        "\ncmd:false is out in round 1: the process ended: exit status: 1\n",
        "\ncmd:echo nonsens is out in round 1: ",
    ] {
        assert!(text.contains(told), "{text}");
    }
    let json = std::fs::read_to_string(format!("{prefix}.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let faults = record["faults"].as_array().expect("a list");
    assert_eq!(faults.len(), 4, "{faults:?}");
    assert!(faults.iter().all(|fault| fault["round"] == 1));
}

#[test]
fn what_a_program_that_fails_says_cannot_steer_the_terminal() {
    let players = "mal=cmd:sh -c \"printf '\\033[31mlost' >&2; exit 1\",basic";
    let alone = printed(&["twentyone", "--rounds", "2", "--players", players], "");
    let beside = ["twentyone", "--play", "--rounds", "2", "--players", players];
    let beside = printed(&beside, "10\nq\n");
    for text in [alone, beside] {
        assert!(text.contains("[31mlost"), "{text:?}");
        assert!(!text.contains('\x1b'), "{text:?}");
    }
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

    let plain = game(&players, &[]);
    assert!(plain.contains(". ada "), "{plain}");
    assert!(plain.contains("eve is out in round 1: "), "{plain}");
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
fn many_games_are_the_arenas_and_the_command_for_them_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("games.jsonl");
    let file = file.to_str().expect("UTF-8");
    let engine = "--rules engine --rounds 3 --decks 2";
    let piped = format!("ada=cmd:{TURNWISE} stdio twentyone");
    let three = format!("ours,{piped},basic");
    for (asked, first, others) in [
        (
            &[
                "--players",
                &three,
                "--games",
                "4",
                "--seed",
                "7",
                "--keep",
                file,
            ][..],
            &["turnwise", &piped, "basic"][..],
            format!("--seats 3 {engine} --pairs 2 --seed 7 --movetime 1 --log {file} --tables"),
        ),
        (
            &["--players", "ours,timid", "--games", "3", "--threads", "1"],
            &["turnwise", "timid"],
            format!("{engine} --pairs 2 --seed 1 --movetime 1 --jobs 1"),
        ),
    ] {
        let of_game = [
            "twentyone",
            "--rules",
            "engine",
            "--rounds",
            "3",
            "--decks",
            "2",
        ];
        let output = run(&[&of_game, asked].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let told = stderr(&output);
        let reason = "turnwise: to play many games, run: turnwise ";
        let command = told.strip_prefix(reason).expect("a command");
        let words = shlex::split(command).expect("a command line as in a shell");
        let others: Vec<&str> = others.split(' ').collect();
        assert_eq!(
            words,
            [&["arena"], first, &["--game", "twentyone"], &others].concat()
        );
        let played = turnwise(&[]).args(&words).current_dir(&folder).output();
        let played = played.expect("it starts");
        assert!(played.status.success(), "{}", stderr(&played));
    }
    assert!(Path::new(file).exists());
    let output = run(
        &["twentyone", "--players", "ours,basic*10", "--games", "22"],
        "",
    );
    assert!(
        stderr(&output).contains("with 2 to 10 players at a table; got 11"),
        "{output:?}"
    );
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
    game("ours,basic,naive", &["--log", &path("game")]);
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
    // The documentation must show the actual answers.
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

/// Returns the command-line words of a game between a person and the agent `basic`, with this seed.
fn by_hand(seed: &str) -> Vec<&str> {
    "twentyone --play --players basic --rounds 60 --seed"
        .split(' ')
        .chain([seed])
        .collect()
}

/// Returns the person's actions from the output of a game.
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
        text.matches("DoubleDown: takes effect with your next action")
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
    // The second request for insurance comes too late. Insurance was possible only when the person first typed it.
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
        "turnwise: the input ended before the game; type q to leave a game\n"
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
            "time odds are not supported",
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
