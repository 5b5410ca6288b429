// The page of one material: its files, how many positions are won, drawn and lost, lengths, longest wins and mutual zugzwangs.

import { Latest, longest, stats, tables, zugzwangs } from "./api.js";
import { button, bytes, choice, count, el } from "./dom.js";
import { materialInWords } from "./fen.js";
import { gameOf } from "./games.js";
import { MissingPanel } from "./generate.js";
import { drawHistogram } from "./histogram.js";
import { PagedList, positionCard } from "./paged.js";
import { METRICS, explanation, length } from "./words.js";

const OUTCOMES = [
  ["win", "Won"],
  ["cursed_win", "Cursed wins"],
  ["draw", "Drawn"],
  ["blessed_loss", "Blessed losses"],
  ["loss", "Lost"],
];

const KINDS = {
  all: "All",
  "full-point": "Whoever moves loses",
  "win-draw": "White to move draws, else wins",
  "draw-loss": "White to move loses, else draws",
};

/** Chess, unless the name of the material is of xiangqi. */
function gameFor(params) {
  const named = /[-aehcg]/i.test(params.get("material")) ? "xiangqi" : "chess";
  return gameOf(params.get("game") ?? named);
}

class MaterialPage {
  #latest = new Latest();
  #filesLatest = new Latest();
  #app;
  #game;
  #material;
  #metric;
  // "awaited", "failed" or "drawn".
  #state = "awaited";
  #lists = [];
  // What opens each list at a page, by its name.
  #openers = {};
  // The lists that are open, as the history's entry holds them, so that they are open again after the way back.
  #open = {};
  #showWins = () => {};
  #name = el("h1");
  #words = el("p", { class: "lead" });
  #files = el("div", { class: "files" });
  #counts = el("section", { class: "results", "aria-live": "polite" });
  #longest = el("section", { class: "longest" });
  #lengths = el("section", { class: "lengths" });
  #below = el("div");

  constructor(root, app, params) {
    this.#app = app;
    this.#game = gameFor(params);
    this.#material = params.get("material");
    const asked = params.get("metric");
    this.#metric = this.#game.metrics.includes(asked) ? asked : this.#game.metric;
    this.missing = new MissingPanel(this.#game);
    const names = this.#game.metrics.map((metric) => [metric, METRICS[metric].short]);
    const metric = choice("Metric", names, this.#metric, (chosen) => this.#choose(chosen));
    this.pick = metric.select;
    this.about = el("p", { class: "quiet" });
    root.replaceChildren(
      el(
        "div",
        { class: "material" },
        el("p", { class: "crumbs" }, el("a", { href: "?tables" }, "All tables")),
        this.#name,
        this.#words,
        this.#files,
        el("div", { class: "row" }, metric.node, this.about),
        this.missing.node,
        el("div", { class: "numbers" }, el("div", {}, this.#counts, this.#longest), this.#lengths),
        this.#below,
      ),
    );
    this.#rename(this.#material);
    this.refresh();
  }

  #rename(material) {
    this.#material = material;
    this.#app.title(material);
    const words = materialInWords(this.#game, material);
    this.#name.textContent = material;
    this.#words.textContent = words;
    this.#words.hidden = words === material;
  }

  close() {
    this.#latest.stop();
    this.#filesLatest.stop();
    this.missing.close();
    this.#closeLists();
  }

  /** The browser went to this material: perhaps to another metric, perhaps to lists that were open, perhaps after an error. */
  update(params, state) {
    this.#open = state?.lists ?? {};
    const asked = params.get("metric") ?? this.#game.metric;
    if (asked !== this.#metric && this.#game.metrics.includes(asked)) {
      this.#metric = asked;
      this.pick.value = asked;
      this.#load();
    } else if (this.#state === "failed") {
      this.refresh();
    } else if (this.#state === "drawn") {
      this.#reopen();
    }
  }

  refresh() {
    this.#loadFiles();
    this.#load();
  }

  #closeLists() {
    this.#lists.forEach((list) => list.close());
    this.#lists = [];
    this.#openers = {};
  }

  #choose(metric) {
    this.#metric = metric;
    this.#open = {};
    this.#record();
    this.#app.say("");
    this.#load();
  }

  #record() {
    const game = this.#game.key === "chess" ? "" : `game=${this.#game.key}&`;
    this.#app.record(`?${game}material=${encodeURIComponent(this.#material)}&metric=${this.#metric}`, { lists: this.#open }, true);
  }

  /** A list shows a page. */
  #keep(name, kept) {
    this.#open = { ...this.#open, [name]: kept };
    this.#app.record(location.search, { lists: this.#open }, true);
  }

  #reopen() {
    Object.entries(this.#open).forEach(([name, kept]) => this.#openers[name]?.(kept));
  }

  #loadFiles() {
    this.#filesLatest.run(tables, {
      done: (found) => {
        const own = found.tables.find(({ material, game }) => material === this.#material && game === this.#game.key);
        const names = ["wdl", ...this.#game.metrics];
        const sizes = names.map((name) => {
          const size = own?.files?.[name];
          const text = typeof size === "number" ? bytes(size) : "missing";
          return el("div", {}, el("dt", {}, name.toUpperCase()), el("dd", { class: typeof size === "number" ? "" : "absent" }, text));
        });
        this.#files.replaceChildren(el("dl", { class: "distances-box" }, sizes));
      },
      fail: () => this.#files.replaceChildren(),
    });
  }

  #load() {
    this.#state = "awaited";
    this.#closeLists();
    this.missing.hide();
    this.about.textContent = explanation(this.#game, this.#metric);
    this.#counts.replaceChildren(el("p", { class: "quiet" }, "Counting positions; a large table takes a minute or more the first time ..."));
    this.#longest.replaceChildren();
    this.#lengths.replaceChildren();
    this.#below.replaceChildren();
    this.#latest.run((signal) => stats(this.#material, this.#metric, signal), {
      done: (found) => {
        if (found.material !== this.#material) {
          // Written otherwise, such as krvk or KvKR.
          this.#rename(found.material);
          this.#record();
          this.#loadFiles();
        }
        this.#draw(found);
        this.#state = "drawn";
        this.#reopen();
      },
      fail: (error) => {
        this.#state = "failed";
        this.#counts.replaceChildren();
        if (error.status === 404) {
          this.missing.show(this.#material, error.message, { metric: this.#metric });
        } else {
          this.#app.fail(error);
        }
      },
    });
  }

  #sides(found) {
    const first = this.#game.sides.w;
    return [
      [first, found[`${first.toLowerCase()}_to_move`]],
      ["Black", found.black_to_move],
    ].filter(([, side]) => side);
  }

  #draw(found) {
    const sides = this.#sides(found);
    this.#counts.replaceChildren(el("h2", {}, "Results"), countTable(sides), wuBeal(found.wu_beal));
    this.#lengths.replaceChildren(el("h2", {}, "Lengths"), ...this.#histograms(sides));
    this.#longest.replaceChildren(...this.#longestOf(sides));
    this.#below.replaceChildren(this.#longestList());
    if (found.mutual_zugzwangs !== undefined) {
      this.#below.append(this.#zugzwangList(found));
    }
  }

  #histograms(sides) {
    const series = sides.flatMap(([name, side]) => [
      { key: `${name} win`, name: `${name} to move, won`, values: side.win_histogram ?? [], wins: name.toLowerCase() },
      { key: `${name} loss`, name: `${name} to move, lost`, values: side.loss_histogram ?? [], wins: null },
    ]).filter(({ values }) => values.some((number) => number > 0));
    if (series.length === 0) {
      return [el("p", { class: "quiet" }, "Nothing is won, or the table is too large for a histogram.")];
    }
    const host = el("div");
    const show = (key) => {
      const { name, values, wins } = series.find((one) => one.key === key);
      host.replaceChildren(drawHistogram(name, values, wins && ((plies) => this.#showWins(plies, wins))));
    };
    const pick = choice("Positions", series.map(({ key, name }) => [key, name]), series[0].key, show);
    show(series[0].key);
    return [pick.node, host];
  }

  #longestOf(sides) {
    const cards = sides.flatMap(([name, side]) => [
      side.longest_win_fen && positionCard(this.#game, side.longest_win_fen, `${name} to move wins in ${length(side.longest_win_plies)}`),
      side.longest_loss_fen && positionCard(this.#game, side.longest_loss_fen, `${name} to move loses in ${length(side.longest_loss_plies)}`),
    ]).filter(Boolean);
    return cards.length === 0 ? [] : [el("h2", {}, "Longest"), el("ul", { class: "cards" }, cards)];
  }

  #longestList() {
    const { short } = METRICS[this.#metric];
    let asked = { plies: null, side: null };
    const list = this.#list({
      load: (offset, limit, signal) => longest(this.#material, this.#metric, asked, offset, limit, signal),
      shown: (offset) => this.#keep("wins", { ...asked, offset }),
      words: ({ fen }) => `${this.#game.sides[fen.split(" ")[1] === "b" ? "b" : "w"]} to move`,
      head: ({ count: number, plies }) =>
        number === 0 ? "Nothing is won." : `${count(number)} ${number === 1 ? "position" : "positions"} won in ${length(plies)} by ${short}.`,
    });
    const { node, open } = onDemand("Wins of one length", "Show all longest wins", list);
    this.#openers.wins = ({ plies, side, offset }) => {
      asked = { plies, side };
      open(offset);
    };
    this.#showWins = (plies, side) => {
      this.#openers.wins({ plies, side, offset: 0 });
      node.scrollIntoView({ block: "start" });
      list.node.focus({ preventScroll: true });
    };
    return node;
  }

  #zugzwangList(found) {
    const counts = [
      ["full_point_zugzwangs", "whoever moves loses"],
      ["win_draw_zugzwangs", "White to move draws, Black to move loses"],
      ["draw_loss_zugzwangs", "White to move loses, Black to move draws"],
    ].filter(([key]) => found[key] > 0).map(([key, words]) => `${count(found[key])}: ${words}`);
    const total = found.mutual_zugzwangs;
    const summary = el("p", {}, total === 0 ? "There are none." : `${count(total)} in all. ${counts.join("; ")}.`);
    if (total === 0) {
      return el("section", {}, el("h2", {}, "Mutual zugzwangs"), summary);
    }
    let kind = "all";
    const list = this.#list({
      load: (offset, limit, signal) => zugzwangs(this.#material, kind, offset, limit, signal),
      shown: (offset) => this.#keep("zugzwangs", { kind, offset }),
      words: (position) => KINDS[position.kind] ?? "",
      head: ({ count: number }) => `${count(number)} mutual ${number === 1 ? "zugzwang" : "zugzwangs"}.`,
    });
    const pick = choice("Kind", Object.entries(KINDS), kind, (chosen) => {
      kind = chosen;
      list.restart();
    });
    const { node, open } = onDemand("Mutual zugzwangs", "Show the positions", list, summary, pick.node);
    this.#openers.zugzwangs = (kept) => {
      kind = kept.kind;
      pick.select.value = kind;
      open(kept.offset);
    };
    return node;
  }

  #list(options) {
    const list = new PagedList({ ...options, game: this.#game, clear: () => this.#app.say(""), fail: (error) => this.#app.fail(error) });
    this.#lists.push(list);
    return list;
  }
}

/** A section whose list is read when it is asked for, since large tables take seconds: its node, and what opens the list at a page. */
function onDemand(title, label, list, before = null, tools = null) {
  const ask = button(label, () => {
    open(0);
    list.node.focus({ preventScroll: true });
  });
  const open = (offset) => {
    // Gone already if the list is open.
    ask.replaceWith(...[tools, list.node].filter(Boolean));
    list.restart(offset);
  };
  return { node: el("section", {}, el("h2", {}, title), before, ask), open };
}

function countTable(sides) {
  const shown = OUTCOMES.filter(([key]) => !key.includes("_") || sides.some(([, side]) => side[key] > 0));
  const totals = sides.map(([, side]) => OUTCOMES.reduce((sum, [key]) => sum + (side[key] ?? 0), 0));
  const head = ["", ...sides.map(([name]) => `${name} to move`)].map((name) => el("th", { scope: "col" }, name));
  const rows = shown.map(([key, name]) => {
    const cells = sides.map(([, side], index) => {
      const number = side[key] ?? 0;
      return el("td", { class: "number" }, count(number), " ", el("span", { class: "quiet" }, percent(number, totals[index])));
    });
    return el("tr", {}, el("th", { scope: "row" }, name), cells);
  });
  rows.push(el("tr", { class: "sum" }, el("th", { scope: "row" }, "All"), totals.map((total) => el("td", { class: "number" }, count(total), " ", el("span", { class: "quiet" }, "100 %")))));
  return el("div", { class: "scroll" }, el("table", { class: "counts" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)));
}

function percent(number, total) {
  if (number === 0) {
    return "";
  }
  const share = (100 * number) / total;
  if (share < 0.01) {
    return "< 0.01 %";
  }
  return number < total && share > 99.99 ? "> 99.99 %" : `${share.toFixed(number === total ? 0 : 2)} %`;
}

/** Counts as Wu and Beal's paper has them. */
function wuBeal(found) {
  if (!found) {
    return "";
  }
  const rows = Object.entries(found).filter(([, value]) => typeof value === "number").map(([key, value]) =>
    el("tr", {}, el("th", { scope: "row" }, key.replaceAll("_", " ")), el("td", { class: "number" }, count(value))),
  );
  return el("details", {}, el("summary", {}, "Counts as in Wu and Beal"), el("table", { class: "plain" }, el("tbody", {}, rows)));
}

/** Opens the page. */
export function showMaterial(root, app, params) {
  return new MaterialPage(root, app, params);
}
