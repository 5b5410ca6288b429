#!/usr/bin/env bash
# Endings whose value tables know, played out by Duchamp against another engine at equal time, each position from both
# sides: what share of the half points that are due do they keep?
#
#   tests/matches/endings.sh OFF|FOLDER [TC] [OPPONENT] [extra fastchess arguments]
#
# FOLDER holds Duchamp's tables; OFF: it plays without. The other engine never has any.
# Needs `fastchess` (in PATH or $FASTCHESS); OPPONENT is a UCI engine (default /usr/games/stockfish).
# $DUCHAMP is the engine (default target/release/duchamp), $SUITE the positions (default tests/data/endings.epd),
# $CONCURRENCY games run at once (default 1).
set -euo pipefail
cd "$(dirname "$0")/../.."
tables=${1:?a folder of tables, or OFF}
tc=${2:-1+0.01}
opponent=${3:-/usr/games/stockfish}
shift $(($# < 3 ? $# : 3))
suite=${SUITE:-tests/data/endings.epd}
games=$(mktemp)
empty=$(mktemp -d)
trap 'rm -rf "$games" "$empty"' EXIT
options=(option.TablebasePath="$tables")
if [ "$tables" = OFF ]; then
    # An empty folder, and nothing made at start.
    options=(option.TablebasePath="$empty" option.TBStartupMen=0)
fi
positions=$(grep -c . "$suite")
"${FASTCHESS:-fastchess}" \
    -engine cmd="${DUCHAMP:-$PWD/target/release/duchamp}" name=Duchamp option.Hash=32 "${options[@]}" \
    -engine cmd="$opponent" name=Other option.Hash=32 \
    -each proto=uci tc="$tc" \
    -openings file="$suite" format=epd order=sequential \
    -rounds "$positions" -games 2 -repeat -recover \
    -concurrency "${CONCURRENCY:-1}" -pgnout file="$games" "$@" >&2
awk '
    FNR == NR {
        value[$1 " " $2] = $0 ~ /c0 "win"/ ? 2 : $0 ~ /c0 "draw"/ ? 1 : 0
        next
    }
    { tag = substr($1, 2); text = $0; sub(/^[^"]*"/, "", text); sub(/".*$/, "", text) }
    $1 == "[White" { player[0] = text }
    $1 == "[Black" { player[1] = text }
    $1 == "[Result" { white = text == "1-0" ? 2 : text == "0-1" ? 0 : 1 }
    $1 == "[FEN" {
        split(text, field, " ")
        key = field[1] " " field[2]
        if (!(key in value)) next
        due = field[2] == "w" ? value[key] : 2 - value[key]
        for (side = 0; side < 2; side++) {
            mine = side ? 2 - due : due
            got = side ? 2 - white : white
            all[player[side]] += mine
            kept[player[side]] += got < mine ? got : mine
            won[player[side]] += got > mine ? got - mine : 0
            games[player[side]]++
        }
    }
    END {
        for (name in all)
            printf "%s: %d games, %d of %d half points kept (%.2f %%), %d more than were due\n",
                name, games[name], kept[name], all[name], 100 * kept[name] / all[name], won[name]
    }' "$suite" "$games"
