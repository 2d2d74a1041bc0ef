//! Converts between the game's views and replies and the lines of `protocol/twentyone.md`.
//!
//! It also contains the strong player as a function from lines to lines, without any I/O. For a table at which external
//! programs play, it creates calls and parses replies.

use turnwise_protocol::twentyone::{
    ActionName, Answer, Call, Dealer, Hand, LINE_LIMIT, LineError, Refusal, Shown as WireShown,
};

use crate::actions::Action;
use crate::cards::{Card, CardError};
use crate::counting::contradiction;
use crate::player::{MEMORY_LIMIT, Reply, Shown, View};
use crate::rules::{MOST_POINTS, Settings, insurance_cost};
use crate::strong::{Thought, think};

/// Returns the strong player's reply to a line, or `None` for a blank line.
///
/// A `line` of `None` stands for a line of more than [`LINE_LIMIT`] bytes.
pub fn reply_line(settings: &Settings, line: Option<&[u8]>) -> Option<String> {
    let call = match line.map(String::from_utf8_lossy) {
        None => Err(LineError::TooLong),
        Some(text) if text.trim().is_empty() => return None,
        Some(text) => Call::<Settings>::parse(text.trim()),
    };
    let request = call.as_ref().ok().and_then(|call| call.request);
    let call = call.map_err(|error| error.to_string());
    let reply = match call.and_then(|call| answer(settings, &call)) {
        Ok(answer) => serde_json::to_string(&answer),
        Err(error) => serde_json::to_string(&Refusal { request, error }),
    };
    Some(reply.expect("plain data"))
}

/// Returns the strong player's answer to a call.
///
/// # Errors
/// Returns the reason if a part of the call is impossible.
pub fn answer(settings: &Settings, call: &Call<Settings>) -> Result<Answer, String> {
    let own = call.settings.clone().map(Settings::validated).transpose();
    let own = own.map_err(|error| error.to_string())?;
    check_points(call)?;
    let shown: Vec<Shown> = call.shown.iter().map(shown_of).collect::<Result<_, _>>()?;
    let dealer = dealer_of(call.dealer.as_ref())?;
    let hand = call.hand.as_ref();
    let hand = hand.map(|hand| hand_of(hand, "the hand to play"));
    let hand = hand.transpose()?.unwrap_or_default();
    let up_card = call.up_card.as_deref().map(card).transpose()?;
    if up_card.is_some() == hand.is_empty() {
        let both = "expected both an up-card and a hand, or neither when asking for a bid";
        return Err(both.to_string());
    }
    let view = View {
        settings: own.as_ref().unwrap_or(settings),
        id: call.id,
        up_card,
        points: &call.points,
        shown: &shown,
        dealer: &dealer,
        memory: call.memory.as_deref(),
        hand: &hand,
    };
    match contradiction(&view) {
        Some(contradiction) => Err(contradiction),
        None => Ok(Answer {
            request: call.request,
            ..answer_of(&think(&view))
        }),
    }
}

fn answer_of(thought: &Thought) -> Answer {
    let (action, points) = match thought.action {
        Action::Bid(bid) => (ActionName::Bid, Some(bid)),
        Action::Hit => (ActionName::Hit, None),
        Action::Stand => (ActionName::Stand, None),
        Action::DoubleDown => (ActionName::DoubleDown, Some(thought.bid())),
        Action::Split => (ActionName::Split, Some(thought.bid())),
        Action::Insurance => (ActionName::Insurance, Some(insurance_cost(thought.bid()))),
    };
    let memory = thought.memory_after(thought.action);
    Answer {
        request: None,
        action,
        points,
        memory,
        note: thought.note.clone(),
    }
}

fn check_points(call: &Call<Settings>) -> Result<(), String> {
    let most = 100 * MOST_POINTS;
    if let Some((id, points)) = call.points.iter().find(|(_, points)| *points > most) {
        return Err(format!(
            "player {id} has {points} points: expected at most {most}"
        ));
    }
    let asked = call.id;
    match call.points.iter().any(|(id, _)| *id == asked) {
        true => Ok(()),
        false => Err(format!("player {asked} is asked, but has no points listed")),
    }
}

fn card(text: &str) -> Result<Card, String> {
    text.parse().map_err(|error: CardError| error.to_string())
}

/// The maximum number of cards in a hand, and of hands of a player. No real game reaches this number.
const MOST: usize = 64;

fn cards(texts: &[String]) -> Result<Vec<Card>, String> {
    match texts.len() {
        ..=MOST => texts.iter().map(|text| card(text)).collect(),
        count => Err(format!("a hand of {count} cards: expected at most {MOST}")),
    }
}

fn shown_of(wire: &WireShown) -> Result<Shown, String> {
    let count = wire.hands.len();
    if count > MOST {
        return Err(format!(
            "{count} hands of one player: expected at most {MOST}"
        ));
    }
    let what = format!("a hand of player {}", wire.id);
    let hands = wire.hands.iter().map(|hand| hand_of(hand, &what));
    let mut hands: Vec<_> = hands.collect::<Result<_, _>>()?;
    hands.retain(|hand| !hand.is_empty());
    Ok(Shown { id: wire.id, hands })
}

/// Parses a list of cards whose order is unambiguous. Otherwise, the error recommends the form `instead`, which shows
/// the order.
fn listed(texts: &[String], what: &str, instead: &str) -> Result<Vec<Card>, String> {
    match texts.len() {
        ..=2 => cards(texts),
        count => Err(format!(
            "{what} is a list of {count} cards, which does not tell the dealt ones from the drawn: expected at most two in a list; send {instead}"
        )),
    }
}

/// Returns the cards of a hand in the order in which they were dealt and drawn.
fn hand_of(hand: &Hand, what: &str) -> Result<Vec<Card>, String> {
    match hand {
        Hand::Listed(texts) => listed(
            texts,
            what,
            "{\"dealt\":[first, second],\"drawn\":[third, ...]}",
        ),
        Hand::Parted { dealt, drawn } if dealt.len() == 2 => {
            let mut all = cards(dealt)?;
            all.extend(cards(drawn)?);
            Ok(all)
        }
        Hand::Parted { dealt, .. } => Err(format!(
            "{what} has {} cards under \"dealt\": expected the two that it began with; put later ones under \"drawn\"",
            dealt.len()
        )),
    }
}

/// Returns the dealer's cards in the order in which they were dealt and drawn.
fn dealer_of(dealer: Option<&Dealer>) -> Result<Vec<Card>, String> {
    match dealer {
        None => Ok(Vec::new()),
        Some(Dealer::Listed(texts)) => listed(
            texts,
            "the dealer's hand",
            "{\"up_card\":card,\"hidden\":card,\"drawn\":[card, ...]}",
        ),
        Some(Dealer::Named {
            hidden: None,
            drawn,
            ..
        }) if !drawn.is_empty() => Err(
            "the dealer has drawn cards, but no \"hidden\" one: expected the second card it was dealt under \"hidden\"".to_string(),
        ),
        Some(Dealer::Named {
            up_card,
            hidden,
            drawn,
        }) => {
            let mut all = vec![card(up_card)?];
            all.extend(hidden.as_deref().map(card).transpose()?);
            all.extend(cards(drawn)?);
            Ok(all)
        }
    }
}

/// Returns the call that shows `view` to a program.
pub fn call_of(view: &View<'_>) -> Call<Settings> {
    let texts = |cards: &[Card]| cards.iter().map(Card::to_string).collect::<Vec<_>>();
    let parted = |hand: &[Card]| {
        let (dealt, drawn) = hand.split_at(hand.len().min(2));
        Hand::Parted {
            dealt: texts(dealt),
            drawn: texts(drawn),
        }
    };
    let shown = |shown: &Shown| WireShown {
        id: shown.id,
        hands: shown.hands.iter().map(|hand| parted(hand)).collect(),
    };
    let dealer = view.dealer.split_first();
    let dealer = dealer.map(|(up_card, others)| Dealer::Named {
        up_card: up_card.to_string(),
        hidden: others.first().map(Card::to_string),
        drawn: texts(others.get(1..).unwrap_or_default()),
    });
    Call {
        request: None,
        id: view.id,
        up_card: view.up_card.map(|card| card.to_string()),
        points: view.points.to_vec(),
        shown: view.shown.iter().map(shown).collect(),
        dealer,
        memory: view.memory.map(str::to_string),
        hand: (!view.hand.is_empty()).then(|| parted(view.hand)),
        settings: Some(view.settings.clone()),
    }
}

/// Parses the reply in a program's line. An error describes the mistake in the line.
pub fn reply_of(line: &str) -> Result<Reply, String> {
    let answer = Answer::parse(line).map_err(|error| {
        let excerpt: String = line.chars().take(60).collect();
        format!("{error} (in {excerpt:?})")
    })?;
    let action = match answer.action {
        ActionName::Bid => Action::Bid(answer.points.ok_or("a bid without points")?),
        ActionName::Hit => Action::Hit,
        ActionName::Stand => Action::Stand,
        ActionName::DoubleDown => Action::DoubleDown,
        ActionName::Split => Action::Split,
        ActionName::Insurance => Action::Insurance,
    };
    Ok(Reply {
        action,
        memory: answer.memory,
    })
}

/// A memory within the game's limit always fits into a line.
const _: () = assert!(MEMORY_LIMIT * 12 < LINE_LIMIT);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    fn reply(line: &[u8]) -> Option<String> {
        reply_line(&Settings::of(RuleSet::Text), Some(line))
    }

    #[test]
    fn lines_of_any_kind_are_answered() {
        let refusal = |line: &[u8]| reply(line).expect("a refusal");
        assert!(refusal(b"\xff\xfe\n").contains("not a call"));
        assert_eq!(reply(b" \n"), None);
        let unlisted = refusal(b"{\"id\":7,\"points\":[[0,1]]}\n");
        assert!(unlisted.contains("player 7 is asked"));
        let too_long = reply_line(&Settings::of(RuleSet::Text), None).expect("a refusal");
        assert!(too_long.contains("more than"));
        let good = reply(br#"{"id":0,"points":[[0,10000]]}"#).expect("an answer");
        assert!(Answer::parse(&good).is_ok(), "{good}");
    }

    #[test]
    fn an_unreadable_memory_is_noted() {
        let answer = told(r#""memory":"rubbish""#);
        let answer = Answer::parse(&answer).expect("an answer");
        assert!(answer.note.expect("a note").contains("starting afresh"));
    }

    const BID: &str = r#"{"id":0,"points":[[0,10000],[1,10000]],"#;

    fn told(members: &str) -> String {
        reply(format!("{BID}{members}}}").as_bytes()).expect("a reply")
    }

    #[test]
    fn lists_are_read_as_long_as_their_order_is_beyond_doubt() {
        for members in [
            r#""shown":[{"id":1,"hands":[["SQ","H3"],[],["S5"]]}],"dealer":["HA","D9"]"#,
            r#""shown":[{"id":1,"hands":[]}],"dealer":["HA"]"#,
            r#""shown":[],"dealer":[],"hand":[]"#,
            r#""dealer":null,"hand":null"#,
            r#""shown":[{"id":1,"hands":[{"dealt":["SQ","H3"]}]}],"dealer":{"up_card":"HA"}"#,
        ] {
            let answer = told(members);
            assert!(Answer::parse(&answer).is_ok(), "{members}: {answer}");
        }
        for (members, expected) in [
            (
                r#""shown":[{"id":1,"hands":[["SQ","H3","D6"]]}]"#,
                r#"a hand of player 1 is a list of 3 cards, which does not tell the dealt ones from the drawn: expected at most two in a list; send {"dealt":[first, second],"drawn":[third, ...]}"#,
            ),
            (
                r#""up_card":"HA","hand":["SQ","H3","D6"]"#,
                "the hand to play is a list of 3 cards",
            ),
            (
                r#""dealer":["HA","D9","S2"]"#,
                r#"send {"up_card":card,"hidden":card,"drawn":[card, ...]}"#,
            ),
            (
                r#""up_card":"HA","hand":{"dealt":["SQ","H3","D6"]}"#,
                r#"the hand to play has 3 cards under "dealt": expected the two"#,
            ),
            (
                r#""dealer":{"up_card":"HA","drawn":["S2"]}"#,
                r#"no "hidden" one"#,
            ),
        ] {
            let refusal: Refusal = serde_json::from_str(&told(members)).expect(members);
            assert!(refusal.error.contains(expected), "{}", refusal.error);
        }
    }

    /// Returns the answer to the second round's call for a bid, which reports the cards `dealer`.
    ///
    /// In the first round, the dealer's up-card is a nine.
    fn second_bid(dealer: &str) -> String {
        let memory = |line: &str| Answer::parse(line).expect(line).memory;
        let bid = memory(&told(r#""shown":[]"#));
        let play = format!(r#""up_card":"S9","memory":{bid:?},"hand":{{"dealt":["SQ","HK"]}}"#);
        let stand = memory(&told(&play));
        told(&format!(r#""memory":{stand:?},"dealer":{dealer}"#))
    }

    #[test]
    fn a_dealer_that_contradicts_the_up_card_is_refused() {
        for dealer in [
            r#"["S9","H7"]"#,
            r#"["S9"]"#,
            r#"{"up_card":"S9","hidden":"H2","drawn":["D9"]}"#,
        ] {
            let answer = second_bid(dealer);
            assert!(Answer::parse(&answer).is_ok(), "{dealer}: {answer}");
        }
        for dealer in [
            r#"["H7","S9"]"#,
            r#"{"up_card":"D9","hidden":"S9","drawn":["H2"]}"#,
        ] {
            let refusal: Refusal = serde_json::from_str(&second_bid(dealer)).expect(dealer);
            assert!(
                refusal
                    .error
                    .contains("in the last round S9 was up: expected")
                    && refusal.error.contains("separately"),
                "{}",
                refusal.error
            );
        }
    }
}
