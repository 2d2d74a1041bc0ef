//! Tests the table: what fits into the window, whole games by keyboard and by touch, sounds, and the result.

use turnwise_games::GAMES;

use crate::everybody::{DOWN, ENTER, ESCAPE, LEFT, RIGHT, UP, tab_to, violations};
use crate::support::{DESK, LAPTOP, PHONE, Page, War, Window, in_a_browser};

/// An opponent that answers immediately and deterministically.
const AT_ONCE: [(&str, &str); 3] = [("agent", "random"), ("nodes", "300"), ("seed", "7")];

async fn begin(page: &Page, game: &str, fields: &[(&str, &str)]) {
    page.begin(game, &[&AT_ONCE, fields].concat()).await;
}

/// Checks for each game that the window shows both seats, the first actions and nothing beyond its width.
fn everything_is_above_the_fold(window: Window) {
    in_a_browser(window, async |page, _| {
        for game in GAMES.iter().map(|game| game.about().name) {
            begin(page, game, &[("role", "0")]).await;
            page.eval("scrollTo(0, 0)").await;
            let hidden = "['.seat:not(.own)', '.seat.own', '#hint', '#status',
                '.board-box:not([hidden]) .board, button.card, .choices button, #play-amount'].filter((one) => {
                const node = [...document.querySelectorAll(one)].find((node) => node.offsetParent !== null || one === '#hint');
                const { top, bottom } = node.getBoundingClientRect();
                return top < 0 || bottom > innerHeight + 1;
            })";
            let hidden = page.eval(hidden).await;
            let hidden: Vec<String> = serde_json::from_value(hidden).expect("texts");
            // On a phone, cards and actions come first, and the accent shows whose turn it is.
            let hidden = hidden.iter().filter(|one| *one != "#status");
            assert_eq!(hidden.collect::<Vec<_>>(), Vec::<&String>::new(), "{game}");
            let width = page.eval("document.documentElement.scrollWidth - innerWidth");
            assert!(width.await.as_i64() <= Some(0), "{game} is too wide");
        }
    });
}

#[test]
fn everything_is_above_the_fold_on_a_laptop() {
    everything_is_above_the_fold(LAPTOP);
}

#[test]
fn everything_is_above_the_fold_on_a_phone() {
    everything_is_above_the_fold(PHONE);
}

#[test]
fn rules_and_levels_are_a_click_away() {
    in_a_browser(DESK, async |page, _| {
        let about = GAMES[0].about();
        page.go("").await;
        let link = format!("a[href='#/rules?game={}']", about.name);
        page.click(&link).await;
        let caption = about.rules.iter().find_map(|rule| rule.example.as_ref());
        let caption = caption.expect("an example").caption;
        page.until_text(".rules figcaption", caption).await;
        page.find(".rules .board").await;
        page.click(".rules a.main").await;
        page.until(&format!(
            "document.querySelectorAll('[name=level]').length === {}",
            about.levels.len() + 1
        ))
        .await;
        page.pick("level", "1").await;
        page.until_text("#level-text", "Level 1 is for beginners: 80 % ")
            .await;
        page.pick("role", "0").await;
        page.click(".setup button[type=submit]").await;
        page.until_text(".seat:not(.own)", "level 1").await;
        page.until("document.querySelectorAll('.history li').length > 0")
            .await;
        assert!(page.my_move().await);
        page.find(&link).await;
    });
}

/// Plays to the end by keys alone: moves the focus to an element that matches the selector, and presses Enter.
async fn play_by_keys(page: &Page, selector: &str) {
    while page.my_move().await {
        let moves = page.moves().await;
        if page.count("[aria-keyshortcuts='1']").await > 0 {
            page.press("1").await;
        } else {
            tab_to(page, selector).await;
            page.press(ENTER).await;
        }
        // A decisive move is confirmed by the button that has the focus now.
        if page.count("#confirm").await > 0 {
            page.press(ENTER).await;
        }
        page.answered(moves).await;
    }
}

#[test]
fn games_of_cards_are_played_by_keys_alone() {
    in_a_browser(DESK, async |page, _| {
        begin(page, "masterchef", &[("role", "0")]).await;
        play_by_keys(page, "button.card").await;
        assert_eq!(page.count(".card.first").await, 5);
        begin(page, "guesswho", &[("role", "0")]).await;
        play_by_keys(page, "button.card:not(.down)").await;
        let settings = [("role", "0"), ("rounds", "2")];
        begin(page, "twentyone", &settings).await;
        play_by_keys(page, "#play-amount, .choices .moves button").await;
        page.until_text("#factor", "points").await;
    });
}

/// Moves the focus on the board by arrow keys to a cell that matches the selector, and presses Enter.
async fn press_cell(page: &Page, selector: &str) {
    tab_to(page, ".board .cell").await;
    let way = format!(
        "(() => {{
            const cells = [...document.querySelectorAll('.board .cell')];
            const columns = Number(getComputedStyle(document.querySelector('.board')).getPropertyValue('--columns'));
            const [now, to] = [document.activeElement, document.querySelector({selector:?})].map((node) => cells.indexOf(node));
            return [Math.floor(to / columns) - Math.floor(now / columns), to % columns - now % columns];
        }})()"
    );
    let way: [i64; 2] = serde_json::from_value(page.eval(&way).await).expect("two numbers");
    for (steps, keys) in way.into_iter().zip([[UP, DOWN], [LEFT, RIGHT]]) {
        for _ in 0..steps.abs() {
            page.press(keys[usize::from(steps > 0)]).await;
        }
    }
    page.press(ENTER).await;
}

#[test]
fn games_on_boards_are_played_by_keys_alone() {
    in_a_browser(DESK, async |page, _| {
        begin(page, "entropy", &[("role", "1"), ("size", "3")]).await;
        while page.my_move().await {
            let moves = page.moves().await;
            press_cell(page, ".board .can-take").await;
            page.answered(moves).await;
        }
        assert_eq!(page.count(".board .cell.bare").await, 0);
        begin(page, "halma", &[("role", "0"), ("max-plies", "4")]).await;
        while page.my_move().await {
            let moves = page.moves().await;
            press_cell(page, ".board .can-leave").await;
            press_cell(page, ".board .can-take").await;
            page.answered(moves).await;
        }
        assert_eq!(page.moves().await, 4);
    });
}

#[test]
fn games_are_played_by_touch() {
    in_a_browser(PHONE, async |page, _| {
        let games = [
            ("entropy", "size", "3", "1", ".board .can-take"),
            ("guesswho", "seed", "3", "0", "button.card:not(.down)"),
            (
                "twentyone",
                "rounds",
                "2",
                "0",
                "#play-amount, .choices .moves button",
            ),
        ];
        for (game, setting, value, side, next) in games {
            begin(page, game, &[("role", side), (setting, value)]).await;
            while page.my_move().await {
                let moves = page.moves().await;
                page.click(next).await;
                page.confirm().await;
                page.answered(moves).await;
            }
            assert_ne!(page.text("#factor").await, "", "{game}");
        }
    });
}

#[test]
fn a_press_without_meaning_says_why_and_a_finger_may_miss_a_small_square() {
    in_a_browser(PHONE, async |page, _| {
        begin(page, "halma", &[("role", "0"), ("max-plies", "6")]).await;
        let moves = page.moves().await;
        page.click(".board .cell:nth-child(9)").await;
        page.until_text(".refusal", "First choose one of ").await;
        page.click(".board .can-leave").await;
        page.click(".board .row:last-child .cell:last-child").await;
        page.until_text(".refusal", "It cannot go there").await;
        assert_eq!(page.count(".board .picked").await, 1);
        // A tap just beside a piece or a target means the piece or the target.
        let tap = "((selector) => {
            const { left, top, width } = document.querySelector(selector).getBoundingClientRect();
            const at = { clientX: left - width / 4, clientY: top + width / 2 };
            document.elementFromPoint(at.clientX, at.clientY)
                .dispatchEvent(new PointerEvent('click', { bubbles: true, pointerType: 'touch', ...at }));
        })";
        let beside = |mark: &str| {
            let last = format!(".board .cell:not(.can-take, .can-leave) + .{mark}");
            format!("{tap}({last:?})")
        };
        page.eval(&beside("can-take")).await;
        assert!(page.answered(moves).await);
        page.eval(&beside("can-leave")).await;
        assert_eq!(page.count(".board .picked").await, 1);
    });
}

#[test]
fn a_decisive_card_is_only_played_after_a_question() {
    in_a_browser(DESK, async |page, _| {
        begin(page, "guesswho", &[("role", "0")]).await;
        let moves = page.moves().await;
        page.click("button.card:not(.down)").await;
        page.until_text("#confirm", "Guess ").await;
        assert_eq!(page.count(".card.picked").await, 1);
        assert_eq!(violations(page).await, "");
        page.press(ESCAPE).await;
        page.until("!document.querySelector('#confirm, .card.picked')")
            .await;
        assert_eq!(page.moves().await, moves);
        page.click("button.card:not(.down)").await;
        page.click("#confirm").await;
        page.answered(moves).await;
    });
}

#[test]
fn the_table_is_the_same_after_it_was_loaded_again_and_the_result_is_told_once() {
    in_a_browser(DESK, async |page, _| {
        begin(page, "entropy", &[("role", "1"), ("size", "3")]).await;
        let place = async || {
            let moves = page.moves().await;
            page.click(".board .can-take").await;
            page.answered(moves).await
        };
        place().await;
        place().await;
        page.until_text("#sound", "Sound on").await;
        page.click("#sound").await;
        page.until_text("#sound", "Sound off").await;
        let shown = ["#last-move", ".history", ".seat .standing", ".stock"];
        let mut before = Vec::new();
        for selector in shown {
            before.push(page.text(selector).await);
        }
        let marks = page.count(".board .cell.to").await;
        page.client.refresh().await.expect("it loads again");
        page.my_move().await;
        for (selector, before) in shown.into_iter().zip(before) {
            assert_eq!(page.text(selector).await, before, "{selector}");
        }
        assert_eq!(page.count(".board .cell.to").await, marks);
        page.until_text("#sound", "Sound off").await;
        while place().await {}
        let text = page.eval("document.querySelector('main').innerText").await;
        let text = text.as_str().expect("text");
        assert_eq!(text.matches("You held Order to").count(), 1, "{text}");
        let said = page.text("#said").await;
        assert!(said.contains("You held Order to"), "{said}");
        page.until_text("#factor", "With full strength on both sides: ")
            .await;
        page.until_text("#rematch", "Swap sides").await;
        // The first page lists the game with its result, and offers nothing to continue.
        page.go("").await;
        page.until_text(".recent li", "You held Order to").await;
        assert_eq!(page.count(".continue:not([hidden])").await, 0);
    });
}

#[test]
fn the_first_page_draws_each_game_and_offers_to_continue() {
    in_a_browser(DESK, async |page, _| {
        page.go("").await;
        let drawn = "document.querySelectorAll('.way .scene:has(.cell, .card)').length";
        page.until(&format!("{drawn} === {}", GAMES.len())).await;
        for game in ["guesswho", "entropy"] {
            page.click(&format!(".way a[href$='{game}']")).await;
            page.click(".setup button[type=submit]").await;
            page.my_move().await;
            page.go("").await;
        }
        // Both games are offered, the newest first. The test then removes a game.
        page.until_text(".continue li", "Entropy").await;
        assert_eq!(page.count(".continue li").await, 2);
        assert_eq!(violations(page).await, "");
        page.click(".continue button").await;
        page.until_text(".continue li", "Guess Who").await;
        page.click(".continue a").await;
        page.until_text("#status", "Your move.").await;
    });
}

#[test]
fn seven_tabs_watch_the_same_games() {
    in_a_browser(DESK, async |page, _| {
        let war = War::of_pairs(50);
        let page = &page.at(&war.link);
        page.go("live").await;
        page.find(".miniature .cell").await;
        for _ in 0..7 {
            let tab = page.client.new_window(true).await.expect("a new tab");
            (page.client.switch_to_window(tab.handle).await).expect("the new tab");
            page.go("live").await;
            page.find(".miniature .cell").await;
            page.until_text("#count", "Being played: ").await;
        }
    });
}

#[test]
fn the_best_moves_are_drawn_and_other_positions_are_a_click_away() {
    in_a_browser(LAPTOP, async |page, _| {
        begin(page, "entropy", &[("role", "1")]).await;
        // On a busy machine, a search may see no further than one move.
        for _ in 0..60 {
            page.click("#hint").await;
            page.find("#best:enabled").await;
            if page.count(".hint-line button:nth-child(2)").await > 0 {
                break;
            }
        }
        assert_eq!(page.count(".hint-line").await, 3);
        assert_eq!(page.count(".board .ghost[data-best]").await, 3);
        page.until_text(".evaluation", "for Order").await;
        page.click(".hints summary").await;
        page.until_text("#searched", "nodes").await;
        assert_eq!(violations(page).await, "");
        page.click(".hint-line button:nth-child(2)").await;
        page.until_text("#status", "If ").await;
        assert_eq!(page.count(".board .can-take, .board .ghost").await, 0);
        page.click("#now").await;
        page.until_text("#status", "Your move.").await;
        page.click(".hint-move:enabled").await;
        assert!(page.answered(0).await);
        assert_eq!(page.count("[data-best]").await, 0);
        // The first move alone is on the board again, until the person comes back.
        let tiles = "[...document.querySelectorAll('.board .cell')].filter((cell) => cell.textContent).length";
        page.click(".history li:first-child button").await;
        page.until_text("#status", "After move 1 of 2").await;
        page.until(&format!("{tiles} === 1")).await;
        page.click("#now").await;
        page.until_text("#status", "Your move.").await;
        // The arrow keys also reach the positions.
        let body = "document.activeElement.blur()";
        page.eval(body).await;
        page.press("?").await;
        page.until_text("#keys", "Take back").await;
        page.click("#keys button").await;
        page.eval(body).await;
        page.press(LEFT).await;
        page.until_text("#status", "After move 1 of 2").await;
        page.press(LEFT).await;
        page.until_text("#status", "After move 0 of 2").await;
        page.until(&format!("{tiles} === 0")).await;
        page.press(RIGHT).await;
        page.press(RIGHT).await;
        page.until_text("#status", "Your move.").await;
        // The flipped board begins with its last row, even after a reload.
        let corner = "document.querySelector('.board .cell').getAttribute('aria-label')";
        page.until(&format!("{corner}.startsWith('0')")).await;
        page.press("f").await;
        page.until(&format!("{corner}.startsWith('4')")).await;
        page.client.refresh().await.expect("the page loads");
        page.my_move().await;
        page.until(&format!("{corner}.startsWith('4')")).await;
    });
}
