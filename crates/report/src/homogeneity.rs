//! Tests whether the results of a match over many machines depend on the workers.
//!
//! If results do not depend on workers, any worker can be assigned to any pair. The test therefore shuffles the
//! workers' names among the pairs of every two agents many times. Its p-value is the share of shuffles in which the
//! workers' means differ at least as much as in reality. This needs no assumption about the distribution of a pair's
//! points.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use turnwise_arena::workers::WorkerRecord;
use turnwise_engine::statistics::Sample;
use turnwise_engine::words::counted;

use super::Match;
use super::standings::pairings;

/// The number of shuffles. The smallest possible p-value is 0.001.
const SHUFFLES: u32 = 999;

/// The p-value below which results are reported to depend on the worker.
const SIGNIFICANT: f64 = 0.01;

/// One worker's part of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct Part<'a> {
    /// The worker's name, from the file beside the log.
    pub worker: &'a str,
    /// The worker's initial speed, in nodes a second for one job; 0 if unknown.
    pub speed: f64,
    /// The durations of the worker's pairs, in seconds.
    pub seconds: Sample,
    /// The excess of the worker's pairs over the mean of the two agents' pairs. It is in points for the first-named
    /// agent.
    pub above: Sample,
}

/// The comparison of a match's workers.
#[derive(Debug, Clone, PartialEq)]
pub struct Homogeneity<'a> {
    /// The workers by name.
    pub parts: Vec<Part<'a>>,
    /// The p-value of the differences between workers; `None` without enough data.
    pub p: Option<f64>,
}

impl Homogeneity<'_> {
    /// Summarizes the comparison in a sentence.
    pub fn verdict(&self) -> String {
        let workers = counted(self.parts.len(), "worker");
        match self.p {
            None => {
                format!("{workers}; too few pairs to tell whether results depend on the worker")
            }
            Some(p) if p < SIGNIFICANT => format!(
                "{workers}; RESULTS DEPEND ON THE WORKER (p = {p:.3}, names of workers shuffled)"
            ),
            Some(p) => format!(
                "{workers}; no sign that results depend on the worker (p = {p:.3}, names of workers shuffled)"
            ),
        }
    }
}

/// The index of a pair's worker, and the pair's distance above the mean in points.
type Labelled = (usize, f64);

/// Compares the workers of a match; `None` if it was played on one machine. Pairs with an unknown worker are ignored.
pub fn homogeneity(of: &Match) -> Option<Homogeneity<'_>> {
    let mut parts: BTreeMap<&str, Part> = BTreeMap::new();
    let mut blocks: Vec<Vec<(&WorkerRecord, f64)>> = Vec::new();
    for pairing in pairings(of) {
        let pairs = pairing.pairs.iter();
        let known = pairs.filter_map(|pair| Some((pair.worker?, pair.result.difference())));
        let mut known: Vec<_> = known.collect();
        let all: Sample = known.iter().map(|&(_, points)| points).collect();
        for (_, points) in &mut known {
            *points -= all.mean();
        }
        for &(record, above) in &known {
            let part = parts.entry(&record.worker).or_insert_with(|| Part {
                worker: &record.worker,
                speed: record.speed,
                seconds: Sample::default(),
                above: Sample::default(),
            });
            part.seconds.add(record.seconds);
            part.above.add(above);
        }
        blocks.push(known);
    }
    let places: BTreeMap<&str, usize> = parts.keys().copied().zip(0..).collect();
    let label = |(record, above): (&WorkerRecord, f64)| (places[&*record.worker], above);
    let blocks = blocks
        .into_iter()
        .map(|block| block.into_iter().map(label).collect());
    let p = p_value(blocks.collect(), parts.len());
    let parts: Vec<Part> = parts.into_values().collect();
    (!parts.is_empty()).then_some(Homogeneity { parts, p })
}

/// Returns the share of shuffles in which workers differ at least as much as observed.
fn p_value(mut blocks: Vec<Vec<Labelled>>, workers: usize) -> Option<f64> {
    let apart = distance(&blocks, workers);
    let all = blocks.iter().flatten();
    // If all pairs are equal, shuffling is pointless.
    let square: f64 = all.map(|&(_, above)| above * above).sum();
    if workers < 2 || square == 0.0 {
        return None;
    }
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut as_far = 0;
    for _ in 0..SHUFFLES {
        for block in &mut blocks {
            let mut names: Vec<usize> = block.iter().map(|&(worker, _)| worker).collect();
            names.shuffle(&mut chance);
            for ((worker, _), name) in block.iter_mut().zip(names) {
                *worker = name;
            }
        }
        // Sums of equal numbers in another order may differ in the last digits.
        if distance(&blocks, workers) >= apart - 1e-9 * square {
            as_far += 1;
        }
    }
    Some(f64::from(as_far + 1) / f64::from(SHUFFLES + 1))
}

/// Returns the sum of squares between workers.
fn distance(blocks: &[Vec<Labelled>], workers: usize) -> f64 {
    let mut sums = vec![(0.0, 0.0); workers];
    for &(worker, above) in blocks.iter().flatten() {
        sums[worker].0 += above;
        sums[worker].1 += 1.0;
    }
    sums.into_iter()
        .map(|(sum, count)| sum * sum / f64::max(count, 1.0))
        .sum()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    fn block(chance: &mut Xoshiro256PlusPlus, shift: f64) -> Vec<Labelled> {
        (0..120)
            .map(|pair| {
                let worker = pair % 3;
                let points = chance.random_range(-10.0..10.0);
                (worker, points + if worker == 0 { shift } else { 0.0 })
            })
            .collect()
    }

    #[test]
    fn p_values_are_small_only_where_a_worker_differs() {
        let mut chance = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut alike: Vec<f64> = (0..40)
            .map(|_| p_value(vec![block(&mut chance, 0.0)], 3).expect("points differ"))
            .collect();
        alike.sort_by(f64::total_cmp);
        // About half of the values lie below 0.5, and hardly any are small.
        assert!((0.3..0.7).contains(&alike[20]), "{alike:?}");
        assert!(alike[3] > 0.01, "{alike:?}");
        let apart = p_value(vec![block(&mut chance, 6.0), block(&mut chance, 6.0)], 3);
        assert_eq!(apart, Some(0.001));
    }

    #[test]
    fn of_pairs_that_are_all_alike_nobody_can_tell() {
        assert_eq!(p_value(vec![vec![(0, 0.0), (1, 0.0)]], 2), None);
        assert_eq!(p_value(vec![vec![(0, 1.0), (0, -1.0)]], 1), None);
    }
}
