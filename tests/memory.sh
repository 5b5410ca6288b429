#!/usr/bin/env bash
# Does `--memory` hold? Generates tables inside a control group of exactly that size, where more would end the program, and
# prints what the system counted.
#
#   tests/memory.sh PROGRAM FOLDER ["MIB SPEC..." ...]
#
# Needs the right to make control groups (version 1 or 2), so root as a rule. What stays in FOLDER can be deleted. The exit
# code is 1 if a generation failed or its peak was above its limit.
set -uo pipefail
program=$(realpath "${1:?the program}")
folder=${2:?a folder for the tables}
shift 2
cases=("$@")
if [ ${#cases[@]} -eq 0 ]; then
    cases=("256 KBBvKN" "256 KQRvKQ --metric all" "256 KRPvKR" "512 KRPvKR --metric all" "3072 all5")
fi
group=duchamp-memory-$$
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    group=/sys/fs/cgroup/$group limit=memory.max peak=memory.peak swap=memory.swap.max
else
    group=/sys/fs/cgroup/memory/$group limit=memory.limit_in_bytes peak=memory.max_usage_in_bytes swap=memory.swappiness
fi
trap 'rmdir "$group" 2>/dev/null' EXIT
failed=0
echo "| generated | --memory, MiB | ended | peak of the program, MiB | peak of the group with the system's cache, MiB | CPU s |"
echo "|---|---|---|---|---|---|"
for line in "${cases[@]}"; do
    read -ra words <<<"$line"
    mib=${words[0]}
    tables=$folder/${words[1]}-$mib
    rm -rf "$tables"
    mkdir -p "$tables" "$group" || exit 1
    echo $((mib << 20)) >"$group/$limit" || exit 1
    echo 0 >"$group/$swap" 2>/dev/null
    times=$(mktemp)
    # The shell enters the group and becomes the program.
    bash -c 'echo $$ > "$0/cgroup.procs" && exec /usr/bin/time -f "%M %U %S" -o "$1" "${@:2}"' "$group" "$times" \
        "$program" tb generate "${words[@]:1}" --memory "$mib" --dir "$tables" --quiet >"$tables.log" 2>&1
    code=$?
    read -r kib user system < <(tail -1 "$times") || true
    # Kernels before 5.19 do not tell it in groups of version 2.
    told=$(cat "$group/$peak" 2>/dev/null)
    told=$((${told:-0} >> 20))
    ended=well
    if [ $code -ne 0 ]; then
        ended="with code $code: $(tail -1 "$tables.log")"
        failed=1
    elif [ $((kib >> 10)) -gt "$mib" ]; then
        ended="well, above its limit"
        failed=1
    fi
    echo "| \`${words[*]:1}\` | $mib | $ended | $((kib >> 10)) | $told | $(awk "BEGIN { print $user + $system }") |"
    rm -f "$times"
    rmdir "$group"
done
exit $failed
