//! The same code compiled twice: for every processor, and for those with AVX2.
//!
//! The wide version computes the same numbers in the same order: AVX2 alone, without FMA, changes how many of them a
//! register holds and nothing else.

#![allow(unsafe_code)]

use bytemuck::{Pod, Zeroable};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256, _mm256_add_ps, _mm256_load_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_store_ps,
};

/// Numbers of a register.
pub(super) const LANES: usize = 8;

/// As many floats, in the place of a register.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C, align(32))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

impl Lanes {
    pub(super) const ZERO: Lanes = Lanes([0.0; LANES]);
}

/// A register of [`Lanes`], for loops in which compilers would put together what is not side by side.
pub(super) trait Register: Copy {
    fn load(lanes: &Lanes) -> Self;
    fn store(self, lanes: &mut Lanes);
    fn splat(x: f32) -> Self;
    /// Lane by lane.
    fn add(self, other: Self) -> Self;
    /// Lane by lane.
    fn mul(self, other: Self) -> Self;
}

impl Register for Lanes {
    #[inline(always)]
    fn load(lanes: &Lanes) -> Lanes {
        *lanes
    }

    #[inline(always)]
    fn store(self, lanes: &mut Lanes) {
        *lanes = self;
    }

    #[inline(always)]
    fn splat(x: f32) -> Lanes {
        Lanes([x; LANES])
    }

    #[inline(always)]
    fn add(self, other: Lanes) -> Lanes {
        Lanes(std::array::from_fn(|lane| self.0[lane] + other.0[lane]))
    }

    #[inline(always)]
    fn mul(self, other: Lanes) -> Lanes {
        Lanes(std::array::from_fn(|lane| self.0[lane] * other.0[lane]))
    }
}

/// Work that gains from wide vectors. `run` must be `#[inline(always)]`, as must be all that it calls in its loops:
/// only what is inlined is compiled for the processor at hand.
pub(super) trait Work {
    /// Does the work.
    fn run<R: Register>(self);
}

/// Does the work with the widest vectors that the processor has.
pub(super) fn widest(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that the function asks for.
        unsafe { with_avx2(work) };
        return;
    }
    work.run::<Lanes>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(work: impl Work) {
    work.run::<Wide>();
}

/// A register of 256 bits. Only [`with_avx2`] names it, so its functions run only where there is one.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Wide(__m256);

#[cfg(target_arch = "x86_64")]
impl Register for Wide {
    #[inline(always)]
    fn load(lanes: &Lanes) -> Wide {
        // SAFETY: the processor has AVX2 (above); lanes are eight readable floats, aligned to 32 bytes.
        Wide(unsafe { _mm256_load_ps(lanes.0.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, lanes: &mut Lanes) {
        // SAFETY: as in `load`, and `&mut` lets them be written.
        unsafe { _mm256_store_ps(lanes.0.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn splat(x: f32) -> Wide {
        // SAFETY: the processor has AVX2 (above).
        Wide(unsafe { _mm256_set1_ps(x) })
    }

    #[inline(always)]
    fn add(self, other: Wide) -> Wide {
        // SAFETY: the processor has AVX2 (above).
        Wide(unsafe { _mm256_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Wide) -> Wide {
        // SAFETY: the processor has AVX2 (above).
        Wide(unsafe { _mm256_mul_ps(self.0, other.0) })
    }
}

/// The sum of partial sums, in a fixed order.
#[inline(always)]
pub(super) fn across(lanes: &[f32; 8]) -> f32 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}
