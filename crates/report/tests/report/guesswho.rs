//! Tests logs of Guess Who. Its moves have no destination, and a single move can turn down several persons.

use serde_json::json;
use turnwise_report::replay::replay;

use super::output::page_of;
use super::page_check::{check_page, data_of};
use super::{data, one_match};

fn golden() -> String {
    std::fs::read_to_string(data("../golden/guesswho.jsonl")).expect("the golden log")
}

#[test]
fn the_page_shows_who_is_left_after_every_answer_and_what_was_said() {
    let of = one_match(&golden());
    assert!(of.conditions().starts_with("Guess Who with 10 persons of "));
    let page = page_of(of.clone());
    check_page(&page);
    let data = data_of(&page);
    assert_eq!(data[0]["games"][0]["columns"], 10);
    assert_eq!(data[0]["roles"], json!(["Player 1", "Player 2"]));
    for (shown, game) in data[0]["games"]
        .as_array()
        .expect("games")
        .iter()
        .zip(of.whole_games())
    {
        let replayed = replay(game, &of.header.game, false);
        assert_eq!(replayed.broken, None);
        let mut cells: Vec<char> = shown["beginning"]
            .as_str()
            .expect("letters")
            .chars()
            .collect();
        assert_eq!(
            cells.iter().collect::<String>(),
            "ABCDEFGHIJ          ABCDEFGHIJ"
        );
        for (at, step) in replayed.steps.iter().enumerate() {
            assert_eq!(shown["words"][at], game.record.moves[at]);
            for change in shown["changed"][at].as_array().expect("cells") {
                let letter = change[1].as_str().expect("a letter").chars().next();
                cells[change[0].as_u64().expect("a cell") as usize] = letter.expect("a letter");
            }
            let letters = &step.board.grid.letters;
            assert_eq!(cells.iter().collect::<String>(), *letters);
            let left = |row: &str| row.chars().filter(|&letter| letter != ' ').count();
            assert_eq!(shown["measures"][0][at + 1], left(&letters[..10]));
            assert_eq!(shown["measures"][1][at + 1], left(&letters[20..]));
        }
        let [first, second] = [0, 1].map(|player| {
            let text = replayed.steps.last().expect("a move").board.text.clone();
            text.lines().nth(player).expect("a line").to_owned()
        });
        assert!(first.starts_with("Player 1 looks for P"), "{first}");
        assert!(second.starts_with("Player 2 looks for P"), "{second}");
    }
}

#[test]
fn a_page_of_another_game_holds_nothing_of_this() {
    let log = super::sample::lines(&super::sample::records(&super::sample_plan()));
    let data = data_of(&page_of(one_match(&log)));
    assert!(data[0]["games"][0].get("changed").is_none());
}
