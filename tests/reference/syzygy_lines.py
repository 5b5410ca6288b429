#!/usr/bin/env python3
"""Holds values of positions against python-chess (PyPI: chess).

    ./syzygy_moves FOLDER 2000 31 | tests/reference/syzygy_lines.py FOLDER

Standard input has a position a line, as `tests/reference/syzygy_moves.c` writes them: FEN, result (-2 to 2), distance to
zeroing in plies, separated by semicolons. Prints the number of positions and of differences; exit code 1 if there are any.
"""

import sys

import chess
import chess.syzygy


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: syzygy_lines.py FOLDER < LINES", file=sys.stderr)
        return 2
    positions = differences = 0
    with chess.syzygy.open_tablebase(sys.argv[1]) as tables:
        for line in sys.stdin:
            fen, wdl, dtz = line.strip().split(";")
            board = chess.Board(fen)
            found = (tables.probe_wdl(board), tables.probe_dtz(board))
            positions += 1
            if found != (int(wdl), int(dtz)):
                differences += 1
                if differences <= 20:
                    print(f"{fen}: {wdl} {dtz}, python-chess {found}", file=sys.stderr)
    print(f"{positions} positions, {differences} differences")
    return 1 if differences or not positions else 0


if __name__ == "__main__":
    sys.exit(main())
