// The value of a position: its headline, and the three distances side by side.

import { button, el } from "./dom.js";
import { METRICS, explanation, headline, movesOf, pliesOf } from "./words.js";
import { materialInWords } from "./fen.js";

const ENDED = {
  checkmate: { checkmate: true },
  stalemate: { stalemate: true },
};

/** Fills `host`, and returns the headline and its tone. `values` is null where no table has the position; `ask(metric)` is
 * called for a distance that is missing. */
export function drawValue(host, { game, turn, legal, linked, values, ask }) {
  const shown = values ?? { category: "unknown", dtm: null, dtc: null, dtz: null, ...ENDED[legal.ended] };
  const { text, tone } = headline(game, turn, shown);
  const over = shown.checkmate || shown.stalemate || legal.ended;
  const known = values !== null && !over && !["draw", "unknown"].includes(values.category);
  const nodes = [
    el(
      "p",
      { class: "quiet" },
      `${game.sides[turn]} to move`,
      legal.check ? ", in check" : "",
      ". ",
      legal.material && materialName(game, legal.material, linked),
    ),
  ];
  if (legal.ended && !ENDED[legal.ended] && values === null) {
    nodes.push(el("p", {}, legal.ended));
  }
  if (known) {
    nodes.push(el("dl", { class: "distances-box" }, game.metrics.map((metric) => distance(game, values, metric, ask))));
  }
  if (values?.rounded) {
    nodes.push(el("p", { class: "quiet" }, "From Syzygy tables: the DTZ may be one ply longer."));
  }
  if (["cursed-win", "blessed-loss"].includes(values?.category)) {
    nodes.push(el("p", { class: "quiet" }, "Distances ignore the 50-move rule; the outcome regards it, with the halfmove clock of the FEN."));
  }
  host.replaceChildren(...nodes);
  return { text, tone };
}

/** The material in words, a link where there are tables of so many men. */
function materialName(game, material, linked) {
  const words = materialInWords(game, material);
  const href = `?${game.key === "chess" ? "" : `game=${game.key}&`}material=${encodeURIComponent(material)}`;
  return linked ? el("a", { href }, words) : words;
}

function distance(game, values, metric, ask) {
  const plies = pliesOf(values, metric);
  const { short, end } = METRICS[metric];
  const name = [el("abbr", { title: explanation(game, metric) }, short), ` ${end}`];
  if (plies === null) {
    return el("div", {}, el("dt", {}, name), el("dd", { class: "absent" }, button("not in the tables", () => ask(metric), { class: "link" })));
  }
  const moves = movesOf(plies);
  return el(
    "div",
    {},
    el("dt", {}, name),
    el("dd", {}, el("b", {}, `${moves}`), ` ${moves === 1 ? "move" : "moves"} `, el("span", { class: "quiet" }, `${plies} ${plies === 1 ? "ply" : "plies"}`)),
  );
}
