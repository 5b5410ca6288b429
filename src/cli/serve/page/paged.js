// A list of positions that is read page by page, each with a small board; a position opens in the position view.

import { Latest } from "./api.js";
import { button, count, dim, el } from "./dom.js";
import { readFen } from "./fen.js";
import { smallBoard } from "./ground.js";

const PAGE = 24;
// Of a list the server keeps so many positions; greater offsets it refuses.
const KEPT = 100000;

/** The address of a position. */
export function positionLink(game, fen) {
  const text = encodeURIComponent(fen.trim().replace(/\s+/g, "_")).replaceAll("%2F", "/");
  return `?${game.key === "chess" ? "" : `game=${game.key}&`}fen=${text}`;
}

/** A card with a small board, a link to the position, and a line of words. */
export function positionCard(game, fen, words) {
  let picture = null;
  try {
    picture = smallBoard(readFen(game, fen));
  } catch {
    // Without a picture the FEN is still a link.
  }
  const link = el("a", { href: positionLink(game, fen) }, picture, el("code", { class: "card-fen" }, fen.split(" ")[0]));
  return el("li", { class: "card" }, link, words && el("p", { class: "quiet" }, words));
}

/** How many positions of a list can be shown. A page that comes short is the last: of one kind the server may keep fewer. */
export function reachOf(offset, { count: all, positions }) {
  return positions.length < PAGE ? offset + positions.length : Math.min(all, KEPT);
}

/** The offset after a turn of the page, within the positions that can be shown. */
export function turned(offset, step, reach) {
  const last = Math.max(Math.ceil(reach / PAGE) - 1, 0) * PAGE;
  return Math.min(Math.max(offset + step, 0), last);
}

/** `load(offset, limit, signal)` gives `{count, positions}`; `words(position)` a line for each; `head(answer)` one for all;
 * `shown(offset)` hears of each page; `fail(error)` tells an error, which `clear()` takes back. */
export class PagedList {
  #latest = new Latest();
  // The page that is shown; its answer is null before the first.
  #offset = 0;
  #answer = null;
  // The first page that was asked for.
  #first = 0;
  #reach = 0;
  #busy = false;
  #options;
  #head = el("p", { "aria-live": "polite" });
  #again = button("Try again", () => {
    this.#load(this.#first);
    this.node.focus({ preventScroll: true });
  }, { hidden: true });
  #list = el("ul", { class: "cards" });
  #back = button("Previous", () => this.#turn(-PAGE));
  #on = button("Next", () => this.#turn(PAGE));
  #pager = el("div", { class: "row", hidden: true }, this.#back, this.#on);

  constructor(options) {
    this.#options = options;
    this.node = el("div", { class: "paged", tabindex: -1 }, this.#head, this.#again, this.#list, this.#pager);
  }

  close() {
    this.#latest.stop();
  }

  /** From the first page, or the one at an offset. */
  restart(offset = 0) {
    this.#first = offset;
    this.#offset = 0;
    this.#answer = null;
    this.#reach = 0;
    this.#list.replaceChildren();
    this.#pager.hidden = true;
    return this.#load(offset);
  }

  #turn(step) {
    const offset = turned(this.#offset, step, this.#reach);
    if (!this.#busy && offset !== this.#offset) {
      this.#load(offset);
    }
  }

  #load(offset) {
    const { load, clear, fail } = this.#options;
    this.#busy = true;
    this.#again.hidden = true;
    this.#dim();
    this.#list.setAttribute("aria-busy", "true");
    this.#head.textContent = "Reading the table; a large one takes a minute or more the first time ...";
    return this.#latest.run((signal) => load(offset, PAGE, signal), {
      done: (answer) => {
        clear();
        this.#reach = reachOf(offset, answer);
        // After another page one with nothing on it only says that the one before was the last.
        if (answer.positions.length > 0 || this.#answer === null) {
          this.#show(offset, answer);
        }
      },
      fail,
      end: () => {
        this.#busy = false;
        this.#dim();
        this.#list.removeAttribute("aria-busy");
        this.#again.hidden = this.#answer !== null;
        this.#head.textContent = this.#tell();
      },
    });
  }

  #show(offset, answer) {
    const { words, game, shown } = this.#options;
    this.#offset = offset;
    this.#answer = answer;
    this.#list.replaceChildren(...answer.positions.map((position) => positionCard(game, position.fen, words(position))));
    this.#pager.hidden = answer.count <= PAGE;
    shown(offset);
  }

  #dim() {
    dim(this.#back, this.#busy || this.#offset === 0);
    dim(this.#on, this.#busy || turned(this.#offset, PAGE, this.#reach) === this.#offset);
  }

  /** How many there are, and which of them are shown. */
  #tell() {
    if (this.#answer === null) {
      return "";
    }
    const { count: all, positions } = this.#answer;
    const text = this.#options.head(this.#answer);
    if (positions.length === all) {
      return text;
    }
    if (positions.length === 0) {
      return `${text} The server keeps none of them.`;
    }
    const last = this.#offset + positions.length;
    const end = last >= this.#reach && last < all ? ", the last that the server keeps" : "";
    return `${text} Shown: ${count(this.#offset + 1)} to ${count(last)}${end}.`;
  }
}
