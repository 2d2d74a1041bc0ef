//! Tests that the charts and the page are well-formed for a browser.

use turnwise_report::charts::charts;
use turnwise_report::page::page;
use turnwise_report::{Match, merge};

use super::page_check::{check_page, check_svg, data_of};
use super::sample::{lines, records};
use super::{faults_plan, one_match, parsed, sample_plan};

pub fn page_of(of: Match) -> String {
    page_of_all(&[of])
}

fn page_of_all(matches: &[Match]) -> String {
    let drawn = matches.iter().map(|of| {
        let charts = charts(of).expect("pictures");
        (of, charts)
    });
    let drawn: Vec<_> = drawn.collect();
    let mut written = Vec::new();
    page(&drawn, None, &mut written).expect("memory takes it");
    String::from_utf8(written).expect("a page is text")
}

#[test]
fn the_page_holds_every_game_as_it_was_logged() {
    for plan in [sample_plan(), faults_plan()] {
        let of = one_match(&lines(&records(&plan)));
        let page = page_of(of.clone());
        check_page(&page);
        let data = data_of(&page);
        let games = data[0]["games"].as_array().expect("games");
        assert_eq!(games.len(), of.games.len());
        for (shown, game) in games.iter().zip(of.whole_games()) {
            let players = &game.record.result.players;
            assert_eq!(shown["players"], serde_json::json!(players));
            assert_eq!(shown["score"], game.record.result.score());
            assert_eq!(shown["opening"], game.record.opening.len());
            assert_eq!(shown["fault"].is_null(), game.record.fault.is_none());
            let size = u64::from(plan.size);
            let cell = |at: u64| format!("{} {}", at / size, at % size);
            for (at, text) in game.record.moves.iter().enumerate() {
                let told = match (shown["from"][at].as_u64(), shown["to"][at].as_u64()) {
                    (Some(from), Some(to)) => format!("{} {}", cell(from), cell(to)),
                    (None, Some(to)) => cell(to),
                    _ => "pass".to_owned(),
                };
                assert_eq!(told, *text);
                let logged = &game.moves[at];
                assert_eq!(shown["tiles"][at], logged.tile.clone().unwrap_or_default());
                assert_eq!(shown["used"][at].as_f64(), logged.used_ms);
                assert_eq!(shown["clock"][at].as_f64(), logged.clock_left_s);
                assert_eq!(shown["expected"][at].as_f64(), logged.score);
                assert_eq!(shown["value"][at].as_f64(), logged.value);
                assert_eq!(shown["depth"][at].as_f64(), logged.depth.map(f64::from));
            }
        }
    }
}

/// A writer that discards the bytes, but counts them and records the length of the longest piece that was written at
/// once.
#[derive(Default)]
struct Measured {
    all: usize,
    longest: usize,
}

impl std::io::Write for Measured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.all += bytes.len();
        self.longest = self.longest.max(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_page_of_many_games_is_never_in_memory_as_a_whole() {
    let mut plan = sample_plan();
    plan.pairs = 300;
    let of = one_match(&lines(&records(&plan)));
    let mut written = Measured::default();
    page(&[(&of, Vec::new())], None, &mut written).expect("it takes everything");
    let (few, many) = (32 << 10, 1 << 20);
    assert!(written.all > many, "{} bytes", written.all);
    assert!(written.longest < few, "{} bytes at once", written.longest);
}

#[test]
fn what_comes_from_a_log_is_never_markup() {
    let page = page_of(one_match(&lines(&records(&faults_plan()))));
    check_page(&page);
    for markup in ["<b>bold", "<img", "<!--<", "\u{1b}", "\u{7}"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(page.contains("&lt;/script&gt;&lt;b&gt;bold&lt;/b&gt;"));
    assert!(page.contains("\\u003c/script\\u003e\\u003cb\\u003ebold"));
    assert_eq!(data_of(&page)[0]["agents"][1], "</script><b>bold</b>");
    assert_eq!(data_of(&page)[0]["agents"][2], "\"quo'ted\" & {{data}}");
}

/// Returns the match with faults as a tournament with a hostile title.
pub fn tournament() -> Match {
    let mut of = one_match(&lines(&records(&faults_plan())));
    let held = r#"{"title": "<i>Cup</i>", "class": "CS 1", "date": "2027-01-31"}"#;
    of.header.tournament = Some(serde_json::from_str(held).expect("fields"));
    of
}

#[test]
fn a_tournament_shows_first_who_won_then_games_then_details() {
    let page = page_of(tournament());
    check_page(&page);
    assert!(
        page.contains(
            "<h2>&lt;i&gt;Cup&lt;/i&gt;</h2>\n<p class=\"occasion\">CS 1, 2027-01-31</p>"
        )
    );
    let places = [
        "class=\"ranking\"",
        "id=\"replay\"",
        "<h3>Faults</h3>",
        "<figure>",
    ];
    let places = places.map(|part| page.find(part).expect(part));
    assert!(places.is_sorted(), "{places:?}");
    let open = page.split("<details>").next().expect("a beginning");
    assert!(open.contains("<b>Running estimate.</b>") && !open.contains("<b>Time used"));
}

#[test]
fn equal_faults_are_one_sentence_with_all_their_games() {
    let of = tournament();
    let page = page_of(of.clone());
    let (_, rest) = page.split_once("<ul class=\"faults\">").expect("faults");
    let list = rest.split_once("</ul>").expect("an end").0;
    let all: usize = of.games.iter().map(|game| game.faults().len()).sum();
    assert!(all > 1);
    assert_eq!(list.matches("<a href=\"#match=1&amp;pair=").count(), all);
    for game in &of.games {
        for fault in game.faults() {
            let link = format!(
                "pair={}&amp;game={}&amp;ply=end\">pair {0}, game {1}</a>",
                game.pair, game.game
            );
            let of_fault = list.split("</li>").find(|item| item.contains(&link));
            let item = of_fault.expect("its game is listed");
            assert!(item.contains(fault.kind.deed()), "{item}");
        }
    }
}

#[test]
fn the_ranking_is_drawn_from_its_figures() {
    let of = tournament();
    let ranking = of.ranking().expect("a tournament");
    let data = &data_of(&page_of(of.clone()))[0]["ranking"];
    let rows = ranking.ranked.len();
    assert_eq!(data["table"]["rows"].as_array().map(Vec::len), Some(rows));
    for (at, ranked) in ranking.ranked.iter().enumerate() {
        assert_eq!(data["names"][at], *ranked.agent);
        assert_eq!(
            data["places"][at].as_u64(),
            ranked.place.map(|place| place as u64)
        );
        assert_eq!(data["intervals"][at][1].as_f64(), ranked.elo.value);
        for other in 0..rows {
            let [one, back] =
                [(at, other), (other, at)].map(|(one, other)| data["leads"][one][other].as_f64());
            assert_eq!(one.is_none(), at == other);
            assert!(
                one.zip(back)
                    .is_none_or(|(one, back)| (one + back).abs() < 1e-9)
            );
        }
    }
}

#[test]
fn pictures_are_well_formed_whatever_was_logged() {
    let full = lines(&records(&sample_plan()));
    let all = charts(&one_match(&full)).expect("pictures");
    assert!(all.iter().all(|chart| chart.svg.is_some()));
    for chart in all {
        let svg = chart.svg.expect("a picture");
        check_svg(&svg);
        assert!(svg.starts_with("<svg ") && svg.contains("three"));
    }
    // Draws the charts for three more logs: one with only a header, one with a single pair, and one with absurd
    // measurements.
    let header = full.split_inclusive('\n').next().expect("a header");
    let none = charts(&one_match(header)).expect("pictures");
    assert!(none.iter().all(|chart| chart.svg.is_none()));
    check_page(&page_of(one_match(header)));
    let mut plan = sample_plan();
    plan.pairs = 1;
    let one = lines(&records(&plan));
    let absurd = one
        .replace("\"used_ms\":", "\"used_ms\":1e300,\"x\":")
        .replace("\"depth\":", "\"depth\":-9e11,\"y\":")
        .replace("\"order_score\":", "\"order_score\":4294967295,\"z\":");
    for text in [one, absurd] {
        for chart in charts(&one_match(&text)).expect("pictures") {
            chart.svg.iter().for_each(|svg| check_svg(svg));
        }
    }
}

#[test]
fn matches_that_differ_share_a_page() {
    let logs = [sample_plan(), faults_plan()]
        .map(|plan| ("log".to_owned(), parsed(&lines(&records(&plan)))));
    let page = page_of_all(&merge(logs));
    check_page(&page);
    assert_eq!(data_of(&page).as_array().map(Vec::len), Some(2));
    assert_eq!(page.matches("<section class=\"match\"").count(), 2);
}
