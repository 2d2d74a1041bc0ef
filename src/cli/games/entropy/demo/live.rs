//! Shows the current game. On a terminal, it shows a board that is redrawn in place, and elsewhere plain lines.

use std::fmt::Write;
use std::time::{Duration, Instant};

use turnwise_protocol::entropy::Role;

use crate::console::output::show;
use crate::console::terminal;
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::picture::{board, letter, notation};
use turnwise_entropy::rules::EMPTY;
use turnwise_entropy_server::host::Turn;

/// The interval at which the clocks beside the board are updated.
pub(super) const TICK: Duration = Duration::from_millis(200);

/// The minimum time between two plain lines if a move has been made since the last line.
const LINE_EVERY: Duration = Duration::from_secs(2);

/// The time between two plain lines while a player thinks for a long time.
const SIGN_OF_LIFE_EVERY: Duration = Duration::from_secs(10);

/// The display of the current game.
pub(super) struct Live {
    games: u32,
    /// The number of games that are over.
    over: u32,
    turn: Option<(Turn, Instant)>,
    in_place: bool,
    coloured: bool,
    /// The number of lines that the board takes on the screen, directly above the cursor; 0 if no board is shown.
    drawn: usize,
    /// The time when the last plain line was printed, and the ply that the game had reached at that time.
    told: Option<(Instant, u32)>,
}

impl Live {
    /// Creates the display for a match that has this number of games.
    pub fn new(games: u32) -> Self {
        let stdout = std::io::stdout();
        let in_place = terminal::can_redraw(&stdout);
        Self {
            games,
            over: 0,
            turn: None,
            in_place,
            coloured: in_place && terminal::has_colours(&stdout),
            drawn: 0,
            told: None,
        }
    }

    /// Shows the current state of the game; called whenever the host asks a player for a move.
    pub fn turn(&mut self, turn: Turn) {
        self.turn = Some((turn, Instant::now()));
        self.tick();
    }

    /// Updates the display. Call this regularly, because the clocks beside the board must be kept up to date.
    pub fn tick(&mut self) {
        let Some((turn, asked)) = &self.turn else {
            return;
        };
        let timers = timers(turn, asked.elapsed());
        let heading = format!("Game {} of {}", self.over + 1, self.games);
        let picture = |coloured| picture(&heading, turn, timers, coloured);
        if self.in_place
            && terminal::size(&std::io::stdout()).is_some_and(|size| fits(&picture(false), size))
        {
            let lines = picture(self.coloured);
            show(&redrawn(self.drawn, &lines));
            self.drawn = lines.len();
        } else if self
            .told
            .is_none_or(|told| line_is_due(told, turn.board.ply))
        {
            show(&format!("{}\n", line(&heading, turn, timers)));
            // If the window has become too small for the board, the board that was drawn earlier stays on the screen.
            self.drawn = 0;
            self.told = Some((Instant::now(), turn.board.ply));
        }
    }

    /// Removes the board of a finished game, and prepares the display for the next game.
    pub fn game_over(&mut self) {
        self.clear();
        self.over += 1;
        self.turn = None;
        self.told = None;
    }

    /// Removes the board from the screen, so that other text can be printed.
    pub fn clear(&mut self) {
        if self.drawn > 0 {
            show(&redrawn(self.drawn, &[]));
            self.drawn = 0;
        }
    }
}

fn line_is_due((when, ply): (Instant, u32), now_at: u32) -> bool {
    let since = when.elapsed();
    since >= SIGN_OF_LIFE_EVERY || since >= LINE_EVERY && ply != now_at
}

/// Returns the remaining times of Order and Chaos. `thought` is the time for which the player to move has been
/// thinking.
fn timers(turn: &Turn, thought: Duration) -> [Duration; 2] {
    let mut timers = turn.timers;
    let own = &mut timers[turn.role.side()];
    *own = own.saturating_sub(thought);
    timers
}

/// Returns the number of plies in a complete game. It is odd, because Order does not answer the last placement.
fn plies(turn: &Turn) -> usize {
    2 * turn.board.position.cells().len() - 1
}

/// Describes the last move and the player that made it; `None` before the first move.
fn last_move(turn: &Turn) -> Option<String> {
    let mover = &turn.names[1 - turn.role.side()];
    let notation = notation(turn.board.last?, turn.board.position.size());
    Some(format!("{mover} {notation}"))
}

/// Returns the lines that show the board and, beside it, facts about the game.
fn picture(heading: &str, turn: &Turn, timers: [Duration; 2], coloured: bool) -> Vec<String> {
    let mut text = format!(
        "{heading}, move {} of {}\n",
        turn.board.ply + 1,
        plies(turn)
    );
    text += &board(&turn.board.position, coloured);
    let drawn = turn.board.position.drawn();
    for role in [Role::Order, Role::Chaos] {
        let (name, left) = (&turn.names[role.side()], timers[role.side()].as_secs_f64());
        let (marker, does) = match role == turn.role {
            true if drawn != EMPTY => ('>', format!(", places {}", letter(drawn))),
            true => ('>', ", to move".to_owned()),
            false => (' ', String::new()),
        };
        let _ = writeln!(text, "{marker} {role} {name} {left:.1} s left{does}");
    }
    let score = board_score(&turn.board.position);
    let last = last_move(turn).unwrap_or_else(|| "none yet".to_owned());
    let _ = writeln!(text, "Last move: {last}");
    let _ = writeln!(text, "Order's score so far: {score}");
    text.lines().map(str::to_owned).collect()
}

/// Describes the state of the game in one plain line.
fn line(heading: &str, turn: &Turn, [order, chaos]: [Duration; 2]) -> String {
    let last = last_move(turn).map_or_else(String::new, |last| format!("{last}, "));
    format!(
        "{heading}, move {}: {last}score {}, ORDER {:.1} s, CHAOS {:.1} s left",
        turn.board.ply + 1,
        board_score(&turn.board.position),
        order.as_secs_f64(),
        chaos.as_secs_f64(),
    )
}

/// Returns true if these lines, and the line with the cursor below them, fit on a screen of the given size.
fn fits(lines: &[String], (columns, rows): (u16, u16)) -> bool {
    let narrow = |line: &String| line.chars().count() < usize::from(columns);
    lines.len() < usize::from(rows) && lines.iter().all(narrow)
}

/// Returns the terminal output that replaces the `drawn` lines above the cursor with new lines.
///
/// To avoid flicker, the output is a single text, and old lines are overwritten without being cleared first.
fn redrawn(drawn: usize, lines: &[String]) -> String {
    let mut text = String::from("\r");
    if drawn > 0 {
        let _ = write!(text, "\x1b[{drawn}A");
    }
    for line in lines {
        let _ = writeln!(text, "{line}\x1b[K");
    }
    text.push_str("\x1b[J");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_entropy::rules::{Move, Position, Rules};
    use turnwise_entropy_server::host::HostedBoard;

    /// Returns a request in a game in which Chaos has placed tile A in the middle, Order has slid it to the right, and
    /// tile B has been drawn.
    fn turn() -> Turn {
        let mut position = Position::new(Rules {
            size: 3,
            pass: false,
        });
        let slide = Move::Slide { from: 4, to: 5 };
        for mv in [Move::Draw(1), Move::Place(4), slide, Move::Draw(2)] {
            position.make(mv);
        }
        Turn {
            names: ["alpha", "omega"].map(str::to_owned),
            role: Role::Chaos,
            timers: [Duration::from_secs(7), Duration::from_secs(9)],
            board: HostedBoard {
                position,
                last: Some(slide),
                ply: 2,
            },
        }
    }

    const BOARD: &str = "\
Game 1 of 2, move 3 of 17
  0 1 2 (cols)
0  . . .
1  . . A
2  . . .
  ORDER alpha 7.0 s left
> CHAOS omega 8.5 s left, places B
Last move: alpha 1 1 1 2
Order's score so far: 0";

    #[test]
    fn the_picture_tells_whose_turn_it_is_both_clocks_the_last_move_and_the_score() {
        let turn = turn();
        let timers = timers(&turn, Duration::from_millis(500));
        assert_eq!(
            picture("Game 1 of 2", &turn, timers, false).join("\n"),
            BOARD
        );
        assert_eq!(
            line("Game 1 of 2", &turn, timers),
            "Game 1 of 2, move 3: alpha 1 1 1 2, score 0, ORDER 7.0 s, CHAOS 8.5 s left"
        );
    }

    #[test]
    fn a_clock_does_not_run_below_zero_and_the_others_does_not_run() {
        let minute = Duration::from_secs(60);
        assert_eq!(
            timers(&turn(), minute),
            [Duration::from_secs(7), Duration::ZERO]
        );
    }

    #[test]
    fn a_picture_that_would_wrap_or_scroll_is_not_drawn() {
        let lines: Vec<String> = BOARD.lines().map(str::to_owned).collect();
        assert!(fits(&lines, (40, 24)));
        assert!(fits(&lines, (35, 10)));
        assert!(!fits(&lines, (34, 10)));
        assert!(!fits(&lines, (35, 9)));
        assert!(
            !fits(&lines, (0, 0)),
            "a terminal that does not know its size"
        );
    }

    /// Returns the lines that a terminal shows after this output. Supports only the control codes that this module
    /// uses.
    fn screen(text: &str) -> Vec<String> {
        let mut lines = vec![String::new()];
        let (mut row, mut column) = (0, 0);
        let mut rest = text.chars();
        while let Some(next) = rest.next() {
            match next {
                '\r' => column = 0,
                '\n' => {
                    (row, column) = (row + 1, 0);
                    lines.resize(lines.len().max(row + 1), String::new());
                }
                '\x1b' => {
                    let mut sequence: String = rest.by_ref().take(2).collect();
                    while !sequence.ends_with(char::is_alphabetic) {
                        sequence.extend(rest.next());
                    }
                    match sequence.as_str() {
                        "[K" => lines[row].truncate(column),
                        "[J" => {
                            lines[row].truncate(column);
                            lines.truncate(row + 1);
                        }
                        up => {
                            let number = up.trim_start_matches('[').trim_end_matches('A');
                            row -= number.parse::<usize>().expect("a number of lines");
                        }
                    }
                }
                _ => {
                    let line = &mut lines[row];
                    line.replace_range(column..line.len().min(column + 1), &next.to_string());
                    column += 1;
                }
            }
        }
        lines
    }

    #[test]
    fn lines_are_replaced_in_place_and_taken_away() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (first, second) = (lines("one\ntwo\nthree"), lines("1\n2"));
        let text = format!("before\n{}{}", redrawn(0, &first), redrawn(3, &second));
        assert_eq!(screen(&text), ["before", "1", "2", ""]);
        let text = format!("{text}{}after\n", redrawn(2, &[]));
        assert_eq!(screen(&text), ["before", "after", ""]);
    }
}
