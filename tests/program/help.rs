//! Tests the output of `--help` for every command at every usual width of a terminal.

use std::fs;
use std::process::Command;

use crate::support::{TURNWISE, json_lines, run, stderr, stdout, turnwise};

/// Returns the help text of a command on a terminal with this width.
fn help(path: &[&str], width: usize) -> String {
    shown(path, "--help", width)
}

/// Returns the text that the option `-h` or `--help` of a command shows on a terminal with this width.
fn shown(path: &[&str], option: &str, width: usize) -> String {
    let output = turnwise(path)
        .arg(option)
        .env("COLUMNS", width.to_string())
        .output()
        .expect("turnwise starts");
    assert!(output.status.success(), "{path:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the commands that a help text lists.
fn commands(help: &str) -> Vec<String> {
    // The help of the program itself lists the commands in groups.
    let headings = ["Commands:", "Play:", "Compete:", "Understand:", "Build:"];
    let lists = help.split("\n\n").filter_map(|part| {
        let (heading, list) = part.split_once('\n')?;
        headings.contains(&heading).then_some(list)
    });
    let lines = lists.flat_map(|list| list.lines().take_while(|line| line.starts_with("  ")));
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names
        .filter(|name| !["", "help"].contains(name))
        .map(str::to_owned)
        .collect()
}

/// Returns every command and every subcommand, each as the words that select it.
fn all() -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut at = 0;
    while at < found.len() {
        let path: Vec<&str> = found[at].iter().map(String::as_str).collect();
        let below = commands(&help(&path, 100)).into_iter();
        let below: Vec<Vec<String>> = below
            .map(|name| [&found[at][..], &[name]].concat())
            .collect();
        found.extend(below);
        at += 1;
    }
    found
}

#[test]
fn no_line_of_any_help_is_too_long_and_no_word_is_cut() {
    let all = all();
    assert!(all.len() >= 19, "{all:?}");
    for path in &all {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let wide = help(&path, 200);
        for width in [60, 80, 200] {
            let text = help(&path, width);
            for line in text.lines() {
                let most = width.min(80);
                assert!(line.chars().count() <= most, "{path:?} at {width}: {line}");
            }
            assert!(
                text.split_whitespace().eq(wide.split_whitespace()),
                "{path:?} at {width}"
            );
        }
    }
}

#[test]
fn options_stand_below_their_own_heading() {
    for command in ["arena --game halma", "halma master"] {
        let path: Vec<&str> = command.split(' ').collect();
        let text = help(&path, 80);
        let (general, halma) = text.split_once("\nHalma:\n").expect("a heading");
        for option in ["--seed <", "--openings <", "--log <", "  -q, --quiet"] {
            assert!(general.contains(option), "{command}: {option}");
            assert!(!halma.contains(option), "{command}: {option}");
        }
        for option in ["--rules <", "--max-plies <", "--begins <", "--grace <"] {
            assert!(halma.contains(option), "{command}: {option}");
        }
    }
}

#[test]
fn the_settings_and_agents_of_a_game_are_in_the_help_for_that_game_alone() {
    for command in ["arena", "check"] {
        let usual = help(&[command], 80);
        let entropy = help(&[command, "--game=entropy"], 80);
        assert_eq!(usual, entropy);
        let halma = help(&[command, "--game", "halma"], 80);
        assert!(
            halma.contains("--grace <") && !halma.contains("--size <"),
            "{halma}"
        );
        assert!(
            usual.contains("--size <") && !usual.contains("--grace <"),
            "{usual}"
        );
    }
    let twentyone = help(&["arena", "--game", "twentyone"], 80);
    assert!(
        twentyone.contains("engine: The rules of the course's engine"),
        "{twentyone}"
    );
    assert!(!twentyone.contains("addendum"), "{twentyone}");
    assert!(twentyone.contains("Agents of TwentyOne") && !twentyone.contains("Agents of Halma"));
    let error = run(&[
        "arena",
        "random",
        "random",
        "--game",
        "twentyone",
        "--rules",
        "base",
    ]);
    assert!(
        stderr(&error).contains("[possible values: text, engine]"),
        "{error:?}"
    );
}

#[test]
fn helps_are_short() {
    assert!(help(&[], 80).lines().count() < 45);
    for path in all() {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let lines = help(&path, 80).lines().count();
        assert!(lines < 120, "{path:?}: {lines} lines");
        let text = help(&path, 80);
        let names_cluster = text.contains("cluster") || text.contains("nats:");
        assert!(
            cfg!(feature = "cluster") || !names_cluster,
            "{path:?}: {text}"
        );
    }
}

#[test]
fn short_helps_have_a_line_for_each_option_and_no_examples() {
    let games = ["arena --game halma", "arena --game twentyone"];
    let games = games.map(|words| words.split(' ').map(str::to_owned).collect());
    // The help of the program itself fits one screen.
    for path in all().into_iter().skip(1).chain(games) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let (short, long) = (shown(&path, "-h", 80), help(&path, 80));
        let lines = short.lines().count();
        assert!(lines < 60, "{path:?}: {lines} lines");
        assert!(short.len() <= long.len(), "{path:?}");
        assert!(!short.contains("Examples:"), "{path:?}: {short}");
        // The help of an option would continue below its own beginning, far to the right.
        let (_, options) = short.split_once("\nOptions:\n").expect("a heading");
        for line in options.lines() {
            assert!(!line.starts_with("            "), "{path:?}: {line}");
            assert!(line.chars().count() <= 80, "{path:?}: {line}");
        }
        // The name of an option is indented by at most six columns.
        let names = |text: &str| -> Vec<String> {
            let (_, options) = text.split_once("\nOptions:\n").expect("a heading");
            let options = options.lines().filter(|line| {
                let option = line.trim_start();
                (2..=6).contains(&(line.len() - option.len())) && option.starts_with('-')
            });
            let options = options.filter_map(|line| line.split_once("--"));
            let names = options.filter_map(|(_, option)| option.split([' ', '=', '[']).next());
            names.map(str::to_owned).collect()
        };
        // The text after the options of a long help may contain further options.
        let (short, long) = (names(&short), names(&long));
        assert!(long.starts_with(&short), "{path:?}: {short:?} of {long:?}");
    }
}

#[test]
fn any_setting_of_a_game_can_be_set_by_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let log = log.to_str().expect("UTF-8");
    let words = "arena random greedy --nodes 1 --pairs 1 --set size=3 --set pass=true --log";
    let words: Vec<&str> = words.split(' ').chain([log]).collect();
    let output = run(&words);
    assert!(output.status.success(), "{output:?}");
    let header = json_lines(&fs::read_to_string(log).expect("a log")).remove(0);
    assert_eq!(
        (&header["size"], &header["pass"]),
        (&3.into(), &true.into())
    );
    let class = folder.path().join("class.toml");
    let text = "game = \"entropy\"\n[settings]\nsize = 3\n[format]\nkind = \"knockout\"\n\
                [[participant]]\nname = \"a\"\nagent = \"random\"\n[[participant]]\nname = \"b\"\nagent = \"random\"\n";
    fs::write(&class, text).expect("there is room");
    let class = class.to_str().expect("UTF-8");
    let plan = ["tournament", class, "--plan", "--set"];
    let output = run(&[&plan[..], &["size=4"]].concat());
    assert!(stdout(&output).contains("4x4"), "{output:?}");
    let halma = ["halma", "master", "random", "minimax", "--set"];
    for (command, setting, expected) in [
        (
            &words[..3],
            "width=7",
            "expected a setting of Entropy, which are size or pass",
        ),
        (&words[..3], "size=99", "setting size=99: 99 is not in"),
        (
            &words[..3],
            "pass=no",
            "setting pass=no: expected true or false",
        ),
        (
            &words[..3],
            "size",
            "expected the name of a setting, `=` and its value",
        ),
        (
            &["check", "cmd:true"],
            "width=7",
            "expected a setting of Entropy",
        ),
        (
            &halma[..4],
            "size=7",
            "expected a setting of Halma, which are rules, ",
        ),
        (
            &halma[..4],
            "rules=text",
            "setting rules=text: expected base",
        ),
        (
            &plan[..3],
            "width=7",
            "class.toml: expected a setting of Entropy",
        ),
    ] {
        let output = run(&[command, &["--set", setting]].concat());
        assert_eq!(output.status.code(), Some(2), "{setting}: {output:?}");
        assert!(stderr(&output).contains(expected), "{setting}: {output:?}");
    }
}

#[test]
fn a_shell_completes_games_and_agents() {
    for (words, expected) in [
        ("turnwise ar", "arena"),
        ("turnwise arena --game gu", "guesswho"),
        ("turnwise arena min", "minimax"),
        ("turnwise arena hum", "human"),
        ("turnwise halma master --b", "--black --board --begins"),
    ] {
        let script = format!(
            "source <(\"$0\" completions bash); COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
             _turnwise turnwise \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let bash = Command::new("bash")
            .args(["-c", &script, TURNWISE])
            .output();
        let output = bash.expect("bash starts");
        assert_eq!(stdout(&output).trim(), expected, "{words}: {output:?}");
    }
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&run(&["completions", shell]));
        assert!(
            script.contains("guesswho") && script.contains("masterchef"),
            "{shell}"
        );
    }
}

#[test]
fn addresses_with_common_mistakes_get_a_hint_at_once() {
    for (words, hint) in [
        ("play localhost:10000 10000", "try localhost 10000"),
        ("play [::1] 10000", "try ::1"),
        ("play [::1]:10000 10000", "try ::1"),
        ("play http://10.0.0.7/ 10000", "try 10.0.0.7"),
        ("play https://example.org:80 10000", "try example.org"),
        ("play a/b 10000", "such as localhost"),
        (
            "host --listen 10078",
            "try 127.0.0.1:10078, or 0.0.0.0:10078",
        ),
        ("host --listen localhost:10078", "try 127.0.0.1:10078"),
        ("host --listen 127.0.0.1", "such as 127.0.0.1:10000"),
        ("halma serve --listen 7361", "try 127.0.0.1:7361"),
        ("studio --listen 7365", "try 127.0.0.1:7365"),
        ("play localhost 1 --live=7365", "try 127.0.0.1:7365"),
    ] {
        let output = run(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(2), "{words}: {output:?}");
        assert!(stderr(&output).contains(hint), "{words}: {output:?}");
    }
}

#[test]
#[cfg(not(feature = "cluster"))]
fn a_build_without_the_cluster_says_so() {
    for words in [
        &["arena", "random", "random", "--cluster", "nats://x"][..],
        &["tournament", "class.toml", "--cluster=nats://x"],
        &["worker"],
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let told = stderr(&output);
        assert!(
            told.contains("built without the cluster"),
            "{words:?}: {told}"
        );
    }
}
