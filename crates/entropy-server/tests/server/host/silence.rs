//! Tests players that answer too late or not at all.

use turnwise_protocol::entropy::Role;

use crate::host::scripted::{Act, Client, Question, reply, story};
use crate::host::table::{Config, Table, config, is_fault, is_leaving};

/// An answer that comes only during the next game must not count as an answer in that game.
#[tokio::test]
async fn an_answer_that_comes_in_the_next_games_time() {
    let table = Table::open(config()).await;
    let mut late = Client::join(table.address, b"late").await;
    table.seated(0).await;
    let other = Client::join(table.address, b"other").await.plays_well();
    let question = late.question().await.expect("a question");
    table.reports().until_in_no_time(is_fault).await;
    Client::breathe().await;
    // In the next game, where the player is Chaos, this answer would be illegal.
    late.answer(question).await;
    let late = late.plays_well();
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.lost_by(0, "late", Role::Order, "its clock ran out");
    outcome.complete(1);
    assert!(story(late).await.was_told_goodbye());
    assert!(story(other).await.was_told_goodbye());
}

#[tokio::test]
async fn silence_until_the_clock_runs_out_and_further() {
    let table = Table::open(config()).await;
    let other = Client::join(table.address, b"other").await.plays_well();
    table.seated(0).await;
    let mut silent = Client::join(table.address, b"silent").await;
    let asked = silent.question().await.expect("a question");
    assert_eq!(asked.role, Role::Chaos);
    table.reports().until_in_no_time(is_leaving).await;
    let heir = Client::join(table.address, b"heir").await.plays_well();
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.lost_by(0, "silent", Role::Chaos, "its clock ran out");
    outcome.complete(1);
    let silent = silent.hear_out().await;
    let farewell = silent.heard.last().expect("it heard something");
    assert_eq!(
        farewell["comment"],
        "it did not send an answer that was due"
    );
    assert!(silent.may_come_again());
    assert!(story(heir).await.was_told_goodbye());
    assert!(story(other).await.was_told_goodbye());
}

/// Tests in real time that a player loses when its clock runs out. In no other test does a clock really run out.
#[tokio::test]
async fn a_short_clock_is_enforced_over_the_whole_game() {
    let clock = std::time::Duration::from_secs(1);
    let table = Table::open(Config { clock, ..config() }).await;
    let mut slow = Client::join(table.address, b"slow").await;
    table.seated(0).await;
    let other = Client::join(table.address, b"other").await.plays_well();
    // Each of the three answers takes less than the clock allows, but together they take more.
    let slow = tokio::spawn(async move {
        while let Some(question) = slow.question().await {
            if question.game == 1 {
                tokio::time::sleep(clock.mul_f64(0.6)).await;
            }
            slow.answer(question).await;
        }
        slow.hear_out().await
    });
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.lost_by(0, "slow", Role::Order, "its clock ran out");
    let [order, _] = outcome.games()[0].timers;
    assert!(order.is_zero());
    assert!(story(slow).await.was_told_goodbye());
    assert!(story(other).await.was_told_goodbye());
}

/// A player sends all answers of a game before their questions.
///
/// The host accepts that, and does not use the remaining answers in the next game.
#[tokio::test]
async fn answers_given_in_advance() {
    let table = Table::open(config()).await;
    let hasty = Client::join(table.address, b"hasty").await;
    let hasty = hasty.plays(|question| match question {
        Question {
            game: 1, turn: 0, ..
        } => Act::Say(reply("0 0 0 0").repeat(5)),
        Question { game: 1, .. } => Act::Nothing,
        _ => Act::Usual,
    });
    table.seated(0).await;
    let other = Client::join(table.address, b"other").await.plays_well();
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.complete(0);
    outcome.complete(1);
    assert!(story(hasty).await.was_told_goodbye());
    assert!(story(other).await.was_told_goodbye());
}
