//! Tests that everybody can use the Studio.
//!
//! It must be usable by keyboard alone, on a telephone, with a screen reader, and in light and dark mode.

use serde_json::Value;
use turnwise_games::GAMES;

use crate::program::turnwise;
use crate::support::{DARK, DESK, Page, War, data, in_a_browser, log_of_tournament, with_logs};

const AXE: &str = include_str!("axe.min.js");

/// The pages that need no data, each with the selector of an element that exists once the page is drawn.
const PAGES: [(&str, &str); 6] = [
    ("", ".ways"),
    ("play", ".setup"),
    ("rules?game=entropy", ".rules figure"),
    ("analysis", ".setup"),
    ("logs", "#drop"),
    ("no-such-page", "h1"),
];

/// Returns the violations of WCAG 2.2 AA and of axe's best practices that the tool axe finds on the current page.
pub async fn violations(page: &Page) -> String {
    page.client.execute(AXE, vec![]).await.expect("axe loads");
    let script = r"const [done] = arguments;
        axe.run(document).then(({ violations }) => done(violations.map(({ id, nodes }) =>
            `${id}: ${nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`).join('\n')}`).join('\n')));";
    let found = page.client.execute_async(script, vec![]).await;
    found.expect("axe runs").as_str().expect("text").to_owned()
}

/// Opens every view of the Studio in turn, and calls `look` with the view's name each time.
async fn every_view(page: &Page, look: impl AsyncFn(&str)) {
    let look = async |name: &str| {
        page.photograph(if name.is_empty() { "home" } else { name })
            .await;
        look(name).await;
    };
    for (place, drawn) in PAGES {
        page.go(place).await;
        page.find(drawn).await;
        look(place).await;
    }
    page.go("logs").await;
    page.click("#logs a").await;
    page.find(".replay .cell").await;
    look("a log").await;
    page.go("logs").await;
    page.fill("#find", "The cup").await;
    page.click("#logs a").await;
    page.find(".podium").await;
    look("a tournament").await;
    for game in GAMES.iter().map(|game| game.about().name) {
        page.begin(game, &[("role", "0"), ("nodes", "300"), ("seed", "5")])
            .await;
        look(game).await;
    }
    page.go("play?game=halma").await;
    page.click("[name=friend]").await;
    page.find("#invitation").await;
    look("a match that waits for a friend").await;
    // Random slides include mistakes, which the review marks.
    let fields = [
        ("role", "1"),
        ("agent", "random"),
        ("seed", "5"),
        ("size", "3"),
    ];
    page.begin("entropy", &fields).await;
    while page.my_move().await {
        let moves = page.moves().await;
        page.click(".board .can-take").await;
        page.answered(moves).await;
    }
    look("the end of a game").await;
    let place = page.eval("location.hash").await;
    page.go("puzzles?game=entropy").await;
    page.click("#reveal").await;
    page.find("#line button").await;
    look("a puzzle").await;
    page.go(place
        .as_str()
        .and_then(|hash| hash.strip_prefix("#/"))
        .expect("a place"))
        .await;
    page.click("#review").await;
    page.until_text("#progress", "All moves are judged.").await;
    look("a review").await;
    page.click("#seek").await;
    page.until_text("#move", "Find a better move.").await;
    look("a search for a better move").await;
    page.click("#start").await;
    page.eval("document.querySelector('#analyse').scrollIntoView({ block: 'center' })")
        .await;
    page.click("#analyse").await;
    page.until_text("#status", "Chaos is to move.").await;
    page.find("#lines tbody button").await;
    look("an analysis").await;
}

/// `scripts/screenshots` runs this test with windows of other sizes, and with pictures of all views.
#[test]
fn axe_finds_nothing_on_any_page_and_nobody_else_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = [&*data(""), &*log_of_tournament(folder.path())];
    with_logs(DESK.or_asked(), &logs, async |page, _| {
        every_view(page, async |name| {
            assert_eq!(violations(page).await, "", "{name}");
            let seen = "performance.getEntriesByType('resource').map((entry) => entry.name)";
            let asked: Value = page.eval(seen).await;
            for asked in asked.as_array().expect("names") {
                let asked = asked.as_str().expect("a name");
                assert!(asked.starts_with(&page.address), "{name} asks {asked}");
            }
        })
        .await;
    });
}

#[test]
fn axe_finds_nothing_in_the_dark_and_everything_fits_on_a_telephone() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = [&*data(""), &*log_of_tournament(folder.path())];
    with_logs(DARK, &logs, async |page, _| {
        every_view(page, async |name| {
            assert_eq!(violations(page).await, "", "{name}");
            let width = page.eval("document.documentElement.scrollWidth").await;
            assert!(width.as_u64() <= Some(320), "{name} is {width} px wide");
        })
        .await;
    });
}

#[test]
fn axe_finds_nothing_on_the_page_of_a_tournament() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report");
    let done = turnwise(&["report"])
        .arg(log_of_tournament(folder.path()))
        .arg("--out")
        .arg(&report)
        .output();
    assert!(done.expect("the report starts").status.success());
    for window in [DESK, DARK] {
        in_a_browser(window, async |page, _| {
            let address = format!("file://{}/report.html", report.display());
            page.client.goto(&address).await.expect("it loads");
            page.find(".podium").await;
            assert_eq!(violations(page).await, "");
        });
    }
}

#[test]
fn axe_finds_nothing_in_games_under_way() {
    in_a_browser(DESK, async |page, _| {
        let war = War::of_pairs(1);
        let page = &page.at(&war.link);
        page.go("live").await;
        page.find(".miniature .cell").await;
        assert_eq!(violations(page).await, "");
        page.click(".miniature").await;
        page.find("#large .replay").await;
        assert_eq!(violations(page).await, "");
    });
}

const TAB: &str = "\u{E004}";
pub const ENTER: &str = "\u{E007}";
pub const ESCAPE: &str = "\u{E00C}";
pub const LEFT: &str = "\u{E012}";
pub const UP: &str = "\u{E013}";
pub const RIGHT: &str = "\u{E014}";
pub const DOWN: &str = "\u{E015}";

/// Presses Tab until the focus is on an element that matches the selector.
pub async fn tab_to(page: &Page, selector: &str) {
    for _ in 0..60 {
        let is_there = format!("document.activeElement.matches({selector:?})");
        if page.eval(&is_there).await == true {
            return;
        }
        page.press(TAB).await;
    }
    panic!("Tab does not lead to {selector}");
}

#[test]
fn a_game_is_begun_and_played_by_keys_alone() {
    in_a_browser(DESK, async |page, _| {
        page.go("").await;
        tab_to(page, "nav a[href='#/play']").await;
        page.press(ENTER).await;
        page.find(".setup").await;
        tab_to(page, "[name=role]").await;
        page.press(DOWN).await;
        tab_to(page, ".setup button.main").await;
        page.press(ENTER).await;
        assert!(page.my_move().await);
        assert!(page.text(".seat.to-move").await.contains("Chaos"));
        // Tab reaches one cell of the board; arrow keys reach the other cells.
        tab_to(page, ".board .cell").await;
        page.press(RIGHT).await;
        page.press(DOWN).await;
        page.press(ENTER).await;
        assert!(page.answered(0).await);
        let first = page.text(".history code").await;
        assert_eq!(first, "1 1");
        // The page announces each event to screen readers.
        let said = page.text("#said").await;
        assert!(said.contains("Your move."), "{said}");
        let label = page
            .eval("document.activeElement.getAttribute('aria-label')")
            .await;
        assert!(
            label
                .as_str()
                .is_some_and(|label| label.contains("1\u{a0}1")),
            "{label}"
        );
        // The test plays a rematch as Order: it picks a tile up, drops it, and picks it up again.
        tab_to(page, "#hint").await;
        page.press(ENTER).await;
        page.find(".hint-move:enabled").await;
        tab_to(page, ".hint-move").await;
        page.press(ENTER).await;
        page.answered(2).await;
        page.begin("entropy", &[("role", "0"), ("nodes", "300")])
            .await;
        tab_to(page, ".board .cell").await;
        let steps = page
            .eval("[...document.querySelectorAll('.board .cell')].findIndex((cell) => cell.matches('.can-leave'))")
            .await
            .as_u64()
            .expect("a cell");
        for _ in 0..steps / 5 {
            page.press(DOWN).await;
        }
        for _ in 0..steps % 5 {
            page.press(RIGHT).await;
        }
        page.press(ENTER).await;
        assert_eq!(page.count(".board .picked").await, 1);
        page.press(ESCAPE).await;
        assert_eq!(page.count(".board .picked").await, 0);
    });
}

#[test]
fn every_page_is_small() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = log_of_tournament(folder.path());
    with_logs(DESK, &[&log], async |page, _| {
        page.begin("entropy", &[("role", "0"), ("nodes", "300"), ("seed", "5")])
            .await;
        let game = page.eval("location.hash.slice(2)").await;
        let game = game.as_str().expect("an address").to_owned();
        page.click("#analyse").await;
        page.until_text("#status", "is to move.").await;
        let analysis = page.eval("location.hash.slice(2)").await;
        let analysis = analysis.as_str().expect("an address").to_owned();
        page.go("logs").await;
        page.click("#logs a").await;
        page.find(".replay").await;
        let log = page.eval("location.hash.slice(2)").await;
        let log = log.as_str().expect("an address").to_owned();
        for (place, drawn) in [
            ("", ".ways"),
            ("play", ".setup"),
            ("rules?game=entropy", ".rules figure"),
            (&*game, ".board .cell"),
            (&*analysis, ".board .cell"),
            (&*analysis.replace("analysis", "review"), ".board .cell"),
            ("puzzles?game=entropy", "#reveal"),
            ("logs", "#logs a"),
            (&*log, ".podium"),
        ] {
            page.go(place).await;
            page.client.refresh().await.expect("it loads again");
            page.find(drawn).await;
            let loaded = "performance.getEntries()
                .filter(({ entryType, name }) => entryType === 'navigation' || /\\.(js|css)$/.test(name))
                .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)";
            let bytes = page.eval(loaded).await.as_u64().expect("a size");
            println!(
                "{bytes} bytes: #/{}",
                place.split('?').next().expect("a name")
            );
            assert!((10_000..160_000).contains(&bytes), "{place}: {bytes} bytes");
        }
    });
}
