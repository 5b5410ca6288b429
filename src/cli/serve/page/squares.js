// What a proof found about the squares of a pawn ending: marks for the board, and the same in words.
// Nothing depends on color alone: the attacker's king has its numbers in the upper left corner of a square, the other king in
// the lower right one; key squares are dots and critical pawns are rings.

import { el } from "./dom.js";

// So many numbers fit into a corner.
const ROOM = 3;

function keySquares(answer) {
  return answer.key ?? answer.key_proved ?? [];
}

/** Classes of corresponding squares: kings on squares of one class are in mutual zugzwang. Where not all are known, those that
 * follow from the pairs proved so far: squares of the attacker's king with the same partners are one class. */
export function classesOf(answer) {
  if (answer.corresponding) {
    return answer.corresponding;
  }
  const partners = new Map();
  for (const [king, other] of answer.zugzwangs_proved ?? []) {
    partners.set(king, [...(partners.get(king) ?? []), other]);
  }
  const classes = new Map();
  for (const [king, others] of partners) {
    const found = classes.get(others.join(" ")) ?? { kings: [], others };
    found.kings.push(king);
    classes.set(others.join(" "), found);
  }
  return [...classes.values()];
}

/** Marks for the board. */
export function marksOf(answer) {
  const marks = (answer.critical ?? []).map((square) => ({ square, kind: "ring" }));
  marks.push(...keySquares(answer).map((square) => ({ square, kind: "dot" })));
  for (const [side, kind] of [["kings", "first"], ["others", "second"]]) {
    const numbers = new Map();
    classesOf(answer).forEach((entry, index) => {
      for (const square of entry[side]) {
        numbers.set(square, [...(numbers.get(square) ?? []), index + 1]);
      }
    });
    for (const [square, list] of numbers) {
      const text = list.slice(0, ROOM).join(" ") + (list.length > ROOM ? "+" : "");
      marks.push({ square, kind, text });
    }
  }
  return marks;
}

/** What the marks mean. */
export function drawLegend(answer) {
  const attacker = answer.attacker === "black" ? "Black" : "White";
  const other = attacker === "White" ? "Black" : "White";
  const row = (kind, sign, ...text) => el("li", {}, el("span", { class: `sign ${kind}`, "aria-hidden": "true" }, sign), el("span", {}, text));
  const rows = [];
  if (classesOf(answer).length > 0) {
    const some = answer.corresponding ? "" : "; these are proved, there may be more";
    rows.push(
      row(
        "sign-first",
        "1",
        el("b", {}, "Corresponding squares"),
        `: numbers at the upper left are for ${attacker}'s king, `,
        el("span", { class: "sign sign-second" }, "those at the lower right"),
        ` for ${other}'s. With both kings on the same number, whoever is to move fails${some}.`,
      ),
    );
  }
  const keys = keySquares(answer);
  if (keys.length > 0) {
    rows.push(row("sign-dot", "●", el("b", {}, "Key squares "), `${keys.join(" ")}: ${attacker}'s king wins from here, wherever the other stands (unless it attacks a loose pawn) and whoever is to move.`));
  }
  if ((answer.critical ?? []).length > 0) {
    rows.push(row("sign-ring", "○", el("b", {}, "Critical pawns "), `${answer.critical.join(" ")}: ${attacker}'s king can take them.`));
  }
  return rows.length > 0 ? el("ul", { class: "legend" }, rows) : el("p", { class: "quiet" }, "No key, corresponding or critical squares were found.");
}

/** The corresponding squares as a table, in something that opens; null if there are none. */
export function drawClasses(answer) {
  const classes = classesOf(answer);
  if (classes.length === 0) {
    return null;
  }
  const rows = classes.map((entry, index) =>
    el("tr", {}, el("th", { scope: "row" }, String(index + 1)), el("td", {}, entry.kings.join(" ")), el("td", {}, entry.others.join(" "))),
  );
  const head = ["Number", "Attacker's king", "Other king"].map((name) => el("th", { scope: "col" }, name));
  const table = el("table", { class: "plain" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows));
  return el("details", {}, el("summary", {}, "Corresponding squares as a table"), table);
}
