// Pawn endings: what can be proved about a position of kings and pawns, in words and with marks on the board, and how a proved
// win is won.

import { Latest, pawns } from "./api.js";
import { button, choice, count, duration, el } from "./dom.js";
import { isPawnEnding, pawnsKey, samePosition, writeFen } from "./fen.js";
import { PlanTree } from "./plan.js";
import { drawClasses, drawLegend, marksOf } from "./squares.js";
import { bounds } from "./words.js";

const EXACT = { win: [1, 1], draw: [0, 0], loss: [-1, -1] };

export class PawnPanel {
  #handlers;
  #latest = new Latest();
  #found = null;
  #plan = null;
  #position = null;
  #facts = el("div", { "aria-live": "polite" });
  #tree = el("div");
  #ask;
  #seconds;

  /** `handlers`: `marks(list)`, `proved()` when there is a new headline, `follow(line, index)` when a move of the plan is clicked,
   * `fail(error)`. */
  constructor(handlers) {
    this.#handlers = handlers;
    this.#seconds = choice("within", [["5", "5 s"], ["20", "20 s"], ["60", "60 s"]], "5");
    this.#ask = button("What can be proved", () => this.#prove());
    this.node = el(
      "section",
      { class: "panel", "aria-labelledby": "pawns-title", hidden: true },
      el(
        "div",
        { class: "panel-head" },
        el("h2", { id: "pawns-title" }, "Pawn ending"),
        el("div", { class: "row" }, this.#ask, this.#seconds.node),
      ),
      this.#facts,
      this.#tree,
    );
  }

  close() {
    this.#latest.stop();
  }

  /** A position is shown. Squares that were found hold as long as no pawn moves, the plan as long as it is followed; the value only
   * for its own position. */
  update(position) {
    const fen = writeFen(position);
    if (this.#position !== null && samePosition(writeFen(this.#position), fen)) {
      return;
    }
    this.#latest.stop();
    this.#idle();
    this.#position = position;
    const planned = this.#isPlanned();
    this.node.hidden = !planned && !isPawnEnding(position);
    if (this.#found) {
      const same = this.#found.pawns === pawnsKey(position);
      if (this.node.hidden || !same && !planned) {
        this.#set(null, null);
      }
      this.#handlers.marks(this.#found && same ? marksOf(this.#found.answer) : []);
    }
    this.#draw();
  }

  /** A new answer, or none, with its plan. */
  #set(found, plan) {
    this.#found = found;
    this.#plan = plan;
    this.#tree.replaceChildren(...(plan === null ? [] : [plan.node]));
  }

  #isPlanned() {
    return this.#plan !== null && this.#plan.has(writeFen(this.#position));
  }

  /** What is proved of the position that is shown, as a headline and its tone; null if that is not its value. */
  headline() {
    if (this.#found === null || !this.#found.answer.exact) {
      return null;
    }
    const { answer, position } = this.#found;
    const { game, turn } = position;
    const tones = { win: turn, draw: "draw", loss: turn === "w" ? "b" : "w" };
    // Every position of the plan is won for the same side.
    if (!this.#isOwn() && !this.#isPlanned()) {
      return null;
    }
    return { text: `${bounds(game, turn, EXACT[answer.exact])}, proved without tables`, tone: tones[answer.exact] };
  }

  #isOwn() {
    return samePosition(writeFen(this.#found.position), writeFen(this.#position));
  }

  #idle() {
    this.#ask.textContent = "What can be proved";
    this.#ask.removeAttribute("aria-busy");
  }

  #prove() {
    const position = this.#position;
    this.#ask.textContent = "Proving ...";
    this.#ask.setAttribute("aria-busy", "true");
    this.#latest.run((signal) => pawns(writeFen(position), this.#seconds.select.value, signal), {
      done: (answer) => {
        const plan = answer.plan ? new PlanTree(answer, this.#handlers.follow) : null;
        this.#set({ answer, position, pawns: pawnsKey(position) }, plan);
        this.#handlers.marks(marksOf(answer));
        this.#draw();
        this.#handlers.proved();
      },
      fail: this.#handlers.fail,
      end: () => this.#idle(),
    });
  }

  #draw() {
    if (this.#found === null) {
      this.#facts.replaceChildren(
        el("p", { class: "quiet" }, "Proves the value without tables, and finds key squares and corresponding squares."),
      );
      return;
    }
    const { answer, position, pawns } = this.#found;
    const parts = [];
    this.#plan?.mark(writeFen(this.#position));
    if (this.#isOwn()) {
      parts.push(...value(position, answer));
    } else if (pawns !== pawnsKey(this.#position)) {
      this.#facts.replaceChildren(el("p", { class: "quiet" }, "A position of the plan."));
      return;
    } else {
      parts.push(el("p", { class: "quiet" }, "The squares hold for these pawns, wherever the kings stand."));
    }
    parts.push(drawLegend(answer), drawClasses(answer), ...open(answer));
    this.#facts.replaceChildren(...parts.filter(Boolean));
  }
}

function value({ game, turn }, answer) {
  const proved = bounds(game, turn, EXACT[answer.exact] ?? answer.bounds ?? [-1, 1]);
  const parts = [el("p", {}, el("strong", {}, proved), answer.exact ? ", proved." : " (bounds).")];
  const sanOf = (uci) => answer.moves.find((move) => move.uci === uci)?.san ?? uci;
  if (answer.best && answer.best.length > 0) {
    const label = answer.best.length === 1 ? "Only move that keeps it: " : "Moves that keep it: ";
    parts.push(el("p", {}, label, el("b", {}, answer.best.map(sanOf).join(", "))));
  }
  const rows = answer.moves.map((move) => el("tr", {}, el("th", { scope: "row" }, move.san), el("td", {}, bounds(game, turn, move.bounds))));
  if (rows.length > 0) {
    parts.push(el("details", {}, el("summary", {}, "What is proved of each move"), el("table", { class: "plain" }, el("tbody", {}, rows))));
  }
  if (answer.holds === true) {
    parts.push(el("p", { class: "quiet" }, "Moshammer's routine: the defending king stands on a corresponding square."));
  } else if (answer.holds === false) {
    parts.push(el("p", { class: "quiet" }, "Moshammer's routine: the defending king does not stand on a corresponding square."));
  }
  const answers = (answer.answers ?? []).map(({ san, replies }) => `${san} ${replies.map((reply) => reply.san).join("/")}`);
  if (answers.length > 0) {
    parts.push(el("p", { class: "quiet" }, `It holds by the answers ${answers.join(", ")}.`));
  }
  const effort = [`${count(answer.structures)} pawn ${answer.structures === 1 ? "structure" : "structures"}`, duration(answer.seconds)];
  parts.push(el("p", { class: "quiet" }, `${effort.join(", ")}.`));
  return parts;
}

function open(answer) {
  const missing = [];
  if (!answer.exact) {
    missing.push("the exact value");
  }
  if (answer.key === null) {
    missing.push("all key squares");
  }
  if (answer.corresponding === null) {
    missing.push("all corresponding squares");
  }
  if (answer.plan_open) {
    missing.push("the plan");
  }
  if (missing.length === 0 && answer.complete === false) {
    missing.push("some of the squares");
  }
  return missing.length === 0 ? [] : [el("p", { class: "quiet" }, `Not determined in the time given: ${missing.join(", ")}. Try more seconds.`)];
}
