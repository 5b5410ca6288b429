// The view of one position: the board and, beside it, its value, its moves and what else is known. Holds the line of positions
// and the place in it, which the address and the history of the browser carry.

import { Latest, isAborted, legal, sentence, values } from "./api.js";
import { Board } from "./board.js";
import { button, dim, el, svg } from "./dom.js";
import { describe, gameOfFen, readFen, writeFen } from "./fen.js";
import { FreezerPanel } from "./freezer.js";
import { gameOf, readUci } from "./games.js";
import { MissingPanel } from "./generate.js";
import { bindKeys } from "./keys.js";
import { LinePanel } from "./line.js";
import { drawMoves, toneOf } from "./moves.js";
import { PawnPanel } from "./pawns.js";
import { askPromotion } from "./promotion.js";
import { SetupPanel } from "./setup.js";
import { drawValue } from "./value.js";

// Milliseconds before values are asked for while the position changes quickly.
const PAUSE = 120;
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

export class Explorer {
  #app;
  #latest = new Latest();
  #line = [];
  #index = 0;
  #position = null;
  #legal = null;
  #values = null;
  #drawn = null;
  #flipped = false;
  #example = null;
  // Closes the dialog that asks for a promotion.
  #asking = null;
  // What wrote the latest entry of the history: entries of one walk or one editing are one.
  #writer = null;

  constructor(root, app, game) {
    this.#app = app;
    this.game = game;
    this.board = new Board(game, { move: (from, to) => this.#try(from, to), edit: (board) => this.#edited(board) });
    this.setup = new SetupPanel(game, this.board, {
      position: () => this.#position,
      change: (position) => this.#change(position),
    });
    const fail = (error) => app.fail(error);
    this.line = new LinePanel(game, {
      fen: () => this.#here.fen,
      jump: (index) => this.#walk(index),
      extend: (moves, metric) => this.#extend(moves, metric),
      fail,
    });
    this.missing = new MissingPanel(game);
    this.pawns = new PawnPanel({
      marks: (marks) => this.board.marks(marks),
      proved: () => this.#entitle(),
      follow: (line, index) => this.#setLine(line, index, null),
      fail,
    });
    this.freezer = new FreezerPanel();
    this.#build(root);
    this.unbind = bindKeys({
      back: () => this.#walk(this.#index - 1),
      forward: () => this.#walk(this.#index + 1),
      start: () => this.#walk(0),
      end: () => this.#walk(this.#line.length - 1),
      flip: () => this.#flip(),
      best: () => this.#playBest(),
    });
  }

  #build(root) {
    const step = (shape, name, action) =>
      button(svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: shape })), action, { "aria-label": name, title: name, class: "step" });
    this.edit = button("Set up", () => this.#edit(!this.board.editing), { "aria-pressed": "false" });
    this.description = el("p", { class: "hidden-text", id: "position-text" });
    this.field = el("input", { type: "text", id: "fen", spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-describedby": "fen-fault" });
    this.fault = el("p", { id: "fen-fault", class: "fault", role: "alert" });
    this.title = el("h1", { tabindex: -1, class: "headline", "aria-live": "polite" });
    this.value = el("div", { class: "value" });
    this.moves = el("div", { class: "moves-host" });
    const form = el(
      "form",
      { class: "fen-form", onsubmit: (event) => this.#submit(event) },
      el("label", { for: "fen" }, "FEN"),
      this.field,
      el("button", { type: "submit" }, "Set FEN"),
      this.fault,
    );
    this.back = [
      step("M2 2h2v12h-2zM14 2v12l-9-6z", "To the start (Home)", () => this.#walk(0)),
      step("M13 2v12l-10-6z", "Back (left arrow key)", () => this.#walk(this.#index - 1)),
    ];
    this.forward = [
      step("M3 2v12l10-6z", "Forward (right arrow key)", () => this.#walk(this.#index + 1)),
      step("M12 2h2v12h-2zM2 2v12l9-6z", "To the end (End)", () => this.#walk(this.#line.length - 1)),
    ];
    this.best = button("Best move", () => this.#playBest(), { title: "Play the best move (space)" });
    const bar = el(
      "div",
      { class: "row board-bar", role: "group", "aria-label": "Board" },
      this.back,
      this.forward,
      el("span", { class: "gap" }),
      this.best,
      button("Flip", () => this.#flip(), { title: "Flip the board (f)" }),
      this.edit,
    );
    const left = el("section", { class: "board-side", "aria-label": "Position" }, this.board.host, this.description, bar, form);
    this.movesPanel = el("section", { class: "panel", "aria-labelledby": "moves-title" }, el("h2", { id: "moves-title" }, "Moves"), this.moves);
    this.results = el(
      "div",
      { class: "results-core" },
      el("div", { class: "verdict" }, this.title, this.value),
      this.freezer.node,
      this.missing.node,
      this.movesPanel,
    );
    const right = el("div", { class: "result-side" }, this.setup.node, this.results, this.line.node, this.pawns.node);
    root.replaceChildren(el("div", { class: `explorer explorer-${this.game.key}` }, left, right));
  }

  get #here() {
    return this.#line[this.#index];
  }

  close() {
    this.#asking?.abort();
    this.#latest.stop();
    [this.line, this.missing, this.pawns, this.freezer].forEach((panel) => panel.close());
    this.unbind();
  }

  /** Shows what an address says; `state`: what the history holds for it. */
  update(params, state) {
    this.#asking?.abort();
    const fen = params.get("fen")?.replaceAll("_", " ") ?? null;
    const name = params.get("freezer") || null;
    this.#writer = null;
    this.#setFlipped(params.get("flip") === "1");
    const kept = Array.isArray(state?.line) && state.line[state.index] !== undefined && (fen === null || state.line[state.index].fen === fen);
    if (kept) {
      this.#line = state.line;
      this.#index = state.index;
    } else {
      this.#line = [{ fen: fen ?? this.game.start }];
      this.#index = 0;
    }
    this.#openExample(name, fen, kept);
  }

  /** Asks again for the values, after tables were generated. */
  refresh() {
    this.#load(0);
  }

  async #openExample(name, fen, kept) {
    const known = name !== null && this.#example?.name === name;
    if (name === null) {
      this.#example = null;
      this.freezer.hide();
    }
    if (known && !kept) {
      this.#follow(fen);
    }
    if (name === null || known || fen !== null || kept) {
      this.#show();
    }
    if (name === null || known) {
      return;
    }
    this.#example = { name };
    try {
      const example = await this.freezer.load(name);
      if (example === null || this.#example?.name !== name) {
        return;
      }
      this.#example = example;
      // Whoever has walked on meanwhile keeps that line.
      if (!kept && this.#line.length === 1) {
        this.#follow(fen);
      }
      this.#show();
    } catch (error) {
      this.#example = null;
      this.freezer.hide();
      this.#show();
      this.#app.fail(error);
    }
  }

  /** The line of the example, at the place of the FEN. */
  #follow(fen) {
    const example = this.#example;
    if (!example.fen) {
      return;
    }
    const line = [{ fen: example.fen }, ...(example.line ?? [])];
    const index = fen === null ? 0 : line.findIndex((entry) => entry.fen === fen);
    if (index >= 0) {
      this.#line = line;
      this.#index = index;
    }
  }

  #address() {
    const parts = [];
    const fen = this.#here.fen.trim().replace(/\s+/g, "_");
    if (this.game.key !== "chess") {
      parts.push(`game=${this.game.key}`);
    }
    if (this.#example) {
      parts.push(`freezer=${encodeURIComponent(this.#example.name)}`);
    }
    parts.push(`fen=${encodeURIComponent(fen).replaceAll("%2F", "/")}`);
    if (this.#flipped) {
      parts.push("flip=1");
    }
    return `?${parts.join("&")}`;
  }

  /** Writes the history; what one `writer` does in a row stays one entry. */
  #record(writer) {
    const replace = writer !== null && writer === this.#writer;
    this.#writer = writer;
    this.#app.record(this.#address(), { line: this.#line, index: this.#index }, replace);
  }

  #rewrite() {
    this.#app.record(this.#address(), { line: this.#line, index: this.#index }, true);
  }

  #setLine(line, index, writer, wait = 0) {
    this.#line = line;
    this.#index = index;
    this.#record(writer);
    this.#show(wait);
  }

  #walk(index) {
    if (this.#line[index] !== undefined && index !== this.#index) {
      this.#setLine(this.#line, index, "walk", PAUSE);
    }
  }

  #extend(moves, metric) {
    if (moves.length === 0) {
      this.#app.say("The line has no further moves.");
      return;
    }
    this.#line = [...this.#line.slice(0, this.#index + 1), ...moves.map(({ fen, san, wxf, uci }) => ({ fen, san: san ?? wxf ?? uci, uci }))];
    this.#rewrite();
    this.line.show(this.#line, this.#index);
    this.#dim();
    this.#app.say(`Best line by ${metric.short}: ${moves.length} plies. The right arrow key plays it.`);
  }

  #play(uci) {
    const move = this.#legal?.moves.find((other) => other.uci === uci);
    if (!move || this.board.editing) {
      return;
    }
    const next = this.#line[this.#index + 1];
    const inList = this.moves.contains(document.activeElement);
    if (next?.uci === uci) {
      this.#setLine(this.#line, this.#index + 1, null);
    } else {
      const entry = { fen: move.fen, san: move.san ?? move.wxf ?? uci, uci };
      this.#setLine([...this.#line.slice(0, this.#index + 1), entry], this.#index + 1, null);
    }
    if (inList) {
      this.title.focus({ preventScroll: true });
    }
  }

  async #try(from, to) {
    const found = this.#legal?.moves.filter(({ uci }) => uci.startsWith(from + to)) ?? [];
    if (found.length < 2) {
      this.#play(found[0]?.uci);
      return;
    }
    const fen = this.#here.fen;
    const letters = found.map(({ uci }) => readUci(uci).promotion);
    const asking = new AbortController();
    this.#asking = asking;
    const letter = await askPromotion(this.game, letters, this.#position.turn, asking.signal);
    if (letter !== null && fen === this.#here.fen) {
      this.#play(from + to + letter);
    }
  }

  #playBest() {
    if (this.#bestMove) {
      this.#play(this.#bestMove.uci);
    }
  }

  get #bestMove() {
    const best = this.#values?.moves[0];
    return best && best.category !== "unknown" ? best : null;
  }

  /** Dims the buttons that would do nothing. */
  #dim() {
    this.back.forEach((one) => dim(one, this.#index === 0));
    this.forward.forEach((one) => dim(one, this.#index === this.#line.length - 1));
    dim(this.best, !this.#bestMove);
  }

  #flip() {
    this.#setFlipped(!this.#flipped);
    // While an example is solved that the address names alone, no position is shown that could be recorded.
    if (this.#position !== null) {
      this.#rewrite();
    }
  }

  #setFlipped(flipped) {
    if (flipped !== this.#flipped) {
      this.#flipped = flipped;
      this.board.flip(flipped);
    }
  }

  #edit(open) {
    if (this.#position === null) {
      return;
    }
    this.setup.open(open);
    this.edit.setAttribute("aria-pressed", String(open));
    this.edit.textContent = open ? "Done" : "Set up";
    this.#writer = null;
    this.#showBoard();
  }

  #edited(board) {
    this.#change({ ...this.#position, board, castling: "-", passant: "-" });
  }

  /** A position of the editor begins a new line. */
  #change(position) {
    this.#leaveExample();
    this.#setLine([{ fen: writeFen({ ...position, number: 1 }) }], 0, "edit", PAUSE);
  }

  #leaveExample() {
    this.#example = null;
    this.freezer.hide();
  }

  #submit(event) {
    event.preventDefault();
    const text = this.field.value.trim().replaceAll("_", " ");
    const game = gameOfFen(text);
    try {
      readFen(game, text);
    } catch (error) {
      this.#fault(error.message);
      return;
    }
    if (game !== this.game) {
      this.#app.go(`?game=${game.key}&fen=${encodeURIComponent(text.replace(/\s+/g, "_"))}`);
      return;
    }
    this.#leaveExample();
    this.#setLine([{ fen: text }], 0, null);
  }

  #fault(text) {
    this.fault.textContent = text;
    this.field.setAttribute("aria-invalid", String(text !== ""));
  }

  #show(wait = 0) {
    this.#legal = null;
    this.#values = null;
    this.#drawn = null;
    this.#dim();
    this.#app.say("");
    this.line.forget();
    this.line.show(this.#line, this.#index);
    this.freezer.step(this.#line, this.#index, this.#example);
    this.field.value = this.#here.fen;
    this.#fault("");
    try {
      this.#position = readFen(this.game, this.#here.fen);
    } catch (error) {
      this.#position = readFen(this.game, this.game.empty);
      this.#showBoard();
      this.#latest.stop();
      this.pawns.update(this.#position);
      this.#blank("No position", error.message);
      return;
    }
    this.#showBoard();
    this.setup.show(this.#position);
    this.pawns.update(this.#position);
    this.#load(wait);
  }

  #showBoard() {
    const { board, turn } = this.#position;
    const uci = this.#here.uci ?? null;
    const king = turn === "w" ? "K" : "k";
    const check = this.#legal?.check ? [...board].find(([, letter]) => letter === king)?.[0] : null;
    const last = uci ? [readUci(uci).from, readUci(uci).to] : null;
    this.board.show(this.#position, { last, check, moves: this.#legal?.moves.map((move) => move.uci) });
    this.board.arrows([]);
    this.description.textContent = describe(this.#position);
  }

  #blank(text, why) {
    this.title.textContent = text;
    this.title.dataset.tone = "unknown";
    this.#app.title(text);
    this.value.replaceChildren();
    this.movesPanel.hidden = true;
    this.missing.hide();
    this.line.allow(false);
    this.results.removeAttribute("aria-busy");
    this.#fault(why);
  }

  async #load(wait) {
    const job = this.#latest.start();
    const { fen } = this.#here;
    this.results.setAttribute("aria-busy", "true");
    await pause(wait);
    if (!job.live()) {
      return;
    }
    // Values may come first, but are shown when the moves are there.
    const asked = values(this.game, fen, job.signal).then((found) => ({ found }), (error) => ({ error }));
    let moves;
    try {
      moves = await legal(this.game, fen, job.signal);
    } catch (error) {
      if (job.live() && !isAborted(error)) {
        this.#noMoves(error);
      }
      return;
    }
    if (!job.live()) {
      return;
    }
    this.#normalise(moves);
    const { found, error } = await asked;
    if (job.live() && !isAborted(error)) {
      this.results.removeAttribute("aria-busy");
      this.#showValues(found ?? null, error ?? null);
    }
  }

  #noMoves(error) {
    if (error.status === 400) {
      this.#blank("Illegal position", error.message);
    } else {
      this.#blank("No answer", "");
      this.#app.fail(error);
    }
  }

  /** The server's own writing of the position replaces what was typed. */
  #normalise(moves) {
    this.#legal = moves;
    if (moves.fen && moves.fen !== this.#here.fen) {
      this.#line = this.#line.map((entry, index) => (index === this.#index ? { ...entry, fen: moves.fen } : entry));
      this.line.show(this.#line, this.#index);
      if (document.activeElement !== this.field) {
        this.field.value = moves.fen;
      }
      this.#rewrite();
    }
    this.board.allow(this.board.editing ? [] : moves.moves.map((move) => move.uci));
    if (moves.check) {
      this.#showBoard();
    }
  }

  #showValues(found, error) {
    const { turn } = this.#position;
    this.#drawn = drawValue(this.value, { game: this.game, turn, legal: this.#legal, linked: this.#small(), values: found, ask: (metric) => this.#askFor(metric) });
    this.#entitle();
    const unknown = this.#legal.moves.map((move) => ({ ...move, san: move.san ?? move.wxf ?? move.uci, category: "unknown", dtm: null, dtc: null, dtz: null }));
    this.#values = found;
    this.#dim();
    this.movesPanel.hidden = false;
    this.moves.replaceChildren(
      drawMoves(this.game, found?.moves ?? unknown, {
        play: (move) => this.#play(move.uci),
        point: (move) => this.#point(move),
      }),
    );
    this.line.allow(found !== null && found.category !== "unknown" && !this.#legal.ended);
    const missing = error === null ? found.unknown?.reason === "missing-table" : error.status === 404;
    const why = error === null ? found.unknown?.text : error.message;
    if (missing && this.#example === null && !this.#legal.ended && this.#small()) {
      this.missing.show(this.#legal.material, sentence(why));
    } else {
      this.missing.hide();
      if (why !== undefined && !this.#legal.ended && !(missing && this.#example !== null)) {
        this.value.append(el("p", {}, sentence(why)));
      }
    }
  }

  /** The headline: the value of the tables, else what is proved. */
  #entitle() {
    if (this.#drawn === null) {
      return;
    }
    const proof = () => this.freezer.headline(this.#line, this.#index, this.#example) ?? this.pawns.headline();
    const { text, tone } = (this.#drawn.tone === "unknown" ? proof() : null) ?? this.#drawn;
    this.title.textContent = text;
    this.title.dataset.tone = tone;
    this.#app.title([this.#legal.material, text].filter(Boolean).join(": "));
  }

  /** Whether tables of so many men exist at all. */
  #small() {
    return this.#legal.material !== null && (this.game.key !== "chess" || this.#position.board.size <= 6);
  }

  #askFor(metric) {
    const name = metric.toUpperCase();
    this.missing.show(this.#legal.material, `${name} of ${this.#legal.material} is not in the tables.`, { metric, title: `Missing ${name}` });
  }

  #point(move) {
    this.board.arrows(move === null ? [] : [{ ...readUci(move.uci), tone: toneOf(move) }]);
  }
}

/** Opens the view of a position for the game of an address. */
export function showExplorer(root, app, params) {
  return new Explorer(root, app, gameOf(params.get("game")));
}
