//! The pictures and the page as a browser's parser sees them.

use serde_json::Value;
use turnwise_report::charts::charts;
use turnwise_report::page::page;
use turnwise_report::{Match, merge};

use super::sample::{lines, records};
use super::{faults_plan, one_match, parsed, sample_plan};

pub fn page_of(of: Match) -> String {
    let charts = charts(&of).expect("pictures");
    page(&[(of, charts)])
}

/// Every tag is closed in turn, every attribute quoted, every `&` begins an entity, and there is
/// no number that is none.
fn check_svg(svg: &str) {
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        check_text(&rest[..at]);
        let end = rest[at..].find('>').expect("a tag ends") + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        check_text(tag);
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().expect("a tag has a name"));
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(
        !svg.chars()
            .any(|character| character.is_control() && character != '\n')
    );
}

fn check_text(text: &str) {
    for part in text.split('&').skip(1) {
        let entity = part.split(';').next().expect("split gives a part");
        assert!(
            ["lt", "gt", "amp", "quot", "apos"].contains(&entity),
            "{text}"
        );
    }
}

/// The data between its own tags, read as a browser would: up to the first end tag.
fn data_of(page: &str) -> Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .expect("the page has data");
    let (json, _) = rest.split_once("</script").expect("the data end");
    serde_json::from_str(json).expect("the data are JSON")
}

/// The page's own elements are there once, its pictures are well-formed, its data are JSON, and
/// nothing is fetched.
pub fn check_page(page: &str) {
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(page.matches("<style>").count(), 1);
    assert!(page.trim_end().ends_with("</html>"));
    for part in page.split("<svg").skip(1) {
        let svg = part.split_once("</svg>").expect("a picture ends").0;
        check_svg(&format!("<svg{svg}</svg>"));
    }
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    for fetched in [
        "http:",
        "https:",
        "<link rel=\"stylesheet",
        "<script src",
        "url(",
        "@import",
    ] {
        assert!(!outside.contains(fetched), "{fetched}");
    }
    data_of(page);
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
        for (shown, game) in games.iter().zip(&of.games) {
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
    // Nothing but the header; one pair; measures beyond belief.
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
    let drawn: Vec<_> = merge(logs)
        .into_iter()
        .map(|of| {
            let charts = charts(&of).expect("pictures");
            (of, charts)
        })
        .collect();
    let page = page(&drawn);
    check_page(&page);
    assert_eq!(data_of(&page).as_array().map(Vec::len), Some(2));
    assert_eq!(page.matches("<section class=\"match\"").count(), 2);
}
