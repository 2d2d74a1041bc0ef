//! Tests `turnwise halma` when it is installed and calibrated under the names that the assignment requires.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use turnwise_halma::calibration::Calibration;
use turnwise_halma::rules::{Color, Position, Rules};
use turnwise_protocol::halma::Mode;

use crate::support::{TURNWISE, file_names, stderr};

use super::{folder, input, judged, run};

/// Runs the program with this name in its own folder, without arguments.
fn run_alone(folder: &Path, name: &str) {
    let mut program = Command::new(folder.join(name));
    let output = program.current_dir(folder).output().expect("started");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_names_of_the_assignment_are_this_command() {
    let at = Position::start(Color::White, Rules::Addendum);
    for name in ["homework", "homework11", "homework3.x"] {
        let folder = folder(&input(&at, Mode::Single, 0.05));
        symlink(TURNWISE, folder.path().join(name)).expect("a link");
        run_alone(folder.path(), name);
        judged(folder.path(), &at);
    }
}

#[test]
fn calibration_is_measured_used_and_doubted() {
    let at = Position::start(Color::White, Rules::Addendum);
    let folder = folder(&input(&at, Mode::Single, 0.05));
    symlink(TURNWISE, folder.path().join("calibrate3")).expect("a link");
    run_alone(folder.path(), "calibrate3");
    let calibration = folder.path().join("calibration.txt");
    let text = fs::read_to_string(&calibration).expect("a calibration");
    let measured = Calibration::parse(text.as_bytes()).expect("a calibration");
    assert!(measured.start > Duration::ZERO && measured.late > Duration::ZERO);
    assert_eq!(stderr(&run(folder.path(), &[])), "");
    let old = "turnwise-halma-calibration 1 nodes_per_second 500000\n";
    fs::write(&calibration, old).expect("a file");
    let output = run(folder.path(), &[]);
    assert!(output.status.success());
    assert!(stderr(&output).contains("calibration.txt is ignored"));
}

#[test]
fn the_installer_makes_both_programs() {
    let folder = folder(&input(
        &Position::start(Color::Black, Rules::Base),
        Mode::Single,
        0.05,
    ));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/install-halma");
    let install = |arguments: &[&str]| {
        let mut command = Command::new(&script);
        command
            .arg(folder.path())
            .args(arguments)
            .env("TURNWISE", TURNWISE);
        command.output().expect("the script can be started")
    };
    assert!(install(&[]).status.success());
    assert!(install(&["11"]).status.success());
    assert_eq!(install(&["1x"]).status.code(), Some(2));
    assert_eq!(
        file_names(folder.path()),
        [
            "calibrate",
            "calibrate11",
            "homework",
            "homework11",
            "input.txt"
        ]
    );
    run_alone(folder.path(), "homework11");
    judged(
        folder.path(),
        &Position::start(Color::Black, Rules::Addendum),
    );
}
