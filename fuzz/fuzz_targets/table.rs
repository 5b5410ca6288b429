//! Table files of any content: errors, never a panic, never memory out of proportion.
//!
//! The input edits a good pair of files (KRvK) and puts the checksums right again, so that what lies
//! behind them is reached too. Of the first byte one bit chooses whether to, one the form of the files:
//! that of up to four men, or the coded one of five and more.
#![no_main]

use duchamp_base::Control;
use duchamp_chess_tables::{Chess, Material, Metric, seal};
use duchamp_tablebase::{AllSubs, Form, read_through, solve, write_table};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

/// The bytes of a `.wdl` and a `.dtm` file.
type Files = [Vec<u8>; 2];

fn material() -> Material {
    "KRvK".parse().expect("a material")
}

/// The files in both forms.
fn good() -> &'static [Files; 2] {
    static GOOD: OnceLock<[Files; 2]> = OnceLock::new();
    GOOD.get_or_init(|| {
        let control = Control::new(1);
        let subs = AllSubs::<Chess>::new(material(), &control).expect("solved");
        let solved = solve::<Chess>(material(), &subs, &control).expect("solved");
        let folder = std::env::temp_dir().join(format!("duchamp-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let files = [Form::Direct, Form::Coded].map(|form| {
            write_table::<Chess>(form, &solved, &folder, &control).expect("written");
            ["wdl", "dtm"]
                .map(|ending| std::fs::read(folder.join(format!("KRvK.{ending}"))).expect("a file"))
        });
        let _ = std::fs::remove_dir_all(folder);
        files
    })
}

fuzz_target!(|data: &[u8]| {
    let Some((&mode, edits)) = data.split_first() else {
        return;
    };
    let [mut wdl, mut dtm] = good()[usize::from(mode >> 1 & 1)].clone();
    for edit in edits.chunks_exact(4) {
        let file = if edit[0] & 1 == 0 { &mut wdl } else { &mut dtm };
        let at = usize::from(u16::from_le_bytes([edit[1], edit[2]])) % file.len().max(1);
        match edit[0] & 6 {
            0 => file.truncate(at.max(1)),
            _ => file[at] = edit[3],
        }
    }
    if mode & 1 == 0 {
        seal(&mut wdl);
        // The header of the other file holds the checksum of the `.wdl` file.
        if let (Some(sum), Some(told)) = (wdl.get(192..200), dtm.get_mut(184..192)) {
            told.copy_from_slice(sum);
        }
        seal(&mut dtm);
    }
    let _ = read_through::<Chess>(material(), wdl, Metric::Dtm, dtm);
});
