// The empty board as SVG: squares of chess, or lines and points of xiangqi, with coordinates; and small boards for lists.
// A cell is 100 units wide in both games; a man stands in the middle of its cell.

import { svg } from "./dom.js";
import { squareAt } from "./games.js";
import { describe } from "./fen.js";
import { drawPiece } from "./pieces.js";

export const CELL = 100;
// Xiangqi has its coordinates outside, where no man covers them.
const MARGIN = { chess: 0, xiangqi: 36 };

/** The part of the plane that the picture shows. */
export function viewBox(game, bare = false) {
  const margin = bare ? 0 : MARGIN[game.key];
  const [width, height] = [game.files * CELL, game.ranks * CELL];
  return `${-margin} 0 ${width + margin} ${height + margin}`;
}

/** The upper left corner of a square. */
export function corner(game, square, flipped) {
  const { file, rank } = squareAt(game, square);
  const column = flipped ? game.files - 1 - file : file;
  const row = flipped ? rank : game.ranks - 1 - rank;
  return { x: column * CELL, y: row * CELL };
}

/** The squares or lines without coordinates. */
function plain(game) {
  return game.onPoints ? lines(game) : squares(game);
}

/** The board with coordinates. */
export function drawGround(game, flipped) {
  return svg("g", { class: "ground" }, plain(game), coordinates(game, flipped));
}

function squares(game) {
  let dark = "";
  for (let row = 0; row < game.ranks; row += 1) {
    for (let column = 0; column < game.files; column += 1) {
      if ((row + column) % 2 === 1) {
        dark += `M${column * CELL} ${row * CELL}h${CELL}v${CELL}h${-CELL}z`;
      }
    }
  }
  return [
    svg("rect", { class: "square-light", x: 0, y: 0, width: game.files * CELL, height: game.ranks * CELL }),
    svg("path", { class: "square-dark", d: dark }),
  ];
}

function lines(game) {
  const [right, foot] = [(game.files - 0.5) * CELL, (game.ranks - 0.5) * CELL];
  const half = CELL / 2;
  let path = "";
  for (let row = 0; row < game.ranks; row += 1) {
    path += `M${half} ${half + row * CELL}H${right}`;
  }
  for (let column = 0; column < game.files; column += 1) {
    const x = half + column * CELL;
    // The river between the fifth and the sixth rank interrupts the inner files.
    path += column === 0 || column === game.files - 1 ? `M${x} ${half}V${foot}` : `M${x} ${half}V450M${x} 550V${foot}`;
  }
  for (const y of [half, foot - 2 * CELL]) {
    path += `M350 ${y}l200 200M550 ${y}l-200 200`;
  }
  return [
    svg("rect", { class: "wood", x: 0, y: 0, width: game.files * CELL, height: game.ranks * CELL, rx: 8 }),
    svg("path", { class: "wood-lines", d: path }),
    svg("text", { class: "river", x: 250, y: 500 }, "楚 河"),
    svg("text", { class: "river", x: 650, y: 500 }, "漢 界"),
  ];
}

function coordinates(game, flipped) {
  const texts = [];
  for (let column = 0; column < game.files; column += 1) {
    const file = String.fromCharCode(97 + (flipped ? game.files - 1 - column : column));
    const place = game.onPoints
      ? { x: (column + 0.5) * CELL, y: game.ranks * CELL + 26, class: "coordinate outside" }
      : { x: column * CELL + 12, y: game.ranks * CELL - 9, class: `coordinate on-${column % 2 === 0 ? "dark" : "light"}` };
    texts.push(svg("text", place, file));
  }
  for (let row = 0; row < game.ranks; row += 1) {
    const rank = String((flipped ? row : game.ranks - 1 - row) + game.firstRank);
    const place = game.onPoints
      ? { x: -20, y: (row + 0.5) * CELL + 9, class: "coordinate outside" }
      : { x: game.files * CELL - 12, y: row * CELL + 25, class: `coordinate on-${row % 2 === 0 ? "dark" : "light"}` };
    texts.push(svg("text", place, rank));
  }
  return svg("g", { "aria-hidden": "true" }, texts);
}

/** A small board that only shows. */
export function smallBoard(position) {
  const { game, board } = position;
  const men = [...board].map(([square, letter]) => {
    const { x, y } = corner(game, square, false);
    return svg("g", { transform: `translate(${x} ${y})` }, drawPiece(game, letter));
  });
  return svg("svg", { viewBox: viewBox(game, true), class: "small-board", role: "img", "aria-label": describe(position) }, plain(game), men);
}
