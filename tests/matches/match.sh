#!/usr/bin/env bash
# A match of Duchamp against another engine, with fastchess, at 5 s + 0.05 s a move, own books off, one thread each.
#
#   tests/matches/match.sh gnuchess|toga|ethereal|stockfish|self [GAMES] [TC] [extra fastchess arguments]
#
# Needs `fastchess` (in PATH or $FASTCHESS) and Debian's gnuchess, toga2, ethereal-chess or stockfish.
# $DUCHAMP is the engine (default target/release/duchamp), $OTHER the one that `self` plays against (default the same
# one); $CONCURRENCY games run at once (default 1).
# $OPTIONS and $OTHER_OPTIONS are UCI options of the two, as in "Threads=2 Hash=128", in place of those given here.
# Writes the games to $PGN (default /dev/null).
set -euo pipefail
cd "$(dirname "$0")/../.."
opponent=${1:?which opponent?}
games=${2:-100}
tc=${3:-5+0.05}
shift $(($# < 3 ? $# : 3))
engine=${DUCHAMP:-${CARGO_TARGET_DIR:-$PWD/target}/release/duchamp}
games_dir=/usr/games
case $opponent in
    gnuchess) other=(cmd=$games_dir/gnuchess args=--uci "name=GNU Chess 6.2.7" option.OwnBook=false) ;;
    toga) other=(cmd=$games_dir/toga2 "name=Toga II 3.0" option.OwnBook=false) ;;
    ethereal) other=(cmd=$games_dir/ethereal-chess "name=Ethereal 12") ;;
    stockfish) other=(cmd=$games_dir/stockfish name=Stockfish) ;;
    self) other=(cmd="${OTHER:-$engine}" name=Duchamp-2) ;;
    *) echo "unknown opponent: $opponent" >&2; exit 2 ;;
esac
# Option names without spaces are all that these engines need.
read -ra options <<<"${OPTIONS:-Hash=64}"
read -ra other_options <<<"${OTHER_OPTIONS:-Hash=64}"
exec "${FASTCHESS:-fastchess}" \
    -engine cmd="$engine" name=Duchamp "${options[@]/#/option.}" \
    -engine "${other[@]}" "${other_options[@]/#/option.}" \
    -each proto=uci tc="$tc" \
    -openings file=tests/data/openings.epd format=epd order=random -srand 1 \
    -rounds $(((games + 1) / 2)) -games 2 -repeat -recover \
    -concurrency "${CONCURRENCY:-1}" -pgnout file="${PGN:-/dev/null}" \
    -ratinginterval 10 "$@"
