//! Tests TwentyOne as people use it: they set up hands, study them, and review games.

use std::ops::ControlFlow;

use proptest::prelude::*;
use turnwise_engine::agent::Agent;
use turnwise_engine::plugin::{AgentOptions, GameRules, Judging, Studied, Studying, UntypedGame};
use turnwise_engine::search::{Control, Limits, Stop};
use turnwise_engine::table::Table;
use turnwise_twentyone::actions::Action;
use turnwise_twentyone::cards::{Card, Rank, RankCounts};
use turnwise_twentyone::expected::{Decision, Unseen};
use turnwise_twentyone::match_game::{Question, TwentyOne, TwentyOneTable};
use turnwise_twentyone::player::Seen;
use turnwise_twentyone::rules::{HandValue, RuleSet, hand_value};

use super::judged_games::{judged, played};

fn rules(given: &[(&str, &str)]) -> TwentyOne {
    let rules = TwentyOne::by_options(&|wanted| {
        let mut given = given.iter();
        let found = given.find(|(name, _)| *name == wanted);
        found.map(|(_, value)| (*value).to_owned())
    });
    rules.expect("settings")
}

fn studied(rules: &TwentyOne, table: &mut TwentyOneTable, top: usize) -> Studied {
    let how = Studying {
        top,
        limits: Limits::default(),
        stop: Stop::default(),
        solutions: None,
    };
    let studied = rules.study(table, &how, &mut |_| {});
    assert!(!studied.lines.is_empty() && studied.lines.len() <= top);
    for line in &studied.lines {
        assert!(table.is_legal(table.parse(&line.moves[0]).expect("its own notation")));
    }
    studied
}

fn cards(text: &str) -> Vec<Card> {
    let cards = text.split_whitespace().map(str::parse);
    cards.collect::<Result<_, _>>().expect("cards")
}

fn ranks(cards: &[Card]) -> Vec<Rank> {
    cards.iter().map(|card| card.rank).collect()
}

/// Counts the cards of each rank. `letters` are the letters of the ranks, as in the line `gone` of a position.
fn counts(letters: &str) -> RankCounts {
    let letters = letters.chars().filter(|letter| *letter != ' ');
    let rank = |letter: char| Rank::all().find(|rank| rank.letter() == letter);
    letters
        .map(|letter| rank(letter).expect("a rank"))
        .collect()
}

#[test]
fn a_hand_that_is_set_up_has_the_exact_values_for_the_cards_left() {
    for (of, hand, up, gone, insured) in [
        (RuleSet::Text, "S8 H8", "S6", "AA 2 55 KKKK", false),
        (RuleSet::Text, "S8 H3", "S6", "", false),
        (RuleSet::Engine, "S9 H7", "DT", "2233445566", false),
        (RuleSet::Text, "S5 H5", "SA", "TTTTJJJJQQQQ", false),
        (RuleSet::Text, "S2 H3 D4", "C7", "99999999", false),
        (RuleSet::Text, "ST H6", "DA", "2222", true),
    ] {
        let rules = rules(&[("rules", &of.to_string())]);
        let insured_line = if insured { "insured\n" } else { "" };
        for (side, role) in ["Left", "Right"].into_iter().enumerate() {
            let text = format!(
                "turn {role}\npoints 9900 9000\nbid 100\ndealer {up}\nhand {hand}\ngone {gone}\n{insured_line}"
            );
            let mut table = rules.set_up(&text).expect("a hand");
            assert_eq!(table.turn(), Some(side));
            let (hand, up) = (cards(hand), cards(up)[0]);
            let seen: RankCounts = ranks(&hand).into_iter().chain([up.rank]).collect();
            let left = RankCounts::of_decks(3)
                .without(&seen)
                .without(&counts(gone));
            let expected = Decision {
                rules: of,
                up: up.rank,
                hand: &ranks(&hand),
                unseen: Unseen::one_shoe(left),
                bid: 100,
                points: 9_000,
                first_action: hand.len() == 2 && !insured,
                insured,
                alone: true,
            };
            let expected = expected.values();
            let studied = studied(&rules, &mut table, 9);
            let sign = if side == 0 { 1.0 } else { -1.0 };
            assert_eq!(studied.lines.len(), expected.listed().len());
            for (action, value) in expected.listed() {
                let line = studied
                    .lines
                    .iter()
                    .find(|line| line.moves == [action.to_string()]);
                let got = line.expect("every legal action").value;
                assert!(
                    (got - sign * 100.0 * value).abs() < 1e-9,
                    "{text}{action}: {got}"
                );
            }
            assert_eq!(studied.lines[0].moves, [expected.best().0.to_string()]);
            assert_eq!(studied.is_exact, expected.split.is_none());
        }
    }
}

#[test]
fn the_strong_player_gives_nothing_away_and_others_a_lot() {
    let (mut random, mut gambler) = (0.0, 0.0);
    for seed in 0..4 {
        let of = ["text", "engine"][seed as usize % 2];
        let seats = (2 + seed % 3).to_string();
        let rules = rules(&[
            ("rules", of),
            ("seats", &seats),
            ("rounds", "8"),
            ("decks", "2"),
        ]);
        for (other, lost) in [("random", &mut random), ("gambler", &mut gambler)] {
            let game = played(&rules, seed, ["turnwise", other], |_, _, best| best);
            for (mv, text) in judged(&rules, &game, 1).iter().zip(&game.1) {
                match mv.side {
                    0 => assert_eq!((mv.lost, &mv.best), (0.0, text), "seed {seed}"),
                    _ => *lost += mv.lost,
                }
            }
        }
    }
    assert!(random > 400.0 && gambler > 400.0, "{random} {gambler}");
}

#[test]
fn a_planted_blunder_is_the_worst_move() {
    for seed in 0..4 {
        let rules = rules(&[("rounds", "8"), ("min-bid", "100")]);
        let mut planted = None;
        let game = played(
            &rules,
            seed,
            ["turnwise", "turnwise"],
            |table, ply, action| {
                let is_high = matches!(
                    hand_value(&table.position().seen.hand),
                    HandValue::Value(19..)
                );
                let is_first = planted.is_none() && is_high && action == Action::Stand;
                if is_first && table.is_legal(Action::Hit) {
                    planted = Some(ply);
                    return Action::Hit;
                }
                action
            },
        );
        let planted = planted.expect("somebody has a high hand");
        let moves = judged(&rules, &game, 1);
        for (ply, mv) in moves.iter().enumerate() {
            match ply == planted {
                true => assert!(
                    mv.lost > 50.0 && mv.best == "Stand" && mv.is_exact,
                    "{mv:?}"
                ),
                false => assert_eq!(mv.lost, 0.0),
            }
        }
    }
}

#[test]
fn a_bid_loses_by_its_risk_and_the_best_one_is_the_strong_player_s() {
    let rules = rules(&[("rounds", "20"), ("max-bid", "5000")]);
    let mut table = TwentyOneTable::new(&rules, 5);
    let side = table.turn().expect("somebody bids");
    let studied = studied(&rules, &mut table, 20);
    let mut strong = rules.agent("turnwise", &(), &AgentOptions::default(), 0);
    let found = strong.think(table.position(), Limits::default(), &Control::new());
    assert_eq!(studied.lines[0].moves, [table.notation(found.best)]);
    assert!(!studied.is_exact && studied.lines.len() > 5);
    let sign = if side == 0 { 1.0 } else { -1.0 };
    let worth: Vec<f64> = studied.lines.iter().map(|line| sign * line.value).collect();
    assert!(worth.is_sorted_by(|one, other| one >= other));
    let game = (table.outcome(None, None), vec!["Bid 5000".to_owned()]);
    let mv = &judged(&rules, &game, 1)[0];
    // Without an edge, a bid costs its risk: its variance, which is more than 1.1 times the square of the bid, divided
    // by three times the points.
    assert!(
        mv.lost > 1.1 * 5000.0 * 5000.0 / 30_000.0 && !mv.is_exact,
        "{mv:?}"
    );
    assert_eq!(vec![mv.best.clone()], studied.lines[0].moves);
}

#[test]
fn a_double_down_is_worth_the_card_that_must_follow() {
    let rules = rules(&[]);
    let text = "turn Left\nbid 100\ndealer S6\nhand S8 H3\ngone 22";
    let mut table = rules.set_up(text).expect("a hand");
    let doubled = studied(&rules, &mut table, 1);
    assert_eq!(doubled.lines[0].moves, ["DoubleDown"]);
    table.play(Action::DoubleDown);
    assert_eq!(rules.set_up_text(&table), None);
    let card = studied(&rules, &mut table, 3);
    assert_eq!((card.lines.len(), &*card.lines[0].moves[0]), (1, "Hit"));
    assert!((card.lines[0].value - doubled.lines[0].value).abs() < 1e-9);
    table.play(Action::Hit);
    let stood = studied(&rules, &mut table, 3);
    assert_eq!((stood.lines.len(), &*stood.lines[0].moves[0]), (1, "Stand"));
}

/// Right also knows the cards that were gone when the hand was set up, and the cards of the hand.
#[test]
fn both_remember_a_hand_that_was_set_up() {
    let rules = rules(&[("decks", "1"), ("rules", "engine")]);
    let text = "turn Left\nbid 100\ndealer S9\nhand ST HT\ngone 2222 333";
    let mut table = rules.set_up(text).expect("a hand");
    table.play(Action::Stand);
    while rules.set_up_text(&table).is_none() {
        let bid = table.legal_moves()[0];
        assert!(matches!(bid, Action::Bid(_)));
        table.play(bid);
    }
    let text = rules.set_up_text(&table).expect("a hand is played");
    let gone = text
        .lines()
        .find_map(|line| line.strip_prefix("gone "))
        .expect("some are");
    let now = counts(gone);
    assert!(
        now.0[1] == 4 && now.0[2] == 3 && now.0[9] >= 2 && now.0[8] >= 1,
        "{text}"
    );
}

#[test]
fn a_hand_comes_back_from_its_text() {
    let mut hands = 0;
    for seed in 0..12 {
        let seats = (2 + seed % 3).to_string();
        let rules = rules(&[("rounds", "4"), ("decks", "2"), ("seats", &seats)]);
        let mut table = TwentyOneTable::new(&rules, seed);
        while table.turn().is_some() {
            if let Some(text) = rules.set_up_text(&table) {
                hands += 1;
                let mut again = rules.set_up(&text).expect("its own text");
                assert_eq!(rules.set_up_text(&again), Some(text));
                let [one, other] = [&mut again, &mut table].map(|table| {
                    let side = table.turn().expect("a hand");
                    let asked = table.seen_by(side).clone();
                    let points = asked.seen.view(None).own_points();
                    let Seen { hand, up_card, .. } = asked.seen;
                    (side, asked.legal, hand, up_card, points)
                });
                assert_eq!(one, other);
                let values = |table| studied(&rules, table, 9).lines;
                assert_eq!(values(&mut again), values(&mut table));
                while again.turn().is_some() {
                    again.play(again.legal_moves()[0]);
                }
                assert!(rules.meaning(&again.outcome(None, None)).is_ok());
            }
            let side = table.turn().expect("somebody is asked");
            let legal = &table.seen_by(side).legal;
            let action = legal[(seed as usize + hands) % legal.len()];
            table.play(action);
        }
        assert_eq!(rules.set_up_text(&table), None);
    }
    assert!(hands > 40, "{hands}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_is_set_up_or_refused(
        lines in proptest::collection::vec(
            "(turn (Left|right|X)|bid [0-9]{1,4}|points [0-9]{1,13} [0-9]{1,3}|dealer [SH][A69T]|hand( [SCDH][A28TK]){0,5}|gone [A2-9TJQK ]{0,60}|insured|.{0,12})",
            3..9,
        ),
        decks in 1u8..3,
    ) {
        let rules = rules(&[("decks", &decks.to_string())]);
        let text = lines.join("\n");
        if let Ok(mut table) = rules.set_up(&text) {
            prop_assert!(table.turn().is_some());
            if let Some(written) = rules.set_up_text(&table) {
                let again = rules.set_up(&written).expect("its own text");
                prop_assert_eq!(rules.set_up_text(&again), Some(written));
            }
            for _ in 0..6 {
                if table.turn().is_some() {
                    studied(&rules, &mut table, 2);
                    table.play(table.legal_moves()[0]);
                }
            }
        }
    }
}

#[test]
fn what_is_no_hand_is_refused() {
    let rules = rules(&[("decks", "1")]);
    let with = |change: &str| {
        let name = change.split(' ').next().expect("a word");
        let lines = ["turn Left", "bid 100", "dealer SA", "hand S8 H8", "gone 22"];
        let kept = lines.iter().filter(|line| !line.starts_with(name));
        let text: Vec<&str> = kept.copied().chain([change]).collect();
        text.join("\n")
    };
    assert!(rules.set_up(&with("insured")).is_ok());
    for (change, why) in [
        ("turn", "line 5"),
        ("turn Middle", "line 5"),
        ("bid 9", "below the minimum"),
        ("bid 1001", "above the maximum"),
        ("bid 99999999999999999999", "line 5"),
        ("points 1 0", "`points`"),
        ("points 9999999999999 1", "line 6"),
        ("dealer S8", "cards of 1 decks"),
        ("dealer 8S", "line 5"),
        ("hand S8", "two to four cards"),
        ("hand SK HK D5", "worth Bust"),
        ("hand SA HK", "worth Combo"),
        ("hand S2 H2 D2 C2 S3", "worth Charlie"),
        ("hand S8 S8", "cards of 1 decks"),
        ("gone 22222", "cards of 1 decks"),
        ("gone X", "line 5"),
    ] {
        match rules.set_up(&with(change)) {
            Ok(_) => panic!("{change}"),
            Err(got) => assert!(got.contains(why), "{change}: {got}"),
        }
    }
    let nearly_all = "AAA 2222 3333 4444 5555 6666 7777 88 9999 TTTT JJJJ QQQQ KK";
    assert!(rules.set_up(&with(&format!("gone {nearly_all}"))).is_ok());
    assert!(rules.set_up(&with(&format!("gone {nearly_all}K"))).is_err());
    for text in [
        "",
        "turn Left",
        "bid 100\nturn Left",
        "turn Left\nbid 100\ndealer SA",
    ] {
        let why = rules.set_up(text).err().expect("no hand");
        assert!(why.contains("expected a line"), "{why}");
    }
}

#[test]
fn judging_can_be_broken_off_and_refuses_impossible_moves() {
    let rules = rules(&[("rounds", "3")]);
    let game = played(&rules, 1, ["basic", "naive"], |_, _, best| best);
    let by = Judging {
        solutions: None,
        nodes: 1,
    };
    let judge = || rules.loss_judge(&by).expect("a judge").expect("a judge");
    let mut heard = 0;
    let broken = judge().judge(&game.0, &game.1, &mut |_| {
        heard += 1;
        ControlFlow::Break(())
    });
    broken.expect("its own moves");
    assert_eq!(heard, 1);
    for moves in [&["x"][..], &["Hit"], &["Bid 1"], &[&game.1[0], "Split"]] {
        let moves: Vec<String> = moves.iter().map(|text| (*text).to_owned()).collect();
        let judged = judge().judge(&game.0, &moves, &mut |_| ControlFlow::Continue(()));
        assert!(judged.is_err(), "{moves:?}");
    }
    let mut strange = game.0;
    strange.take("seats");
    strange.push("seats", vec![7, 1]);
    assert!(rules.reopen(&strange).is_err());
}

/// Each move of a person is a new request, perhaps in another process.
///
/// Then the agent receives the memory that it would have if it had played from the beginning.
#[test]
fn an_agent_that_is_asked_once_plays_as_one_that_was_there_all_the_time() {
    for name in [
        "turnwise", "chart", "basic", "naive", "timid", "gambler", "counter",
    ] {
        for seed in 0..4 {
            let of = ["text", "engine"][seed as usize % 2];
            let rules = rules(&[
                ("rules", of),
                ("rounds", "12"),
                ("seats", "3"),
                ("decks", "2"),
            ]);
            let mut all_the_time =
                [0, 1].map(|_| rules.agent(name, &(), &AgentOptions::default(), 0));
            let mut table = TwentyOneTable::new(&rules, seed);
            while let Some(side) = table.turn() {
                let asked = table.position();
                let think = |agent: &mut dyn Agent<Position = Question, Move = Action>| {
                    agent.think(asked, Limits::default(), &Control::new()).best
                };
                let action = think(&mut all_the_time[side]);
                let once = think(&mut rules.agent(name, &(), &AgentOptions::default(), 0));
                // The hi-lo count of `counter` and the shoe restart at different cards, so the bids of `counter` may
                // differ.
                if name != "counter" || !matches!(action, Action::Bid(_)) {
                    assert_eq!(once, action, "{name}, seed {seed}: {asked:?}");
                }
                assert!(table.is_legal(once));
                table.play(action);
            }
        }
    }
}
