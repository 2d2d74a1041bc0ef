//! Tests the site that `scripts/site` writes, which works without this program's server.
//!
//! The tests open the site from a plain file server, from the browser's cache and as files on a disk.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use turnwise_games::GAMES;
use turnwise_study::{Allowed, Request, answer};

use crate::program::{is_there, turnwise};
use crate::support::{DESK, Page, Process, at, data};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/site");

/// Writes the site. Returns its folder, and the folder around it, which the caller must keep. Returns `None` if this
/// machine cannot build the site.
fn site() -> Option<(TempDir, PathBuf)> {
    if !is_there("chromedriver") {
        println!(
            "skipped: the site without a server, which needs Chromium and its chromedriver as well"
        );
        return None;
    }
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path().join("site");
    let mut script = Command::new(SCRIPT);
    // Less optimization makes the build a quarter cheaper, and changes no result.
    for (name, value) in [("LTO", "off"), ("OPT_LEVEL", "1"), ("CODEGEN_UNITS", "16")] {
        script.env(format!("CARGO_PROFILE_SITE_{name}"), value);
    }
    let made = script.arg(&folder).output();
    let made = made.expect("Python starts");
    let said = String::from_utf8_lossy(&made.stderr);
    if said.contains("rustup target add") {
        println!("skipped: the site without a server; {}", said.trim());
        return None;
    }
    assert!(made.status.success(), "{said}");
    Some((scratch, folder))
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
    let Some((_scratch, folder)) = site() else {
        return;
    };
    let (_server, port) = served(&folder);
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
        page.until_text(".table", "Rematch: last time, you played Order.")
            .await;
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
    let Some((_scratch, site)) = site() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log").display().to_string();
    let words = [
        "arena", "random", "greedy", "--pairs", "1", "--size", "3", "--nodes", "9", "--log",
    ];
    let played = turnwise(&words).arg(&log).output().expect("it starts");
    assert!(played.status.success(), "{played:?}");
    let studio = format!("file://{}/turnwise.html", site.display());
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
    let Some((_scratch, folder)) = site() else {
        return;
    };
    let page = folder.join("turnwise.html");
    // A file on a disk cannot have a service worker.
    let text = fs::read_to_string(&page).expect("the page");
    assert!(!text.contains("offline.js") && !text.contains("service-worker"));
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
        page.go("puzzles?game=guesswho").await;
        page.until_text("#count", "Puzzle 1 of ").await;
    });
}

/// Returns the content of each file in a folder, by the file's name.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
    paths
        .map(|path| {
            (
                name(&path).into_string().expect("text"),
                fs::read(path).expect("a file"),
            )
        })
        .collect()
}

#[test]
fn the_archive_has_the_files_of_the_folder_and_is_reproducible() {
    let Some((scratch, folder)) = site() else {
        return;
    };
    let archive = scratch.path().join("site.zip");
    let unpacked = scratch.path().join("unpacked");
    let mut python = Command::new("python3");
    python.args(["-m", "zipfile", "-e"]);
    let status = python.args([&archive, &unpacked]).status();
    assert!(status.expect("Python starts").success());
    let files = contents(&folder);
    assert!(files.contains_key("index.html") && files.contains_key("turnwise.html"));
    // A failed comparison must not print megabytes.
    assert!(contents(&unpacked) == files, "{:?}", files.keys());

    let (other, _) = site().expect("it was built before");
    let again = fs::read(other.path().join("site.zip")).expect("an archive");
    assert!(fs::read(archive).expect("an archive") == again);
}

/// Waits until the browser has stored the site of the open page.
async fn until_stored(page: &Page) {
    page.until("navigator.serviceWorker.controller !== null")
        .await;
}

#[test]
fn after_one_visit_the_site_works_without_its_server() {
    let Some((_scratch, folder)) = site() else {
        return;
    };
    let (server, port) = served(&folder);
    at(&format!("http://localhost:{port}/"), DESK, async |page| {
        page.go("").await;
        until_stored(page).await;
        drop(server);
        let connection = TcpStream::connect(("127.0.0.1", port));
        assert!(connection.is_err(), "the server is still there");
        page.until("fetch('not-stored').then(() => false, () => true)")
            .await;

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

        page.go("puzzles?game=entropy").await;
        page.until_text("#count", "Puzzle 1 of ").await;
        page.click("#reveal").await;
        page.find("#line button").await;

        page.go("rules?game=entropy").await;
        page.find(".rules figure").await;

        let position = json!({
            "game": "entropy", "settings": {"size": 2, "pass": true},
            "beginning": {"text": "AB\n.."}, "moves": ["0 0 1 0", "0 0"],
        });
        let packed = page
            .eval(&format!("btoa(JSON.stringify({position}))"))
            .await;
        let packed = packed.as_str().expect("text").trim_end_matches('=');
        page.go(&format!("analysis?position={packed}")).await;
        page.until_text("#status", "Order is to move.").await;
        page.find("#lines button").await;
        // The folder's page has two addresses.
        let address = format!("{}index.html#/review?position={packed}", page.address);
        page.client.goto("about:blank").await.expect("a blank page");
        page.client.goto(&address).await.expect("it is stored");
        page.until_text("#progress", "All moves are judged.").await;
    });
}

#[test]
fn a_log_is_read_without_a_server() {
    let Some((_scratch, folder)) = site() else {
        return;
    };
    let address = format!("file://{}", folder.join("turnwise.html").display());
    at(&address, DESK, async |page| {
        page.go("").await;
        page.click("#nav [href='#/logs']").await;
        let file = page.find("#drop input").await;
        let choose = async |path: &Path| {
            let path = path.to_str().expect("the path is UTF-8");
            file.send_keys(path).await.expect("it takes a file");
        };
        choose(&folder.join("style.css")).await;
        page.until_text("#error", "line 1 should be the header")
            .await;
        choose(&data("sample.jsonl")).await;
        page.find(".replay").await;
        page.click("#end").await;
        page.until_text("#details", "final score").await;
        page.click("#review").await;
        page.until_text("#progress", "All moves are judged.").await;
    });
}

/// A Python program that writes a site whose modules and whose page all have a mark. Its arguments are `scripts/site`,
/// a folder with an engine, the folder to write, the mark, and the time of the files in seconds since 1970.
const MARKED: &str = r#"
import os, pathlib, runpy, sys

script, built, out, mark, seconds = sys.argv[1:]
site = runpy.run_path(script)
files = site["front"]()
files["index.html"] = files["index.html"].replace(b"<html", f'<html data-mark="{mark}"'.encode(), 1)
for name in files:
    if name.endswith(".js") and name not in site["OUTSIDE"]:
        files[name] += f"\n(globalThis.marks ??= []).push('{mark}');\n".encode()
site["write"](pathlib.Path(out), files, (pathlib.Path(built) / "engine.wasm").read_bytes())
for path in pathlib.Path(out).iterdir():
    os.utime(path, (int(seconds), int(seconds)))
"#;

/// Writes a site with a mark over the site in the folder `out`, with the engine of the site in the folder `built`.
fn write_marked(built: &Path, out: &Path, mark: &str, seconds: u32) {
    let mut python = Command::new("python3");
    python.args(["-c", MARKED, SCRIPT]).args([built, out]);
    let written = python.args([mark, &seconds.to_string()]).output();
    let written = written.expect("Python starts");
    assert!(written.status.success(), "{written:?}");
}

/// Opens the puzzles in the open page, which loads further modules, and checks the marks of the page and of all modules
/// loaded so far.
async fn assert_marked(page: &Page, mark: &str) {
    let all = format!(
        "document.documentElement.dataset.mark === '{mark}' && globalThis.marks?.length > 9 \
         && marks.every((it) => it === '{mark}')"
    );
    page.until("(location.hash = '#/puzzles?game=entropy') && true")
        .await;
    page.until_text("#count", "Puzzle 1 of ").await;
    let marks = page
        .eval("[document.documentElement.dataset.mark, globalThis.marks]")
        .await;
    assert_eq!(page.eval(&all).await, true, "{mark}: {marks}");
}

#[test]
fn a_new_version_replaces_the_stored_one_as_a_whole() {
    let Some((scratch, built)) = site() else {
        return;
    };
    let folder = scratch.path().join("marked");
    write_marked(&built, &folder, "first", 1_000_000_000);
    let (_server, port) = served(&folder);
    at(&format!("http://localhost:{port}/"), DESK, async |page| {
        let reload = async || page.client.refresh().await.expect("it loads again");
        page.go("").await;
        until_stored(page).await;
        let old = fs::read(folder.join("dom.js")).expect("a file");
        write_marked(&built, &folder, "second", 1_100_000_000);

        // While the site is being replaced, its host sends files of both versions.
        let new = fs::read(folder.join("dom.js")).expect("a file");
        fs::write(folder.join("dom.js"), old).expect("there is room");
        page.until(
            "navigator.serviceWorker.ready.then((now) => now.update()).then(({ installing: it }) => it && new Promise(
                 (done) => { it.onstatechange = () => it.state === 'installing' || done(it.state === 'redundant'); }))",
        )
        .await;
        reload().await;
        assert_marked(page, "first").await;

        fs::write(folder.join("dom.js"), new).expect("there is room");
        reload().await;
        page.until("navigator.serviceWorker.ready.then(({ waiting }) => waiting !== null)")
            .await;
        assert_marked(page, "first").await;
        reload().await;
        page.until("document.documentElement.dataset.mark === 'second'")
            .await;
        assert_marked(page, "second").await;
        page.until("caches.keys().then(({ length }) => length === 1)")
            .await;
    });
}
