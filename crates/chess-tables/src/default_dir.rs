//! The folder of tables when the user names none.

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};
use std::path::PathBuf;

/// The environment variable that names the folder of tables.
pub const DIR_VARIABLE: &str = "DUCHAMP_TABLEBASES";
/// The name of the folder beside the executable or above it.
const FOLDER: &str = "tablebases";
/// How many folders above the executable's are looked at: `target/release/duchamp` lies two below
/// the project, a test binary three.
const LEVELS: usize = 3;

/// The folder of tables when the user names none: the environment variable [`DIR_VARIABLE`]; else a folder `tablebases`
/// beside the executable or up to three folders above it; else `duchamp/tablebases` in the user's data folder. It is
/// never the working directory, which GUIs choose as they like. The folder need not exist.
#[must_use]
pub fn default_dir() -> PathBuf {
    if let Some(dir) = std::env::var_os(DIR_VARIABLE).filter(|dir| !dir.is_empty()) {
        return PathBuf::from(dir);
    }
    let program = std::env::current_exe().and_then(|path| path.canonicalize());
    let beside = program.ok().and_then(|program| {
        program
            .ancestors()
            .skip(1)
            .take(LEVELS + 1)
            .map(|folder| folder.join(FOLDER))
            .find(|folder| folder.is_dir())
    });
    beside.unwrap_or_else(|| {
        let dirs = choose_native_strategy().ok();
        // No home folder: better beside nothing than nowhere.
        let data = dirs.map_or_else(std::env::temp_dir, |dirs| dirs.data_dir());
        let own = data.join("duchamp");
        // On Windows settings would lie beside.
        let own = if cfg!(windows) { own.join("data") } else { own };
        own.join(FOLDER)
    })
}
