#!/usr/bin/env python3
"""Compares what the Syzygy reader says of positions with python-chess: results and distances to zeroing.

All legal positions of all files of three and four men in a folder, both sides to move and en-passant rights included, but
of those that a turn or reflection of the board makes equal one only. python-chess is slow (some 5,000 positions a second),
so a share can be taken: every N-th position, from the K-th on.

    tests/reference/syzygy.py DIR [--values PROGRAM] [--share K/N] [--seconds S] [MATERIAL...]

PROGRAM is the example `syzygy_values` (default: target/release/examples/syzygy_values). With --seconds every material
gets an equal part of the time. Exit code: 0 all equal; 1 differences; 3 nothing to compare with.
"""

import argparse
import itertools
import os
import subprocess
import sys
import time

import chess
import chess.syzygy

TRIANGLE = [chess.A1, chess.B1, chess.C1, chess.D1, chess.B2, chess.C2, chess.D2, chess.C3, chess.D3, chess.D4]
LEFT = [square for square in chess.SQUARES if chess.square_file(square) < 4]


def placements(name, step, first):
    """Every step-th board of a material, with either side to move."""
    white, black = name.split("v")
    men = [chess.Piece.from_symbol(symbol) for symbol in white] + [
        chess.Piece.from_symbol(symbol.lower()) for symbol in black
    ]
    kings = LEFT if "P" in name else TRIANGLE
    pawns = [square for square in chess.SQUARES if 8 <= square < 56]
    squares = [kings] + [pawns if man.piece_type == chess.PAWN else chess.SQUARES for man in men[1:]]
    total = 1
    for choice in squares:
        total *= len(choice)
    for number in range(first, total * 2, step):
        rest, placed = number // 2, []
        for choice in squares:
            placed.append(choice[rest % len(choice)])
            rest //= len(choice)
        if len(set(placed)) < len(placed):
            continue
        board = chess.Board(None)
        for man, square in zip(men, placed):
            board.set_piece_at(square, man)
        board.turn = number % 2 == 0
        yield board


def positions(name, step, first):
    """The legal positions of these boards, and those with each legal en-passant capture."""
    for board in placements(name, step, first):
        if not board.is_valid():
            continue
        yield board
        if all("P" in side for side in name.split("v")):
            rank = 5 if board.turn else 2
            for file in range(8):
                other = board.copy(stack=False)
                other.ep_square = chess.square(file, rank)
                if other.is_valid() and other.has_legal_en_passant():
                    yield other


def compare(values, folder, tables, boards):
    """How many positions were compared, and the lines of those that differ."""
    fens = [board.fen(en_passant="fen") for board in boards]
    told = subprocess.run([values, folder], input="\n".join(fens), capture_output=True, text=True, check=True)
    answers = told.stdout.splitlines()
    assert len(answers) == len(boards), told.stderr
    wrong = []
    for board, fen, answer in zip(boards, fens, answers):
        expected = f"{tables.probe_wdl(board)} {tables.probe_dtz(board)}"
        if answer != expected:
            wrong.append(f"{fen}: {answer}, python-chess {expected}")
    return len(boards), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("materials", nargs="*")
    parser.add_argument("--values", default="target/release/examples/syzygy_values")
    parser.add_argument("--share", default="1/1")
    parser.add_argument("--seconds", type=float)
    arguments = parser.parse_intermixed_args()
    first, step = (int(part) for part in arguments.share.split("/"))
    found = sorted(
        name[:-5]
        for name in os.listdir(arguments.folder)
        if name.endswith(".rtbw") and len(name[:-5]) <= 5 and os.path.exists(os.path.join(arguments.folder, name[:-5] + ".rtbz"))
    )
    names = arguments.materials or found
    if not names:
        print("no Syzygy files of three and four men in", arguments.folder)
        return 3
    tables = chess.syzygy.open_tablebase(arguments.folder)
    compared, differences = 0, 0
    for name in names:
        start, count, en_passant, wrong = time.monotonic(), 0, 0, []
        source, whole = positions(name, step, first - 1), True
        while boards := list(itertools.islice(source, 2000)):
            more, lines = compare(arguments.values, arguments.folder, tables, boards)
            count += more
            en_passant += sum(board.ep_square is not None for board in boards)
            wrong += lines
            if arguments.seconds and time.monotonic() - start > arguments.seconds / len(names):
                whole = False
                break
        seconds = time.monotonic() - start
        print(f"{name:8} {count:9} positions, {en_passant} en passant, {len(wrong)} differ, {seconds:.0f} s"
              + ("" if whole else " (cut)"), flush=True)
        for line in wrong[:10]:
            print("  " + line)
        compared += count
        differences += len(wrong)
    print(f"{compared} positions of {len(names)} tables, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
