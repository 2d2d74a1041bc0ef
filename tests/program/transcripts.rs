//! Tests what the program writes for people who watch a match, and for other programs: transcripts and JSON.

use std::fs;
use std::path::Path;

use crate::support::{file_names, json_lines, run, stderr, stdout};

/// A player of the line wire that always makes one move: it places every tile on 0 2, and moves a tile from 2 2 to 2 1.
const PLAYER: &str = "\
import sys
size, role = input(), input()
for line in sys.stdin:
    if role == 'CHAOS' and len(line) == 2:
        print('0 2', flush=True)
    elif role == 'ORDER':
        print('2 2 2 1', flush=True)
";

fn player(folder: &Path) -> String {
    let path = folder.join("player.py");
    fs::write(&path, PLAYER).expect("there is room");
    format!("ada=cmd:python3 {}", path.display())
}

/// Returns the bytes of one direction in a transcript, still escaped.
fn direction(transcript: &str, sign: &str) -> String {
    let lines = transcript.lines().map(|line| line.splitn(3, ' '));
    let texts = lines.filter_map(|mut line| {
        let (time, direction) = (line.next()?, line.next()?);
        assert!(time.parse::<f64>().is_ok(), "{transcript}");
        line.next().filter(|_| direction == sign)
    });
    texts.collect()
}

#[test]
fn transcripts_have_every_byte_and_faults_their_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (log, transcripts) = (path("log"), path("transcripts"));
    let words = [
        "arena",
        &player(folder.path()),
        "greedy",
        "--size",
        "3",
        "--pairs",
        "2",
        "--seed",
        "1",
        "--log",
        &log,
        "--transcript",
        &transcripts,
    ];
    let played = run(&words);
    assert!(played.status.success(), "{played:?}");
    let names = file_names(Path::new(&transcripts));
    let expected =
        [1, 2].map(|pair| [1, 2].map(|game| format!("pair-{pair}-game-{game}-agent-1-ada.txt")));
    assert_eq!(names, expected.concat());
    for name in &names {
        let text = fs::read_to_string(Path::new(&transcripts).join(name)).expect("a transcript");
        let mv = match direction(&text, ">").contains("ORDER") {
            true => "2 2 2 1\\n",
            false => "0 2\\n",
        };
        let received = direction(&text, "<");
        assert!(
            !received.is_empty() && received.replace(mv, "").is_empty(),
            "{text}"
        );
        assert!(direction(&text, ">").ends_with("\\n"), "{text}");
    }
    let report = stdout(&run(&["report", &log]));
    let why = "`0 2`: the square 0 2 is occupied";
    assert!(report.contains(why), "{report}");
    let why = "`2 2 2 1`: the square 2 2 has no tile to move";
    assert!(report.contains(why), "{report}");
}

#[test]
fn a_tournament_and_a_check_print_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("class.toml");
    let class = r#"
game = "twentyone"
settings.seats = 3
settings.rounds = 2
format = { kind = "tables", rounds = 1 }
participant = [{ name = "a", agent = "basic" }, { name = "b", agent = "naive" }, { name = "c", agent = "basic" }]
"#;
    fs::write(&file, class).expect("there is room");
    let played = run(&["tournament", file.to_str().expect("UTF-8"), "--json"]);
    assert!(played.status.success(), "{played:?}");
    let results = fs::read_to_string(folder.path().join("class-report/results.json"));
    assert_eq!(stdout(&played), results.expect("results"));
    assert_eq!(json_lines(&stdout(&played)).len(), 1);

    let log = folder.path().join("table.jsonl");
    let log = log.to_str().expect("UTF-8");
    let table = [
        "arena",
        "basic",
        "naive",
        "counter",
        "--game",
        "twentyone",
        "--tables",
        "--seats",
        "3",
        "--rounds",
        "2",
        "--pairs",
        "1",
        "--json",
        "--log",
        log,
    ];
    let [printed, reported] = [&table[..], &["report", log, "--json"]].map(|words| {
        let mut printed = json_lines(&stdout(&run(words)));
        printed[0]["matches"][0]["sources"].take();
        printed
    });
    assert_eq!(printed, reported);

    let transcripts = folder.path().join("transcripts");
    let program = player(folder.path()).replace("ada=", "");
    let checked = run(&[
        "check",
        &program,
        "--no-isolate",
        "--clock",
        "3",
        "--json",
        "--transcript",
        transcripts.to_str().expect("UTF-8"),
    ]);
    assert_eq!(checked.status.code(), Some(1), "{}", stderr(&checked));
    let lines = json_lines(&stdout(&checked));
    let (verdict, scenarios) = lines.split_last().expect("lines");
    assert_eq!(verdict["can_take_part"], false);
    assert_eq!(scenarios[0]["scenario"], "start");
    assert_eq!(scenarios[0]["outcome"], "passed");
    let failed = scenarios.iter().find(|it| it["outcome"] == "failed");
    let failed = failed.expect("it plays no game");
    for field in ["expected", "got", "fault", "advice", "stderr"] {
        assert!(!failed[field].is_null(), "{failed}");
    }
    assert!(!file_names(&transcripts).is_empty());
}

#[test]
fn a_long_build_says_what_it_does() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("ada")).expect("there is room");
    let file = folder.path().join("class.toml");
    let class = r#"
game = "entropy"
settings.size = 2
time.clock = 5
format = { kind = "round-robin" }
participant = [
    { name = "ada", folder = "ada", build = "sleep 3", run = "false" },
    { name = "bob", agent = "greedy" },
]
"#;
    fs::write(&file, class).expect("there is room");
    let played = run(&["tournament", file.to_str().expect("UTF-8")]);
    assert!(
        stderr(&played).contains("turnwise: building ada\n"),
        "{played:?}"
    );
}
