//! Tests that command lines of earlier versions name the command lines that replace them.

use turnwise::cli::games::moved::MOVED;

use crate::support::{folder_with_inputs, run, run_with_input, stderr, turnwise};

#[test]
fn a_replaced_command_line_names_one_that_works() {
    for (old, new) in MOVED {
        let output = run(&old.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(2), "{old}: {output:?}");
        let told = format!("turnwise: this command was replaced; run: {new}\n");
        assert_eq!(stderr(&output), told, "{old}");

        let folder = folder_with_inputs(&[]);
        let words = new.replace("CONFIG", "game.config");
        let words = words.replace("LOG", "match.jsonl");
        let words: Vec<&str> = words.split(' ').skip(1).collect();
        let mut command = turnwise(&words);
        command.current_dir(folder.path());
        if words[0] == "arena" && !words.contains(&"--pairs") {
            command.args(["--pairs", "1"]);
        }
        // These need arguments of the old form, or run for long.
        if ["entropy", "halma"].contains(&words[0]) {
            command.arg("--help");
        }
        let output = run_with_input(&mut command, b"");
        assert!(output.status.success(), "{new}: {}", stderr(&output));
    }
}
