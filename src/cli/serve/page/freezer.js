// Examples of the freezer: proofs about positions with more men than any table has. A list of them, and the panel that explains
// one beside the board.

import { Latest, freezerExample, freezerList, isAborted } from "./api.js";
import { copyButton, el } from "./dom.js";
import { readFen } from "./fen.js";
import { gameOf } from "./games.js";
import { smallBoard } from "./ground.js";
import { positionLink } from "./paged.js";
import { length } from "./words.js";

/** The page with the list of examples. */
export function showFreezerList(root, app) {
  const latest = new Latest();
  const list = el("ul", { class: "cards", "aria-busy": "true" });
  app.title("Freezer");
  root.replaceChildren(
    el("h1", {}, "Freezer"),
    el(
      "p",
      { class: "lead" },
      "The freezer proves a win or a draw in positions of many men, given constraints on where some of them move. " +
        "Each proof is about the real game, without these constraints, unless assumptions are named.",
    ),
    list,
  );
  const refresh = () => load(list, latest, app);
  refresh();
  return { close: () => latest.stop(), refresh };
}

function load(list, latest, app) {
  latest.run(freezerList, {
    done: ({ examples }) => {
      const none = el("li", {}, "This server has no examples.");
      list.replaceChildren(...(examples.length === 0 ? [none] : examples.map(card)));
    },
    fail: (error) => app.fail(error),
    end: () => list.removeAttribute("aria-busy"),
  });
}

function card({ name, title, fen }) {
  return el(
    "li",
    { class: "card" },
    el("a", { href: `?freezer=${encodeURIComponent(name)}&${positionLink(gameOf("chess"), fen).slice(1)}` }, picture(fen), el("span", { class: "card-title" }, title)),
  );
}

function picture(fen) {
  try {
    return smallBoard(readFen(gameOf("chess"), fen));
  } catch {
    return null;
  }
}

/** The panel beside the board. */
export class FreezerPanel {
  #latest = new Latest();
  #step = el("p", { class: "step-text", "aria-live": "polite" });
  node = el("section", { class: "panel freezer", "aria-labelledby": "freezer-title", hidden: true });

  close() {
    this.#latest.stop();
  }

  hide() {
    this.#latest.stop();
    this.node.hidden = true;
  }

  /** Loads an example, shows its explanation, and returns it; null if a newer one is wanted meanwhile. */
  async load(name) {
    const job = this.#latest.start();
    this.#step.textContent = "";
    this.node.replaceChildren(
      el("h2", { id: "freezer-title" }, "Solving the example ..."),
      el("p", { class: "quiet", role: "status" }, "Most take a second, the largest some minutes on a slow machine."),
      el("p", {}, el("a", { href: "?freezer" }, "All examples")),
    );
    this.node.hidden = false;
    try {
      const example = await freezerExample(name, job.signal);
      if (!job.live()) {
        return null;
      }
      this.#draw(example);
      return example;
    } catch (error) {
      if (!job.live() || isAborted(error)) {
        return null;
      }
      throw error;
    }
  }

  /** What the proof says at a place of the example's line, as a headline and its tone; null beside that line. */
  headline(line, index, example) {
    if (!isOwn(line, example)) {
      return null;
    }
    const side = example.bound_side === "black" ? "b" : "w";
    // What is said of a move is the worth of the position before it.
    const told = index === 0 ? null : example.line[index]?.told;
    const text = told?.replace(/, (\d+) pl(y|ies)$/, (_, plies) => ` in ${length(Number(plies))}`) ?? verdict(example, side === "w" ? "White" : "Black");
    return { text: text.replace(/\.$/, ""), tone: example.goal === "win" && example.verdict !== "not-proved" ? side : "draw" };
  }

  /** Says where in the example's line the board is; nothing beside that line. */
  step(line, index, example) {
    if (!isOwn(line, example)) {
      this.#step.textContent = "";
    } else if (index === 0) {
      this.#step.textContent = `A line of ${line.length - 1} plies: step through it with the left and right arrow keys.`;
    } else {
      this.#step.textContent = `Ply ${index} of ${line.length - 1}: ${line[index].san}.`;
    }
  }

  #draw(example) {
    const side = example.bound_side === "black" ? "Black" : "White";
    const parts = [
      el("h2", { id: "freezer-title" }, example.title),
      el("p", {}, el("strong", {}, verdict(example, side))),
      example.text && example.text.split(/\n\s*\n/).map((paragraph) => el("p", {}, paragraph)),
    ];
    const assumptions = example.assumptions ?? [];
    parts.push(
      assumptions.length > 0
        ? [el("h3", {}, "Assumptions"), el("ul", {}, assumptions.map((text) => el("li", {}, text)))]
        : el("p", { class: "quiet" }, "The proof needs no assumptions."),
    );
    if ((example.missing ?? []).length > 0) {
      const command = el("code", {}, example.command);
      parts.push(
        el("h3", {}, "Missing tables"),
        el("p", {}, `The proof would use ${example.missing.join(" ")}. To generate what is missing:`),
        el("p", { class: "command" }, command, copyButton(() => example.command, command)),
      );
    }
    parts.push(this.#step);
    parts.push(el("details", {}, el("summary", {}, "Rules"), el("pre", { tabindex: 0, "aria-label": "Rules" }, example.rules ?? "")));
    parts.push(el("p", {}, el("a", { href: "?freezer" }, "All examples")));
    this.node.replaceChildren(...parts.flat(Infinity).filter(Boolean));
    this.node.hidden = false;
  }
}

/** Whether a line is the example's own, move for move: nothing is proved of another one that begins alike. */
export function isOwn(line, example) {
  const moves = example?.line ?? [];
  return line.length > 1 && line.length === moves.length + 1 && [example, ...moves].every(({ fen }, at) => fen === line[at].fen);
}

function verdict(example, side) {
  if (example.verdict === "not-proved") {
    return (example.missing ?? []).length > 0
      ? "Not proved without the tables that are missing."
      : "Not proved with these rules, which says nothing about the position.";
  }
  if (example.goal === "draw") {
    return `Proved: ${side} does not lose.`;
  }
  const plies = example.start_plies;
  return typeof plies === "number" ? `Proved: ${side} wins in ${length(plies)} at most.` : `Proved: ${side} wins.`;
}
