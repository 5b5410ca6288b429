// Pieces in a box of 100 by 100: six chess men as shapes, xiangqi men as discs with a Chinese character and a Latin letter.
// The shapes are our own. Colors come from style.css.

import { svg } from "./dom.js";
import { sideOf } from "./games.js";

// `body` is filled; `lines` are drawn over it; `balls` are circles on top.
const CHESS = {
  P: {
    body:
      "M50 18a13 13 0 0 1 7.5 23.6h5.5c2.5 0 2.5 6 0 6h-4c1.5 11 6.5 18 13.5 24c4 3.4 5.5 6.4 5.5 10.4h-56c0-4 1.5-7 5.5-10.4" +
      "c7-6 12-13 13.5-24h-4c-2.5 0-2.5-6 0-6h5.5a13 13 0 0 1 7.5-23.6z",
    lines: "M42.5 41.6h15M27.5 71.6h45",
  },
  N: {
    body:
      "M28 82C28 67 45 62 47.500 50C42 54 36 53 32 57L26.500 62.500C22 65 16 60 17 55C20 46 25 38 29 31C30 27 31 22 30 16" +
      "L39 21C40 18 42 15.500 44.500 13L50 20C68 23 79 44 77 82Z",
    lines: "M52 29C64 35 69 51 68.500 73M22.500 56.500l2.500-1.800",
    balls: [[35.5, 35.5, 2]],
  },
  B: {
    body:
      "M50 21c13 9 20 19.500 20 29.500c0 7-3.400 11.600-7.500 15.500l2.500 6.500c6 1 11 3 13 9.500h-56c2-6.500 7-8.500 13-9.500l2.500-6.500" +
      "c-4.100-3.900-7.500-8.500-7.500-15.500c0-10 7-20.500 20-29.500z",
    lines: "M50 36v16M42.5 43.500h15M37.500 66h25M35 72.500h30",
    balls: [[50, 16, 5]],
  },
  R: {
    body:
      "M25 18h11v8h8.500v-8h11v8h8.500v-8h11v16l-8 7c.3 10 1.500 18 3.500 25l7 6v10h-55v-10l7-6c2-7 3.200-15 3.500-25l-8-7z",
    lines: "M33 41h34M29.500 66h41M22.500 72h55",
  },
  Q: {
    body:
      "M18 30l11.500 20l4-29l8.500 27l8-31l8 31l8.500-27l4 29l11.500-20l-8 34c-1.500 3-1.500 5 2 8v10h-52v-10c3.500-3 3.500-5 2-8z",
    lines: "M26 64c16-4 32-4 48 0M24 72c16-3.500 36-3.500 52 0",
    balls: [[18, 28, 4.5], [33.5, 19, 4.5], [50, 15, 4.5], [66.5, 19, 4.5], [82, 28, 4.5]],
  },
  K: {
    body:
      "M50 36c6-9 32-11 31 10c-.6 9-7 14-10.500 20c-1 3 .5 4 3.500 6v10h-48v-10c3-2 4.500-3 3.500-6c-3.500-6-9.900-11-10.500-20" +
      "c-1-21 25-19 31-10z",
    lines: "M29.500 66c13-4 28-4 41 0M26 72.500c15-3.500 33-3.500 48 0M50 36v24",
    cross: "M50 11v22M42 18.500h16",
  },
};

const XIANGQI = {
  w: { K: "帥", A: "仕", B: "相", N: "傌", R: "俥", C: "炮", P: "兵" },
  b: { K: "將", A: "士", B: "象", N: "馬", R: "車", C: "砲", P: "卒" },
};

/** A piece as an SVG group. */
export function drawPiece(game, letter) {
  const side = sideOf(letter);
  const kind = letter.toUpperCase();
  return game.key === "xiangqi" ? disc(side, kind) : man(side, CHESS[kind]);
}

function man(side, { body, lines, balls = [], cross }) {
  return svg(
    "g",
    { class: `man man-${side}` },
    cross && svg("path", { class: "man-cross", d: cross }),
    svg("path", { class: "man-body", d: body }),
    balls.map(([cx, cy, r]) => svg("circle", { class: r < 3 ? "man-eye" : "man-body", cx, cy, r })),
    svg("path", { class: "man-lines", d: lines }),
  );
}

function disc(side, kind) {
  return svg(
    "g",
    { class: `man disc disc-${side}` },
    svg("circle", { class: "disc-body", cx: 50, cy: 50, r: 43 }),
    svg("circle", { class: "disc-ring", cx: 50, cy: 50, r: 38 }),
    svg("text", { class: "disc-sign", x: 50, y: 56 }, XIANGQI[side][kind]),
    svg("text", { class: "disc-letter", x: 50, y: 80 }, kind),
  );
}

/** A piece alone, as a picture for buttons. */
export function pieceIcon(game, letter) {
  return svg("svg", { viewBox: "0 0 100 100", class: "icon-man", "aria-hidden": "true" }, drawPiece(game, letter));
}
