//! Passes on what the command `compiler` prints: the compiler, the target and the profile.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let rustc = Command::new(variable("RUSTC")).arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    // The variable PROFILE says `release` of every profile that inherits it; the folder has the name:
    // target/PROFILE/build/PACKAGE/out.
    let folder = variable("OUT_DIR");
    let profile = Path::new(&folder).ancestors().nth(3);
    let profile = profile.and_then(Path::file_name).and_then(|it| it.to_str());
    for (name, value) in [
        ("RUSTC", rustc.unwrap_or_default()),
        ("TARGET", variable("TARGET")),
        ("PROFILE", profile.unwrap_or_default().to_owned()),
        ("TARGET_FEATURES", variable("CARGO_CFG_TARGET_FEATURE")),
    ] {
        println!("cargo:rustc-env=DUCHAMP_{name}={value}");
    }
}
