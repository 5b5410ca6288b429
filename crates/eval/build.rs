//! Which network is embedded: that of the file in the environment variable `DUCHAMP_EVALFILE` (an absolute path, as
//! OpenBench gives it), else `src/network/default.net`.

use std::path::{Path, PathBuf};

/// The first bytes of every network (`src/network/format.rs`).
const LABEL: &[u8] = b"DUCHNET1";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=DUCHAMP_EVALFILE");
    let given = std::env::var_os("DUCHAMP_EVALFILE").filter(|path| !path.is_empty());
    let own = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default())
        .join("src/network/default.net");
    let path = given.map_or(own, PathBuf::from);
    match std::fs::read(&path) {
        _ if !path.is_absolute() => fail(&path, "DUCHAMP_EVALFILE must be an absolute path"),
        Err(error) => fail(&path, &error.to_string()),
        Ok(bytes) if !bytes.starts_with(LABEL) => fail(&path, "this is no network of Duchamp"),
        Ok(_) => {}
    }
    println!("cargo:rerun-if-changed={}", path.display());
    println!("cargo:rustc-env=DUCHAMP_NETWORK={}", path.display());
}

fn fail(path: &Path, cause: &str) -> ! {
    eprintln!("{}: {cause}", path.display());
    std::process::exit(1);
}
