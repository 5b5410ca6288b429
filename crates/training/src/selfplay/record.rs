//! One game as bytes: start, moves, scores, result. About four bytes a position.
//!
//! | bytes | what |
//! |---|---|
//! | 2 | number of the Chess960 start position (518: ordinary chess) |
//! | 1 | random plies |
//! | 1 | bits 0-1: White's half points; bits 2-6: how the game ended ([`Ending`]); bit 7: asides follow |
//! | 2 | played plies |
//! | 2 each | the random moves |
//! | 4 each | the played moves: move, then score |
//! | 2 | with bit 7: number of asides |
//! | 7 + 2 n each | after how many played plies, n (1 byte), n moves, best move there, score |
//!
//! An aside is a position n random moves beside the game, searched like those of the game. Games are played well, so
//! they hold few of the odd positions that search must judge all the time.
//!
//! All little-endian. A move is the 16 bits of [`Move::bits`]; a score is in centipawns as the side to
//! move sees it. Reading plays all moves, so a record that was read is a game of legal moves.

use duchamp_chess::{Color, Game, Move, Position, Setup};

/// No score is known.
pub const NO_SCORE: i16 = i16::MIN;

/// The number of ordinary chess among the Chess960 start positions.
const ORDINARY: u16 = 518;
/// The bit that says that asides follow.
const ASIDES: u8 = 128;

/// Why a game was over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Mate on the board.
    Mate = 0,
    /// Stalemate, too little material, 50 moves or repetition.
    Rules = 1,
    /// An endgame table knows the value.
    Tables = 2,
    /// Both sides agreed for some plies that one side wins.
    Won = 3,
    /// Both sides agreed for some plies that nobody does.
    Drawn = 4,
    /// It was too long.
    Length = 5,
}

impl Ending {
    /// All of them, in the order of their codes.
    pub const ALL: [Ending; 6] = [
        Ending::Mate,
        Ending::Rules,
        Ending::Tables,
        Ending::Won,
        Ending::Drawn,
        Ending::Length,
    ];
}

/// A move that was played after a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// What search said of the position before it, in centipawns as the side to move sees it; beyond
    /// ± 20,000 a mate. [`NO_SCORE`] if nothing is known.
    pub score: i16,
}

/// A position beside the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aside {
    /// After how many searched plies the game was left.
    pub after: u16,
    /// The moves that led away.
    pub walk: Vec<Move>,
    /// What search found there.
    pub found: Ply,
}

/// A game of the engine against itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Number of the Chess960 start position.
    pub start: u16,
    /// The moves played at random.
    pub random: Vec<Move>,
    /// The moves played after them.
    pub plies: Vec<Ply>,
    /// Positions beside the game, in the order of `after`.
    pub asides: Vec<Aside>,
    /// White's half points: 0, 1 or 2.
    pub half_points: u8,
    /// Why it was over.
    pub ending: Ending,
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
        let asides = &self.asides[..self.asides.len().min(usize::from(u16::MAX))];
        let flag = if asides.is_empty() { 0 } else { ASIDES };
        out.push(self.half_points | (self.ending as u8) << 2 | flag);
        out.extend((plies.len() as u16).to_le_bytes());
        for mv in random {
            out.extend(mv.bits().to_le_bytes());
        }
        for ply in plies {
            write_ply(out, *ply);
        }
        if !asides.is_empty() {
            out.extend((asides.len() as u16).to_le_bytes());
        }
        for aside in asides {
            out.extend(aside.after.to_le_bytes());
            let walk = &aside.walk[..aside.walk.len().min(255)];
            out.push(walk.len() as u8);
            for mv in walk {
                out.extend(mv.bits().to_le_bytes());
            }
            write_ply(out, aside.found);
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
        let ending = *Ending::ALL
            .get(usize::from(end >> 2 & 31))
            .ok_or(RecordError::Field("ending"))?;
        let random = read_moves(bytes, &mut position, random)?;
        let opening = position;
        let plies = (0..u16::from_le_bytes([c, d]))
            .map(|_| read_ply(bytes, &mut position))
            .collect::<Result<Vec<_>, _>>()?;
        let asides = if end & ASIDES == 0 {
            Vec::new()
        } else {
            read_asides(bytes, opening, &plies)?
        };
        Ok(GameRecord {
            start,
            random,
            plies,
            asides,
            half_points,
            ending,
        })
    }

    /// Calls `visit` with every position from which a searched move was played, and that move; not with
    /// the last position.
    pub fn for_each(&self, mut visit: impl FnMut(&Position, Ply)) {
        let Some(mut position) = GameRecord::start_position(self.start) else {
            return;
        };
        self.random.iter().for_each(|&mv| position.advance(mv));
        for &ply in &self.plies {
            visit(&position, ply);
            position.advance(ply.mv);
        }
    }

    /// Calls `visit` with every position beside the game and the best move found there.
    pub fn for_each_aside(&self, mut visit: impl FnMut(&Position, Ply)) {
        let mut asides = self.asides.iter().peekable();
        let mut number = 0;
        self.for_each(|position, _| {
            while let Some(aside) = asides.next_if(|aside| usize::from(aside.after) == number) {
                let mut position = *position;
                aside.walk.iter().for_each(|&mv| position.advance(mv));
                visit(&position, aside.found);
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

fn write_ply(out: &mut Vec<u8>, ply: Ply) {
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

fn read_ply(bytes: &mut &[u8], position: &mut Position) -> Result<Ply, RecordError> {
    Ok(Ply {
        mv: read_move(bytes, position)?,
        score: i16::from_le_bytes(take(bytes)?),
    })
}

/// Reads asides, which must be in order and leave the game before its last position.
fn read_asides(
    bytes: &mut &[u8],
    opening: Position,
    plies: &[Ply],
) -> Result<Vec<Aside>, RecordError> {
    let (mut position, mut at) = (opening, 0);
    (0..u16::from_le_bytes(take(bytes)?))
        .map(|_| {
            let after = u16::from_le_bytes(take(bytes)?);
            let ahead = plies
                .get(at..usize::from(after))
                .filter(|_| usize::from(after) < plies.len())
                .ok_or(RecordError::Field("aside"))?;
            ahead.iter().for_each(|ply| position.advance(ply.mv));
            at = usize::from(after);
            let [count] = take(bytes)?;
            let mut beside = position;
            Ok(Aside {
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
            asides: Vec::new(),
            half_points: random.below(3) as u8,
            ending: Ending::ALL[random.below(6)],
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
                    record.asides.push(Aside {
                        after: record.plies.len() as u16,
                        walk: walk.1,
                        found: Ply { mv, score },
                    });
                }
                record.plies.push(Ply { mv, score });
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
            game.for_each_aside(|position, found| {
                assert!(position.is_legal(found.mv));
                beside += 1;
            });
            assert_eq!(beside, game.asides.len());
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
