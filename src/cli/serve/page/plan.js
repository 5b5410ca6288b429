// The plan of a proved win as a tree of moves that can be opened, closed and clicked. Where the losing side's choice matters the
// variations are listed below each other, the longest resistance first.

import { el, button, hidden } from "./dom.js";

/** What a position of the plan is found by: the men and whose turn it is. */
const keyOf = (fen) => fen.trim().split(/[\s_]+/).slice(0, 2).join(" ");

/** The moves that lead to a move of the plan, itself the last one. */
export function pathTo(plan, number) {
  const path = [];
  for (let at = number; at !== null; at = plan.nodes[at].parent) {
    path.unshift(at);
  }
  return path;
}

/** The moves that follow a move of the plan on its main line, to the end. */
export function lineAfter(plan, number) {
  const line = [];
  for (let at = number; ; ) {
    const node = plan.nodes[at];
    const next = (node.same_as === null ? node : plan.nodes[node.same_as]).replies[0];
    if (next === undefined) {
      return line;
    }
    line.push(next);
    at = next;
  }
}

/** The moves of a variation up to the next choice: `{moves, choices}`. */
export function segment(plan, number) {
  const moves = [number];
  let { replies } = plan.nodes[number];
  while (replies.length === 1) {
    moves.push(replies[0]);
    ({ replies } = plan.nodes[replies[0]]);
  }
  return { moves, choices: replies };
}

export class PlanTree {
  #plan;
  #root;
  #places = new Map();
  #buttons = new Map();
  #marked = null;
  #show;

  /** `answer`: what the server proved; its plan is not null. `show(line, index)`: a move is clicked; the line leads through it. */
  constructor(answer, show) {
    this.#plan = answer.plan;
    this.#root = answer.fen;
    this.#show = show;
    this.#places.set(keyOf(answer.fen), null);
    answer.plan.nodes.forEach(({ fen }, number) => {
      if (!this.#places.has(keyOf(fen))) {
        this.#places.set(keyOf(fen), number);
      }
    });
    this.node = el("details", { open: true, class: "plan" }, el("summary", {}, "Plan"), this.#notes(), this.#list(this.#plan.first));
  }

  /** Whether a position belongs to the plan. */
  has(fen) {
    return this.#places.has(keyOf(fen));
  }

  /** Marks the move that leads to a position. */
  mark(fen) {
    this.#marked?.removeAttribute("aria-current");
    this.#marked = this.#buttons.get(this.#places.get(keyOf(fen))) ?? null;
    this.#marked?.setAttribute("aria-current", "step");
  }

  get #sides() {
    return this.#plan.winner === "white" ? ["White", "Black"] : ["Black", "White"];
  }

  #notes() {
    const [winner, loser] = this.#sides;
    const notes = [`${winner} promotes and wins, mates, or reaches a won table within ${this.#plan.plies} plies. A ! marks the only winning move.`];
    if (this.#plan.nodes.some((node) => squaresOf(node).length > 0)) {
      notes.push(` In brackets: corresponding squares, where ${loser}'s king would hold; it fails to reach them, or stands there in zugzwang.`);
    }
    notes.push(" Replies that are not shown lose as fast or faster.");
    return el("p", { class: "quiet" }, notes);
  }

  #list(numbers) {
    return el("ul", {}, numbers.map((number) => el("li", {}, this.#variation(number))));
  }

  #variation(number) {
    const { moves, choices } = segment(this.#plan, number);
    const line = el("p", { class: "variation" }, moves.map((move, at) => this.#move(move, at === 0)));
    if (choices.length === 0) {
      return line;
    }
    const name = `${this.#sides[1]}'s choice: ${choices.length} replies`;
    return [line, el("details", { open: true }, el("summary", {}, name), this.#list(choices))];
  }

  #move(number, first) {
    const node = this.#plan.nodes[number];
    const label = node.side === "white" ? `${node.number}.` : first ? `${node.number}...` : "";
    const face = [node.san, node.only === true && ["!", hidden(" only move")]];
    const made = button("", () => this.#clicked(number), { class: "ply" });
    made.append(...face.flat().filter(Boolean));
    this.#buttons.set(number, made);
    const squares = squaresOf(node);
    return el(
      "span",
      { class: "plan-move" },
      label && el("span", { class: "number" }, label),
      made,
      squares.length > 0 && el("span", { class: "squares" }, `[${squares.join(" ")}]`),
      node.why && el("span", { class: "quiet" }, ` ${node.why}`),
    );
  }

  #clicked(number) {
    const before = pathTo(this.#plan, number);
    const entries = [...before, ...lineAfter(this.#plan, number)].map((at) => {
      const { fen, san, uci } = this.#plan.nodes[at];
      return { fen, san, uci };
    });
    this.#show([{ fen: this.#root }, ...entries], before.length);
  }
}

function squaresOf(node) {
  return [...(node.zugzwang_on === null ? [] : [node.zugzwang_on]), ...node.fails_to_reach];
}
