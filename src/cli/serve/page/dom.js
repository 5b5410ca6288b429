// Small helpers that build elements. Texts become text nodes: nothing that comes from a server or an address is read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function build(node, props, kids) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...kids.flat(Infinity).filter((kid) => kid !== null && kid !== undefined && kid !== false));
  return node;
}

/** An HTML element: `el("a", {href: "?tables", onclick: f}, "Tables")`. */
export function el(tag, props, ...kids) {
  return build(document.createElement(tag), props, kids);
}

/** An SVG element. */
export function svg(tag, props, ...kids) {
  return build(document.createElementNS(SVG, tag), props, kids);
}

/** A button that submits nothing; its face is a text or a node. While it is dimmed it does nothing. */
export function button(face, onclick, props) {
  const press = (event) => event.currentTarget.getAttribute("aria-disabled") !== "true" && onclick(event);
  return el("button", { type: "button", onclick: press, ...props }, face);
}

/** Dims a button that would do nothing, or lights it again. It keeps the focus, which a disabled button loses. */
export function dim(made, idle) {
  made.setAttribute("aria-disabled", String(idle));
}

/** A select with a label before it. `options`: pairs of value and text. */
export function choice(label, options, value, onchange) {
  const select = el("select", {}, options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)));
  select.addEventListener("change", () => onchange?.(select.value));
  return { node: el("label", { class: "choice" }, el("span", {}, label), select), select };
}

/** Text that only screen readers get. */
export function hidden(text) {
  return el("span", { class: "hidden-text" }, text);
}

/** Puts a text into the clipboard and says so on the button for a while; without a clipboard selects the text of `source`. */
export function copyButton(text, source) {
  const made = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(text());
      made.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(source);
      made.textContent = "Selected: copy by Ctrl+C";
    }
    setTimeout(() => {
      made.textContent = "Copy";
    }, 2500);
  });
  return made;
}

const GROUPED = new Intl.NumberFormat("en-US");

/** 12,345 */
export function count(number) {
  return GROUPED.format(number);
}

/** 12.3 MB: powers of ten, as the command line prints them. */
export function bytes(number) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let size = number;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toPrecision(3)} ${units[unit]}`;
}

/** 3 min 20 s */
export function duration(seconds) {
  if (seconds < 1) {
    return "less than a second";
  }
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 86400), "d"],
    [Math.floor(whole / 3600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts.slice(first, first + 2).filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`).join(" ");
}
