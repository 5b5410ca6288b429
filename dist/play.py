#!/usr/bin/env python3
"""Tries an archive as a user does: checks its SHA-256, unpacks it into an empty folder, plays one game from there
against another UCI engine and prints it as PGN.

    dist/play.py ARCHIVE ENGINE [--elo 2500] [--seconds 20] [--increment 0.2] [--black]

--elo limits the other engine (UCI_LimitStrength, UCI_Elo). Needs python-chess (`pip install chess`). The exit code is 1
if Duchamp forfeits: an illegal move, a crash, or its time.
"""

import argparse
import datetime
import hashlib
import os
import shutil
import sys
import tempfile
import time

import chess
import chess.engine
import chess.pgn


def unpacked(archive, folder):
    """The program of an archive, unpacked into a folder."""
    with open(archive + ".sha256", encoding="ascii") as file:
        expected = file.read().split()[0]
    with open(archive, "rb") as file:
        if hashlib.sha256(file.read()).hexdigest() != expected:
            sys.exit(f"{archive}: not the bytes of {archive}.sha256")
    shutil.unpack_archive(archive, folder)
    (top,) = os.listdir(folder)
    for name in ("duchamp", "duchamp.exe"):
        path = os.path.join(folder, top, name)
        if os.path.isfile(path):
            os.chmod(path, 0o755)
            return path
    sys.exit(f"{archive}: no program in it")


def play(arguments, program):
    home = os.path.dirname(program)
    # As for a user who has no tables yet, and who keeps them beside the program.
    ours = chess.engine.SimpleEngine.popen_uci(program, cwd=home, env={**os.environ, "DUCHAMP_TABLEBASES": home + "/tables"})
    other = chess.engine.SimpleEngine.popen_uci(arguments.engine)
    if arguments.elo:
        other.configure({"UCI_LimitStrength": True, "UCI_Elo": arguments.elo})
    players = {not arguments.black: ours, arguments.black: other}
    clocks = {color: arguments.seconds for color in chess.COLORS}
    board, forfeit = chess.Board(), None
    game = chess.pgn.Game()
    node = game
    while not board.is_game_over(claim_draw=True):
        mover = board.turn
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE],
            black_clock=clocks[chess.BLACK],
            white_inc=arguments.increment,
            black_inc=arguments.increment,
        )
        start = time.monotonic()
        try:
            result = players[mover].play(board, limit, game=game, info=chess.engine.INFO_SCORE)
        except chess.engine.EngineError as error:
            forfeit = (mover, str(error))
            break
        clocks[mover] -= time.monotonic() - start
        if clocks[mover] < 0:
            forfeit = (mover, "time")
            break
        clocks[mover] += arguments.increment
        board.push(result.move)
        node = node.add_variation(result.move)
        if players[mover] is ours and "score" in result.info:
            node.comment = str(result.info["score"].pov(mover))
    name = ours.id["name"]
    rival = other.id["name"] + (f" (UCI_Elo {arguments.elo})" if arguments.elo else "")
    for engine in (ours, other):
        engine.quit()
    headers = game.headers
    headers["Event"] = "Duchamp from " + os.path.basename(arguments.archive)
    headers["Site"] = "?"
    headers["Date"] = datetime.date.today().strftime("%Y.%m.%d")
    headers["White"], headers["Black"] = (rival, name) if arguments.black else (name, rival)
    headers["TimeControl"] = f"{arguments.seconds:g}+{arguments.increment:g}"
    if forfeit:
        headers["Result"] = "0-1" if forfeit[0] == chess.WHITE else "1-0"
        headers["Termination"] = forfeit[1]
    else:
        headers["Result"] = board.result(claim_draw=True)
        headers["Termination"] = board.outcome(claim_draw=True).termination.name.lower().replace("_", " ")
    print(game)
    return 1 if forfeit and players[forfeit[0]] is ours else 0


def main():
    parser = argparse.ArgumentParser(description="Plays one game with the program of an archive.")
    parser.add_argument("archive")
    parser.add_argument("engine", help="the other engine")
    parser.add_argument("--elo", type=int, help="limit the other engine to this Elo")
    parser.add_argument("--seconds", type=float, default=20, help="time of each side [20]")
    parser.add_argument("--increment", type=float, default=0.2, help="seconds added by each move [0.2]")
    parser.add_argument("--black", action="store_true", help="play Black")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return play(arguments, unpacked(arguments.archive, folder))


if __name__ == "__main__":
    sys.exit(main())
