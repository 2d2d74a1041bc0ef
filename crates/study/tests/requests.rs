//! Tests valid and invalid requests about every registered game.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use turnwise_engine::search::Stop;
use turnwise_games::GAMES;
use turnwise_study::{Allowed, Request, answer};

/// The limits for requests, high enough that no request in these tests reaches them.
const ALLOWED: Allowed = Allowed {
    time: Duration::from_secs(600),
    nodes: 100_000,
    solutions: None,
};

/// The maximum number of moves in a test game.
const PLIES: usize = 24;
/// The maximum number of the legal choices to try in a position.
const TRIED: usize = 5;

/// Returns the answer to a request, or the reason why it was rejected.
fn ask(request: Value) -> Result<Value, String> {
    let request: Request = serde_json::from_value(request).map_err(|error| error.to_string())?;
    let answered = answer(&request, GAMES, &ALLOWED, &Stop::default(), &mut |_| {});
    answered.map_err(|refused| refused.to_string())
}

fn names() -> impl Iterator<Item = &'static str> {
    GAMES.iter().map(|game| game.about().name)
}

/// Returns true if a game has this optional ability; see `About::lacks`.
fn has(game: &str, ability: &str) -> bool {
    let mut abouts = GAMES.iter().map(|game| game.about());
    let about = abouts.find(|about| about.name == game).expect("a game");
    !about.lacks.contains(&ability)
}

/// Returns the initial position of a game with these options. All other options have their default values.
fn beginning(game: &str, options: Value, seed: u64) -> Value {
    let asked = json!({ "ask": "settle", "game": game, "options": options });
    let settings = ask(asked).expect("settings");
    json!({ "game": game, "settings": settings, "beginning": { "seed": seed }, "moves": [] })
}

fn view(position: &Value, viewer: Option<usize>) -> Value {
    let asked = ask(json!({ "ask": "view", "position": position, "viewer": viewer }));
    asked.unwrap_or_else(|why| panic!("{why}: {position}"))
}

/// Returns the position after one more move, as a value for a request.
fn after(position: &Value, mv: &Value) -> Value {
    let mut position = position.clone();
    let moves = position["moves"].as_array_mut().expect("moves");
    moves.push(mv.clone());
    position
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("{name}"))
}

fn choices(seen: &Value) -> &Vec<Value> {
    list(&seen["view"], "choices")
}

/// Returns the side to move in a viewed position, or `None` if the game is over.
fn turn(seen: &Value) -> Option<usize> {
    seen["turn"].as_u64().map(|side| side as usize)
}

/// Returns a random legal choice of the side to move, or `None` if the game is over.
fn some_choice(position: &Value, random: &mut Xoshiro256PlusPlus) -> Option<Value> {
    let side = turn(&view(position, None))?;
    let seen = view(position, Some(side));
    let choices = choices(&seen);
    Some(choices[random.random_range(0..choices.len())]["notation"].clone())
}

#[test]
fn whoever_is_to_move_may_play_what_is_shown_and_nobody_else_is_shown_anything() {
    for game in names() {
        for seed in 0..3 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut position = beginning(game, json!({}), seed);
            for ply in 0..PLIES {
                let all = view(&position, None);
                assert_eq!(choices(&all).len(), 0, "{game}");
                let Some(side) = turn(&all) else {
                    assert!(ply > 0 && all["end"]["score"].is_number(), "{game}: {all}");
                    break;
                };
                let other = view(&position, Some(1 - side));
                assert_eq!(choices(&other).len(), 0, "{game}");
                let seen = view(&position, Some(side));
                assert!(!choices(&seen).is_empty(), "{game}: {position}");
                assert_eq!(seen, view(&position, Some(side)), "{game}");
                for _ in 0..TRIED {
                    let choice = some_choice(&position, &mut random).expect("a move");
                    let played = view(&after(&position, &choice), None);
                    assert_eq!(played["moves"][ply], choice, "{game}");
                }
                let chosen = some_choice(&position, &mut random).expect("a move");
                position = after(&position, &chosen);
            }
        }
    }
}

/// Checks for each game that positions set up from their texts equal the original positions.
///
/// Returns the games whose positions have texts.
fn set_up_by(text_of: impl Fn(&Value) -> Option<String>) -> Vec<&'static str> {
    let mut with_text = Vec::new();
    for game in names() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut position = beginning(game, json!({}), 5);
        for _ in 0..PLIES {
            let seen = view(&position, None);
            if let Some(text) = text_of(&seen) {
                let mut set_up = position.clone();
                set_up["beginning"] = json!({ "text": text });
                set_up["moves"] = json!([]);
                let again = view(&set_up, None);
                assert_eq!(again["text"], seen["text"], "{game}");
                assert_eq!(again["turn"], seen["turn"], "{game}");
                with_text.push(game);
            }
            let Some(chosen) = some_choice(&position, &mut random) else {
                break;
            };
            position = after(&position, &chosen);
        }
    }
    with_text.dedup();
    with_text
}

#[test]
fn a_position_in_a_games_own_notation_is_the_same_position() {
    let with_text = set_up_by(|seen| seen["text"].as_str().map(str::to_owned));
    assert!(with_text.contains(&"entropy") && with_text.contains(&"halma"));
}

/// Returns a position's text as a person who sees the board would write it.
///
/// Rows have a dot for each empty cell. The position's own text supplies lines such as `to move: Black`.
fn written_by_hand(seen: &Value) -> Option<String> {
    let (grid, text) = (&seen["view"]["grid"], seen["text"].as_str()?);
    let palette = grid["palette"].as_str().filter(|all| !all.is_empty())?;
    let letters: Vec<char> = grid["letters"].as_str()?.chars().collect();
    let mut written = String::new();
    for row in letters.chunks(grid["columns"].as_u64()? as usize) {
        for &letter in row {
            assert!(letter == ' ' || palette.contains(letter), "{letter}");
            written.push(if letter == ' ' { '.' } else { letter });
        }
        written.push('\n');
    }
    for line in text.lines().filter(|line| line.contains(':')) {
        written = written + line + "\n";
    }
    Some(written)
}

#[test]
fn a_board_on_which_pieces_can_be_placed_is_a_text_of_its_rows() {
    let with_palette = set_up_by(written_by_hand);
    assert!(with_palette.contains(&"entropy") && with_palette.contains(&"halma"));
}

#[test]
fn agents_and_studies_find_legal_moves_whatever_their_limits() {
    let limits = [
        json!({ "nodes": 300 }),
        json!({ "nodes": 0 }),
        json!({ "nodes": 2000, "depth": 1 }),
        json!({ "nodes": 300, "depth": 0 }),
    ];
    for game in GAMES.iter().map(|game| game.about()) {
        let mut position = beginning(game.name, json!({}), 2);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        for limits in limits.iter().chain(&limits) {
            let Some(chosen) = some_choice(&position, &mut random) else {
                break;
            };
            let limited = |mut request: Value| {
                let fields = request.as_object_mut().expect("an object");
                fields.extend(limits.as_object().expect("an object").clone());
                let what = format!("{}: {request}", game.name);
                ask(request).unwrap_or_else(|why| panic!("{why}: {what}"))
            };
            for agent in game.agents {
                let name = agent.name;
                let thought =
                    limited(json!({ "ask": "think", "position": position, "agent": name }));
                view(&after(&position, &thought["move"]), None);
            }
            let studied = limited(json!({ "ask": "study", "position": position, "top": 3 }));
            let lines = list(&studied, "lines");
            assert!((1..=3).contains(&lines.len()), "{}: {studied}", game.name);
            for line in lines {
                view(&after(&position, &line["moves"][0]), None);
            }
            position = after(&position, &chosen);
        }
    }
}

#[test]
fn the_rules_of_each_game_are_explained_with_positions() {
    for game in names() {
        let rules = ask(json!({ "ask": "rules", "game": game })).expect("rules");
        let rules = rules.as_array().expect("paragraphs");
        assert!(rules.len() > 1, "{game}");
        let examples = rules.iter().map(|rule| &rule["example"]);
        let examples: Vec<&Value> = examples.filter(|example| !example.is_null()).collect();
        assert_eq!(examples.is_empty(), !has(game, "set-up"), "{game}");
        for example in examples {
            assert_ne!(example["view"]["caption"], "", "{game}");
            assert_ne!(example["text"], "", "{game}");
        }
    }
}

#[test]
fn strange_requests_are_refused_with_words() {
    let refused = |request: Value| ask(request.clone()).expect_err(&request.to_string());
    let unknown = refused(json!({ "ask": "settle", "game": "chess" }));
    assert!(
        unknown.starts_with("no such game; expected one of entropy"),
        "{unknown}"
    );
    let option = json!({ "ask": "settle", "game": "entropy", "options": { "size": "99" } });
    assert_eq!(refused(option), "size: 99 is not in 2..=26");
    for game in names() {
        let view = |position: &Value| json!({ "ask": "view", "position": position });
        let with = |name: &str, value: Value| {
            let mut position = beginning(game, json!({}), 1);
            position[name] = value;
            position
        };
        let unknown = refused(view(&with("game", json!("chess"))));
        assert!(unknown.starts_with("no such game"), "{unknown}");
        let long = refused(view(&with("moves", vec!["0 0"; 30_000].into())));
        assert_eq!(long, "expected at most 20000 moves, got 30000");
        let illegal = refused(view(&with("moves", json!(["castle", "0 0"]))));
        assert!(illegal.starts_with("move 1: "), "{illegal}");
        for beginning in [
            json!({ "seed": -1 }),
            json!({ "seed": 1e30 }),
            json!({ "seed": "7" }),
            json!({ "dice": 7 }),
            json!({ "text": "x".repeat(1 << 20) }),
            json!({ "text": "\u{0}\n\u{feff}" }),
        ] {
            refused(view(&with("beginning", beginning)));
        }
        // These fields may open another game, but a player must then be to move.
        let logged = json!({ "logged": { "tiles": 5, "begins": "nobody", "deal": [] } });
        if let Ok(seen) = ask(view(&with("beginning", logged))) {
            assert!(seen["turn"].is_number(), "{game}: {seen}");
        }
        let seeded = with("beginning", json!({ "seed": u64::MAX }));
        ask(view(&seeded)).expect("a seed like any other");
        let asked = json!({ "ask": "think", "position": seeded, "agent": "deep blue" });
        let unknown = refused(asked);
        assert!(
            unknown.starts_with("no such agent; expected one of "),
            "{unknown}"
        );
    }
    let sized = |size: Value| {
        let settings = json!({ "size": size });
        let beginning = json!({ "seed": 1 });
        let position = json!({ "game": "entropy", "settings": settings, "beginning": beginning });
        refused(json!({ "ask": "view", "position": position }))
    };
    assert_eq!(
        sized(json!(1)),
        "the settings: the board's size is 1; this version reads 2 to 26"
    );
    for size in [json!(300), json!("5"), json!(null)] {
        assert!(sized(size).starts_with("the settings: "));
    }
    for set_up in [json!(5), json!("no position\n")] {
        for game in names() {
            let mut position = beginning(game, json!({}), 1);
            position["beginning"] = json!({ "logged": { "set_up": set_up } });
            refused(json!({ "ask": "review", "position": position }));
            refused(json!({ "ask": "view", "position": position }));
        }
    }
}

/// Runs a review and stops it after `stops_after` partial results. Returns the review and the number of partial
/// results.
fn review(position: &Value, opening: usize, stops_after: usize) -> (Value, usize) {
    let asked = json!({
        "ask": "review", "position": position, "nodes": 500, "opening": opening,
    });
    let request: Request = serde_json::from_value(asked).expect("a request");
    let (stop, mut told) = (Stop::default(), Vec::new());
    let reviewed = answer(&request, GAMES, &ALLOWED, &stop, &mut |grown| {
        told.push(grown);
        if told.len() == stops_after {
            stop.stop();
        }
    });
    let reviewed = reviewed.expect("a review");
    for (moves, grown) in (1..).zip(&told) {
        assert_eq!(list(grown, "moves").len(), moves);
    }
    assert_eq!(reviewed["moves"], told[told.len() - 1]["moves"]);
    (reviewed, told.len())
}

#[test]
fn a_review_counts_what_players_have_chosen_and_grows_move_by_move() {
    for (game, options, most) in [
        ("entropy", json!({ "size": "3" }), 100.0),
        ("halma", json!({ "max-plies": "12" }), 1.0),
    ] {
        let mut position = beginning(game, options, 3);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        while let Some(chosen) = some_choice(&position, &mut random) {
            position = after(&position, &chosen);
        }
        let plies = list(&position, "moves").len();
        let (whole, told) = review(&position, 0, usize::MAX);
        assert_eq!(told, plies, "{game}");
        assert_eq!(whole["luck"].is_number(), has(game, "luck"));
        let moves = list(&whole, "moves");
        let number = |value: &Value| value.as_f64().expect("a number");
        let (mut lost, mut made) = ([0.0; 2], [0; 2]);
        for mv in moves {
            let side = turn(&json!({ "turn": mv["side"] })).expect("a side");
            if mv["is_chosen"] == true {
                lost[side] += number(&mv["lost"]);
                made[side] += 1;
            }
            assert_ne!(mv["words"], "", "{mv}");
            for what in ["lost", "score"] {
                assert!((0.0..=most).contains(&number(&mv[what])), "{mv}");
            }
        }
        for (side, of) in list(&whole, "sides").iter().enumerate() {
            assert!((number(&of["lost"]) - lost[side]).abs() < 1e-9, "{game}");
            assert_eq!(of["moves"], made[side], "{game}");
            assert!((0.0..100.0).contains(&number(&of["accuracy"])), "{of}");
        }
        // Random moves include mistakes.
        let stops = (0..plies).filter(|&at| {
            let lost = number(&moves[at]["lost"]);
            moves[at]["is_chosen"] == true && lost >= number(&whole["thresholds"]["mistake"])
        });
        let stops: Vec<usize> = stops.collect();
        assert!(!stops.is_empty(), "{game}");
        assert_eq!(whole["stops"], json!(stops), "{game}");
        assert_eq!(review(&position, 0, 3).1, 3, "{game}: it was stopped");

        let (without, _) = review(&position, plies - 2, usize::MAX);
        let counted = list(&without, "sides")
            .iter()
            .map(|side| number(&side["moves"]));
        let chosen = list(&without, "moves")
            .iter()
            .filter(|mv| mv["is_chosen"] == true);
        let chosen = chosen.count();
        assert_eq!(counted.sum::<f64>(), chosen as f64, "{game}");
        assert!((1..=2).contains(&chosen), "{game}");
        let mut stops = list(&without, "stops").iter();
        assert!(stops.all(|ply| ply.as_u64() >= Some(plies as u64 - 2)));

        // A single move is judged as in the review of the whole game.
        for at in [0, plies / 2, plies - 1] {
            let mut played = position.clone();
            played["moves"] = json!(list(&position, "moves")[..=at]);
            let request = json!({ "ask": "judge", "position": played, "nodes": 500 });
            let judged = ask(request).expect("a judgement");
            for what in ["side", "best", "words", "best_words", "mark", "is_chosen"] {
                assert_eq!(judged[what], moves[at][what], "{game}: {what} of move {at}");
            }
        }
    }
}

#[test]
fn a_last_move_can_be_judged_only_if_there_is_one() {
    for game in names() {
        let position = beginning(game, json!({}), 1);
        let refused = ask(json!({ "ask": "judge", "position": position }));
        let why = refused.expect_err(game);
        assert_eq!(why, "expected a position with at least one move");
    }
}

#[test]
fn a_table_of_three_is_reviewed_with_the_names_of_its_players() {
    let (game, settings) = ("twentyone", json!({ "seats": "3", "rounds": "4" }));
    let settings = ask(json!({ "ask": "settle", "game": game, "options": settings }));
    let settings = settings.expect("settings");
    let plugin = GAMES.iter().find(|known| known.about().name == game);
    let fields = serde_json::from_value(settings.clone()).expect("fields");
    let settled = plugin.expect("the game").by_fields(&fields);
    let rotation = turnwise_engine::plugin::Beginning::Rotation {
        seed: 3,
        participants: 3,
        game: 0,
    };
    let mut table = settled.expect("rules").open(rotation).expect("a table");
    let mut moves = Vec::new();
    while let Some(side) = table.turn() {
        let choice = table.view(Some(side)).choices.swap_remove(0);
        moves.push(table.play(&choice.notation).expect("a legal move"));
    }
    let position = json!({
        "game": game, "settings": settings, "moves": moves,
        "beginning": { "logged": table.outcome(None, None) },
    });
    let (reviewed, _) = review(&position, 0, usize::MAX);
    assert_eq!(
        reviewed["roles"],
        json!(["Player 1", "Player 2", "Player 3"])
    );
    let sides = list(&reviewed, "sides");
    assert!(sides.iter().all(|side| side["moves"].as_u64() > Some(0)));
    // The third player sees choices only in its own turn.
    for (side, sees) in [(2, true), (0, false)] {
        let moves = list(&reviewed, "moves").iter();
        let at = moves.map(|mv| &mv["side"]).position(|mover| mover == side);
        let mut before = position.clone();
        before["moves"] = json!(list(&position, "moves")[..at.expect("a move")]);
        assert_eq!(!choices(&view(&before, Some(2))).is_empty(), sees);
    }
}

/// Returns the position after up to `plies` random moves.
fn some_moves(position: &Value, plies: usize, random: &mut Xoshiro256PlusPlus) -> Value {
    let mut position = position.clone();
    for _ in 0..plies {
        let Some(chosen) = some_choice(&position, random) else {
            break;
        };
        position = after(&position, &chosen);
    }
    position
}

#[test]
fn a_game_that_began_in_a_position_of_its_own_is_reviewed_like_any_other() {
    let mut reviewed = Vec::new();
    // A review needs both the text of a position and a judge of the moves after it.
    let with_text: Vec<&str> = names()
        .filter(|game| has(game, "set-up") && has(game, "loss"))
        .collect();
    for game in with_text.iter().copied() {
        for plies in [2, 5] {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
            let begun = beginning(game, json!({}), 9);
            let before = some_moves(&begun, plies, &mut random);
            let seen = view(&before, None);
            let Some(text) = seen["text"].as_str() else {
                continue;
            };
            let mut set_up = before.clone();
            set_up["beginning"] = json!({ "text": text });
            set_up["moves"] = json!([]);
            let played = some_moves(&set_up, 7, &mut random);
            let moves = list(&played, "moves");
            let (of_text, _) = review(&played, 0, usize::MAX);
            let judged = list(&of_text, "moves");
            assert_eq!(judged.len(), moves.len(), "{game}: {text}");
            assert_eq!(of_text["luck"].is_number(), has(game, "luck"));

            // The first move loses as much as in a game that reaches this position by moves.
            let came = after(&before, &moves[0]);
            if ask(json!({ "ask": "view", "position": came })).is_ok() {
                let (whole, _) = review(&came, 0, usize::MAX);
                let last = list(&whole, "moves").last().expect("a move");
                let lost = |of: &Value| of["lost"].as_f64().expect("a number");
                assert_eq!(last["best"], judged[0]["best"], "{game}: {text}");
                assert_eq!(last["side"], judged[0]["side"], "{game}: {text}");
                assert!(
                    (lost(last) - lost(&judged[0])).abs() < 1e-6,
                    "{game}: {text}"
                );
            }

            // The log of such a game suffices for a review, a picture and further play.
            let over = some_moves(&played, 5000, &mut random);
            let result = &view(&over, None)["end"]["result"];
            assert_eq!(result["set_up"], text, "{game}");
            let mut logged = played.clone();
            logged["beginning"] = json!({ "logged": result });
            assert_eq!(review(&logged, 0, usize::MAX).0, of_text, "{game}: {text}");
            assert_eq!(view(&logged, None), view(&played, None), "{game}: {text}");
            let picture = |position| {
                let asked = json!({ "ask": "picture", "position": position, "format": "text" });
                ask(asked).expect("a picture")
            };
            assert_eq!(picture(&logged), picture(&played), "{game}: {text}");
            reviewed.push(game);
        }
    }
    reviewed.dedup();
    assert_eq!(reviewed, with_text);
}

#[test]
fn a_scene_has_the_settings_that_a_form_offers_first() {
    let scene = ask(json!({ "ask": "scene", "game": "guesswho" })).expect("a scene");
    let cards = scene["panels"][0]["cards"].as_array().expect("cards");
    assert_eq!((cards.len(), &cards[0]["name"]), (14, &json!("Alice")));
    let usual = view(&beginning("guesswho", json!({}), 1), Some(0));
    let cards = usual["view"]["panels"][0]["cards"]
        .as_array()
        .expect("cards");
    assert_eq!((cards.len(), &cards[0]["name"]), (10, &json!("P1")));
}
