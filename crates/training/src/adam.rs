//! Adam (Kingma & Ba 2015): steps against the slope, scaled by running means of the slopes and of their squares.

/// How much of the old means a step keeps.
const KEEP: [f32; 2] = [0.9, 0.999];

/// The running means of slopes and of their squares, one of each a parameter.
#[derive(Clone, Debug)]
pub struct Adam {
    pub(crate) means: Vec<f32>,
    pub(crate) squares: Vec<f32>,
}

impl Adam {
    /// Before the first step.
    #[must_use]
    pub fn new(parameters: usize) -> Adam {
        Adam {
            means: vec![0.0; parameters],
            squares: vec![0.0; parameters],
        }
    }

    /// What to take from a parameter whose slope is this.
    pub fn step(&mut self, stride: Stride, parameter: usize, slope: f32) -> f32 {
        let (means, squares) = (&mut self.means, &mut self.squares);
        stride.change(&mut means[parameter], &mut squares[parameter], slope)
    }
}

/// How far a step goes.
#[derive(Clone, Copy, Debug)]
pub struct Stride {
    rate: f32,
    /// What the means are multiplied by, as they begin at zero.
    unbias: [f32; 2],
    small: f32,
}

impl Stride {
    /// That of the step of this number, counted from 1. `small` keeps slopes of almost nothing from being scaled up.
    #[must_use]
    pub fn new(number: u64, rate: f32, small: f32) -> Stride {
        let unbias = |keep: f32| 1.0 / (1.0 - libm::pow(f64::from(keep), number as f64));
        Stride {
            rate,
            unbias: KEEP.map(|keep| unbias(keep) as f32),
            small,
        }
    }

    /// What to take from one parameter; brings its means up to date.
    #[inline(always)]
    pub(crate) fn change(self, mean: &mut f32, square: &mut f32, slope: f32) -> f32 {
        *mean = KEEP[0] * *mean + (1.0 - KEEP[0]) * slope;
        *square = KEEP[1] * *square + (1.0 - KEEP[1]) * (slope * slope);
        let [mean, square] = [*mean * self.unbias[0], *square * self.unbias[1]];
        self.rate * (mean / (square.sqrt() + self.small))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        let mut adam = Adam::new(2);
        let stride = Stride::new(1, 0.5, 1e-8);
        assert!((adam.step(stride, 0, 3.0) - 0.5).abs() < 1e-4);
        assert!((adam.step(stride, 1, -0.01) + 0.5).abs() < 1e-4);
    }

    #[test]
    fn a_bowl_is_gone_down() {
        let mut adam = Adam::new(1);
        let mut x = 5.0f32;
        for number in 1..=1000 {
            let rate = 0.5 * 0.99f32.powi(number);
            x -= adam.step(Stride::new(number as u64, rate, 1e-8), 0, 2.0 * (x - 1.0));
        }
        assert!((x - 1.0).abs() < 1e-3, "{x}");
    }
}
