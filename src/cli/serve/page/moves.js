// The list of moves, grouped by outcome, best first. Each move is a button; hovering or focusing it draws its arrow.

import { el, hidden } from "./dom.js";
import { METRICS, TURNED, explanation, length, movesOf, pliesOfMove } from "./words.js";

// Outcomes for the side to move, best first, with the tone of their arrows.
const GROUPS = [
  { key: "win", title: "Winning", tone: "win" },
  { key: "syzygy-win", title: "Winning, perhaps drawn by the 50-move rule", tone: "win" },
  { key: "maybe-win", title: "Winning, perhaps drawn by the 50-move rule", tone: "win" },
  { key: "cursed-win", title: "Cursed wins: drawn by the 50-move rule", tone: "cursed" },
  { key: "unknown", title: "Unknown", tone: "unknown" },
  { key: "draw", title: "Drawing", tone: "draw" },
  { key: "blessed-loss", title: "Blessed losses: drawn by the 50-move rule", tone: "blessed" },
  { key: "maybe-loss", title: "Losing, perhaps drawn by the 50-move rule", tone: "loss" },
  { key: "syzygy-loss", title: "Losing, perhaps drawn by the 50-move rule", tone: "loss" },
  { key: "loss", title: "Losing", tone: "loss" },
];

/** The tone of a move for its arrow. */
export function toneOf(move) {
  return GROUPS.find(({ key }) => key === (TURNED[move.category] ?? "unknown"))?.tone ?? "unknown";
}

/** Draws the list. `handlers`: `play(move)`, `point(move or null)`. */
export function drawMoves(game, moves, handlers) {
  if (moves.length === 0) {
    return el("p", { class: "quiet" }, "There is no legal move.");
  }
  const known = game.metrics.filter((metric) => moves.some((move) => pliesOfMove(move, metric) !== null));
  const groups = GROUPS.map((group) => {
    const own = moves.filter((move) => (TURNED[move.category] ?? "unknown") === group.key);
    return own.length === 0 ? null : drawGroup(game, group, own, known, handlers);
  });
  const note =
    known.length > 0 &&
    el(
      "details",
      {},
      el("summary", {}, "Distances are moves / plies, the move itself counted"),
      el("ul", { class: "meanings quiet" }, known.map((metric) => el("li", {}, explanation(game, metric)))),
    );
  return el("div", { class: known.length > 0 ? "moves" : "moves moves-bare" }, groups, note);
}

function drawGroup(game, group, moves, known, handlers) {
  const metrics = moves.some((move) => known.some((metric) => pliesOfMove(move, metric) !== null)) ? known : [];
  const heads = metrics.map((metric) => el("span", { class: "distance" }, METRICS[metric].short));
  return el(
    "section",
    { class: `move-group tone-${group.tone}` },
    el(
      "div",
      { class: "move-head" },
      el("h3", {}, `${group.title} `, el("span", { class: "quiet" }, String(moves.length))),
      el("span", { class: "distances", "aria-hidden": "true" }, heads),
    ),
    el("ol", {}, moves.map((move) => el("li", {}, drawMove(game, move, group.tone, metrics, handlers)))),
  );
}

function drawMove(game, move, tone, metrics, handlers) {
  const distances = metrics.map((metric) => {
    const plies = pliesOfMove(move, metric);
    const shown = plies === null ? "–" : `${movesOf(plies)} / ${plies}`;
    return el("span", { class: "distance" }, el("span", { "aria-hidden": "true" }, shown), spoken(metric, plies));
  });
  const point = () => handlers.point(move, tone);
  const rest = () => handlers.point(null);
  return el(
    "button",
    {
      type: "button",
      class: "move",
      // Between the two clicks of a double click the next position's moves may come under the pointer: the second plays none.
      onclick: (event) => event.detail < 2 && handlers.play(move),
      onpointerenter: point,
      onpointerleave: rest,
      onfocus: point,
      onblur: rest,
    },
    el("span", { class: "move-name" }, el("b", {}, move.san), badgesOf(game, move)),
    el("span", { class: "distances" }, distances),
  );
}

function spoken(metric, plies) {
  return plies === null ? null : hidden(` ${METRICS[metric].verb} in ${length(plies)},`);
}

function badgesOf(game, move) {
  const chess = game.key === "chess";
  const capture = chess ? move.san.includes("x") : move.conversion;
  const promotion = chess && move.san.includes("=");
  const names = [
    [move.checkmate, "mate", "good"],
    [move.stalemate, chess ? "stalemate" : "no move left", "plain"],
    [move.insufficient, "insufficient material", "plain"],
    [capture, "capture", "plain"],
    [promotion, "promotion", "plain"],
    [move.zeroing && !capture && !promotion, "pawn move", "plain"],
    [move.only, "only move", "strong"],
  ];
  return names.filter(([holds]) => holds).map(([, name, kind]) => [" ", el("span", { class: `badge badge-${kind}` }, name)]);
}
