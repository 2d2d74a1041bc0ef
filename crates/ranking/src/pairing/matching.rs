//! Maximum matching: finds the largest set of allowed pairs in which no place occurs twice.
//!
//! If a set of pairs can be enlarged, it can be enlarged along an augmenting path. Such a path starts at an unpaired
//! place, alternates between allowed new pairs and existing pairs, and ends at a second unpaired place. Cycles of odd
//! length that the search meets are contracted to a single place (J. Edmonds, "Paths, trees, and flowers", Canadian
//! Journal of Mathematics 17, 1965).

use std::collections::VecDeque;

/// Enlarges a set of pairs until it is as large as possible with allowed pairs. `partners` contains the partner of each
/// paired place. A paired place stays paired, but its partner may change. Places close to each other are tried first.
pub(super) fn enlarge(partners: &mut [Option<usize>], is_allowed: impl Fn(usize, usize) -> bool) {
    for root in 0..partners.len() {
        if partners[root].is_none() {
            Search::new(partners, root).augment(&is_allowed);
        }
    }
}

/// Iterates over all places below `length`, in the order of their distance from `at`.
pub(super) fn by_distance(at: usize, length: usize) -> impl Iterator<Item = usize> {
    (0..length.max(at + 1))
        .flat_map(move |distance| {
            let below = at.checked_sub(distance).filter(|_| distance > 0);
            [Some(at + distance), below].into_iter().flatten()
        })
        .filter(move |&place| place < length)
}

/// A breadth-first search for one augmenting path, along which a set of pairs can be enlarged by one.
struct Search<'a> {
    partners: &'a mut [Option<usize>],
    root: usize,
    /// For each place at an odd distance from the root, the previous place on the path from the root.
    parent: Vec<Option<usize>>,
    /// For each place, the place that represents the contracted cycle to which it belongs; the place itself if it
    /// belongs to none.
    base: Vec<usize>,
    is_reached: Vec<bool>,
    queue: VecDeque<usize>,
}

impl<'a> Search<'a> {
    fn new(partners: &'a mut [Option<usize>], root: usize) -> Self {
        let places = partners.len();
        let mut is_reached = vec![false; places];
        is_reached[root] = true;
        Self {
            partners,
            root,
            parent: vec![None; places],
            base: (0..places).collect(),
            is_reached,
            queue: VecDeque::from([root]),
        }
    }

    /// Enlarges the set by one pair if an augmenting path starts at the root.
    fn augment(mut self, is_allowed: impl Fn(usize, usize) -> bool) {
        while let Some(place) = self.queue.pop_front() {
            for other in by_distance(place, self.partners.len()) {
                let is_inside =
                    self.base[place] == self.base[other] || self.partners[place] == Some(other);
                if place == other || is_inside || !is_allowed(place, other) {
                    continue;
                }
                let closes_cycle = other == self.root
                    || self.partners[other].is_some_and(|partner| self.parent[partner].is_some());
                if closes_cycle {
                    self.contract(place, other);
                } else if self.parent[other].is_none() {
                    self.parent[other] = Some(place);
                    match self.partners[other] {
                        None => return self.swap_along_path(other),
                        Some(partner) => self.reach(partner),
                    }
                }
            }
        }
    }

    fn reach(&mut self, place: usize) {
        if !self.is_reached[place] {
            self.is_reached[place] = true;
            self.queue.push_back(place);
        }
    }

    /// Contracts the cycle of odd length that a pair between the two places would close.
    fn contract(&mut self, one: usize, other: usize) {
        let stem = self.common_base(one, other);
        let mut is_in_cycle = vec![false; self.base.len()];
        for (from, child) in [(one, other), (other, one)] {
            self.mark(from, stem, child, &mut is_in_cycle);
        }
        for place in 0..self.base.len() {
            if is_in_cycle[self.base[place]] {
                self.base[place] = stem;
                self.reach(place);
            }
        }
    }

    /// Returns the first base (see `base`) that the paths from both places to the root have in common.
    fn common_base(&self, one: usize, other: usize) -> usize {
        let mut is_on_way = vec![false; self.base.len()];
        for base in self.bases_to_root(one) {
            is_on_way[base] = true;
        }
        (self.bases_to_root(other).find(|&base| is_on_way[base])).unwrap_or(self.root)
    }

    fn bases_to_root(&self, from: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(self.base[from]), |&base| {
            let parent = self.partners[base].and_then(|partner| self.parent[partner])?;
            Some(self.base[parent])
        })
    }

    /// Makes the path from a place to the stem of a cycle usable in both directions, and marks its places as parts of
    /// the cycle.
    fn mark(&mut self, from: usize, stem: usize, child: usize, is_in_cycle: &mut [bool]) {
        let (mut place, mut child) = (from, child);
        while self.base[place] != stem {
            let Some(partner) = self.partners[place] else {
                return;
            };
            is_in_cycle[self.base[place]] = true;
            is_in_cycle[self.base[partner]] = true;
            self.parent[place] = Some(child);
            child = partner;
            let Some(parent) = self.parent[partner] else {
                return;
            };
            place = parent;
        }
    }

    /// Along the augmenting path to `end`, separates the existing pairs and pairs the other neighbors instead.
    fn swap_along_path(&mut self, end: usize) {
        let mut place = Some(end);
        while let Some(one) = place {
            let Some(parent) = self.parent[one] else {
                return;
            };
            place = self.partners[parent];
            self.partners[one] = Some(parent);
            self.partners[parent] = Some(one);
        }
    }
}
