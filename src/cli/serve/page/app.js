// Where the page begins: reads the address, opens the view that it names, and follows links and the browser's history.

import { ApiError } from "./api.js";
import { button, el } from "./dom.js";
import { showExplorer } from "./explorer.js";
import { showFreezerList } from "./freezer.js";
import { generation } from "./generate.js";
import { showMaterial } from "./material.js";
import { showTables } from "./tables.js";

const view = document.getElementById("view");
const status = document.getElementById("status");

let open = null;
let openKey = null;

const app = {
  /** Says a sentence in the status region; an empty one clears it. `kind`: "error" or nothing. */
  say(text, kind = "") {
    status.className = `status ${text === "" ? "" : "shown"} ${kind}`;
    status.replaceChildren(...(text === "" ? [] : [el("p", {}, text), button("Close", () => app.say(""), { class: "link" })]));
  },

  /** Says what went wrong; faults of the program go to the console too. */
  fail(error) {
    if (error instanceof ApiError) {
      app.say(error.message, "error");
    } else {
      console.error(error);
      app.say("Something in this page went wrong; the console of the browser has the details.", "error");
    }
  },

  title(text) {
    document.title = `${text} · Duchamp`;
  },

  /** Writes the history without opening anything. */
  record(url, state, replace) {
    try {
      history[replace ? "replaceState" : "pushState"](state, "", url);
    } catch {
      // Browsers limit how often the history is written; then the address lags behind.
    }
  },

  /** Opens an address of this page. */
  go(url) {
    app.record(url, null, false);
    route(null);
    window.scrollTo(0, 0);
    view.focus({ preventScroll: true });
  },
};

/** The view that an address names: a key that is the same as long as the view can be kept, and what opens it. */
function viewOf(params) {
  if (params.has("tables")) {
    return { key: "tables", name: "tables", make: () => showTables(view, app) };
  }
  if (params.has("material")) {
    return { key: `material ${params.get("game")} ${params.get("material")}`, name: "tables", make: () => showMaterial(view, app, params) };
  }
  if (params.has("freezer") && !params.get("freezer")) {
    return { key: "freezer", name: "freezer", make: () => showFreezerList(view, app) };
  }
  const game = params.get("game") === "xiangqi" ? "xiangqi" : "chess";
  return { key: game, name: params.get("freezer") ? "freezer" : game, make: () => showExplorer(view, app, params) };
}

function route(state) {
  const params = new URLSearchParams(location.search);
  const { key, name, make } = viewOf(params);
  app.say("");
  for (const link of document.querySelectorAll("nav [data-view]")) {
    if (link.dataset.view === name) {
      link.setAttribute("aria-current", "page");
    } else {
      link.removeAttribute("aria-current");
    }
  }
  if (key === openKey) {
    // Who follows a link to what is shown already asks once more, such as after an error.
    (open.update ?? open.refresh)?.call(open, params, state);
    return;
  }
  open?.close();
  openKey = key;
  open = make();
  open.update?.(params, state);
}

/** Links to other views open without loading the page again. */
function follow(event) {
  const link = event.target instanceof Element ? event.target.closest("a[href^='?']") : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
    return;
  }
  event.preventDefault();
  app.go(link.getAttribute("href"));
}

generation.say = app.say;
generation.ondone = () => open?.refresh?.();
document.getElementById("generation").replaceWith(generation.node);
document.addEventListener("click", follow);
document.querySelector(".skip").addEventListener("click", (event) => {
  // Without this the hash would become an entry of the history that holds no line.
  event.preventDefault();
  view.focus();
});
window.addEventListener("unhandledrejection", (event) => app.fail(event.reason));
window.addEventListener("popstate", (event) => route(event.state));
route(history.state);
