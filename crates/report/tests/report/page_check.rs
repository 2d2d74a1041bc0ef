//! Functions that check for tests whether the page of a report is well-formed.

use serde_json::Value;

/// Checks that an SVG text is well-formed: tags are closed, attributes are quoted, and entities are valid. All numbers
/// must be finite.
pub fn check_svg(svg: &str) {
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

/// Returns the JSON data that a page contains. Like a browser, this function reads the script element up to the first
/// end tag.
pub fn data_of(page: &str) -> Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .expect("the page has data");
    let (json, _) = rest.split_once("</script").expect("the data end");
    serde_json::from_str(json).expect("the data are JSON")
}

/// Checks that the page contains each required element exactly once and loads nothing from elsewhere. Its charts must
/// be well-formed, and its data must be JSON.
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
