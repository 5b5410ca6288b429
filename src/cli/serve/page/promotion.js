// The dialog that asks what a pawn becomes.

import { el } from "./dom.js";
import { pieceIcon } from "./pieces.js";

/** Resolves to one of the letters (small, as in UCI), or to null if the dialog is closed. */
export function askPromotion(game, letters, turn) {
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
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
