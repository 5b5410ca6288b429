// A histogram of lengths on a logarithmic scale, readable by pointer and arrow keys, with a table that says the same.

import { button, count, el, svg } from "./dom.js";
import { length } from "./words.js";

const [WIDTH, HEIGHT, LEFT, FOOT, TOP] = [720, 270, 62, 44, 14];

/** Draws `values`, the number of positions for each number of plies. `name`: what is counted, in a few words.
 * `list(plies)`, if given, lists the positions of the length that is chosen, by a click or by keys; hovering only reads. */
export function drawHistogram(name, values, list = null) {
  const bars = values.map((number, plies) => ({ plies, number })).filter(({ number }) => number > 0);
  if (bars.length === 0) {
    return el("p", { class: "quiet" }, "There are none.");
  }
  const readout = el("p", { class: "readout", "aria-live": "polite" });
  const { picture, light } = drawPicture(bars);
  let at = 0;
  const read = (index) => {
    light(index);
    const { plies, number } = bars[index];
    readout.textContent = `${length(plies)}: ${count(number)} ${number === 1 ? "position" : "positions"}`;
  };
  const choose = (index) => {
    at = Math.min(Math.max(index, 0), bars.length - 1);
    read(at);
    slider.setAttribute("aria-valuenow", bars[at].plies);
    slider.setAttribute("aria-valuetext", readout.textContent);
  };
  const slider = el(
    "div",
    {
      class: "histogram",
      role: "slider",
      tabindex: 0,
      "aria-label": `Histogram of ${name}`,
      "aria-valuemin": bars[0].plies,
      "aria-valuemax": bars.at(-1).plies,
      onkeydown: (event) => {
        const to = {
          ArrowLeft: at - 1,
          ArrowDown: at - 1,
          ArrowRight: at + 1,
          ArrowUp: at + 1,
          PageDown: at - 10,
          PageUp: at + 10,
          Home: 0,
          End: bars.length - 1,
        }[event.key];
        if (to !== undefined) {
          event.preventDefault();
          choose(to);
        }
      },
      onpointermove: (event) => read(nearest(picture, bars, event)),
      onpointerleave: () => read(at),
      onpointerdown: (event) => choose(nearest(picture, bars, event)),
    },
    picture,
  );
  choose(bars.length - 1);
  const show = list && button("Show the positions", () => list(bars[at].plies));
  return el("div", {}, slider, el("div", { class: "row" }, readout, show), table(bars));
}

function scaleOf(bars) {
  const longest = bars.at(-1).plies;
  const step = (WIDTH - LEFT - 8) / (longest + 1);
  const odd = bars.every(({ plies }) => plies % 2 === 1) || bars.every(({ plies }) => plies % 2 === 0);
  return { longest, x: (plies) => LEFT + step * (plies + 0.5), thick: Math.max(step * (odd ? 2 : 1) * 0.8, 0.8) };
}

function drawPicture(bars) {
  const most = Math.max(...bars.map(({ number }) => number));
  const decades = Math.max(Math.ceil(Math.log10(most + 1)), 1);
  const floor = HEIGHT - FOOT;
  // A single position still shows: the scale begins below 1.
  const y = (number) => floor - ((Math.log10(number) + 0.3) / (decades + 0.3)) * (floor - TOP);
  const { longest, x, thick } = scaleOf(bars);
  const grid = [];
  const each = decades > 6 ? 2 : 1;
  for (let decade = 0; decade <= decades; decade += each) {
    const level = y(10 ** decade);
    grid.push(svg("path", { class: "grid", d: `M${LEFT} ${level}H${WIDTH}` }));
    grid.push(svg("text", { class: "axis axis-left", x: LEFT - 8, y: level + 4 }, short(10 ** decade)));
  }
  const stride = [2, 4, 10, 20, 50, 100, 200, 500].find((size) => longest / size <= 10) ?? 1000;
  for (let plies = 0; plies <= longest; plies += stride) {
    grid.push(svg("text", { class: "axis axis-foot", x: x(plies), y: floor + 19 }, String(plies)));
  }
  grid.push(svg("text", { class: "axis axis-name", x: WIDTH - 8, y: HEIGHT - 4 }, "plies"));
  const nodes = bars.map(({ plies, number }) =>
    svg("rect", { class: "bar", x: x(plies) - thick / 2, y: y(number), width: thick, height: floor - y(number) }),
  );
  let lit = null;
  const light = (index) => {
    lit?.classList.remove("lit");
    lit = nodes[index];
    lit.classList.add("lit");
  };
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }, grid, nodes);
  return { picture, light };
}

function short(number) {
  const units = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const [size, unit] = units.find(([least]) => number >= least) ?? [1, ""];
  return `${number / size}${unit}`;
}

function nearest(picture, bars, event) {
  const box = picture.getBoundingClientRect();
  const place = ((event.clientX - box.left) / box.width) * WIDTH;
  const { x } = scaleOf(bars);
  let best = 0;
  bars.forEach(({ plies }, index) => {
    if (Math.abs(x(plies) - place) < Math.abs(x(bars[best].plies) - place)) {
      best = index;
    }
  });
  return best;
}

/** The table is filled when it is opened: it may have hundreds of rows. */
function table(bars) {
  const details = el("details", {}, el("summary", {}, "Histogram as a table"));
  details.addEventListener(
    "toggle",
    () => {
      const rows = bars.map(({ plies, number }) =>
        el("tr", {}, el("th", { scope: "row" }, length(plies)), el("td", { class: "number" }, count(number))),
      );
      const head = ["Length", "Positions"].map((name) => el("th", { scope: "col" }, name));
      details.append(el("div", { class: "scroll" }, el("table", { class: "plain" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))));
    },
    { once: true },
  );
  return details;
}
