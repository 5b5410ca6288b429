// Requests to the server. Every failure becomes an ApiError whose message is a sentence for the reader; a newer request of the
// same kind aborts the older one.

/** A failed request. `status` is 0 if the server did not answer. */
export class ApiError extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** Of many requests only the latest counts: starting one aborts those before. */
export class Latest {
  #current = null;

  start() {
    this.stop();
    const current = new AbortController();
    this.#current = current;
    return { signal: current.signal, live: () => this.#current === current };
  }

  stop() {
    this.#current?.abort();
    this.#current = null;
  }

  /** Asks. Only if nothing newer was asked meanwhile: `done` gets the answer or `fail` the error, then comes `end`. */
  async run(ask, { done, fail, end = () => {} }) {
    const job = this.start();
    try {
      const answer = await ask(job.signal);
      if (job.live()) {
        done(answer);
      }
    } catch (error) {
      if (job.live() && !isAborted(error)) {
        fail(error);
      }
    } finally {
      if (job.live()) {
        end();
      }
    }
  }
}

/** Whether a request failed because nobody wants its answer any more. */
export function isAborted(error) {
  return error?.name === "AbortError";
}

/** A path with parameters; those that are null are left out. */
export function address(path, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  const pairs = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
}

async function request(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (isAborted(error)) {
      throw error;
    }
    throw new ApiError(0, "The server does not answer. Is duchamp serve still running?");
  }
  if (!response.ok) {
    throw new ApiError(response.status, await sentenceOf(response));
  }
  return response;
}

async function sentenceOf(response) {
  const text = await response.text();
  return text.trim() === "" || text.startsWith("<") ? `The server answers with error ${response.status}.` : sentence(text);
}

/** What the server says, as a sentence: begun with a capital, but for names of tables such as c-aaee, and ended. */
export function sentence(text) {
  const begun = text.trim().replace(/^[a-z](?=[a-z]*[\s,:])/, (letter) => letter.toUpperCase());
  const short = begun.length > 600 ? `${begun.slice(0, 600)} ...` : begun;
  return /[.!?)]$/.test(short) ? short : `${short}.`;
}

async function get(path, params, signal) {
  const response = await request(address(path, params), { signal, headers: { Accept: "application/json" } });
  try {
    return await response.json();
  } catch (error) {
    if (isAborted(error)) {
      throw error;
    }
    throw new ApiError(response.status, "The answer of the server cannot be read.");
  }
}

const gameParam = (game) => (game.key === "chess" ? null : game.key);
const file = (name) => encodeURIComponent(name);

/** Legal moves of a position; needs no tables. */
export const legal = (game, fen, signal) => get("/legal", { fen, game: gameParam(game) }, signal);

/** Values of a position and its moves, for either game in the same form. */
export async function values(game, fen, signal) {
  return unified(await get(game.key === "chess" ? "/standard" : "/xiangqi", { fen }, signal));
}

function unified(found) {
  const of = (entry) => ({
    uci: entry.uci,
    san: entry.san ?? entry.wxf ?? entry.uci,
    category: entry.category ?? "unknown",
    checkmate: entry.checkmate === true,
    stalemate: entry.stalemate === true,
    insufficient: entry.insufficient_material === true,
    zeroing: entry.zeroing === true,
    conversion: entry.conversion === true,
    only: entry.only === true,
    dtm: entry.dtm ?? null,
    dtc: entry.dtc_plies ?? null,
    dtz: entry.precise_dtz ?? entry.dtz ?? null,
    rounded: entry.dtz !== 0 && (entry.dtz ?? null) !== null && entry.precise_dtz === null,
  });
  return { ...of(found), unknown: found.unknown ?? null, moves: (found.moves ?? []).map(of) };
}

/** The best line to the end. */
export const bestLine = (game, fen, metric, signal) => get("/line", { fen, metric, game: gameParam(game) }, signal);

export const tables = (signal) => get("/tables.json", {}, signal);
export const stats = (material, metric, signal) => get(`/stats/${file(material)}.json`, { metric }, signal);
/** `plies`, `side`: null for the greatest length, for both sides to move. */
export const longest = (material, metric, { plies, side }, offset, limit, signal) =>
  get(`/longest/${file(material)}.json`, { metric, plies, side, offset, limit }, signal);
export const zugzwangs = (material, kind, offset, limit, signal) =>
  get(`/zugzwangs/${file(material)}.json`, { kind, offset, limit }, signal);
export const forecast = (spec, metric, signal) => get("/forecast", { spec, metric }, signal);
export const pawns = (fen, seconds, signal) => get("/pawns", { fen, seconds }, signal);
export const freezerList = (signal) => get("/freezer.json", {}, signal);
export const freezerExample = (name, signal) => get(`/freezer/${file(name)}.json`, {}, signal);

/** Generates tables. Calls `onevent(name, data)` for each event until the stream ends; aborting `signal` cancels the work. */
export async function generate(spec, metric, signal, onevent) {
  const response = await request(address("/generate", { spec, metric }), {
    method: "POST",
    headers: { "X-Duchamp": "1", Accept: "text/event-stream" },
    signal,
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    buffer += decoder.decode(value, { stream: true });
    const blocks = buffer.split(/\r?\n\r?\n/);
    buffer = blocks.pop();
    for (const block of blocks) {
      readEvent(block, onevent);
    }
  }
}

function readEvent(block, onevent) {
  let name = "message";
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (field === "event") {
      name = value;
    } else if (field === "data") {
      data.push(value);
    }
  }
  if (data.length === 0) {
    return;
  }
  let parsed;
  try {
    parsed = JSON.parse(data.join("\n"));
  } catch {
    throw new ApiError(0, "The progress of the server cannot be read.");
  }
  onevent(name, parsed);
}
