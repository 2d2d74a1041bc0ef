//! Tests the random draws of tiles.

use turnwise_entropy::referee::shuffled_tiles;

use crate::host::scripted::{Client, Story, story};
use crate::host::table::{Config, Table, config};

/// Returns the tiles that Chaos drew, game by game, as the players received them.
async fn drawn(config: Config) -> Vec<String> {
    let table = Table::open(config).await;
    let first = Client::join(table.address, b"first").await.plays_well();
    table.seated(0).await;
    let second = Client::join(table.address, b"second").await.plays_well();
    let outcome = table.outcome().await;
    let games = 2 * config.wars as usize;
    outcome.finished(games);
    (0..games).for_each(|game| outcome.complete(game));
    let [first, second] = [
        as_chaos(&story(first).await),
        as_chaos(&story(second).await),
    ];
    // In the first game of each war, the second player is Chaos.
    let wars = second.into_iter().zip(first);
    wars.flat_map(|(first, second)| [first, second]).collect()
}

/// Returns the tiles that this player drew as Chaos, game by game.
fn as_chaos(story: &Story) -> Vec<String> {
    let mut games = Vec::new();
    let mut chaos = false;
    for payload in story.payloads() {
        if payload.contains("ORDER") || payload.contains("CHAOS") {
            chaos = payload.contains("CHAOS");
            games.extend(chaos.then(String::new));
        }
        if chaos {
            let tile = payload.lines().last().expect("a line");
            games.last_mut().expect("a game").push_str(tile);
        }
    }
    games
}

fn sorted(tiles: &str) -> String {
    let mut letters: Vec<char> = tiles.chars().collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

#[tokio::test]
async fn every_game_has_each_colour_as_often_as_the_board_is_wide() {
    for size in [2, 3, 4] {
        let all: String = ('A'..)
            .take(usize::from(size))
            .flat_map(|letter| std::iter::repeat_n(letter, usize::from(size)))
            .collect();
        let games = drawn(Config { size, ..config() }).await;
        assert!(games.iter().all(|tiles| sorted(tiles) == all), "{games:?}");
    }
}

#[tokio::test]
async fn the_seed_tells_the_tiles() {
    let of = |seed, same_tiles| Config {
        size: 4,
        wars: 2,
        seed,
        same_tiles,
        ..config()
    };
    let (once, again) = tokio::join!(drawn(of(7, false)), drawn(of(7, false)));
    assert_eq!(once, again);
    let (other, same) = tokio::join!(drawn(of(8, false)), drawn(of(7, true)));
    assert_ne!(once, other);
    let different = |games: &[String]| {
        let mut games = games.to_vec();
        games.sort_unstable();
        games.dedup();
        games.len()
    };
    assert_eq!(different(&once), 4, "{once:?}");
    assert_eq!(different(&same), 2, "{same:?}");
    assert_eq!((&same[0], &same[2]), (&same[1], &same[3]));
}

#[test]
fn tiles_are_shuffled_evenly() {
    // In 3,000 games on a 3x3 board, each of the three colors must be drawn first about 1,000 times. The tolerance is
    // five standard deviations of 26.
    let mut first = [0; 3];
    for seed in 0..3_000 {
        first[usize::from(shuffled_tiles(3, seed)[0]) - 1] += 1;
    }
    assert!(
        first.iter().all(|count| (870..=1130).contains(count)),
        "{first:?}"
    );
}
