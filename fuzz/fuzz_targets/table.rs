//! Table files of any content: errors, never a panic, never memory out of proportion.
//!
//! The input edits a good pair of files (KQvK) and puts the checksums right again, so that what lies
//! behind them is reached too; the first byte chooses whether to.
#![no_main]

use std::sync::OnceLock;

use duchamp_base::Control;
use duchamp_chess_tables::{Chess, GenerateOptions, Material, Metric, Prober, seal, Generator};
use duchamp_tablebase::read_through;
use libfuzzer_sys::fuzz_target;

fn good() -> &'static (Material, Vec<u8>, Vec<u8>) {
    static GOOD: OnceLock<(Material, Vec<u8>, Vec<u8>)> = OnceLock::new();
    GOOD.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("duchamp-fuzz-{}", std::process::id()));
        let material: Material = "KQvK".parse().expect("a material");
        let tables = Prober::open(&folder);
        Generator::new(tables.store()).run(&[material], &GenerateOptions::default(), &Control::new(1), &mut |_| {})
            .expect("made");
        let read = |ending: &str| std::fs::read(folder.join(format!("KQvK.{ending}"))).expect("readable");
        let files = (material, read("wdl"), read("dtm"));
        let _ = std::fs::remove_dir_all(folder);
        files
    })
}

fuzz_target!(|data: &[u8]| {
    let (material, wdl, dtm) = good();
    let (mut wdl, mut dtm) = (wdl.clone(), dtm.clone());
    let Some((&mode, edits)) = data.split_first() else { return };
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
    let _ = read_through::<Chess>(*material, wdl, Metric::Dtm, dtm);
});
