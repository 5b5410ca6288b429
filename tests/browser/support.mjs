// What the tests share: a server of the program under test, a browser, and pages whose console must stay free of errors.
//
// Environment (set by run.sh): DUCHAMP, the program; TABLES, a folder with tables; MODULES, the folder that has node_modules;
// CHROMIUM, the browser; and, to see tests fail sooner, DUCHAMP_PATIENCE in milliseconds.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const { DUCHAMP, TABLES, MODULES, CHROMIUM } = process.env;
for (const [name, value] of Object.entries({ DUCHAMP, TABLES, MODULES, CHROMIUM })) {
  if (!value) {
    throw new Error(`${name} is not set: start the tests by tests/browser/run.sh DUCHAMP`);
  }
}
const { chromium } = createRequire(join(MODULES, "package.json"))("playwright-core");

// Milliseconds: generous, since other work may run beside.
const PATIENCE = Number(process.env.DUCHAMP_PATIENCE ?? 60000);
const DESKTOP = { width: 1280, height: 900 };

/** A phone that is held upright, touched with fingers. */
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** Starts the program as a server on a free port. Resolves to its address and what stops it. */
export function serve(folder, ...options) {
  const child = spawn(DUCHAMP, ["serve", "--listen", "127.0.0.1:0", "--dir", folder, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const gone = new Promise((resolve) => {
    child.once("exit", resolve);
  });
  const stop = () => {
    child.kill();
    return gone;
  };
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ended at once with ${code}`)));
    child.stdout.once("data", (line) => resolve({ url: String(line).trim(), stop }));
  });
}

/** A folder that is gone when the tests of this file are done. */
export function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "duchamp-browser-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * One browser and one server for the tests of a file. The result declares a test that gets a page in a new profile:
 * `browse("name", options, async (page, url) => ...)`. Options are those of Playwright's contexts, and `expected`: a pattern of
 * the errors that the console may show, such as an answer 404.
 */
export function browsing(folder = TABLES, ...serverOptions) {
  let browser;
  let server;
  before(async () => {
    server = await serve(folder, ...serverOptions);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });
  return (name, options, body) => {
    const { expected = null, ...context } = options;
    test(name, { timeout: 3 * PATIENCE }, async () => {
      const profile = await browser.newContext({ viewport: DESKTOP, colorScheme: "light", ...context });
      const faults = [];
      const page = await openPage(profile, (fault) => expected?.test(fault) || faults.push(fault));
      try {
        await body(page, server.url);
      } finally {
        await profile.close();
      }
      if (faults.length > 0) {
        throw new Error(`errors in the console:\n${faults.join("\n")}`);
      }
    });
  };
}

async function openPage(profile, fault) {
  const page = await profile.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (message) => message.type() === "error" && fault(`${message.text()} ${message.location().url}`));
  page.on("pageerror", (error) => fault(String(error.stack)));
  return page;
}

/** Waits until the values of the position are there. */
export async function settled(page) {
  await page.waitForFunction(() => {
    const results = document.querySelector(".results-core");
    return results && !results.hasAttribute("aria-busy") && document.querySelector(".headline").textContent !== "";
  });
}

/** Opens a position by its FEN; `more` is put behind, such as "&flip=1". */
export async function openFen(page, url, fen, more = "") {
  await page.goto(`${url}?fen=${fen.replaceAll(" ", "_")}${more}`);
  await settled(page);
}

/** The headline, once the position has settled. */
export async function headline(page) {
  await settled(page);
  return page.textContent(".headline");
}

/** Waits until the headline matches. */
export async function headlineIs(page, pattern) {
  await waitForText(page, ".headline", pattern);
  await settled(page);
}

/** Waits until an element's text matches; says what it was otherwise. */
export async function waitForText(page, selector, pattern) {
  const wanted = pattern instanceof RegExp ? pattern : new RegExp(`^${pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
  const read = () => page.locator(selector).first().textContent({ timeout: 1000 }).catch(() => null);
  for (const start = Date.now(); Date.now() - start < PATIENCE; ) {
    if (wanted.test((await read()) ?? "")) {
      return;
    }
    await page.waitForTimeout(50);
  }
  throw new Error(`${selector} is ${JSON.stringify(await read())}, not ${wanted}`);
}

/** Waits until the address matches. */
export async function addressIs(page, pattern) {
  await page.waitForFunction((source) => new RegExp(source).test(location.href), pattern.source).catch(() => {
    throw new Error(`the address is ${page.url()}, not ${pattern}`);
  });
}

/** The middle of a square, in pixels of the window. */
export async function at(page, square) {
  const place = await page.evaluate((name) => {
    const picture = document.querySelector(".board-picture");
    const chess = picture.classList.contains("chess");
    const [files, ranks] = chess ? [8, 8] : [9, 10];
    const flipped = new URLSearchParams(location.search).get("flip") === "1";
    const file = name.charCodeAt(0) - 97;
    const rank = Number(name.slice(1)) - (chess ? 1 : 0);
    const column = flipped ? files - 1 - file : file;
    const row = flipped ? rank : ranks - 1 - rank;
    picture.scrollIntoView({ block: "center" });
    const point = new DOMPoint(column * 100 + 50, row * 100 + 50).matrixTransform(picture.getScreenCTM());
    return { x: point.x, y: point.y };
  }, square);
  return place;
}

/** Clicks a square. */
export async function clickSquare(page, square) {
  const { x, y } = await at(page, square);
  await page.mouse.click(x, y);
}

/** Drags with the mouse, between points or squares. */
export async function drag(page, from, to) {
  const point = async (place) => (typeof place === "string" ? at(page, place) : place);
  const [a, b] = [await point(from), await point(to)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2);
  await page.mouse.move(b.x, b.y);
  await page.mouse.up();
}

/** A button by its whole name. */
export const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Types a FEN into its field and sends it by Enter. */
export async function setFen(page, fen) {
  await page.fill("#fen", fen);
  await page.press("#fen", "Enter");
}

/** Whether the page is wider than the window. */
export const scrollsSideways = (page) => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
