//! Tests the actions of a player other than moves, and what happens if the page or the server is lost.

use serde_json::{Value, json};

use crate::support::{DESK, Page, in_a_browser};

const SMALL: [(&str, &str); 5] = [
    ("size", "3"),
    ("role", "1"),
    ("agent", "greedy"),
    ("nodes", "300"),
    ("seed", "7"),
];

/// Returns the first game in the browser's stored list of games.
async fn kept(page: &Page) -> Value {
    page.eval("JSON.parse(localStorage.getItem('turnwise.games'))[0]")
        .await
}

async fn place(page: &Page) -> bool {
    let moves = page.moves().await;
    page.click(".board .can-take").await;
    page.answered(moves).await
}

#[test]
fn hints_are_the_best_moves_and_can_be_played_and_taken_back() {
    in_a_browser(DESK, async |page, _| {
        page.begin("entropy", &SMALL).await;
        let before = page.text(".stock").await;
        assert!(place(page).await);
        page.click("#hint").await;
        page.find(".hint-move:enabled").await;
        let hints = page.count(".hint-line").await;
        assert!((1..=3).contains(&hints), "{hints} hints");
        page.until_text(".evaluation", "for Order").await;
        page.until_text("#best", "Best: place ").await;
        page.click("#best:enabled").await;
        page.answered(2).await;
        assert_eq!(page.moves().await, 4);
        page.click("#take-back").await;
        page.until("document.querySelectorAll('.history li').length === 2")
            .await;
        page.click("#take-back").await;
        page.until("document.querySelectorAll('.history li').length === 0")
            .await;
        page.my_move().await;
        assert_eq!(page.text(".stock").await, before);
    });
}

#[test]
fn a_rematch_has_the_same_luck_and_the_other_side() {
    in_a_browser(DESK, async |page, _| {
        page.begin("entropy", &SMALL).await;
        while place(page).await {}
        let first = kept(page).await;
        page.click("#rematch").await;
        page.until_text(
            ".table",
            "Rematch: last time, you played Chaos. Order's score is",
        )
        .await;
        page.my_move().await;
        let second = kept(page).await;
        assert_eq!([&first["side"], &second["side"]], [&json!(1), &json!(0)]);
        assert_eq!(first["beginning"], second["beginning"]);
        assert_eq!(first["settings"], second["settings"]);
        assert_ne!(first["id"], second["id"]);
    });
}

#[test]
fn who_resigns_has_lost_and_is_asked_before() {
    in_a_browser(DESK, async |page, _| {
        page.begin("entropy", &SMALL).await;
        page.click("#resign").await;
        assert!(page.my_move().await, "resigned without being asked");
        page.click("#really-resign").await;
        page.until_text("#status", "You resigned. greedy wins.")
            .await;
        assert_eq!(page.count(".board .can-take").await, 0);
        // The player can take an accidental move back.
        page.click("#take-back").await;
        page.until_text("#status", "Your move.").await;
    });
}

#[test]
fn a_clock_that_runs_out_ends_the_game() {
    in_a_browser(DESK, async |page, _| {
        page.go("play?game=entropy").await;
        page.open_advanced().await;
        page.choose(".setup .field:has([value=movetime]) select", "movetime")
            .await;
        page.pick("role", "1").await;
        page.fill("[name=seconds]", "0.2").await;
        page.click(".setup button[type=submit]").await;
        page.until_text("#status", "You ran out of time.").await;
    });
}

#[test]
fn the_clocks_are_those_of_then_when_moves_are_taken_back() {
    in_a_browser(DESK, async |page, _| {
        page.go("play?game=entropy").await;
        page.open_advanced().await;
        page.choose(".setup .field:has([value=movetime]) select", "clock")
            .await;
        page.pick("role", "1").await;
        page.fill("[name=seconds]", "500").await;
        page.fill("[name=increment]", "0").await;
        page.click(".setup button[type=submit]").await;
        assert!(page.my_move().await);
        assert!(place(page).await);
        assert!(place(page).await);
        let left = async || kept(page).await["left"].clone();
        assert_ne!(left().await, json!([500, 500]));
        page.click("#take-back").await;
        page.click("#take-back").await;
        page.until("document.querySelectorAll('.history li').length === 0")
            .await;
        page.my_move().await;
        assert_eq!(left().await, json!([500, 500]));
        assert!(place(page).await);
    });
}

#[test]
fn a_game_from_a_position_is_taken_back_to_there_and_no_further() {
    in_a_browser(DESK, async |page, _| {
        page.begin("entropy", &SMALL).await;
        assert!(place(page).await);
        page.click("#analyse").await;
        page.click("#play-from-here").await;
        page.until_text(".setup", "after 2 moves").await;
        page.open_advanced().await;
        page.pick("role", "1").await;
        page.choose("[name=agent]", "greedy").await;
        page.click(".setup button[type=submit]").await;
        assert!(page.my_move().await);
        assert_eq!(page.moves().await, 2);
        let back = async || {
            page.eval("document.querySelector('#take-back').disabled")
                .await
        };
        assert_eq!(back().await, json!(true));
        while place(page).await {}
        page.click("#rematch").await;
        page.until_text(".table", "Rematch: last time, you played Chaos.")
            .await;
        page.until("document.querySelectorAll('.history li').length >= 2")
            .await;
        assert_eq!(
            kept(page).await["opening"].as_array().map(Vec::len),
            Some(2)
        );
    });
}

#[test]
fn a_game_goes_on_after_the_page_was_loaded_again() {
    in_a_browser(DESK, async |page, _| {
        page.begin("entropy", &SMALL).await;
        place(page).await;
        place(page).await;
        let before = page.text(".history").await;
        page.client.refresh().await.expect("it loads again");
        page.my_move().await;
        assert_eq!(page.text(".history").await, before);
        assert!(place(page).await);
        // The first page also lists the game.
        page.go("").await;
        page.click(".recent a").await;
        page.my_move().await;
        assert_eq!(page.moves().await, 6);
    });
}

#[test]
fn a_game_goes_on_after_the_server_was_away() {
    in_a_browser(DESK, async |page, studio| {
        page.begin("entropy", &SMALL).await;
        assert!(place(page).await);
        studio.stop();
        page.click(".board .can-take").await;
        page.until("!document.querySelector('#lost').hidden").await;
        studio.start();
        page.until("document.querySelector('#lost').hidden").await;
        assert!(page.answered(2).await);
        assert_eq!(page.moves().await, 4);
    });
}

#[test]
fn what_is_no_move_is_refused_in_words() {
    in_a_browser(DESK, async |page, _| {
        page.begin("entropy", &SMALL).await;
        page.eval("[...document.querySelectorAll('.further details')].forEach((node) => { node.open = true; })")
            .await;
        page.fill(".typed input", "<b>9 9</b>").await;
        page.press("\u{E007}").await;
        page.until_text(".typed + #error", "expected").await;
        assert_eq!(page.count("#error b").await, 0);
        assert!(page.my_move().await);
        page.fill(".typed input", "1 1").await;
        page.press("\u{E007}").await;
        page.answered(0).await;
        assert_eq!(page.text(".history code").await, "1 1");
    });
}

#[test]
fn who_takes_back_while_the_agent_thinks_does_not_wait_for_it() {
    in_a_browser(DESK, async |page, _| {
        // Without the interruption, the search would take a minute, the longest allowed time.
        let settings = [("role", "1"), ("level", "0"), ("nodes", "900000000")];
        page.begin("entropy", &settings).await;
        page.click(".board .can-take").await;
        page.until_text("#status", "turnwise is thinking.").await;
        page.click("#take-back").await;
        page.until_text("#status", "Your move.").await;
        assert_eq!(page.moves().await, 0);
        assert!(page.text("#error").await.is_empty());
    });
}
