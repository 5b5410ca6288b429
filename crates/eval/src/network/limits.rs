//! The limits of a network, and what can be wrong with one.

/// The most hidden units of a side.
pub const MAX_HIDDEN: usize = 2048;
/// The most output buckets.
pub const MAX_OUTPUTS: usize = 8;
/// The longest label, in bytes.
pub const MAX_LABEL: usize = 200;
/// The largest weight of an output or of the second layer, so that it times an activation fits 16 bits.
pub const MAX_WEIGHT: u16 = 127;
/// The largest number above the second layer of a layered network, so that no sum leaves the range of floats.
pub const MAX_UPPER: f32 = 10_000.0;
/// The largest scale.
pub const MAX_SCALE: i32 = 100_000;

/// What is wrong with a network or its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NetworkError {
    /// Other bytes at the start.
    #[error("not a network of this program")]
    Magic,
    /// The file ends within its header.
    #[error("the network ends within its header")]
    Header,
    /// Too short or too long for its header.
    #[error("the network has {found} bytes instead of {wanted}")]
    Length {
        /// What the header asks for.
        wanted: usize,
        /// What there is.
        found: usize,
    },
    /// Damaged.
    #[error("the network's checksum is wrong: the file is damaged")]
    Checksum,
    /// Hidden units.
    #[error("{0} hidden units: not a multiple of 32 up to {MAX_HIDDEN}")]
    Hidden(usize),
    /// Hidden units below further layers.
    #[error("{0} hidden units: not a multiple of {1}, as they must be below further layers")]
    Layered(usize, usize),
    /// Output buckets.
    #[error("{0} output buckets: not 1 to {MAX_OUTPUTS}")]
    Outputs(usize),
    /// King buckets.
    #[error("{0} king buckets: not 1 to 64")]
    KingBuckets(usize),
    /// A king bucket of a square.
    #[error("a king square is in bucket {0} of {1}")]
    KingBucket(u8, usize),
    /// Flags of a later version.
    #[error("unknown flags {0:#x} in the network")]
    Flags(u32),
    /// A network of version 1.0, which corrected its hand-crafted evaluation.
    #[error("the network corrects the hand-crafted evaluation of version 1.0, which is gone")]
    Residual,
    /// A layered network whose second layer has 16 bits.
    #[error(
        "the network's second layer has weights of 16 bits; such networks must be trained again"
    )]
    WideLayers,
    /// Scale.
    #[error("scale {0}: not 1 to {MAX_SCALE}")]
    Scale(i32),
    /// The label.
    #[error("the network's label is not UTF-8 of at most {MAX_LABEL} bytes")]
    Label,
    /// A weight of an output.
    #[error("an output weight is {0}: beyond {MAX_WEIGHT}")]
    Weight(i16),
    /// A number above the second layer.
    #[error("a number above the second layer is beyond {MAX_UPPER}")]
    Upper,
    /// Numbers that do not fill the shape.
    #[error("the network has too few or too many numbers")]
    Numbers,
}
