//! Tests the Studio's views for studying games: analysis, review and logs.

use std::path::Path;

use serde_json::Value;

use crate::everybody::{DOWN, ESCAPE, LEFT, UP, violations};
use crate::program::turnwise;
use crate::support::{
    DESK, PROJECTOR, Page, SMALL_PROJECTOR, War, data, in_a_browser, log_of_tournament, with_logs,
};

/// Sends a request to the engine that runs in the page, and returns its answer.
async fn ask(page: &Page, request: &str) -> Value {
    let script = "const [request, done] = arguments;
        fetch('api/ask', { method: 'POST', headers: { 'content-type': 'application/json' }, body: request })
            .then((response) => response.json()).then((told) => done(told.answer ?? told.error));";
    let answer = page
        .client
        .execute_async(script, vec![Value::from(request)])
        .await;
    answer.expect("an answer")
}

/// Returns a position in its packed form, in which it is part of a page's address.
async fn packed(page: &Page, position: &Value) -> String {
    let script = "const [position, done] = arguments;
        import(new URL('web/words.js', location.href)).then(({ packed }) => done(packed(position)));";
    let packed = page
        .client
        .execute_async(script, vec![position.clone()])
        .await;
    packed.expect("text").as_str().expect("text").to_owned()
}

fn position(moves: &[String]) -> Value {
    serde_json::json!({
        "game": "entropy", "settings": {"size": 3}, "beginning": {"seed": 7}, "moves": moves,
    })
}

/// Returns a game in which both sides play the best moves except at the plies `blunders`.
async fn game_with_blunders(page: &Page, blunders: [usize; 2]) -> Vec<String> {
    let mut moves = Vec::new();
    loop {
        let request = serde_json::json!({
            "ask": "study", "position": position(&moves), "top": 100, "nodes": 20_000,
        });
        let studied = ask(page, &request.to_string()).await;
        let Some(lines) = studied["lines"].as_array() else {
            return moves;
        };
        let line = match blunders.contains(&moves.len()) {
            true => lines.last(),
            false => lines.first(),
        };
        let next = &line.expect("a line")["moves"][0];
        moves.push(next.as_str().expect("a move").to_owned());
    }
}

/// Opens the review of a game with two planted blunders. Returns the moves of the game.
async fn review_of_two_blunders(page: &Page) -> Vec<String> {
    page.go("").await;
    let moves = game_with_blunders(page, BLUNDERS).await;
    assert!(moves.len() > BLUNDERS[1], "{moves:?}");
    let packed = packed(page, &position(&moves)).await;
    page.go(&format!("review?position={packed}")).await;
    page.until_text("#progress", "All moves are judged.").await;
    moves
}

/// The plies of the planted blunders: a slide of Order and a placement of Chaos.
const BLUNDERS: [usize; 2] = [11, 14];

#[test]
fn a_review_steps_through_the_planted_blunders() {
    in_a_browser(DESK, async |page, _| {
        review_of_two_blunders(page).await;
        let ply = || page.eval("Number(document.querySelector('#slider').value)");
        // The review opens at the first blunder, with the move in words.
        let [first, second] = BLUNDERS.map(|at| at + 1);
        assert_eq!(ply().await, first);
        page.until_text("#move", &format!("Move {first}, Order: slide "))
            .await;
        page.until_text("#move", "?? blunder: lost ").await;
        page.until_text("#move", "Better: slide ").await;
        assert_eq!(
            page.eval("document.querySelector('#previous').disabled")
                .await,
            true
        );
        page.click("#next").await;
        page.until_text("#move", &format!("Move {second}, Chaos: place "))
            .await;
        assert_eq!(ply().await, second);
        assert_eq!(
            page.eval("document.querySelector('#next').disabled").await,
            true
        );
        // Keys lead to the mistakes and through the moves between them.
        page.eval("document.activeElement.blur()").await;
        page.press(UP).await;
        assert_eq!(ply().await, first);
        page.press(LEFT).await;
        assert_eq!(ply().await, first - 1);
        page.press(DOWN).await;
        assert_eq!(ply().await, first);
        // Each side has an accuracy and one blunder, and the graph shows both.
        for row in [1, 2] {
            let cell = |column| format!(".lines tbody tr:nth-child({row}) td:nth-child({column})");
            page.until_text(&cell(2), " %").await;
            assert_eq!(page.text(&cell(5)).await, "1");
        }
        page.until_text("#luck", "points for Order.").await;
        assert_eq!(page.count(".course polyline").await, 1);
        assert_eq!(page.count(".course circle").await, 2);
        page.click(".course svg").await;
        let middle = ply().await.as_u64().expect("a ply");
        assert!((6..=11).contains(&middle), "{middle}");
    });
}

/// Types a move in the notation of logs, and plays it.
async fn type_move(page: &Page, notation: &str) {
    page.eval(
        "document.querySelectorAll('.further details').forEach((node) => { node.open = true; })",
    )
    .await;
    page.fill(".typed input", notation).await;
    page.click(".typed button").await;
}

#[test]
fn learning_accepts_a_good_move_and_refuses_the_mistake() {
    in_a_browser(DESK, async |page, _| {
        let moves = review_of_two_blunders(page).await;
        // Chaos has one mistake to learn from.
        page.click("#learn-1").await;
        page.until_text("#move", "Find a better move.").await;
        assert_eq!(
            page.eval("document.querySelector('#next').disabled").await,
            true
        );
        type_move(page, &moves[BLUNDERS[1]]).await;
        page.until_text("#move", "?? place ").await;
        page.until_text("#move", "blunder. Try another move.").await;
        page.click("#reveal").await;
        page.until_text("#move", "The best move: place ").await;
        page.click(".board [data-best]").await;
        page.until_text("#move", "Good: place ").await;
        page.click("#leave").await;
        page.until_text("#move", "?? blunder: lost ").await;
        // "Find a better move" starts from the mistake that the page shows.
        page.click("#previous").await;
        page.until_text("#move", "Move 12, Order: slide ").await;
        page.click("#seek").await;
        page.until_text("#move", "Find a better move.").await;
        type_move(page, &moves[BLUNDERS[0]]).await;
        page.until_text("#move", "Try another move.").await;
    });
}

#[test]
fn a_table_of_three_is_reviewed() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("table.jsonl");
    let words = "arena random random random --game twentyone --tables --seats 3 --rounds 3 --pairs 1 --seed 3 --quiet --log";
    let words: Vec<&str> = words.split(' ').collect();
    let played = turnwise(&words)
        .arg(&log)
        .output()
        .expect("the arena starts");
    assert!(played.status.success(), "{played:?}");
    with_logs(DESK, &[&log], async |page, _| {
        page.go("logs").await;
        page.click("#logs a").await;
        page.find(".replay").await;
        assert_eq!(page.count("#analyse:not([hidden])").await, 0);
        page.click("#review").await;
        page.until_text("#progress", "All moves are judged.").await;
        for row in ["Player 1", "Player 2", "Player 3"] {
            page.until_text(".lines tbody", row).await;
        }
        assert_eq!(page.count(".course polyline").await, 3);
    });
}

#[test]
fn puzzles_refuse_a_mistake_and_accept_the_solution() {
    let set = turnwise_games::puzzles("entropy").expect("the shipped puzzles");
    let set: Value = serde_json::from_str(set).expect("JSON");
    let puzzle = &set["puzzles"][0];
    let solution = puzzle["solution"].as_str().expect("a move");
    in_a_browser(DESK, async |page, _| {
        page.go("").await;
        page.click("a[href='#/puzzles?game=entropy']").await;
        page.until_text("#move", "Find the only good move.").await;
        page.until_text("#count", "Puzzle 1 of ").await;
        let position = serde_json::json!({
            "game": "entropy", "settings": set["settings"],
            "beginning": puzzle["beginning"], "moves": puzzle["moves"],
        });
        let request =
            serde_json::json!({ "ask": "study", "position": position, "top": 2, "nodes": 20_000 });
        let studied = ask(page, &request.to_string()).await;
        let mistake = studied["lines"][1]["moves"][0].as_str().expect("a move");
        type_move(page, mistake).await;
        page.until_text("#move", "Try another move.").await;
        type_move(page, solution).await;
        page.until_text("#move", "Good: ").await;
        page.until_text("#count", "1 solved.").await;
        // The solution is on the board, and its line shows the positions that follow.
        page.find(".board [data-best]").await;
        page.click("#line button").await;
        page.until("!document.querySelector('.board [data-best]')")
            .await;
        page.click("#next").await;
        page.until_text("#count", "Puzzle 2 of ").await;
        page.click("#reveal").await;
        page.until_text("#move", "The solution:").await;
        page.find("#line button").await;
        // Only puzzles of the chosen difficulty follow.
        page.choose("select", "0").await;
        page.until_text("#count", "Easy: ").await;
        page.choose("select", "2").await;
        page.until_text("#count", "Hard: level 4 of 8 still misses the move.")
            .await;
        // Every guess except the solution is an inaccuracy.
        let set = turnwise_games::puzzles("guesswho").expect("the shipped puzzles");
        let set: Value = serde_json::from_str(set).expect("JSON");
        let solution = set["puzzles"][0]["solution"].as_str().expect("a guess");
        page.go("puzzles?game=guesswho").await;
        page.until_text("#count", "Puzzle 1 of ").await;
        page.click("button.card.open").await;
        page.click("#confirm").await;
        page.until_text("#move", "Try another move.").await;
        type_move(page, solution).await;
        page.until_text("#move", "Good: ").await;
    });
}

/// Opens the analysis view with a 3x3 board that has three tiles.
async fn set_up_a_small_board(page: &Page) {
    page.go("analysis?game=entropy").await;
    page.fill("[name=text]", "A.B\n.A.\n...").await;
    page.eval("document.querySelector('.setup details').open = true")
        .await;
    page.fill("[name=size]", "3").await;
    page.click(".setup button[type=submit]").await;
    page.until_text("#status", "Order is to move.").await;
}

#[test]
fn lines_grow_can_be_followed_and_compared() {
    in_a_browser(DESK, async |page, _| {
        set_up_a_small_board(page).await;
        page.until("document.querySelectorAll('#lines tbody tr').length === 3")
            .await;
        page.until_text("#progress", "nodes").await;
        // The search ends by itself, or the test stops it. After that, the lines of play that it shows do not change.
        page.until("document.querySelector('#running').textContent === 'Search' || (document.querySelector('#running').click(), false)")
            .await;
        for row in [1, 2] {
            page.click(&format!("#lines tr:nth-child({row}) input"))
                .await;
        }
        page.until("document.querySelectorAll('#comparison .board').length === 2")
            .await;
        page.click("#lines tbody button").await;
        page.until("document.querySelectorAll('.history li').length === 1")
            .await;
        page.click("#back").await;
        page.until_text("#status", "Order is to move.").await;
        // The address contains the position, so a reload shows it again.
        let text = page.eval("document.querySelector('textarea').value").await;
        page.client.refresh().await.expect("it loads again");
        page.until_text("#status", "Order is to move.").await;
        let again = page.eval("document.querySelector('textarea').value").await;
        assert_eq!(text, again);
    });
}

#[test]
fn a_position_is_set_up_by_placing_pieces() {
    in_a_browser(DESK, async |page, _| {
        set_up_a_small_board(page).await;
        page.click("#placing summary").await;
        page.click("#placing input[value=C]").await;
        page.click("#placing .row:last-child .cell:last-child")
            .await;
        // Placing a tile on a cell that already has such a tile removes it, by keyboard and by mouse.
        page.click("#placing input[value=A]").await;
        page.click("#placing .row:nth-child(2) .cell").await;
        for key in ["\u{E014}", "\u{E015}", "\u{E007}"] {
            page.press(key).await;
        }
        let text = page.eval("document.querySelector('textarea').value").await;
        assert_eq!(text, ". . B\n. . .\n. . C\n");
        page.click("form:has(#placing) button[type=submit]").await;
        page.until(
            "document.querySelector('.stage .board').textContent.replace(/[^A-Z]/g, '') === 'BC'",
        )
        .await;
        assert_eq!(page.eval("location.hash.includes('position=')").await, true);
        // Placing one more tile of a color that is used up causes a message and leaves the board unchanged.
        page.click("#placing input[value=C]").await;
        for cell in ["2", "3", "4"] {
            page.click(&format!("#placing .row:nth-child(2) > :nth-child({cell})"))
                .await;
        }
        page.click("form:has(#placing) button[type=submit]").await;
        page.until_text("#error", "C").await;
        page.go("analysis?game=masterchef").await;
        page.click(".setup button[type=submit]").await;
        page.until_text("#status", "is to move").await;
        assert_eq!(page.count("#placing:not([hidden])").await, 0);
    });
}

#[test]
fn a_text_that_is_no_position_is_refused_in_words() {
    in_a_browser(DESK, async |page, _| {
        page.go("analysis?game=entropy").await;
        page.fill("[name=text]", "<script>alert(1)</script>").await;
        page.click(".setup button[type=submit]").await;
        page.until_text("#error", "expected").await;
        page.go("analysis?position=garbage").await;
        page.until_text("#main", "no position").await;
        page.go("no/such/page").await;
        page.until_text("#main", "no such page").await;
    });
}

#[test]
fn logs_are_found_and_stepped_through() {
    with_logs(DESK, &[&data("")], async |page, _| {
        page.go("logs").await;
        page.until_text("#main [role=status]", "3 of 3 logs").await;
        page.fill("#find", "halma").await;
        page.until_text("#main [role=status]", "1 of 3 logs").await;
        page.fill("#find", "sample").await;
        page.until_text("#logs a", "sample.jsonl").await;
        page.click("#logs a").await;
        page.find(".replay").await;
        page.click("#end").await;
        page.until_text("#details", "final score").await;
        // The cells of the board must be square, whatever is on them.
        let squares = "[...document.querySelectorAll('.board .cell')]
            .map((cell) => cell.getBoundingClientRect())
            .every(({ width, height }) => width > 0 && Math.abs(width - height) < 1)";
        assert_eq!(page.eval(squares).await, true);
        // The address is a link to the position.
        let move_text = page.text("#move").await;
        page.client.refresh().await.expect("it loads again");
        page.find(".replay").await;
        assert_eq!(page.text("#move").await, move_text);
    });
}

#[test]
fn the_log_of_a_tournament_opens_on_its_ranking() {
    let folder = tempfile::tempdir().expect("a folder");
    with_logs(
        DESK,
        &[&log_of_tournament(folder.path())],
        async |page, _| {
            page.go("logs").await;
            page.until_text("#logs", "The cup").await;
            page.click("#logs a").await;
            page.until_text("#ranking", "CS 1, 2027-01-31").await;
            assert_eq!(page.count(".podium b").await, 3);
            // The viewer shows a game of the two best.
            let best =
                "[...document.querySelectorAll('.podium b')].slice(0, 2).every(({ textContent }) =>
            document.querySelector('#players').textContent.includes(textContent))";
            assert_eq!(page.eval(best).await, true);
            // A cell of the crosstable lists the games of its two participants.
            assert_eq!(page.count("#list button").await, 12);
            page.click(".met button").await;
            assert_eq!(page.count("#list button").await, 4);
            // A move in the list shows its position.
            page.click("#plies li:nth-child(4) button").await;
            page.until_text("#details", "4\u{a0}of").await;
            // Typing into the filter selects again from all games.
            page.fill("#filter", "fault").await;
            page.until("document.querySelectorAll('#list button').length > 4")
                .await;
        },
    );
}

#[test]
fn any_pair_of_a_large_log_is_opened_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let large = folder.path().join("large.jsonl");
    let log = std::fs::read_to_string(data("sample.jsonl")).expect("a log");
    // Blank lines count for the size and nothing else.
    let blank = " ".repeat(4_000_000) + "\n";
    std::fs::write(&large, log + &blank.repeat(5)).expect("it can be written");
    with_logs(DESK, &[&large], async |page, _| {
        page.go("logs").await;
        page.click("#logs a").await;
        page.until_text("#news", "This log is large.").await;
        assert_eq!(page.count("#list button").await, 8);
        page.fill("#pair", "3").await;
        page.click("form.typed button").await;
        page.until_text("#news", "Only pair 3 is shown.").await;
        page.until_text("#list", "Pair 3, game 2").await;
        assert_eq!(page.count("#list button").await, 2);
        page.click("#review").await;
        page.until_text("#progress", "All moves are judged.").await;
        page.client.back().await.expect("back to the pair");
        page.click("#news a").await;
        page.until("document.querySelectorAll('#list button').length === 8")
            .await;
        let place = page.eval("location.hash.split('?')[0].slice(2)").await;
        page.go(&format!(
            "{}?pair=99&game=1",
            place.as_str().expect("a place")
        ))
        .await;
        page.until_text("#error", "there is no pair 99 in the log")
            .await;
    });
}

#[test]
fn a_log_that_grows_is_followed_in_the_list_and_while_it_is_looked_at() {
    let whole = std::fs::read_to_string(data("sample.jsonl")).expect("a log");
    // The offsets in the log at which a writer may have paused: after the header, and after some of the pairs.
    let ends: Vec<usize> = (whole.match_indices('\n').map(|(at, _)| at + 1))
        .filter(|&end| {
            let last = whole[..end].trim_end().lines().last().unwrap_or_default();
            last.contains("\"event\":\"game\"") && last.contains("\"game\":2")
        })
        .collect();
    assert!(ends.len() > 2, "{ends:?}");
    let header = whole.find('\n').expect("a header") + 1;
    let games = |end: usize| whole[..end].matches("\"event\":\"game\"").count();
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("growing.jsonl");
    let write = |end: usize| std::fs::write(&log, &whole[..end]).expect("there is room");
    write(header);
    with_logs(DESK, &[folder.path()], async |page, _| {
        page.go("logs").await;
        page.until_text("#logs a", "growing.jsonl").await;
        assert_eq!(page.count("#logs .written").await, 0);
        page.click("#logs a").await;
        page.until_text("#main", "There is no game in this log.")
            .await;
        // The page shows the first pair as soon as the log contains it.
        write(ends[0]);
        page.find(".replay").await;
        page.until(&format!(
            "document.querySelectorAll('#list button').length === {}",
            games(ends[0])
        ))
        .await;
        page.click("#end").await;
        let (move_text, hash) = (page.text("#move").await, page.eval("location.hash").await);
        write(ends[1]);
        let fresh = games(ends[1]) - games(ends[0]);
        page.until_text("#news", &format!("{fresh} new games"))
            .await;
        assert_eq!(page.count("#list button").await, games(ends[1]) as u64);
        // The page keeps showing the selected game.
        assert_eq!(page.text("#move").await, move_text);
        assert_eq!(page.eval("location.hash").await, hash);
        page.go("logs").await;
        let shown = |end| {
            format!(
                "document.querySelector('#logs .figure')?.textContent === '{}'",
                games(end)
            )
        };
        page.until(&shown(ends[1])).await;
        write(ends[2]);
        page.until(&shown(ends[2])).await;
        page.until_text("#logs .written", "being written").await;
    });
}

#[test]
fn a_logged_game_is_saved_analysed_and_reviewed() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("played.jsonl");
    let played = turnwise(&["arena", "greedy", "random", "--pairs", "1", "--size", "3"])
        .args(["--seed", "3", "--quiet", "--log"])
        .arg(&log)
        .output()
        .expect("the arena starts");
    assert!(played.status.success(), "{played:?}");
    with_logs(DESK, &[&log], async |page, _| {
        page.go("logs").await;
        page.click("#logs a").await;
        page.find(".replay").await;
        // The test intercepts downloads, because a browser without a window cannot save files.
        page.client
            .execute(
                "window.saved = [];
                 URL.createObjectURL = (blob) => { saved.push(blob.type); return '#'; };
                 HTMLAnchorElement.prototype.click = () => {};",
                vec![],
            )
            .await
            .expect("it is a script");
        for format in ["svg", "gif", "text"] {
            page.click(&format!("#save-{format}")).await;
        }
        page.until("saved.length === 3").await;
        let saved = page.eval("saved").await;
        let mut saved: Vec<String> = serde_json::from_value(saved).expect("texts");
        saved.sort();
        assert!(saved[0].starts_with("image/gif"), "{saved:?}");
        assert!(saved[1].starts_with("image/svg+xml"), "{saved:?}");
        assert!(saved[2].starts_with("text/plain"), "{saved:?}");
        page.click("#forward").await;
        page.click("#analyse").await;
        page.until_text("#status", "Order is to move.").await;
        page.client.back().await.expect("back to the log");
        page.click("#review").await;
        page.until_text("#progress", "All moves are judged.").await;
        assert_eq!(page.count(".history .step code").await, 17);
    });
}

#[test]
fn names_in_logs_are_only_text() {
    with_logs(DESK, &[&data("faults.jsonl")], async |page, _| {
        page.go("logs").await;
        page.until_text("#logs", "<b>bold</b>").await;
        page.click("#logs a").await;
        page.find(".replay").await;
        page.fill("#filter", "</script>").await;
        page.click("#list button").await;
        page.until_text("#players", "</script>").await;
        assert_eq!(page.count("#main b").await, page.count(".fault b").await);
    });
}

#[test]
fn a_log_that_is_dropped_is_shown() {
    in_a_browser(DESK, async |page, _| {
        page.go("logs").await;
        let halma = data("halma.jsonl");
        let path = halma.to_str().expect("the path is UTF-8");
        let field = page.find("#drop input").await;
        field.send_keys(path).await.expect("a file is chosen");
        page.find(".replay .piece").await;
        page.until_text("h1", "random against distance").await;
        // A file that is not a log causes a message.
        page.go("logs").await;
        let field = page.find("#drop input").await;
        let other = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let path = other.to_str().expect("the path is UTF-8");
        field.send_keys(path).await.expect("a file is chosen");
        page.until("!document.querySelector('#error').hidden").await;
    });
}

#[test]
fn a_table_of_three_is_watched_while_it_is_played() {
    in_a_browser(DESK, async |page, _| {
        let war = War::at_a_table();
        let page = &page.at(&war.link);
        page.go("live").await;
        page.until_text("#count", "Being played: ").await;
        page.find(".miniature .cell").await;
        // Every participant has a line with points, even after elimination.
        for name in ["ada", "broken", "slow"] {
            page.until_text(".miniature", name).await;
        }
        page.until("/^\\d+$/.test(document.querySelector('.miniature .standing').textContent)")
            .await;
        page.until_text(".miniature", "Ply 1").await;
        page.click(".miniature").await;
        page.find("#large .replay").await;
        page.until_text("#plies", "broken: Out").await;
        let moves = page.count("#plies li").await;
        page.until(&format!(
            "document.querySelectorAll('#plies li').length > {moves} + 5"
        ))
        .await;
        page.until_text("#fault", "Fault of broken (Player 3)")
            .await;
        page.until_text("#details", "Player 1's CPU clock before its move")
            .await;
        page.until_text("#list", "Rotation 1, game").await;
        assert_eq!(page.count(".course polyline").await, 3);
        // A spectator who reloads during a game sees the whole game.
        let moves = page.count("#plies li").await;
        page.client.refresh().await.expect("it loads again");
        page.until(&format!(
            "document.querySelectorAll('#plies li').length >= {moves}"
        ))
        .await;
        page.until_text("#plies", "broken: Out").await;
    });
}

#[test]
fn a_war_is_watched_to_its_end() {
    // The browser starts before the war.
    in_a_browser(DESK, async |page, _| {
        let war = War::of_pairs(1);
        let page = &page.at(&war.link);
        page.go("live").await;
        page.find(".miniature .cell").await;
        page.until_text("#count", "Being played: 1").await;
        page.click(".miniature").await;
        page.find("#large .replay").await;
        // The list of moves starts with the first move; both clocks run.
        page.until_text("#plies li", "places").await;
        page.until_text("#details", "Chaos's clock before its move")
            .await;
        page.until_text("#details", "final score").await;
        page.until("document.querySelectorAll('#plies li').length === 31")
            .await;
        page.until_text("#count", "Being played: 0, over: 2. The match is over.")
            .await;
    });
}

/// Asserts that everything on the projector fits the screen, and that names, clocks and standings have at least 4 % of
/// its height.
async fn assert_fits_the_projector(page: &Page) {
    let scrolls = "document.documentElement.scrollHeight > innerHeight
        || document.documentElement.scrollWidth > innerWidth";
    assert_eq!(page.eval(scrolls).await, false);
    let outside = "[...document.querySelectorAll('.seat, .board, .board .cell, .news, h1, tr, .projector a')].filter((node) => {
        const { left, top, right, bottom, width } = node.getBoundingClientRect();
        return width > 0 && (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight);
    }).map((node) => node.outerHTML)";
    assert_eq!(page.eval(outside).await, serde_json::json!([]));
    let small = "[...document.querySelectorAll('.seat b, .clock, tbody td')]
        .filter((node) => parseFloat(getComputedStyle(node).fontSize) < innerHeight * .04 - .1)
        .map((node) => node.outerHTML)";
    assert_eq!(page.eval(small).await, serde_json::json!([]));
    let header = "getComputedStyle(document.querySelector('header')).display";
    assert_eq!(page.eval(header).await, "none");
    assert_eq!(violations(page).await, "");
}

#[test]
fn a_final_of_eight_is_projected_to_its_end() {
    in_a_browser(PROJECTOR, async |page, _| {
        let war = War::final_of_eight();
        let page = &page.at(&war.link);
        page.go("live?projector").await;
        // Four games run at a time, each on a large board.
        page.until("document.querySelectorAll('.boards .board').length === 4")
            .await;
        // The test may be slower than the tournament, so the page notes all standings.
        page.eval(
            "(() => {
                window.told = new Set();
                const body = document.querySelector('tbody');
                const note = () => told.add(body.innerText);
                new MutationObserver(note).observe(body, { childList: true, subtree: true });
            })()",
        )
        .await;
        page.find(".boards .seat.to-move").await;
        let smallest = "Math.min(...[...document.querySelectorAll('.boards .board')]
            .map((board) => board.getBoundingClientRect().width))";
        let smallest = page.eval(smallest).await.as_f64();
        assert!(smallest > Some(300.0), "{smallest:?}");
        assert_fits_the_projector(page).await;
        assert_eq!(page.count("tbody tr").await, 8);
        war.go();
        page.find(".boards .news").await;
        assert_fits_the_projector(page).await;
        // The final standings stay after the server has ended.
        page.find(".projector.final").await;
        assert_eq!(page.count("tbody tr").await, 8);
        assert_eq!(page.count("#lost:not([hidden])").await, 0);
        page.find("tbody [data-place='1']").await;
        assert_fits_the_projector(page).await;
        // The standings have changed as games ended.
        page.until("told.size > 2").await;
    });
}

#[test]
fn tables_are_projected_on_a_small_screen() {
    in_a_browser(SMALL_PROJECTOR, async |page, _| {
        let war = War::at_a_table();
        let page = &page.at(&war.link);
        page.go("live").await;
        page.click("a[href='#/live?projector']").await;
        for name in ["ada", "broken", "slow"] {
            page.until_text(".boards", name).await;
            page.until_text(".projector tbody", name).await;
        }
        page.find(".boards .cell").await;
        page.until_text(".boards .standing", "0").await;
        assert_fits_the_projector(page).await;
        page.press(ESCAPE).await;
        page.find(".miniature .cell").await;
    });
}

/// A tournament in which one program never answers.
const SILENT: &str = r#"
game = "entropy"
isolate = false
[time]
clock = 1000
counts = "wall"
[[participant]]
name = "<i>silent</i>"
run = "sleep 1000"
[[participant]]
name = "random"
agent = "random"
"#;

#[test]
fn a_clock_on_the_projector_runs_between_moves() {
    in_a_browser(SMALL_PROJECTOR, async |page, _| {
        let war = War::in_class(SILENT);
        let page = &page.at(&war.link);
        page.go("live?projector").await;
        page.until_text(".seat.to-move", "<i>silent</i>").await;
        assert_eq!(page.count("#main i").await, 0);
        let clock = page.text(".to-move .clock").await;
        page.until(&format!(
            "document.querySelector('.to-move .clock').textContent < {clock:?}"
        ))
        .await;
        let plies = page.count(".boards .cell:not(.bare)").await;
        assert!(plies <= 1, "no move was made meanwhile: {plies}");
        page.click("#full").await;
        page.until("document.fullscreenElement !== null").await;
        page.press("f").await;
        page.until("document.fullscreenElement === null").await;
    });
}
