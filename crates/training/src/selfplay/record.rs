//! One game as bytes: start, moves, scores, result. About four bytes a position.
//!
//! | bytes | what |
//! |---|---|
//! | 2 | number of the Chess960 start position (518: ordinary chess) |
//! | 1 | random plies |
//! | 1 | bits 0-1: White's half points; bits 2-6: how the game ended ([`Termination`]); bit 7: off-game positions follow |
//! | 2 | played plies |
//! | 2 each | the random moves |
//! | 4 each | the played moves: move, then score |
//! | 2 | with bit 7: number of off-game positions |
//! | 7 + 2 n each | after how many played plies, n (1 byte), n moves, best move there, score |
//!
//! An off-game position is n random moves off the game, and searched like those of the game. Well-played games hold few
//! of the unbalanced positions that a search evaluates.
//!
//! All little-endian. A move is the 16 bits of [`Move::bits`]; a score is in centipawns as the side to
//! move sees it. Reading plays all moves, so a record that was read is a game of legal moves.

use duchamp_chess::{Color, Game, Move, Position, Setup};

/// No score is known.
pub const NO_SCORE: i16 = i16::MIN;

/// The number of ordinary chess among the Chess960 start positions.
const ORDINARY: u16 = 518;
/// Flag: off-game positions follow.
const OFF_GAME: u8 = 128;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// Mate on the board.
    Mate = 0,
    /// Stalemate, too little material, 50 moves or repetition.
    Rules = 1,
    /// Adjudicated by an endgame table.
    Tables = 2,
    /// Adjudicated as won: both sides' scores agreed for some plies.
    Won = 3,
    /// Adjudicated as drawn: both sides' scores were near 0 for some plies.
    Drawn = 4,
    /// Drawn by the maximum length.
    Length = 5,
}

impl Termination {
    /// All of them, in the order of their codes.
    pub const ALL: [Termination; 6] = [
        Termination::Mate,
        Termination::Rules,
        Termination::Tables,
        Termination::Won,
        Termination::Drawn,
        Termination::Length,
    ];
}

/// A move that was played after a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// The search score of the position before it, in centipawns as the side to move sees it; beyond
    /// ± 20,000 a mate. [`NO_SCORE`] if nothing is known.
    pub score: i16,
}

/// A position some random moves off the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OffGamePosition {
    /// After how many searched plies the game was left.
    pub after: u16,
    /// The moves that led away.
    pub walk: Vec<Move>,
    /// Best move and score of the search there.
    pub found: ScoredMove,
}

/// A self-play game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Number of the Chess960 start position.
    pub start: u16,
    /// The moves played at random.
    pub random: Vec<Move>,
    /// The moves played after them.
    pub plies: Vec<ScoredMove>,
    /// Off-game positions, in the order of `after`.
    pub off_game: Vec<OffGamePosition>,
    /// White's half points: 0, 1 or 2.
    pub half_points: u8,
    /// How it ended.
    pub ending: Termination,
}

/// Bytes that are no game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// The bytes end in the middle of a game.
    #[error("a game is cut off")]
    Short,
    /// A field has a value that means nothing.
    #[error("a game has a bad {0}")]
    Field(&'static str),
    /// A move is not legal.
    #[error("a game has an illegal move")]
    Move,
}

impl GameRecord {
    /// The number of ordinary chess among the start positions.
    pub const ORDINARY: u16 = ORDINARY;

    /// The position that the game starts from, before any random move; `None` if the number is none.
    #[must_use]
    pub fn start_position(start: u16) -> Option<Position> {
        Position::from_setup(&Setup::chess960(start)?).ok()
    }

    /// Appends the bytes of the game. At most 255 random and 65,535 other plies are written.
    pub fn write(&self, out: &mut Vec<u8>) {
        let random = &self.random[..self.random.len().min(255)];
        let plies = &self.plies[..self.plies.len().min(usize::from(u16::MAX))];
        out.extend(self.start.to_le_bytes());
        out.push(random.len() as u8);
        let off_game = &self.off_game[..self.off_game.len().min(usize::from(u16::MAX))];
        let flag = if off_game.is_empty() { 0 } else { OFF_GAME };
        out.push(self.half_points | (self.ending as u8) << 2 | flag);
        out.extend((plies.len() as u16).to_le_bytes());
        for mv in random {
            out.extend(mv.bits().to_le_bytes());
        }
        for ply in plies {
            write_ply(out, *ply);
        }
        if !off_game.is_empty() {
            out.extend((off_game.len() as u16).to_le_bytes());
        }
        for sample in off_game {
            out.extend(sample.after.to_le_bytes());
            let walk = &sample.walk[..sample.walk.len().min(255)];
            out.push(walk.len() as u8);
            for mv in walk {
                out.extend(mv.bits().to_le_bytes());
            }
            write_ply(out, sample.found);
        }
    }

    /// Reads a game from the front of `bytes`, which then begin after it.
    ///
    /// # Errors
    /// If the bytes are no game of legal moves.
    pub fn read(bytes: &mut &[u8]) -> Result<GameRecord, RecordError> {
        let [a, b, random, end, c, d] = take(bytes)?;
        let start = u16::from_le_bytes([a, b]);
        let mut position =
            GameRecord::start_position(start).ok_or(RecordError::Field("start position"))?;
        let half_points = end & 3;
        if half_points > 2 {
            return Err(RecordError::Field("result"));
        }
        let ending = *Termination::ALL
            .get(usize::from(end >> 2 & 31))
            .ok_or(RecordError::Field("ending"))?;
        let random = read_moves(bytes, &mut position, random)?;
        let opening = position;
        let plies = (0..u16::from_le_bytes([c, d]))
            .map(|_| read_ply(bytes, &mut position))
            .collect::<Result<Vec<_>, _>>()?;
        let off_game = if end & OFF_GAME == 0 {
            Vec::new()
        } else {
            read_off_game(bytes, opening, &plies)?
        };
        Ok(GameRecord {
            start,
            random,
            plies,
            off_game,
            half_points,
            ending,
        })
    }

    /// Calls `visit` with every position from which a searched move was played, and that move; not with
    /// the last position.
    pub fn for_each(&self, mut visit: impl FnMut(&Position, ScoredMove)) {
        let Some(mut position) = GameRecord::start_position(self.start) else {
            return;
        };
        self.random.iter().for_each(|&mv| position.advance(mv));
        for &ply in &self.plies {
            visit(&position, ply);
            position.advance(ply.mv);
        }
    }

    /// Calls `visit` with every off-game position and the best move found there.
    pub fn for_each_off_game(&self, mut visit: impl FnMut(&Position, ScoredMove)) {
        let mut off_game = self.off_game.iter().peekable();
        let mut number = 0;
        self.for_each(|position, _| {
            while let Some(sample) = off_game.next_if(|sample| usize::from(sample.after) == number)
            {
                let mut position = *position;
                sample.walk.iter().for_each(|&mv| position.advance(mv));
                visit(&position, sample.found);
            }
            number += 1;
        });
    }

    /// The whole game, for repetitions or to be written as PGN.
    #[must_use]
    pub fn game(&self) -> Option<Game> {
        let mut game = Game::new(GameRecord::start_position(self.start)?);
        for &mv in &self.random {
            game.push(mv);
        }
        for ply in &self.plies {
            game.push(ply.mv);
        }
        Some(game)
    }

    /// The points of a side: 0, 0.5 or 1.
    #[must_use]
    pub fn points(&self, side: Color) -> f32 {
        let white = f32::from(self.half_points) / 2.0;
        if side == Color::White {
            white
        } else {
            1.0 - white
        }
    }
}

fn write_ply(out: &mut Vec<u8>, ply: ScoredMove) {
    out.extend(ply.mv.bits().to_le_bytes());
    out.extend(ply.score.to_le_bytes());
}

/// Reads a move and plays it.
fn read_move(bytes: &mut &[u8], position: &mut Position) -> Result<Move, RecordError> {
    let mv = Move::from_bits(u16::from_le_bytes(take(bytes)?)).ok_or(RecordError::Move)?;
    if !position.is_legal(mv) {
        return Err(RecordError::Move);
    }
    position.advance(mv);
    Ok(mv)
}

fn read_moves(
    bytes: &mut &[u8],
    position: &mut Position,
    count: u8,
) -> Result<Vec<Move>, RecordError> {
    (0..count).map(|_| read_move(bytes, position)).collect()
}

fn read_ply(bytes: &mut &[u8], position: &mut Position) -> Result<ScoredMove, RecordError> {
    Ok(ScoredMove {
        mv: read_move(bytes, position)?,
        score: i16::from_le_bytes(take(bytes)?),
    })
}

/// Reads off-game positions, which must be in order and leave the game before its last position.
fn read_off_game(
    bytes: &mut &[u8],
    opening: Position,
    plies: &[ScoredMove],
) -> Result<Vec<OffGamePosition>, RecordError> {
    let (mut position, mut at) = (opening, 0);
    (0..u16::from_le_bytes(take(bytes)?))
        .map(|_| {
            let after = u16::from_le_bytes(take(bytes)?);
            let ahead = plies
                .get(at..usize::from(after))
                .filter(|_| usize::from(after) < plies.len())
                .ok_or(RecordError::Field("off-game position"))?;
            ahead.iter().for_each(|ply| position.advance(ply.mv));
            at = usize::from(after);
            let [count] = take(bytes)?;
            let mut beside = position;
            Ok(OffGamePosition {
                after,
                walk: read_moves(bytes, &mut beside, count)?,
                found: read_ply(bytes, &mut beside)?,
            })
        })
        .collect()
}

/// The next bytes.
fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], RecordError> {
    let (first, rest) = bytes.split_first_chunk().ok_or(RecordError::Short)?;
    *bytes = rest;
    Ok(*first)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::random_walk;
    use super::*;
    use duchamp_base::Random;

    /// A game of random moves with random scores.
    pub(in super::super) fn random_game(seed: u64) -> GameRecord {
        let mut random = Random::of(77, seed);
        let start = random.below(960) as u16;
        let mut position = GameRecord::start_position(start).expect("a start position");
        let mut record = GameRecord {
            start,
            random: Vec::new(),
            plies: Vec::new(),
            off_game: Vec::new(),
            half_points: random.below(3) as u8,
            ending: Termination::ALL[random.below(6)],
        };
        for ply in 0..random.below(90) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            let before = position;
            position.advance(mv);
            let score = random.next_u64() as i16;
            if ply < 8 {
                record.random.push(mv);
            } else {
                if let Some(walk) = random_walk(&mut random, &before, 1)
                    && let Some(&mv) = walk.0.legal_moves().first()
                {
                    record.off_game.push(OffGamePosition {
                        after: record.plies.len() as u16,
                        walk: walk.1,
                        found: ScoredMove { mv, score },
                    });
                }
                record.plies.push(ScoredMove { mv, score });
            }
        }
        record
    }

    #[test]
    fn games_are_read_as_written() {
        let games: Vec<_> = (0..50).map(random_game).collect();
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes));
        let mut rest = &bytes[..];
        for game in &games {
            assert_eq!(GameRecord::read(&mut rest).as_ref(), Ok(game));
            let mut count = 0;
            game.for_each(|position, ply| {
                assert!(position.is_legal(ply.mv));
                count += 1;
            });
            assert_eq!(count, game.plies.len());
            let mut beside = 0;
            game.for_each_off_game(|position, found| {
                assert!(position.is_legal(found.mv));
                beside += 1;
            });
            assert_eq!(beside, game.off_game.len());
            let moves = game.random.len() + game.plies.len();
            assert_eq!(game.game().map(|g| g.moves().len()), Some(moves));
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn damage_is_an_error_and_no_panic() {
        let mut bytes = Vec::new();
        (0..4).for_each(|seed| random_game(seed).write(&mut bytes));
        let mut random = Random::new(3);
        for _ in 0..3000 {
            let mut bad = bytes.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(bad.len());
                bad[at] = random.next_u64() as u8;
            }
            bad.truncate(bytes.len() - random.below(bytes.len()));
            let mut rest = &bad[..];
            while !rest.is_empty() && GameRecord::read(&mut rest).is_ok() {}
        }
        assert_eq!(GameRecord::read(&mut &bytes[..5]), Err(RecordError::Short));
        assert_eq!(
            GameRecord::read(&mut &[0xFF, 0xFF, 0, 0, 0, 0][..]),
            Err(RecordError::Field("start position"))
        );
    }
}
