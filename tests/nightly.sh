#!/usr/bin/env bash
# All longer proofs, one after another, and one table of what came out.
#
#   tests/nightly.sh [NAME...]
#
# Without names all of them (hours); `tests/nightly.sh list` prints the names. Needs some 20 GB in $NIGHTLY (default
# target/nightly), where tables and logs stay, so that a second run need not generate the tables again. What needs a
# program that is not there is skipped and says so. The exit code is 1 if anything failed.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=${NIGHTLY:-$PWD/target/nightly}
tables=$folder/tables
syzygy=$folder/syzygy
program=${CARGO_TARGET_DIR:-$PWD/target}/release/duchamp
mkdir -p "$folder/logs"

names=()
declare -A command
# proof NAME COMMAND...: a proof, and the shell's line that it is.
proof() {
    names+=("$1")
    command[$1]="${*:2}"
}
ignored="-- --ignored --nocapture"
proof generate "'$program' tb generate 5 --metric all --dir '$tables' --quiet"
for metric in dtm dtc dtz; do
    proof "verify-$metric" "'$program' tb verify all5 --full --metric $metric --dir '$tables' --quiet"
done
proof published "DUCHAMP_FIVE='$tables' cargo test --release --test tables five_men:: $ignored"
proof counts "cargo test --release --test tables solver:: $ignored"
proof cursed "cargo test --release --test tables values:: $ignored"
proof kills "DUCHAMP_KILLS=${KILLS:-75} cargo test --release --test tables kill:: $ignored"
proof damage "cargo test --release -p duchamp-chess-tables --lib audit:: $ignored"
proof large-five "cargo test --release -p duchamp-chess-tables --test large_five"
proof export "'$program' tb export 3 4 5 --format syzygy --out '$syzygy' --quiet"
proof export-verify "'$program' tb verify 3 4 --syzygy '$syzygy' --dir '$tables' --quiet"
proof syzygy-games "DUCHAMP_SYZYGY='$syzygy' DUCHAMP_GAMES=1000 DUCHAMP_GO='nodes 1000' cargo test --release --test uci $ignored all_won"
proof pawns-tables "cargo test --release --test pawns tables:: $ignored"
proof pawns-reference "DUCHAMP_FIVE='$tables' cargo test --release --test pawns two_thousand_random $ignored"
proof pawns-free "DUCHAMP_FIVE='$tables' cargo test --release --test pawns two_thousand_free $ignored"
proof pawns-lines "DUCHAMP_LINES=4000 cargo test --release --test pawns fuzz:: $ignored"
proof pawns-races "DUCHAMP_FIVE='$tables' cargo test --release --test pawns races:: $ignored"
proof pawns-pair "DUCHAMP_STRUCTURES=300 cargo test --release -p duchamp-proofs --lib what_is_won_in_random $ignored"
proof freezer-reference "cargo test --release --test freezer reference:: $ignored"
proof freezer-known "DUCHAMP_FIVE='$tables' cargo test --release --test freezer known:: $ignored"
proof freezer-free "DUCHAMP_TABLES='$tables' cargo test --release --test freezer free:: $ignored"
proof xiangqi "cargo test --release -p duchamp-xiangqi -p duchamp-xiangqi-tables $ignored"
proof memory "tests/memory.sh '$program' '$folder/memory'"
proof fuzz "tests/fuzz.sh ${FUZZ_SECONDS:-3600}"
# The runner ends well whatever the games were like: what it says of them decides.
proof strict "PGN='$folder/strict.pgn' tests/matches/match.sh self ${STRICT_GAMES:-10000} 0.5+0.005 -strict -check-mate-pvs | tee '$folder/strict.txt' && ! grep -Ei 'warning|illegal|loses on time|disconnect|stall' '$folder/strict.txt'"

if [ "${1:-}" = list ]; then
    printf '%s\n' "${names[@]}"
    exit 0
fi
if [ $# -gt 0 ]; then
    for name in "$@"; do
        [ -n "${command[$name]:-}" ] || { echo "no such proof: $name; see tests/nightly.sh list" >&2; exit 2; }
    done
    names=("$@")
fi

# What a proof needs that a machine may lack: the text says what.
missing() {
    case $1 in
        strict) command -v "${FASTCHESS:-fastchess}" >/dev/null || echo "fastchess is not installed" ;;
        memory)
            if [ ! -w /sys/fs/cgroup ]; then echo "no right to make a control group"
            elif [ ! -x /usr/bin/time ]; then echo "/usr/bin/time is not installed"
            fi ;;
        xiangqi) "${DUCHAMP_PYTHON:-python3}" -c 'import pyffish' 2>/dev/null || echo "pyffish is not installed" ;;
    esac
}

cargo build --release || exit 1
results=()
failures=0
for name in "${names[@]}"; do
    log=$folder/logs/$name.log
    why=$(missing "$name")
    if [ -n "$why" ]; then
        results+=("$name|skipped: $why||")
        continue
    fi
    echo "$name: ${command[$name]}" >&2
    start=$SECONDS
    if bash -c "${command[$name]}" >"$log" 2>&1; then
        result=passed
    else
        result="FAILED ($?), see $log"
        failures=$((failures + 1))
    fi
    results+=("$name|$result|$((SECONDS - start)) s|$(grep -E 'test result|errors|positions|total' "$log" | tail -1 | cut -c1-100)")
done

{
    echo "| proof | result | time | last words |"
    echo "|---|---|---|---|"
    for row in "${results[@]}"; do
        IFS='|' read -r name result time words <<<"$row"
        echo "| $name | $result | $time | $words |"
    done
} | tee "$folder/results.md"
[ "$failures" -eq 0 ]
