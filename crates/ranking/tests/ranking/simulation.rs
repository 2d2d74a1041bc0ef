use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_ranking::crosstable::{Crosstable, Pair};
use turnwise_ranking::pairing::{Format, Meeting, due};
use turnwise_ranking::ratings::Ratings;
use turnwise_ranking::{bradley_terry, points};

pub struct World {
    pub random: Xoshiro256PlusPlus,
    pub elo: Vec<f64>,
    pub draws: f64,
    pub alike: f64,
    pub by_points: bool,
}

fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}
impl World {
    fn game(&mut self, p: f64) -> f64 {
        let draw = self.draws * 2.0 * p * (1.0 - p);
        let drawn: f64 = self.random.random();
        if drawn < p - draw / 2.0 {
            1.0
        } else if drawn < p + draw / 2.0 {
            0.5
        } else {
            0.0
        }
    }
    fn pair(&mut self, first: usize, second: usize) -> Pair {
        let p = 1.0 / (1.0 + 10f64.powf((self.elo[second] - self.elo[first]) / 400.0));
        let one = self.game(p);
        let two = if self.random.random::<f64>() < self.alike {
            one
        } else {
            self.game(p)
        };
        let noise = normal(&mut self.random) * 20.0;
        let points = (self.elo[first] - self.elo[second]) / 10.0 + noise.round();
        let category = if self.by_points {
            if points > 0.0 { 4 } else { 0 }
        } else {
            (2.0 * (one + two)) as usize
        };
        Pair {
            first,
            second,
            category,
            points,
        }
    }
    fn play(&mut self, format: Format, pairs: usize) -> Vec<Pair> {
        let n = self.elo.len();
        let mut meetings: Vec<Meeting> = Vec::new();
        let mut all = Vec::new();
        loop {
            let due = due(&format, &vec![false; n], &meetings);
            if due.is_empty() {
                return all;
            }
            for pairing in due {
                let mut score = 0.0;
                if let Some(second) = pairing.second {
                    for _ in 0..pairs {
                        let pair = self.pair(pairing.first, second);
                        score += pair.category as f64 - 2.0;
                        all.push(pair);
                    }
                }
                let points = if score > 0.0 {
                    [1.0, 0.0]
                } else if score < 0.0 {
                    [0.0, 1.0]
                } else {
                    [0.5, 0.5]
                };
                meetings.push(Meeting {
                    pairing,
                    points: Some(points),
                });
            }
        }
    }
}

fn count(r: &Ratings, truth: &[f64], c: &mut [u64; 6]) {
    let n = truth.len();
    let mean = truth.iter().sum::<f64>() / n as f64;
    for i in 0..n {
        let Some(e) = r.estimate(i) else { continue };
        c[1] += 1;
        c[0] += u64::from(e.lower <= truth[i] - mean && truth[i] - mean <= e.upper);
        for j in i + 1..n {
            if (i + j) % 7 != 0 && n > 20 {
                continue;
            }
            let Some(e) = r.difference(i, j) else {
                continue;
            };
            let d = truth[i] - truth[j];
            c[3] += 1;
            c[2] += u64::from(e.lower <= d && d <= e.upper);
        }
    }
    for w in r.order().windows(2) {
        let Some(e) = r.difference(w[0], w[1]) else {
            continue;
        };
        let d = truth[w[0]] - truth[w[1]];
        c[5] += 1;
        c[4] += u64::from(e.lower <= d && d <= e.upper);
    }
}

#[test]
fn explore() {
    for (name, n, format, pairs, runs) in [
        ("duel5", 2, Format::RoundRobin { times: 1 }, 5, 1000),
        ("duel20", 2, Format::RoundRobin { times: 1 }, 20, 1000),
        ("rr4x2", 4, Format::RoundRobin { times: 1 }, 2, 1000),
        ("rr4x20", 4, Format::RoundRobin { times: 1 }, 20, 1000),
        ("rr6x4", 6, Format::RoundRobin { times: 1 }, 4, 600),
        ("rr10x20", 10, Format::RoundRobin { times: 1 }, 20, 300),
        ("gaunt", 12, Format::Gauntlet { challengers: 2 }, 5, 300),
        ("swiss16x2", 16, Format::Swiss { rounds: None }, 2, 300),
        ("swiss64x1", 64, Format::Swiss { rounds: Some(8) }, 1, 30),
        ("swiss64x5", 64, Format::Swiss { rounds: Some(8) }, 5, 15),
    ] {
        if std::env::var("ONLY").is_ok_and(|only| !name.contains(&only)) {
            continue;
        }
        for (draws, alike, sd, shape) in [
            (0.0, 0.0, 150.0, 0),
            (0.5, 0.0, 150.0, 0),
            (0.0, 0.6, 150.0, 0),
            (0.3, 0.2, 350.0, 0),
            (0.3, 0.2, 0.0, 0),
            (0.3, 0.2, 150.0, 1),
            (0.3, 0.2, 200.0, 2),
        ] {
            let mut c = [0; 6];
            let mut p = [0; 6];
            let mut q = [0; 6];
            let (mut num, mut den) = (0.0, 0.0);
            for run in 0..runs {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(run);
                let elo: Vec<f64> = (0..n)
                    .map(|i| match shape {
                        0 => normal(&mut random) * sd,
                        1 => sd * 3.46 * random.random::<f64>(),
                        _ => {
                            if i % 3 == 0 {
                                sd * 2.0
                            } else {
                                normal(&mut random) * 30.0
                            }
                        }
                    })
                    .collect();
                let mut world = World {
                    random,
                    elo: elo.clone(),
                    draws,
                    alike,
                    by_points: false,
                };
                let all = world.play(format, pairs);
                let table = Crosstable::new(n, all).unwrap();
                let r = bradley_terry::elo(&table);
                count(&r, &elo, &mut c);
                let mean = elo.iter().sum::<f64>() / n as f64;
                for i in 0..n {
                    num += r.value(i).unwrap_or(0.0) * (elo[i] - mean);
                    den += r.value(i).unwrap_or(0.0).powi(2);
                }
                let r = points::additive(&table);
                count(
                    &r,
                    &elo.iter().map(|e| e / 10.0).collect::<Vec<_>>(),
                    &mut p,
                );
                world.by_points = true;
                let all = world.play(format, pairs);
                let r = points::additive(&Crosstable::new(n, all).unwrap());
                count(
                    &r,
                    &elo.iter().map(|e| e / 10.0).collect::<Vec<_>>(),
                    &mut q,
                );
            }
            let s = |c: [u64; 6]| {
                [
                    c[0] as f64 / c[1] as f64,
                    c[2] as f64 / c[3] as f64,
                    c[4] as f64 / c[5] as f64,
                ]
            };
            println!(
                "{name:10} draws {draws} alike {alike} sd {sd} {shape}: elo {:.3?} slope {:.3} points {:.3?} {:.3?}",
                s(c),
                num / den,
                s(p),
                s(q)
            );
        }
    }
}
