#!/usr/bin/env python3
"""Pawn endings with known results (tests/data/pawn_endings.csv): another engine beside our proofs, and what proofs save.

    tests/reference/pawns.py agree [--seconds S] [--engine stockfish] [--option NAME=VALUE]...
                               [--duchamp PROGRAM] [--dir TABLES]
        For each position S seconds of the other engine and of `duchamp pawns --suite`, each on one thread: a table of
        what the one thinks and the other proves, by how sure the list is of its result.

    tests/reference/pawns.py nodes [--nodes N] [--engine PROGRAM] [--option NAME=VALUE]... [--with NAME=VALUE]...
        Searches each position with a known result twice with N nodes, without and with the options --with, and tells
        after how many nodes the answer was settled: from then on the score is right (a win or loss from --win
        centipawns, a draw up to --draw) and, where the list has one only move, so is the move. Positions that are not
        settled count as N nodes.

Common: --suite FILE, --rows all|exact, --first N, --hash MB, --win CP, --draw CP. Needs python-chess (`pip install
chess`). A reference only: nothing of it is part of the program.
"""

import argparse
import collections
import csv
import json
import math
import shutil
import subprocess
import sys

import chess
import chess.engine


def rows(options):
    with open(options.suite, encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    found = [row for row in csv.DictReader(lines) if options.rows == "all" or row["verified"] == "exact"]
    return found[: options.first]


def keys(board, row):
    """The only moves that the list tells, if it says that they are; else none."""
    moves = set()
    if row["key_unique"] == "only":
        for word in row["key_move"].split():
            for parse in (board.parse_san, board.parse_uci):
                try:
                    moves.add(parse(word))
                    break
                except ValueError:
                    pass
    return moves


def meaning(score, options):
    """What a score for the side to move says: win, draw, loss or unclear."""
    value = score.score(mate_score=1_000_000)
    if value >= options.win:
        return "win"
    if value <= -options.win:
        return "loss"
    return "draw" if abs(value) <= options.draw else "unclear"


def open_engine(options, settings):
    path = shutil.which(options.engine) or shutil.which(options.engine, path="/usr/games") or options.engine
    engine = chess.engine.SimpleEngine.popen_uci(path, timeout=60)
    known = {name: value for name, value in {"Threads": 1, "Hash": options.hash}.items() if name in engine.options}
    for text in settings:
        name, _, value = text.partition("=")
        known[name] = value
    engine.configure(known)
    return engine


def agree(options):
    chosen = rows(options)
    command = [options.duchamp, "pawns", "--suite", options.suite, "--seconds", str(options.seconds), "--json"]
    if options.dir:
        command += ["--dir", options.dir]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode > 1 or not run.stdout:
        sys.exit(f"{' '.join(command)}: {run.stderr.strip()}")
    proofs = {}
    for line in run.stdout.splitlines():
        answer = json.loads(line)
        if "fen" in answer:
            proofs[answer["fen"]] = answer
    engine = open_engine(options, options.option)
    table = collections.defaultdict(collections.Counter)
    for row in chosen:
        board = chess.Board(row["fen"])
        # A game of its own: nothing is remembered from the last position.
        info = engine.analyse(board, chess.engine.Limit(time=options.seconds), game=object())
        said = meaning(info["score"].relative, options)
        proof = proofs[row["fen"]]
        low, high = proof["bounds"]
        value = {"win": 1, "draw": 0, "loss": -1}
        proved = proof["exact"] is not None
        for name in (row["verified"], "all"):
            count = table[name]
            count["rows"] += 1
            count["proved"] += proved
            count["bounded"] += (low, high) != (-1, 1)
            count["contradicted"] += proof["contradicted"]
            count["engine as the list"] += said == row["result_stm"]
            count["engine against it"] += said in value and row["result_stm"] in value and said != row["result_stm"]
            count["engine unclear"] += said == "unclear"
            count["engine against a proof"] += said in value and not low <= value[said] <= high
        if said in value and not low <= value[said] <= high:
            print(f"{row['fen']}: engine {said} ({info['score'].relative}), proved {low}..{high}", flush=True)
    engine.quit()
    names = ["rows", "proved", "bounded", "contradicted"]
    names += ["engine as the list", "engine against it", "engine unclear", "engine against a proof"]
    print("| list | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for name in sorted(table, key=lambda name: (name == "all", name)):
        print(f"| {name} | " + " | ".join(str(table[name][column]) for column in names) + " |")


def settled(engine, board, row, options):
    """Nodes after which the answer stays right; None if it is not at the end."""
    only = keys(board, row)
    since = None
    last = None
    with engine.analysis(board, chess.engine.Limit(nodes=options.nodes), game=object()) as analysis:
        for info in analysis:
            if "score" not in info or "lowerbound" in info or "upperbound" in info:
                continue
            move = info.get("pv", [None])[0]
            right = meaning(info["score"].relative, options) == row["result_stm"] and (not only or move in only)
            if not right:
                since = None
            elif since is None:
                since = max(info.get("nodes", 0), 1)
            last = info
        best = analysis.wait().move
    if last is None or (only and best not in only):
        return None
    return since


def nodes(options):
    chosen = [row for row in rows(options) if row["result_stm"] in ("win", "draw", "loss")]
    engines = [open_engine(options, options.option), open_engine(options, options.option + options.__dict__["with"])]
    found = []
    print("   without       with  result verified")
    for row in chosen:
        board = chess.Board(row["fen"])
        pair = [settled(engine, board, row, options) for engine in engines]
        found.append(pair)
        texts = ["-" if count is None else str(count) for count in pair]
        print(f"{texts[0]:>10} {texts[1]:>10}  {row['result_stm']:6} {row['verified']:22} {row['fen']}", flush=True)
    for engine in engines:
        engine.quit()
    counts = [[count or options.nodes for count in side] for side in zip(*found)]
    totals = [sum(side) for side in counts]
    means = [math.exp(sum(map(math.log, side)) / len(side)) for side in counts]
    reached = [sum(pair[side] is not None for pair in found) for side in (0, 1)]
    print(f"{len(found)} positions; settled {reached[0]} without, {reached[1]} with")
    print(f"nodes in all {totals[0]} and {totals[1]}: {totals[1] / totals[0]:.3g}")
    print(f"geometric mean {means[0]:.0f} and {means[1]:.0f}: {means[1] / means[0]:.3g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["agree", "nodes"])
    parser.add_argument("--suite", default="tests/data/pawn_endings.csv")
    parser.add_argument("--rows", choices=["all", "exact"], default="all")
    parser.add_argument("--first", type=int)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--engine")
    parser.add_argument("--duchamp", default="target/release/duchamp")
    parser.add_argument("--dir", help="our endgame tables")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--with", action="append", default=[])
    parser.add_argument("--hash", type=int, default=64)
    parser.add_argument("--win", type=int, default=250)
    parser.add_argument("--draw", type=int, default=30)
    options = parser.parse_args()
    if options.engine is None:
        options.engine = "stockfish" if options.task == "agree" else options.duchamp
    {"agree": agree, "nodes": nodes}[options.task](options)


main()
