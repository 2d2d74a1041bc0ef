//! Tests the page in a browser: layout, keys, and texts for screen readers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::output::{page_of, tournament};
use super::sample::{lines, records};
use super::{data, one_match, sample_plan};

/// Names of browsers that can run the page without a window; the test uses the first browser that is installed.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let mut paths =
        std::env::split_paths(&folders).flat_map(|folder| BROWSERS.map(|name| folder.join(name)));
    paths.find(|path| path.is_file())
}

/// Opens a page in the browser and returns its HTML after its scripts have run.
fn document(browser: &Path, folder: &Path, page: &str) -> String {
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args(["--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync"])
        // The options let the page read frames that contain other files of its folder, and let timers run in virtual
        // time, so that the test need not wait for them.
        .args([
            "--allow-file-access-from-files",
            "--virtual-time-budget=60000",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg("--dump-dom")
        .arg(format!("file://{}", folder.join(page).display()))
        .output()
        .expect("the browser starts");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no chromium to open the page in");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let save = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("the file can be written");
    };
    let log = lines(&records(&sample_plan()));
    let [wall, cpu] = ["wall", "cpu"].map(|counts| format!("\"counts\":\"{counts}\""));
    assert!(log.contains(&wall));
    save("report.html", &page_of(one_match(&log)));
    save("cpu.html", &page_of(one_match(&log.replace(&wall, &cpu))));
    let halma = fs::read_to_string(data("halma.jsonl")).expect("the golden log");
    save("halma.html", &page_of(one_match(&halma)));
    save("tournament.html", &page_of(tournament()));
    save("browser.html", include_str!("browser.html"));
    let document = document(&browser, folder.path(), "browser.html");
    let outcome = document.split_once("id=\"outcome\">").map(|(_, rest)| rest);
    let outcome = outcome.and_then(|rest| rest.split_once("</pre>"));
    let (outcome, _) = outcome.expect("the page says how it went");
    assert!(outcome.starts_with("all of "), "{outcome}");
}
