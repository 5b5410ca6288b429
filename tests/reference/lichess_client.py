#!/usr/bin/env python3
"""Asks `duchamp serve` through berserk, lichess's own Python client, whose base address alone is changed, and compares what it
reads with the rules of python-chess and with Syzygy tables that another generator made.

    tests/reference/lichess_client.py DUCHAMP DIR SYZYGY [POSITIONS]

DIR holds tables of Duchamp with distances to zeroing, SYZYGY files of the same materials. 200 positions by default, a tenth of
them with a halfmove clock; the seed is fixed.
"""

import random
import subprocess
import sys
from pathlib import Path

import berserk
import chess
import chess.syzygy

# Of a move or position, by the result without the 50-move rule's clock: -2 to 2, as Syzygy counts.
CATEGORIES = ["loss", "blessed-loss", "draw", "cursed-win", "win"]
ORDER = ["loss", "unknown", "blessed-loss", "draw", "cursed-win", "win"]


def materials(folder, syzygy):
    """The tables that both have."""
    ours = {path.stem for path in Path(folder).glob("*.dtz")}
    theirs = {path.stem for path in Path(syzygy).glob("*.rtbz")}
    both = sorted(ours & theirs)
    assert both, f"no table of {folder} is in {syzygy}"
    return both


def random_board(rng, material):
    """A legal position, the stronger side's color by lot."""
    strong, weak = material.split("v")
    colors = [chess.WHITE, chess.BLACK]
    rng.shuffle(colors)
    while True:
        board = chess.Board(None)
        men = [(letter, colors[0]) for letter in strong] + [(letter, colors[1]) for letter in weak]
        for (letter, color), square in zip(men, rng.sample(chess.SQUARES, len(men))):
            board.set_piece_at(square, chess.Piece(chess.PIECE_SYMBOLS.index(letter.lower()), color))
        board.turn = rng.choice([chess.WHITE, chess.BLACK])
        if rng.random() < 0.1:
            board.halfmove_clock = rng.randrange(100)
        if board.is_valid():
            return board


def expected(tables, board, before):
    """The categories that are right: two where the rounding of Syzygy's distances leaves it open. `before`: the halfmove
    clock of the position before."""
    if board.is_stalemate() or board.is_insufficient_material():
        return {"draw"}
    if board.is_checkmate():
        return {"blessed-loss" if before >= 100 else "loss"}
    wdl = tables.probe_wdl(board)
    if wdl in (0, -1, 1):
        return {CATEGORIES[wdl + 2]}
    plies = abs(tables.probe_dtz(board))
    sure, cursed = ("win", "cursed-win") if wdl > 0 else ("loss", "blessed-loss")
    # A distance may be one less than the true one, never more.
    late = [plies + board.halfmove_clock > 100, plies + 1 + board.halfmove_clock > 100]
    if before >= 100:
        return {cursed}
    return {cursed if is_late else sure for is_late in late[: 1 if board.halfmove_clock == 0 else 2]}


def compare(tables, board, answer):
    where = board.fen()
    assert answer["category"] in expected(tables, board, board.halfmove_clock - 1), (where, answer["category"])
    for name, value in [
        ("checkmate", board.is_checkmate()),
        ("stalemate", board.is_stalemate()),
        ("insufficient_material", board.is_insufficient_material()),
    ]:
        assert answer[name] == value, (where, name)
    if not board.is_game_over():
        theirs = tables.probe_dtz(board)
        assert abs(answer["dtz"]) - abs(theirs) in (0, 1) and answer["dtz"] * theirs >= 0, (where, answer["dtz"], theirs)
    moves = answer["moves"]
    assert {move["uci"] for move in moves} == {move.uci() for move in board.legal_moves}, where
    ranks = [ORDER.index(move["category"]) for move in moves]
    assert ranks == sorted(ranks), where
    for told in moves:
        move = chess.Move.from_uci(told["uci"])
        assert told["san"] == board.san(move), (where, told)
        assert told["zeroing"] == board.is_zeroing(move), (where, told)
        after = board.copy(stack=False)
        after.push(move)
        assert told["checkmate"] == after.is_checkmate(), (where, told)
        assert told["category"] in expected(tables, after, board.halfmove_clock), (where, told)
    return len(moves)


def main(program, folder, syzygy, count=200):
    rng = random.Random(2026)
    both = materials(folder, syzygy)
    tables = chess.syzygy.open_tablebase(syzygy)
    server = subprocess.Popen(
        [program, "serve", "--listen", "127.0.0.1:0", "--dir", folder], stdout=subprocess.PIPE, text=True
    )
    try:
        address = server.stdout.readline().strip().rstrip("/")
        client = berserk.Client(tablebase_url=address)
        moves = 0
        for _ in range(int(count)):
            board = random_board(rng, rng.choice(both))
            moves += compare(tables, board, client.tablebase.standard(board.fen()))
        print(f"{count} positions and {moves} moves of {len(both)} materials read through berserk: no difference")
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
