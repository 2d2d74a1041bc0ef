//! A player of TwentyOne that looks one card ahead. It reads and writes JSON lines on standard input and output.

mod json;

use std::io::{self, BufRead, Write};

use json::Json;

/// Cards counted by rank: 1 is the aces, 2 to 9 the cards of that number, 10 all cards that are worth ten.
type Counts = [i64; 11];
const DECK: Counts = [0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 16];

/// The worths of hands that are more than a plain total.
const BUST: usize = 0;
const CHARLIE: usize = 22;
const COMBO: usize = 23;
type Chances = [f64; COMBO + 1];

fn sum(counts: &Counts) -> i64 {
    counts.iter().sum()
}

fn rank_of(card: &Json) -> usize {
    match card.text().get(1..) {
        Some("A") => 1,
        Some(rank) => rank.parse().unwrap_or(10),
        None => panic!("expected a card such as SQ, got {:?}", card.text()),
    }
}

/// Returns the ranks of a hand's cards.
fn hand_of(hand: &Json) -> Vec<usize> {
    let (dealt, drawn) = (hand.get("dealt").items(), hand.get("drawn").items());
    dealt.iter().chain(drawn).map(rank_of).collect()
}

/// Returns the worth of a hand with this number of cards and this total, with aces as one. Worths compare as hands do.
fn worth(hard: usize, has_ace: bool, cards: usize) -> usize {
    let total = if has_ace && hard <= 11 { hard + 10 } else { hard };
    match total {
        22.. => BUST,
        21 if cards == 2 => COMBO,
        _ if cards >= 5 => CHARLIE,
        _ => total,
    }
}

/// Returns the probability of each worth of the dealer's hand. The dealer draws to 16.
fn dealer_chances(up_card: usize, unseen: &Counts) -> Chances {
    let total = sum(unseen) as f64;
    let mut chances = [0.0; COMBO + 1];
    // Hands on which the dealer draws, by total and by whether the hand has an ace.
    let mut open_hands = [[0.0; 2]; 17];
    open_hands[up_card][usize::from(up_card == 1)] = 1.0;
    for cards in 2..18 {
        let mut longer_hands = [[0.0; 2]; 17];
        for (hard, of_hard) in open_hands.iter().enumerate() {
            for (has_ace, &chance) in [false, true].into_iter().zip(of_hard) {
                for rank in 1..=10 {
                    let chance = chance * unseen[rank] as f64 / total;
                    let (new_hard, new_ace) = (hard + rank, has_ace || rank == 1);
                    if new_hard <= 16 && !(new_ace && (7..=11).contains(&new_hard)) {
                        longer_hands[new_hard][usize::from(new_ace)] += chance;
                    } else {
                        chances[worth(new_hard, new_ace, cards)] += chance;
                    }
                }
            }
        }
        open_hands = longer_hands;
    }
    chances
}

/// Returns the probability of a win minus the probability of a loss, with a hand of this worth.
fn value_of(own: usize, dealer: &Chances) -> f64 {
    match own {
        BUST => -1.0,
        _ => dealer[..own].iter().sum::<f64>() - dealer[own + 1..].iter().sum::<f64>(),
    }
}

// ------------------------------------------------------------------ what to change first

/// Bids the minimum, or a hundredth of the points if more aces and tens remain than usual.
fn choose_bid(unseen: &Counts, points: i64, least: i64, most: i64) -> i64 {
    let is_rich = 13 * (unseen[1] + unseen[10]) > 5 * sum(unseen);
    let bid = if is_rich { points / 100 } else { least };
    bid.max(least).min(most).min(points)
}

/// Draws a card if the hand is on average worth at least as much with the card as without it.
fn choose_action(hand: &[usize], up_card: usize, unseen: &Counts) -> &'static str {
    let dealer = dealer_chances(up_card, unseen);
    let (hard, has_ace) = (hand.iter().sum::<usize>(), hand.contains(&1));
    let standing = value_of(worth(hard, has_ace, hand.len()), &dealer);
    let mut hitting = 0.0;
    for rank in 1..=10 {
        let drawn = value_of(worth(hard + rank, has_ace || rank == 1, hand.len() + 1), &dealer);
        hitting += drawn * unseen[rank] as f64 / sum(unseen) as f64;
    }
    // Without a margin, rounding would decide between equal values.
    if hitting > standing - 1e-9 { "hit" } else { "stand" }
}

// ----------------------------------------------------------------------------------------

/// The cards gone before this round: their number, and the seen cards of each rank.
#[derive(Default)]
struct Gone {
    number: i64,
    seen: Counts,
}

impl Gone {
    /// Reads the memory, which is empty in the first call of a game.
    fn read(memory: &str) -> Gone {
        let mut numbers = memory.split(' ').map(|word| word.parse().unwrap_or(0));
        let number = numbers.next().unwrap_or(0);
        let mut seen = Counts::default();
        seen.iter_mut().zip(numbers).for_each(|(seen, told)| *seen = told);
        Gone { number, seen }
    }
}

fn gone_before(call: &Json) -> Gone {
    let mut gone = Gone::read(call.get("memory").text());
    // Only the call for a bid shows the whole last round, and under the engine's rules not even this call.
    if !call.get("hand").is_null() || call.get("settings").get("rules").text() == "engine" {
        return gone;
    }
    let hands = call.get("shown").items().iter().flat_map(|shown| shown.get("hands").items());
    for rank in hands.flat_map(hand_of) {
        gone.number += 1;
        gone.seen[rank] += 1;
    }
    let dealer = call.get("dealer");
    if !dealer.is_null() {
        let dealt = [dealer.get("up_card"), dealer.get("hidden")];
        let dealt = dealt.into_iter().filter(|card| !card.is_null()).map(rank_of);
        hand_of(dealer).into_iter().chain(dealt).for_each(|rank| gone.seen[rank] += 1);
        // The hidden card is gone even if it was not seen.
        gone.number += 2 + dealer.get("drawn").items().len() as i64;
    }
    let decks = call.get("settings").get("decks").whole();
    while gone.number >= decks * sum(&DECK) {
        // The shoe ended in that round, and the remaining cards came from a fresh shoe.
        gone.number -= decks * sum(&DECK);
        for (seen, cards) in gone.seen.iter_mut().zip(DECK) {
            *seen = (*seen - decks * cards).max(0);
        }
    }
    gone
}

/// Returns the cards that may come next, by rank.
fn unseen_cards(call: &Json, gone: &Gone) -> Counts {
    let mut decks = call.get("settings").get("decks").whole();
    let mut on_table = Counts::default();
    if !call.get("hand").is_null() {
        hand_of(call.get("hand")).into_iter().for_each(|rank| on_table[rank] += 1);
        on_table[rank_of(call.get("up_card"))] += 1;
    }
    let dealt = 2 * (call.get("points").items().len() as i64 + 1);
    if gone.number + dealt >= decks * sum(&DECK) {
        // This round goes into the next shoe.
        decks *= 2;
    }
    let mut unseen = Counts::default();
    for (rank, unseen) in unseen.iter_mut().enumerate() {
        *unseen = (decks * DECK[rank] - gone.seen[rank] - on_table[rank]).max(0);
    }
    if sum(&unseen) > 0 { unseen } else { DECK }
}

fn answer(call: &Json) -> String {
    let gone = gone_before(call);
    let unseen = unseen_cards(call, &gone);
    let action = if !call.get("hand").is_null() {
        let hand = hand_of(call.get("hand"));
        let action = choose_action(&hand, rank_of(call.get("up_card")), &unseen);
        format!("\"{action}\"")
    } else {
        let own = call.get("id").whole();
        let mut points = call.get("points").items().iter().map(Json::items);
        let points = points.find(|of| of[0].whole() == own).expect("whoever is asked has points");
        let (settings, points) = (call.get("settings"), points[1].whole());
        let (least, most) = (settings.get("min_bid").whole(), settings.get("max_bid").whole());
        format!("\"bid\",\"points\":{}", choose_bid(&unseen, points, least, most))
    };
    let seen = gone.seen.map(|seen| seen.to_string()).join(" ");
    format!("{{\"action\":{action},\"memory\":\"{} {seen}\"}}", gone.number)
}

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let call = Json::read(&line).map_err(io::Error::other)?;
        println!("{}", answer(&call));
        // Without a flush, the line may wait in a buffer while the clock runs.
        io::stdout().flush()?;
    }
    Ok(())
}
