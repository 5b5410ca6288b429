// FEN of both games: reading, writing, the changes of the editor, and positions in words. A board is a Map from the name of
// a square to the letter of its piece.

import { gameOf, pieceName, sideOf, squareAt, squareName } from "./games.js";

/** Reads a FEN; throws an Error whose message is a sentence. */
export function readFen(game, text) {
  const fields = text.trim().split(/[\s_]+/);
  const board = readBoard(game, fields[0]);
  const turn = (fields[1] ?? "w").toLowerCase().replace("r", "w");
  if (turn !== "w" && turn !== "b") {
    throw new Error(`The second field of the FEN is the side to move, w or b, not ${fields[1]}.`);
  }
  return {
    game,
    board,
    turn,
    castling: fields[2] || "-",
    passant: fields[3] || "-",
    clock: counter(fields[4], 0),
    number: counter(fields[5], 1),
  };
}

function counter(text, otherwise) {
  return /^\d{1,4}$/.test(text ?? "") ? Number(text) : otherwise;
}

function readBoard(game, text) {
  const rows = text.split("/");
  if (rows.length !== game.ranks) {
    throw new Error(`A FEN of ${game.title.toLowerCase()} has ${game.ranks} ranks, separated by "/"; this one has ${rows.length}.`);
  }
  const board = new Map();
  rows.forEach((row, index) => {
    const rank = game.ranks - 1 - index;
    let file = 0;
    for (const sign of row) {
      if (/[1-9]/.test(sign)) {
        file += Number(sign);
        continue;
      }
      const upper = sign.toUpperCase();
      const letter = game.aliases[upper] ?? upper;
      if (!game.letters.includes(letter)) {
        throw new Error(`The FEN has the sign ${sign}; pieces are ${game.letters.split("").join(" ")}, small letters for Black.`);
      }
      board.set(squareName(game, file, rank), sign === upper ? letter : letter.toLowerCase());
      file += 1;
    }
    if (file !== game.files) {
      throw new Error(`Rank ${rank + game.firstRank} of the FEN has ${file} squares instead of ${game.files}.`);
    }
  });
  return board;
}

/** Writes a FEN of six fields. */
export function writeFen(position) {
  const { game, board, turn, castling, passant, clock, number } = position;
  const rows = [];
  for (let rank = game.ranks - 1; rank >= 0; rank -= 1) {
    let row = "";
    let blanks = 0;
    for (let file = 0; file < game.files; file += 1) {
      const letter = board.get(squareName(game, file, rank));
      if (letter === undefined) {
        blanks += 1;
      } else {
        row += (blanks || "") + letter;
        blanks = 0;
      }
    }
    rows.push(row + (blanks || ""));
  }
  return `${rows.join("/")} ${turn} ${castling} ${passant} ${clock} ${number}`;
}

/** Whether two FENs show the same pieces and the same side to move, castling rights and en passant square. */
export function samePosition(one, other) {
  const key = (fen) => fen.trim().split(/[\s_]+/).slice(0, 4).join(" ");
  return key(one) === key(other);
}

/** A position after a change of the board: rights that belonged to the old board are gone. */
export function withBoard(position, board) {
  return { ...position, board, castling: "-", passant: "-" };
}

/** The other side to move; an en passant square is of the old one. */
export function withTurn(position, turn) {
  return { ...position, turn, passant: "-" };
}

/** Each piece changes its color, the board is turned top to bottom, and so does the side to move: the same position. */
export function swapColors(position) {
  const turned = mirrorRanks(position);
  const board = new Map();
  for (const [square, letter] of turned.board) {
    board.set(square, sideOf(letter) === "w" ? letter.toLowerCase() : letter.toUpperCase());
  }
  return { ...turned, board, turn: position.turn === "w" ? "b" : "w" };
}

/** Left and right exchanged. */
export function mirrorFiles(position) {
  return mirrored(position, (game, { file, rank }) => squareName(game, game.files - 1 - file, rank));
}

/** Top and bottom exchanged. */
export function mirrorRanks(position) {
  return mirrored(position, (game, { file, rank }) => squareName(game, file, game.ranks - 1 - rank));
}

function mirrored(position, image) {
  const { game } = position;
  const board = new Map();
  for (const [square, letter] of position.board) {
    board.set(image(game, squareAt(game, square)), letter);
  }
  return withBoard(position, board);
}

/** The position in a sentence or two, for those who do not see the board. */
export function describe(position) {
  const { game, board, turn } = position;
  const parts = ["w", "b"].map((side) => {
    const named = [];
    for (const letter of game.letters) {
      const own = side === "w" ? letter : letter.toLowerCase();
      const squares = [...board].filter(([, other]) => other === own).map(([square]) => square);
      if (squares.length > 0) {
        named.push(`${game.names[letter]}${squares.length > 1 ? "s" : ""} ${squares.sort().join(" ")}`);
      }
    }
    return `${game.sides[side]}: ${named.join(", ") || "no pieces"}.`;
  });
  return `${parts.join(" ")} ${game.sides[turn]} to move.`;
}

/** What stands on a square, in words. */
export function describeSquare(position, square) {
  const letter = position.board.get(square);
  return `${square}, ${letter === undefined ? "empty" : pieceName(position.game, letter)}`;
}

/** Whether only kings and pawns are left, at least one pawn. */
export function isPawnEnding(position) {
  const letters = [...position.board.values()].map((letter) => letter.toUpperCase());
  return position.game.key === "chess" && letters.includes("P") && letters.every((letter) => "KP".includes(letter));
}

/** The squares of all pawns with their colors, as a text to compare. */
export function pawnsKey(position) {
  const pawns = [...position.board].filter(([, letter]) => letter.toUpperCase() === "P");
  return pawns.map(([square, letter]) => letter + square).sort().join(" ");
}

/** The game that a FEN belongs to by its number of ranks. */
export function gameOfFen(text) {
  return gameOf(text.trim().split(/[\s_]+/)[0].split("/").length === 10 ? "xiangqi" : "chess");
}

/** A name of material such as KRPvKR in words; the name itself where it has other letters. */
export function materialInWords(game, name) {
  const sides = name.split("v");
  if (game.key !== "chess" || sides.length !== 2 || !/^[KQRBNP]+v[KQRBNP]+$/.test(name)) {
    return name;
  }
  const words = sides.map((side) => {
    const counted = [];
    for (const letter of game.letters) {
      const count = side.split(letter).length - 1;
      const number = ["", "", "two ", "three ", "four ", "five "][count] ?? `${count} `;
      if (count > 0) {
        counted.push(`${number}${game.names[letter]}${count > 1 ? "s" : ""}`);
      }
    }
    const last = counted.pop();
    return counted.length > 0 ? `${counted.join(", ")} and ${last}` : last;
  });
  const text = words.join(" against ");
  return text[0].toUpperCase() + text.slice(1);
}
