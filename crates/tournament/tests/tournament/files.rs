//! Tests that invalid tournament files are rejected with precise errors.

use std::path::Path;

use proptest::prelude::*;
use turnwise_arena::records::Settings;
use turnwise_engine::player::{Counts, Ponder};
use turnwise_games::GAMES;
use turnwise_tournament::class_file::{Class, ClassFile};

use super::{FIVE, class};

fn settled(text: &str) -> Result<Class, String> {
    let file = ClassFile::parse(text).map_err(|error| error.to_string())?;
    file.settle(Path::new("."), GAMES)
        .map_err(|error| error.to_string())
}

#[test]
fn without_a_format_everybody_meets_everybody_once() {
    let given = class("kind = \"round-robin\"", &FIVE);
    let absent = given.replacen("[format]\nkind = \"round-robin\"\n", "", 1);
    assert_ne!(given, absent);
    let format = |text: &str| ClassFile::parse(text).expect("a tournament").format;
    assert_eq!(format(&given), format(&absent));
}

#[test]
fn what_is_wrong_is_told() {
    let good = class("kind = \"swiss\"\nrounds = 3", &FIVE);
    assert!(settled(&good).is_ok());
    let longest = good.replacen("two", &"é".repeat(256), 1);
    assert!(settled(&longest).is_ok());
    let too_long = format!("name = \"{}\"", "é".repeat(257));
    for (from, to, told) in [
        ("name = \"two\"", &*too_long, "1 to 256 characters"),
        ("game = \"entropy\"", "game = \"chess\"", "expected entropy"),
        ("size = 3", "sise = 3", "got \"sise\""),
        ("size = 3", "size = 99", "setting size=99: "),
        ("size = 3", "size = true", "setting size=true: "),
        ("nodes = 30", "nodes = 30\nclock = 1.0", "one of clock"),
        ("nodes = 30", "clock = -1.0", "seconds above 0"),
        ("seed = 5", "seed = 5\npairs = 0", "pairs: expected 1 to"),
        ("seed = 5", "seed = 5\nstart = -1", "start-up time"),
        ("seed = 5", "seed = 5\nstart = nan", "start-up time"),
        (
            "seed = 5",
            "seed = 5\nponder = \"think\"",
            "variant, expected `freeze` or `allow`",
        ),
        ("faults = 3", "faults = 0", "faults"),
        (
            "seed = 5",
            "seed = 5\ntie-break = [\"lot\"]",
            "expected one of `head-to-head`, `points`, `buchholz`",
        ),
        ("rounds = 3", "rounds = 0", "[format] rounds: expected 1 to"),
        (
            "kind = \"swiss\"",
            "kind = \"dance\"",
            "variant, expected one of",
        ),
        ("name = \"two\"", "name = \"one\"", "twice"),
        ("name = \"two\"", "name = \"\\u001b[2J\"", "control"),
        ("agent = \"greedy\"", "agent = \"genius\"", "genius"),
        (
            "agent = \"greedy\"",
            "agent = \"greedy\"\nrun = \"x\"",
            "one of agent, run",
        ),
        (
            "agent = \"greedy\"",
            "remote = true\nwire = \"line\"",
            "only a name",
        ),
        (
            "agent = \"greedy\"",
            "remote = true\nsecret = \" x\"",
            "blanks",
        ),
        (
            "agent = \"greedy\"",
            "remote = true\nsecret = \"\"",
            "blanks",
        ),
        (
            "agent = \"greedy\"",
            "agent = \"greedy\"\nsecret = \"x\"",
            "remote",
        ),
        ("agent = \"greedy\"", "remote = true", "a number of nodes"),
        ("agent = \"greedy\"", "agent = \"remote\"", "remote = true"),
        (
            "nodes = 30",
            "clock = 1.0\ncounts = \"cpu\"\n[[participant]]\nname = \"six\"\nremote = true",
            "CPU time",
        ),
        ("agent = \"greedy\"", "run = \"'x\"", "command line"),
        (
            "agent = \"greedy\"",
            "run = \"folder=x:./player\"",
            "expected its folder as `folder`",
        ),
        (
            "agent = \"greedy\"",
            "agent = \"cmd:rm x\"",
            "agent is for built-in agents",
        ),
        ("agent = \"greedy\"", "colour = \"red\"", "colour"),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let error = settled(&text).expect_err(to);
        assert!(error.contains(told), "{to}: {error}");
        assert!(!error.contains("expected expected"), "{to}: {error}");
    }
    let few = class("kind = \"knockout\"", &FIVE[..1]);
    assert!(settled(&few).expect_err("one").contains("at least two"));
}

#[test]
fn no_error_quotes_a_secret() {
    let good = class("kind = \"swiss\"\nrounds = 3", &FIVE);
    for (line, told) in [
        ("remote = true\nsecret = \"open sesame", "line "),
        ("remote = true\nsecret = open sesame", "line "),
        ("remote = true\nsecret = 'open sesame\"", "line "),
        (
            "remote = true\nsecret = [\"open sesame\"]",
            "quotation marks",
        ),
        (
            "remote = true\nsecret = {open = \"sesame\"}",
            "quotation marks",
        ),
        ("remote = true\nsecret = 123454321", "quotation marks"),
        ("remote = true\nsecret = 1234.54321", "quotation marks"),
        ("remote = true\nsecret = 1234-05-04", "quotation marks"),
        (
            "remote = true\nsecret = \"open sesame\"\nsecret = \"sesame\"",
            "duplicate",
        ),
        ("remote = true\nsecrets = \"open sesame\"", "`secrets`"),
        ("remote = true secret = \"open sesame\"", "line "),
        ("remote = maybe\nsecret = \"open sesame\"", "line "),
        ("remote = true\nsecret = \"open sesame \"", "blanks"),
        ("remote = false\nsecret = \"open sesame\"", "remote"),
        ("remote = \"open sesame\"", "expected a boolean"),
        ("remote = 123454321", "expected a boolean"),
        ("remote = true\n[format.open]\nkind = \"sesame\"", "line "),
        (
            "agent = 'greedy'\nwire = [\"open sesame\"]",
            "expected a string",
        ),
    ] {
        let text = good.replacen("agent = \"greedy\"", line, 1);
        let error = settled(&text).expect_err(line);
        assert!(error.contains(told), "{line}: {error}");
        let quotes = ["sesame", "1234"]
            .into_iter()
            .any(|part| error.contains(part));
        assert!(!quotes, "{line}: {error}");
    }
    for (from, to) in [
        ("kind = \"swiss\"", "kind = \"open sesame\""),
        ("seed = 5", "seed = \"open sesame, expected a number\""),
        ("[format]", "time = \"open sesame\"\n[format]"),
        (
            "agent = \"greedy\"",
            "remote = true\nname = \"ada:open sesame\"",
        ),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let error = settled(&text).expect_err(to);
        assert!(!error.contains("sesame"), "{to}: {error}");
    }
    let named = good.replacen("agent = \"greedy\"", "remote = true", 1);
    let before = &named[..named.find("remote = true").expect("a remote participant")];
    let name = before.lines().rfind(|line| line.starts_with("name = "));
    let name = name.expect("its name");
    let text = named.replacen(name, "name = \"ada:open sesame\"", 1);
    let error = settled(&text).expect_err("a colon");
    assert!(
        error.contains("\"ada\": expected a name without `:`"),
        "{error}"
    );
    assert!(!error.contains("sesame"), "{error}");
    let text = good.replacen("seed = 5", "seed = 5\n  séed = 6", 1);
    let line = text.lines().position(|line| line.contains("séed"));
    let place = format!("line {}, column ", line.expect("a line") + 1);
    let error = settled(&text).expect_err("no such field");
    assert!(error.starts_with(&place), "{error}");
}

#[test]
fn a_log_of_something_else_is_not_gone_on_with() {
    let good = class("kind = \"swiss\"\nrounds = 3", &FIVE);
    let old = settled(&good).expect("good").settings;
    for (from, to, told) in [
        (
            "size = 3",
            "size = 4",
            "game: expected entropy {\"size\":3} as in the log, got entropy {\"size\":4}",
        ),
        (
            "nodes = 30",
            "nodes = 31",
            "[time]: expected 30 nodes for a move as in the log, got 31 nodes for a move",
        ),
        (
            "seed = 5",
            "seed = 6",
            "seed: expected 5 as in the log, got 6",
        ),
        (
            "faults = 3",
            "faults = 4",
            "faults: expected 3 as in the log, got 4",
        ),
        (
            "rounds = 3",
            "rounds = 4",
            "format: expected Swiss, 3 rounds as in the log, got Swiss, 4 rounds",
        ),
        (
            "seed = 5",
            "seed = 5\nopenings = 1",
            "openings: expected 0 as in the log, got 1",
        ),
    ] {
        let new = settled(&good.replacen(from, to, 1)).expect("good");
        let error = new.joined(&old).expect_err(to).to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn a_tournament_does_not_lose_its_isolation() {
    let open = class("kind = \"knockout\"", &FIVE);
    let isolated = open.replace("isolate = false\n", "");
    let small = open.replace("isolate = false", "memory = 512");
    for (from, to, told) in [
        (
            &isolated,
            &open,
            "isolate: expected true as in the log, got false",
        ),
        (
            &open,
            &isolated,
            "isolate: expected false as in the log, got true",
        ),
        (
            &isolated,
            &small,
            "memory: expected 1024 MiB as in the log, got 512 MiB",
        ),
    ] {
        let old = settled(from).expect("good").settings;
        let error = settled(to).expect("good").joined(&old).expect_err(told);
        assert_eq!(error.to_string(), *told);
    }
}

#[test]
fn the_heading_may_change_at_any_time() {
    let text = class("kind = \"knockout\"", &FIVE);
    let old = settled(&text).expect("good").settings;
    let heading = "title = \"The cup\"\nclass = \"CS 1\"\ndate = 2027-01-31\n";
    let headed = settled(&(heading.to_owned() + &text)).expect("good");
    let quoted = heading.replace("2027-01-31", "\"2027-01-31\"");
    let quoted = settled(&(quoted + &text)).expect("good");
    assert_eq!(quoted.settings, headed.settings);
    let joined = headed.joined(&old).expect("the same games").class;
    assert_ne!(joined.settings, old);
    let held = joined.settings.tournament.as_ref().expect("a tournament");
    let told = ["title", "class", "date"].map(|name| held.get(name)?.as_str());
    assert_eq!(told, [Some("The cup"), Some("CS 1"), Some("2027-01-31")]);
    let without = settled(&text).expect("good").joined(&joined.settings);
    assert_eq!(without.expect("the same games").class.settings, old);
    let long = format!("title = \"{}\"\n", "x".repeat(101));
    for (wrong, told) in [
        (long.as_str(), "title: expected at most 100 characters"),
        (
            "class = \"a\\u0007b\"\n",
            "class: expected at most 100 characters",
        ),
        ("date = 12:00:00\n", "expected a date like 2027-01-31"),
        (
            "date = \"tomorrow\"\n",
            "line 1, column 8: expected a date like 2027-01-31",
        ),
        ("date = 31\n", "expected a date like 2027-01-31"),
    ] {
        let error = settled(&(wrong.to_owned() + &text)).expect_err(wrong);
        assert!(error.contains(told), "{error}");
    }
}

/// Returns the text of a tournament file with a clock; each participant is given as a name and further lines of the
/// entry.
fn timed(participants: &[(&str, &str)]) -> String {
    class("kind = \"knockout\"", participants).replace("nodes = 30", "clock = 1.0")
}

#[test]
fn with_programs_cpu_time_counts_unless_somebody_s_is_not_known() {
    let [one, two] = [FIVE[0], FIVE[1]];
    let program = ("program", "run = \"sh\"");
    for (participants, counts) in [
        (&[one, two][..], Counts::Wall),
        (&[one, program], Counts::Cpu),
        (&[one, program, ("guest", "remote = true")], Counts::Wall),
    ] {
        let text = timed(participants);
        let settings = settled(&text).expect("good").settings;
        assert_eq!(settings.counts, counts, "{participants:?}");
        let said = text.replace("clock = 1.0", "clock = 1.0\ncounts = \"wall\"");
        let settings = settled(&said).expect("good").settings;
        assert_eq!(settings.counts, Counts::Wall, "{participants:?}");
    }
}

#[test]
fn how_programs_run_is_as_the_file_says_or_else_as_in_the_log() {
    let text = timed(&[FIVE[0], ("program", "run = \"sh\"")]);
    let new = settled(&text).expect("good");
    assert_eq!(new.settings.ponder, Ponder::Freeze);
    assert_eq!((new.settings.start_s, new.settings.restart), (10.0, true));
    let old = Settings {
        counts: Counts::Wall,
        ponder: Ponder::Allow,
        start_s: 3.0,
        restart: false,
        ..new.settings.clone()
    };
    let joined = new.joined(&old).expect("it says nothing else").class;
    assert_eq!(joined.settings, old);
    for (said, told) in [
        (
            "ponder = \"freeze\"",
            "ponder: expected allow as in the log",
        ),
        ("start = 4", "start: expected 3 as in the log, got 4"),
        ("restart = true", "restart: expected false as in the log"),
    ] {
        let text = text.replace("seed = 5", &format!("seed = 5\n{said}"));
        let error = settled(&text).expect("good").joined(&old);
        let error = error.expect_err(said).to_string();
        assert!(error.contains(told), "{error}");
    }
    let said = text.replace("clock = 1.0", "clock = 1.0\ncounts = \"cpu\"");
    let error = settled(&said).expect("good").joined(&old);
    let error = error.expect_err("another clock").to_string();
    assert!(
        error.contains("counts: expected wall as in the log"),
        "{error}"
    );
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(?s)[ -~\n]{0,200}") {
        let _ = settled(&text);
    }

    #[test]
    fn no_changed_letter_makes_it_panic(at in 0usize..600, letter in any::<char>()) {
        let mut text: Vec<char> = class("kind = \"swiss\"\nrounds = 3", &FIVE).chars().collect();
        let at = at % text.len();
        text[at] = letter;
        let _ = settled(&text.into_iter().collect::<String>());
    }
}
