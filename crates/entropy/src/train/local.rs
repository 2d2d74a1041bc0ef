//! The patterns of a board that are learned besides those of its lines: of its blocks and, where they have numbers,
//! of its gaps.

use std::sync::Arc;

use crate::blocks::Blocks;
use crate::evaluated::Evaluated;
use crate::evaluation::GamePhase;
use crate::gaps::Gaps;

/// The number of a pattern: those of blocks first, then those of gaps.
pub type LocalId = u16;

/// The blocks and gaps of boards of a size.
#[derive(Debug, Clone)]
pub struct Local {
    size: u8,
    blocks: Arc<Blocks>,
    gaps: Option<Arc<Gaps>>,
}

impl Local {
    /// Of boards of so many rows; none if their blocks are not numbered.
    pub fn of(size: u8) -> Option<Self> {
        let blocks = Blocks::shared(size)?;
        let gaps = Gaps::shared(size);
        Some(Self { size, blocks, gaps })
    }

    /// How many patterns there are.
    pub fn count(&self) -> usize {
        self.blocks.count() + self.gaps.as_ref().map_or(0, |gaps| gaps.count())
    }

    /// True of boards whose gaps have numbers.
    pub fn has_gaps(&self) -> bool {
        self.gaps.is_some()
    }

    /// How many blocks and gaps a board with so many tiles has. Those of gaps are told before the draw.
    pub fn number(&self, tiles: u16, game_phase: GamePhase) -> usize {
        let cells = usize::from(self.size) * usize::from(self.size);
        let gaps = match (&self.gaps, game_phase) {
            (Some(_), GamePhase::BeforeDraw) => 2 * cells.saturating_sub(usize::from(tiles)),
            _ => 0,
        };
        self.blocks.number() + gaps
    }

    /// The patterns of a board's blocks and gaps.
    pub fn ids(&self, game: &Evaluated) -> Vec<LocalId> {
        let mut ids: Vec<LocalId> = game.block_ids(&self.blocks).collect();
        if let (Some(gaps), GamePhase::BeforeDraw) = (&self.gaps, game.game_phase()) {
            let behind_blocks = self.blocks.count() as LocalId;
            ids.extend(game.gap_ids(gaps).map(|id| behind_blocks + id));
        }
        ids
    }
}
