//! Generates tables with all that they depend on and prints Wu and Beal's figures of each:
//! `cargo run --release -p duchamp-xiangqi-tables --example generate_row FOLDER hp-aaee cp-aaee`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use duchamp_tablebase::{Control, GenerateOptions, Metric};
use duchamp_xiangqi_tables::{Generator, Pawns, Store, parse_specs, wu_beal};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder")?;
    let materials = parse_specs(&arguments.collect::<Vec<_>>().join(" "))?;
    let store = Store::open(Path::new(&folder));
    let control = Control::new(std::thread::available_parallelism()?.get());
    let options = GenerateOptions {
        metrics: vec![Metric::Dtc],
        ..GenerateOptions::default()
    };
    let start = Instant::now();
    let summary = Generator::new(&store).run(&materials, &options, &control, &mut |progress| {
        eprint!("\r{} of {} tables  ", progress.done, progress.total);
    })?;
    eprintln!();
    for made in &summary.made {
        println!(
            "{}: solved in {:.1} s, written in {:.1} s, {} + {} bytes",
            made.key,
            made.solving.as_secs_f64(),
            made.encoding.as_secs_f64(),
            made.wdl_bytes,
            made.dtc_bytes
        );
    }
    println!(
        "{} tables in {:.1} s",
        summary.made.len(),
        start.elapsed().as_secs_f64()
    );
    for material in materials {
        println!(
            "{material}: {:?}",
            wu_beal(&store, material, Pawns::Anywhere, &control)?
        );
    }
    Ok(())
}
