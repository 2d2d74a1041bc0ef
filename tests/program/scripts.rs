//! Tests that `run.sh` and `compile.sh` work when they are called from any folder.
//!
//! In the tests, scripts that report how they were called replace the program and cargo.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::support::file_names;

/// A script that replaces the program and prints the current folder and its arguments.
const ECHO: &str = "#!/bin/sh\necho \"$(pwd -P)|$*\"\n";

/// A script that replaces cargo and simulates those effects of a build that `run.sh` can see.
const BUILD: &str = "#!/bin/sh\n\
    echo \"cargo in $(pwd -P)|$*\"\n\
    mkdir -p target/release\n\
    cp \"$STAND_IN\" target/release/turnwise\n";

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}

/// A copy of the scripts in a folder with an awkward name, without a built program.
struct Checkout {
    _folder: TempDir,
    root: PathBuf,
    scripts: PathBuf,
}

impl Checkout {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        let scripts = root.join("a folder -- with 'spaces'");
        for script in ["run.sh", "compile.sh"] {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
            let text = fs::read_to_string(source).expect("a script");
            executable(&scripts.join(script), &text);
        }
        executable(&root.join("bin/cargo"), BUILD);
        executable(&root.join("stand-in"), ECHO);
        Self {
            _folder: folder,
            root,
            scripts,
        }
    }

    fn call(&self, script: impl AsRef<Path>, folder: &Path, arguments: &[&str]) -> Output {
        let path = std::env::var("PATH").expect("a path");
        let bin = self.root.join("bin");
        let output = Command::new(script.as_ref())
            .args(arguments)
            .current_dir(folder)
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("STAND_IN", self.root.join("stand-in"))
            .env("CDPATH", &self.root)
            .output()
            .expect("the script can be started");
        assert!(output.status.success(), "{output:?}");
        output
    }

    /// Asserts that `run.sh`, called in this folder, starts a player in this folder.
    fn plays(&self, script: impl AsRef<Path>, folder: &Path) {
        let output = self.call(script, folder, &["some server", "10000", "--clock", "1"]);
        let stdout = String::from_utf8(output.stdout).expect("text");
        let expected = format!("{}|play some server 10000 --clock 1\n", folder.display());
        assert_eq!(stdout, expected);
    }
}

#[test]
fn run_lets_cargo_decide_and_keeps_stdout_for_the_program() {
    let checkout = Checkout::new();
    let script = checkout.scripts.join("run.sh");
    for _ in 0..2 {
        let output = checkout.call(&script, &checkout.root, &[]);
        let stdout = String::from_utf8(output.stdout).expect("text");
        assert_eq!(stdout, format!("{}|demo\n", checkout.root.display()));
        let stderr = String::from_utf8(output.stderr).expect("text");
        let build = format!(
            "cargo in {}|build --release --locked",
            checkout.scripts.display()
        );
        assert!(stderr.starts_with(&build), "{stderr}");
    }
}

#[test]
fn run_works_from_other_folders_and_through_links() {
    let checkout = Checkout::new();
    let (root, scripts) = (&checkout.root, &checkout.scripts);
    checkout.plays(scripts.join("run.sh"), root);
    checkout.plays("./run.sh", scripts);
    let elsewhere = root.join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    symlink(scripts.join("run.sh"), elsewhere.join("linked.sh")).expect("a link");
    checkout.plays("./linked.sh", &elsewhere);
    symlink("../elsewhere/linked.sh", root.join("bin/on-the-path")).expect("a link");
    checkout.plays("on-the-path", &elsewhere);
    symlink(scripts, root.join("linked folder")).expect("a link");
    checkout.plays("linked folder/run.sh", root);
}

#[test]
fn compile_builds_where_run_looks_for_the_program() {
    let checkout = Checkout::new();
    let (root, scripts) = (&checkout.root, &checkout.scripts);
    symlink(scripts.join("compile.sh"), root.join("linked.sh")).expect("a link");
    for script in ["./linked.sh", "a folder -- with 'spaces'/compile.sh"] {
        let output = checkout.call(script, root, &["--quiet"]);
        let stdout = String::from_utf8(output.stdout).expect("text");
        let expected = format!(
            "cargo in {}|build --release --locked --target-dir target --package turnwise --bin turnwise --quiet\n",
            scripts.display()
        );
        assert_eq!(stdout, expected);
    }
}

#[test]
fn the_package_has_all_folders_whose_files_the_program_contains() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .args(["--package", "turnwise"])
        .current_dir(root)
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{output:?}");
    let packaged = String::from_utf8(output.stdout).expect("text");
    for folder in ["adapters", "starters", "templates"] {
        for inner in file_names(&root.join(folder)) {
            let prefix = format!("{folder}/{inner}");
            let is_packaged = packaged.lines().any(|file| file.starts_with(&prefix));
            assert!(is_packaged, "{prefix} is not in the package");
        }
    }
}
