//! Tests invalid answers: each costs its author the game, and affects no other player.

use tokio::task::JoinSet;
use turnwise_entropy::referee::RuleBook;
use turnwise_protocol::entropy::Role;

use crate::host::scripted::{Act, Client, Question, Story, reply, story};
use crate::host::table::{Config, Event, Outcome, Table, config, is_leaving};

/// Plays a war in which one player gives this answer once.
///
/// The first player, Order in the first game, gives the answer to its second question as `role`.
async fn a_war_with(answer: Vec<u8>, role: Role, config: Config) -> (Outcome, Story, Story) {
    let table = Table::open(config).await;
    let culprit = Client::join(table.address, b"culprit").await;
    let mut answer = Some(answer);
    let culprit = culprit.plays(move |question: Question| {
        if question.role == role && question.turn == 1 {
            answer.take().map_or(Act::Usual, Act::Say)
        } else {
            Act::Usual
        }
    });
    table.seated(0).await;
    let other = Client::join(table.address, b"other").await.plays_well();
    let outcome = table.outcome().await;
    (outcome, story(culprit).await, story(other).await)
}

/// Checks that a player that gives this answer loses the game for this reason.
///
/// Also checks that the other game is completed, and that both players see both games and the end.
async fn costs_the_game(answer: impl Into<Vec<u8>>, role: Role, reason: &str) {
    let (outcome, culprit, other) = a_war_with(answer.into(), role, config()).await;
    outcome.finished(2);
    let (lost, played) = match role {
        Role::Order => (0, 1),
        Role::Chaos => (1, 0),
    };
    outcome.lost_by(lost, "culprit", role, reason);
    outcome.complete(played);
    for told in [&culprit, &other] {
        assert_eq!(told.resets(), 2, "{told:?}");
        assert!(told.was_told_goodbye(), "{told:?}");
    }
}

async fn cost_the_game(answers: Vec<(Vec<u8>, Role, &'static str)>) {
    let wars: JoinSet<()> = answers
        .into_iter()
        .map(|(answer, role, reason)| costs_the_game(answer, role, reason))
        .collect();
    wars.join_all().await;
}

#[tokio::test]
async fn illegal_moves() {
    use Role::{Chaos, Order};
    // At its second question Chaos has one tile on 0 0. When Order is asked, the board also has a tile on 0 1.
    cost_the_game(vec![
        (reply("0 0"), Chaos, "illegal placement `0 0`"),
        (reply("2 0"), Chaos, "illegal placement"),
        (reply("0 255"), Chaos, "illegal placement"),
        (reply("0 0 1 0"), Chaos, "expected `row col`"),
        (reply("0 1 A"), Chaos, "expected `row col`"),
        (reply("A"), Chaos, "expected `row col`"),
        (reply("0 0 0 1"), Order, "illegal move `0 0 0 1`"),
        (reply("0 0 1 1"), Order, "illegal move"),
        (reply("1 0 1 1"), Order, "illegal move"),
        (reply("0 0 2 0"), Order, "illegal move"),
        (reply("200 200 200 200"), Order, "illegal move"),
        (reply("1 1"), Order, "expected `row col row col`"),
    ])
    .await;
}

#[tokio::test]
async fn answers_that_are_no_moves() {
    use Role::{Chaos, Order};
    let invalid = [&b"{\"payload\":\"0 "[..], &[0xff, 0xfe], b"\"}"].concat();
    let deep = ["[".repeat(100), "]".repeat(100)].concat();
    let deep = format!("{{\"payload\":{deep}}}");
    let escapes = r#"{"status":false,"comment":"tired\n\u001b[2Jof it"}"#;
    for role in [Order, Chaos] {
        cost_the_game(vec![
            (b"hello there\n".to_vec(), role, "hello there"),
            (invalid.clone(), role, ""),
            (deep.clone().into_bytes(), role, "levels of nesting"),
            (b"{}".to_vec(), role, "expected a payload"),
            (b"{\"payload\":7}".to_vec(), role, "invalid type"),
            (b"{\"payload\":NaN}".to_vec(), role, "expected value"),
            (b"{\"payload\":\"\"}".to_vec(), role, "expected a size"),
            (reply("0 1\n0 1"), role, "expected a size"),
            (reply("-1 0"), role, "expected a size"),
            (reply("0 99999999999999999999"), role, "expected a size"),
            (b"{\"status\":false}".to_vec(), role, "conceded"),
            (escapes.as_bytes().to_vec(), role, "tired"),
        ])
        .await;
    }
}

/// The host prints players' comments on its terminal, so control characters in them must not reach it.
#[tokio::test]
async fn a_comment_cannot_steer_the_hosts_terminal() {
    let comment = r#"{"status":false,"comment":"\r\n\u001b[2J\u0007"}"#;
    let (outcome, ..) = a_war_with(comment.into(), Role::Order, config()).await;
    let fault = outcome.games()[0].fault.clone().expect("a concession");
    let reason = fault.reason;
    assert!(!reason.contains(char::is_control), "{reason:?}");
}

/// No message can be read after a frame that never ends: its author may lose further games, but the other player and
/// the host are unaffected.
#[tokio::test]
async fn a_frame_without_end() {
    let endless = [b"{\"payload\":\"".to_vec(), vec![b'x'; 64 * 1024]].concat();
    let table = Table::open(config()).await;
    let culprit = Client::join(table.address, b"culprit").await;
    let culprit = culprit.plays(move |question| match question {
        Question {
            game: 1, turn: 0, ..
        } => Act::Say(endless.clone()),
        // This closes the string and the object, so that the next object is readable again.
        Question {
            game: 2, turn: 0, ..
        } => Act::Say([b"\"}".to_vec(), reply("0 0")].concat()),
        _ => Act::Usual,
    });
    table.seated(0).await;
    let other = Client::join(table.address, b"other").await.plays_well();
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.lost_by(0, "culprit", Role::Order, "65536 bytes");
    outcome.complete(1);
    assert!(story(culprit).await.was_told_goodbye());
    assert!(story(other).await.was_told_goodbye());
}

/// If an answer consists of two JSON objects, the second one answers the next question, as the protocol says.
#[tokio::test]
async fn two_objects_for_one_question() {
    let twice = [reply("0 1"), reply("0 1")].concat();
    costs_the_game(twice, Role::Chaos, "illegal placement `0 1`").await;
    let twice = [reply("0 0 0 0"), reply("1 1 1 0")].concat();
    costs_the_game(twice, Role::Order, "illegal move `1 1 1 0`").await;
}

/// The answer to the last question of the first game is followed by more bytes, which are discarded before the next
/// game.
#[tokio::test]
async fn bytes_that_nobody_asked_for_between_two_games() {
    let table = Table::open(config()).await;
    let other = Client::join(table.address, b"other").await.plays_well();
    table.seated(0).await;
    let talker = Client::join(table.address, b"talker").await;
    let talker = talker.plays(|question| match question {
        Question {
            game: 1, turn: 3, ..
        } => Act::Say(
            [
                reply("1 1"),
                reply("1 0"),
                b"some words\n".to_vec(),
                b"{\"status\":false}".to_vec(),
            ]
            .concat(),
        ),
        _ => Act::Usual,
    });
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.complete(0);
    outcome.complete(1);
    assert!(story(talker).await.was_told_goodbye());
    assert!(story(other).await.was_told_goodbye());
}

#[tokio::test]
async fn a_player_that_floods_the_host_is_sent_away() {
    let table = Table::open(config()).await;
    let other = Client::join(table.address, b"other").await.plays_well();
    table.seated(0).await;
    let flood = Client::join(table.address, b"flood").await;
    let flood = flood.plays(|question| match question.turn {
        3 => Act::Say([reply("1 1"), b"x\n".repeat(2000)].concat()),
        _ => Act::Usual,
    });
    table.reports().until(is_leaving).await;
    let heir = Client::join(table.address, b"heir").await.plays_well();
    let outcome = table.outcome().await;
    outcome.finished(2);
    outcome.complete(0);
    outcome.complete(1);
    assert_eq!(outcome.games()[1].names[0], "heir");
    let flood = story(flood).await;
    let farewell = flood.heard.last().expect("it heard something");
    assert_eq!(
        farewell["comment"],
        "it sent too many messages without being asked"
    );
    let why = outcome.events.iter().find_map(|event| match event {
        Event::Left { sent_away, .. } => Some(*sent_away),
        _ => None,
    });
    assert_eq!(
        why,
        Some(Some("it sent too many messages without being asked"))
    );
    assert!(story(heir).await.was_told_goodbye());
    assert!(story(other).await.was_told_goodbye());
}

/// Tests moves that the strict rules reject and the Python server accepts.
#[tokio::test]
async fn the_servers_rules_let_more_through() {
    let lax = Config {
        rules: RuleBook::Server,
        pass: false,
        ..config()
    };
    // Order slides onto the tile on 0 1, which disappears: no player is at fault, and a hole remains.
    let (outcome, ..) = a_war_with(reply("0 0 0 1"), Role::Order, lax).await;
    outcome.finished(2);
    let result = outcome.games()[0];
    assert_eq!(result.fault, None);
    let holes = result
        .board
        .position
        .cells()
        .iter()
        .filter(|&&cell| cell == 0);
    assert_eq!(holes.count(), 1);
    // The pause after the reset is charged to Chaos.
    let [_, chaos] = result.timers;
    assert!(chaos <= lax.clock - std::time::Duration::from_millis(100));
    let strict = Config {
        pass: false,
        ..config()
    };
    let (outcome, ..) = a_war_with(reply("0 0 0 0"), Role::Order, strict).await;
    let reason = "illegal move `0 0 0 0`: this match does not allow passing; --pass does";
    outcome.lost_by(0, "culprit", Role::Order, reason);
}
