//! Tests `install.sh` with releases that a local web server offers. A script replaces the program.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// Writes a release to `folder` whose archive contains these files and a program.
const RELEASE: &str = r#"
name=turnwise-$VERSION-$(uname -m)-unknown-linux-musl
mkdir -p "$name/bin" "$name/share/doc/turnwise" "$name/share/man/man1"
printf '#!/bin/sh\necho "turnwise %s"\n' "$VERSION" >"$name/bin/turnwise"
chmod 755 "$name/bin/turnwise"
for page in "$@"; do echo "$page" >"$name/share/man/man1/$page"; done
tar -czf "$name.tar.gz" "$name"
rm -r "$name"
sha256sum "$name.tar.gz" >SHA256SUMS
"#;

/// A web server for the folder `releases`, and a prefix with an awkward name.
struct Machine {
    folder: TempDir,
    server: Child,
    address: String,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("releases")).expect("a folder");
        let mut server = Command::new("python3")
            .args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
            .current_dir(folder.path().join("releases"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python 3");
        let mut line = String::new();
        let stdout = server.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let port = line.split(' ').skip_while(|word| *word != "port").nth(1);
        let address = format!("http://127.0.0.1:{}", port.expect("a port"));
        Self {
            folder,
            server,
            address,
        }
    }

    fn prefix(&self) -> PathBuf {
        self.folder.path().join("a prefix -- with 'spaces'")
    }

    /// Replaces the release that the server offers.
    fn release(&self, version: &str, pages: &[&str]) {
        let status = Command::new("sh")
            .args(["-e", "-c", RELEASE, "sh"])
            .args(pages)
            .env("VERSION", version)
            .current_dir(self.folder.path().join("releases"))
            .status();
        assert!(status.expect("a shell").success());
    }

    fn call(&self, arguments: &[&str]) -> Output {
        Command::new("sh")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("install.sh"))
            .args(arguments)
            .arg("--prefix")
            .arg(self.prefix())
            .output()
            .expect("a shell")
    }

    /// Returns the paths of all files below the prefix, in order.
    fn files(&self) -> String {
        let found = Command::new("find")
            .args([".", "-type", "f"])
            .current_dir(self.prefix())
            .output()
            .expect("find");
        let text = String::from_utf8(found.stdout).expect("text");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.join(" ")
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // The server may have ended already.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

#[test]
fn a_release_is_installed_replaced_and_removed() {
    let machine = Machine::new();
    machine.release("1.0.0", &["turnwise.1", "turnwise-old.1"]);
    let output = machine.call(&["--from", &machine.address]);
    assert!(output.status.success(), "{output:?}");
    let stdout = String::from_utf8(output.stdout).expect("text");
    assert!(stdout.contains("installed turnwise 1.0.0 in "), "{stdout}");
    assert!(stdout.contains("is not on the PATH"), "{stdout}");

    // A link at the place of the program is replaced, and its target keeps its contents.
    let program = machine.prefix().join("bin/turnwise");
    let other = machine.folder.path().join("other");
    fs::write(&other, "another program").expect("a file");
    fs::remove_file(&program).expect("the program");
    std::os::unix::fs::symlink(&other, &program).expect("a link");
    machine.release("1.1.0", &["turnwise.1"]);
    // The server still has the archive of 1.0.0.
    let output = machine.call(&["--from", &machine.address]);
    assert!(output.status.success(), "{output:?}");
    let version = Command::new(&program).output().expect("it runs").stdout;
    assert_eq!(version, b"turnwise 1.1.0\n");
    let contents = fs::read_to_string(&other).expect("it remains");
    assert_eq!(contents, "another program");
    let expected = "./bin/turnwise ./share/doc/turnwise/installed ./share/man/man1/turnwise.1";
    assert_eq!(machine.files(), expected);

    let output = machine.call(&["--uninstall"]);
    assert!(output.status.success(), "{output:?}");
    let mut left = fs::read_dir(machine.prefix()).expect("the prefix");
    assert!(left.next().is_none(), "{left:?}");
    assert!(!machine.call(&["--uninstall"]).status.success());
}

#[test]
fn a_damaged_archive_or_a_missing_release_installs_nothing() {
    let machine = Machine::new();
    let fails = |words: &str| {
        let output = machine.call(&["--from", &machine.address]);
        let stderr = String::from_utf8(output.stderr).expect("text");
        assert!(
            !output.status.success() && stderr.contains(words),
            "{stderr}"
        );
        assert!(!machine.prefix().exists());
    };
    fails("cannot download http://127.0.0.1:");
    machine.release("1.0.0", &["turnwise.1"]);
    let releases = machine.folder.path().join("releases");
    for entry in fs::read_dir(&releases).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|end| end == "gz") {
            fs::write(path, "damaged").expect("a file");
        }
    }
    fails("does not match its checksum; nothing was installed");
    fs::write(
        releases.join("SHA256SUMS"),
        "0  turnwise-1.0.0-pdp11.tar.gz\n",
    )
    .expect("a file");
    fails("this release has no program for ");
}
