//! Lets a person play in the terminal. The person can ask for advice from the strong player, the best of the built-in
//! players.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use super::field::Participant;
use super::{conclude, in_words};
use crate::console::keyboard::{KEYS, Wish, ask_until};
use crate::console::output::{Stdout, lose, unwritten};
use crate::console::say;
use turnwise_engine::words::counted;
use turnwise_twentyone::actions::{Action, check_bid};
use turnwise_twentyone::cards::{Card, joined};
use turnwise_twentyone::game::Game;
use turnwise_twentyone::log::GameLog;
use turnwise_twentyone::player::{Fault, Player, PlayerId, Reply, View};
use turnwise_twentyone::record::{Observer, RoundRecord, TurnRecord};
use turnwise_twentyone::rules::{HandValue, Settings, hand_value, total_of};
use turnwise_twentyone::strong::{Thought, think};

const HELP: &str =
    "  NUMBER     bid that much             h  hit        d  double down (then h, then s)
  p          split the pair            s  stand      i  insurance
? also shows the value of each action; if you leave, you lose your points.";

const NO_UNDO: &str = "Nothing can be taken back now: bids and cards on the table stay there.";

/// The reason for elimination that is shown if the person left the table voluntarily.
const LEFT: &str = "left the table";

/// Plays a game in which a person has the first seat.
pub fn run(
    settings: &Settings,
    field: &[Participant],
    seed: u64,
    log: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let names: Vec<String> = std::iter::once("you".to_string())
        .chain(field.iter().map(|e| e.name.clone()))
        .collect();
    let mut players: Vec<Box<dyn Player>> = vec![Box::new(Person::default())];
    players.extend(field.iter().map(|participant| participant.seat()));
    let mut game = Game::new(settings.clone(), players.len(), seed)?;
    let mut table = Table {
        log: GameLog::new(settings.clone(), names, seed),
        departure: None,
    };
    say!("{}\n{HELP}\n{KEYS}", in_words(settings));
    while !game.is_over() && table.departure.is_none() && game.points()[0] > 0 {
        say!("\n— Round {} —", game.round() + 1);
        game.play_round(&mut players, &mut table);
    }
    conclude(&game, &mut table.log, log)?;
    match table.departure {
        Some(reason) if reason != LEFT => bail!(reason),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Shows the events of a game to the person, and records them.
struct Table {
    log: GameLog,
    /// The reason why the person no longer plays; `None` as long as the person plays.
    departure: Option<String>,
}

impl Table {
    fn name(&self, id: PlayerId) -> &str {
        &self.log.players[id as usize]
    }
}

impl Observer for Table {
    fn turn(&mut self, turn: &TurnRecord) {
        self.log.turn(turn);
        let what = match turn.action {
            Action::Bid(bid) => format!("bids {bid}"),
            action => format!(
                "{:<11} {} = {}",
                action.name(),
                joined(&turn.cards, " "),
                hand_value(&turn.cards)
            ),
        };
        let hand = match turn.hand {
            0 => String::new(),
            hand => format!(" (hand {})", hand + 1),
        };
        say!("  {:<16} {what}{hand}", self.name(turn.player));
    }

    fn round(&mut self, round: &RoundRecord) {
        self.log.round(round);
        let rules = self.log.settings.rules;
        let dealer = match round.dealer.len() {
            ..=1 => "does not play".to_string(),
            _ => {
                let value = total_of(&round.dealer).dealer_value(rules);
                format!("{} = {value}", joined(&round.dealer, " "))
            }
        };
        say!("  {:<16} {dealer}", "dealer");
        let points = self.log.players.iter().zip(&round.points);
        let points: Vec<String> = points
            .map(|(name, points)| format!("{name} {points}"))
            .collect();
        say!("  points: {}", points.join(", "));
    }

    fn fault(&mut self, round: u32, player: PlayerId, fault: &Fault) {
        self.log.fault(round, player, fault);
        let reason = fault.to_string();
        match player {
            // The reason is not shown here: it is an error, and the program reports it when it ends.
            0 if reason != LEFT => say!("  {:<16} is out", self.name(player)),
            _ => say!("  {:<16} is out: {reason}", self.name(player)),
        }
        if player == 0 {
            self.departure = Some(reason);
        }
    }
}

/// A player whose actions are chosen by a person. The strong player advises the person; its memory is updated with the
/// actions that the person chooses.
#[derive(Default)]
struct Person {
    advisor: Option<String>,
    /// An action that the person has entered in advance, with the hand for which it was entered. By entering it, the
    /// person confirmed the action before it.
    next: Option<(Action, Vec<Card>)>,
}

impl Player for Person {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        let thought = think(&View {
            memory: self.advisor.as_deref(),
            ..*view
        });
        let next = self.next.take().filter(|(_, hand)| hand == view.hand);
        let next = next.map(|(action, _)| legal(action, view, &thought));
        let action = match next {
            Some(Ok(action)) => action,
            other => {
                show(view);
                if let Some(Err(problem)) = other {
                    say!("{problem}");
                }
                self.choose(view, &thought)?
            }
        };
        self.advisor = Some(thought.memory_after(action));
        Ok(Reply {
            action,
            memory: String::new(),
        })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl Person {
    /// Asks the person for an action until the person enters a legal action or leaves.
    ///
    /// A double down or an insurance reveals no card, so the person can take it back until the next action.
    fn choose(&mut self, view: &View<'_>, thought: &Thought) -> Result<Action, Fault> {
        let mut first = None;
        loop {
            let wish = ask_until(
                "> ",
                &mut std::io::stdin().lock(),
                &mut Stdout,
                || format!("{HELP}\n{KEYS}{}", advice(thought)),
                first.is_none().then_some(NO_UNDO),
                |line| {
                    let action = action_of(line, view);
                    let action = action.and_then(|action| legal(action, view, thought));
                    action.map_err(|problem| format!("{problem} ? shows help."))
                },
            );
            match (wish.map_err(departure)?, first) {
                (Wish::Leave, _) => return Err(Fault::Failed(LEFT.to_string())),
                (Wish::Undo, taken_back) => {
                    if let Some(action) = taken_back {
                        say!("{action} is taken back.");
                    }
                    first = None;
                }
                (Wish::Move(action), None) if can_be_taken_back(action, view) => {
                    say!("{action}: takes effect with your next action; u takes it back.");
                    first = Some(action);
                }
                (Wish::Move(action), None) => return Ok(action),
                (Wish::Move(action), Some(first)) => {
                    self.next = Some((action, view.hand.to_vec()));
                    return Ok(first);
                }
            }
        }
    }
}

/// Converts an error that occurred while the person was asked to the fault with which the person leaves. If the error
/// is that output cannot be written, the person can no longer see the table and leaves it.
fn departure(error: io::Error) -> Fault {
    match unwritten(&error) {
        Some(_) => {
            lose(error);
            Fault::Failed(LEFT.to_string())
        }
        None => Fault::Failed(error.to_string()),
    }
}

/// Returns true if an action reveals no card and does not end the hand.
fn can_be_taken_back(action: Action, view: &View<'_>) -> bool {
    match action {
        Action::Insurance => true,
        // After a double down, a Combo ends at once.
        Action::DoubleDown => hand_value(view.hand) != HandValue::Combo,
        _ => false,
    }
}

fn show(view: &View<'_>) {
    match view.up_card {
        None => say!(
            "Your bid? You have {}.",
            counted(view.own_points(), "point")
        ),
        Some(up_card) => say!(
            "Dealer {up_card}, you {} = {}. {} left.",
            joined(view.hand, " "),
            hand_value(view.hand),
            counted(view.own_points(), "point")
        ),
    }
}

fn action_of(line: &str, view: &View<'_>) -> Result<Action, String> {
    match line {
        "h" => Ok(Action::Hit),
        "s" => Ok(Action::Stand),
        "d" => Ok(Action::DoubleDown),
        "p" => Ok(Action::Split),
        "i" => Ok(Action::Insurance),
        _ if view.up_card.is_none() => line
            .parse()
            .map(Action::Bid)
            .map_err(|_| format!("{line:?} is not a bid.")),
        _ => Err(format!("{line:?} is not an action.")),
    }
}

/// Checks that an action is legal. A program with an illegal action would be eliminated, but a person is asked again.
fn legal(action: Action, view: &View<'_>, thought: &Thought) -> Result<Action, String> {
    match (action, &thought.values) {
        (Action::Bid(bid), _) if view.up_card.is_none() => {
            check_bid(view.settings, bid, view.own_points())
                .map(|()| action)
                .map_err(|reason| format!("Not possible: {reason}."))
        }
        _ if view.up_card.is_none() => Err("Bid first: a number of points.".to_string()),
        (_, Some(values)) if values.listed().iter().any(|(legal, _)| *legal == action) => {
            Ok(action)
        }
        (_, None) if action == thought.action => Ok(action),
        (_, None) => Err(format!(
            "After a double down only {} is possible.",
            thought.action
        )),
        _ => Err(format!("{action} is not possible now.")),
    }
}

/// Returns a text with the strong player's advice. A line feed precedes each line of the text.
fn advice(thought: &Thought) -> String {
    let mut text = String::new();
    let history = thought.history();
    if let Some(bidding) = &thought.bidding {
        if !history.is_empty() {
            text += "\nYour last rounds, the newest first:";
            text.extend(history.iter().map(|past| format!(" {:+}", past.gain)));
            text += ".";
        }
        text += &format!(
            "\nThe next hand is worth {:+.2} % of the bid, spread {:.2} bids; I would bid {}.",
            100.0 * bidding.next_hand.mean,
            bidding.next_hand.variance.sqrt(),
            thought.bid()
        );
    }
    if let Some(values) = &thought.values {
        let mut listed = values.listed();
        listed.sort_by(|a, b| b.1.total_cmp(&a.1));
        let lines = listed.into_iter();
        text.extend(
            lines.map(|(action, value)| format!("\n  {:<11} {value:+.4} bids", action.name())),
        );
    } else if thought.bidding.is_none() {
        text += &format!("\nOnly {} is possible.", thought.action);
    }
    text
}
