//! The terms of the hand-crafted evaluation: one group for each kind of knowledge, one term for each weight. The weights
//! are in `weights.rs`; this file describes what each term counts.
//!
//! Ranks are as the owner sees them, 0 his own back rank; files are folded, a and h are file 0.
//! Groups whose name begins with `DANGER` count for king danger, which is squared; the others
//! are added up.

/// The place of one weight in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub u16);

/// Neighbouring terms of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// As in this file.
    pub name: &'static str,
    /// Its first term.
    pub start: u16,
    /// How many terms.
    pub len: u16,
}

impl Group {
    /// The term of an index within the group.
    #[must_use]
    #[inline]
    pub const fn at(self, index: usize) -> Term {
        debug_assert!(index < self.len as usize);
        Term(self.start + index as u16)
    }

    /// Whether a term is of this group.
    #[must_use]
    pub const fn holds(self, term: Term) -> bool {
        term.0 >= self.start && term.0 < self.start + self.len
    }

    /// The only, or first, term.
    #[must_use]
    #[inline]
    pub const fn one(self) -> Term {
        Term(self.start)
    }
}

macro_rules! groups {
    ($($(#[$doc:meta])* $name:ident: $len:literal;)*) => {
        #[allow(non_snake_case, dead_code)]
        #[repr(C)]
        struct Offsets { $($name: [u8; $len]),* }

        $(
            $(#[$doc])*
            pub const $name: Group = Group {
                name: stringify!($name),
                start: std::mem::offset_of!(Offsets, $name) as u16,
                len: $len,
            };
        )*

        /// How many terms there are.
        pub const TERMS: usize = size_of::<Offsets>();

        /// All groups, in the order of the table.
        pub const GROUPS: &[Group] = &[$($name),*];
    };
}

groups! {
    /// A piece, pawn to queen.
    MATERIAL: 5;
    /// Piece-square table: role (king included) × rank × folded file.
    SQUARE: 192;
    /// Two bishops or more.
    BISHOP_PAIR: 1;
    /// A knight, by own pawns above or below five (Kaufman, "The Evaluation of Material Imbalances", 1999).
    KNIGHT_PAWNS: 1;
    /// A rook, likewise.
    ROOK_PAWNS: 1;
    /// A knight, by how many safe squares it attacks.
    KNIGHT_MOBILITY: 9;
    /// A bishop, by how many safe squares it attacks.
    BISHOP_MOBILITY: 14;
    /// A rook, by how many safe squares it attacks.
    ROOK_MOBILITY: 15;
    /// A queen, by how many safe squares it attacks.
    QUEEN_MOBILITY: 28;
    /// A knight or bishop on ranks 3 to 5, guarded by a pawn, that no pawn can ever drive away.
    OUTPOST: 2;
    /// A knight that attacks such a square.
    OUTPOST_NEAR: 1;
    /// A knight or bishop right behind a pawn.
    BEHIND_PAWN: 1;
    /// A step between a knight or bishop and its king.
    KING_DISTANCE: 2;
    /// A pawn on the colour of its bishop.
    BISHOP_PAWNS: 1;
    /// A bishop that sees two centre squares through pawns only.
    LONG_DIAGONAL: 1;
    /// A rook on a file without pawns.
    ROOK_OPEN: 1;
    /// A rook on a file without own pawns.
    ROOK_HALF_OPEN: 1;
    /// A rook on the seventh rank with the king behind it or pawns on it.
    ROOK_SEVENTH: 1;
    /// A rook shut in by its own king.
    ROOK_TRAPPED: 1;
    /// A queen that a slider attacks through one piece.
    QUEEN_EXPOSED: 1;
    /// A pawn without neighbours: behind an enemy pawn on its file, or on a half-open file.
    ISOLATED: 2;
    /// A pawn with another in front of it.
    DOUBLED: 1;
    /// A pawn that can be neither guarded by pawns nor safely advance; as above.
    BACKWARD: 2;
    /// A pawn with another beside it, by rank.
    PHALANX: 8;
    /// A pawn guarded by a pawn, by rank.
    GUARDED: 8;
    /// A pawn that will be passed after exchanges, by rank.
    CANDIDATE: 8;
    /// A passed pawn, by rank.
    PASSED: 8;
    /// A passed pawn with nothing on the square in front, by rank.
    PASSED_FREE: 8;
    /// A passed pawn that can step forward unharmed, by rank.
    PASSED_SAFE: 8;
    /// A passed pawn with no enemy piece or attack on its way, by rank.
    PASSED_RUNS: 8;
    /// A step between the own king and the square before a passed pawn, by rank.
    PASSED_OWN_KING: 8;
    /// A step between the enemy king and the square before a passed pawn, by rank.
    PASSED_ENEMY_KING: 8;
    /// A passed pawn with an own rook or queen behind it.
    PASSED_PUSHED: 1;
    /// A passed pawn with an enemy rook or queen behind it.
    PASSED_HELD: 1;
    /// A passed pawn that a lone king cannot catch.
    UNSTOPPABLE: 1;
    /// Attacked by a pawn: knight, bishop, rook, queen.
    THREAT_BY_PAWN: 4;
    /// Attacked by a knight or bishop: pawn to queen.
    THREAT_BY_MINOR: 5;
    /// Attacked by a rook: pawn to queen.
    THREAT_BY_ROOK: 5;
    /// A weak piece attacked by the king.
    THREAT_BY_KING: 1;
    /// A hanging piece: attacked and not defended.
    HANGING: 1;
    /// A piece that a safe pawn push would attack.
    THREAT_BY_PUSH: 1;
    /// A square that both sides attack and the enemy does not hold.
    CONTESTED: 1;
    /// Room behind the pawns, times the pieces that use it.
    SPACE: 1;
    /// The most backward own pawn on a file near the king: folded file × its rank (0: none).
    SHELTER: 32;
    /// The nearest enemy pawn on a file near the king: folded file × its rank as the king's side sees it (0: none).
    STORM: 32;
    /// The same if an own pawn blocks it: its rank.
    STORM_BLOCKED: 8;
    /// A right to castle.
    CASTLING: 1;
    /// A step between the king and the nearest pawn.
    KING_TO_PAWN: 1;
    /// A square from which a knight could safely attack the only enemy queen; a slider likewise.
    QUEEN_HUNT: 2;
    /// No pawns on the king's side of the board.
    PAWNLESS_FLANK: 1;
    /// How hard the endgame is, for the side that is ahead: always, a pawn on the board, pawns on both wings,
    /// no pieces, the kings farther apart on files than on ranks by a file. Endgame only.
    COMPLEXITY: 5;
    /// The side to move.
    TEMPO: 1;

    /// Being attacked at all.
    DANGER: 1;
    /// A piece that attacks the king zone: knight to queen.
    DANGER_ATTACKER: 4;
    /// An attack on a square next to the king.
    DANGER_ADJACENT: 1;
    /// A king zone square that only the king or queen guards.
    DANGER_WEAK: 1;
    /// A safe check: knight to queen.
    DANGER_CHECK: 4;
    /// An unsafe check: the checking piece can be captured.
    DANGER_UNSAFE_CHECK: 1;
    /// A piece pinned to the king.
    DANGER_PINNED: 1;
    /// The attacker has no queen.
    DANGER_NO_QUEEN: 1;
    /// A file near the king without own pawns: behind an enemy pawn, or open.
    DANGER_FILE: 2;
    /// An attack on the king's side of the board.
    DANGER_FLANK: 1;
    /// A defence of the king's side of the board.
    DANGER_DEFENCE: 1;
    /// A knight defends the king's zone.
    DANGER_KNIGHT: 1;
}

/// The group without middlegame weights.
pub const ENDGAME_ONLY: Group = COMPLEXITY;

/// Terms from here on count for a king's danger.
pub const FIRST_DANGER: Term = DANGER.one();
