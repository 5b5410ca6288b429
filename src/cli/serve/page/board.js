// The board: shows a position as SVG, with arrows and marks, and reports moves that are clicked, dragged or typed with the
// arrow keys. It knows no rules: the moves it allows are handed in. In editing mode men go anywhere.

import { el, svg } from "./dom.js";
import { readUci, sideOf, squareAt, squareName } from "./games.js";
import { describeSquare } from "./fen.js";
import { CELL, corner, drawGround, viewBox } from "./ground.js";
import { drawPiece } from "./pieces.js";

// A pointer that moved less far did not drag.
const SLACK = 5;
const LAYERS = ["ground", "under", "men", "marks", "hints", "arrows", "ghost"];

export class Board {
  #handlers;
  #layers = {};
  #men = new Map();
  #position = null;
  #targets = new Map();
  #selected = null;
  #cursor = null;
  #drag = null;
  #speech = el("div", { class: "hidden-text", "aria-live": "polite" });
  #still = [null, null];
  #marks = [];

  flipped = false;
  editing = false;
  /** In editing mode: the letter that a click places, "erase", or null to move men. */
  tool = null;

  /** `handlers`: `move(from, to)` for a legal move, `edit(board)` for a changed board. */
  constructor(game, handlers) {
    this.game = game;
    this.#handlers = handlers;
    this.svg = svg("svg", { viewBox: viewBox(game), class: `board-picture ${game.key}`, "aria-hidden": "true" });
    for (const name of LAYERS) {
      this.#layers[name] = svg("g", { class: `layer-${name}` });
      this.svg.append(this.#layers[name]);
    }
    this.host = el(
      "div",
      {
        class: "board",
        tabindex: 0,
        role: "application",
        "aria-roledescription": "board",
        "aria-label": "Board: arrow keys move the cursor, Enter picks a piece up and puts it down",
        "aria-describedby": "position-text",
        onkeydown: (event) => this.#key(event),
        onfocus: () => this.#drawHints(),
        onblur: () => this.#drawHints(),
      },
      this.svg,
      this.#speech,
    );
    this.svg.addEventListener("pointerdown", (event) => this.#down(event));
    // A mouse does not move the focus here: the arrow keys go on to walk along the line.
    this.svg.addEventListener("mousedown", (event) => event.preventDefault());
    this.svg.addEventListener("touchstart", (event) => this.#drag && event.preventDefault(), { passive: false });
    this.#layers.ground.append(drawGround(game, false));
  }

  /** Shows a position. `last`: squares of the last move; `check`: square of a king in check. */
  show(position, { last = null, check = null, moves = null } = {}) {
    this.#stopDrag();
    this.#position = position;
    this.#selected = null;
    this.allow(moves ?? []);
    this.#placeMen();
    this.#drawUnder(last, check);
  }

  /** The moves that may be played, in UCI. */
  allow(moves) {
    this.#targets = new Map();
    for (const uci of moves) {
      const { from, to } = readUci(uci);
      this.#targets.set(from, (this.#targets.get(from) ?? new Set()).add(to));
    }
    if (this.#selected && !this.editing && !this.#targets.has(this.#selected)) {
      this.#selected = null;
    }
    this.#drawHints();
  }

  flip(flipped) {
    this.#stopDrag();
    this.flipped = flipped;
    this.#layers.ground.replaceChildren(drawGround(this.game, flipped));
    this.#placeMen();
    this.#drawUnder(...this.#still);
    this.marks(this.#marks);
    this.arrows([]);
    this.#drawHints();
  }

  /** Arrows: `{from, to, tone}`. */
  arrows(list) {
    this.#layers.arrows.replaceChildren(...list.map((arrow) => this.#arrow(arrow)));
  }

  /** Marks of squares: `{square, kind, text}`; the kinds are ring, dot, first (upper left number) and second (lower right). */
  marks(list) {
    this.#marks = list;
    this.#layers.marks.replaceChildren(...list.map((mark) => this.#mark(mark)));
  }

  /** Begins to drag a man from outside onto the board. */
  dragIn(letter, event) {
    if (this.#drag || this.#position === null) {
      return;
    }
    const node = svg("g", { class: "man-place dragged" }, drawPiece(this.game, letter));
    this.#startDrag(event, { from: null, letter, node });
  }

  #middle(square) {
    const { x, y } = corner(this.game, square, this.flipped);
    return { x: x + CELL / 2, y: y + CELL / 2 };
  }

  #move(node, square) {
    const { x, y } = corner(this.game, square, this.flipped);
    node.style.transform = `translate(${x}px, ${y}px)`;
  }

  #placeMen() {
    if (this.#position === null) {
      return;
    }
    const wanted = this.#position.board;
    const spare = [];
    for (const [square, man] of this.#men) {
      if (wanted.get(square) !== man.letter) {
        this.#men.delete(square);
        spare.push(man);
      }
    }
    for (const [square, letter] of wanted) {
      let man = this.#men.get(square);
      if (man === undefined) {
        const at = spare.findIndex((other) => other.letter === letter);
        man = at >= 0 ? spare.splice(at, 1)[0] : { letter, node: svg("g", { class: "man-place" }, drawPiece(this.game, letter)) };
        this.#men.set(square, man);
        this.#layers.men.append(man.node);
      }
      this.#move(man.node, square);
    }
    spare.forEach(({ node }) => node.remove());
  }

  #drawUnder(last, check) {
    this.#still = [last, check];
    const area = (square, kind) => {
      const { x, y } = corner(this.game, square, this.flipped);
      return this.game.onPoints
        ? svg("circle", { class: kind, cx: x + 50, cy: y + 50, r: 49 })
        : svg("rect", { class: kind, x, y, width: CELL, height: CELL });
    };
    const nodes = (last ?? []).map((square) => area(square, "last-move"));
    if (check) {
      nodes.push(area(check, "in-check"));
    }
    this.#layers.under.replaceChildren(...nodes);
  }

  #drawHints() {
    const nodes = [];
    if (this.#selected) {
      nodes.push(this.#frame(this.#selected, "chosen"));
      for (const square of this.editing ? [] : this.#targets.get(this.#selected) ?? []) {
        const { x, y } = this.#middle(square);
        const full = this.#position.board.has(square);
        nodes.push(svg("circle", { class: full ? "target taken" : "target", cx: x, cy: y, r: full ? 44 : 13 }));
      }
    }
    if (this.#cursor && document.activeElement === this.host) {
      nodes.push(this.#frame(this.#cursor, "cursor"));
    }
    this.#layers.hints.replaceChildren(...nodes);
  }

  #frame(square, kind) {
    const { x, y } = corner(this.game, square, this.flipped);
    return svg("rect", { class: kind, x: x + 4, y: y + 4, width: CELL - 8, height: CELL - 8, rx: this.game.onPoints ? 46 : 6 });
  }

  #arrow({ from, to, tone }) {
    const [a, b] = [this.#middle(from), this.#middle(to)];
    const span = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const [ux, uy] = [(b.x - a.x) / span, (b.y - a.y) / span];
    // Along the arrow, and to its left.
    const point = (along, aside) => `${a.x + ux * along - uy * aside} ${a.y + uy * along + ux * aside}`;
    const head = span - 42;
    const d =
      `M${point(22, 7)}L${point(head, 7)}L${point(head, 21)}L${point(span - 6, 0)}` +
      `L${point(head, -21)}L${point(head, -7)}L${point(22, -7)}Z`;
    return svg("path", { class: `arrow tone-${tone ?? "unknown"}`, d });
  }

  #mark({ square, kind, text }) {
    const { x, y } = corner(this.game, square, this.flipped);
    switch (kind) {
      case "ring":
        return svg("circle", { class: "mark-ring", cx: x + 50, cy: y + 50, r: 45 });
      case "dot":
        return svg("circle", { class: "mark-dot", cx: x + 50, cy: y + 13, r: 9 });
      case "first":
        return svg("text", { class: "mark-first", x: x + 6, y: y + 28, "font-size": text.length > 2 ? 20 : 28 }, text);
      default:
        return svg("text", { class: "mark-second", x: x + 94, y: y + 92, "font-size": text.length > 2 ? 20 : 28 }, text);
    }
  }

  #pointOf(event) {
    const matrix = this.svg.getScreenCTM();
    return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : { x: -1, y: -1 };
  }

  #squareOf(event) {
    const { x, y } = this.#pointOf(event);
    const [column, row] = [Math.floor(x / CELL), Math.floor(y / CELL)];
    if (column < 0 || row < 0 || column >= this.game.files || row >= this.game.ranks) {
      return null;
    }
    const file = this.flipped ? this.game.files - 1 - column : column;
    return squareName(this.game, file, this.flipped ? row : this.game.ranks - 1 - row);
  }

  #down(event) {
    if (event.button !== 0 || this.#drag || this.#position === null) {
      return;
    }
    const square = this.#squareOf(event);
    if (square === null) {
      return;
    }
    const movable = this.editing ? this.tool === null && this.#position.board.has(square) : this.#targets.has(square);
    const before = this.#selected;
    const open = before !== null && before !== square && this.#reaches(before, square);
    if (open || !movable) {
      this.#press(square);
      return;
    }
    this.#select(square);
    const { letter, node } = this.#men.get(square);
    this.#startDrag(event, { from: square, letter, node, again: before === square });
  }

  #reaches(from, to) {
    return this.editing ? true : this.#targets.get(from)?.has(to) === true;
  }

  /** A click or Enter on a square. */
  #press(square) {
    const from = this.#selected;
    if (this.editing && this.tool !== null) {
      this.#place(square, this.tool === "erase" || this.#position.board.get(square) === this.tool ? null : this.tool);
    } else if (from !== null && from !== square && this.#reaches(from, square)) {
      this.#finish(from, square);
    } else if (from !== square && (this.editing ? this.#position.board.has(square) : this.#targets.has(square))) {
      this.#select(square);
      this.#say(`${describeSquare(this.#position, square)}, picked up`);
    } else {
      this.#select(null);
    }
  }

  #select(square) {
    this.#selected = square;
    this.#drawHints();
  }

  #finish(from, to) {
    this.#select(null);
    if (!this.editing) {
      this.#handlers.move(from, to);
      return;
    }
    const board = new Map(this.#position.board);
    board.set(to, board.get(from));
    board.delete(from);
    this.#handlers.edit(board);
  }

  #place(square, letter) {
    const board = new Map(this.#position.board);
    board.delete(square);
    if (letter !== null) {
      // There is one king a side: a second one moves the first.
      if (letter.toUpperCase() === "K") {
        [...board].filter(([, other]) => other === letter).forEach(([other]) => board.delete(other));
      }
      board.set(square, letter);
    }
    this.#select(null);
    this.#handlers.edit(board);
  }

  #startDrag(event, drag) {
    const start = { x: event.clientX, y: event.clientY };
    const own = (other) => other.pointerId === event.pointerId;
    const move = (other) => own(other) && this.#dragTo(other, start);
    const up = (other) => own(other) && this.#drop(other);
    const cancel = (other) => own(other) && this.#stopDrag();
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", cancel);
    this.#drag = {
      ...drag,
      moved: false,
      end: () => {
        window.removeEventListener("pointermove", move);
        window.removeEventListener("pointerup", up);
        window.removeEventListener("pointercancel", cancel);
      },
    };
  }

  #dragTo(event, start) {
    const drag = this.#drag;
    if (!drag.moved && Math.hypot(event.clientX - start.x, event.clientY - start.y) < SLACK) {
      return;
    }
    if (!drag.moved) {
      drag.moved = true;
      drag.node.classList.add("dragged");
      this.#layers.ghost.append(drag.node);
      this.host.classList.add("dragging");
    }
    const { x, y } = this.#pointOf(event);
    drag.node.style.transform = `translate(${x - CELL / 2}px, ${y - CELL / 2}px)`;
  }

  #drop(event) {
    const { from, letter, moved, again } = this.#drag;
    const to = this.#squareOf(event);
    this.#stopDrag();
    if (!moved) {
      if (again) {
        this.#select(null);
      }
      return;
    }
    if (from === null) {
      if (to !== null) {
        this.#place(to, letter);
      }
    } else if (to === null && this.editing) {
      this.#place(from, null);
    } else if (to !== null && to !== from && this.#reaches(from, to)) {
      this.#finish(from, to);
    }
  }

  #stopDrag() {
    const drag = this.#drag;
    if (drag === null) {
      return;
    }
    this.#drag = null;
    drag.end();
    this.host.classList.remove("dragging");
    if (drag.from === null) {
      drag.node.remove();
    } else if (drag.moved) {
      this.#layers.men.append(drag.node);
      this.#move(drag.node, drag.from);
      // The man jumps back, or on to its square, without a slide.
      requestAnimationFrame(() => requestAnimationFrame(() => drag.node.classList.remove("dragged")));
    }
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#position === null) {
      return;
    }
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[event.key];
    if (step) {
      this.#step(step);
    } else if (event.key === "Enter" && this.#cursor) {
      this.#press(this.#cursor);
    } else if (event.key === "Escape" && this.#selected) {
      this.#select(null);
      this.#say("put back");
    } else if (this.editing && this.#cursor && (event.key === "Delete" || event.key === "Backspace")) {
      this.#place(this.#cursor, null);
    } else if (this.editing && this.#cursor && this.game.letters.includes(event.key.toUpperCase())) {
      this.#place(this.#cursor, event.key);
    } else {
      return;
    }
    event.preventDefault();
  }

  #step([right, up]) {
    if (this.#cursor === null) {
      const turn = this.#position.turn;
      const king = [...this.#position.board].find(([, letter]) => letter.toUpperCase() === "K" && sideOf(letter) === turn);
      this.#cursor = king?.[0] ?? squareName(this.game, 0, 0);
    } else {
      const sign = this.flipped ? -1 : 1;
      const { file, rank } = squareAt(this.game, this.#cursor);
      const inside = (value, size) => Math.min(Math.max(value, 0), size - 1);
      this.#cursor = squareName(
        this.game,
        inside(file + right * sign, this.game.files),
        inside(rank + up * sign, this.game.ranks),
      );
    }
    this.#drawHints();
    const open = this.#selected !== null && !this.editing && this.#reaches(this.#selected, this.#cursor);
    this.#say(describeSquare(this.#position, this.#cursor) + (open ? ", can move here" : ""));
  }

  #say(text) {
    this.#speech.textContent = text;
  }
}
