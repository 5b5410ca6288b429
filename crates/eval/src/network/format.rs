//! The network file format: little-endian, fully validated. Label and checksum are those of a
//! [`frame`](duchamp_base::frame), without its version.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `DUCHNET1` |
//! | 4 each | hidden units N of a side, output buckets B, king buckets K, flags (bit 0: mirrored; bit 1: once, to be added to a hand-crafted evaluation, refused; bit 2: with threats; bit 3: once, layered with weights of 16 bits, refused; bit 4: hidden units in pairs, with bit 5; bit 5: layered) |
//! | 4 | scale, signed |
//! | 4 and as many | length of the label, and the label in UTF-8: how the network was trained |
//! | 64 | the king bucket of each king square, as its side sees it |
//! | 2 each | K * 768 (with threats 9 * K * 768) * N weights of the hidden layer, N biases, B * 2N weights of the outputs, or, if layered, B * 16 * 2N of the second layer (in pairs B * 16 * N) |
//! | 4 each | B biases of the outputs, or B * 16 of the second layer |
//! | 4 each | if layered, floats: B times what is above the second layer, see [`UPPER`](super::UPPER) |
//! | 8 | XXH3-64 of all before |

use super::features::Inputs;
use super::limits::{MAX_LABEL, NetworkError};
use super::weights::{Architecture, Head, Network, Parameters};
use duchamp_base::files;
use duchamp_base::frame::{self, Label};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How the file of a network begins.
pub const NETWORK_LABEL: &Label = b"DUCHNET1";
/// The network that comes with the program (`build.rs`).
static EMBEDDED: &[u8] = include_bytes!(env!("DUCHAMP_NETWORK"));
/// No file of a network is longer.
const LONGEST_FILE: u64 = 1 << 28;
/// Flag: the board is mirrored by the own king.
const MIRRORED: u32 = 1;
/// Flag of version 1.0: to be added to its hand-crafted evaluation.
const RESIDUAL: u32 = 2;
/// Flag: pieces that are attacked or defended are other features.
const THREATS: u32 = 4;
/// Flag: once, layers whose second one had weights of 16 bits.
const WIDE_LAYERS: u32 = 8;
/// Flag: these layers, or those of today, are of products of two hidden units each.
const PAIRED: u32 = 16;
/// Flag: two more layers between the hidden layer and the output.
const LAYERED: u32 = 32;

/// Why a network file could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct LoadError {
    path: PathBuf,
    cause: LoadCause,
}

#[derive(Debug, thiserror::Error)]
enum LoadCause {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Network(#[from] NetworkError),
}

impl Network {
    /// The network that comes with the program.
    #[must_use]
    pub fn embedded() -> Arc<Network> {
        static READ: OnceLock<Arc<Network>> = OnceLock::new();
        let read = || Network::from_bytes(EMBEDDED).expect("a test reads the embedded one");
        Arc::clone(READ.get_or_init(|| Arc::new(read())))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or anything about it is wrong.
    pub fn load(path: &Path) -> Result<Network, LoadError> {
        let read = || -> Result<Network, LoadCause> {
            let bytes = files::read_limited(path, LONGEST_FILE)?;
            Ok(Network::from_bytes(&bytes)?)
        };
        read().map_err(|cause| LoadError {
            path: path.to_owned(),
            cause,
        })
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// If anything about them is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let rest = frame::after_label(bytes, NETWORK_LABEL).map_err(|_| NetworkError::Magic)?;
        let mut reader = Reader(rest);
        let [hidden, outputs, king_buckets, flags] =
            [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?];
        if flags & WIDE_LAYERS != 0 {
            return Err(NetworkError::WideLayers);
        }
        let head = match (flags & LAYERED != 0, flags & PAIRED != 0) {
            (false, false) => Head::Output,
            (true, false) => Head::Layers,
            (true, true) => Head::PairedLayers,
            (false, true) => return Err(NetworkError::Flags(flags)),
        };
        if flags & !(MIRRORED | RESIDUAL | THREATS | WIDE_LAYERS | PAIRED | LAYERED) != 0 {
            return Err(NetworkError::Flags(flags));
        }
        if flags & RESIDUAL != 0 {
            return Err(NetworkError::Residual);
        }
        let scale = reader.u32()? as i32;
        let label_length = reader.u32()? as usize;
        if label_length > MAX_LABEL {
            return Err(NetworkError::Label);
        }
        let label = std::str::from_utf8(reader.take(label_length)?);
        let label = label.map_err(|_| NetworkError::Label)?;
        let bucket_of = reader.array::<64>()?;
        let shape = Architecture {
            inputs: Inputs::with_king_buckets(
                flags & MIRRORED != 0,
                king_buckets as usize,
                bucket_of,
            )?
            .with_threats(flags & THREATS != 0),
            hidden: hidden as usize,
            outputs: outputs as usize,
            scale,
            head,
        };
        shape.check()?;
        let [a, b, c, d, e] = shape.lengths();
        let header = bytes.len() - reader.0.len();
        let wanted = header + 2 * (a + b + c) + 4 * (d + e) + frame::SUM;
        if bytes.len() != wanted {
            return Err(NetworkError::Length {
                wanted,
                found: bytes.len(),
            });
        }
        frame::unseal(bytes).map_err(|_| NetworkError::Checksum)?;
        let parameters = Parameters {
            hidden_weights: reader.i16s(a)?,
            hidden_bias: reader.i16s(b)?,
            output_weights: reader.i16s(c)?,
            output_bias: (0..d)
                .map(|_| Ok(reader.u32()? as i32))
                .collect::<Result<_, _>>()?,
            upper: (0..e)
                .map(|_| Ok(f32::from_bits(reader.u32()?)))
                .collect::<Result<_, _>>()?,
        };
        Network::new(shape, label, &parameters)
    }

    /// The bytes of its file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let shape = self.shape();
        let Parameters {
            hidden_weights,
            hidden_bias,
            output_weights,
            output_bias,
            upper,
        } = self.parameters();
        let flags = [
            (shape.inputs.is_mirrored(), MIRRORED),
            (shape.inputs.has_threats(), THREATS),
            (shape.head.is_layered(), LAYERED),
            (shape.head.is_paired(), PAIRED),
        ]
        .map(|(set, flag)| if set { flag } else { 0 })
        .into_iter()
        .sum();
        let mut bytes = NETWORK_LABEL.to_vec();
        for number in [
            shape.hidden as u32,
            shape.outputs as u32,
            shape.inputs.king_buckets() as u32,
            flags,
            shape.scale as u32,
            self.label().len() as u32,
        ] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.label().as_bytes());
        bytes.extend(shape.inputs.bucket_of());
        for numbers in [hidden_weights, hidden_bias, output_weights] {
            bytes.extend(numbers.into_iter().flat_map(i16::to_le_bytes));
        }
        bytes.extend(output_bias.into_iter().flat_map(i32::to_le_bytes));
        bytes.extend(upper.into_iter().flat_map(f32::to_le_bytes));
        frame::seal(&mut bytes);
        bytes
    }
}

/// Bytes not yet read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], NetworkError> {
        let (head, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(NetworkError::Header)?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const L: usize>(&mut self) -> Result<[u8; L], NetworkError> {
        let (head, rest) = self.0.split_first_chunk().ok_or(NetworkError::Header)?;
        self.0 = rest;
        Ok(*head)
    }

    fn u32(&mut self) -> Result<u32, NetworkError> {
        self.array().map(u32::from_le_bytes)
    }

    fn i16s(&mut self, count: usize) -> Result<Vec<i16>, NetworkError> {
        let (pairs, _) = self.take(2 * count)?.as_chunks();
        Ok(pairs.iter().map(|&pair| i16::from_le_bytes(pair)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Network {
        network(Head::Output)
    }

    fn network(head: Head) -> Network {
        let shape = Architecture {
            inputs: Inputs::new(true),
            hidden: if head.is_layered() { 128 } else { 32 },
            outputs: 2,
            scale: 400,
            head,
        };
        Network::synthetic(shape, 7).expect("a sound shape")
    }

    /// The bytes with one changed and the checksum made right again.
    fn forged(at: usize, byte: u8) -> Result<Network, NetworkError> {
        let mut bytes = small().to_bytes();
        bytes[at] = byte;
        frame::reseal(&mut bytes);
        Network::from_bytes(&bytes)
    }

    #[test]
    fn the_embedded_network_is_sound() {
        assert_eq!(Network::embedded().to_bytes(), EMBEDDED);
    }

    #[test]
    fn what_is_written_is_read() {
        for network in [Head::Output, Head::Layers, Head::PairedLayers].map(network) {
            assert_eq!(Network::from_bytes(&network.to_bytes()), Ok(network));
        }
    }

    #[test]
    fn damage_is_found() {
        let bytes = small().to_bytes();
        for at in (0..bytes.len()).step_by(97).chain(0..120) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(Network::from_bytes(&damaged).is_err(), "byte {at}");
        }
        for length in (0..200).chain([bytes.len() / 2, bytes.len() - 1]) {
            assert!(Network::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(matches!(
            Network::from_bytes(&longer),
            Err(NetworkError::Length { .. })
        ));
    }

    #[test]
    fn each_field_is_validated() {
        assert_eq!(forged(0, b'X'), Err(NetworkError::Magic));
        assert_eq!(forged(8, 33), Err(NetworkError::Hidden(33)));
        assert_eq!(forged(8, 0), Err(NetworkError::Hidden(0)));
        assert_eq!(forged(12, 9), Err(NetworkError::Outputs(9)));
        assert_eq!(forged(16, 0), Err(NetworkError::KingBuckets(0)));
        // In pairs without layers, and unknown.
        assert_eq!(forged(20, 17), Err(NetworkError::Flags(17)));
        assert_eq!(forged(20, 65), Err(NetworkError::Flags(65)));
        assert_eq!(forged(20, 33), Err(NetworkError::Layered(32, 64)));
        assert_eq!(forged(20, 49), Err(NetworkError::Layered(32, 128)));
        assert_eq!(forged(20, 9), Err(NetworkError::WideLayers));
        assert_eq!(forged(20, 3), Err(NetworkError::Residual));
        assert!(matches!(forged(27, 0xff), Err(NetworkError::Scale(_))));
        assert_eq!(forged(28, 201), Err(NetworkError::Label));
        assert_eq!(forged(32, 0xff), Err(NetworkError::Label));
        let squares = 32 + small().label().len();
        assert_eq!(forged(squares, 1), Err(NetworkError::KingBucket(1, 1)));
        let outputs = small().to_bytes().len() - 8 - 2 * 4 - 2 * 2 * 32 * 2;
        assert!(matches!(
            forged(outputs + 1, 1),
            Err(NetworkError::Weight(_))
        ));
        let layered = network(Head::Layers).to_bytes();
        for number in [f32::NAN, f32::INFINITY, -1e5] {
            let mut bytes = layered.clone();
            let last = bytes.len() - 8 - 4;
            bytes[last..last + 4].copy_from_slice(&number.to_le_bytes());
            frame::reseal(&mut bytes);
            assert_eq!(Network::from_bytes(&bytes), Err(NetworkError::Upper));
        }
    }
}
