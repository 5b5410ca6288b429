#!/usr/bin/env bash
# How the scale of UCI_Elo fits: a match of Duchamp limited to ELO against Stockfish limited to the same, or against
# itself limited to 200 more where Stockfish does not go so low.
#
#   tests/matches/elo.sh ELO [GAMES] [TC] [extra fastchess arguments]
#
# Needs what match.sh needs and heeds the same variables.
set -euo pipefail
elo=${1:?which rating?}
games=${2:-100}
tc=${3:-2+0.02}
shift $(($# < 3 ? $# : 3))
limited="Hash=16 UCI_LimitStrength=true UCI_Elo="
if [ "$elo" -ge 1320 ]; then
    opponent=stockfish other_elo=$elo
else
    opponent=self other_elo=$((elo + 200))
fi
OPTIONS=$limited$elo OTHER_OPTIONS=$limited$other_elo exec "$(dirname "$0")/match.sh" "$opponent" "$games" "$tc" "$@"
