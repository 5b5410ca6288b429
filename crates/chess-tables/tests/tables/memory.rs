//! What tables need of memory.

use duchamp_chess_tables::{Layout, Material, Metric};
use duchamp_tablebase::Needs;

#[test]
fn every_five_man_table_fits_256_mib() {
    for material in Material::all(5) {
        let least = Needs::of(&Layout::new(material), &Metric::ALL).least();
        assert!(least <= 256 << 20, "{material} {}", least >> 20);
    }
}
