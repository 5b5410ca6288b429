#!/usr/bin/env bash
# A match of Duchamp against another engine, with fastchess, at 5 s + 0.05 s a move, own books off, one thread each.
#
#   tests/matches/match.sh gnuchess|toga|ethereal|stockfish|self [GAMES] [TC] [extra fastchess arguments]
#
# Needs `fastchess` (in PATH or $FASTCHESS) and Debian's gnuchess, toga2, ethereal-chess or stockfish.
# $DUCHAMP is the engine (default target/release/duchamp), $OTHER the one that `self` plays against (default the same
# one); $CONCURRENCY games run at once (default 1).
# Writes the games to $PGN (default /dev/null).
set -euo pipefail
cd "$(dirname "$0")/../.."
opponent=${1:?which opponent?}
games=${2:-100}
tc=${3:-5+0.05}
shift $(($# < 3 ? $# : 3))
engine=${DUCHAMP:-$PWD/target/release/duchamp}
games_dir=/usr/games
case $opponent in
    gnuchess) other=(cmd=$games_dir/gnuchess args=--uci "name=GNU Chess 6.2.7" option.OwnBook=false option.Hash=64) ;;
    toga) other=(cmd=$games_dir/toga2 "name=Toga II 3.0" option.OwnBook=false option.Hash=64) ;;
    ethereal) other=(cmd=$games_dir/ethereal-chess "name=Ethereal 12" option.Hash=64) ;;
    stockfish) other=(cmd=$games_dir/stockfish "name=Stockfish" option.Hash=64) ;;
    self) other=(cmd="${OTHER:-$engine}" name=Duchamp-2 option.Hash=64) ;;
    *) echo "unknown opponent: $opponent" >&2; exit 2 ;;
esac
exec "${FASTCHESS:-fastchess}" \
    -engine cmd="$engine" name=Duchamp option.Hash=64 \
    -engine "${other[@]}" \
    -each proto=uci tc="$tc" \
    -openings file=tests/data/openings.epd format=epd order=random -srand 1 \
    -rounds $(((games + 1) / 2)) -games 2 -repeat -recover \
    -concurrency "${CONCURRENCY:-1}" -pgnout file="${PGN:-/dev/null}" \
    -ratinginterval 10 "$@"
