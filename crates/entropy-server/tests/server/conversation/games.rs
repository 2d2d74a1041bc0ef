//! Tests conversations with complete legal games on every wire, and with lines outside games.

use std::time::Duration;

use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::rules::{Move, Position, Rules};
use turnwise_entropy_server::conversation::Closing;
use turnwise_entropy_server::conversation::seen::{Seen, SeenMove};
use turnwise_entropy_server::goodbye::Goodbye;
use turnwise_protocol::entropy::{Reply, Role, Wire};

use crate::conversation::table::{CLOCK, LATENCY, Manner, Table};
use crate::naive_referee::{self, Side};

fn whole_games(wire: Wire, size: usize, manner: Manner) {
    let mut table = Table::new(wire);
    *table.manner.lock().unwrap() = manner;
    for seed in 0..6 {
        let side = if seed % 2 == 0 {
            Side::Order
        } else {
            Side::Chaos
        };
        if wire == Wire::Json {
            table.reset();
        }
        naive_referee::play(&mut table, side, size, seed, usize::MAX);
        assert_eq!(table.conversation.history().completed, seed as u32 + 1);
        assert!(!table.conversation.in_game());
        assert_eq!(table.closed, None);
    }
}

#[test]
fn whole_games_in_both_roles_on_the_json_wire() {
    whole_games(Wire::Json, 2, Manner::Steady);
    whole_games(Wire::Json, 3, Manner::Steady);
    whole_games(Wire::Json, 5, Manner::Steady);
}

#[test]
fn whole_games_in_both_roles_on_the_line_wire() {
    whole_games(Wire::Line, 2, Manner::Steady);
    whole_games(Wire::Line, 3, Manner::Steady);
    whole_games(Wire::Line, 5, Manner::Steady);
}

#[test]
fn a_whole_game_in_each_role_on_the_codecup_wire() {
    for (side, seed) in [(Side::Order, 1), (Side::Chaos, 2)] {
        let mut table = Table::new(Wire::Codecup);
        naive_referee::play(&mut table, side, 7, seed, usize::MAX);
        assert_eq!(table.conversation.history().completed, 1);
        table.raw(b"Quit\n");
        assert_eq!(table.closed, Some(Closing::Goodbye(Goodbye::Over)));
        assert_eq!(table.sent, []);
    }
}

/// Returns the events that observers saw in a game, and Order's score on the board that results from the moves among
/// them.
fn followed(table: &mut Table, size: u8) -> (Vec<Seen>, u32) {
    let seen = table.conversation.seen();
    let mut position = Position::new(Rules { size, pass: false });
    for seen in &seen {
        let Seen::Moved(SeenMove { mv, tile, .. }) = seen else {
            continue;
        };
        if let &Some(tile) = tile {
            assert_eq!(position.follow(Move::Draw(tile)), Ok(None));
        }
        position.follow(*mv).expect("it can be made");
    }
    (seen, board_score(&position))
}

#[test]
fn those_who_watch_hear_of_a_whole_game_in_its_order() {
    for (wire, side) in [
        (Wire::Json, Side::Order),
        (Wire::Json, Side::Chaos),
        (Wire::Line, Side::Order),
        (Wire::Line, Side::Chaos),
    ] {
        let mut table = Table::new(wire);
        naive_referee::play(&mut table, side, 4, 3, usize::MAX);
        let (seen, score) = followed(&mut table, 4);
        let role = match side {
            Side::Order => Role::Order,
            Side::Chaos => Role::Chaos,
        };
        let rules = Rules {
            size: 4,
            pass: false,
        };
        assert_eq!(seen.first(), Some(&Seen::Begun { role, rules }));
        assert_eq!(seen.last(), Some(&Seen::Over { score }));
        let moves: Vec<&SeenMove> = (seen.iter())
            .filter_map(|seen| match seen {
                Seen::Moved(seen) => Some(seen),
                _ => None,
            })
            .collect();
        assert_eq!(moves.len(), 2 * 16 - 1);
        let theirs = moves.iter().filter(|seen| seen.role != role);
        let theirs: Vec<Move> = theirs.map(|seen| seen.mv).collect();
        assert_eq!(theirs, *table.observed.lock().unwrap());
        for seen in moves {
            assert_eq!(seen.figures.is_some(), seen.role == role);
            assert_eq!(seen.tile.is_some(), seen.role == Role::Chaos);
            assert!(seen.waited.is_none() || seen.role != role);
        }
        assert_eq!(table.conversation.seen(), [], "nothing is told twice");
    }
}

#[test]
fn those_who_watch_hear_how_long_the_opponent_s_moves_were_waited_for() {
    let mut table = Table::new(Wire::Line);
    // The opponent's first move comes with the greeting, so we cannot know how long it took.
    table.raw(b"2\nORDER\n0 0 A\n");
    table.now += Duration::from_secs(3);
    table.think();
    for (seconds, line) in [(10, "1 1 B\n"), (20, "1 0 B\n")] {
        table.now += Duration::from_secs(seconds);
        table.raw(line.as_bytes());
        table.think();
    }
    let waited = |table: &mut Table| -> Vec<Option<Duration>> {
        let seen = table.conversation.seen().into_iter();
        seen.filter_map(|seen| match seen {
            Seen::Moved(seen) if seen.role == Role::Chaos => Some(seen.waited),
            _ => None,
        })
        .collect()
    };
    let [ten, twenty] = [10, 20].map(|seconds| Some(Duration::from_secs(seconds)));
    assert_eq!(waited(&mut table), [None, ten, twenty]);
    // If the greeting comes before the opponent's first move, the wait for that move is also measured.
    table.raw(b"2\nORDER\n");
    table.now += Duration::from_secs(10);
    table.raw(b"0 0 A\n");
    assert_eq!(waited(&mut table), [ten]);
}

#[test]
fn those_who_watch_hear_how_a_game_was_cut_short() {
    let mut table = Table::new(Wire::Codecup);
    naive_referee::play(&mut table, Side::Order, 7, 1, 48);
    table.conversation.leave("the input ended");
    let (seen, score) = followed(&mut table, 7);
    // The server did not report the last placement, but only one was possible.
    assert_eq!(seen.last(), Some(&Seen::Over { score }));
    let mut table = Table::new(Wire::Line);
    naive_referee::play(&mut table, Side::Order, 4, 1, 5);
    table.conversation.leave("the input ended");
    let why = "the input ended".to_owned();
    let seen = table.conversation.seen();
    assert_eq!(seen.last(), Some(&Seen::Abandoned { why }));
}

#[test]
fn only_codecups_order_knows_a_last_placement_that_nobody_told() {
    for (wire, size, completed) in [
        (Wire::Codecup, 7, 1),
        (Wire::Line, 7, 0),
        (Wire::Json, 7, 0),
    ] {
        let mut table = Table::new(wire);
        naive_referee::play(&mut table, Side::Order, size, 1, size * size - 1);
        table.conversation.leave("the input ended");
        assert_eq!(table.conversation.history().completed, completed, "{wire}");
        assert_eq!(
            table.conversation.history().was_cut_short,
            completed == 0,
            "{wire}"
        );
    }
    let mut table = Table::new(Wire::Codecup);
    naive_referee::play(&mut table, Side::Chaos, 7, 1, 48);
    table.conversation.leave("the input ended");
    assert!(
        table.conversation.history().was_cut_short,
        "a move of ours is missing"
    );
}

#[test]
fn an_agent_that_errs_or_panics_still_plays_legal_moves_game_after_game() {
    for manner in [Manner::Illegal, Manner::Panics, Manner::PublishesAndPanics] {
        whole_games(Wire::Json, 3, manner);
    }
}

#[test]
fn the_agent_is_put_right_after_a_panic_and_what_it_published_is_played() {
    let mut table = Table::new(Wire::Json);
    *table.manner.lock().unwrap() = Manner::PublishesAndPanics;
    table.update("3\nCHAOS\nA\n");
    table.think();
    assert!(matches!(table.reply(), Reply::Place(cell) if (cell.row, cell.col) == (2, 2)));
    assert_eq!(*table.recovered.lock().unwrap(), 1);
}

#[test]
fn the_opponents_moves_are_shown_to_the_agent() {
    let mut table = Table::new(Wire::Line);
    naive_referee::play(&mut table, Side::Chaos, 3, 1, usize::MAX);
    assert_eq!(table.observed.lock().unwrap().len(), 8);
    naive_referee::play(&mut table, Side::Order, 3, 1, usize::MAX);
    assert_eq!(table.observed.lock().unwrap().len(), 8 + 9);
}

#[test]
fn what_wants_no_answer_gets_none() {
    let mut table = Table::new(Wire::Json);
    table.reset();
    table.update_only("5\nORDER\n");
    table.update_only("0 0 A\n");
    table.raw(br#"{"purpose":"pause","payload":"0 1 A\n"}"#);
    table.raw(b"\x00\xff[[null]]\n{\"purpose\":12}{\"purpose\":\"update_only\"}");
    table.raw(br#"{"purpose":"update","payload":NaN}"#);
    assert!(table.task.is_none());
    assert_eq!(table.sent, []);
    assert_eq!(table.closed, None);

    let mut table = Table::new(Wire::Line);
    table.raw(b"\n\n5\nnonsense\nORDER\nERROR no\n\xff\xfe\n");
    table.raw(&[b'x'; 5000]);
    table.raw(b"\n");
    assert!(table.task.is_none());
    assert_eq!(table.sent, []);
    assert_eq!(table.closed, None);
    assert!(table.conversation.in_game());
}

#[test]
fn an_update_outside_any_game_is_conceded() {
    let mut table = Table::new(Wire::Json);
    for payload in [
        "0 0 A\n",
        "",
        "A\n",
        "CHAOS\nA\n",
        "1\nCHAOS\nA\n",
        "27\nORDER\n",
    ] {
        table.update(payload);
        assert!(matches!(table.reply(), Reply::Concede(_)), "{payload:?}");
    }
    table.raw(br#"{"purpose":"update"}"#);
    assert!(matches!(table.reply(), Reply::Concede(_)));
    whole_game_afterwards(&mut table);
}

#[test]
fn an_update_without_a_payload_may_come_first() {
    let mut table = Table::new(Wire::Json);
    table.raw(br#"{"purpose":"update","payload":null}"#);
    assert!(matches!(table.reply(), Reply::Concede(_)));
    assert_eq!(table.closed, None);
    whole_game_afterwards(&mut table);
}

fn whole_game_afterwards(table: &mut Table) {
    let before = table.conversation.history().completed;
    table.reset();
    naive_referee::play(table, Side::Chaos, 2, 3, usize::MAX);
    assert_eq!(table.conversation.history().completed, before + 1);
}

fn wrong_wire(ours: Wire, theirs: Wire) -> Closing {
    Closing::WrongWire { ours, theirs }
}

#[test]
fn a_json_player_at_a_line_server_refuses_and_closes() {
    let mut table = Table::new(Wire::Json);
    table.raw(b"5\nORDER\n");
    assert!(matches!(table.reply(), Reply::Concede(_)));
    let closing = wrong_wire(Wire::Json, Wire::Line);
    assert_eq!(table.closed, Some(closing));
}

#[test]
fn a_line_player_at_a_json_server_closes_without_a_word() {
    let mut table = Table::new(Wire::Line);
    table.raw(b"{\"purpose\":\"reset\"}\n");
    assert_eq!(table.sent, []);
    let closing = wrong_wire(Wire::Line, Wire::Json);
    assert_eq!(table.closed, Some(closing));
}

#[test]
fn what_nobody_can_read_is_no_sign_of_the_other_wire() {
    let mut json = Table::new(Wire::Json);
    json.raw(b"good morning\n");
    json.reset();
    json.update_only("2\nCHAOS\n");
    assert_eq!((&json.sent[..], &json.closed), (&[][..], &None));
    assert!(json.conversation.in_game());
}

#[test]
fn a_wire_that_was_once_understood_is_not_doubted() {
    let mut table = Table::new(Wire::Json);
    table.reset();
    table.raw(b"5\nORDER\n");
    assert_eq!(table.sent, []);
    let mut line = Table::new(Wire::Line);
    line.raw(b"5\n{\"purpose\":\"reset\"}\n");
    assert_eq!((table.closed, line.closed), (None, None));
}

/// Returns the maximum time for our last move in a game: all remaining time minus latency and reserve.
fn last_move_may_take(table: &Table) -> Duration {
    let task = table.task.as_ref().expect("the agent is thinking");
    task.budget.hard - task.budget.start
}

const RESERVE: Duration = Duration::from_millis(70);

#[test]
fn a_move_costs_the_time_from_its_message_until_its_reply_is_sent_and_the_latency() {
    let mut table = Table::new(Wire::Line);
    // After we send the reply, another process may run before we continue. This delay is not charged to our clock.
    table.sending_takes = Duration::from_secs(30);
    table.raw(b"2\nORDER\n0 0 A\n");
    table.now += Duration::from_secs(10);
    table.think();
    table.sent.clear();
    // The time that the opponent takes is not charged to our clock.
    table.now += Duration::from_secs(1000);
    table.raw(b"1 1 B\n");
    table.now += Duration::from_secs(20);
    table.think();
    table.sent.clear();
    table.raw(b"1 0 B\n");
    let used = Duration::from_secs(10 + 20) + 2 * LATENCY;
    let left = CLOCK - used - LATENCY - RESERVE;
    assert_eq!(last_move_may_take(&table), left);
}

/// Plays a whole game as Order and returns the maximum time for its last move.
fn game(table: &mut Table) -> Duration {
    for lines in ["2\nORDER\n0 0 A\n", "1 1 B\n"] {
        table.raw(lines.as_bytes());
        table.think();
    }
    table.raw(b"1 0 B\n");
    let given = last_move_may_take(table);
    table.think();
    table.raw(b"0 1 A\n");
    table.sent.clear();
    given
}

#[test]
fn a_new_game_has_a_new_clock() {
    let mut table = Table::new(Wire::Line);
    let fresh = game(&mut table);
    table.raw(b"2\nORDER\n0 0 A\n");
    table.now += Duration::from_secs(50);
    table.think();
    assert_eq!(game(&mut table), fresh);
}

#[test]
fn a_start_is_charged_to_the_first_game_alone() {
    let mut punctual = Table::new(Wire::Line);
    let fresh = game(&mut punctual);
    let late = Duration::from_millis(120);
    let mut table = Table::started_before(Wire::Line, late);
    assert_eq!(game(&mut table), fresh - late);
    assert_eq!(game(&mut table), fresh);
    // The wait for the first message is also charged, up to a tenth of the clock: the server may already have been
    // waiting for us while its message was on its way.
    let mut table = Table::started_before(Wire::Line, late);
    table.now += Duration::from_secs(2);
    assert_eq!(game(&mut table), fresh - late - Duration::from_secs(2));
    let mut table = Table::started_before(Wire::Line, late);
    table.now += Duration::from_secs(2_000);
    assert_eq!(game(&mut table), fresh - late - CLOCK / 10);
    // The charge for a late start is limited, so that it never uses up the whole clock.
    let mut table = Table::started_before(Wire::Line, CLOCK);
    assert_eq!(game(&mut table), fresh - CLOCK.mul_f64(0.9));
}

#[test]
fn late_threads_make_the_reserve_grow_and_every_move_cost_more() {
    let delay = Duration::from_millis(10);
    for what in ["the one that thinks", "the one that reads"] {
        let mut table = Table::new(Wire::Line);
        let fresh = game(&mut table);
        match what {
            "the one that thinks" => table.threads_delay = delay,
            _ => table.wakes_late = delay,
        }
        game(&mut table);
        let late = game(&mut table);
        // The reserve grows by three times the worst delay, and each of the three moves costs twice the mean delay
        // more.
        assert!(late < fresh - 3 * delay, "{what}: {late:?} of {fresh:?}");
        assert!(late > fresh - 12 * delay, "{what}: {late:?} of {fresh:?}");
    }
}

#[test]
fn a_late_reply_makes_the_reserve_grow_and_a_suspension_behind_it_does_not() {
    let reserve_after = |late: Duration, suspended: Duration| {
        let mut table = Table::new(Wire::Line);
        table.raw(b"2\nORDER\n0 0 A\n");
        table.now = table.task.as_ref().expect("it thinks").budget.reply + late;
        table.overdue(None);
        table.threads_delay = suspended;
        table.think();
        table.sent.clear();
        table.threads_delay = Duration::ZERO;
        for lines in ["2\nORDER\n0 0 A\n", "1 1 B\n"] {
            table.raw(lines.as_bytes());
            table.think();
        }
        table.raw(b"1 0 B\n");
        CLOCK - last_move_may_take(&table) - 3 * LATENCY
    };
    let (none, delay) = (Duration::ZERO, Duration::from_millis(40));
    assert_eq!(reserve_after(none, none), RESERVE);
    assert!(reserve_after(delay, none) > RESERVE + 2 * delay);
    assert_eq!(reserve_after(none, Duration::from_secs(4)), RESERVE);
}

#[test]
fn the_pause_behind_reset_counts_for_chaos_and_only_on_the_json_wire() {
    let soft = |wire, lines: &str| {
        let mut table = Table::new(wire);
        if wire == Wire::Json {
            table.reset();
            table.update(lines);
        } else {
            table.raw(lines.as_bytes());
        }
        let budget = table.task.expect("the agent is thinking").budget;
        budget.soft - budget.start
    };
    let line = soft(Wire::Line, "2\nCHAOS\nA\n");
    let json = soft(Wire::Json, "2\nCHAOS\nA\n");
    // The pause is deducted from the whole clock. The first move is shortened in proportion to the move's share of the
    // clock.
    let part = line.as_secs_f64() / CLOCK.as_secs_f64();
    let less = (line - json).as_secs_f64() / Duration::from_millis(100).as_secs_f64();
    assert!(
        (less / part - 1.0).abs() < 0.01,
        "{less} of the pause, {part} of the clock"
    );
    let line = soft(Wire::Line, "2\nORDER\n0 0 A\n");
    let json = soft(Wire::Json, "2\nORDER\n0 0 A\n");
    assert_eq!(line, json);
}
