//! The same code compiled twice: for every processor, and for those with AVX2.
//!
//! The wide version computes the same numbers in the same order: AVX2 alone, without FMA, changes how many of them a
//! register holds and nothing else.

#![allow(unsafe_code)]

/// Work that gains from wide vectors. `run` must be `#[inline(always)]`, as must be all that it calls in its loops:
/// only what is inlined is compiled for the processor at hand.
pub(super) trait Work {
    /// Does the work.
    fn run(self);
}

/// Does the work with the widest vectors that the processor has.
pub(super) fn widest(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that the function asks for.
        unsafe { with_avx2(work) };
        return;
    }
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(work: impl Work) {
    work.run();
}

/// The sum of partial sums, in a fixed order.
#[inline(always)]
pub(super) fn across(lanes: &[f32; 8]) -> f32 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}
