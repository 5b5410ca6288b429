// The index of all tables that are present, by game and number of men, with sizes.

import { Latest, tables } from "./api.js";
import { bytes, el } from "./dom.js";
import { gameOf } from "./games.js";
import { length } from "./words.js";

class TablesPage {
  #latest = new Latest();
  #app;
  #groups = el("div", { "aria-busy": "true" });
  #sum = el("p", { class: "lead", "aria-live": "polite" });
  #filter;
  // Null until the server has answered.
  #all = null;

  constructor(root, app) {
    this.#app = app;
    app.title("Tables");
    this.#filter = el("input", { type: "search", spellcheck: "false", autocapitalize: "off", placeholder: "KRP", oninput: () => this.#choose() });
    root.replaceChildren(
      el("h1", {}, "Tables"),
      this.#sum,
      el("label", { class: "choice" }, el("span", {}, "Names with"), this.#filter),
      this.#groups,
    );
  }

  close() {
    this.#latest.stop();
  }

  /** Asks for the tables; the history's entry holds the filter. */
  update(params, state) {
    this.#filter.value = state?.filter ?? "";
    this.#draw();
    this.refresh();
  }

  #choose() {
    this.#app.record(location.search, { filter: this.#filter.value }, true);
    this.#draw();
  }

  refresh() {
    this.#latest.run(tables, {
      done: (found) => {
        this.#all = found.tables;
        const total = bytes(this.#all.reduce((sum, table) => sum + sizeOf(table), 0));
        this.#sum.replaceChildren(`${this.#all.length} tables, ${total}, in `, el("code", {}, found.folder ?? "?"));
        this.#draw();
      },
      fail: (error) => this.#app.fail(error),
      end: () => this.#groups.removeAttribute("aria-busy"),
    });
  }

  /** What stands in place of the tables; a name that is not there leads to what it costs. */
  #none() {
    const name = this.#filter.value.trim();
    if (name === "") {
      return el("p", {}, "There are no tables yet. Write a name such as KQvKR above to see what it costs.");
    }
    return el("p", {}, "No table here has such a name. ", el("a", { href: `?material=${encodeURIComponent(name)}` }, `See what ${name} costs`));
  }

  #draw() {
    if (this.#all === null) {
      return;
    }
    const wanted = this.#filter.value.trim().toLowerCase();
    const shown = this.#all.filter(({ material }) => material.toLowerCase().includes(wanted));
    const groups = new Map();
    for (const table of shown) {
      const key = `${table.game} ${table.men}`;
      groups.set(key, [...(groups.get(key) ?? []), table]);
    }
    const sections = [...groups.values()].sort((a, b) => a[0].game.localeCompare(b[0].game) || a[0].men - b[0].men).map(section);
    this.#groups.replaceChildren(...(sections.length > 0 ? sections : [this.#none()]));
  }
}

function sizeOf(table) {
  return Object.values(table.files ?? {}).reduce((sum, size) => sum + (size ?? 0), 0);
}

function section(list) {
  const game = gameOf(list[0].game);
  const metrics = ["wdl", ...game.metrics];
  const names = ["Material", ...metrics.map((name) => name.toUpperCase()), "All files", "Longest win"];
  const head = names.map((name, index) => el("th", { scope: "col", class: index > 0 ? "number" : null }, name));
  const rows = list.map((table) => {
    const prefix = game.key === "chess" ? "" : `game=${game.key}&`;
    const link = el("a", { href: `?${prefix}material=${encodeURIComponent(table.material)}` }, table.material);
    const cells = metrics.map((name) => el("td", { class: "number" }, typeof table.files?.[name] === "number" ? bytes(table.files[name]) : "–"));
    const win = table.longest_win_plies ? length(table.longest_win_plies) : "none";
    return el("tr", {}, el("th", { scope: "row" }, link), cells, el("td", { class: "number" }, bytes(sizeOf(table))), el("td", { class: "number" }, win));
  });
  const title = `${game.title}, ${list[0].men} men: ${list.length} ${list.length === 1 ? "table" : "tables"}`;
  const table = el("table", { class: "plain tables" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows));
  return el("section", {}, el("h2", {}, title), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table));
}

/** Opens the page. */
export function showTables(root, app) {
  return new TablesPage(root, app);
}
