#!/usr/bin/env python3
"""Compares the endgame tables with those of other generators, read by python-chess.

Compares what `duchamp tb probe - --brief` answers with
  - the Syzygy WDL files of another generator: every legal 3-man position, and random positions of each 4-man
    table (en-passant rights included where a position has them);
  - with --dtz the Syzygy DTZ files too, if our tables have `.dtz` files. A Syzygy table may round: where its flags
    do not say that it counts plies, it stores moves, and what it answers may be one ply off. Such tables may
    differ by one ply, all others must be equal;
  - the Gaviota files that Debian ships (package gaviotatb): the distance to mate of every legal 3-man position.

    tests/reference/compare.py [--syzygy DIR] [--gaviota DIR] [--duchamp PROGRAM] [--dir TABLES]
                           [--samples N] [--short] [--seed S] [--dtz]

Defaults: $DUCHAMP_SYZYGY, /usr/share/gaviotatb, target/release/duchamp, the program's own folder of tables,
200000 positions of each 4-man table. --short takes every 97th 3-man position and 500 samples (CI). Exit code: 0 all
equal; 1 differences; 3 nothing to compare with.

Needs python-chess (`pip install chess`). It serves as a reference only: nothing of it is part of the program.
"""

import argparse
import itertools
import os
import random
import subprocess
import sys
import threading
import time

import chess
import chess.gaviota
import chess.syzygy

ROLES = {"K": chess.KING, "Q": chess.QUEEN, "R": chess.ROOK, "B": chess.BISHOP, "N": chess.KNIGHT, "P": chess.PAWN}
WDL = {2: "win", 0: "draw", -2: "loss"}
ORDER = "QRBNP"


def materials(men):
    """All canonical names with so many men, such as KRvKP."""
    names = []
    for white in range(men - 2, (men - 2 + 1) // 2 - 1, -1):
        for strong in itertools.combinations_with_replacement(ORDER, white):
            for weak in itertools.combinations_with_replacement(ORDER, men - 2 - white):
                if len(strong) > len(weak) or [ORDER.index(c) for c in strong] <= [ORDER.index(c) for c in weak]:
                    names.append("K" + "".join(strong) + "vK" + "".join(weak))
    return names


def pieces(name):
    strong, weak = name.split("v")
    return [(ROLES[c], chess.WHITE) for c in strong] + [(ROLES[c], chess.BLACK) for c in weak]


def board_of(men, squares, turn):
    """A legal board, or None."""
    if len(set(squares)) < len(squares):
        return None
    for (role, _), square in zip(men, squares):
        if role == chess.PAWN and not 8 <= square < 56:
            return None
    board = chess.Board(None)
    for (role, color), square in zip(men, squares):
        board.set_piece_at(square, chess.Piece(role, color))
    board.turn = turn
    # The kings apart, and the side that is not to move not in check.
    if board.was_into_check():
        return None
    return board


def every_position(name, step):
    """Every legal position of a material, the strong side of either colour; or each `step`th."""
    men = pieces(name)
    swapped = [(role, not color) for role, color in men]
    for number in range(0, 64 ** len(men) * 4, step):
        turn = bool(number & 1)
        coloured = swapped if number & 2 else men
        rest = number >> 2
        squares = []
        for _ in men:
            squares.append(rest & 63)
            rest >>= 6
        board = board_of(coloured, squares, turn)
        if board is not None:
            yield board


def random_positions(name, count, rng):
    """Random legal positions, the strong side of either colour; some with en-passant rights."""
    men = pieces(name)
    made = 0
    while made < count:
        swap = rng.random() < 0.5
        coloured = [(role, color != swap) for role, color in men]
        board = board_of(coloured, [rng.randrange(64) for _ in men], rng.random() < 0.5)
        if board is None:
            continue
        # Any pawn that can have come by a double step gives a right now and then.
        if board.pawns and rng.random() < 0.5:
            for square in chess.SquareSet(board.pawns & board.occupied_co[not board.turn]):
                back = -8 if board.turn == chess.BLACK else 8
                if chess.square_rank(square) == (3 if board.turn == chess.BLACK else 4):
                    passed, start = square + back, square + 2 * back
                    if board.piece_at(passed) is None and board.piece_at(start) is None:
                        board.ep_square = passed
                        if not board.has_legal_en_passant() or not board.is_valid():
                            board.ep_square = None
        made += 1
        yield board


class Duchamp:
    """The program under test, answering in batches."""

    def __init__(self, program, folder, metric="dtm"):
        self.command = [program, "tb", "probe", "-", "--brief", "--metric", metric]
        self.command += ["--dir", folder] if folder else []

    def answers(self, fens):
        process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # A thread writes while this one reads, lest both pipes fill up.
        def feed():
            process.stdin.write("\n".join(fens) + "\n")
            process.stdin.close()
        writer = threading.Thread(target=feed)
        writer.start()
        lines = process.stdout.read().splitlines()
        writer.join()
        if process.wait() != 0 or len(lines) != len(fens):
            sys.exit(f"{self.command}: {len(lines)} answers to {len(fens)} questions")
        return lines


def compare(boards, duchamp, syzygy, gaviota):
    """Positions compared by WDL, by DTM, and the differences."""
    compared = [0, 0]
    differences = []
    for batch in iter(lambda: list(itertools.islice(boards, 20000)), []):
        fens = [board.fen() for board in batch]
        for board, fen, line in zip(batch, fens, duchamp.answers(fens)):
            wdl, plies = (line.split() + ["-"])[:2]
            if syzygy is not None:
                compared[0] += 1
                expected = WDL[syzygy.probe_wdl(board)]
                if expected != wdl:
                    differences.append(f"{fen}: {line}, Syzygy says {expected}")
            if gaviota is not None:
                compared[1] += 1
                # Gaviota: plies to mate, negative for the loser; 0 is a draw or mate on the board.
                dtm = gaviota.probe_dtm(board)
                if dtm == 0:
                    expected = "loss 0" if board.is_checkmate() else "draw -"
                else:
                    expected = f"{'win' if dtm > 0 else 'loss'} {abs(dtm)}"
                if expected != line:
                    differences.append(f"{fen}: {line}, Gaviota says {expected}")
    return compared, differences


def rounds(syzygy, name):
    """Whether a Syzygy DTZ table stores moves, not plies, for wins and for losses of the side that it holds."""
    table = syzygy.dtz[name]
    table.init_table_dtz()
    flags = table.flags if isinstance(table.flags, list) else [table.flags]
    return not all(flag & 4 for flag in flags) or not all(flag & 8 for flag in flags)


def compare_dtz(name, boards, duchamp, syzygy):
    """Positions compared by DTZ, equal ones, those a rounding table has one ply off, and the differences."""
    compared = equal = off = 0
    differences = []
    loose = rounds(syzygy, name)
    for batch in iter(lambda: list(itertools.islice(boards, 20000)), []):
        fens = [board.fen() for board in batch]
        for board, fen, line in zip(batch, fens, duchamp.answers(fens)):
            compared += 1
            theirs = syzygy.probe_dtz(board)
            wdl, plies = line.split()
            ours = 0 if wdl == "draw" else int(plies)
            # A mated side has lost at once; the reference says in one ply.
            if board.is_checkmate():
                ours = 1
            if "loss" in wdl:
                ours = -ours
            if ours == theirs:
                equal += 1
            elif loose and abs(ours - theirs) == 1 and (ours > 0) == (theirs > 0) and theirs != 0:
                off += 1
            else:
                differences.append(f"{fen}: {line}, Syzygy says {theirs}")
    return compared, equal, off, differences


def compare_dtz(options, syzygy, samples, step, only):
    """Compares all tables by DTZ; the number of differences."""
    duchamp = Duchamp(options.duchamp, options.dir, "dtz")
    total = wrong = 0
    for name in materials(3) + materials(4):
        if only and name not in only or name not in syzygy.dtz:
            continue
        if len(pieces(name)) == 3:
            boards = every_position(name, step)
        else:
            boards = random_positions(name, samples, random.Random(f"{options.seed} {name}"))
        compared, equal, off, differences = compare_dtz(name, boards, duchamp, syzygy)
        total += compared
        wrong += len(differences)
        print(f"{name:8} DTZ {compared:8} equal {equal:8} rounded {off:7} differences {len(differences):4}", flush=True)
        for text in differences[:5]:
            print("  " + text)
    print(f"compared {total} DTZ with Syzygy: {wrong} differences")
    return wrong


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    parser = argparse.ArgumentParser(description="Compares Duchamp's tables with Syzygy and Gaviota files.")
    parser.add_argument("--syzygy", default=os.environ.get("DUCHAMP_SYZYGY", ""))
    parser.add_argument("--gaviota", default="/usr/share/gaviotatb")
    parser.add_argument("--duchamp", default=os.path.join(root, "target", "release", "duchamp"))
    parser.add_argument("--dir", default="")
    parser.add_argument("--samples", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--dtz", action="store_true", help="compare DTZ with Syzygy, nothing else")
    parser.add_argument("--only", default="", help="compare only these materials, parted by commas")
    options = parser.parse_args()
    step, samples = (97, 500) if options.short else (1, options.samples)
    only = [name for name in options.only.split(",") if name]

    syzygy = chess.syzygy.open_tablebase(options.syzygy) if os.path.isdir(options.syzygy) else None
    gaviota = None
    if os.path.isdir(options.gaviota):
        # The pure Python reader; the C library's is not installed everywhere.
        gaviota = chess.gaviota.PythonTablebase()
        for folder, _, files in os.walk(options.gaviota):
            if any(name.endswith(".gtb.cp4") for name in files):
                gaviota.add_directory(folder)
    if syzygy is None and gaviota is None:
        print("no Syzygy and no Gaviota files found: nothing to compare with")
        return 3
    if options.dtz:
        if syzygy is None:
            print("no Syzygy files found: nothing to compare with")
            return 3
        return 1 if compare_dtz(options, syzygy, samples, step, only) else 0
    duchamp = Duchamp(options.duchamp, options.dir)
    total, wrong, start = [0, 0], 0, time.time()
    for name in materials(3) + (materials(4) if syzygy is not None else []):
        if only and name not in only:
            continue
        began = time.time()
        if len(pieces(name)) == 3:
            # Bishop and knight have no Gaviota wins; they are compared all the same.
            boards, distances = every_position(name, step), gaviota
        else:
            rng = random.Random(f"{options.seed} {name}")
            boards, distances = random_positions(name, samples, rng), None
        compared, differences = compare(boards, duchamp, syzygy, distances)
        total = [a + b for a, b in zip(total, compared)]
        wrong += len(differences)
        print(f"{name:8} WDL {compared[0]:8} DTM {compared[1]:8} differences {len(differences):4} "
              f"{time.time() - began:7.1f} s", flush=True)
        for text in differences[:5]:
            print("  " + text)
    print(f"compared {total[0]} WDL with Syzygy, {total[1]} DTM with Gaviota: {wrong} differences, "
          f"{time.time() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
