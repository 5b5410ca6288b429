// Modules of the page that need no browser.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

// A copy beside a package.json, which makes them modules for every version of node.
const folder = mkdtempSync(join(tmpdir(), "duchamp-page-"));
after(() => rmSync(folder, { recursive: true, force: true }));
cpSync(fileURLToPath(new URL("../../src/cli/serve/page", import.meta.url)), folder, { recursive: true });
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
const load = (name) => import(pathToFileURL(join(folder, name)).href);

const api = await load("api.js");
const dom = await load("dom.js");
const fen = await load("fen.js");
const { isOwn } = await load("freezer.js");
const { gameOf, readUci, squareAt, squareName } = await load("games.js");
const paged = await load("paged.js");
const plans = await load("plan.js");
const squares = await load("squares.js");
const words = await load("words.js");

const chess = gameOf("chess");
const xiangqi = gameOf("xiangqi");
const FEN = "1k6/1r6/2K5/Q7/8/8/8/8 w - - 3 7";
const position = fen.readFen(chess, FEN);
const boardOf = (changed) => fen.writeFen(changed).split(" ")[0];

test("a FEN that is read and written is the same", () => {
  assert.equal(fen.writeFen(position), FEN);
  assert.equal(fen.writeFen(fen.readFen(chess, FEN.replaceAll(" ", "_"))), FEN);
  assert.equal(fen.writeFen(fen.readFen(xiangqi, "3ak4/4a4/4b3b/9/9/9/9/4R4/9/3K5 r")), xiangqi.start);
  assert.equal(boardOf(fen.readFen(xiangqi, "3ak4/4a4/4e3e/9/9/9/9/4H4/9/3K5 w")), "3ak4/4a4/4b3b/9/9/9/9/4N4/9/3K5");
  assert.equal(fen.gameOfFen(xiangqi.start), xiangqi);
  assert.equal(fen.gameOfFen(FEN), chess);
});

test("a wrong FEN is refused in a sentence that names the fault", () => {
  const faults = [
    ["8/8 w", /8 ranks.*has 2/],
    ["9/8/8/8/8/8/8/8 w", /Rank 8 .* 9 squares/],
    ["x7/8/8/8/8/8/8/8 w", /sign x/],
    ["8/8/8/8/8/8/8/8 white", /side to move, w or b, not white/],
    ["", /8 ranks/],
  ];
  for (const [text, pattern] of faults) {
    assert.throws(() => fen.readFen(chess, text), pattern);
  }
});

test("the whole board is changed", () => {
  assert.equal(fen.writeFen(fen.swapColors(position)), "8/8/8/8/q7/2k5/1R6/1K6 b - - 3 7");
  assert.equal(fen.writeFen(fen.swapColors(fen.swapColors(position))), FEN);
  assert.equal(boardOf(fen.mirrorFiles(position)), "6k1/6r1/5K2/7Q/8/8/8/8");
  assert.equal(boardOf(fen.mirrorRanks(position)), "8/8/8/8/Q7/2K5/1r6/1k6");
  const rights = fen.readFen(chess, "4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1");
  assert.match(fen.writeFen(fen.mirrorFiles(rights)), / w - - /);
  assert.match(fen.writeFen(fen.withTurn(rights, "b")), / b K - /);
});

test("positions and materials in words", () => {
  assert.equal(fen.describe(position), "White: king c6, queen a5. Black: king b8, rook b7. White to move.");
  assert.equal(fen.describeSquare(position, "b7"), "b7, black rook");
  assert.equal(fen.describeSquare(position, "h1"), "h1, empty");
  assert.equal(fen.materialInWords(chess, "KRPvKR"), "King, rook and pawn against king and rook");
  assert.equal(fen.materialInWords(chess, "KNNvKP"), "King and two knights against king and pawn");
  assert.equal(fen.materialInWords(xiangqi, "c-aa"), "c-aa");
  assert.equal(fen.isPawnEnding(fen.readFen(chess, "8/8/8/2k5/8/2K5/2P5/8 w")), true);
  assert.equal(fen.isPawnEnding(position), false);
});

test("squares and moves", () => {
  assert.equal(squareName(xiangqi, 4, 2), "e2");
  assert.deepEqual(squareAt(xiangqi, "i9"), { file: 8, rank: 9 });
  assert.deepEqual(squareAt(chess, "a1"), { file: 0, rank: 0 });
  assert.deepEqual(readUci("a7a8q"), { from: "a7", to: "a8", promotion: "q" });
});

const value = (category, dtm = null, more = {}) => ({ category, dtm, dtc: null, dtz: null, ...more });

test("headlines give moves and plies", () => {
  const headline = (turn, values) => words.headline(chess, turn, values).text;
  assert.equal(headline("w", value("win", 23)), "White wins: mate in 12 moves (23 plies)");
  assert.equal(headline("b", value("loss", -24)), "White wins: mate in 12 moves (24 plies)");
  assert.equal(headline("w", value("win", 1)), "White wins: mate in 1 move (1 ply)");
  assert.equal(headline("b", value("cursed-win", 99)), "Black wins, but the 50-move rule makes it a draw");
  for (const category of ["maybe-win", "syzygy-win"]) {
    assert.equal(headline("b", value(category, 99)), "Black wins, unless the 50-move rule makes it a draw");
    assert.equal(headline("b", value(words.TURNED[category], 99)), "White wins, unless the 50-move rule makes it a draw");
  }
  assert.equal(headline("w", value("draw")), "Draw");
  assert.equal(headline("b", { ...value("loss"), checkmate: true }), "Checkmate: White has won");
  assert.equal(headline("b", { ...value("draw"), stalemate: true }), "Draw: stalemate");
  assert.equal(words.headline(xiangqi, "b", { ...value("loss"), stalemate: true }).text, "Black has no legal move: Red has won");
});

test("the distance of a move counts the move itself", () => {
  assert.equal(words.pliesOfMove(value("loss", -22), "dtm"), 23);
  assert.equal(words.pliesOfMove(value("loss", 0, { checkmate: true }), "dtm"), 1);
  assert.equal(words.pliesOfMove(value("loss", null, { dtz: -40, zeroing: true }), "dtz"), 1);
  assert.equal(words.pliesOfMove(value("draw", 0), "dtm"), null);
  assert.equal(words.bounds(chess, "b", [0, 1]), "Black does not lose");
});

test("a win that the 50-move rule may spoil is a win", () => {
  const wins = Object.keys(words.TURNED).filter(words.isWin);
  assert.deepEqual(wins, ["win", "cursed-win", "maybe-win", "syzygy-win"]);
});

test("a line is an example's own if every position is", () => {
  const example = { fen: "a", line: [{ fen: "b", told: "White holds" }, { fen: "c" }] };
  const line = (...fens) => fens.map((text) => ({ fen: text }));
  assert.equal(isOwn(line("a", "b", "c"), example), true);
  for (const other of [["a", "b", "x"], ["a", "x", "c"], ["x", "b", "c"], ["a", "b"], ["a", "b", "c", "d"], ["a"]]) {
    assert.equal(isOwn(line(...other), example), false, other.join(" "));
  }
  assert.equal(isOwn(line("a"), { fen: "a" }), false, "nothing is proved");
  assert.equal(isOwn(line("a", "b"), null), false);
});

test("pages are turned within the positions that can be shown", () => {
  const page = (number, all) => ({ count: all, positions: Array(number).fill({}) });
  assert.equal(paged.reachOf(0, page(24, 80)), 80);
  assert.equal(paged.reachOf(72, page(8, 80)), 80);
  assert.equal(paged.reachOf(48, page(8, 80)), 56, "fewer are kept");
  assert.equal(paged.reachOf(48, page(0, 80)), 48);
  assert.equal(paged.reachOf(0, page(24, 250_000)), 100_000);
  assert.equal(paged.turned(0, 24, 80), 24);
  assert.equal(paged.turned(48, 24, 80), 72);
  assert.equal(paged.turned(72, 24, 80), 72);
  assert.equal(paged.turned(24, 24, 48), 24, "the last page is full");
  assert.equal(paged.turned(24, -24, 80), 0);
  assert.equal(paged.turned(0, -24, 80), 0);
  assert.equal(paged.turned(0, 24, 0), 0);
  assert.equal(paged.turned(99_984, 24, 100_000), 99_984, "the server refuses offsets above 100000");
});

test("corresponding squares from pairs that are proved", () => {
  const answer = {
    corresponding: null,
    zugzwangs_proved: [["b1", "a7"], ["b1", "c7"], ["c1", "b7"], ["b3", "a7"], ["b3", "c7"], ["d1", "c7"]],
    key: null,
    key_proved: ["c5"],
    critical: ["a5"],
  };
  assert.deepEqual(squares.classesOf(answer), [
    { kings: ["b1", "b3"], others: ["a7", "c7"] },
    { kings: ["c1"], others: ["b7"] },
    { kings: ["d1"], others: ["c7"] },
  ]);
  const marks = squares.marksOf(answer);
  assert.deepEqual(marks.find(({ square }) => square === "c7"), { square: "c7", kind: "second", text: "1 3" });
  assert.deepEqual(marks.find(({ square }) => square === "c5"), { square: "c5", kind: "dot" });
});

test("what the server says becomes a sentence", () => {
  assert.equal(api.sentence("the table KRPvKR is missing"), "The table KRPvKR is missing.");
  assert.equal(api.sentence("c-aaee is missing!"), "c-aaee is missing!");
  assert.match(api.sentence("x".repeat(2000)), /^.{600} \.\.\.$/);
  assert.equal(api.address("/line", { fen: "8/8 w", metric: null }), "/line?fen=8%2F8%20w");
});

test("numbers, sizes and durations", () => {
  assert.equal(dom.count(1234567), "1,234,567");
  assert.deepEqual([0, 999, 1000, 294_000, 1_870_000].map(dom.bytes), ["0 B", "999 B", "1.00 kB", "294 kB", "1.87 MB"]);
  assert.deepEqual([0.2, 59.7, 200, 3600, 90000].map(dom.duration), ["less than a second", "1 min", "3 min 20 s", "1 h", "1 d 1 h"]);
});

test("a plan is cut at choices, and a move of it lies on a line to the end", () => {
  // 0 leads to 1; after 1 come 2 and 3; 2 ends, and after 4, which follows 3, it goes on as after 0.
  const nodes = [
    { parent: null, replies: [1], same_as: null },
    { parent: 0, replies: [2, 3], same_as: null },
    { parent: 1, replies: [], same_as: null },
    { parent: 1, replies: [4], same_as: null },
    { parent: 3, replies: [], same_as: 0 },
  ];
  const plan = { nodes, first: [0] };
  assert.deepEqual(plans.segment(plan, 0), { moves: [0, 1], choices: [2, 3] });
  assert.deepEqual(plans.segment(plan, 3), { moves: [3, 4], choices: [] });
  assert.deepEqual(plans.pathTo(plan, 4), [0, 1, 3, 4]);
  assert.deepEqual(plans.lineAfter(plan, 0), [1, 2]);
  assert.deepEqual(plans.lineAfter(plan, 3), [4, 1, 2]);
  assert.deepEqual(plans.lineAfter(plan, 2), []);
});
