//! Measures how the MasterChef solver's time and nodes grow with the size of the pool, for each family of pools.
//!
//! For comparison, each run also measures literal alpha-beta and a search that stores all positions. The program
//! prints the tables of docs/reference/masterchef.md and draws the chart on that page. Run it with
//! `cargo run --release --example masterchef_growth -- docs/pictures/masterchef-growth.svg`.

#[path = "../crates/masterchef/tests/masterchef/support.rs"]
mod masterchef_support;

use std::error::Error;
use std::ops::ControlFlow;

use masterchef_support::{Family, by_memory};
use plotters::prelude::*;
use rustix::time::{ClockId, clock_gettime};
use turnwise_masterchef::answer::{Answer, Control};
use turnwise_masterchef::literal::{self, Algorithm};
use turnwise_masterchef::rules::Draft;
use turnwise_masterchef::solver;

const SIZES: [usize; 10] = [12, 16, 20, 30, 40, 60, 80, 100, 300, 1000];
const SEEDS: u64 = 7;

/// The pool sizes on which the other engines are measured. The constant below gives the seconds until they are stopped.
const COMPARED: [usize; 3] = [12, 16, 20];
const PATIENCE: f64 = 5.0;

struct Run {
    seconds: f64,
    nodes: u64,
    proven: bool,
    answer: (usize, Option<i64>),
}

/// Returns the CPU time that this process has used, in seconds. Other processes on the machine do not affect it.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn timed(draft: &Draft, engine: impl Fn(&Draft, &mut Control) -> Answer, patience: f64) -> Run {
    let start = cpu_seconds();
    let mut control = |_: &_| {
        if cpu_seconds() - start > patience {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let answer = engine(draft, &mut control);
    Run {
        seconds: cpu_seconds() - start,
        nodes: answer.nodes,
        proven: answer.proven,
        answer: (answer.pick, answer.value),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let chart = std::env::args()
        .nth(1)
        .ok_or("usage: masterchef_growth CHART.svg")?;
    println!(
        "Solver, no pick made yet, worst of {SEEDS} seeds (seconds of CPU; thousands of nodes in brackets):\n"
    );
    println!(
        "| family | {} |",
        SIZES.map(|size| size.to_string()).join(" | ")
    );
    println!("|---|{}", "---|".repeat(SIZES.len()));
    let mut curves = Vec::new();
    for family in Family::ALL {
        let mut curve = Vec::new();
        let mut cells = Vec::new();
        for size in SIZES {
            let runs =
                (1..=SEEDS).map(|seed| timed(&family.draft(size, 0, seed), solver::solve, 170.0));
            let worst = runs
                .max_by(|one, two| one.seconds.total_cmp(&two.seconds))
                .ok_or("no seeds")?;
            assert!(
                worst.proven,
                "{} of {size} took longer than the time limit",
                family.name()
            );
            cells.push(format!(
                "{:.3} ({})",
                worst.seconds,
                worst.nodes.div_ceil(1000)
            ));
            curve.push((size as f64, worst.seconds));
        }
        println!("| {} | {} |", family.name(), cells.join(" | "));
        curves.push((family, curve));
    }
    println!(
        "\nPeak memory of all that: {}\n",
        peak_memory().unwrap_or("unknown on this system".to_owned())
    );
    draw(&chart, &curves)?;
    compare();
    Ok(())
}

/// Returns the process's largest resident size so far, as Linux reports it.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .map(|size| size.trim().to_owned())
}

fn compare() {
    let alpha_beta = |draft: &Draft, control: &mut Control| {
        literal::search(draft, Algorithm::AlphaBeta, control)
    };
    println!(
        "Times the solver's, no pick made yet, seed 1 (given up after {PATIENCE} s of CPU):\n"
    );
    println!("| family | free | solver | plain memory | alpha-beta |");
    println!("|---|---|---|---|---|");
    for family in Family::ALL {
        let mut given_up = [false; 2];
        for size in COMPARED {
            let draft = family.draft(size, 0, 1);
            let solved = timed(&draft, solver::solve, 170.0);
            let mut cell = |number: usize, engine: &dyn Fn(&Draft, &mut Control) -> Answer| {
                if given_up[number] {
                    return "not tried".to_owned();
                }
                let run = timed(&draft, engine, PATIENCE);
                assert!(
                    !run.proven || run.answer == solved.answer,
                    "the engines disagree on {} of {size}",
                    family.name()
                );
                given_up[number] = !run.proven;
                let ratio = run.seconds / solved.seconds;
                if run.proven {
                    format!("× {ratio:.0}")
                } else {
                    format!("over × {ratio:.0}")
                }
            };
            let cells = [cell(0, &by_memory), cell(1, &alpha_beta)];
            println!(
                "| {} | {size} | {:.4} s | {} |",
                family.name(),
                solved.seconds,
                cells.join(" | ")
            );
        }
    }
}

fn draw(path: &str, curves: &[(Family, Vec<(f64, f64)>)]) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(path, (800, 520)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(
            "MasterChef solver: first of ten picks, worst of 7 seeds",
            ("sans-serif", 18),
        )
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d((10.0..1200.0).log_scale(), (0.0001..100.0).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("free contestants")
        .y_desc("seconds of CPU")
        .x_label_formatter(&|size| format!("{size:.0}"))
        .y_label_formatter(&|seconds| format!("{seconds}"))
        .draw()?;
    for (number, (family, curve)) in curves.iter().enumerate() {
        let color = Palette99::pick(number).to_rgba();
        chart
            .draw_series(LineSeries::new(
                curve.iter().copied(),
                color.stroke_width(2),
            ))?
            .label(family.name())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
        chart.draw_series(
            curve
                .iter()
                .map(|&point| Circle::new(point, 3, color.filled())),
        )?;
    }
    let targets = [(20.0, 0.1), (30.0, 0.5), (60.0, 5.0), (100.0, 30.0)];
    chart
        .draw_series(targets.map(|target| Cross::new(target, 6, BLACK.stroke_width(2))))?
        .label("target")
        .legend(|(x, y)| Cross::new((x + 9, y), 5, BLACK.stroke_width(2)));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}
