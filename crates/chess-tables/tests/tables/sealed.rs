//! Damage behind good checksums.

use super::{Random, encode, material, solve};
use duchamp_chess_tables::{Chess, Metric, seal};
use duchamp_tablebase::{Form, read_through};

/// Damage behind good checksums (nothing but intent makes it) gives errors or other values, no panic.
#[test]
fn sealed_damage_does_not_panic() {
    for form in [Form::Direct, Form::Coded] {
        damage(form);
    }
}

fn damage(form: Form) {
    let material = material("KRvK");
    let [wdl, dtm] = encode(form, &solve(material));
    let wins = read_through::<Chess>(material, wdl.clone(), Metric::Dtm, dtm.clone());
    assert!(wins.is_ok_and(|wins| wins >= 21_959));
    let mut random = Random(9);
    for round in 0..3000 {
        let (mut wdl, mut dtm) = (wdl.clone(), dtm.clone());
        for _ in 0..=random.below(3) {
            let file = if round % 2 == 0 { &mut wdl } else { &mut dtm };
            let at = if random.below(2) == 0 {
                random.below(file.len())
            } else {
                random.below(208)
            };
            file[at] = random.below(256) as u8;
        }
        seal(&mut wdl);
        // The checksum of the `.wdl` file that the other stores is its header's last field.
        let sum: [u8; 8] = wdl[192..200].try_into().expect("eight bytes");
        dtm[184..192].copy_from_slice(&sum);
        seal(&mut dtm);
        let _ = read_through::<Chess>(material, wdl, Metric::Dtm, dtm);
    }
}
