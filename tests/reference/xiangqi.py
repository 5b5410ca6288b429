#!/usr/bin/env python3
"""Legal moves of xiangqi positions by pyffish, for crates/xiangqi/tests/pyffish.rs.

Reads one FEN a line from standard input and prints one line for each: whether the side to move is in check (0 or 1), then its legal moves
with ranks from 1, sorted; with --wxf each move with its WXF notation behind a colon.

    tests/reference/xiangqi.py [--wxf] < FENS

Exit code: 0; 3 if pyffish is not installed (`pip install pyffish`). It serves as a reference only: nothing of it is part of the program.
"""

import sys

try:
    import pyffish
except ImportError:
    print("pyffish is not installed for this Python: pip install pyffish", file=sys.stderr)
    sys.exit(3)


def main():
    wxf = "--wxf" in sys.argv[1:]
    for line in sys.stdin:
        fen = line.strip()
        moves = sorted(pyffish.legal_moves("xiangqi", fen, []))
        if wxf:
            notation = pyffish.NOTATION_XIANGQI_WXF
            moves = [move + ":" + pyffish.get_san("xiangqi", fen, move, False, notation) for move in moves]
        check = int(pyffish.gives_check("xiangqi", fen, []))
        print(check, *moves)


main()
