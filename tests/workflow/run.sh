#!/usr/bin/env bash
# Makes all tables of three and four men through Snakemake with two local jobs, as `duchamp tb plan` prints the
# workflow, and directly; the files must be the same to the byte. About a minute; no cluster is needed.
#
#   tests/workflow/run.sh DUCHAMP
#
# Uses `snakemake` if it is found, else installs it with pip into a throw-away environment; if that is not
# possible either, it says so and ends well.
set -euo pipefail

duchamp=$(realpath "${1:?usage: tests/workflow/run.sh DUCHAMP}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

if ! command -v snakemake >/dev/null; then
    if python3 -m venv "$folder/python" 2>/dev/null \
        && "$folder/python/bin/pip" install --quiet --disable-pip-version-check snakemake 2>/dev/null; then
        PATH=$folder/python/bin:$PATH
    else
        echo "Snakemake is not there and cannot be installed: the workflow is left out" >&2
        exit 0
    fi
fi

"$duchamp" tb plan 4 --dir "$folder/by jobs" > Snakefile
snakemake --cores 2 --quiet all > snakemake.log 2>&1 || { cat snakemake.log >&2; exit 1; }
"$duchamp" tb generate 4 --dir "$folder/at once" > /dev/null
diff --recursive --brief "$folder/by jobs" "$folder/at once"
made=$(find "$folder/by jobs" -name 'K*.wdl' | wc -l)
if [ "$made" -ne 35 ]; then
    echo "$made tables were generated, not 35" >&2
    exit 1
fi

# A job whose sub-tables are missing must fail and name them.
if message=$("$duchamp" tb generate KQvKR --only --dir "$folder/none" 2>&1); then
    echo "KQvKR was generated without its sub-tables" >&2
    exit 1
fi
case $message in
    *KQvK.sub*KRvK.sub*) ;;
    *) echo "unclear: $message" >&2; exit 1 ;;
esac
echo "35 tables by $(snakemake --version | head -1 | sed 's/^/Snakemake /') are those made at once"
