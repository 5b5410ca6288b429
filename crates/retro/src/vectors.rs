//! Work compiled a second time for wider vectors, and chosen at run time.

#![allow(unsafe_code)]

/// A piece of work whose loops gain by vectors of 32 bytes.
pub trait Work {
    /// What comes out of it.
    type Output;

    /// Does it. Must be `#[inline(always)]`, with all that it spends its time in, or it stays as it is.
    fn run(self) -> Self::Output;
}

/// Does a piece of work with the widest vectors that this processor has and this crate is compiled for: AVX2 or what
/// every processor has.
#[inline(always)]
pub fn widest<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has just been asked.
        return unsafe { with_avx2(work) };
    }
    work.run()
}

/// Whether the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn has_avx2() -> bool {
    // The standard library asks the processor once and keeps the answer.
    is_x86_feature_detected!("avx2")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run()
}
