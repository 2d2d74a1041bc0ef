//! Divides the self-play games of a generation into batches that any machine can play. The results of a batch are
//! serialized as bytes.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checkpoint::{Reader, Told, write_sample};
use super::seed_of;
use super::self_play::{Played, Sample, SelfPlay, SelfPlayer};
use crate::evaluation::Evaluation;

/// The maximum number of games in a batch. A batch has fewer games if each game has very many positions.
const MOST_GAMES: u64 = 16;

/// The maximum size of a batch's serialized results, in bytes. Every server accepts messages up to this size.
const LARGEST: u64 = 512 << 10;

/// The description of a generation's games, without the evaluation that plays them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// The seed that, together with a game's number, determines all random events.
    pub seed: u64,
    /// The number of games in all earlier generations together.
    pub before: u64,
    /// The number of games in this generation.
    pub games: u64,
    /// The settings for playing the games.
    pub self_play: SelfPlay,
    /// Additional positions beside the game are searched only if the board has at least this number of tiles.
    pub opening_tiles: u16,
    /// Whether the results also list the blocks and gaps of each position.
    pub blocks: bool,
}

impl Generation {
    /// Returns true if all settings are in range. Check this first if the settings come from untrusted input.
    pub fn can_be_played(&self) -> bool {
        let how = &self.self_play;
        (2..=7).contains(&how.size)
            && (1..=10).contains(&how.depth)
            && (0.0..=1.0).contains(&how.lambda)
            && (0.0..=1.0).contains(&how.exploration)
            && how.siblings <= 100
            && (1..=1_000_000).contains(&self.games)
    }

    /// Creates a player for the generation's games.
    pub fn player(&self, evaluation: &Arc<Evaluation>) -> SelfPlayer {
        let player = SelfPlayer::new(self.self_play, self.opening_tiles, Arc::clone(evaluation));
        match self.blocks {
            true => player.with_blocks(),
            false => player,
        }
    }

    /// Plays the game with this number. The games of a generation are numbered from 0.
    pub fn game(&self, player: &mut SelfPlayer, number: u64) -> Played {
        player.play(seed_of(self.seed, self.before + number))
    }

    /// Returns the number of games in a full batch, which depends only on the settings.
    fn batch(&self) -> u64 {
        let size = u64::from(self.self_play.size);
        let tiles = size * size;
        let position = self.told().most_bytes_of_sample() as u64;
        // Each tile leads to a move of both players. Each move adds a position and that position's siblings.
        let game = 4 + 4 + 2 * tiles * (1 + u64::from(self.self_play.siblings)) * position;
        (LARGEST / game).clamp(1, MOST_GAMES)
    }

    /// Returns the format in which the positions of this generation are serialized.
    fn told(&self) -> Told {
        Told::new(self.self_play.size, self.blocks)
    }

    /// Returns the number of batches in the generation.
    pub fn batches(&self) -> u32 {
        // The number fits, because a generation has at most a million games.
        self.games.div_ceil(self.batch()) as u32
    }

    /// Returns the numbers of the games in a batch. Batches are numbered from 1; an unknown batch has no games.
    fn numbers(&self, batch: u32) -> Range<u64> {
        let first = u64::from(batch).saturating_sub(1) * self.batch();
        match batch {
            0 => 0..0,
            _ => first.min(self.games)..(first + self.batch()).min(self.games),
        }
    }

    /// Plays a batch and serializes it for another machine to [read](Self::read).
    pub fn play(&self, evaluation: &Arc<Evaluation>, batch: u32) -> Vec<u8> {
        let mut player = self.player(evaluation);
        let mut bytes = Vec::new();
        for number in self.numbers(batch) {
            let played = self.game(&mut player, number);
            bytes.extend((played.samples.len() as u32).to_le_bytes());
            bytes.extend(played.score.to_le_bytes());
            for sample in &played.samples {
                write_sample(sample, &mut bytes);
            }
        }
        bytes
    }

    /// Parses the games of a batch that another machine has played.
    ///
    /// # Errors
    ///
    /// Returns an error message if the bytes are not the games of the batch.
    pub fn read(&self, batch: u32, bytes: &[u8]) -> Result<Vec<Played>, String> {
        let mut reader = Reader(bytes);
        let games: Option<Vec<Played>> = (self.numbers(batch))
            .map(|_| self.read_game(&mut reader))
            .collect();
        let games = games.filter(|_| reader.0.is_empty());
        games.ok_or_else(|| format!("{} bytes that are no games of it", bytes.len()))
    }

    fn read_game(&self, reader: &mut Reader) -> Option<Played> {
        let told = self.told();
        let count = u32::from_le_bytes(reader.take()?);
        let score = f32::from_le_bytes(reader.take()?);
        let samples: Option<Vec<Sample>> = (0..count).map(|_| reader.sample(&told)).collect();
        let samples = samples?;
        let are_numbers = score.is_finite() && samples.iter().all(|it| it.target.is_finite());
        are_numbers.then_some(Played { samples, score })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{GamePhase, by_holes};

    const GENERATION: Generation = Generation {
        seed: 7,
        before: 40,
        games: 35,
        self_play: SelfPlay {
            size: 3,
            depth: 2,
            lambda: 0.5,
            exploration: 0.1,
            siblings: 1,
        },
        opening_tiles: 4,
        blocks: false,
    };

    #[test]
    fn batches_are_all_games_in_their_order() {
        let numbers: Vec<u64> = (1..=GENERATION.batches())
            .flat_map(|batch| GENERATION.numbers(batch))
            .collect();
        assert_eq!(numbers, (0..35).collect::<Vec<_>>());
        assert!(GENERATION.numbers(0).is_empty());
        assert!(GENERATION.numbers(GENERATION.batches() + 1).is_empty());
        assert!(GENERATION.numbers(u32::MAX).is_empty());
    }

    #[test]
    fn a_batch_is_read_as_it_was_played_and_nothing_else_is_read() {
        let evaluation = by_holes(3);
        let bytes = GENERATION.play(&evaluation, 3);
        let mut player = GENERATION.player(&evaluation);
        let expected: Vec<Played> = (32..35)
            .map(|number| GENERATION.game(&mut player, number))
            .collect();
        assert_eq!(GENERATION.read(3, &bytes), Ok(expected));
        // These bytes contain three games, but batch 1 has 16.
        assert!(GENERATION.read(1, &bytes).is_err());
        assert!(GENERATION.read(3, &bytes[..bytes.len() - 1]).is_err());
        assert!(GENERATION.read(3, &[&*bytes, &[0]].concat()).is_err());
        let mut endless = bytes.clone();
        endless[4..8].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(GENERATION.read(3, &endless).is_err());
        let mut many = bytes;
        many[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(GENERATION.read(3, &many).is_err());
    }

    #[test]
    fn a_batch_tells_of_split_blocks_and_gaps_where_their_values_are_learned() {
        let generation = Generation {
            self_play: SelfPlay {
                size: 7,
                depth: 1,
                ..GENERATION.self_play
            },
            games: 1,
            blocks: true,
            ..GENERATION
        };
        let evaluation = by_holes(7);
        let bytes = generation.play(&evaluation, 1);
        let games = generation.read(1, &bytes).expect("just played");
        for sample in games.iter().flat_map(|game| &game.samples) {
            let split_blocks_and_gaps = match sample.game_phase {
                GamePhase::BeforeDraw => 50 + 2 * (49 - usize::from(sample.tiles)),
                GamePhase::BeforeSlide => 0,
            };
            assert_eq!(sample.local.len(), 60 + split_blocks_and_gaps);
        }
    }

    #[test]
    fn a_batch_tells_of_blocks_where_their_values_are_learned() {
        let generation = Generation {
            self_play: SelfPlay {
                size: 5,
                depth: 1,
                ..GENERATION.self_play
            },
            blocks: true,
            ..GENERATION
        };
        let evaluation = by_holes(5);
        let bytes = generation.play(&evaluation, 1);
        let games = generation.read(1, &bytes).expect("just played");
        let samples = games.iter().flat_map(|game| &game.samples);
        assert!(samples.clone().all(|sample| sample.local.len() == 24));
        let count = samples.count();
        let size = generation.told().most_bytes_of_sample();
        assert_eq!(bytes.len(), games.len() * 8 + count * size);
        let without = Generation {
            blocks: false,
            ..generation
        };
        assert!(without.read(1, &bytes).is_err());
    }

    #[test]
    fn a_batch_of_many_positions_is_small_enough_for_a_message() {
        let many = Generation {
            self_play: SelfPlay {
                size: 7,
                siblings: 100,
                ..GENERATION.self_play
            },
            ..GENERATION
        };
        assert_eq!((many.batch(), many.batches()), (1, 35));
        assert!(many.can_be_played());
        assert!(!Generation { games: 0, ..many }.can_be_played());
    }
}
