//! Tests that `turnwise check` finds each kind of fault in the scenario that is meant to find it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{is_there, run, stderr, stdout};

#[test]
fn what_is_wrong_with_a_program_is_said_and_the_exit_code_tells() {
    for (program, came) in [
        ("cmd:false", "crash"),
        ("cmd:sh -c 'while read line; do echo what; done'", "garbage"),
        (
            "cmd:sh -c 'while read line; do echo 0 0 0 0; done'",
            "garbage",
        ),
        ("cmd:sh -c 'echo 7 7; cat >/dev/null'", "garbage"),
        ("cmd:sh -c 'cat >/dev/null; exec sleep 60'", "silence"),
    ] {
        let output = run(&["check", program, "--size", "3", "--clock", "0.2"]);
        let said = stdout(&output);
        assert_eq!(output.status.code(), Some(1), "{program}: {output:?}");
        assert!(said.contains(&format!("({came})")), "{program}: {said}");
        assert!(said.ends_with("It cannot take part yet.\n"), "{said}");
    }
    let asleep = run(&[
        "check",
        "cmd:sh -c 'exec sleep 60'",
        "--size",
        "3",
        "--clock",
        "0.2",
    ]);
    assert!(
        stdout(&asleep).contains("FAILED   end of input"),
        "{asleep:?}"
    );
    for (program, expected) in [
        ("greedy", "expected a program"),
        ("human", "expected a program"),
        ("nosuch", "cmd:WORDS"),
        ("cmd:nosuch", "no such command"),
    ] {
        let output = run(&["check", program]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains(expected), "{output:?}");
    }
}

#[test]
fn a_program_that_never_starts_passes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.path(), all.clone()).expect("it is ours");
    let script = folder.path().join("player.py");
    fs::write(&script, "#!/no/such/python3\n").expect("there is room");
    fs::set_permissions(&script, all).expect("it is ours");
    let script = format!("cmd:{}", script.display());
    for (program, options, ends) in [
        (&*script, &[][..], "exit status: 127"),
        (&script, &["--no-isolate"], "exit status: 127"),
        ("cmd:sh -c 'no-such-program'", &[], "exit status: 127"),
        (
            "cmd:python3 -c 'import no_such_module'",
            &[],
            "exit status: 1",
        ),
        ("cmd:false", &["--no-isolate"], "exit status: 1"),
        // This program fails only after the check has accepted that it has started.
        (
            "cmd:sh -c 'sleep 2; exec no-such-program'",
            &[],
            "exit status: 127",
        ),
    ] {
        let output = run(&[&["check", program, "--size", "2"][..], options].concat());
        let said = stdout(&output);
        assert!(!said.contains("ok       end of input"), "{said}");
        assert!(
            said.contains(&format!("the process ended: {ends}")),
            "{said}"
        );
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
}

#[test]
fn an_answer_without_a_line_feed_is_shown() {
    let program = "cmd:sh -c 'read line; printf \"2 2\"; exec sleep 60'";
    let output = run(&["check", program, "--size", "3", "--clock", "0.2"]);
    let said = stdout(&output);
    assert!(
        said.contains("got 3 bytes without a line feed: \"2 2\""),
        "{said}"
    );
    assert!(said.contains("end every answer with a line feed"), "{said}");
    let prompt = "cmd:sh -c 'printf \"move: \"; exec cat >/dev/null'";
    let output = run(&["check", prompt, "--size", "3", "--clock", "0.2"]);
    let said = stdout(&output);
    let wrote = "it wrote 6 bytes without a line feed: \"move: \" without being asked";
    assert!(said.contains(wrote), "{said}");
    // The check truncates a long answer of the program and prints no control characters.
    let long = "cmd:sh -c 'read line; printf \"\\033%0500d\" 0; exec sleep 60'";
    let said = stdout(&run(&["check", long, "--size", "3", "--clock", "0.2"]));
    assert!(
        said.contains("501 bytes without a line feed: \"\\x1b000"),
        "{said}"
    );
    assert!(said.contains("000...\""), "{said}");
}

#[test]
fn a_slow_scenario_is_named_while_it_runs() {
    let output = run(&["check", "cmd:sleep 60", "--size", "2", "--clock", "0.2"]);
    let told = stderr(&output);
    assert!(
        told.contains("turnwise: checking: end of input\n"),
        "{told}"
    );
    assert!(!told.contains("checking: start"), "{told}");
}

/// Returns the names of the scenarios that the check's output reports as failed.
fn failed(said: &str) -> Vec<&str> {
    let names = said.lines().filter_map(|line| line.strip_prefix("FAILED "));
    names.map(str::trim).collect()
}

/// Runs the check on a game's Python starter, after replacing a part of the starter's text.
fn check_changed(game: &str, change: (&str, &str), options: &[&str]) -> (String, Option<i32>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("starters").join(game).join("python/player.py");
    let sound = fs::read_to_string(path).expect("the starter");
    assert!(sound.contains(change.0), "{change:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let changed = sound.replace(change.0, change.1);
    fs::write(folder.path().join("player.py"), changed).expect("there is room");
    // If root runs the check, the program runs as another user.
    let all = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.path(), all).expect("it is ours");
    let home = folder.path().to_str().expect("UTF-8");
    let words = [
        "check",
        "cmd:python3 player.py",
        "--game",
        game,
        "--folder",
        home,
    ];
    let output = run(&[&words, options].concat());
    (stdout(&output), output.status.code())
}

#[test]
fn each_mistake_with_lines_is_found_in_its_scenario() {
    if !is_there("python3") {
        println!("skipped: the check of players in Python; python3 makes it possible");
        return;
    }
    for (change, scenario, told) in [
        (
            ("and empty_cells(board):", ":"),
            "the end of a game",
            "after the end of the game, it ended with exit status: 1",
        ),
        (
            (
                "            if role == \"ORDER\" and",
                "            empty_cells(board) or say(0, 0, 0, 1)\n            if role == \"ORDER\" and",
            ),
            "the end of a game",
            "after the end of the game, it wrote `0 0 0 1`",
        ),
        (
            (
                "if start != end:",
                "if board[end[0]][end[1]] is not None:\n                raise ValueError(end)\n            else:",
            ),
            "an opponent that passes",
            "accept a move of the opponent that changes nothing",
        ),
        (
            ("line.split()", "line.rstrip(\"\\n\").split(\" \")"),
            "lines that end with CR LF",
            "strip white space from the ends of lines",
        ),
        (
            (
                "for line in sys.stdin:",
                "import os\n    for line in (line for read in iter(lambda: os.read(0, 9999), b\"\") for line in read.decode().splitlines()):",
            ),
            "lines that come in pieces",
            "keep reading until the line feed",
        ),
    ] {
        let (said, code) = check_changed("entropy", change, &["--size", "3"]);
        assert_eq!(failed(&said), [scenario], "{said}");
        assert!(said.contains(told), "{said}");
        assert_eq!(code, Some(1));
    }
}

#[test]
fn a_player_that_never_ends_nor_falls_silent_does_not_hold_the_check() {
    if !is_there("python3") {
        println!("skipped: the check of players in Python; python3 makes it possible");
        return;
    }
    let change = (
        "    main()",
        "    main()\n    while True:\n        print(\"more\", flush=True)",
    );
    let (said, code) = check_changed("entropy", change, &["--size", "2"]);
    assert!(failed(&said).contains(&"the end of a game"), "{said}");
    assert!(said.contains("it wrote `more`"), "{said}");
    assert_eq!(code, Some(1));
}

#[test]
fn each_mistake_with_files_is_found_in_its_scenario() {
    if !is_there("python3") {
        println!("skipped: the check of players in Python; python3 makes it possible");
        return;
    }
    let opened = "open(\"input.txt\")";
    for (change, scenario) in [
        ((opened, "open(\"input.txt\", newline=\"\\n\")"), None),
        (
            (
                "= file.read().split()",
                "= open(\"input.txt\", newline=\"\").read().rstrip(\"\\n\").split(\"\\n\")\n        [\"GAME\", \"SINGLE\"].index(_mode)",
            ),
            Some("lines that end with CR LF"),
        ),
        (
            ("file.read().split()", "[line[:-1] for line in file]"),
            Some("a file without a line feed at its end"),
        ),
        (
            (
                "    letter = ",
                "    import time\n    while float(seconds) < 1 and time.process_time() < 1:\n        pass\n    letter = ",
            ),
            Some("half a second left"),
        ),
    ] {
        let (said, code) = check_changed("halma", change, &["--clock", "300", "--max-plies", "4"]);
        let expected: Vec<&str> = scenario.into_iter().collect();
        assert_eq!(failed(&said), expected, "{said}");
        assert_eq!(code, Some(i32::from(scenario.is_some())));
    }
}
