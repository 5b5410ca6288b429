// A list of positions that is read page by page, each with a small board; a position opens in the position view.

import { Latest } from "./api.js";
import { button, count, el } from "./dom.js";
import { readFen } from "./fen.js";
import { smallBoard } from "./ground.js";

const PAGE = 24;

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

/** `load(offset, limit, signal)` gives `{count, positions}`; `words(position)` a line for each; `head(answer)` one for all. */
export class PagedList {
  #latest = new Latest();
  #offset = 0;
  #options;
  #head = el("p", { "aria-live": "polite" });
  #list = el("ul", { class: "cards" });
  #back = button("Previous", () => this.#turn(-PAGE));
  #on = button("Next", () => this.#turn(PAGE));
  #pager = el("div", { class: "row", hidden: true }, this.#back, this.#on);

  constructor(options) {
    this.#options = options;
    this.node = el("div", { class: "paged", tabindex: -1 }, this.#head, this.#list, this.#pager);
  }

  close() {
    this.#latest.stop();
  }

  /** From the first page. */
  restart() {
    this.#offset = 0;
    this.#list.replaceChildren();
    this.#pager.hidden = true;
    return this.#load();
  }

  #turn(step) {
    this.#offset = Math.max(this.#offset + step, 0);
    this.#load();
  }

  #load() {
    const { load, words, head, game, fail } = this.#options;
    this.#list.setAttribute("aria-busy", "true");
    this.#head.textContent = "Reading the table; a large one takes a minute or more the first time ...";
    return this.#latest.run((signal) => load(this.#offset, PAGE, signal), {
      done: (answer) => {
        const last = this.#offset + answer.positions.length;
        const range = answer.count > PAGE ? ` Shown: ${count(this.#offset + 1)} to ${count(last)}.` : "";
        this.#head.textContent = head(answer) + range;
        this.#list.replaceChildren(...answer.positions.map((position) => positionCard(game, position.fen, words(position))));
        this.#pager.hidden = answer.count <= PAGE;
        this.#back.disabled = this.#offset === 0;
        this.#on.disabled = last >= answer.count;
      },
      fail: (error) => {
        this.#head.textContent = "";
        fail(error);
      },
      end: () => this.#list.removeAttribute("aria-busy"),
    });
  }
}
