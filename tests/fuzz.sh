#!/usr/bin/env bash
# Runs the fuzz targets on a stable toolchain.
#
#   tests/fuzz.sh SECONDS [TARGET...]
#
# Each target for so many seconds, or until 10^7 inputs. New inputs go to $FUZZ (default target/fuzz-corpus), which begins
# with what `fuzz/corpus` holds. The exit code is 1 if an input broke a target; the input lies in $FUZZ then.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?how many seconds for each target?}
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for file in fuzz/fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done
fi
folder=${FUZZ:-$PWD/target/fuzz-corpus}
triple=$(rustc -vV | sed -n 's/^host: //p')
# What `cargo fuzz` sets, with the variable that opens these flags to a stable compiler.
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$PWD/target/fuzz
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Cdebug-assertions"
cargo build --release --manifest-path fuzz/Cargo.toml --bins --target "$triple"
broken=0
for target in "${targets[@]}"; do
    corpus=$folder/$target
    mkdir -p "$corpus"
    seeds=()
    [ -d "fuzz/corpus/$target" ] && seeds=("fuzz/corpus/$target")
    echo "== $target"
    if ! "$CARGO_TARGET_DIR/$triple/release/$target" "$corpus" "${seeds[@]}" -max_total_time="$seconds" -runs=10000000 \
        -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 -verbosity=0 -artifact_prefix="$folder/$target-" 2>&1 |
        grep 'number_of_executed\|per_sec\|rss_mb\|ERROR\|panicked\|Test unit'; then
        broken=1
        echo "$target is broken by an input: see $folder/$target-*"
    fi
done
exit $broken
