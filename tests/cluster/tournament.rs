//! Tests tournaments that are played on many machines. Pairings depend on the results, but not on the machines.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::support::{Nats, by_pairs, tournament};
use super::{as_client, survive, units, work};

/// Writes the file of a class into a separate folder. Returns the paths of the class file and the log.
pub fn class(nats: &Nats, folder: &str, text: &str) -> (PathBuf, PathBuf) {
    let folder = nats.path(folder);
    fs::create_dir(&folder).expect("there is room");
    let file = folder.join("class.toml");
    fs::write(&file, text).expect("there is room");
    (file, folder.join("class.jsonl"))
}

/// Plays a tournament without a cluster, and returns each pair's number and its lines in the log.
fn played_here(nats: &Nats, text: &str) -> Vec<(u64, String)> {
    let (file, log) = class(nats, "here", text);
    let played = tournament(&file).output().expect("the program starts");
    assert!(played.status.success(), "{played:?}");
    by_pairs(&log)
}

fn report_of(log: &Path) -> String {
    let report = log.with_file_name("class-report").join("ranking.csv");
    fs::read_to_string(report).expect("a ranking")
}

/// Returns the text of a class file with six participants, of which three are slow.
///
/// Their games do not depend on the machine.
fn six(format: &str, size: u8, nodes: u64) -> String {
    let mut text = format!(
        "game = \"entropy\"\npairs = 3\nseed = 9\n[settings]\nsize = {size}\n[time]\nnodes = {nodes}\n\
         [format]\n{format}\n"
    );
    let agents = [
        "turnwise",
        "greedy",
        "turnwise:depth=2",
        "holes",
        "turnwise:depth=3",
        "random",
    ];
    for (number, agent) in agents.into_iter().enumerate() {
        text += &format!("[[participant]]\nname = \"p{number}\"\nagent = \"{agent}\"\n");
    }
    text
}

/// The class file of a knockout tournament that is so short that it takes only a moment.
pub static KNOCKOUT: LazyLock<String> = LazyLock::new(|| six("kind = \"knockout\"", 3, 50));

#[test]
fn a_swiss_is_the_same_whatever_dies() {
    let Some(mut nats) = Nats::start() else {
        return;
    };
    let text = six("kind = \"swiss\"\nrounds = 4", 6, 40_000);
    let here = played_here(&nats, &text);
    let (file, log) = class(&nats, "there", &text);
    let coordinator = nats.tournament(&file);
    survive(&mut nats, "WCSWC", &log, coordinator, |nats| {
        nats.tournament(&file)
    });
    assert_eq!(by_pairs(&log), here);
    let ranking_here = report_of(&nats.path("here/class.jsonl"));
    assert_eq!(report_of(&log), ranking_here);
}

#[test]
fn tables_of_more_than_two_are_the_same_whatever_dies() {
    let Some(mut nats) = Nats::start() else {
        return;
    };
    let mut text =
        "game = \"twentyone\"\npairs = 6\nseed = 9\n[settings]\nseats = 4\nrounds = 40\n\
         [time]\nnodes = 50\n[format]\nkind = \"tables\"\nrounds = 3\n"
            .to_owned();
    for agent in ["basic", "random", "naive", "counter", "timid", "turnwise"] {
        text += &format!("[[participant]]\nname = \"the {agent} one\"\nagent = \"{agent}\"\n");
    }
    let here = played_here(&nats, &text);
    let (file, log) = class(&nats, "there", &text);
    let coordinator = nats.tournament(&file);
    survive(&mut nats, "WCS", &log, coordinator, |nats| {
        nats.tournament(&file)
    });
    assert_eq!(by_pairs(&log), here);
    let ranking_here = report_of(&nats.path("here/class.jsonl"));
    assert_eq!(report_of(&log), ranking_here);
}

#[test]
fn a_unit_of_a_thousand_participants_is_as_small_as_any() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let mut text = "game = \"entropy\"\nseed = 9\n[settings]\nsize = 2\n[time]\nnodes = 5\n\
         [format]\nkind = \"swiss\"\nrounds = 1\n"
        .to_owned();
    for number in 0..1000 {
        text += &format!("[[participant]]\nname = \"participant-{number}\"\nagent = \"random\"\n");
    }
    let here = played_here(&nats, &text);
    let (file, log) = class(&nats, "there", &text);
    let mut coordinator = nats.tournament(&file);
    as_client(&nats, async |context| {
        let run = units(&context, 500).await.cached_info().name.clone();
        let stream = context
            .get_stream("turnwise-units")
            .await
            .expect("it is there");
        let largest = async |from: u64| {
            let unit = stream.get_raw_message(from).await.expect("a unit");
            unit.payload.len()
        };
        let first = stream.cached_info().state.first_sequence;
        for sequence in [first, first + 499] {
            let bytes = largest(sequence).await;
            assert!(bytes < 250, "{bytes} bytes");
        }
        let files = context.get_object_store(format!("turnwise-files-{run}"));
        let files = files.await.expect("what comes with the run");
        let mut files = files.list().await.expect("a list");
        let task = futures_util::StreamExt::next(&mut files).await;
        let task = task.expect("the task").expect("it can be read");
        assert!(task.size > 40_000, "{} bytes", task.size);
    });
    let _worker = work(&nats, "one");
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
}

#[test]
fn a_knockout_is_drawn_as_its_results_come() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let here = played_here(&nats, &KNOCKOUT);
    let (file, log) = class(&nats, "there", &KNOCKOUT);
    let _workers = ["one", "two"].map(|name| work(&nats, name));
    let mut coordinator = nats.tournament(&file);
    assert!(coordinator.ended(), "{}", coordinator.stderr());
    assert_eq!(by_pairs(&log), here);
    // No games remain to be played, neither with a cluster nor without.
    assert!(nats.tournament(&file).ended());
    assert!(tournament(&file).status().expect("it starts").success());
    assert_eq!(by_pairs(&log), here);
}
