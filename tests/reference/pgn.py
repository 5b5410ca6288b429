#!/usr/bin/env python3
"""Reads the games of `duchamp tb line --pgn` with python-chess: every game must be read without an error, begin at the
position asked for, end in the mate that its result tells, and be as long as the value told at its start.

    tests/reference/pgn.py DUCHAMP DIR        DIR holds the tables of 3 and 4 men
"""

import io
import re
import subprocess
import sys

import chess.pgn

POSITIONS = [
    "8/8/8/8/8/2k5/8/K6R w - - 0 1",
    "8/8/8/8/8/2k5/8/K6R b - - 0 1",
    "8/8/8/8/5R2/2pk4/5K2/8 b - - 0 1",
    "3K4/8/4p3/8/8/2P5/8/2k5 w - - 0 1",
    "8/8/8/8/8/8/1k6/3K2BN b - - 0 71",
    "7k/8/6Q1/5K2/8/8/8/8 b - - 0 1",  # stalemate at once is a draw
    "8/8/8/8/3k4/8/3K4/6NN w - - 0 1",
]


def check(program, folder, fen):
    text = subprocess.run(
        [program, "tb", "line", fen, "--pgn", "--dir", folder], check=True, capture_output=True, text=True
    ).stdout
    game = chess.pgn.read_game(io.StringIO(text))
    assert not game.errors, (fen, game.errors)
    assert game.headers["SetUp"] == "1" and game.headers["FEN"] == game.board().fen(), (fen, text)
    assert chess.Board(fen).board_fen() == game.board().board_fen(), (fen, text)
    end = game.end().board()
    told = re.search(r"\((\d+) plies\)", game.comment)
    if told:
        assert end.is_checkmate() and end.result() == game.headers["Result"], (fen, text)
        assert len(list(game.mainline())) == int(told.group(1)), (fen, text)
    else:
        assert game.headers["Result"] == "1/2-1/2" and "draw" in game.comment, (fen, text)


def main():
    program, folder = sys.argv[1:]
    for fen in POSITIONS:
        check(program, folder, fen)
    print(f"{len(POSITIONS)} games read")


main()
