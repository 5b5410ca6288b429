//! The trainer as a whole: gradients, learning, reproducibility.

use super::shape::Section;
use super::shard::{Objective, Shard};
use super::{
    Data, EpochEnd, Loader, OtherShape, Packed, Shape, TrainSettings, Trainer, unfinished,
};
use crate::selfplay::{Filter, GameRecord, ScoredMove, Termination};
use duchamp_base::Control;
use duchamp_base::Random;
use duchamp_chess::{Position, Role};
use duchamp_eval::by_network;
use duchamp_eval::network::{Head, Network, UPPER};
use std::sync::Arc;

/// Data from random games, scored by a rule.
fn games(count: u64, score: impl Fn(&Position) -> i16) -> Data {
    let filter = Filter {
        max_score: 2000,
        min_ply: 4,
    };
    let mut loader = Loader::new(filter, 10, 0);
    for number in 0..count {
        let mut random = Random::of(99, number);
        let mut position = Position::start();
        let mut plies = Vec::new();
        for _ in 0..200 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            let score = score(&position);
            plies.push(ScoredMove { mv, score });
            position.advance(mv);
        }
        loader.add(&GameRecord {
            start: GameRecord::ORDINARY,
            random: Vec::new(),
            plies,
            off_game: Vec::new(),
            half_points: random.below(3) as u8,
            ending: Termination::Length,
        });
    }
    loader.finish()
}

/// The mover's material less the opponent's, in hundredths of a pawn.
fn material(position: &Position) -> i16 {
    let worth = [100, 300, 300, 500, 900, 0];
    let side = |color| {
        let roles = Role::ALL.into_iter().zip(worth);
        roles
            .map(|(role, worth)| position.of(color, role).count() as i16 * worth)
            .sum::<i16>()
    };
    side(position.turn()) - side(!position.turn())
}

fn settings(shape: Shape) -> TrainSettings {
    TrainSettings {
        shape,
        wdl_weight: 0.0,
        scale: 400,
        power: 2.0,
        epochs: 4,
        batch: 256,
        rate: 0.005,
        final_rate: 0.0001,
        decay: 0.01,
        decay_apart: 1.0,
        seed: 5,
    }
}

fn shape(hidden: usize, outputs: usize, kings: usize, mirrored: bool) -> Shape {
    Shape::new(hidden, outputs, kings, mirrored).expect("a possible shape")
}

fn headed(shape: Shape, head: Head) -> Shape {
    shape.with_head(head).expect("enough units")
}

fn learn(trainer: &mut Trainer, data: &Data, threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(|| {
        while !trainer.is_done() {
            let ended = trainer.epoch(data, &Control::default(), |_| ());
            ended.expect("it converges");
        }
    });
}

/// The output in double precision, straight from the definition.
fn out(shape: &Shape, parameters: &[f64], position: &Packed) -> f64 {
    let mut features = [[0; 2]; 32];
    let men = position.features(shape.inputs(), &mut features);
    let [hidden, bias, output, output_bias, upper] =
        Section::ALL.map(|s| &parameters[shape.section(s)]);
    let (bucket, units) = (shape.output_bucket(men), shape.units());
    let mut sums = output_bias[bucket * units..][..units].to_vec();
    for half in 0..2 {
        let hidden_unit = |unit: usize| {
            let (tile, lane) = (unit / 32, unit % 32);
            let weight = |pair: &[u16; 2]| {
                hidden[(tile * shape.features() + usize::from(pair[half])) * 32 + lane]
            };
            let x = bias[unit] + features[..men].iter().map(weight).sum::<f64>();
            x.clamp(0.0, 1.0)
        };
        for unit in 0..bias.len() {
            let (tile, lane) = (unit / 32, unit % 32);
            let place = bucket * shape.tiles() + tile;
            for (number, sum) in sums.iter_mut().enumerate() {
                *sum += if !shape.head().is_paired() {
                    let row = (place * 2 + half) * units + number;
                    hidden_unit(unit).powi(2) * output[row * 32 + lane]
                } else if lane < 16 {
                    let row = place * units + number;
                    let product = hidden_unit(unit) * hidden_unit(unit + 16);
                    product * output[row * 32 + 16 * half + lane]
                } else {
                    0.0
                };
            }
        }
    }
    if !shape.head().is_layered() {
        return sums[0];
    }
    let upper = &upper[bucket * UPPER..][..UPPER];
    let (weights, rest) = upper.split_at(32 * 32);
    let clamped = sums.iter().map(|z| z.clamp(0.0, 1.0));
    let inputs: Vec<f64> = clamped
        .chain(sums.iter().map(|z| (z * z).min(1.0)))
        .collect();
    let third = |unit: usize| {
        let weighted = inputs.iter().enumerate();
        rest[unit]
            + weighted
                .map(|(n, x)| x * weights[n * 32 + unit])
                .sum::<f64>()
    };
    let weighted = (0..32).map(|unit| third(unit).clamp(0.0, 1.0) * rest[32 + unit]);
    rest[64] + weighted.sum::<f64>()
}

#[test]
fn gradients_are_those_of_the_loss() {
    let data = games(3, material);
    for (shape, power) in [
        (shape(64, 4, 4, true), 2.5),
        (shape(32, 1, 1, false), 2.0),
        (shape(32, 2, 1, true).threats(true), 2.0),
        (headed(shape(64, 2, 1, true), Head::Layers), 2.0),
        (headed(shape(128, 1, 1, false), Head::PairedLayers), 2.0),
    ] {
        let settings = TrainSettings {
            wdl_weight: 0.4,
            power,
            ..settings(shape.clone())
        };
        let trainer = Trainer::new(settings.clone());
        let objective = Objective::new(&settings);
        let positions = &data.training;
        let mut shard = Shard::new(&shape);
        shard.run(
            &shape,
            shape.parts(&trainer.parameters),
            objective,
            positions.iter(),
            1.0,
        );
        let exact = |parameters: &[f64]| -> f64 {
            let loss = |position: &Packed| {
                let expected = 1.0 / (1.0 + (-out(&shape, parameters, position)).exp());
                let error = expected - f64::from(objective.target(position));
                error.abs().powf(f64::from(power))
            };
            positions.iter().map(loss).sum()
        };
        let mut parameters: Vec<f64> = trainer.parameters.iter().map(|&p| f64::from(p)).collect();
        let loss = exact(&parameters);
        assert!(
            (shard.loss - loss).abs() < 1e-4 * loss,
            "{} {loss}",
            shard.loss
        );
        let mut random = Random::new(3);
        let mut steep = 0;
        for section in Section::ALL {
            let range = shape.section(section);
            // Networks without further layers have nothing above the second.
            let samples = if range.is_empty() { 0 } else { 40 };
            for _ in 0..samples {
                let at = range.start + random.below(range.len());
                let old = parameters[at];
                let [above, below] = [1e-7, -1e-7].map(|step| {
                    parameters[at] = old + step;
                    exact(&parameters)
                });
                parameters[at] = old;
                let (slope, found) = ((above - below) / 2e-7, f64::from(shard.gradient[at]));
                steep += u32::from(slope.abs() > 1e-3);
                assert!(
                    (found - slope).abs() < 2e-3 * slope.abs().max(1e-2),
                    "{section:?} {at}: {found}, not {slope}"
                );
            }
        }
        assert!(steep > 60, "{steep} slopes that say something");
    }
}

#[test]
fn material_is_learnt() {
    let data = games(300, material);
    assert!(data.training.len() > 20_000 && !data.validation.games.is_empty());
    for shape in [
        shape(32, 1, 1, true),
        shape(32, 2, 2, false),
        headed(shape(64, 1, 1, true), Head::Layers),
        headed(shape(128, 1, 1, true), Head::PairedLayers),
    ] {
        let settings = TrainSettings {
            epochs: 10,
            ..settings(shape)
        };
        let mut trainer = Trainer::new(settings);
        let before = trainer.validation_loss(&data.validation).games;
        learn(&mut trainer, &data, 2);
        let after = trainer
            .epochs()
            .last()
            .map_or(1.0, |epoch| epoch.validation_loss.games);
        assert!(
            after < 0.003 && after < before / 25.0,
            "{before} to {after}"
        );
    }
}

#[test]
fn threads_and_stops_make_no_difference() {
    let data = games(40, material);
    let settings = settings(shape(32, 2, 1, true));
    let learnt = |threads| {
        let mut trainer = Trainer::new(settings.clone());
        learn(&mut trainer, &data, threads);
        trainer
    };
    let whole = learnt(1);
    let same = |other: &Trainer| {
        let losses = |t: &Trainer| {
            t.epochs()
                .iter()
                .map(|e| (e.training_loss, e.validation_loss))
                .collect::<Vec<_>>()
        };
        other.parameters[..] == whole.parameters[..] && losses(other) == losses(&whole)
    };
    assert!(same(&learnt(3)));

    // Stopped at once, then within an epoch, then gone on from a file.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint");
    let mut stopped = Trainer::new(settings.clone());
    let control = Control::default();
    control.cancel();
    let ended = stopped.epoch(&data, &control, |_| ()).cloned();
    assert_eq!(ended, Err(EpochEnd::Cancelled));
    assert!(stopped.epoch(&data, &Control::default(), |_| ()).is_ok());
    let control = Control::default();
    let told = |share| {
        if share > 0.3 {
            control.cancel();
        }
    };
    let ended = stopped.epoch(&data, &control, told).cloned();
    assert_eq!(ended, Err(EpochEnd::Cancelled));
    assert_eq!(unfinished(&path), None);
    stopped.save(&path, &data).expect("written");
    assert_eq!(unfinished(&path), Some((1, 4)));
    let mut resumed = Trainer::resume(&path, settings.clone(), &data).expect("read");
    learn(&mut resumed, &data, 2);
    assert!(same(&resumed));
    let ended = folder.path().join("ended");
    learn(&mut resumed, &data, 1);
    resumed.save(&ended, &data).expect("written");
    assert_eq!(unfinished(&ended), None);

    let told = |settings, data: &Data| {
        let error = Trainer::resume(&path, settings, data)
            .err()
            .expect("refused");
        error.to_string()
    };
    let other = TrainSettings {
        batch: 512,
        ..settings.clone()
    };
    assert_eq!(
        told(other, &data),
        "the checkpoint was written with other settings: batch 256, not 512"
    );
    assert_eq!(
        told(settings.clone(), &games(3, material)),
        "the checkpoint was written with other data"
    );
    let mut bytes = std::fs::read(&path).expect("readable");
    bytes[1000] ^= 1;
    std::fs::write(&path, &bytes).expect("written");
    assert!(told(settings, &data).ends_with("the checksum is wrong"));
}

#[test]
fn weights_stay_in_bounds() {
    let data = games(20, |position| material(position).signum() * 2000);
    let shape = shape(32, 1, 1, true);
    let settings = TrainSettings {
        rate: 0.5,
        final_rate: 0.5,
        decay: 0.0,
        ..settings(shape.clone())
    };
    let mut trainer = Trainer::new(settings);
    learn(&mut trainer, &data, 1);
    let bounded = &trainer.parameters[..shape.section(Section::OutputBias).start];
    let most = bounded.iter().fold(0f32, |most, p| most.max(p.abs()));
    assert_eq!(
        most,
        super::adamw::LIMIT,
        "some weight went as far as it may"
    );
}

#[test]
fn a_trainer_begins_with_a_network() {
    let base = |hidden, outputs, kings| shape(hidden, outputs, kings, true);
    let shape = |hidden| base(hidden, 3, 2);
    let network = |hidden| {
        let first = Trainer::new(settings(shape(hidden)));
        first.network("test").expect("within the format")
    };
    let begun = |hidden, network: &Network| {
        let seed = 77;
        let mut trainer = Trainer::new(TrainSettings {
            seed,
            ..settings(shape(hidden))
        });
        trainer.begin_with(network).map(|()| trainer)
    };
    let known = network(64);
    let same = begun(64, &known).expect("the same shape");
    assert_eq!(same.network("test"), Ok(known.clone()));

    // New hidden units have random weights, but count nothing.
    let wide = begun(96, &known).expect("more hidden units");
    let wide = wide.network("test").expect("within the format");
    let position = Position::start();
    assert_eq!(wide.value(&position), known.value(&position));
    let new = |numbers: &[i16]| -> Vec<i16> {
        let rows = numbers.chunks(96).flat_map(|row| &row[64..]);
        rows.copied().collect()
    };
    let numbers = wide.parameters();
    assert!(new(&numbers.hidden_weights).iter().any(|&w| w != 0));
    assert!(new(&numbers.output_weights).iter().all(|&w| w == 0));

    assert_eq!(begun(64, &network(96)).err(), Some(OtherShape));
    let simple = Trainer::new(settings(base(64, 3, 1)));
    let simple = simple.network("test").expect("within the format");
    for split in [base(64, 3, 8), base(64, 3, 1).threats(true)] {
        let mut trainer = Trainer::new(settings(split));
        trainer
            .begin_with(&simple)
            .expect("what goes for all goes for each");
        let network = trainer.network("test").expect("within the format");
        assert_eq!(network.value(&position), simple.value(&position));
        let mut back = Trainer::new(settings(base(64, 3, 1)));
        assert_eq!(back.begin_with(&network), Err(OtherShape));
        let mut both = Trainer::new(settings(base(64, 3, 8).threats(true)));
        let one_bucket = network.shape().inputs.king_buckets() == 1;
        assert_eq!(both.begin_with(&network).is_ok(), one_bucket);
        let both = both.network("test").expect("within the format");
        assert_eq!(
            both.value(&position) == network.value(&position),
            one_bucket
        );
    }
    for (head, other) in [
        (Head::Layers, Head::PairedLayers),
        (Head::PairedLayers, Head::Layers),
    ] {
        let known = network(128);
        let mut layered = Trainer::new(settings(headed(shape(128), head)));
        layered
            .begin_with(&known)
            .expect("the hidden layer goes for all");
        let hidden = |network: &Network| network.parameters().hidden_weights;
        let layered = layered.network("test").expect("within the format");
        assert_eq!(hidden(&layered), hidden(&known));
        let mut same = Trainer::new(settings(headed(shape(128), head)));
        same.begin_with(&layered).expect("the same shape");
        assert_eq!(same.network("test"), Ok(layered.clone()));
        assert_eq!(begun(128, &layered).err(), Some(OtherShape));
        let mut unlike = Trainer::new(settings(headed(shape(128), other)));
        assert_eq!(unlike.begin_with(&layered), Err(OtherShape));
    }
}

#[test]
fn what_output_buckets_share_begins_alike() {
    for (head, alike) in [(Head::Output, false), (Head::Layers, true)] {
        let shape = headed(shape(64, 4, 1, true), head);
        let trainer = Trainer::new(settings(shape.clone()));
        for section in [Section::Output, Section::Upper] {
            let numbers = &trainer.parameters[shape.section(section)];
            let bucket = (numbers.len() / 4).max(1);
            let same = numbers.windows(bucket + 1).all(|w| w[0] == w[bucket]);
            assert!(numbers.is_empty() || same == alike);
        }
    }
}

/// A network without layers whose output is about `bias`.
fn plain(shape: Shape, bias: f32) -> Network {
    let mut trainer = Trainer::new(settings(shape.clone()));
    let output = &mut trainer.parameters[shape.section(Section::Output)];
    output.iter_mut().for_each(|weight| *weight *= 20.0);
    trainer.parameters[shape.section(Section::OutputBias)].fill(bias);
    trainer.network("test").expect("within the format")
}

fn values(network: &Network, positions: &[Packed]) -> Vec<i32> {
    let value = |packed: &Packed| network.value(&packed.position().expect("legal")).0;
    positions.iter().map(value).collect()
}

#[test]
fn layers_begin_with_the_values_of_a_network_without() {
    let base = |hidden| shape(hidden, 3, 2, true);
    let positions = games(4, material).training;
    // More hidden units and another scale make no difference. Outputs up to 8 are held.
    for (bias, hidden, scale) in [(0.0, 64, 400), (-3.0, 128, 400), (6.0, 64, 250)] {
        let known = plain(base(64), bias);
        let before = values(&known, &positions);
        let spread = before.iter().max().zip(before.iter().min());
        assert!(spread.is_some_and(|(most, least)| most - least > 50));
        let mut layered = Trainer::new(TrainSettings {
            scale,
            ..settings(headed(base(hidden), Head::Layers))
        });
        let begun = layered.begin_with(&known);
        begun.expect("the same but for the layers");
        // In floats: the inputs of a quantised second layer are rounded to 7 bits.
        let exact: Vec<f64> = layered.parameters.iter().map(|&p| f64::from(p)).collect();
        let shape = headed(base(hidden), Head::Layers);
        for (position, &before) in positions.iter().zip(&before) {
            let value = f64::from(scale) * out(&shape, &exact, position);
            assert!(
                (value - f64::from(before)).abs() <= 3.0,
                "{value}, not {before}"
            );
        }
        let layered = layered.network("test").expect("within the format");
        // All other units can learn.
        let upper = layered.parameters().upper;
        let fifth = &upper[4 * 32..][..32];
        assert!(fifth[..4].iter().all(|&weight| weight == 0.0));
        assert!(fifth[4..].iter().all(|&weight| weight != 0.0));
    }
    let mut other = Trainer::new(TrainSettings {
        scale: 250,
        ..settings(base(64))
    });
    let known = plain(base(64), 0.0);
    assert_eq!(other.begin_with(&known), Err(OtherShape));
}

#[test]
fn idle_units_begin_anew() {
    const IDLE: usize = 37;
    let positions = games(4, material).training;
    for head in [Head::Output, Head::Layers, Head::PairedLayers] {
        let shape = headed(shape(128, 3, 2, true), head);
        let mut trainer = Trainer::new(settings(shape.clone()));
        let bias = shape.section(Section::Bias);
        trainer.parameters[bias.clone()].fill(0.3);
        trainer.parameters[bias.start + IDLE] = -1.9;
        let before = trainer.network("test").expect("within the format");
        assert_eq!(trainer.renew_idle_units(&positions), 1);
        assert_eq!(trainer.parameters[bias.start + IDLE], 0.0);
        // It has other weights, like all units have, and counts nothing yet.
        let after = trainer.network("test").expect("within the format");
        assert_eq!(values(&after, &positions), values(&before, &positions));
        let [old, new] = [before, after].map(|network| network.parameters().hidden_weights);
        for (number, (old, new)) in old.iter().zip(&new).enumerate() {
            assert!(old == new || number % 128 == IDLE, "{number}");
        }
        assert_ne!(old, new);
    }
}

#[test]
fn the_network_plays_what_was_learnt() {
    let data = games(60, material);
    for shape in [
        shape(64, 3, 2, true),
        shape(32, 1, 1, false),
        shape(64, 2, 1, true).threats(true),
        headed(shape(64, 2, 1, true), Head::Layers),
        headed(shape(128, 2, 1, true), Head::PairedLayers),
    ] {
        let mut trainer = Trainer::new(settings(shape.clone()));
        learn(&mut trainer, &data, 2);
        let network = Arc::new(trainer.network("test").expect("within the format"));
        let exact: Vec<f64> = trainer.parameters.iter().map(|&p| f64::from(p)).collect();
        let errors = data.validation.games.iter().map(|position| {
            let value = f64::from(network.value(&position.position().expect("legal")).0);
            (value - 400.0 * out(&shape, &exact, position)).abs()
        });
        // Roundings of 2N weights and of as many sums of two dozen weights, in hundredths of a pawn.
        let mean = errors.sum::<f64>() / data.validation.games.len() as f64;
        assert!(mean < 20.0, "{mean}");
        let (float, whole) = (
            trainer.validation_loss(&data.validation).games,
            trainer
                .validation_loss_of(&by_network(network.clone()), &data.validation)
                .games,
        );
        assert!(
            (float - whole).abs() < 0.05 * float,
            "{float} became {whole}; {mean}"
        );
        assert_eq!(network.shape(), &shape.of_network(400));
    }
}
