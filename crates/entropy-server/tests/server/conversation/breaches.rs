//! Tests opponents that break the written rules. Moves that the server accepted must count, impossible reports must be
//! ignored, and every expected answer must be sent.

use turnwise_entropy_server::conversation::Passing;
use turnwise_protocol::entropy::{Reply, Wire};

use crate::conversation::table::Table;

/// Returns a conversation in which we play Chaos on 3 x 3 and have placed `A` on the middle cell. Order's move is next.
fn chaos_with_a_in_the_middle(wire: Wire) -> Table {
    let mut table = Table::new(wire);
    say(&mut table, "3\nCHAOS\nA\n");
    table.finds(turnwise_entropy::rules::Move::Place(4));
    table.sent.clear();
    table
}

fn say(table: &mut Table, lines: &str) {
    match table.wire {
        Wire::Json => table.update(lines),
        _ => table.raw(lines.as_bytes()),
    }
}

fn thinks_about_and_answers(table: &mut Table, board: &str) {
    assert_eq!(table.thinks_about(), board);
    table.think();
    assert!(matches!(
        table.reply(),
        Reply::Place(_) | Reply::Slide { .. }
    ));
}

const MARKED: [Wire; 2] = [Wire::Json, Wire::Line];

#[test]
fn a_diagonal_slide_is_followed() {
    for wire in MARKED {
        let mut table = chaos_with_a_in_the_middle(wire);
        say(&mut table, "1 1 2 2\nB\n");
        thinks_about_and_answers(&mut table, "... ... ..A");
    }
}

#[test]
fn a_pass_is_followed() {
    for wire in MARKED {
        let mut table = chaos_with_a_in_the_middle(wire);
        say(&mut table, "1 1 1 1\nB\n");
        thinks_about_and_answers(&mut table, "... .A. ...");
    }
}

/// Plays Chaos up to Order's first move, which the server reports with these lines, if at all. Returns whether the rules
/// allow a pass afterwards in this game, and in the next game.
fn allows_pass(wire: Wire, pass: Passing, reported: &str) -> [bool; 2] {
    let mut table = Table::passing(wire, pass);
    say(&mut table, "3\nCHAOS\nA\n");
    table.finds(turnwise_entropy::rules::Move::Place(4));
    say(&mut table, &format!("{reported}B\n"));
    let allowed = |table: &Table| {
        let task = table.task.as_ref().expect("the agent is thinking");
        assert_eq!(task.position.hash(), task.position.recomputed_hash());
        task.position.rules().pass
    };
    let now = allowed(&table);
    table.think();
    say_only(&mut table, "3\nORDER\n");
    say(&mut table, "1 1 A\n");
    [now, allowed(&table)]
}

#[test]
fn order_passes_once_an_opponents_pass_has_succeeded() {
    for wire in MARKED {
        let after = |pass, reported| allows_pass(wire, pass, reported);
        assert_eq!(after(Passing::Auto, "1 1 1 1\n"), [true, true]);
        assert_eq!(after(Passing::Never, "1 1 1 1\n"), [false, false]);
        for other in ["1 1 1 0\n", "1 1 2 2\n", "0 0 0 1\n", ""] {
            assert_eq!(after(Passing::Auto, other), [false, false], "{other:?}");
            assert_eq!(after(Passing::Always, other), [true, true], "{other:?}");
        }
    }
}

#[test]
fn a_slide_onto_a_tile_and_one_over_a_tile_are_followed() {
    for wire in MARKED {
        let mut table = chaos_with_a_in_the_middle(wire);
        say(&mut table, "1 1 1 0\nB\n");
        table.finds(turnwise_entropy::rules::Move::Place(4));
        table.sent.clear();
        say(&mut table, "1 0 1 2\nC\n");
        assert_eq!(table.thinks_about(), "... .BA ...");
        table.finds(turnwise_entropy::rules::Move::Place(3));
        table.sent.clear();
        say(&mut table, "1 1 1 2\nC\n");
        thinks_about_and_answers(&mut table, "... C.B ...");
    }
}

#[test]
fn a_placement_onto_a_tile_and_one_too_many_of_a_colour_are_followed() {
    for wire in MARKED {
        let mut table = Table::new(wire);
        say_only(&mut table, "2\nORDER\n");
        say(&mut table, "0 0 A\n");
        table.finds(turnwise_entropy::rules::Move::Slide { from: 0, to: 1 });
        table.sent.clear();
        say(&mut table, "0 1 B\n");
        assert_eq!(table.thinks_about(), ".B ..");
        table.finds(turnwise_entropy::rules::Move::Slide { from: 1, to: 0 });
        table.sent.clear();
        say(&mut table, "1 1 B\n");
        thinks_about_and_answers(&mut table, "B. .B");
        say_only(&mut table, "1 0 B\n");
        assert_eq!(table.sent, []);
        assert_eq!(table.conversation.history().completed, 1);
    }
}

fn say_only(table: &mut Table, lines: &str) {
    match table.wire {
        Wire::Json => table.update_only(lines),
        _ => table.raw(lines.as_bytes()),
    }
}

#[test]
fn an_impossible_slide_changes_nothing_and_the_next_tile_is_answered() {
    for wire in MARKED {
        for slide in ["0 0 0 1", "1 1 1 3", "9 9 1 1", "1 1"] {
            let mut table = chaos_with_a_in_the_middle(wire);
            say(&mut table, &format!("{slide}\nC\n"));
            let task = table.task.as_ref().expect("the agent is thinking");
            assert_eq!(
                task.position.drawn(),
                3,
                "the tile is the one that was named"
            );
            assert_eq!(task.position.in_bag(3), 2);
            thinks_about_and_answers(&mut table, "... .A. ...");
        }
    }
}

#[test]
fn an_impossible_placement_changes_nothing_on_the_board_and_is_answered() {
    for wire in MARKED {
        for placement in ["3 0 B", "0 3 B", "1 1 D", "255 255 Z"] {
            let mut table = Table::new(wire);
            say_only(&mut table, "3\nORDER\n");
            say(&mut table, "1 1 A\n");
            table.finds(turnwise_entropy::rules::Move::Slide { from: 4, to: 3 });
            table.sent.clear();
            say(&mut table, &format!("{placement}\n"));
            let task = table.task.as_ref().expect("the agent is thinking");
            assert_eq!(task.position.bag_total(), 7);
            thinks_about_and_answers(&mut table, "... A.. ...");
        }
    }
}

#[test]
fn an_impossible_last_placement_ends_the_game_without_an_answer() {
    let mut table = Table::new(Wire::Line);
    table.raw(b"2\nORDER\n0 0 A\n");
    for placement in ["0 1 A\n", "1 0 B\n"] {
        table.think();
        table.sent.clear();
        table.raw(placement.as_bytes());
    }
    table.think();
    table.sent.clear();
    table.raw(b"7 7 B\n");
    assert!(table.task.is_none());
    assert_eq!(table.sent, []);
    table.raw(b"2\nCHAOS\nA\n");
    thinks_about_and_answers(&mut table, ".. ..");
}

#[test]
fn an_impossible_tile_is_placed_all_the_same() {
    for wire in MARKED {
        let mut table = Table::new(wire);
        say(&mut table, "3\nCHAOS\nZ\n");
        thinks_about_and_answers(&mut table, "... ... ...");
    }
}

#[test]
fn an_update_that_nobody_can_read_is_answered_with_a_legal_move() {
    let mut table = Table::new(Wire::Json);
    table.update("3\nCHAOS\nnonsense\n");
    thinks_about_and_answers(&mut table, "... ... ...");
    table.update("?\n");
    table.think();
    assert!(matches!(table.reply(), Reply::Place(_)));
    table.raw(br#"{"purpose":"update","payload":[1,2]}"#);
    table.think();
    assert!(matches!(table.reply(), Reply::Place(_)));
}
