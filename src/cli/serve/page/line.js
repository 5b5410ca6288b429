// The line that leads through the position: moves played or shown, steps back and forward, the best line to the end, and
// its PGN game.

import { bestLine, Latest } from "./api.js";
import { button, choice, copyButton, dim, el } from "./dom.js";
import { METRICS } from "./words.js";

export class LinePanel {
  #game;
  #handlers;
  #latest = new Latest();
  #metric;
  #marked = null;
  #list = el("ol", { class: "line", "aria-label": "Moves" });
  #pgn = el("div");
  #shown = null;

  /** `handlers`: `fen()`, `jump(index)`, `extend(moves)`, `fail(error)`. */
  constructor(game, handlers) {
    this.#game = game;
    this.#handlers = handlers;
    this.#metric = game.metric;
    const names = game.metrics.map((metric) => [metric, METRICS[metric].short]);
    const metric = choice("by", names, game.metric, (chosen) => {
      this.#metric = chosen;
    });
    this.ask = button("Show the best line", () => this.#load());
    this.node = el(
      "section",
      { class: "panel", "aria-labelledby": "line-title" },
      el("div", { class: "panel-head" }, el("h2", { id: "line-title" }, "Line"), el("div", { class: "row" }, this.ask, metric.node)),
      this.#list,
      this.#pgn,
    );
  }

  close() {
    this.#latest.stop();
  }

  /** A new position: a best line that is still awaited belongs to an older one. */
  forget() {
    this.#latest.stop();
    this.#idle();
  }

  /** Whether a line of this position can be had. */
  allow(open) {
    dim(this.ask, !open);
  }

  /** Shows a line of `{fen, san}`, the first without a move, and marks the place `index`. */
  show(line, index) {
    if (this.#shown !== line) {
      this.#shown = line;
      this.#draw(line);
    }
    this.#marked?.removeAttribute("aria-current");
    this.#marked = this.#list.querySelector(`[data-index="${index}"]`);
    if (this.#marked) {
      this.#marked.setAttribute("aria-current", "step");
      const [box, item] = [this.#list.getBoundingClientRect(), this.#marked.getBoundingClientRect()];
      if (item.top < box.top || item.bottom > box.bottom) {
        this.#list.scrollTop += item.top - box.top - box.height / 2;
      }
    }
  }

  #draw(line) {
    const fields = line[0].fen.split(" ");
    let number = Number(fields[5]) || 1;
    let white = fields[1] !== "b";
    const items = [
      el("li", {}, button("Start", () => this.#handlers.jump(0), { class: "ply", "data-index": 0 })),
    ];
    line.slice(1).forEach((entry, at) => {
      const label = white ? `${number}.` : at === 0 ? `${number}...` : "";
      const move = button(entry.san, () => this.#handlers.jump(at + 1), { class: "ply", "data-index": at + 1 });
      items.push(el("li", {}, label && el("span", { class: "number" }, label), move));
      number += white ? 0 : 1;
      white = !white;
    });
    this.#list.replaceChildren(...items);
    this.#list.hidden = line.length < 2;
  }

  #idle() {
    this.ask.textContent = "Show the best line";
    this.ask.removeAttribute("aria-busy");
  }

  #load() {
    this.ask.textContent = "Looking for the best line ...";
    this.ask.setAttribute("aria-busy", "true");
    this.#latest.run((signal) => bestLine(this.#game, this.#handlers.fen(), this.#metric, signal), {
      done: (found) => {
        this.#showPgn(found.pgn ?? "");
        this.#handlers.extend(found.moves, METRICS[found.metric ?? this.#metric]);
      },
      fail: this.#handlers.fail,
      end: () => this.#idle(),
    });
  }

  #showPgn(pgn) {
    const text = el("pre", { class: "pgn", tabindex: 0, "aria-label": "PGN" }, pgn);
    const save = button("Save as a file", () => {
      const url = URL.createObjectURL(new Blob([pgn], { type: "application/x-chess-pgn" }));
      const link = el("a", { href: url, download: "duchamp-line.pgn" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    });
    const box = el(
      "details",
      {},
      el("summary", {}, "Best line as PGN"),
      el("div", { class: "row" }, copyButton(() => pgn, text), save),
      text,
    );
    this.#pgn.replaceChildren(...(pgn === "" ? [] : [box]));
  }
}
