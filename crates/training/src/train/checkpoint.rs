//! Checkpoints: the trainer in a file, so that it can resume exactly where it was.
//!
//! A [`frame`] whose body is, little-endian: u32 length of a JSON object with the settings, the fingerprint of the data and
//! the progress; that object; then three lists of f32: the parameters, and Adam's first and second moments, those of
//! what features and output buckets have in common last.

use super::trainer::TrainingProgress;
use super::{Data, TrainSettings, Trainer};
use duchamp_base::files;
use duchamp_base::frame::{self, FrameError, Label};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::path::Path;

/// How the file of a checkpoint begins.
pub const CHECKPOINT_LABEL: &Label = b"DUCHCKPT";
const VERSION: u16 = 6;
/// The bytes that a head has at most: a line for each epoch.
const LONGEST_HEAD: u64 = 16 << 20;

/// The JSON head.
#[derive(Serialize, Deserialize)]
struct Head {
    settings: TrainSettings,
    data: u64,
    progress: TrainingProgress,
}

/// Why a trainer cannot go on from a file.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// It is something else, or damaged.
    #[error("not a checkpoint: {0}")]
    Frame(#[from] FrameError),
    /// What it holds contradicts itself.
    #[error("not a checkpoint, or damaged: {0}")]
    Damaged(&'static str),
    /// It belongs to another training.
    #[error("the checkpoint was written with other {0}")]
    Other(String),
}

impl Trainer {
    /// Writes the file.
    ///
    /// # Errors
    /// When the disk is full or fails; then an old file stays as it was.
    pub fn save(&self, path: &Path, data: &Data) -> io::Result<()> {
        let head = Head {
            settings: self.settings().clone(),
            data: data.mark,
            progress: self.progress.clone(),
        };
        let head = serde_json::to_vec(&head)?;
        let mut bytes = frame::head(CHECKPOINT_LABEL, VERSION).to_vec();
        bytes.extend((head.len() as u32).to_le_bytes());
        bytes.extend(head);
        for list in [&*self.parameters, &self.adam.means, &self.adam.squares] {
            bytes.extend(list.iter().flat_map(|float| float.to_le_bytes()));
        }
        frame::seal(&mut bytes);
        files::write_atomic(path, &bytes)
    }

    /// Reads the file. The settings and the data must be those that it was made with.
    ///
    /// # Errors
    /// If they are others, or if the file cannot be read or is damaged.
    pub fn resume(
        path: &Path,
        settings: TrainSettings,
        data: &Data,
    ) -> Result<Trainer, CheckpointError> {
        use CheckpointError::Damaged;
        let mut trainer = Trainer::new(settings);
        // What it can be at most: three lists of floats and a small head.
        let lengths = [
            trainer.parameters.len(),
            trainer.adam.means.len(),
            trainer.adam.squares.len(),
        ];
        let floats = 4 * lengths.iter().sum::<usize>() as u64;
        let bytes = files::read_limited(path, floats + LONGEST_HEAD)?;
        let body = frame::open(&bytes, CHECKPOINT_LABEL, VERSION)?;
        let (length, rest) = body.split_first_chunk().ok_or(Damaged("it is too short"))?;
        let length = u32::from_le_bytes(*length) as usize;
        let (head, floats) = rest
            .split_at_checked(length)
            .ok_or(Damaged("it is too short"))?;
        let head: Head = serde_json::from_slice(head).map_err(|_| Damaged("its head is wrong"))?;
        if let Some(name) = difference(&head.settings, trainer.settings()) {
            return Err(CheckpointError::Other(name));
        }
        if head.data != data.mark {
            return Err(CheckpointError::Other("data".into()));
        }
        let (mut floats, _) = floats.as_chunks();
        if floats.len() != lengths.iter().sum::<usize>() {
            return Err(Damaged("it holds another number of parameters"));
        }
        let lists = [
            &mut *trainer.parameters,
            &mut trainer.adam.means,
            &mut trainer.adam.squares,
        ];
        for list in lists {
            let (own, rest) = floats.split_at(list.len());
            for (to, from) in list.iter_mut().zip(own) {
                *to = f32::from_le_bytes(*from);
            }
            floats = rest;
        }
        trainer.progress = head.progress;
        Ok(trainer)
    }
}

/// How many epochs of how many are done in the training that a checkpoint holds, if that has begun and has not ended; none as well if
/// the file holds no checkpoint of this version. Only its head is read.
#[must_use]
pub fn unfinished(path: &Path) -> Option<(usize, u32)> {
    let mut file = files::open_regular(path).ok()?;
    let mut start = [0; frame::HEAD];
    file.read_exact(&mut start).ok()?;
    let mut length = [0; 4];
    file.read_exact(&mut length).ok()?;
    let length = u64::from(u32::from_le_bytes(length));
    if start != frame::head(CHECKPOINT_LABEL, VERSION) || length > LONGEST_HEAD {
        return None;
    }
    let mut head = Vec::new();
    file.take(length).read_to_end(&mut head).ok()?;
    let head: Head = serde_json::from_slice(&head).ok()?;
    let (done, all) = (head.progress.epochs.len(), head.settings.epochs);
    let begun = done > 0 || head.progress.batches > 0;
    (begun && done < all as usize).then_some((done, all))
}

/// The names and values of a setting that differs, the checkpoint's first.
fn difference(old: &TrainSettings, new: &TrainSettings) -> Option<String> {
    let fields = |settings: &TrainSettings| serde_json::to_value(settings).ok();
    let (old, new) = (fields(old)?, fields(new)?);
    let (old, new) = (old.as_object()?, new.as_object()?);
    let (name, value) = old
        .iter()
        .find(|(name, value)| new.get(*name) != Some(*value))?;
    Some(format!("settings: {name} {value}, not {}", new.get(name)?))
}
