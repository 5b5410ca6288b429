//! What a position is worth, in the words of lila-tablebase.

use duchamp_base::Wdl;
use serde::Serialize;

/// What a position is worth, in the order in which an opponent would not like them: the first is the best for the mover.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Category {
    Loss,
    Unknown,
    /// Lost, unless the distance, which Syzygy's files may round, is a ply longer than they say.
    SyzygyLoss,
    /// Lost without the 50-move rule; with it that is not known.
    MaybeLoss,
    BlessedLoss,
    Draw,
    CursedWin,
    MaybeWin,
    SyzygyWin,
    Win,
}

impl Category {
    /// As the other side sees it.
    pub(super) fn reversed(self) -> Category {
        match self {
            Category::Loss => Category::Win,
            Category::Unknown => Category::Unknown,
            Category::SyzygyLoss => Category::SyzygyWin,
            Category::MaybeLoss => Category::MaybeWin,
            Category::BlessedLoss => Category::CursedWin,
            Category::Draw => Category::Draw,
            Category::CursedWin => Category::BlessedLoss,
            Category::MaybeWin => Category::MaybeLoss,
            Category::SyzygyWin => Category::SyzygyLoss,
            Category::Win => Category::Loss,
        }
    }

    pub(super) fn is_positive(self) -> bool {
        self > Category::Draw
    }

    /// 1 for a win of whatever kind, -1 for a loss; `None` if that is not known.
    pub(super) fn sign(self) -> Option<i32> {
        match self {
            Category::Unknown => None,
            Category::Draw => Some(0),
            category if category.is_positive() => Some(1),
            _ => Some(-1),
        }
    }

    /// A win or a loss that comes when 50 moves are over.
    pub(super) fn late(self) -> Category {
        match self.sign() {
            Some(1) => Category::CursedWin,
            Some(-1) => Category::BlessedLoss,
            _ => self,
        }
    }
}

impl From<Wdl> for Category {
    fn from(wdl: Wdl) -> Category {
        match wdl {
            Wdl::Loss => Category::Loss,
            Wdl::BlessedLoss => Category::BlessedLoss,
            Wdl::Draw => Category::Draw,
            Wdl::CursedWin => Category::CursedWin,
            Wdl::Win => Category::Win,
        }
    }
}
