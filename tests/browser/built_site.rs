//! Tests the site that `scripts/site` writes, which works without this program's server.
//!
//! The tests open the site from a plain file server and as files on a disk.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use turnwise_games::GAMES;
use turnwise_study::{Allowed, Request, answer};

use crate::program::{is_there, turnwise};
use crate::support::{DESK, Page, Process, at};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/site");

/// Writes the site into a folder and returns the folder. Returns `None` if this machine cannot build the site.
fn site() -> Option<tempfile::TempDir> {
    if !is_there("chromedriver") {
        println!(
            "skipped: the site without a server, which needs Chromium and its chromedriver as well"
        );
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut script = Command::new(SCRIPT);
    // Less optimization makes the build a quarter cheaper, and changes no result.
    for (name, value) in [("LTO", "off"), ("OPT_LEVEL", "1"), ("CODEGEN_UNITS", "16")] {
        script.env(format!("CARGO_PROFILE_SITE_{name}"), value);
    }
    let made = script.arg(folder.path()).output();
    let made = made.expect("Python starts");
    let said = String::from_utf8_lossy(&made.stderr);
    if said.contains("rustup target add") {
        println!("skipped: the site without a server; {}", said.trim());
        return None;
    }
    assert!(made.status.success(), "{said}");
    Some(folder)
}

/// Starts a plain file server for a folder. Returns the server and its port.
fn served(folder: &Path) -> (Process, u16) {
    let mut child: Child = Command::new("python3")
        .args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Python starts");
    let mut line = String::new();
    let mut said = BufReader::new(child.stdout.take().expect("a pipe"));
    said.read_line(&mut line).expect("it says its port");
    let server = Process(child);
    let port = line.split(" port ").nth(1).and_then(|rest| {
        let number = rest.split(' ').next()?;
        number.parse().ok()
    });
    (server, port.unwrap_or_else(|| panic!("no port: {line}")))
}

/// Plays the move that the page suggests until the game is over, and returns Order's score.
async fn score_by_hints(page: &Page) -> f64 {
    while page.my_move().await {
        let moves = page.moves().await;
        page.click("#hint").await;
        page.click(".hint-move:enabled").await;
        page.answered(moves).await;
    }
    let status = page.text("#status").await;
    let numbers = status.split(|letter: char| !letter.is_ascii_digit());
    let score = numbers.filter_map(|number| number.parse().ok()).next_back();
    score.unwrap_or_else(|| panic!("no score: {status}"))
}

/// Returns the answer that the native program gives to a request.
fn natively(request: &Value) -> Value {
    let request: Request = serde_json::from_value(request.clone()).expect("a request");
    let allowed = Allowed {
        time: Duration::from_secs(600),
        nodes: u64::MAX,
        solutions: None,
    };
    let stop = turnwise_engine::search::Stop::default();
    answer(&request, GAMES, &allowed, &stop, &mut |_| {}).expect("a position")
}

/// Returns the answer of the engine in the page to `request`, and the value `other`.
///
/// The page serializes both, so that they can be compared exactly.
async fn in_the_page(page: &Page, request: &Value, other: &Value) -> [String; 2] {
    let script = "const [request, other, done] = arguments;
        import('/worker-engine.js').then(({ workerEngine }) => workerEngine().ask(request))
            .then((answer) => [answer, JSON.parse(other)].map((it) => JSON.stringify(it))).then(done, done);";
    let arguments = vec![request.clone(), Value::from(other.to_string())];
    let both = page.client.execute_async(script, arguments).await;
    serde_json::from_value(both.expect("an answer")).expect("two texts")
}

#[test]
fn entropy_is_won_by_hints_and_analysed_as_natively_without_a_server() {
    let Some(folder) = site() else { return };
    let (_server, port) = served(folder.path());
    at(&format!("http://127.0.0.1:{port}/"), DESK, async |page| {
        let fields = [
            ("size", "4"),
            ("role", "0"),
            ("agent", "greedy"),
            ("nodes", "1000"),
            ("seed", "5"),
        ];
        page.begin("entropy", &fields).await;
        let ours = score_by_hints(page).await;
        page.click("#rematch").await;
        page.until_text(".table", "A rematch").await;
        let theirs = score_by_hints(page).await;
        assert!(ours > theirs, "{ours} to {theirs}");

        let positions = [
            (
                "entropy",
                json!({"size": 5, "pass": false}),
                "ABC.. A.... ..C.. .E..B .....".replace(' ', "\n"),
            ),
            (
                "entropy",
                json!({"size": 3, "pass": true}),
                "A.B\n.C.\n...\ndrawn: B".to_owned(),
            ),
        ];
        for (game, settings, text) in positions {
            let request = json!({
                "ask": "study", "top": 3, "nodes": 60_000,
                "position": {"game": game, "settings": settings, "beginning": {"text": text}},
            });
            let native = natively(&request);
            assert!(native["lines"][0]["value"].is_number(), "{native}");
            let [found, expected] = in_the_page(page, &request, &native).await;
            assert_eq!(found, expected);
        }
        // The page's review of a game that begins from a custom position also equals the native program's review.
        let request = json!({
            "ask": "review", "nodes": 2000,
            "position": {
                "game": "entropy", "settings": {"size": 2, "pass": true},
                "beginning": {"text": "AB\n.."}, "moves": ["0 0 1 0", "0 0"],
            },
        });
        let native = natively(&request);
        assert_eq!(native["moves"].as_array().map(Vec::len), Some(2));
        let [found, expected] = in_the_page(page, &request, &native).await;
        assert_eq!(found, expected);
        // The site contains the puzzles as files, and judges moves in the page.
        page.go("puzzles?game=entropy").await;
        page.until_text("#count", "Puzzle 1 of ").await;
        page.click("#reveal").await;
        page.find("#line button").await;
        page.click(".board .can-take").await;
        page.until("/Good|Try another move/.test(document.querySelector('#move').textContent)")
            .await;
    });
}

#[test]
fn a_report_links_to_the_review_of_its_games() {
    let Some(site) = site() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log").display().to_string();
    let words = [
        "arena", "random", "greedy", "--pairs", "1", "--size", "3", "--nodes", "9", "--log",
    ];
    let played = turnwise(&words).arg(&log).output().expect("it starts");
    assert!(played.status.success(), "{played:?}");
    let studio = format!("file://{}/turnwise.html", site.path().display());
    let report = turnwise(&["report", &log, "--studio", &studio, "--out"])
        .arg(folder.path())
        .output()
        .expect("the program starts");
    assert!(report.status.success(), "{report:?}");
    let refused = turnwise(&[
        "report",
        &log,
        "--studio",
        "javascript:alert(1)",
        "--out",
        "x",
    ]);
    assert_eq!(
        { refused }.output().expect("it starts").status.code(),
        Some(2)
    );
    let address = format!("file://{}/report.html", folder.path().display());
    at(&address, DESK, async |page| {
        let address = format!("{}#pair=1&game=1&ply=3", page.address);
        page.client.goto(&address).await.expect("it loads");
        let link = page
            .eval("document.querySelector('#replay .actions a').href")
            .await;
        let link = link.as_str().expect("an address");
        assert!(link.starts_with(&studio), "{link}");
        page.client.goto(link).await.expect("it loads");
        page.until_text("#progress", "All moves are judged.").await;
    });
}

#[test]
fn one_file_opened_from_a_disk_is_the_whole_site() {
    let Some(folder) = site() else { return };
    let page = folder.path().join("turnwise.html");
    let address = format!("file://{}", page.display());
    at(&address, DESK, async |page| {
        let fields = [
            ("size", "3"),
            ("role", "1"),
            ("agent", "turnwise"),
            ("nodes", "500"),
            ("seed", "5"),
        ];
        page.begin("entropy", &fields).await;
        let moves = page.moves().await;
        page.click(".board .can-take").await;
        assert!(page.answered(moves).await);
    });
}
