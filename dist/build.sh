#!/usr/bin/env bash
# Builds the program for publication and packs it with what a user needs: docs/RELEASE.md.
#
#   dist/build.sh [--target TRIPLE] [--cpu NAME] [--no-pgo] [--out FOLDER]
#
#   --target   what to build for [default: this machine's]
#   --cpu      the oldest processor, as `rustc --print target-cpus` names them [default: x86-64-v2, apple-m1,
#              else generic]
#   --no-pgo   do not optimise by a profile; needed where this machine cannot run the program
#   --out      where the archives go [default: dist/out]
#
# Needs cargo, python3 and, for the profile, llvm-profdata of the compiler's LLVM (`rustup component add llvm-tools`) or
# in $LLVM_PROFDATA. Everything else is in this repository. $CARGO_TARGET_DIR is respected.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "dist/build.sh: $1" >&2; exit "${2:-1}"; }
value() { [ $# -ge 2 ] || fail "$1 needs a value" 2; echo "$2"; }

target='' cpu='' pgo=yes out=dist/out
while [ $# -gt 0 ]; do
    case $1 in
        --target) target=$(value "$@"); shift 2 ;;
        --cpu) cpu=$(value "$@"); shift 2 ;;
        --out) out=$(value "$@"); shift 2 ;;
        --no-pgo) pgo=no; shift ;;
        -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
        *) fail "unknown argument $1" 2 ;;
    esac
done

python=$(command -v python3 || command -v python) || fail "python3 is missing"
sysroot=$(rustc --print sysroot)
host=$(rustc -vV | sed -n 's/^host: //p')
target=${target:-$host}
case $target in
    x86_64-*) usual=x86-64-v2 ;;
    aarch64-apple-*) usual=apple-m1 ;;
    *) usual=generic ;;
esac
cpu=${cpu:-$usual}
case $target in
    *-windows-*) suffix=.exe archive=zip ;;
    *) suffix='' archive=tar.gz ;;
esac
version=$(cargo metadata --locked --no-deps --format-version 1 \
    | "$python" -c 'import json, sys; print(*{p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "duchamp"})')

# A path as the compiler understands it, also where the shell has names of its own (Git for Windows).
native() { if command -v cygpath >/dev/null; then cygpath -m "$1"; else echo "$1"; fi; }

build=$(native "${CARGO_TARGET_DIR:-$PWD/target}")
program=$build/$target/dist/duchamp$suffix
profiles=$build/profiles/$target-$cpu

# Flags in the form that allows blanks in paths. They replace those of .cargo/config.toml, and with --target they do not
# hold for build scripts.
compile() {
    local flags=("--remap-path-prefix=$(native "$PWD")=." "--remap-path-prefix=$(native "${CARGO_HOME:-$HOME/.cargo}")=cargo" "-Ctarget-cpu=$cpu" "$@")
    # Windows: no file beside the program is needed.
    case $target in *-windows-msvc) flags+=("-Ctarget-feature=+crt-static") ;; esac
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${flags[*]}") \
        cargo build --locked --profile dist --bin duchamp --target "$target"
}

if [ "$pgo" = yes ]; then
    profdata=${LLVM_PROFDATA:-$(native "$sysroot")/lib/rustlib/$host/bin/llvm-profdata}
    [ -n "${LLVM_PROFDATA:-}" ] || command -v "$profdata" >/dev/null || command -v "$profdata.exe" >/dev/null \
        || fail "llvm-profdata is missing: rustup component add llvm-tools"
    rm -rf "$profiles"
    mkdir -p "$profiles"
    echo "== a program that counts what it does" >&2
    compile "-Cprofile-generate=$profiles"
    echo "== the work that it is optimised for: search, and a little of all else" >&2
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    run() { LLVM_PROFILE_FILE="$profiles/$part-%p-%m.profraw" "$program" "$@" >/dev/null; }
    part=search
    run bench
    part=rest
    run tb generate 3 KQvKR KPvKP KRvKN --dir "$work/tb" --metric all --quiet
    run tb verify KQvKR --dir "$work/tb" --quiet
    run tb line "8/8/8/8/8/2k5/4r3/1K1Q4 w - - 0 1" --dir "$work/tb"
    run tb stats KPvKP --dir "$work/tb"
    run pawns '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'
    # Loops over whole tables count far more than search does; by weight both are hot.
    "$profdata" merge --output "$profiles/search.profdata" "$profiles"/search-*.profraw
    "$profdata" merge --output "$profiles/rest.profdata" "$profiles"/rest-*.profraw
    "$profdata" merge --output "$profiles/merged.profdata" \
        --weighted-input "20,$profiles/search.profdata" --weighted-input "1,$profiles/rest.profdata"
    echo "== the program" >&2
    compile "-Cprofile-use=$profiles/merged.profdata"
else
    compile
fi

# The archive: one folder, named like it.
name=duchamp-$version-$target
# The usual processor is not named.
if [ "$cpu" != "$usual" ]; then name=$name-$cpu; fi
folder=$out/$name
rm -rf "$folder"
mkdir -p "$folder/docs" "$folder/completions"
cp "$program" "$folder/"
cp README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff LICENSE-MIT LICENSE-APACHE "$folder/"
cp -r docs/. "$folder/docs/"
# The pages of the crates, and what they and README link to.
for page in crates/*/{README.md,LICENSE-*}; do
    mkdir -p "$folder/${page%/*}"
    cp "$page" "$folder/$page"
done
mkdir -p "$folder/crates/tablebase/tests"
cp -r crates/tablebase/tests/toy "$folder/crates/tablebase/tests/"
mkdir -p "$folder/examples"
cp -r examples/. "$folder/examples/"
"$python" dist/licenses.py "$target" > "$folder/THIRD-PARTY-LICENSES.md"
# Manual pages and completions are the program's own; one of another system prints them through a program of this one.
teller=$program
if ! "$program" --version >/dev/null 2>&1; then
    cargo build --locked --profile dist --bin duchamp
    teller=$build/dist/duchamp
fi
"$teller" man --out "$folder/man/man1" >/dev/null
"$teller" completions bash > "$folder/completions/duchamp.bash"
"$teller" completions zsh > "$folder/completions/_duchamp"
"$teller" completions fish > "$folder/completions/duchamp.fish"
"$teller" completions elvish > "$folder/completions/duchamp.elv"
"$teller" completions powershell > "$folder/completions/_duchamp.ps1"

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)} \
    "$python" dist/archive.py "$folder" "$out/$name.$archive"
