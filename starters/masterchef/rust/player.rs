//! A player of MasterChef that looks one ply ahead. For each pick it reads input.txt and writes output.txt.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::error::Error;
use std::fs;

/// Capacity and happiness are counted in millionths: whole numbers, so that equal values tie exactly.
const MILLION: i64 = 1_000_000;
const BONUS: i64 = 120 * MILLION * MILLION;

#[derive(Clone, Copy, PartialEq)]
enum State {
    Free,
    Ours,
    Theirs,
}

/// Gains are the contestant's contributions to our team and to theirs: happiness times capacity.
#[derive(Clone, Copy)]
struct Contestant {
    id: u32,
    our_gain: i64,
    their_gain: i64,
    state: State,
}

/// Returns a team's current power: its members' gains, and the bonus while their last digits differ.
fn power(team: &[Contestant], gain: fn(&Contestant) -> i64) -> i64 {
    let digits: HashSet<u32> = team.iter().map(|one| one.id % 10).collect();
    let bonus = if digits.len() == team.len() { BONUS } else { 0 };
    team.iter().map(gain).sum::<i64>() + bonus
}

fn our_power(team: &[Contestant]) -> i64 {
    power(team, |one| one.our_gain)
}

fn their_power(team: &[Contestant]) -> i64 {
    power(team, |one| one.their_gain)
}

fn with(team: &[Contestant], one: Contestant) -> Vec<Contestant> {
    [team, &[one]].concat()
}

fn of_state(contestants: &[Contestant], state: State) -> Vec<Contestant> {
    contestants.iter().filter(|one| one.state == state).copied().collect()
}

// ------------------------------------------------------------------ what to change first

/// Returns the power of our team with this contestant plus the power of their team with it, which it can no longer get.
fn value_of_pick(ours: &[Contestant], theirs: &[Contestant], one: Contestant) -> i64 {
    our_power(&with(ours, one)) + their_power(&with(theirs, one))
}

/// Chooses the free contestant of the greatest value, among equals the smallest ID.
fn choose_pick(contestants: &[Contestant]) -> Option<Contestant> {
    let ours = of_state(contestants, State::Ours);
    let theirs = of_state(contestants, State::Theirs);
    let free = of_state(contestants, State::Free).into_iter();
    free.min_by_key(|&one| (Reverse(value_of_pick(&ours, &theirs, one)), one.id))
}

// ----------------------------------------------------------------------------------------

fn millionths(text: &str) -> Result<i64, Box<dyn Error>> {
    Ok((text.parse::<f64>()? * MILLION as f64 + 0.5) as i64)
}

fn contestant(line: &str) -> Result<Contestant, Box<dyn Error>> {
    let fields: Vec<&str> = line.split(',').collect();
    let [id, capacity, our_happiness, their_happiness, state] = fields[..] else {
        return Err(format!("expected five fields, got {line}").into());
    };
    let capacity = millionths(capacity)?;
    Ok(Contestant {
        id: id.parse()?,
        our_gain: millionths(our_happiness)? * capacity,
        their_gain: millionths(their_happiness)? * capacity,
        state: match state {
            "1" => State::Ours,
            "2" => State::Theirs,
            _ => State::Free,
        },
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let input = fs::read_to_string("input.txt")?;
    // The number of contestants, the algorithm, and the contestants.
    let lines = input.split_whitespace().skip(2);
    let contestants = lines.map(contestant).collect::<Result<Vec<_>, _>>()?;
    let pick = choose_pick(&contestants).ok_or("nobody is free")?;
    fs::write("output.txt", format!("{}\n", pick.id))?;
    Ok(())
}
