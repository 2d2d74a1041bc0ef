//! The patterns that boards are valued by besides those of their lines: of blocks and, on some boards, of gaps.

use std::sync::Arc;

use super::blocks::Blocks;
use super::evaluation::GamePhase;
use super::gaps::Gaps;

/// The number of a pattern: those of blocks first, then those of gaps.
pub type LocalId = u16;

/// The blocks and gaps of boards of a size, as far as they have values. Split blocks and gaps have some before the
/// draw only.
#[derive(Debug, Clone)]
pub struct Local {
    size: u8,
    /// Those that are not split.
    whole_blocks: Arc<Blocks>,
    /// Those that have values before the draw.
    blocks: Arc<Blocks>,
    gaps: Option<Arc<Gaps>>,
}

impl Local {
    /// Every choice of them by which boards of so many rows can be valued; last comes the one whose values are
    /// learned. None if their blocks are not numbered.
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

    /// Those whose values are learned on boards of so many rows; none if their blocks are not numbered.
    pub fn learned(size: u8) -> Option<Self> {
        Self::choices(size).pop()
    }

    /// How many patterns there are.
    pub fn count(&self) -> usize {
        self.blocks.count() + self.gaps.as_ref().map_or(0, |gaps| gaps.count())
    }

    /// All blocks that have values at any phase. Gaps are numbered behind their patterns.
    pub fn all_blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// The blocks that have values at a phase.
    pub fn blocks(&self, game_phase: GamePhase) -> &Blocks {
        match game_phase {
            GamePhase::BeforeDraw => &self.blocks,
            GamePhase::BeforeSlide => &self.whole_blocks,
        }
    }

    /// The gaps, if they have values at a phase.
    pub fn gaps(&self, game_phase: GamePhase) -> Option<&Gaps> {
        let gaps = self.gaps.as_deref();
        gaps.filter(|_| game_phase == GamePhase::BeforeDraw)
    }

    /// How many blocks and gaps with values a board with so many tiles has.
    pub fn number(&self, tiles: u16, game_phase: GamePhase) -> usize {
        let cells = usize::from(self.size) * usize::from(self.size);
        let empty = cells.saturating_sub(usize::from(tiles));
        let gaps = self.gaps(game_phase).map_or(0, |_| 2 * empty);
        self.blocks(game_phase).number() + gaps
    }
}
