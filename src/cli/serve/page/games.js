// What the two games are on the board: files, ranks, letters of the pieces, names of the sides, and the names of squares.

const CHESS = {
  key: "chess",
  title: "Chess",
  files: 8,
  ranks: 8,
  firstRank: 1,
  sides: { w: "White", b: "Black" },
  names: { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" },
  letters: "KQRBNP",
  aliases: {},
  metrics: ["dtm", "dtc", "dtz"],
  metric: "dtm",
  // Philidor 1777: White to move loses a move and wins.
  start: "1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1",
  empty: "8/8/8/8/8/8/8/8 w - - 0 1",
  onPoints: false,
};

const XIANGQI = {
  key: "xiangqi",
  title: "Xiangqi",
  files: 9,
  ranks: 10,
  firstRank: 0,
  sides: { w: "Red", b: "Black" },
  names: { K: "general", A: "advisor", B: "elephant", N: "horse", R: "chariot", C: "cannon", P: "pawn" },
  letters: "KABNRCP",
  aliases: { E: "B", H: "N" },
  metrics: ["dtc", "dtm"],
  metric: "dtc",
  start: "3ak4/4a4/4b3b/9/9/9/9/4R4/9/3K5 w - - 0 1",
  empty: "9/9/9/9/9/9/9/9/9/9 w - - 0 1",
  onPoints: true,
};

const GAMES = { chess: CHESS, xiangqi: XIANGQI };

/** The game of that name; chess if there is none. */
export function gameOf(key) {
  return Object.hasOwn(GAMES, key ?? "") ? GAMES[key] : CHESS;
}

/** The name of a square, counted from the lower left corner: (0, 0) is a1 or a0. */
export function squareName(game, file, rank) {
  return String.fromCharCode(97 + file) + String(rank + game.firstRank);
}

/** File and rank of a square's name, counted from 0. */
export function squareAt(game, name) {
  return { file: name.charCodeAt(0) - 97, rank: Number(name.slice(1)) - game.firstRank };
}

/** The side that owns a piece: upper case is White or Red. */
export function sideOf(letter) {
  return letter === letter.toUpperCase() ? "w" : "b";
}

/** A piece in words, such as "white rook". */
export function pieceName(game, letter) {
  return `${game.sides[sideOf(letter)].toLowerCase()} ${game.names[letter.toUpperCase()]}`;
}

/** Squares and promotion of a move in UCI notation. */
export function readUci(uci) {
  return { from: uci.slice(0, 2), to: uci.slice(2, 4), promotion: uci.slice(4) || null };
}
