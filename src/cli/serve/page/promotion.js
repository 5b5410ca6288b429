// The dialog that asks what a pawn becomes.

import { el } from "./dom.js";
import { pieceIcon } from "./pieces.js";

/** Resolves to one of the letters (small, as in UCI), or to null if the dialog is closed, which aborting `signal` does too. */
export function askPromotion(game, letters, turn, signal) {
  return new Promise((resolve) => {
    const pick = (letter) => {
      const shown = turn === "w" ? letter.toUpperCase() : letter;
      const name = game.names[letter.toUpperCase()];
      return el("button", { type: "submit", value: letter, "aria-label": name, title: name, class: "tool" }, pieceIcon(game, shown));
    };
    const dialog = el(
      "dialog",
      { class: "promotion", "aria-labelledby": "promotion-title" },
      el("form", { method: "dialog" }, el("h2", { id: "promotion-title" }, "Promote to"), el("div", { class: "row" }, letters.map(pick))),
    );
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    const stop = () => dialog.close();
    signal.addEventListener("abort", stop);
    dialog.addEventListener("close", () => {
      signal.removeEventListener("abort", stop);
      dialog.remove();
      // A choice just before the abort, whose event comes after it, does not count.
      resolve(signal.aborted ? null : dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
