//! Whether the results of a match over many machines depend on who played them.
//!
//! If they do not, it makes no difference which worker is said to have played a pair. So the workers' names are
//! shuffled among the pairs of every two agents, again and again, and the share of shuffles in which the
//! workers' means lie at least as far apart as they do is the test's p-value. That needs no assumption about how
//! the points of a pair are spread.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use turnwise_arena::workers::WorkerRecord;
use turnwise_engine::statistics::Sample;
use turnwise_engine::words::counted;

use super::Match;
use super::standings::pairings;

/// So often names are shuffled; the smallest p-value is one in a thousand.
const SHUFFLES: u32 = 999;

/// Below this p-value results are said to depend on the worker.
const SIGNIFICANT: f64 = 0.01;

/// A worker's part of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct Part<'a> {
    /// The worker's name, as noted beside the log.
    pub worker: &'a str,
    /// Its speed when it began, in nodes a second of one job; 0 if it did not say.
    pub speed: f64,
    /// How long its pairs took, in seconds.
    pub seconds: Sample,
    /// By how many points its pairs lie above the mean of the same two agents' pairs, from the side of the one
    /// that is named first.
    pub above: Sample,
}

/// What a match says of its workers.
#[derive(Debug, Clone, PartialEq)]
pub struct Homogeneity<'a> {
    /// The workers by name.
    pub parts: Vec<Part<'a>>,
    /// How often workers would lie this far apart if results did not depend on them; none if there is nothing to
    /// compare.
    pub p: Option<f64>,
}

impl Homogeneity<'_> {
    /// What it comes to, in a sentence.
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

/// A pair's worker, by its place among the parts, and how many points it lies above the mean.
type Labelled = (usize, f64);

/// The workers of a match, and whether its results depend on them; none if it was played on one machine. Pairs of
/// which the worker is not known are left out.
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

/// The share of shuffles within the blocks in which workers lie at least as far apart as they do.
fn p_value(mut blocks: Vec<Vec<Labelled>>, workers: usize) -> Option<f64> {
    let apart = distance(&blocks, workers);
    let all = blocks.iter().flatten();
    // Where all pairs are alike there is nothing to shuffle.
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
        // Sums of the same numbers in another order may differ in the last digits.
        if distance(&blocks, workers) >= apart - 1e-9 * square {
            as_far += 1;
        }
    }
    Some(f64::from(as_far + 1) / f64::from(SHUFFLES + 1))
}

/// The sum of squares between workers.
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
        // As many below a half as above, and hardly any small ones.
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
