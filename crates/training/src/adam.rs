//! The Adam optimizer (Kingma & Ba 2015): steps against the gradient, scaled by its first and second moments.

/// The decay rates beta1 and beta2 of the moments.
const BETA: [f32; 2] = [0.9, 0.999];

/// First and second moments of the gradient, one of each for every parameter.
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

    /// The step of a parameter with this gradient: subtract it from the parameter.
    pub fn step(&mut self, stride: Stride, parameter: usize, gradient: f32) -> f32 {
        let (means, squares) = (&mut self.means, &mut self.squares);
        stride.change(&mut means[parameter], &mut squares[parameter], gradient)
    }
}

/// The step size and bias corrections of one step.
#[derive(Clone, Copy, Debug)]
pub struct Stride {
    rate: f32,
    /// Bias corrections of the moments, which begin at zero.
    unbias: [f32; 2],
    small: f32,
}

impl Stride {
    /// The step of this number, from 1, at a learning rate; `small` is Adam's epsilon.
    #[must_use]
    pub fn new(number: u64, rate: f32, small: f32) -> Stride {
        let unbias = |keep: f32| 1.0 / (1.0 - libm::pow(f64::from(keep), number as f64));
        Stride {
            rate,
            unbias: BETA.map(|keep| unbias(keep) as f32),
            small,
        }
    }

    /// Updates the moments of one parameter and returns its step.
    #[inline(always)]
    pub(crate) fn change(self, mean: &mut f32, square: &mut f32, gradient: f32) -> f32 {
        *mean = BETA[0] * *mean + (1.0 - BETA[0]) * gradient;
        *square = BETA[1] * *square + (1.0 - BETA[1]) * (gradient * gradient);
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
    fn a_parabola_is_minimised() {
        let mut adam = Adam::new(1);
        let mut x = 5.0f32;
        for number in 1..=1000 {
            let rate = 0.5 * 0.99f32.powi(number);
            x -= adam.step(Stride::new(number as u64, rate, 1e-8), 0, 2.0 * (x - 1.0));
        }
        assert!((x - 1.0).abs() < 1e-3, "{x}");
    }
}
