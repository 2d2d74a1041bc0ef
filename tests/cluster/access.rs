//! Tests servers that require a password or a certificate.

use std::path::Path;
use std::process::Command;

use super::support::{Nats, Process, TURNWISE, arena, by_pairs, until};
use super::{SMALL, played_here};

const PASSWORD: &str = "s3cret";

fn with_password() -> Vec<String> {
    ["--user", "turnwise", "--pass", PASSWORD]
        .map(str::to_owned)
        .into()
}

/// Asserts that the process fails, gives the reason `why` on stderr, and does not print the password.
fn refused(mut process: Process, why: &str) {
    assert!(!process.ended());
    let stderr = process.stderr();
    assert!(stderr.contains(why), "{stderr}");
    assert!(!stderr.contains(PASSWORD), "{stderr}");
}

#[test]
fn a_password_lets_in_and_is_not_told() {
    let Some(nats) = Nats::start_with(|_| with_password()) else {
        return;
    };
    let here = played_here(&nats, &SMALL);
    let at = |login: &str| format!("nats://{login}127.0.0.1:{}", nats.port());
    let log = nats.path("there.jsonl");
    for login in ["", "turnwise:s3cre@", "eve:s3cret@"] {
        let words = [TURNWISE, "worker", &at(login)];
        let worker = Process::start(Command::new(words[0]).args(&words[1..]));
        refused(worker, "rejected the login");
        let coordinator = Process::start(arena(&SMALL, &log).args(["--cluster", &at(login)]));
        refused(coordinator, "rejected the login");
        assert!(!log.exists());
    }
    let worker = super::support::worker(Path::new(TURNWISE), &at("turnwise:s3cret@"), "one");
    let mut coordinator = arena(&SMALL, &log);
    coordinator.args(["--cluster", &at("")]);
    coordinator.envs([("NATS_USER", "turnwise"), ("NATS_PASSWORD", PASSWORD)]);
    let mut coordinator = Process::start(&mut coordinator);
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
    for mut process in [worker, coordinator] {
        let stderr = process.stderr();
        assert!(!stderr.contains(PASSWORD), "{stderr}");
    }
}

/// Creates certificates in this folder as docs/how-to/cluster.md describes. Returns false if OpenSSL is not installed.
fn make_certificates(folder: &Path) -> bool {
    let openssl = |words: &str| {
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650";
        let words = format!("req -x509 {key} {words}");
        let words = words.split(' ');
        let made = Command::new("openssl")
            .args(words)
            .current_dir(folder)
            .output();
        made.is_ok_and(|made| {
            assert!(made.status.success(), "{made:?}");
            true
        })
    };
    let by = "-CA authority.pem -CAkey authority.key -addext basicConstraints=critical,CA:FALSE";
    let name = "-addext subjectAltName=DNS:localhost,IP:127.0.0.1";
    let are_made = openssl("-subj /CN=authority -keyout authority.key -out authority.pem")
        && openssl(&format!(
            "-subj /CN=server {by} {name} -keyout server.key -out server.pem"
        ))
        && openssl(&format!("-subj /CN=own {by} -keyout own.key -out own.pem"));
    if !are_made {
        println!("skipped: matches over TLS; the command openssl makes them possible");
    }
    are_made
}

#[test]
fn certificates_let_in_and_nothing_goes_without() {
    let mut has_certificates = false;
    let nats = Nats::start_with(|folder| {
        has_certificates = make_certificates(folder);
        if !has_certificates {
            return Vec::new();
        }
        let file = |name: &str| folder.join(name).display().to_string();
        let files = [
            ["--tlscert".to_owned(), file("server.pem")],
            ["--tlskey".to_owned(), file("server.key")],
            ["--tlscacert".to_owned(), file("authority.pem")],
        ];
        let tls = ["--tls", "--tlsverify"].map(str::to_owned);
        let words = files.into_iter().flatten().chain(tls);
        words.chain(with_password()).collect()
    });
    let Some(nats) = nats.filter(|_| has_certificates) else {
        return;
    };
    let here = played_here(&nats, &SMALL);
    let url = format!("tls://turnwise:{PASSWORD}@127.0.0.1:{}", nats.port());
    let ours = [
        ("NATS_CA", "authority.pem"),
        ("NATS_CERT", "own.pem"),
        ("NATS_KEY", "own.key"),
    ];
    let worker = |variables: &[(&str, &str)]| {
        let mut command = Command::new(TURNWISE);
        command.args(["worker", &url, "--jobs", "1", "--name", "one"]);
        command.current_dir(&nats.folder);
        Process::start(command.envs(variables.iter().copied()))
    };
    // The worker fails in three cases: it cannot verify the server, it has no certificate, or it has a certificate
    // without the key for it.
    refused(worker(&[]), "no TLS with the NATS server");
    refused(worker(&ours[..1]), "no TLS with the NATS server");
    refused(worker(&ours[..2]), "both NATS_CERT and NATS_KEY");
    let mut worker = worker(&ours);
    let log = nats.path("there.jsonl");
    let mut coordinator = arena(&SMALL, &log);
    coordinator.args(["--cluster", &url]).envs(ours);
    coordinator.current_dir(&nats.folder);
    let mut coordinator = Process::start(&mut coordinator);
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
    until("its words", || {
        worker.stderr().contains("works at tls://127.0.0.1")
    });
}

#[test]
fn a_worker_with_few_permissions_works_but_cannot_purge() {
    let users = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/nats-users.conf");
    let nats = Nats::start_with(|folder| {
        let text = std::fs::read_to_string(users).expect("it is there");
        let text = text.replace("$NATS_PASSWORD", PASSWORD);
        let config = folder.join("nats.conf");
        std::fs::write(&config, text.replace("$NATS_WORKER_PASSWORD", "other")).expect("room");
        vec!["--config".to_owned(), config.display().to_string()]
    });
    let Some(nats) = nats else {
        return;
    };
    let here = played_here(&nats, &SMALL);
    let of_worker = nats.url().replace("//", "//worker:other@");
    // The worker creates the streams, and fetches the match's task from the object store.
    let mut worker = super::support::worker(Path::new(TURNWISE), &of_worker, "one");
    until("its start", || worker.stderr().contains("one works at"));
    let log = nats.path("there.jsonl");
    let mut coordinator = arena(&SMALL, &log);
    let url = nats.url().replace("//", &format!("//turnwise:{PASSWORD}@"));
    let mut coordinator = Process::start(coordinator.args(["--cluster", &url]));
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
    for (url, may_purge) in [(&of_worker, false), (&url, true)] {
        let purged = Command::new(TURNWISE)
            .args(["cluster", "purge", url])
            .output();
        assert_eq!(purged.expect("it starts").status.success(), may_purge);
    }
}
