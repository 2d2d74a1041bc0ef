//! Tests the training of weights.
//!
//! The weights that result from a training plan must not depend on how the plan is executed. A fit must recover the
//! true values.

use std::path::Path;
use std::sync::Arc;

use crate::support::turnwise;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::game::Game;
use turnwise_entropy::blocks::Blocks;
use turnwise_entropy::crossings::Crossings;
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::evaluation::{self, GamePhase, number_of_line_ids, number_of_values};
use turnwise_entropy::gaps::Gaps;
use turnwise_entropy::rules::{Cell, Move, Position, Rules};
use turnwise_entropy::train::fit::Fit;
use turnwise_entropy::train::self_play::{Sample, SelfPlay};
use turnwise_entropy::train::{Plan, Training, checkpoint};
use turnwise_entropy::weights::{About, FORMAT, Weights, best_known, released};

const PLAN: Plan = Plan {
    seed: 5,
    games: 6,
    window: 2,
    self_play: SelfPlay {
        size: 4,
        depth: 3,
        lambda: 0.5,
        exploration: 0.1,
        siblings: 1,
    },
    fit: Fit {
        first_knot: 9,
        knot_distance: 5,
        prior_samples: 3.0,
        blocks: false,
    },
};

fn always(_game: u64) -> bool {
    true
}

#[test]
fn the_number_of_threads_and_an_interruption_change_nothing() {
    let mut straight = Training::new(PLAN, None);
    for _ in 0..4 {
        straight.generation(1, &always).expect("played to its end");
    }
    let mut interrupted = Training::new(PLAN, None);
    for generation in 1..=4 {
        assert!(interrupted.generation(3, &|game| game < 4).is_none());
        let report = interrupted
            .generation(3, &always)
            .expect("played to its end");
        assert_eq!(report.generation, generation);
        let bytes = checkpoint::to_bytes(&interrupted);
        interrupted = checkpoint::from_bytes(&bytes).expect("just written");
    }
    assert_eq!(straight.values, interrupted.values);
    assert_eq!(
        checkpoint::to_bytes(&straight),
        checkpoint::to_bytes(&interrupted)
    );
}

#[test]
fn generations_with_blocks_are_those_of_a_training_that_begins_with_the_weights_so_far() {
    let mut training = Training::new(PLAN, None);
    for _ in 0..2 {
        training.generation(2, &always).expect("played to its end");
    }
    let mut with_blocks = training.with_blocks(9);
    let report = with_blocks
        .generation(2, &always)
        .expect("played to its end");
    let start = training.played_by().expect("weights");
    let plan = Plan {
        games: 9,
        window: 2,
        fit: Fit {
            blocks: true,
            ..PLAN.fit
        },
        ..PLAN
    };
    let mut anew = Training::new(plan, Some(start));
    anew.generation(2, &always).expect("played to its end");
    assert_eq!(with_blocks.values, anew.values);
    assert_ne!(with_blocks.values, training.values);
    // The samples come from nine games of 16 tiles, without positions of earlier games.
    assert!((9 * 30..9 * 62).contains(&report.samples), "{report:?}");
}

#[test]
fn values_of_blocks_and_gaps_are_learned_besides_those_of_lines_and_can_be_kept() {
    for size in [5u8, 7] {
        let plan = Plan {
            games: 3,
            self_play: SelfPlay {
                size,
                depth: 1,
                ..PLAN.self_play
            },
            ..PLAN
        };
        let training = Training::new(plan, None);
        let mut with_blocks = training.with_blocks(4);
        with_blocks
            .generation(2, &always)
            .expect("played to its end");
        let blocks = Blocks::whole_and_split(size).or(Blocks::whole(size));
        let blocks = blocks.expect("a size with blocks").count();
        let gaps = Gaps::shared(size).map_or(0, |gaps| gaps.count());
        assert_eq!(gaps > 0, size == 7);
        let tables = 2 * (usize::from(size) * usize::from(size) + 1);
        let of_lines = number_of_values(size);
        let others = &with_blocks.values[of_lines..];
        assert_eq!(others.len(), tables * (blocks + gaps));
        let differ = |from: usize, to: usize| {
            let mut tables = others.chunks_exact(blocks + gaps);
            tables.any(|table| table[from..to].iter().any(|&value| value != 0))
        };
        let whole = Blocks::whole(size).expect("a size with blocks").count();
        assert!(differ(0, whole));
        assert_eq!(differ(whole, blocks), size == 7);
        // The tables alternate: one for positions before the draw, then one for positions before the slide.
        let mut before_slide = others.chunks_exact(blocks + gaps).skip(1).step_by(2);
        assert!(before_slide.all(|table| table[whole..].iter().all(|&value| value == 0)));
        assert_eq!(differ(blocks, blocks + gaps), gaps > 0);
        let bytes = checkpoint::to_bytes(&with_blocks);
        let mut again = checkpoint::from_bytes(&bytes).expect("just written");
        assert_eq!(checkpoint::to_bytes(&again), bytes);
        // The next games use these values.
        let [report, expected] = [&mut again, &mut with_blocks].map(|training| {
            let report = training.generation(1, &always).expect("played to its end");
            (report.mean_score, training.values.clone())
        });
        assert_eq!(report, expected);
    }
}

/// Returns positions on 3 x 3 boards whose targets are the sums of the true line values, plus a point for each tile.
fn positions(truth: &[f32], count: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Sample> {
    let position = || {
        let tiles = random.random_range(0..9);
        let lines: Vec<u16> = (0..6)
            .map(|_| random.random_range(0..truth.len() as u16))
            .collect();
        let sum: f32 = lines.iter().map(|&line| truth[usize::from(line)]).sum();
        Sample {
            tiles,
            game_phase: GamePhase::ALL[random.random_range(0..2)],
            lines,
            local: Vec::new(),
            target: sum + f32::from(tiles),
        }
    };
    std::iter::repeat_with(position).take(count).collect()
}

/// Returns random line values for 3 x 3 boards.
fn some_values(random: &mut Xoshiro256PlusPlus) -> Vec<f32> {
    (0..number_of_line_ids(3))
        .map(|_| random.random_range(-5.0..5.0))
        .collect()
}

fn fitted(first_knot: u16, samples: &[Sample]) -> (evaluation::Evaluation, f64) {
    let fit = Fit {
        first_knot,
        knot_distance: 3,
        prior_samples: 0.01,
        blocks: false,
    };
    let samples: Vec<&Sample> = samples.iter().collect();
    let fitted = fit.values(&samples, &evaluation::by_holes(3));
    let evaluation = evaluation::Evaluation::learned("fitted", 3, fitted.values);
    (evaluation, fitted.mean_squared_error)
}

fn value_of(evaluation: &evaluation::Evaluation, sample: &Sample) -> f32 {
    let table = evaluation.table(sample.tiles, sample.game_phase);
    let values = sample
        .lines
        .iter()
        .map(|&line| i32::from(table[usize::from(line)]));
    values.sum::<i32>() as f32 / 100.0
}

#[test]
fn a_fit_finds_the_values_that_made_the_targets() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let truth = some_values(&mut random);
    let seen = positions(&truth, 5000, &mut random);
    let unseen = positions(&truth, 500, &mut random);
    // The fit is exact from the first knot on. It is also exact before the first knot, because the true values do
    // not change there.
    for first_knot in [0, 2, 5] {
        let (evaluation, error) = fitted(first_knot, &seen);
        assert!(error < 1e-3, "{error}");
        for sample in &unseen {
            let value = value_of(&evaluation, sample);
            let target = sample.target;
            assert!((value - target).abs() < 0.1, "{value} for {target}");
        }
    }
}

#[test]
fn a_fit_finds_the_values_of_blocks_that_made_the_targets() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let blocks = Blocks::whole(5).expect("a size with blocks");
    let truth: Vec<f32> = (0..blocks.count())
        .map(|_| random.random_range(-1.0..1.0))
        .collect();
    let mut positions = |count: usize| {
        let position = || {
            let blocks: Vec<u16> = (0..blocks.number())
                .map(|_| random.random_range(0..truth.len() as u16))
                .collect();
            Sample {
                tiles: random.random_range(10..25),
                game_phase: GamePhase::ALL[random.random_range(0..2)],
                lines: vec![0; 10],
                target: blocks.iter().map(|&block| truth[usize::from(block)]).sum(),
                local: blocks,
            }
        };
        let positions = std::iter::repeat_with(position).take(count);
        positions.collect::<Vec<Sample>>()
    };
    let (seen, unseen) = (positions(5_000), positions(200));
    let fit = Fit {
        first_knot: 15,
        knot_distance: 10,
        prior_samples: 0.01,
        blocks: true,
    };
    let samples: Vec<&Sample> = seen.iter().collect();
    let fitted = fit.values(&samples, &evaluation::by_holes(5));
    assert!(fitted.mean_squared_error < 1e-3, "{fitted:?}");
    let evaluation = evaluation::Evaluation::of_all_values("fitted", 5, fitted.values);
    for sample in &unseen {
        let (_, table) = (evaluation.blocks(sample.tiles, sample.game_phase)).expect("values");
        let of_blocks = sample
            .local
            .iter()
            .map(|&id| i32::from(table[usize::from(id)]));
        let value = of_blocks.sum::<i32>() as f32 / 100.0 + value_of(&evaluation, sample);
        let target = sample.target;
        assert!((value - target).abs() < 0.2, "{value} for {target}");
    }
}

#[test]
fn before_the_first_knot_only_the_level_is_learned() {
    const FIRST_KNOT: u16 = 5;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let truth = some_values(&mut random);
    let mut samples = positions(&truth, 5000, &mut random);
    for sample in samples
        .iter_mut()
        .filter(|sample| sample.tiles < FIRST_KNOT)
    {
        // Add noise with a mean of 20 points to the target.
        sample.target += random.random_range(0.0..40.0);
    }
    let (evaluation, _) = fitted(FIRST_KNOT, &samples);
    for tiles in 0..FIRST_KNOT {
        for game_phase in GamePhase::ALL {
            let there = evaluation.table(FIRST_KNOT, game_phase);
            let here = evaluation.table(tiles, game_phase);
            let level = here[0] - there[0];
            // Each value is rounded to hundredths of a point.
            let differs = |(here, there): (&i16, &i16)| (here - there - level).abs() > 1;
            assert!(!here.iter().zip(there).any(differs));
            let of_these =
                |sample: &&Sample| sample.tiles == tiles && sample.game_phase == game_phase;
            let missed: Vec<f32> = (samples.iter().filter(of_these))
                .map(|sample| sample.target - value_of(&evaluation, sample))
                .collect();
            let mean = missed.iter().sum::<f32>() / missed.len() as f32;
            assert!(mean.abs() < 0.1, "{mean} with {tiles} tiles");
        }
    }
}

#[test]
fn weights_survive_being_written_and_damage_is_named() {
    let values: Vec<i16> = (0..number_of_values(3)).map(|at| at as i16 - 100).collect();
    let weights = Weights {
        about: About {
            format: FORMAT,
            name: "mine".to_owned(),
            size: 3,
            command: "turnwise entropy train --size 3".to_owned(),
            games: 12,
        },
        forecast: None,
        values,
    };
    let bytes = weights.to_bytes();
    let again = Weights::from_bytes(&bytes).expect("just written");
    assert_eq!((again.about, again.values), (weights.about, weights.values));
    for (damaged, part) in [
        (&bytes[..10], "got no line end"),
        (&bytes[..bytes.len() - 1], "bytes of values for 3 rows"),
        (b"{}\n", "missing field"),
        (
            br#"{"format":9,"name":"","size":3,"command":"","games":0}
"#,
            "format 1 or 2, got 9",
        ),
        (
            br#"{"format":2,"name":"","size":8,"command":"","games":0}
"#,
            "2 to 7 rows, got 8",
        ),
    ] {
        let error = Weights::from_bytes(damaged).expect_err(part).to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// Returns the value, according to these weights, of a board with one tile on this cell, before Order's slide.
fn with_one_tile(weights: Weights, cell: Cell) -> f32 {
    let rules = Rules {
        size: weights.about.size,
        pass: false,
    };
    let mut position = Position::new(rules);
    position.make(Move::Draw(1));
    position.make(Move::Place(cell));
    Evaluated::new(position, Arc::new(weights.into_evaluation())).evaluate()
}

#[test]
fn lines_of_five_rows_are_worth_what_their_distance_from_the_edge_says() {
    // Each line at the edge is worth a point, each line next to an edge line ten points, and each line in the middle a
    // hundred.
    let a_distance = number_of_line_ids(5) / 3;
    let table = [100, 1_000, 10_000].map(|value: i16| vec![value; a_distance]);
    let mut weights = Weights {
        values: table.concat().repeat(2 * 26),
        ..released(5).expect("released for this size")
    };
    let all_lines = 4.0 + 40.0 + 200.0;
    assert_eq!(with_one_tile(weights.clone(), 12), all_lines);
    // From here on, lines with this tile are worth nothing.
    let one_tile = evaluation::by_holes(5)
        .patterns()
        .expect("short")
        .lines()
        .iter()
        .map(|line| line.iter().filter(|&&colour| colour != 0).count() == 1)
        .collect::<Vec<_>>();
    for (value, _) in (weights.values.iter_mut().zip(one_tile.iter().cycle())).filter(|it| *it.1) {
        *value = 0;
    }
    for (cell, lost) in [
        (0, 2.0),
        (1, 11.0),
        (2, 101.0),
        (6, 20.0),
        (13, 110.0),
        (12, 200.0),
    ] {
        let value = with_one_tile(weights.clone(), cell);
        assert_eq!(value, all_lines - lost, "cell {cell}");
    }
}

#[test]
fn weights_of_the_first_format_are_the_same_at_every_distance_from_the_edge() {
    let head = br#"{"format":1,"name":"","size":5,"command":"","games":0}"#;
    let patterns = number_of_line_ids(5) / 3;
    let values = (0..2 * 26 * patterns).map(|at| at as i16);
    let values: Vec<u8> = values.flat_map(i16::to_le_bytes).collect();
    let bytes = [&head[..], b"\n", &values].concat();
    let weights = Weights::from_bytes(&bytes).expect("weights of the first format");
    assert_eq!(weights.about.format, FORMAT);
    for (number, value) in weights.values.iter().enumerate() {
        let (table, pattern) = (number / (3 * patterns), number % patterns);
        assert_eq!(
            *value,
            (table * patterns + pattern) as i16,
            "value {number}"
        );
    }
    let again = Weights::from_bytes(&weights.to_bytes()).expect("just written");
    assert_eq!(again.values, weights.values);
    assert!(Weights::from_bytes(&bytes[..bytes.len() - 2]).is_err());
}

/// Returns the released weights for a board size, changed so that only patterns other than lines have a value.
///
/// Lines have the value 0, and `others` other patterns have the value `value`. The values do not depend on the number
/// of tiles or the phase.
fn of_others_alone(size: u8, others: usize, value: i16) -> Weights {
    let tables = 2 * (usize::from(size) * usize::from(size) + 1);
    let mut values = vec![0; number_of_values(size)];
    values.resize(values.len() + tables * others, value);
    Weights {
        values,
        ..released(size).expect("released for this size")
    }
}

/// Returns the value of a board with one tile, according to the weights of [`of_others_alone`].
///
/// The weights are first written and read again.
fn worth_of_others(size: u8, others: usize, value: i16) -> f32 {
    let weights = of_others_alone(size, others, value);
    let again = Weights::from_bytes(&weights.to_bytes()).expect("just written");
    assert_eq!(again.values, weights.values);
    with_one_tile(again, 5)
}

#[test]
fn weights_with_values_of_crossings_keep_them_and_are_judged_by_them() {
    let numbers = Crossings::shared(4).expect("a size with crossings");
    let worth = |value: i16| worth_of_others(4, numbers.count(), value);
    // On this board, every cell is a crossing.
    assert_eq!([worth(0), worth(50)], [0.0, 8.0]);
    let bytes = of_others_alone(4, numbers.count(), 0).to_bytes();
    let error = Weights::from_bytes(&bytes[..bytes.len() - 2]).expect_err("too short");
    assert!(
        error.to_string().contains("bytes of values for 4 rows"),
        "{error}"
    );
}

#[test]
fn weights_with_values_of_blocks_keep_them_and_are_judged_by_them() {
    let blocks = Blocks::whole(6).expect("a size with blocks");
    let worth = |value: i16| worth_of_others(6, blocks.count(), value);
    // The board has four by five horizontal blocks and as many vertical blocks.
    assert_eq!([worth(0), worth(50)], [0.0, 20.0]);
}

#[test]
fn released_weights_are_whole_and_small_and_others_play_by_holes() {
    for size in [3, 4, 5, 6, 7] {
        let weights = released(size).expect("released for this size");
        assert_eq!(weights.about.size, size);
        assert!(weights.to_bytes().len() < 4 << 20);
        assert_eq!(best_known(size).size(), size);
    }
    for size in [2, 8, 26] {
        assert!(released(size).is_none());
        assert_eq!(best_known(size).size(), size);
    }
}

#[test]
fn a_solution_to_learn_from_is_of_four_rows_at_most_and_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let [out, solution] = ["out", "solution"].map(|name| folder.path().join(name));
    std::fs::write(&solution, "nothing of the kind\n").expect("there is room");
    let learn = |more: &[&str]| {
        let output = turnwise(&["entropy", "train", "--out"])
            .arg(&out)
            .arg("--solution")
            .arg(&solution)
            .args(more)
            .output()
            .expect("it starts");
        assert!(!output.status.success() && !out.exists());
        String::from_utf8(output.stderr).expect("text")
    };
    for (more, part) in [
        (
            &["--size", "5"][..],
            "solutions exist for at most 4 rows, not for 5",
        ),
        (&["--size", "4"], "no solution for these rules"),
        (&["--size", "4", "--depth", "3"], "cannot be used with"),
    ] {
        let error = learn(more);
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_is_learned_from_a_solution_is_the_same_bytes_again_whatever_the_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &[&str], into: &str| {
        let into = folder.path().join(into);
        std::fs::create_dir_all(&into).expect("there is room");
        let output = turnwise(words).current_dir(into).output();
        let output = output.expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
    };
    run(
        &["entropy", "solve", "--size", "3", "--out", "three.solution"],
        "",
    );
    let learn = |jobs: &str, into: &str| {
        let words = [
            "entropy",
            "train",
            "--size",
            "3",
            "--solution",
            "../three.solution",
            "--games",
            "30",
            "--jobs",
            jobs,
            "--name",
            "exact",
            "--out",
            "3.weights",
        ];
        run(&words, into);
        std::fs::read(folder.path().join(into).join("3.weights")).expect("weights")
    };
    let first = learn("1", "first");
    assert_eq!(first, learn("1", "again"));
    let read = |bytes: &[u8]| Weights::from_bytes(bytes).expect("just written");
    let weights = read(&first);
    assert_eq!(weights.values, read(&learn("3", "threads")).values);
    assert_eq!((weights.about.games, weights.about.size), (30, 3));
    let evaluation = weights.into_evaluation();
    for game_phase in GamePhase::ALL {
        let learned = evaluation.table(1, game_phase);
        assert!(learned.iter().any(|&value| value != 0));
        assert_eq!(evaluation.table(0, game_phase), learned);
        assert_ne!(evaluation.table(2, game_phase), learned);
    }
}

fn train(out: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    train_on("3", out, more)
}

fn train_on(size: &str, out: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let output = turnwise(&[
        "entropy", "train", "--size", size, "--games", "4", "--depth", "1", "--out",
    ])
    .arg(out)
    .args(more)
    .output()
    .expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn generations_with_blocks_follow_and_go_on_where_they_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let [straight, stopped] = ["straight", "stopped"].map(|name| folder.path().join(name));
    let train_with_blocks = |out: &Path, [lines, blocks]: [&str; 2], more: &[&str]| {
        let words = ["--generations", lines, "--name", "mine"];
        let of_blocks = ["--block-games", "3", "--block-generations", blocks];
        train_on("5", out, &[&words[..], &of_blocks, more].concat())
    };
    let read = |path: &Path| {
        let bytes = std::fs::read(path).expect("weights");
        Weights::from_bytes(&bytes).expect("just written")
    };
    let (code, stdout, stderr) = train_with_blocks(&straight, ["2", "2"], &[]);
    assert_eq!(code, Some(0), "{stderr}");
    let line = "generation 2 of 2 with blocks: mean score";
    assert!(stdout.contains(line), "{stdout}");

    train_with_blocks(&stopped, ["2", "0"], &[]);
    let of_lines = read(&stopped);
    assert_eq!(of_lines.values.len(), number_of_values(5));
    train_with_blocks(&stopped, ["2", "1"], &[]);
    let (code, stdout, stderr) = train_with_blocks(&stopped, ["2", "2"], &["--jobs", "2"]);
    assert_eq!(code, Some(0), "{stderr}");
    let going_on = "continuing after generation 1 with blocks";
    assert!(stderr.contains(going_on), "{stderr}");
    assert!(
        stdout.contains(line) && !stdout.contains("1 of 2"),
        "{stdout}"
    );
    let [one, other] = [&straight, &stopped].map(|path| read(path));
    assert_eq!(one.values, other.values);
    assert_eq!(one.about.games, 2 * 4 + 2 * 3);
    assert!(one.values.len() > number_of_values(5));

    // The training is already complete, so running it again changes nothing.
    let (code, stdout, _) = train_with_blocks(&stopped, ["2", "2"], &[]);
    assert_eq!(code, Some(0));
    assert!(!stdout.contains("mean score"), "{stdout}");
    assert_eq!(read(&stopped).values, other.values);

    // If the weights are lost, they are written again.
    std::fs::remove_file(&stopped).expect("there");
    let (code, _, stderr) = train_with_blocks(&stopped, ["2", "2"], &["--jobs", "2"]);
    assert_eq!(code, Some(0), "{stderr}");
    let again = read(&stopped);
    assert_eq!(again.about, other.about);
    assert!(again.values == other.values, "values of blocks are missing");

    // If the training began with other values, it starts anew.
    let (code, stdout, stderr) = train_with_blocks(&stopped, ["3", "1"], &[]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("starting again"), "{stderr}");
    assert!(stdout.contains("generation 1 of 1 with blocks"), "{stdout}");

    let three = folder.path().join("three");
    let (code, _, stderr) = train(&three, &["--block-generations", "1"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("on 5 to 7 rows, not on 3"), "{stderr}");
    let (code, _, stderr) = train(&three, &["--generations", "0"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("leaves nothing to learn"), "{stderr}");
}

#[test]
fn generations_with_blocks_follow_by_default_where_blocks_are_numbered() {
    let folder = tempfile::tempdir().expect("a folder");
    for (size, follow) in [("4", false), ("5", true), ("6", true), ("7", true)] {
        let words = ["--generations", "1", "--block-games", "1"];
        let (code, stdout, stderr) = train_on(size, &folder.path().join(size), &words);
        assert_eq!(code, Some(0), "{stderr}");
        let last = "generation 8 of 8 with blocks: mean score";
        assert_eq!(stdout.contains(last), follow, "on {size} rows: {stdout}");
    }
}

#[test]
fn the_command_goes_on_where_it_stopped_and_its_weights_can_be_played_by() {
    let folder = tempfile::tempdir().expect("a folder");
    let [straight, stopped] = ["straight", "stopped"].map(|name| folder.path().join(name));
    let (code, stdout, stderr) = train(&straight, &["--generations", "3", "--name", "mine"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("generation 3 of 3: mean score"), "{stdout}");

    train(&stopped, &["--generations", "1"]);
    let (code, _, stderr) = train(
        &stopped,
        &["--generations", "3", "--jobs", "2", "--name", "mine"],
    );
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("continuing after generation 1"), "{stderr}");
    let read = |path: &Path| {
        let bytes = std::fs::read(path).expect("weights");
        Weights::from_bytes(&bytes).expect("just written")
    };
    let (one, other) = (read(&straight), read(&stopped));
    assert_eq!(one.values, other.values);
    assert_eq!((one.about.games, one.about.name.as_str()), (12, "mine"));
    assert!(
        one.about
            .command
            .starts_with("turnwise entropy train --size 3")
    );

    let start = straight.to_str().expect("a name");
    for other in [["--lambda", "0.7"], ["--start", start]] {
        let (code, _, stderr) = train(&stopped, &[&["--generations", "3"], &other[..]].concat());
        assert_eq!(code, Some(1), "{other:?}");
        assert!(
            stderr.contains("a training with other settings"),
            "{stderr}"
        );
    }

    let agent = format!("turnwise:weights={}", straight.display());
    let log = folder.path().join("log");
    let arena = |size: &str| {
        turnwise(&[
            "arena", &agent, "random", "--nodes", "50", "--pairs", "1", "--size", size,
        ])
        .arg("--log")
        .arg(&log)
        .output()
        .expect("it starts")
    };
    assert!(arena("3").status.success());
    let lines = std::fs::read_to_string(&log).expect("a log");
    assert!(lines.contains(r#""weights":"mine""#), "{lines}");
    std::fs::remove_file(&log).expect("there");
    let (code, _, stderr) = train(folder.path(), &[]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("it is a folder"), "{stderr}");

    let output = arena("4");
    let refused = String::from_utf8_lossy(&output.stderr);
    assert!(
        refused.contains("expected weights for 4 rows, got 3"),
        "{refused}"
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(!log.exists());
}
