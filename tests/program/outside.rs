//! Tests games whose rules are a program in a folder. The folder is the template that `turnwise new game` writes.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use turnwise_engine::plugin::Plugin;
use turnwise_engine::search::Stop;
use turnwise_outside::Folder;
use turnwise_study::{Allowed, answer};

use crate::support::{json_lines, run, run_with_input, stderr, stdout, turnwise};

const TEMPLATE: [&str; 3] = ["game.toml", "referee.py", "turnwise_referee.py"];

/// Returns a folder with Tic-Tac-Toe in Python.
fn tictactoe() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/game/python");
    for name in TEMPLATE {
        fs::copy(from.join(name), folder.path().join(name)).expect("it is there");
    }
    folder
}

/// Replaces a part of a file in the folder of a game.
fn replace(game: &TempDir, name: &str, old: &str, new: &str) {
    let path = game.path().join(name);
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.contains(old), "{name} has no {old:?}");
    fs::write(path, text.replacen(old, new, 1)).expect("it is written");
}

/// Runs `turnwise arena` with this game. The log is `match.jsonl` in the folder of the game.
fn arena(game: &TempDir, words: &[&str]) -> Output {
    let log = game.path().join("match.jsonl");
    let folder = game.path().to_str().expect("UTF-8");
    let log = log.to_str().expect("UTF-8");
    run(&[
        &["arena", "--game", folder, "--log", log, "--jobs", "1"],
        words,
    ]
    .concat())
}

fn log_of(game: &TempDir) -> String {
    fs::read_to_string(game.path().join("match.jsonl")).expect("a log")
}

/// Returns the games of a log without the names of their players.
fn games(log: &str) -> Vec<Value> {
    json_lines(log)
        .into_iter()
        .filter(|line| line["event"] == "game")
        .collect()
}

/// Returns the games of a log in a fixed order, as text.
fn sorted(log: &str) -> Vec<String> {
    let mut lines: Vec<String> = games(log).iter().map(Value::to_string).collect();
    lines.sort();
    lines
}

/// Plays the missing games of the match in `match.jsonl`.
fn resume(game: &TempDir) {
    let log = game.path().join("match.jsonl");
    let resumed = run(&[
        "arena",
        "--resume",
        log.to_str().expect("UTF-8"),
        "--game",
        game.path().to_str().expect("UTF-8"),
    ]);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
}

#[test]
fn a_match_is_reproducible_and_replays_without_the_program() {
    let words = [
        "random", "random", "--pairs", "4", "--nodes", "9", "--seed", "7",
    ];
    let [one, other] = [tictactoe(), tictactoe()];
    for game in [&one, &other] {
        let output = arena(game, &words);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    assert_eq!(log_of(&one), log_of(&other));
    let played = games(&log_of(&one));
    assert_eq!(played.len(), 8);
    for game in &played {
        let moves = game["moves"].as_array().expect("moves").len();
        assert_eq!(game["views"].as_array().map(Vec::len), Some(moves + 1));
        assert_eq!(game["turns"].as_array().map(Vec::len), Some(moves));
    }

    fs::remove_file(one.path().join("game.toml")).expect("it is removed");
    fs::remove_file(one.path().join("referee.py")).expect("it is removed");
    let log = one.path().join("match.jsonl");
    let log = log.to_str().expect("UTF-8");
    let replayed = run(&["replay", log, "--game", "3", "--delay", "0.001"]);
    let shown = stdout(&replayed);
    assert!(
        replayed.status.success() && shown.contains("Pair 2, game 1"),
        "{shown}"
    );
    let last = played[2]["views"]
        .as_array()
        .expect("views")
        .last()
        .expect("a view");
    let rows: Vec<char> = last["grid"]["letters"]
        .as_str()
        .expect("letters")
        .chars()
        .collect();
    for (number, row) in rows.chunks(3).enumerate() {
        let row: String = row
            .iter()
            .map(|&cell| format!("  {}", if cell == ' ' { '.' } else { cell }))
            .collect();
        assert!(shown.contains(&format!("  {number}{row}")), "{shown}");
    }
    let report = run(&["report", log, "--json"]);
    assert!(report.status.success(), "{}", stderr(&report));

    let resumed = run(&["arena", "--resume", log, "--pairs", "5"]);
    assert_eq!(resumed.status.code(), Some(1));
    assert!(
        stderr(&resumed).contains("name its folder: --game DIR"),
        "{}",
        stderr(&resumed)
    );
}

#[test]
fn a_match_that_was_cut_off_resumes_with_the_same_games() {
    let words = [
        "random", "greedy", "--pairs", "6", "--nodes", "9", "--seed", "3",
    ];
    let game = tictactoe();
    replace(
        &game,
        "referee.py",
        "    def position(self)",
        "    def values(self):\n        return {move: int(move) for move in self.moves()}\n\n    def position(self)",
    );
    assert!(arena(&game, &words).status.success());
    let whole = log_of(&game);
    let third_pair = whole
        .match_indices("\"event\":\"game\"")
        .nth(5)
        .expect("six games")
        .0;
    fs::write(game.path().join("match.jsonl"), &whole[..third_pair + 40]).expect("it is written");
    resume(&game);
    assert_eq!(sorted(&log_of(&game)), sorted(&whole));
}

#[test]
fn a_doctored_log_is_noticed() {
    let game = tictactoe();
    assert!(
        arena(
            &game,
            &[
                "random", "random", "--pairs", "1", "--nodes", "9", "--seed", "2"
            ]
        )
        .status
        .success()
    );
    let log = log_of(&game);
    let moves = games(&log)[0]["moves"].to_string();
    let mut doctored: Vec<Value> = serde_json::from_str(&moves).expect("moves");
    doctored.swap(0, 2);
    let doctored = log.replacen(&moves, &Value::from(doctored).to_string(), 1);
    assert_ne!(log, doctored);
    let path = game.path().join("doctored.jsonl");
    fs::write(&path, doctored).expect("it is written");
    let replayed = run(&["replay", path.to_str().expect("UTF-8"), "--delay", "0.001"]);
    let told = stderr(&replayed);
    assert!(
        told.contains("its moves are not those that the referee accepted"),
        "{told}"
    );
}

#[test]
fn settings_are_options_and_are_checked_before_the_first_game() {
    let game = tictactoe();
    replace(
        &game,
        "game.toml",
        "[look]",
        "[settings.rounds]\ntype = \"integer\"\nrange = [1, 3]\nhelp = \"Play this many rounds\"\n\n[look]",
    );
    let folder = game.path().to_str().expect("UTF-8");
    let words = ["random", "random", "--pairs", "1", "--nodes", "9"];
    let played = arena(
        &game,
        &[
            &words[..],
            &["--rounds", "2", "--set", "random_opening=true"],
        ]
        .concat(),
    );
    assert!(played.status.success(), "{}", stderr(&played));
    let header = &json_lines(&log_of(&game))[0];
    assert_eq!(
        header["options"],
        serde_json::json!({"random_opening": true, "rounds": 2})
    );
    for wrong in [
        ["--rounds", "4"],
        ["--set", "rounds=x"],
        ["--set", "speed=1"],
    ] {
        let output = arena(&game, &[&words[..], &wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    }
    let help = stdout(&run(&["arena", "--game", folder, "--help"]));
    for expected in [
        "--rounds <N>",
        "Play this many rounds; 1 by default",
        "Agents of Tic-Tac-Toe",
        "mcts",
    ] {
        assert!(help.contains(expected), "{expected}: {help}");
    }
    replace(&game, "game.toml", "[settings.rounds]", "[settings.pairs]");
    let output = arena(&game, &words);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("turnwise has an option --pairs"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_folder_that_is_no_game_gets_a_reason() {
    let game = tictactoe();
    let folder = game.path().to_str().expect("UTF-8");
    replace(&game, "game.toml", "longest = 9", "longest = 0");
    let cases = [
        (folder, "longest: expected 1 to 1000000, got 0"),
        ("./no-such-folder", "cannot read ./no-such-folder/game.toml"),
        ("tictactoe", "or the folder of a game such as ./tictactoe"),
        (&format!("{folder}:chess"), "it is no adapter"),
    ];
    for (named, expected) in cases {
        let output = run(&["arena", "random", "random", "--game", named]);
        assert_eq!(output.status.code(), Some(2), "{named}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

#[test]
fn a_referee_that_fails_blames_no_player_and_leaves_the_log_intact() {
    let game = tictactoe();
    let words = [
        "random", "random", "--pairs", "6", "--nodes", "9", "--seed", "5",
    ];
    // The first process fails in the third game, and every later process at once. The board has changed before.
    let place = "        self.board[int(move)] = \"XO\"[self.turn()]\n";
    let fail = "        global plays\n        plays += 1\n        if plays > LIMIT:\n            raise RuntimeError(\"out of chalk\")\n";
    replace(&game, "referee.py", place, &format!("{place}{fail}"));
    replace(
        &game,
        "referee.py",
        "class ",
        "plays = 0\nLIMIT = 20\n\n\nclass ",
    );
    let output = arena(&game, &words);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("RuntimeError: out of chalk (referee.py, line "),
        "{told}"
    );
    assert_eq!(
        told.matches("turnwise: referee failed: ").count(),
        3,
        "{told}"
    );
    assert!(
        told.contains("the match has stopped; its log is intact"),
        "{told}"
    );
    let before = games(&log_of(&game));
    assert!(
        before.iter().all(|game| game["fault"].is_null()),
        "{before:?}"
    );
    replace(&game, "referee.py", "LIMIT = 20", "LIMIT = 2000");
    resume(&game);
    assert_eq!(games(&log_of(&game)).len(), 12);
}

#[test]
fn a_single_failure_costs_nothing_but_a_note() {
    let game = tictactoe();
    let fail = "        if not os.path.exists(\"failed\"):\n            open(\"failed\", \"w\").close()\n            os._exit(3)\n";
    replace(
        &game,
        "referee.py",
        "    def play(self, move):\n",
        &format!("    def play(self, move):\n{fail}"),
    );
    replace(&game, "referee.py", "class ", "import os\n\n\nclass ");
    let words = [
        "random", "random", "--pairs", "3", "--nodes", "9", "--seed", "5",
    ];
    let output = arena(&game, &words);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        stderr(&output)
            .matches("it ended before its reply to `play`")
            .count(),
        1
    );
    let sound = tictactoe();
    assert!(arena(&sound, &words).status.success());
    assert_eq!(games(&log_of(&game)), games(&log_of(&sound)));
}

#[test]
fn the_check_finds_every_planted_fault() {
    let faults = [
        (
            "game.toml",
            "longest = 9",
            "longest = 4",
            "random games",
            "not over after 4 moves",
        ),
        (
            "turnwise_referee.py",
            "\"name\": self.name",
            "\"name\": \"x\"",
            "it describes itself",
            "the name \"x\"",
        ),
        (
            "turnwise_referee.py",
            "\"abilities\": self.abilities",
            "\"abilities\": [\"moves\", \"undo\"]",
            "it describes itself",
            "\"undo\"",
        ),
        (
            "turnwise_referee.py",
            "\"abilities\": self.abilities",
            "\"abilities\": [\"moves\", \"values\"]",
            "it describes itself",
            "the ability `values`",
        ),
    ];
    for (file, old, new, scenario, expected) in faults {
        let game = tictactoe();
        replace(&game, file, old, new);
        fails_at(&game, scenario, expected);
    }
    // Each text is a method of the library's class or a change at the beginning of a method of the game.
    let methods = [
        (
            "random games",
            "but `play` rejects it",
            "def moves(self):\n        return super().moves() + [\"9\"]",
        ),
        (
            "random games",
            "lists a move twice",
            "def moves(self):\n        return super().moves() * 2",
        ),
        (
            "scores",
            "got [7.0",
            "def scores(self):\n        return [7] + super().scores()[1:]",
        ),
        (
            "scores",
            "expected the scores 1 and 0, 0 and 1, or 0.5 and 0.5, got [1.0, 1.0]",
            "def scores(self):\n        return [1, 1]",
        ),
        (
            "it describes itself",
            "RuntimeError: no chalk",
            "def play(self, move):\n        super().play(move)\n        raise RuntimeError(\"no chalk\")",
        ),
        (
            "it describes itself",
            "RuntimeError: no chalk",
            "def view(self, seat):\n        raise RuntimeError(\"no chalk\")",
        ),
        (
            "illegal moves",
            "is accepted",
            "def play(self, move):\n        return super().play(move.strip() or self.moves()[0])",
        ),
        (
            "illegal moves",
            "no reason",
            "def play(self, move):\n        if move not in self.moves():\n            raise IllegalMove(\"\")\n        return super().play(move)",
        ),
        (
            "the same game twice",
            "in another",
            "def lines(self, seat):\n        return [str(random.random())]",
        ),
        (
            "views",
            "view",
            "def view(self, seat):\n        return {\"caption\": str(random.random())}",
        ),
        (
            "views",
            "the choice",
            "def view(self, seat):\n        return {\"choices\": [{\"notation\": \"x\"}]}",
        ),
        (
            "positions",
            "expected",
            "def position(self):\n        return \"X........\"",
        ),
        (
            "values and play-outs",
            "`rollout` played 0 of the legal moves",
            "def __deepcopy__(self, memo):\n        return self",
        ),
    ];
    for (scenario, expected, method) in methods {
        let game = tictactoe();
        let end = "if __name__ == \"__main__\":\n    run(TicTacToe)";
        let faulty =
            format!("import random\n\nclass Faulty(TicTacToe):\n    {method}\n\n\nrun(Faulty)");
        replace(&game, "referee.py", end, &faulty);
        fails_at(&game, scenario, expected);
    }
}

/// Asserts that the check of a game fails in this scenario alone with a text that contains `expected`.
fn fails_at(game: &TempDir, scenario: &str, expected: &str) {
    let output = run(&[
        "check",
        "--json",
        "--game",
        game.path().to_str().expect("UTF-8"),
    ]);
    let told = stdout(&output);
    assert_eq!(
        output.status.code(),
        Some(1),
        "{scenario}: {told}{}",
        stderr(&output)
    );
    let lines = json_lines(&told);
    let found = lines
        .iter()
        .find(|line| line["scenario"] == scenario)
        .unwrap_or_else(|| panic!("{scenario}: {told}"));
    assert_eq!(found["outcome"], "failed", "{expected}: {told}");
    let tells = |line: &&Value| {
        line["got"]
            .as_str()
            .is_some_and(|got| got.contains(expected))
    };
    assert!(tells(&found), "{expected}: {found}");
    assert_eq!(lines.iter().filter(tells).count(), 1, "{expected}: {told}");
}

#[test]
fn the_check_accepts_the_template_and_records_it() {
    let game = tictactoe();
    let folder = game.path().to_str().expect("UTF-8");
    let transcripts = game.path().join("transcripts");
    let transcripts = transcripts.to_str().expect("UTF-8");
    let output = run(&[
        "check",
        "--game",
        folder,
        "--random_opening",
        "--transcript",
        transcripts,
    ]);
    assert!(output.status.success(), "{}", stdout(&output));
    assert!(stdout(&output).ends_with("The game can be played.\n"));
    let recorded =
        fs::read_to_string(Path::new(transcripts).join("referee-1.txt")).expect("a transcript");
    let mut lines = recorded.lines();
    assert_eq!(
        lines.next(),
        Some(r#"> {"id":1,"jsonrpc":"2.0","method":"describe","params":{"protocol":1}}"#)
    );
    assert!(
        lines
            .next()
            .is_some_and(|line| line.starts_with("< {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"))
    );
}

#[test]
fn hostile_players_lose_and_harm_nobody_else() {
    let game = tictactoe();
    let hostile = [
        ("print('x' * (1 << 20))", "garbage"),
        (
            "sys.stdout.buffer.write(b'{\"move\":\"\\xff\\xfe\"}\\n')",
            "garbage",
        ),
        ("print('{\"move\":\"\\\\u0000\"}')", "garbage"),
        ("print('{\"move\":\"' + '4' * 1001 + '\"}')", "garbage"),
        ("print('{\"move\":[1]}')", "garbage"),
        ("print('{\"move\":\"\\\\ud800\"}')", "garbage"),
        ("print('{\"move\":9}')", "illegal"),
    ];
    for (number, (answer, kind)) in hostile.into_iter().enumerate() {
        let program = format!("hostile{number}.py");
        let text = format!(
            "import sys\nfor line in sys.stdin:\n    if '\"move\"' in line:\n        {answer}\n        sys.stdout.flush()\n"
        );
        fs::write(game.path().join(&program), text).expect("it is written");
        let path = game.path().join(&program);
        let command = format!("cmd:python3 {}", path.display());
        let log = game.path().join("match.jsonl");
        let _ = fs::remove_file(&log);
        let output = arena(
            &game,
            &[
                &command, "random", "--pairs", "1", "--clock", "60", "--seed", "1",
            ],
        );
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(stderr(&output).matches("referee failed").count(), 0);
        let played = games(&log_of(&game));
        assert_eq!(played.len(), 2);
        for game in played {
            assert_eq!(game["fault"]["kind"], kind, "{answer}: {game}");
            assert_ne!(game["fault"]["agent"], "random");
        }
    }
}

#[test]
fn a_person_plays_at_the_keyboard() {
    let game = tictactoe();
    let folder = game.path().to_str().expect("UTF-8");
    let log = game.path().join("match.jsonl");
    let mut command = turnwise(&[
        "arena",
        "human",
        "random",
        "--game",
        folder,
        "--pairs",
        "1",
        "--seed",
        "4",
        "--log",
        log.to_str().expect("UTF-8"),
    ]);
    let output = run_with_input(&mut command, b"4\nno\nq\n");
    let told = stderr(&output);
    assert!(
        told.contains("  0  .  .  .") && told.contains("Moves:"),
        "{told}"
    );
    let played = games(&log_of(&game));
    assert_eq!(played[0]["fault"]["kind"], "resigned");
    assert_eq!(played[0]["moves"][0], "4");
}

#[test]
fn abilities_that_are_missing_are_named() {
    let game = tictactoe();
    let cases = [
        ("greedy", "greedy needs the ability `values`"),
        ("mcts", "would look at hidden information"),
    ];
    for (agent, expected) in cases {
        if agent == "mcts" {
            replace(
                &game,
                "game.toml",
                "longest = 9",
                "longest = 9\nhidden = true",
            );
        }
        let output = arena(&game, &[agent, "random"]);
        assert_eq!(output.status.code(), Some(1), "{agent}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

#[test]
fn a_class_plays_a_game_in_a_folder_beside_its_file() {
    let game = tictactoe();
    fs::create_dir(game.path().join("rules")).expect("a folder");
    for name in TEMPLATE {
        fs::rename(game.path().join(name), game.path().join("rules").join(name)).expect("it moves");
    }
    let class = game.path().join("class.toml");
    let text = "game = \"./rules\"\npairs = 2\nisolate = false\n[settings]\nrandom_opening = true\n[time]\nnodes = 9\n\
                [format]\nkind = \"round-robin\"\n[[participant]]\nname = \"ada\"\nagent = \"random\"\n\
                [[participant]]\nname = \"bob\"\nagent = \"mcts:nodes=20\"\n[[participant]]\nname = \"cleo\"\nagent = \"random\"\n";
    fs::write(&class, text).expect("it is written");
    let log = game.path().join("class.jsonl");
    let play = || run(&["tournament", class.to_str().expect("UTF-8"), "--yes"]);
    let output = play();
    assert!(output.status.success(), "{}", stderr(&output));
    let whole = fs::read_to_string(&log).expect("a log");
    assert_eq!(games(&whole).len(), 12);
    assert!(game.path().join("class-report/report.html").exists());

    // After a kill, the class plays the missing games, and all games equal those of the unbroken class.
    let cut = whole
        .match_indices("\"event\":\"game\"")
        .nth(4)
        .expect("five games")
        .0;
    fs::write(&log, &whole[..cut]).expect("it is written");
    let output = play();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        sorted(&fs::read_to_string(&log).expect("a log")),
        sorted(&whole)
    );
}

/// Returns the folder of a game among the tests' data.
fn example(name: &str) -> String {
    format!("{}/tests/data/games/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Plays Connect Four between random agents, and returns the moves of all games and the page of the log.
fn connect_four(game: &str) -> (Vec<Value>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("match.jsonl");
    let log = log.to_str().expect("UTF-8");
    let played = run(&[
        "arena",
        "random",
        "random",
        "--game",
        game,
        "--pairs",
        "3",
        "--nodes",
        "9",
        "--seed",
        "5",
        "--openings",
        "2",
        "--jobs",
        "1",
        "--log",
        log,
    ]);
    assert!(played.status.success(), "{}", stderr(&played));
    let moves = games(&fs::read_to_string(log).expect("a log"));
    let moves = moves.iter().map(|game| game["moves"].clone()).collect();
    let out = folder.path().join("report");
    let reported = run(&["report", log, "--out", out.to_str().expect("UTF-8")]);
    assert!(reported.status.success(), "{}", stderr(&reported));
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    // The page contains the path of the log.
    (
        moves,
        page.replace(folder.path().to_str().expect("UTF-8"), ""),
    )
}

#[test]
fn the_same_rules_in_rust_and_in_python_give_the_same_games_and_the_same_page() {
    let (in_rust, page_of_rust) = connect_four("connect4");
    let (in_python, page_of_python) = connect_four(&example("connect4"));
    assert_eq!(in_rust.len(), 6);
    assert_eq!(in_rust, in_python);
    // The settings contain the description of the game, which is a part of the program in Rust.
    let without_settings = |line: &str| match line.split_once("id=\"data\">") {
        None => Value::from(line),
        Some((_, data)) => {
            let end = data.find("</script>").expect("the end of the data");
            let mut data: Value = serde_json::from_str(&data[..end]).expect("JSON");
            data[0]["settings"].take();
            data
        }
    };
    let [rust, python] = [page_of_rust, page_of_python]
        .map(|page| page.lines().map(without_settings).collect::<Vec<Value>>());
    assert_eq!(rust, python);
}

#[test]
fn games_with_hidden_and_simultaneous_moves_keep_their_contract() {
    for game in ["rps", "auction"] {
        let output = run(&["check", "--game", &example(game)]);
        let told = stdout(&output);
        assert!(output.status.success(), "{told}");
        assert!(told.contains("ok       hidden information"), "{told}");
    }
}

#[test]
fn the_check_finds_a_leak_and_a_draw_that_depends_on_a_move() {
    let faults = [
        (
            "rps",
            "hidden information",
            "changes when seat 0 plays",
            "def view(self, seat):\n        return dict(super().view(seat), caption=str(self.__dict__))",
        ),
        (
            "rps",
            "hidden information",
            "depend on the first seat's move",
            "def lines(self, seat):\n        return super().lines(seat) + [str(self.__dict__)]",
        ),
        (
            "auction",
            "draws depend on nothing else",
            "with the same values",
            "def draw(self, values):\n        texts = super().draw(values)\n        return [str(self.__dict__) for _ in values]",
        ),
    ];
    for (name, scenario, expected, method) in faults {
        let game = tempfile::tempdir().expect("a folder");
        let from = example(name);
        for file in ["game.toml", "referee.py"] {
            fs::copy(Path::new(&from).join(file), game.path().join(file)).expect("it is there");
        }
        let library = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("templates/game/python")
            .join(TEMPLATE[2]);
        fs::copy(library, game.path().join(TEMPLATE[2])).expect("it is there");
        // The file adds the library's folder in the repository to its path, which is not there.
        replace(&game, "referee.py", "parents[4]", "parents[0]");
        let text = fs::read_to_string(game.path().join("referee.py")).expect("a file");
        let (_, class) = text.rsplit_once("    run(").expect("it runs");
        let class = class.trim_end().trim_end_matches(')').to_owned();
        let faulty = format!("class Faulty({class}):\n    {method}\n\n\nrun(Faulty)");
        replace(
            &game,
            "referee.py",
            &format!("if __name__ == \"__main__\":\n    run({class})"),
            &faulty,
        );
        fails_at(&game, scenario, expected);
    }
}

#[test]
fn a_table_of_four_plays_an_auction() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("tables.jsonl");
    let log = log.to_str().expect("UTF-8");
    let words = ["random", "random", "random", "mcts:nodes=20"];
    let game = example("auction");
    let options = [
        "--tables", "--game", &game, "--pairs", "2", "--nodes", "50", "--seed", "3", "--log", log,
    ];
    let output = run(&[&["arena"][..], &words, &options].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let played = games(&fs::read_to_string(log).expect("a log"));
    assert_eq!(played.len(), 8);
    // In a rotation, luck belongs to the seats, so all four games have equal first views.
    for rotation in played.chunks(4) {
        assert!(
            rotation
                .iter()
                .all(|game| game["views"][0] == rotation[0]["views"][0])
        );
        assert!(
            rotation
                .iter()
                .all(|game| game["scores"].as_array().map(Vec::len) == Some(4))
        );
    }
    let report = run(&["report", log]);
    assert!(stdout(&report).contains("mcts"), "{}", stderr(&report));
}

#[test]
fn a_search_in_several_processes_is_reproducible() {
    let moves = || {
        let game = tictactoe();
        let words = [
            "mcts:processes=3,nodes=60",
            "random",
            "--pairs",
            "2",
            "--nodes",
            "90",
            "--seed",
            "6",
        ];
        let output = arena(&game, &words);
        assert!(output.status.success(), "{}", stderr(&output));
        let log = log_of(&game);
        let searched = json_lines(&log)
            .into_iter()
            .find(|line| line["event"] == "move" && line["agent"] == "mcts");
        // Each process gets a third of the nodes.
        assert_eq!(searched.expect("a move")["nodes"], 60);
        games(&log)
            .iter()
            .map(|game| game["moves"].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(moves(), moves());
}

#[test]
fn an_agent_is_not_at_fault_for_a_move_that_the_referee_listed() {
    let game = tictactoe();
    let end = "if __name__ == \"__main__\":\n    run(TicTacToe)";
    let faulty =
        "class Faulty(TicTacToe):\n    def moves(self):\n        return [\"9\"]\n\n\nrun(Faulty)";
    replace(&game, "referee.py", end, faulty);
    let output = arena(&game, &["random", "random", "--pairs", "1", "--nodes", "9"]);
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(
        told.contains("it listed \"9\" as legal, but rejects it"),
        "{told}"
    );
    assert!(games(&log_of(&game)).is_empty());
}

#[test]
fn a_program_that_plays_whole_games_is_a_game() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("nim");
    let game = folder.to_str().expect("UTF-8");
    let created = run(&["new", "whole-game", game]);
    assert!(created.status.success(), "{}", stderr(&created));

    let checked = run(&["check", "--game", game]);
    assert!(checked.status.success(), "{}", stdout(&checked));
    assert!(stdout(&checked).ends_with("The game can be played.\n"));
    // It takes too many sticks once the heap is small.
    fs::write(
        folder.join("greedy.py"),
        "while True: input(), print(3, flush=True)\n",
    )
    .expect("it is written");
    let command = |name: &str| format!("cmd:python3 {}", folder.join(name).display());
    let log = folder.join("match.jsonl");
    let log = log.to_str().expect("UTF-8");
    let played = run(&[
        "arena",
        &command("player.py"),
        &command("greedy.py"),
        "--game",
        game,
        "--log",
        log,
        "--pairs",
        "3",
        "--clock",
        "60",
        "--seed",
        "2",
    ]);
    assert!(played.status.success(), "{}", stderr(&played));
    let text = fs::read_to_string(log).expect("a log");
    let all = games(&text);
    assert_eq!(all.len(), 6);
    for game in &all {
        assert!(
            game["moves"]
                .as_array()
                .is_some_and(|moves| !moves.is_empty())
        );
        if !game["fault"].is_null() {
            assert_eq!(game["fault"]["kind"], "illegal", "{game}");
        }
    }
    let out = folder.join("report");
    let reported = run(&["report", log, "--out", out.to_str().expect("UTF-8")]);
    assert!(reported.status.success(), "{}", stderr(&reported));

    let fourth = text
        .match_indices("\"event\":\"game\"")
        .nth(3)
        .expect("six games")
        .0;
    fs::write(log, &text[..fourth + 40]).expect("it is written");
    let resumed = run(&["arena", "--resume", log, "--game", game]);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    let without_times = |text: &str| -> Vec<String> {
        let parts = |game: &Value| {
            [
                &game["pair"],
                &game["moves"],
                &game["score"],
                &game["scores"],
                &game["fault"]["kind"],
            ]
            .map(Value::to_string)
            .concat()
        };
        let mut all: Vec<String> = games(text).iter().map(parts).collect();
        all.sort();
        all
    };
    let again = fs::read_to_string(log).expect("a log");
    assert_eq!(without_times(&again), without_times(&text));
}

#[test]
fn a_game_is_reviewed_by_its_search() {
    let game = tictactoe();
    let text = fs::read_to_string(game.path().join("game.toml")).expect("a manifest");
    let folder = Folder::new(game.path(), None, &text).expect("a game");
    let games = vec![Plugin(Box::leak(Box::new(folder)))].leak();
    let settled = games[0].by_options(&|_| None).expect("rules");
    // The last move ignores a threat.
    let request = json!({
        "ask": "review",
        "position": {
            "game": games[0].about().name, "settings": settled.fields(),
            "beginning": {"seed": 1}, "moves": ["0", "8", "1", "7"],
        },
    });
    let request = serde_json::from_value(request).expect("a request");
    let allowed = Allowed {
        time: Duration::from_secs(600),
        nodes: u64::MAX,
        solutions: None,
    };
    let review = answer(&request, games, &allowed, &Stop::default(), &mut |_| {});
    let review = review.expect("a review");
    let last = &review["moves"][3];
    assert_eq!(last["mark"], "blunder", "{review}");
    assert_eq!(last["best_words"], "place O on cell 2");
    let stops = review["stops"].as_array().expect("stops");
    assert_eq!(stops.last(), Some(&json!(3)));
}

#[test]
fn a_log_is_reviewed_by_the_referee_of_its_game() {
    let game = tictactoe();
    let words = [
        "random",
        "mcts",
        "--pairs",
        "2",
        "--nodes",
        "50",
        "--random_opening",
    ];
    let played = arena(&game, &words);
    assert!(played.status.success(), "{}", stderr(&played));
    let (folder, log) = (game.path(), game.path().join("match.jsonl"));
    let [folder, log] = [folder, &*log].map(|path| path.to_str().expect("UTF-8"));
    // Only the referee knows the piece that the draw at the beginning placed.
    let review = |words: &[&str]| run(&[&["review", log, "--nodes", "1000"], words].concat());
    let reviewed = review(&["--rules", folder, "--json"]);
    assert!(reviewed.status.success(), "{}", stderr(&reviewed));
    let lines = json_lines(&stdout(&reviewed));
    let all = games(&log_of(&game));
    let plies = all
        .iter()
        .map(|game| game["moves"].as_array().map_or(0, Vec::len));
    // After the moves, each player has a line for each of its two roles.
    assert_eq!(lines.len(), plies.sum::<usize>() + 4);
    assert!(lines.iter().any(|line| line["lost"].as_f64() > Some(0.0)));
    let one = review(&["--rules", folder, "--game", "1"]);
    assert!(
        stdout(&one).contains("place O on cell "),
        "{}",
        stdout(&one)
    );
    for (words, told) in [
        (
            &[][..],
            "Tic-Tac-Toe is a game in a folder: name the folder with --rules FOLDER",
        ),
        (&["--game", "1"], "name the folder with --rules FOLDER"),
        (
            &["--rules", "halma"],
            "expected the folder of Tic-Tac-Toe, which the log contains, got Halma",
        ),
    ] {
        let refused = review(words);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(told), "{}", stderr(&refused));
    }
    // A log from before the beginning was logged can be replayed, but not reviewed.
    let text = log_of(&game);
    let lines = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("a line of a log");
        line.as_object_mut().expect("fields").remove("begun");
        line.to_string() + "\n"
    });
    let old = lines.collect::<String>();
    fs::write(log, old).expect("it is written");
    let refused = review(&["--rules", folder]);
    assert!(
        stderr(&refused).contains("moves of Tic-Tac-Toe cannot be judged"),
        "{}",
        stderr(&refused)
    );
    let replayed = run(&["replay", log, "--game", "1"]);
    assert!(replayed.status.success(), "{}", stderr(&replayed));
}
