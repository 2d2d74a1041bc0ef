//! The local patterns that an evaluation uses in addition to lines: blocks and, on some boards, gaps.

use std::sync::Arc;

use super::blocks::Blocks;
use super::evaluation::GamePhase;
use super::gaps::Gaps;

/// The number that identifies a pattern of a block or gap. Blocks are numbered first, then gaps.
pub type LocalId = u16;

/// The blocks and gaps that have values on boards of one size.
///
/// Split blocks and gaps have values only before the draw.
#[derive(Debug, Clone)]
pub struct Local {
    size: u8,
    /// The whole blocks, which have values in both phases.
    whole_blocks: Arc<Blocks>,
    /// The blocks that have values before the draw: whole blocks and possibly split blocks.
    blocks: Arc<Blocks>,
    gaps: Option<Arc<Gaps>>,
}

impl Local {
    /// Returns all combinations of blocks and gaps with which boards of `size` rows can be evaluated.
    ///
    /// Training uses the last combination. The result is empty if boards of `size` rows cannot use blocks.
    pub fn choices(size: u8) -> Vec<Self> {
        let Some(whole) = Blocks::whole(size) else {
            return Vec::new();
        };
        let mut choices = Vec::new();
        for blocks in [Some(Arc::clone(&whole)), Blocks::whole_and_split(size)] {
            let choice = |gaps| {
                Some(Self {
                    size,
                    whole_blocks: Arc::clone(&whole),
                    blocks: Arc::clone(blocks.as_ref()?),
                    gaps,
                })
            };
            choices.extend(choice(None));
            choices.extend(Gaps::shared(size).and_then(|gaps| choice(Some(gaps))));
        }
        choices
    }

    /// Returns the combination that training uses on boards of `size` rows, or `None` if they cannot use blocks.
    pub fn learned(size: u8) -> Option<Self> {
        Self::choices(size).pop()
    }

    /// Returns the number of block patterns plus the number of gap patterns.
    pub fn count(&self) -> usize {
        self.blocks.count() + self.gaps.as_ref().map_or(0, |gaps| gaps.count())
    }

    /// Returns all blocks that have values in at least one phase. Gap patterns are numbered after the block patterns.
    pub fn all_blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Returns the blocks that have values in the given phase.
    pub fn blocks(&self, game_phase: GamePhase) -> &Blocks {
        match game_phase {
            GamePhase::BeforeDraw => &self.blocks,
            GamePhase::BeforeSlide => &self.whole_blocks,
        }
    }

    /// Returns the gaps, or `None` if they have no values in the given phase.
    pub fn gaps(&self, game_phase: GamePhase) -> Option<&Gaps> {
        let gaps = self.gaps.as_deref();
        gaps.filter(|_| game_phase == GamePhase::BeforeDraw)
    }

    /// Returns how many blocks and gaps on a board with `tiles` tiles have values in the given phase.
    pub fn number(&self, tiles: u16, game_phase: GamePhase) -> usize {
        let cells = usize::from(self.size) * usize::from(self.size);
        let empty = cells.saturating_sub(usize::from(tiles));
        let gaps = self.gaps(game_phase).map_or(0, |_| 2 * empty);
        self.blocks(game_phase).number() + gaps
    }
}
