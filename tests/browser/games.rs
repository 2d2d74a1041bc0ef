//! Tests whole games of each kind that are played in the browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::everybody::ESCAPE;
use crate::program::turnwise;
use crate::support::{DESK, Page, TELEPHONE, in_a_browser, with_logs};

/// The form's settings for an agent that answers immediately and deterministically.
const AT_ONCE: [(&str, &str); 2] = [("nodes", "300"), ("seed", "7")];

fn fields<'a>(besides: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&AT_ONCE, besides].concat()
}

/// Returns Order's score twice: as the final message states it, and as the sum of the displayed palindromes.
async fn scores(page: &Page) -> [u64; 2] {
    let number = |text: &str| {
        let mut words = text.split([' ', '.']);
        words.find_map(|word| word.parse().ok()).expect("a number")
    };
    let status = page.text("#status").await;
    let runs = page.text(".scoring summary").await;
    [number(&status), number(&runs)]
}

/// Plays to the end of the game: makes each move by a click on the first element that matches the selector. Returns the
/// number of moves.
async fn play_by(page: &Page, selector: &str) -> u64 {
    let mut made = 0;
    while page.my_move().await {
        let moves = page.moves().await;
        page.click(selector).await;
        page.answered(moves).await;
        made += 1;
    }
    made
}

#[test]
fn a_game_of_entropy_as_chaos() {
    in_a_browser(DESK, async |page, _| {
        page.begin("entropy", &fields(&[("role", "1"), ("agent", "greedy")]))
            .await;
        let placed = play_by(page, ".board .can-take").await;
        assert_eq!(placed, 25);
        assert_eq!(page.count(".board .cell.bare").await, 0);
        let [told, shown] = scores(page).await;
        assert_eq!(told, shown);
    });
}

#[test]
fn a_game_of_entropy_as_order_by_dragging_and_by_clicking() {
    in_a_browser(DESK, async |page, _| {
        page.begin("entropy", &fields(&[("role", "0"), ("agent", "random")]))
            .await;
        let mut slid = 0;
        while page.my_move().await {
            let moves = page.moves().await;
            if slid % 2 == 0 {
                page.click(".board .can-leave").await;
                assert_eq!(page.count(".board .picked").await, 1);
                page.press(ESCAPE).await;
                assert_eq!(page.count(".board .picked").await, 0);
                page.click(".board .can-leave").await;
                page.click(".board .can-take").await;
            } else {
                // The page shows a piece's targets only while the piece is picked up, so the test drops it again.
                page.click(".board .can-leave").await;
                let cells = "[...document.querySelectorAll('.board .cell')]";
                for (name, class) in [("start", "picked"), ("end", "can-take")] {
                    let mark = format!(
                        "{cells}.find((cell) => cell.classList.contains('{class}')).setAttribute('data-drag', '{name}')"
                    );
                    page.eval(&mark).await;
                }
                page.click(".board .picked").await;
                assert_eq!(page.count(".board .picked").await, 0);
                page.drag_over("[data-drag=start]", "[data-drag=end]").await;
                // The tile follows the mouse.
                let is_there = "(([one, other]) => Math.hypot(one.x - other.x, one.y - other.y) < 4)(
                    [...document.querySelectorAll('.held, [data-drag=end]')].map((node) => node.getBoundingClientRect()))";
                assert_eq!(page.eval(is_there).await, true);
                page.drop_there().await;
                assert_eq!(page.count(".held").await, 0);
                page.eval(&format!(
                    "{cells}.forEach((cell) => cell.removeAttribute('data-drag'))"
                ))
                .await;
            }
            page.answered(moves).await;
            slid += 1;
        }
        assert_eq!(slid, 24);
        let [told, shown] = scores(page).await;
        assert_eq!(told, shown);
    });
}

#[test]
fn a_game_of_halma_by_taps() {
    in_a_browser(TELEPHONE, async |page, _| {
        let settings = [
            ("role", "0"),
            ("agent", "random"),
            ("max-plies", "12"),
            ("begins", "black"),
        ];
        page.begin("halma", &fields(&settings)).await;
        let mut moved = 0;
        while page.my_move().await {
            let moves = page.moves().await;
            page.click(".board .can-leave").await;
            page.click(".board .can-take").await;
            page.answered(moves).await;
            moved += 1;
        }
        assert_eq!(moved, 6);
        assert_eq!(page.moves().await, 12);
        assert_eq!(page.count(".board .piece.first").await, 19);
    });
}

/// Returns a board of Halma on which Black is to move and needs two more steps to win.
///
/// 18 of Black's pieces already fill the corner of the camp.
fn nearly_won() -> String {
    let rows = [
        "................",
        "................",
        "................",
        "......WWWWW.....",
        "......WWWWW.....",
        "......WWWWW.....",
        "......WWWW......",
        "................",
        "................",
        "................",
        ".............B..",
        "..............B.",
        ".............BBB",
        "............BBBB",
        "...........BBBBB",
        "...........BBBBB",
    ];
    format!("to move: Black\nplies left: 100\n{}\n", rows.join("\n"))
}

#[test]
fn a_game_of_halma_from_a_position_is_won_by_taps_and_reviewed() {
    in_a_browser(TELEPHONE, async |page, _| {
        page.go("analysis?game=halma").await;
        page.find(".setup textarea").await;
        page.eval(&format!(
            "document.querySelector('.setup textarea').value = {:?}",
            nearly_won()
        ))
        .await;
        page.click(".setup button[type=submit]").await;
        page.click("#play-from-here").await;
        page.open_advanced().await;
        page.pick("role", "0").await;
        page.choose("[name=agent]", "random").await;
        page.click(".setup button[type=submit]").await;
        let tap = async |column: usize, row: usize| {
            page.click(&format!(".board [title='{column},{row}']"))
                .await;
        };
        assert!(page.my_move().await);
        tap(13, 10).await;
        tap(14, 10).await;
        assert!(page.answered(0).await);
        tap(14, 10).await;
        tap(15, 11).await;
        assert!(!page.answered(2).await);
        page.until_text("#status", "You win").await;
        // The board of the finished game is still available.
        assert!(
            page.client
                .find(fantoccini::Locator::Css("#take-back"))
                .await
                .is_ok()
        );
        page.click("#review").await;
        page.until_text("#progress", "All moves are judged.").await;
        assert_eq!(page.count(".history li").await, 3);
    });
}

#[test]
fn a_round_of_guess_who() {
    in_a_browser(DESK, async |page, _| {
        page.begin("guesswho", &fields(&[("role", "0"), ("agent", "random")]))
            .await;
        // Questions are grouped under headings; a guess is a click on a person.
        let mut fallen = 0;
        while page.my_move().await {
            let moves = page.moves().await;
            let mut next = ".group button:enabled";
            if page.count("button.card:not(.down)").await == 1 || page.count(next).await == 0 {
                next = "button.card:not(.down)";
            }
            page.click(next).await;
            page.confirm().await;
            page.answered(moves).await;
            fallen = fallen.max(page.count(".card.down").await);
        }
        assert!(fallen > 0, "no card has fallen");
        let status = page.text("#status").await;
        assert!(
            status.starts_with("You ") || status.contains("draw"),
            "{status}"
        );
    });
}

#[test]
fn rounds_of_twenty_one() {
    in_a_browser(DESK, async |page, _| {
        let settings = [("role", "1"), ("agent", "basic"), ("rounds", "3")];
        page.begin("twentyone", &fields(&settings)).await;
        let (mut cards, mut turned) = (0, 0);
        while page.my_move().await {
            let moves = page.moves().await;
            cards = cards.max(page.count(".card").await);
            turned = turned.max(page.count(".card.turned").await);
            page.click("#play-amount, .choices .moves button").await;
            page.answered(moves).await;
        }
        assert!(
            cards >= 4 && turned > 0,
            "{cards} cards were seen, {turned} turned"
        );
        let status = page.text("#status").await;
        assert!(status.contains("points"), "{status}");
        assert!(!page.text(".news").await.is_empty());
    });
}

#[test]
fn a_team_of_masterchef() {
    in_a_browser(TELEPHONE, async |page, _| {
        page.begin("masterchef", &fields(&[("role", "0"), ("agent", "greedy")]))
            .await;
        let picked = play_by(page, "button.card").await;
        assert_eq!(picked, 5);
        assert_eq!(page.count(".card.first").await, 5);
        assert_eq!(page.count(".card.second").await, 5);
    });
}

#[test]
fn a_game_whose_rules_are_a_program_in_a_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/game/python");
    with_logs(DESK, &[Path::new("--game"), &folder], async |page, _| {
        page.begin("tictactoe", &fields(&[("role", "0"), ("agent", "random")]))
            .await;
        assert_eq!(page.count(".board .cell").await, 9);
        let placed = play_by(page, ".board .can-take").await;
        assert!((3..=5).contains(&placed), "{placed} moves");
        assert!(
            page.text("#status").await.contains("over")
                || page.text("#status").await.starts_with("You ")
        );
    });
}

#[test]
fn a_log_of_a_game_in_a_folder_is_reviewed() {
    let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/game/python");
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("match.jsonl");
    let played = turnwise(&[
        "arena",
        "random",
        "greedy=random",
        "--pairs",
        "1",
        "--quiet",
    ])
    .args(["--random_opening", "--game"])
    .args([&game, Path::new("--log"), &log])
    .output()
    .expect("the arena starts");
    assert!(played.status.success(), "{played:?}");
    with_logs(
        DESK,
        &[&log, Path::new("--game"), &game],
        async |page, _| {
            page.go("logs").await;
            page.click("#logs a").await;
            page.find(".replay .cell").await;
            page.click("#review").await;
            page.until_text("#progress", "All moves are judged.").await;
            page.until_text(".history", "place O on cell").await;
        },
    );
}

/// Returns the folder of a Python that has PettingZoo, if there is one.
fn python_with_petting_zoo() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/games/bin");
    let path = std::env::var_os("PATH")?;
    let mut folders = [own].into_iter().chain(std::env::split_paths(&path));
    let folder = folders.find(|folder| folder.join("python3").is_file())?;
    let imported = Command::new(folder.join("python3"))
        .args(["-c", "import pettingzoo.classic"])
        .output();
    imported.ok()?.status.success().then_some(folder)
}

#[test]
fn classes_play_games_of_petting_zoo() {
    let Some(python) = python_with_petting_zoo() else {
        println!(
            "skipped: games of PettingZoo; pip install 'pettingzoo[classic]' makes them possible"
        );
        return;
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([python].into_iter().chain(std::env::split_paths(&path)));
    let path = path.expect("folders");
    // A board has cells; cards lie beside it.
    for (game, best, cells) in [
        ("tictactoe_v3", "mcts", 9),
        ("connect_four_v3", "mcts", 42),
        ("leduc_holdem_v4", "random", 0),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut class = format!(
            "title = \"The cup\"\ngame = \"pettingzoo:{game}\"\nisolate = false\n[time]\nnodes = 20\n"
        );
        for (name, agent) in [
            ("ada", "random"),
            ("bob", "random"),
            ("cyd", best),
            ("dan", best),
        ] {
            class += &format!("[[participant]]\nname = \"{name}\"\nagent = \"{agent}\"\n");
        }
        let file = folder.path().join("class.toml");
        std::fs::write(&file, class).expect("it can be written");
        let played = turnwise(&["tournament"])
            .arg(&file)
            .env("PATH", &path)
            .output()
            .expect("it starts");
        assert!(played.status.success(), "{played:?}");
        in_a_browser(DESK, async |page, _| {
            let address = format!(
                "file://{}/class-report/report.html",
                folder.path().display()
            );
            page.client.goto(&address).await.expect("it loads");
            page.until_text("h2", "The cup").await;
            assert_eq!(page.count(".ranks tbody tr").await, 8);
            assert_eq!(page.count(".met").await, 12);
            assert_eq!(page.count("#list button").await, 12);
            page.click("#end").await;
            assert_eq!(page.count("#board .cell").await, cells);
            let full = "document.querySelectorAll('#board .cell:not(.bare)').length";
            assert_eq!(page.eval(full).await != 0, cells > 0);
            assert!(page.count("#plies button").await > 0);
        });
    }
}
