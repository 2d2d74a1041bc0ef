//! Tests messages that arrive while the agent is thinking, and agents that do not finish in time.

use std::time::Duration;

use turnwise_entropy::rules::Move;
use turnwise_entropy_server::conversation::Closing;
use turnwise_entropy_server::goodbye::Goodbye;
use turnwise_protocol::entropy::{Cell, Reply, Wire};

use crate::conversation::table::{Manner, Table};
use crate::naive_referee::{self, Side};

fn at(row: u8, col: u8) -> Reply {
    Reply::Place(Cell { row, col })
}

/// Returns a conversation in which we play Chaos on 3 x 3, and the agent is thinking about its first placement.
fn thinking(wire: Wire) -> Table {
    let mut table = Table::new(wire);
    match wire {
        Wire::Json => {
            table.reset();
            table.update("3\nCHAOS\nA\n");
        }
        _ => table.raw(b"3\nCHAOS\nA\n"),
    }
    assert!(table.task.is_some());
    table
}

#[test]
fn a_reset_in_mid_thought_drops_the_answer() {
    let mut table = thinking(Wire::Json);
    *table.manner.lock().unwrap() = Manner::Endless;
    table.reset();
    assert!(table.told_to_stop);
    table.think();
    assert_eq!(table.sent, []);
    assert!(!table.conversation.in_game());
    *table.manner.lock().unwrap() = Manner::Steady;
    naive_referee::play(&mut table, Side::Order, 3, 1, usize::MAX);
    assert_eq!(table.conversation.history().completed, 1);
}

#[test]
fn a_new_size_in_mid_thought_drops_the_answer() {
    let mut table = thinking(Wire::Line);
    *table.manner.lock().unwrap() = Manner::Endless;
    table.raw(b"2\nCHAOS\nB\n");
    assert!(table.told_to_stop, "a new size ends the game at hand");
    table.think();
    assert_eq!(table.sent, []);
    assert_eq!(table.thinks_about(), ".. ..");
    *table.manner.lock().unwrap() = Manner::Steady;
    table.think();
    assert!(matches!(table.reply(), Reply::Place(_)));

    let mut table = Table::new(Wire::Codecup);
    table.raw(b"Start\n3\n");
    table.raw(b"Start\n4\n");
    assert!(table.told_to_stop);
    table.think();
    assert_eq!(table.sent, []);
    assert_eq!(table.task.as_ref().unwrap().position.drawn(), 4);
}

#[test]
fn messages_behind_a_reset_in_mid_thought_are_heard_in_order() {
    let mut table = thinking(Wire::Json);
    table.reset();
    table.update_only("2\nORDER\n");
    table.update("0 1 B\n");
    table.think();
    assert_eq!(table.sent, []);
    assert_eq!(table.thinks_about(), ".B ..");
    table.think();
    assert!(matches!(table.reply(), Reply::Slide { .. }));
}

#[test]
fn nobody_is_answered_who_asked_before_a_reset_in_mid_thought() {
    let mut table = thinking(Wire::Json);
    table.update("0 0 0 1\nB\n");
    table.reset();
    table.think();
    assert_eq!(table.sent, []);
    assert!(table.task.is_none() && !table.conversation.in_game());
}

#[test]
fn what_only_informs_in_mid_thought_stops_no_thought() {
    let mut table = thinking(Wire::Json);
    table.update_only("0 0 0 1\n");
    assert!(!table.told_to_stop);
    table.finds(Move::Place(4));
    assert_eq!(table.reply(), at(1, 1));
}

#[test]
fn a_kill_says_why_and_whether_to_come_again() {
    let reason = "why".to_owned();
    for (kill, said) in [
        (r#"{"purpose":"kill","again":false}"#, Goodbye::Over),
        (
            r#"{"purpose":"kill","comment":"why"}"#,
            Goodbye::Because(reason.clone()),
        ),
        (
            r#"{"purpose":"kill","comment":"why","again":true}"#,
            Goodbye::ComeAgain(reason),
        ),
        (
            r#"{"purpose":"kill","again":true}"#,
            Goodbye::ComeAgain("it gave no reason".to_owned()),
        ),
    ] {
        for mut table in [Table::new(Wire::Json), thinking(Wire::Json)] {
            table.raw(kill.as_bytes());
            assert_eq!(table.closed, Some(Closing::Goodbye(said.clone())), "{kill}");
        }
    }
}

#[test]
fn a_kill_in_mid_thought_closes_at_once() {
    let mut table = thinking(Wire::Json);
    table.raw(br#"{"purpose":"kill"}"#);
    assert_eq!(table.closed, Some(Closing::Goodbye(Goodbye::Over)));
    assert_eq!(table.sent, []);
    let mut table = Table::new(Wire::Codecup);
    table.raw(b"Start\n3\nQuit\n");
    assert_eq!(table.closed, Some(Closing::Goodbye(Goodbye::Over)));
}

#[test]
fn an_overdue_agent_is_answered_for_and_its_late_move_is_dropped() {
    for wire in [Wire::Json, Wire::Line] {
        let mut table = thinking(wire);
        table.overdue(Some(Move::Place(5)));
        assert_eq!(table.reply(), at(1, 2));
        // The message for our next turn comes before the agent has finished. The turn must wait while our clock runs.
        let heard = table.now;
        match wire {
            Wire::Json => table.update("1 2 1 0\nB\n"),
            _ => table.raw(b"1 2 1 0\nB\n"),
        }
        table.now += Duration::from_millis(700);
        assert_eq!(table.sent, []);
        table.overdue(Some(Move::Place(7)));
        assert_eq!(table.sent, [], "one turn is answered once");
        table.finds(Move::Place(8));
        assert_eq!(table.sent, [], "the late move answers nothing");
        assert_eq!(table.thinks_about(), "... A.. ...");
        assert_eq!(table.task.as_ref().unwrap().budget.start, heard);
        table.think();
        assert!(matches!(table.reply(), Reply::Place(_)));
    }
}

#[test]
fn an_overdue_agent_without_a_legal_move_in_hand_is_answered_for() {
    for best in [
        None,
        Some(Move::Pass),
        Some(Move::Place(99)),
        Some(Move::Draw(1)),
    ] {
        let mut table = thinking(Wire::Json);
        table.overdue(best);
        assert_eq!(table.reply(), at(0, 0));
    }
}

#[test]
fn an_agent_overdue_with_the_last_move_of_a_game_plays_the_next_one() {
    let mut table = Table::new(Wire::Line);
    table.raw(b"2\nCHAOS\nA\n");
    for next in ["A", "B", "B"] {
        table.think();
        let Reply::Place(cell) = table.reply() else {
            panic!("expected a placement");
        };
        table.raw(format!("{cell} {cell}\n{next}\n").as_bytes());
    }
    table.overdue(None);
    assert!(matches!(table.reply(), Reply::Place(_)));
    assert_eq!(table.conversation.history().completed, 1);
    table.raw(b"2\nORDER\n0 0 A\n");
    assert_eq!(table.sent, []);
    table.finds(Move::Place(0));
    assert_eq!(table.sent, []);
    assert_eq!(table.thinks_about(), "A. ..");
    table.think();
    assert!(matches!(table.reply(), Reply::Slide { .. }));
}

#[test]
fn a_reset_behind_an_overdue_answer_is_heard_once_the_agent_is_back() {
    let mut table = thinking(Wire::Json);
    table.overdue(None);
    table.sent.clear();
    table.reset();
    table.update("2\nCHAOS\nB\n");
    table.finds(Move::Place(0));
    assert_eq!(table.sent, []);
    assert_eq!(table.thinks_about(), ".. ..");
}

#[test]
fn a_server_that_does_not_wait_for_answers_is_closed() {
    let mut table = thinking(Wire::Json);
    for _ in 0..10_000 {
        table.update("0 0 0 1\nB\n");
    }
    assert_eq!(table.closed, Some(Closing::Flooded));
    assert_eq!(table.sent, []);
}

#[test]
fn long_payloads_count_by_their_lines() {
    let mut table = thinking(Wire::Json);
    let payload = "?\n".repeat(10_000);
    for _ in 0..4 {
        table.update_only(&payload);
    }
    assert_eq!(table.closed, Some(Closing::Flooded));
}

#[test]
fn endless_bad_frames_change_nothing() {
    let mut table = thinking(Wire::Json);
    for _ in 0..3000 {
        table.raw(b"{]");
    }
    assert_eq!(table.closed, None);
    table.finds(Move::Place(4));
    assert_eq!(table.reply(), at(1, 1));
}

/// Returns a conversation in which we play Order on 2 x 2 and the game is over. Our last move was sent without waiting
/// for the agent, which is still thinking.
fn overdue_at_the_end() -> Table {
    let mut table = Table::new(Wire::Json);
    table.reset();
    table.update_only("2\nORDER\n");
    table.update("0 0 A\n");
    table.finds(Move::Slide { from: 0, to: 1 });
    table.update("0 0 B\n");
    table.finds(Move::Slide { from: 0, to: 2 });
    table.update("0 0 A\n");
    table.overdue(Some(Move::Slide { from: 1, to: 3 }));
    table.update_only("0 1 B\n");
    assert_eq!(table.sent.len(), 3);
    table
}

#[test]
fn a_game_ends_although_its_last_tile_found_the_agent_away() {
    let mut table = overdue_at_the_end();
    table.reset();
    table.finds(Move::Slide { from: 1, to: 3 });
    assert_eq!(table.conversation.history().completed, 1);
    assert!(!table.conversation.in_game());
    assert_eq!(table.sent.len(), 3);
}

#[test]
fn a_game_ends_although_goodbye_found_the_agent_away() {
    let mut table = overdue_at_the_end();
    table.raw(br#"{"purpose":"kill"}"#);
    table.conversation.leave("goodbye");
    assert!(!table.conversation.history().was_cut_short);
    assert_eq!(table.conversation.history().completed, 1);
}
