// Missing tables: what generating them costs, the command, and, where the server allows it, one generation at a time with
// its progress, which goes on while other positions are looked at.

import { ApiError, Latest, forecast, generate, sentence } from "./api.js";
import { button, bytes, choice, copyButton, duration, el } from "./dom.js";
import { METRICS } from "./words.js";

/** The one generation that runs, shown at the head of the page. */
class Generation {
  #abort = null;
  #bar = el("progress", { max: 1, "aria-label": "Progress of the generation" });
  #text = el("span", { class: "generation-text" });
  node = el("section", { class: "generation", "aria-label": "Generation of tables", hidden: true });
  #watchers = new Set();
  say = () => {};
  ondone = () => {};

  constructor() {
    this.node.append(this.#text, this.#bar, button("Cancel", () => this.cancel()));
    window.addEventListener("beforeunload", (event) => this.running && event.preventDefault());
  }

  get running() {
    return this.#abort !== null;
  }

  cancel() {
    this.#abort?.abort();
  }

  /** Calls `changed` whenever a generation begins or ends, until the returned function is called. */
  watch(changed) {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  #tell() {
    this.#watchers.forEach((changed) => changed());
  }

  async start(spec, metric) {
    if (this.running) {
      this.say("Tables are being generated already; wait or cancel that first.", "error");
      return;
    }
    const abort = new AbortController();
    this.#abort = abort;
    this.node.hidden = false;
    this.#bar.removeAttribute("value");
    this.#text.textContent = `Generating ${spec} ...`;
    this.#tell();
    let ended = null;
    try {
      await generate(spec, metric, abort.signal, (name, data) => {
        if (name === "progress") {
          this.#show(spec, data);
        } else {
          ended = { name, data };
        }
      });
      this.#finish(spec, ended);
    } catch (error) {
      if (abort.signal.aborted) {
        this.say(`Generation of ${spec} stopped. Finished tables are kept.`);
      } else {
        this.say(error instanceof ApiError ? error.message : "The connection broke while tables were generated.", "error");
      }
    } finally {
      this.#abort = null;
      this.node.hidden = true;
    }
    // After a cancellation, too: some tables may be finished.
    this.#tell();
    this.ondone();
  }

  #show(spec, { fraction, text, seconds_left: left }) {
    if (typeof fraction === "number") {
      this.#bar.value = Math.min(Math.max(fraction, 0), 1);
    }
    const share = typeof fraction === "number" ? `${Math.floor(fraction * 100)} %` : "";
    const rest = typeof left === "number" ? `${duration(left)} left` : "";
    this.#text.textContent = [`Generating ${spec}`, share, text, rest].filter(Boolean).join(" · ");
  }

  #finish(spec, ended) {
    if (ended?.name === "done") {
      const made = ended.data.generated ?? [];
      this.say(made.length === 1 ? `Generated ${made[0]}.` : `Generated ${made.length} tables.`);
    } else if (ended?.name === "failed") {
      this.say(`Generation of ${spec} failed: ${ended.data.error}`, "error");
    } else {
      this.say(`Generation of ${spec} ended without a result.`, "error");
    }
  }
}

export const generation = new Generation();

const NAMED = 8;

/** A panel that forecasts and generates what is missing. */
export class MissingPanel {
  #latest = new Latest();
  #facts = el("div");
  #title = el("h2", { id: "missing-title" });
  #why = el("p");
  #metric;
  #spec = null;
  #unwatch = generation.watch(() => this.#spec !== null && this.#load());
  node;

  constructor(game) {
    const names = game.metrics.map((metric) => [metric, `${METRICS[metric].short}: ${METRICS[metric].name}`]);
    this.#metric = choice("Metric", names, game.metric, () => this.#load());
    this.node = el(
      "section",
      { class: "panel", "aria-labelledby": "missing-title", hidden: true },
      this.#title,
      this.#why,
      this.#metric.node,
      this.#facts,
    );
  }

  close() {
    this.#latest.stop();
    this.#unwatch();
  }

  hide() {
    this.#latest.stop();
    this.#spec = null;
    this.node.hidden = true;
  }

  /** Shows what tables of `spec` cost; `why`: a sentence of what is missing. */
  show(spec, why, { metric = null, title = "Missing table" } = {}) {
    const same = !this.node.hidden && this.#spec === spec && (metric === null || metric === this.#metric.select.value);
    this.#title.textContent = title;
    // The command stands below.
    this.#why.textContent = why.replace(/; to generate it: .*$/, ".");
    this.node.hidden = false;
    if (same) {
      return;
    }
    this.#spec = spec;
    // A metric that is given is not chosen here.
    this.#metric.node.hidden = metric !== null;
    if (metric !== null) {
      this.#metric.select.value = metric;
    }
    this.#load();
  }

  #load() {
    const [spec, metric] = [this.#spec, this.#metric.select.value];
    if (!generation.running) {
      this.#facts.replaceChildren(el("p", { class: "quiet" }, "Estimating time, memory and disk ..."));
    }
    this.#latest.run((signal) => forecast(spec, metric, signal), {
      done: (found) => this.#facts.replaceChildren(...this.#draw(found, spec, metric)),
      fail: (error) => this.#facts.replaceChildren(el("p", { class: "quiet" }, error.message)),
    });
  }

  #draw(found, spec, metric) {
    const tables = found.tables ?? [];
    const named = tables.slice(0, NAMED).join(" ");
    const more = tables.length > NAMED ? ` and ${tables.length - NAMED} more` : "";
    const rows = [
      ["Tables", tables.length === 0 ? "none: all are present" : `${tables.length}: ${named}${more}`],
      ["Time", found.seconds < 1 ? duration(found.seconds) : `about ${duration(found.seconds)}`],
      ["Memory", `about ${bytes(found.memory_bytes)}`],
      ["Disk", `about ${bytes(found.disk_bytes)}`],
    ];
    const command = el("code", {}, found.command);
    const nodes = [
      el("dl", { class: "facts" }, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      el("p", { class: "command" }, command, copyButton(() => found.command, command)),
    ];
    const warnings = found.warnings ?? [];
    nodes.push(...warnings.map((warning) => el("p", { class: "warning" }, sentence(warning))));
    if (found.allowed && tables.length > 0) {
      const label = `Generate ${tables.length === 1 ? tables[0] : `${tables.length} tables`}`;
      const barred = generation.running || warnings.length > 0;
      nodes.push(button(generation.running ? "Generating ..." : label, () => generation.start(spec, metric), { class: "primary", disabled: barred }));
    } else if (tables.length > 0) {
      nodes.push(el("p", { class: "quiet" }, "This server does not generate tables; run the command where the tables are kept."));
    }
    return nodes;
  }
}
