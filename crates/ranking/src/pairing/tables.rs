//! Assigns participants to tables for more than two players.

/// The smallest number of participants at a table.
pub const FEWEST: usize = 3;

/// Returns the number of participants at each table. As few tables as possible are used, and their sizes differ by at
/// most one. If a table would have fewer than [`FEWEST`] participants, fewer tables are used, and the participants
/// without a seat sit out. Empty if there are too few participants for one table.
pub fn sizes(participants: usize, seats: usize) -> Vec<usize> {
    if participants.min(seats) < FEWEST {
        return Vec::new();
    }
    let tables = participants.div_ceil(seats);
    let tables = match participants / tables {
        ..FEWEST => participants / FEWEST,
        _ => tables,
    };
    let seated = participants.min(tables * seats);
    (0..tables)
        .map(|table| seated / tables + usize::from(table < seated % tables))
        .collect()
}

/// Assigns participants to tables, and returns the participants at each table in seating order. A participant is given
/// as its place in the order of entry and the number of rounds in which it has had a seat. If there are not enough
/// seats, participants that have had a seat less often go first. Otherwise `lot` determines the order.
pub fn draw(
    participants: &[(usize, u32)],
    seats: usize,
    lot: impl Fn(usize) -> u64,
) -> Vec<Vec<usize>> {
    let sizes = sizes(participants.len(), seats);
    let mut order: Vec<(u32, u64, usize)> = (participants.iter())
        .map(|&(place, often)| (often, lot(place), place))
        .collect();
    order.sort_unstable();
    order.truncate(sizes.iter().sum());
    // The tables are filled in the order of the lots alone, so that a participant that sat out before can meet any
    // other participant.
    order.sort_unstable_by_key(|&(_, lot, place)| (lot, place));
    let mut places = order.into_iter().map(|(_, _, place)| place);
    let tables = sizes.into_iter();
    tables
        .map(|size| places.by_ref().take(size).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_all_that_can_sit_at_tables_of_three_or_more() {
        assert_eq!(sizes(5, 5), [5]);
        assert_eq!(sizes(7, 5), [4, 3]);
        assert_eq!(sizes(21, 10), [7, 7, 7]);
        assert_eq!(sizes(5, 4), [4], "a table of two is none");
        assert!(sizes(2, 5).is_empty());
        assert!(sizes(9, 2).is_empty());
        for seats in FEWEST..=10 {
            for participants in FEWEST..100 {
                let sizes = sizes(participants, seats);
                let seated: usize = sizes.iter().sum();
                assert!(sizes.iter().all(|size| (FEWEST..=seats).contains(size)));
                assert!(sizes[0] - sizes[sizes.len() - 1] <= 1, "{sizes:?}");
                // Participants that sit out cannot fill a table, and the other tables are full.
                let is_room = sizes.iter().any(|&size| size < seats);
                let left = participants - seated;
                assert!(
                    left == 0 || (left < FEWEST && !is_room),
                    "{participants} at {seats}: {sizes:?}"
                );
            }
        }
    }

    #[test]
    fn over_the_rounds_everybody_is_seated_as_often_but_for_once() {
        let mut often = [0; 11];
        for round in 1..=20 {
            let there: Vec<(usize, u32)> = often.iter().copied().enumerate().collect();
            let lot = |place: usize| (place as u64 + 3).wrapping_mul(round * 0x9e37_79b9) % 1009;
            let tables = draw(&there, 3, lot);
            assert_eq!(tables.len(), 3);
            for place in tables.concat() {
                often[place] += 1;
            }
            let (least, most) = (often.iter().min(), often.iter().max());
            assert!(
                most.zip(least)
                    .is_some_and(|(most, least)| most - least <= 1),
                "{often:?}"
            );
        }
    }
}
