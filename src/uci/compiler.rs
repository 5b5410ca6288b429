//! The answer to `compiler`: what this program was compiled with and for. `build.rs` supplies it.

/// The lines that say how the program was compiled.
pub(super) fn lines() -> Vec<String> {
    let features = env!("DUCHAMP_TARGET_FEATURES").replace(',', " ");
    let assertions = if cfg!(debug_assertions) { "on" } else { "off" };
    let rows = [
        ("Version", env!("CARGO_PKG_VERSION").to_owned()),
        ("Compiled by", env!("DUCHAMP_RUSTC").to_owned()),
        ("Target", env!("DUCHAMP_TARGET").to_owned()),
        ("Target features", features),
        ("Network kernels", duchamp_engine::vectors().to_owned()),
        ("Profile", env!("DUCHAMP_PROFILE").to_owned()),
        ("Debug assertions", assertions.to_owned()),
    ];
    let line = |(name, value): (&str, String)| format!("{name:<16} : {value}");
    rows.map(line).into()
}
