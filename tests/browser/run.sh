#!/usr/bin/env bash
# Tests of the explorer's page in a real browser, against the program's own server and tables. Some two minutes.
#
#   tests/browser/run.sh DUCHAMP [NAME...]
#
# NAME chooses test files (position, editor, ...; `pictures` takes the pictures of docs/pictures instead of testing). Needs
# node 20, npm (for playwright-core) and Chromium: $CHROMIUM, one of the path, or Debian's package if it may be installed.
# If they cannot be had, it says so and ends well; a $CHROMIUM that is no program is an error. Nothing is left behind in the
# working tree.
set -euo pipefail

duchamp=$(realpath "${1:?usage: tests/browser/run.sh DUCHAMP [NAME...]}")
shift
if [ -n "${CHROMIUM:-}" ] && ! command -v "$CHROMIUM" >/dev/null; then
    echo "CHROMIUM=$CHROMIUM is no program: name a browser, or leave it unset" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# left_out REASON: says why nothing is tested.
left_out() {
    echo "$1: the tests of the page are left out" >&2
    exit 0
}

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    left_out "node and npm are not there"
fi
if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
    left_out "node is $(node --version), older than 20"
fi

find_chromium() {
    if [ -n "${CHROMIUM:-}" ]; then
        command -v "$CHROMIUM"
        return
    fi
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" && return
    done
    return 1
}
if ! chromium=$(find_chromium); then
    if [ -z "${CHROMIUM:-}" ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        echo "Installing Debian's chromium ..." >&2
        { apt-get update && apt-get install --yes --no-install-recommends chromium fonts-noto-cjk; } > "$folder/apt.log" 2>&1 || true
    fi
    chromium=$(find_chromium) || left_out "Chromium is not there and cannot be installed"
fi

mkdir "$folder/modules"
cp "$here/package.json" "$here/package-lock.json" "$folder/modules"
npm ci --prefix "$folder/modules" --no-audit --no-fund --ignore-scripts \
    --fetch-retries 1 --fetch-retry-mintimeout 1000 > "$folder/npm.log" 2>&1 \
    || left_out "npm cannot install playwright-core"

"$duchamp" tb generate 3 KQvKR KPvKP --metric all --dir "$folder/tables" --quiet > /dev/null
"$duchamp" tb generate c-aa p-a --metric all --dir "$folder/tables" --quiet > /dev/null

export DUCHAMP=$duchamp TABLES=$folder/tables MODULES=$folder/modules CHROMIUM=$chromium
files=()
if [ $# -eq 0 ]; then
    files=("$here"/*.test.mjs)
fi
for name in "$@"; do
    if [ "$name" = pictures ]; then
        files+=("$here/pictures.mjs")
    else
        [ -e "$here/$name.test.mjs" ] || { echo "there is no $name.test.mjs in tests/browser" >&2; exit 2; }
        files+=("$here/$name.test.mjs")
    fi
done
cd "$folder"
node --test --test-concurrency=2 --test-reporter=spec "${files[@]}"
