#!/usr/bin/env bash
# How the scale of UCI_Elo fits: Duchamp limited to ELO against another engine limited to the same, or against itself
# limited to 200 more where the other one does not go so low.
#
#   tests/matches/elo.sh ELO [GAMES] [TC] [extra fastchess arguments]
#
# Needs `fastchess` (in PATH or $FASTCHESS). $OTHER is a UCI engine with UCI_Elo (default /usr/games/stockfish) and $LOWEST
# its lowest rating (default 1320). $DUCHAMP is the engine (default target/release/duchamp), $CONCURRENCY games run at
# once (default 1).
set -euo pipefail
cd "$(dirname "$0")/../.."
elo=${1:?which rating?}
games=${2:-100}
tc=${3:-2+0.02}
shift $(($# < 3 ? $# : 3))
engine=${DUCHAMP:-$PWD/target/release/duchamp}
if [ "$elo" -ge "${LOWEST:-1320}" ]; then
    other=(cmd="${OTHER:-/usr/games/stockfish}" name=Other option.UCI_Elo="$elo")
else
    other=(cmd="$engine" name="Duchamp-$((elo + 200))" option.UCI_Elo=$((elo + 200)))
fi
exec "${FASTCHESS:-fastchess}" \
    -engine cmd="$engine" name="Duchamp-$elo" option.UCI_Elo="$elo" \
    -engine "${other[@]}" \
    -each proto=uci tc="$tc" option.Hash=16 option.UCI_LimitStrength=true \
    -openings file=tests/data/openings.epd format=epd order=random -srand 1 \
    -rounds $(((games + 1) / 2)) -games 2 -repeat -recover \
    -concurrency "${CONCURRENCY:-1}" -ratinginterval 10 "$@"
