//! Tests how players come and go: their names, their seats and their replacements.

use turnwise_entropy_server::host::HostError;
use turnwise_protocol::entropy::Role;

use crate::host::scripted::{Act, CONCEDES, Client, Question, story};
use crate::host::table::{Config, Event, StandingClock, Table, config, is_leaving};

/// Returns true if the event says that a player took the second seat.
fn second_joined(event: &Event) -> bool {
    matches!(event, Event::Joined { seat: 1, .. })
}

fn named(name: &'static str) -> impl Fn(&Event) -> bool {
    move |event| matches!(event, Event::Joined { name: joined, .. } if joined == name)
}

#[tokio::test]
async fn one_that_leaves_in_a_game_loses_it_and_is_replaced() {
    for role in [Role::Order, Role::Chaos] {
        let table = Table::open(config()).await;
        let (address, reports) = (table.address, table.reports());
        let leaver = move |question: Question| match question.turn {
            1 => Act::Leave,
            _ => Act::Usual,
        };
        let first = Client::join(address, b"first").await;
        table.seated(0).await;
        let second = Client::join(address, b"second").await;
        let (other, culprit) = match role {
            Role::Order => (second.plays_well(), first.plays(leaver)),
            Role::Chaos => (first.plays_well(), second.plays(leaver)),
        };
        reports.until(is_leaving).await;
        let heir = Client::join(address, b"heir").await.plays_well();
        let outcome = table.outcome().await;
        outcome.finished(2);
        let name = ["first", "second"][usize::from(role == Role::Chaos)];
        outcome.lost_by(0, name, role, "it has left");
        outcome.complete(1);
        assert!(story(culprit).await.left);
        assert!(story(heir).await.was_told_goodbye());
        assert!(story(other).await.was_told_goodbye());
    }
}

#[tokio::test]
async fn one_that_leaves_before_the_wars_is_replaced_without_a_game() {
    let table = Table::open(config()).await;
    let leaver = Client::join(table.address, b"leaver").await;
    table.seated(0).await;
    drop(leaver);
    Client::breathe().await;
    let second = Client::join(table.address, b"second").await.plays_well();
    table.reports().until(is_leaving).await;
    let heir = Client::join(table.address, b"heir").await.plays_well();
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.complete(0);
    outcome.complete(1);
    assert_eq!(outcome.games()[0].names[0], "heir");
    assert!(story(heir).await.was_told_goodbye());
    assert!(story(second).await.was_told_goodbye());
}

/// The remaining player wins by default if no replacement comes.
#[tokio::test]
async fn one_that_leaves_between_two_games_and_is_not_replaced() {
    let wars = 2;
    let table = Table::open(Config { wars, ..config() }).await;
    let reports = table.reports();
    let other = Client::join(table.address, b"other").await.plays_well();
    table.seated(0).await;
    let leaver = Client::join(table.address, b"leaver").await;
    // Before this player leaves, it answers the last question of the first game.
    let leaver = tokio::spawn(async move {
        let mut leaver = leaver;
        while let Some(question) = leaver.question().await {
            leaver.answer(question).await;
            if question.turn == 3 {
                return;
            }
        }
    });
    leaver.await.expect("no panic");
    // From here on, the other player is alone and gets no question that takes time.
    reports.until(is_leaving).await;
    reports
        .until_in_no_time(|event| matches!(event, Event::WarOver(war) if war.war == wars))
        .await;
    let outcome = table.outcome().await;
    outcome.finished(4);
    outcome.complete(0);
    for (game, role) in [(1, Role::Order), (2, Role::Chaos), (3, Role::Order)] {
        let culprit = if game == 1 {
            &outcome.games()[1].names[0]
        } else {
            "nobody"
        };
        outcome.lost_by(game, culprit, role, "it has left");
    }
    assert!(outcome.wars().iter().all(|war| war.winner() == Some(0)));
    assert!(story(other).await.was_told_goodbye());
}

#[tokio::test]
async fn both_gone() {
    let table = Table::open(Config {
        wars: 2,
        ..config()
    })
    .await;
    let reports = table.reports();
    let first = Client::join(table.address, b"first").await;
    table.seated(0).await;
    let second = Client::join(table.address, b"second").await;
    story(second.plays(|_| Act::Leave)).await;
    reports.until(is_leaving).await;
    drop(first);
    // No further player comes, so all waits for replacements end without a player.
    tokio::time::pause();
    let outcome = table.outcome().await;
    assert!(
        matches!(outcome.result, Err(HostError::Deserted(_))),
        "{:?}",
        outcome.result
    );
}

#[tokio::test]
async fn silent_clients_delay_neither_a_match_nor_a_replacement() {
    let table = Table::open(config()).await;
    let (address, reports) = (table.address, table.reports());
    let mut silent = Vec::new();
    for _ in 0..64 {
        silent.push(Client::connect(address).await);
    }
    let clock = StandingClock::stop();
    let first = Client::join(address, b"first").await;
    reports.until(named("first")).await;
    let second = Client::join(address, b"second").await;
    reports.until(named("second")).await;
    clock.goes_on();
    let leaver = first.plays(|_| Act::Leave);
    let second = second.plays_well();
    reports.until(is_leaving).await;
    let clock = StandingClock::stop();
    let heir = Client::join(address, b"heir").await;
    reports.until(named("heir")).await;
    clock.goes_on();
    let heir = heir.plays_well();
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.lost_by(0, "first", Role::Order, "it has left");
    outcome.complete(1);
    assert!(story(leaver).await.left);
    assert!(story(second).await.was_told_goodbye());
    assert!(story(heir).await.was_told_goodbye());
}

#[tokio::test]
async fn a_client_without_a_name_keeps_nobody_waiting_and_is_told_why() {
    let table = Table::open(config()).await;
    let reports = table.reports();
    let silent = Client::connect(table.address).await;
    let first = Client::join(table.address, b"first").await;
    table.seated(0).await;
    // One seat is still free when the silent player's time is up.
    reports
        .until_in_no_time(|event| matches!(event, Event::Refused { .. }))
        .await;
    let silent = silent.hear_out().await;
    assert!(silent.may_come_again());
    let comment = silent.heard[0]["comment"].as_str().expect("a reason");
    assert!(comment.contains("no name came within 5 s"), "{comment}");
    let gone = Client::connect(table.address).await;
    drop(gone);
    let second = Client::join(table.address, b"second").await.plays_well();
    let first = first.plays_well();
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.complete(0);
    assert!(story(first).await.was_told_goodbye());
    assert!(story(second).await.was_told_goodbye());
}

/// Returns the name that the host gives to a player that first sends these bytes.
async fn name_of(said: &[u8]) -> String {
    let table = Table::open(config()).await;
    let odd = Client::join(table.address, said).await.plays_well();
    table.seated(0).await;
    let other = Client::join(table.address, b"other").await.plays_well();
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.complete(0);
    outcome.complete(1);
    assert!(story(odd).await.was_told_goodbye());
    assert!(story(other).await.was_told_goodbye());
    outcome.games()[0].names[0].clone()
}

#[tokio::test]
async fn odd_names() {
    let longest = "x".repeat(100);
    assert_eq!(name_of(longest.as_bytes()).await, longest);
    assert_eq!(name_of(b"with a line feed\r\n").await, "with a line feed");
    assert_eq!(name_of(b"\n").await, "nameless");
    assert_eq!(name_of(b"\x1b[2Jred\x07").await, "[2Jred");
    assert_eq!(name_of(&[b'a', 0xff, b'b']).await, "a\u{fffd}b");
    assert_eq!(name_of("Größe 名前".as_bytes()).await, "Größe 名前");
    assert_eq!(name_of("al\u{202e}ice\u{200b}".as_bytes()).await, "alice");
    assert_eq!(name_of(b"other").await, "other");
}

#[tokio::test]
async fn clients_of_other_protocols_take_no_seat() {
    let table = Table::open(config()).await;
    let many = "[".repeat(100);
    let http = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    for said in [http, "{\"na", &many] {
        let stranger = Client::join(table.address, said.as_bytes()).await;
        let told = stranger.hear_out().await;
        let comment = told.heard[0]["comment"].as_str().expect("a reason");
        assert!(comment.contains("expected a name"), "{said}: {comment}");
    }
    let first = Client::join(table.address, b"first").await.plays_well();
    let second = Client::join(table.address, b"second").await.plays_well();
    table.outcome().await.complete(0);
    assert!(story(first).await.was_told_goodbye());
    assert!(story(second).await.was_told_goodbye());
}

/// A player that takes over a seat does not inherit the score of the player that left.
#[tokio::test]
async fn one_that_takes_a_seat_between_two_games_wins_nothing_by_the_first() {
    let table = Table::open(config()).await;
    let (address, reports) = (table.address, table.reports());
    let mut loser = Client::join(address, b"loser").await;
    table.seated(0).await;
    let mut leaver = Client::join(address, b"leaver").await;
    let question = leaver.question().await.expect("Chaos begins");
    leaver.answer(question).await;
    assert!(loser.question().await.is_some());
    drop(leaver);
    Client::breathe().await;
    loser.say(CONCEDES).await;
    reports.until(is_leaving).await;
    let heir = Client::join(address, b"heir").await.plays_well();
    let loser = loser.plays(|_| Act::Say(CONCEDES.to_vec()));
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.lost_by(0, "loser", Role::Order, "it conceded");
    outcome.lost_by(1, "loser", Role::Chaos, "it conceded");
    let war = outcome.wars()[0];
    assert_eq!(war.names, ["loser", "heir"]);
    assert_eq!(war.scores, [0, 100]);
    assert_eq!((war.winner(), war.is_drawn()), (None, false));
    assert!(story(heir).await.was_told_goodbye());
    assert!(story(loser).await.was_told_goodbye());
}

/// There are more players than seats. The third player waits at the door and takes over when a seat becomes free.
#[tokio::test]
async fn more_clients_than_seats() {
    let table = Table::open(config()).await;
    let leaver = Client::join(table.address, b"leaver").await;
    table.seated(0).await;
    let second = Client::join(table.address, b"second").await;
    table.reports().until(second_joined).await;
    // Two more players wait for a seat, but the first of the two gives up.
    let impatient = Client::join(table.address, b"impatient").await;
    Client::breathe().await;
    drop(impatient);
    let third = Client::join(table.address, b"third").await.plays_well();
    Client::breathe().await;
    let leaver = leaver.plays(|_| Act::Leave);
    let second = second.plays_well();
    table.reports().until(named("third")).await;
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.lost_by(0, "leaver", Role::Order, "it has left");
    outcome.complete(1);
    assert_eq!(outcome.games()[1].names[1], "third");
    assert!(story(leaver).await.left);
    assert!(story(second).await.was_told_goodbye());
    assert!(story(third).await.was_told_goodbye());
}
