//! How fast work in the background may go beside a search.

use duchamp_base::Control;

/// How fast tables may be generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pace {
    /// Nothing else to do.
    Full,
    /// A search without a clock runs: one thread.
    Slow,
    /// A clock runs: not at all.
    Paused,
}

impl Pace {
    pub(super) fn apply(self, control: &Control) {
        match self {
            Pace::Paused => return control.pause(),
            Pace::Slow => control.set_limit(1),
            Pace::Full => control.set_limit(control.threads()),
        }
        control.resume();
    }
}
