//! The inner loops, by what the processor has: rows of the hidden layer added and subtracted, and the weighted squares of the
//! output or the second layer.
//!
//! They are written once for any processor (`portable.rs`) and compiled a second time for AVX2 (`avx2.rs`); the layers above
//! the hidden one are there a third time for AVX-512 (`avx512.rs`). Which one is used is chosen at run time.
//! Additions wrap around, or, of the output, no sum can leave its 32-bit lane, and floats are added in a fixed order: so all
//! give the same result for any numbers. Compiled for 512-bit vectors, rows were no faster on Zen 4.
#![allow(unsafe_code)]

use super::block::Block;
use super::features::Perspective;
use super::layers::Layers;
use super::portable::{self, Difference};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// Which compiled version of the loops is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kernels(Path);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Path {
    Portable,
    /// Used only where AVX2 is detected.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Used only where AVX2 and what `avx512` asks for is detected.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// With which instructions networks are evaluated on this processor.
#[must_use]
pub fn vectors() -> &'static str {
    match Kernels::detect().0 {
        Path::Portable => "portable code",
        #[cfg(target_arch = "x86_64")]
        Path::Avx2 => "AVX2, chosen at run time",
        #[cfg(target_arch = "x86_64")]
        Path::Avx512 => "AVX2 and AVX-512 VNNI, chosen at run time",
    }
}

impl Kernels {
    /// For any processor.
    pub(super) const PORTABLE: Kernels = Kernels(Path::Portable);

    /// The fastest that this processor can do.
    pub(super) fn detect() -> Kernels {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Kernels(if avx512::is_detected() {
                Path::Avx512
            } else {
                Path::Avx2
            });
        }
        Kernels::PORTABLE
    }

    /// All that this processor can do, for tests; portable code first.
    pub(super) fn all() -> impl Iterator<Item = Kernels> {
        let paths: &[Path] = match Kernels::detect().0 {
            Path::Portable => &[Path::Portable],
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => &[Path::Portable, Path::Avx2],
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => &[Path::Portable, Path::Avx2, Path::Avx512],
        };
        paths.iter().copied().map(Kernels)
    }

    /// `to = from` and the rows of the added features in a perspective less those of the removed ones; rows of `weights` are
    /// as long as `from` and `to`.
    #[inline]
    pub(super) fn change(
        self,
        from: &[Block],
        to: &mut [Block],
        weights: &[Block],
        difference: &Difference,
        view: Perspective,
    ) {
        match self.0 {
            Path::Portable => portable::change(from, to, weights, difference, view),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: these paths exist only where AVX2 was detected.
            Path::Avx2 | Path::Avx512 => unsafe {
                avx2::change(from, to, weights, difference, view)
            },
        }
    }

    /// The sum of `weight * clamp(x, 0, 255)²` over both rows, `weights` being as long as both.
    #[inline]
    pub(super) fn output(self, ours: &[Block], theirs: &[Block], weights: &[Block]) -> i64 {
        match self.0 {
            Path::Portable => portable::output(ours, theirs, weights),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: these paths exist only where AVX2 was detected.
            Path::Avx2 | Path::Avx512 => unsafe { avx2::output(ours, theirs, weights) },
        }
    }

    /// The output of a layered network; `layers` has rows for as many inputs as both give.
    #[inline]
    pub(super) fn layers(self, ours: &[Block], theirs: &[Block], layers: &Layers<'_>) -> f32 {
        match self.0 {
            Path::Portable => layers.output(&portable::second(ours, theirs, layers)),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where AVX2 was detected.
            Path::Avx2 => unsafe { avx2::layers(ours, theirs, layers) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where these instructions were detected.
            Path::Avx512 => unsafe { avx512::layers(ours, theirs, layers) },
        }
    }
}
