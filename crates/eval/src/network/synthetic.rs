//! Synthetic networks, of any architecture and from a seed: for tests and benchmarks without a trained network, and as the
//! first teacher of networks trained from nothing.

use super::features::Inputs;
use super::limits::NetworkError;
use super::weights::{Architecture, Head, Network, Parameters};
use duchamp_base::Random;
use duchamp_chess::Role;

/// Piece values of a synthetic network's hidden units.
const WORTH: [i16; 6] = [5, 16, 17, 26, 48, 0];

impl Network {
    /// The smallest synthetic network: it knows what pieces are worth, roughly, and nothing else.
    #[must_use]
    pub fn material() -> Network {
        let shape = Architecture {
            inputs: Inputs::new(true),
            hidden: 32,
            outputs: 1,
            scale: 400,
            head: Head::Output,
        };
        Network::synthetic(shape, 1).expect("the shape is within the limits")
    }

    /// A network that counts material, more or less, so that a search with it looks like one: half the
    /// hidden units rise with the material of the side that looks, half fall, and noise is over all. Above the hidden layer
    /// of a layered network is noise alone.
    ///
    /// # Errors
    /// If the shape is beyond the limits of the format.
    pub fn synthetic(shape: Architecture, seed: u64) -> Result<Network, NetworkError> {
        shape.check()?;
        let mut noise = Noise(Random::new(seed));
        let units = shape.hidden;
        let mut hidden_weights = Vec::with_capacity(shape.inputs.count() * units);
        for feature in 0..shape.inputs.count() {
            let theirs = feature / (6 * 64) % 2 == 1;
            let worth = WORTH[feature / 64 % Role::ALL.len()];
            for unit in 0..units {
                let falls = unit % 2 == 1;
                let signed = if theirs == falls { worth } else { -worth };
                hidden_weights.push(signed + noise.within(4));
            }
        }
        let hidden_bias = (0..units).map(|_| 128 + noise.within(100)).collect();
        // Rising units of the mover and falling ones of the opponent speak for the mover.
        let most = (800 / units).max(1) as i16;
        let [_, _, weights, biases, upper] = shape.lengths();
        let mut output_weights = Vec::with_capacity(weights);
        for index in 0..weights {
            let (half, unit) = (index / units % 2, index % units);
            let sign = if half == unit % 2 { 1 } else { -1 };
            let weight = noise.within(if shape.head.is_layered() { 127 } else { most });
            output_weights.push(if shape.head.is_layered() {
                weight
            } else {
                sign * weight.abs()
            });
        }
        let output_bias = (0..biases).map(|_| i32::from(noise.within(300))).collect();
        let upper = (0..upper)
            .map(|_| f32::from(noise.within(999)) / 2000.0)
            .collect();
        let parameters = Parameters {
            hidden_weights,
            hidden_bias,
            output_weights,
            output_bias,
            upper,
        };
        Network::new(shape, &format!("synthetic, seed {seed}"), &parameters)
    }
}

/// Small numbers of either sign.
struct Noise(Random);

impl Noise {
    fn within(&mut self, limit: i16) -> i16 {
        let span = 2 * i64::from(limit) + 1;
        ((self.0.next_u64() >> 33) as i64 % span - i64::from(limit)) as i16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::Position;

    #[test]
    fn material_counts() {
        for hidden in [64, 256, 1024] {
            let shape = Architecture {
                inputs: Inputs::new(true),
                hidden,
                outputs: 8,
                scale: 400,
                head: Head::Output,
            };
            counts(&Network::synthetic(shape, 1).expect("a sound shape"));
        }
        counts(&Network::material());
    }

    fn counts(network: &Network) {
        let value = |fen: &str| {
            let position = Position::from_fen(fen).expect("a legal position");
            network.value(&position).0
        };
        let even = value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let ahead = value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let behind = value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
        assert!(
            ahead > even + 400 && behind < even - 400,
            "{behind} {even} {ahead}"
        );
        assert!(even.abs() < 400, "{even}");
    }
}
