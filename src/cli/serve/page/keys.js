// Keys of the position view: arrows walk along the line, Home and End go to its ends, f flips the board, and space plays the
// best move. Fields keep the keys that are theirs, and so do buttons that were reached by keys; one that was clicked does not
// take the space bar from then on. With Shift only letters are meant: Shift and space is the browser's page up.

const FIELDS = "input, textarea, select, [contenteditable], [role=slider]";
const PRESSED = "button, a, summary";

/** Listens until the returned function is called. */
export function bindKeys(actions) {
  const names = { ArrowLeft: "back", ArrowRight: "forward", Home: "start", End: "end", f: "flip", F: "flip", " ": "best" };
  let pointed = false;
  const point = () => {
    pointed = true;
  };
  const listen = (event) => {
    pointed &&= event.key !== "Tab";
    const name = names[event.key];
    const target = event.target instanceof Element ? event.target : document.body;
    if (!name || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.shiftKey && !/^[a-z]$/i.test(event.key)) {
      return;
    }
    if (target.closest(FIELDS) || target.closest("pre") || document.querySelector("dialog[open]")) {
      return;
    }
    if (event.key === " " && target.closest(PRESSED)) {
      if (!pointed) {
        return;
      }
      target.blur();
    }
    event.preventDefault();
    actions[name]();
  };
  document.addEventListener("keydown", listen);
  document.addEventListener("pointerdown", point, true);
  return () => {
    document.removeEventListener("keydown", listen);
    document.removeEventListener("pointerdown", point, true);
  };
}
