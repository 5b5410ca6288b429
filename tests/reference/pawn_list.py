#!/usr/bin/env python3
"""Chooses pawn endings that arise in games, for `duchamp pawns --suite`. Needs python-chess.

    duchamp datagen pgn FILE > GAMES.pgn
    tests/reference/pawn_list.py GAMES.pgn --count 300 --seed 1 > LIST.csv

Of each game the first position with nothing but kings and so many pawns (by default 2 to 12); each position once; of these
as many as asked for, drawn by the seed.
"""

import argparse
import csv
import random
import sys

import chess
import chess.pgn


def first_ending(game, least, most):
    """The first pawn ending of a game as FEN without clocks; None if there is none."""
    board = game.board()
    for move in game.mainline_moves():
        board.push(move)
        pawns = chess.popcount(board.pawns)
        if board.occupied == board.kings | board.pawns and least <= pawns <= most:
            if board.is_game_over():
                return None
            return board.epd(en_passant="legal") + " 0 1"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", help="files of games in PGN")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of the drawn ones: a second list")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pawns", type=int, nargs=2, default=(2, 12), metavar=("LEAST", "MOST"))
    arguments = parser.parse_args()
    found = {}
    total = 0
    for name in arguments.games:
        with open(name, encoding="utf-8") as file:
            while game := chess.pgn.read_game(file):
                total += 1
                fen = first_ending(game, *arguments.pawns)
                if fen:
                    found.setdefault(fen)
    endings = list(found)
    random.Random(arguments.seed).shuffle(endings)
    print(f"{total} games, {len(endings)} pawn endings", file=sys.stderr)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["fen", "result_stm", "verified"])
    for fen in endings[arguments.skip :][: arguments.count]:
        out.writerow([fen, "?", "unknown"])


if __name__ == "__main__":
    main()
