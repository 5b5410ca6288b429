// The editor: men to place, side to move, halfmove clock, and changes of the whole board.

import { button, el } from "./dom.js";
import { mirrorFiles, mirrorRanks, swapColors, withBoard, withTurn } from "./fen.js";
import { pieceName } from "./games.js";
import { pieceIcon } from "./pieces.js";

/** The panel of the editor. `handlers`: `position()`, `change(position)`. It sets the board's tool. */
export class SetupPanel {
  #board;
  #handlers;
  #tools = [];
  #sides = {};
  #clock;
  node;

  constructor(game, board, handlers) {
    this.#board = board;
    this.#handlers = handlers;
    const change = (edit) => handlers.change(edit(handlers.position()));
    const men = (letters) => letters.map((letter) => this.#tool(letter, pieceName(game, letter), pieceIcon(game, letter)));
    const upper = [...game.letters];
    const side = (key) => {
      const input = el("input", { type: "radio", name: "turn", value: key, onchange: () => change((position) => withTurn(position, key)) });
      this.#sides[key] = input;
      return el("label", {}, input, ` ${game.sides[key]}`);
    };
    this.#clock = el("input", {
      type: "number",
      min: 0,
      max: 150,
      inputmode: "numeric",
      onchange: () => change((position) => ({ ...position, clock: clockOf(this.#clock.value) })),
    });
    this.node = el(
      "section",
      { class: "panel setup", "aria-labelledby": "setup-title", hidden: true },
      el("h2", { id: "setup-title" }, "Set up"),
      el("p", { class: "quiet" }, "Drag men onto the board, or choose one and click squares. Men dragged off the board are removed."),
      el(
        "div",
        { class: "palette", role: "group", "aria-label": "Men to place" },
        el("div", { class: "palette-row" }, men(upper)),
        el("div", { class: "palette-row" }, men(upper.map((letter) => letter.toLowerCase()))),
        el("div", { class: "palette-row" }, this.#tool(null, "Move men", "Move"), this.#tool("erase", "Remove men", "Erase")),
      ),
      el(
        "div",
        { class: "row" },
        el("fieldset", { class: "inline" }, el("legend", {}, "To move"), side("w"), side("b")),
        el("label", { class: "choice" }, el("span", {}, "Halfmove clock"), this.#clock),
      ),
      el(
        "div",
        { class: "row" },
        button("Clear", () => change((position) => withBoard(position, new Map()))),
        button("Swap colors", () => change(swapColors)),
        button("Mirror left–right", () => change(mirrorFiles)),
        button("Mirror top–bottom", () => change(mirrorRanks)),
      ),
    );
    this.#choose(null);
  }

  /** Shows the fields of a position. */
  show(position) {
    this.#sides[position.turn].checked = true;
    if (document.activeElement !== this.#clock) {
      this.#clock.value = position.clock;
    }
  }

  open(open) {
    this.node.hidden = !open;
    this.#board.editing = open;
    if (open) {
      // The men beside or below it are dragged onto the whole board.
      this.#board.host.scrollIntoView({ block: "nearest" });
    } else {
      this.#choose(null);
    }
  }

  #tool(key, name, face) {
    const made = el("button", { type: "button", class: "tool", "aria-label": name, title: name, onclick: () => this.#choose(key) }, face);
    if (key !== null && key !== "erase") {
      made.classList.add("tool-man");
      made.addEventListener("pointerdown", (event) => event.button === 0 && this.#board.dragIn(key, event));
    }
    this.#tools.push([key, made]);
    return made;
  }

  #choose(key) {
    const tool = this.#board.tool === key && key !== null ? null : key;
    this.#board.tool = tool;
    for (const [other, made] of this.#tools) {
      made.setAttribute("aria-pressed", String(other === tool));
    }
  }
}

function clockOf(text) {
  const number = Number.parseInt(text, 10);
  return Number.isFinite(number) ? Math.min(Math.max(number, 0), 150) : 0;
}
