#!/usr/bin/env python3
"""Shows that an engine reads the Syzygy files of a folder, and reads them right.

Random positions, as many of each material as of every other: the engine searches each a little, with `SyzygyPath` on the
folder. It must report `tbhits`, a winning score where the result is a win, a losing one where it is a loss, and next to
nothing where it is a draw by the 50-move rule. The results come from python-chess, of another folder with --truth.

    tests/reference/syzygy_engine.py ENGINE DIR [--truth DIR] [--positions N] [--seed S]

Exit code: 0 all right; 1 differences; 3 no tables.
"""

import argparse
import os
import random
import sys

import chess
import chess.engine
import chess.syzygy


def random_position(material, rng):
    """A legal position of a material, either side White, without en-passant rights."""
    white, black = material.split("v")
    swap = rng.random() < 0.5
    while True:
        board = chess.Board(None)
        men = [(man, chess.WHITE) for man in white] + [(man, chess.BLACK) for man in black]
        for (man, color), square in zip(men, rng.sample(range(64), len(men))):
            kind = chess.Piece.from_symbol(man).piece_type
            board.set_piece_at(square, chess.Piece(kind, color != swap))
        board.turn = rng.random() < 0.5
        if board.is_valid() and not board.is_game_over():
            return board


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine")
    parser.add_argument("folder")
    parser.add_argument("--truth", help="a folder of files by another program; only its materials are taken")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--men", type=int, default=5, help="how many men the materials have")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    truth = arguments.truth or arguments.folder
    names = sorted(name[:-5] for name in os.listdir(truth) if name.endswith(".rtbw"))
    names = [
        name
        for name in names
        if len(name) == arguments.men + 1 and os.path.exists(os.path.join(arguments.folder, name + ".rtbz"))
    ]
    if not names:
        print("no tables to compare", file=sys.stderr)
        return 3
    rng = random.Random(arguments.seed)
    wrong = without = 0
    seen = {}
    with chess.syzygy.open_tablebase(truth) as tables, chess.engine.SimpleEngine.popen_uci(arguments.engine) as engine:
        engine.configure({"SyzygyPath": arguments.folder})
        for number in range(arguments.positions):
            board = random_position(names[number % len(names)], rng)
            result = tables.probe_wdl(board)
            info = engine.analyse(board, chess.engine.Limit(nodes=5000), game=object())
            score = info["score"].relative.score(mate_score=100000)
            found = 2 if score >= 5000 else -2 if score <= -5000 else 0
            expected = result if abs(result) == 2 else 0
            without += info.get("tbhits", 0) == 0
            seen[result] = seen.get(result, 0) + 1
            if found != expected:
                wrong += 1
                print(f"{board.fen()}: the tables say {result}, the engine {info['score']}", file=sys.stderr)
    results = ", ".join(f"{result:+d}: {seen[result]}" for result in sorted(seen))
    print(f"{arguments.positions} positions of {len(names)} materials ({results}): {wrong} wrong, {without} without tbhits")
    return 1 if wrong or without else 0


if __name__ == "__main__":
    sys.exit(main())
