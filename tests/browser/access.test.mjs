// Keyboard, screen readers, dark and light, and a phone's width.

import assert from "node:assert/strict";
import { PHONE, browsing, button, headlineIs, openFen, scrollsSideways, settled, waitForText } from "./support.mjs";

const browse = browsing();
const PAWN = "8/8/8/1k6/8/8/1KP5/8 w - - 0 1";
const VIEWS = ["", "?fen=8/8/8/4k3/8/8/8/KQR5_w", "?game=xiangqi&fen=4k4/3Ra4/3a5/9/9/9/9/9/9/3K5_w", "?tables", "?material=KQvKR", "?material=KRPvKR", "?freezer"];
// Xiangqi and lists of a missing table.
const MISSING = /404/;

/** Opens an address and waits until nothing is being loaded. */
async function openView(page, address) {
  await page.goto(address);
  await page.locator("h1").first().waitFor();
  await page.waitForLoadState("networkidle");
}

browse("a game is played by the keyboard alone", {}, async (page, url) => {
  await openFen(page, url, PAWN);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-roledescription")), "board");
  const spoken = () => page.locator(".board [aria-live]").textContent();
  await page.keyboard.press("ArrowUp");
  assert.equal(await spoken(), "b2, white king");
  await page.keyboard.press("Enter");
  assert.equal(await spoken(), "b2, white king, picked up");
  await page.keyboard.press("ArrowUp");
  assert.equal(await spoken(), "b3, empty, can move here");
  await page.keyboard.press("Enter");
  await headlineIs(page, /21 moves \(42 plies\)/);
});

browse("a piece that was picked up is put back by Escape", {}, async (page, url) => {
  await openFen(page, url, PAWN);
  await page.locator(".board").focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  assert.ok((await page.locator(".target").count()) > 0);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".target").count(), 0);
  assert.match(await page.locator(".board [aria-live]").textContent(), /put back/);
});

browse("moves are buttons that say their distances", {}, async (page, url) => {
  await openFen(page, url, PAWN);
  const move = page.getByRole("button", { name: /^Kb3 only move mate in 22 moves \(43 plies\), conversion in 14 moves \(27 plies\)/ });
  await move.focus();
  await page.keyboard.press("Enter");
  await headlineIs(page, /21 moves/);
  assert.equal(await page.evaluate(() => document.activeElement.className), "headline", "the focus goes where the news is");
});

browse("a screen reader gets the position and what changes", {}, async (page, url) => {
  await openFen(page, url, PAWN);
  assert.equal(await page.locator("#position-text").textContent(), "White: king b2, pawn c2. Black: king b5. White to move.");
  assert.equal(await page.locator(".board").getAttribute("aria-describedby"), "position-text");
  await page.getByRole("application", { name: /^Board: arrow keys/ }).waitFor();
  assert.equal(await page.locator(".headline").getAttribute("aria-live"), "polite");
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  assert.equal(await page.locator("nav [aria-current]").textContent(), "Chess");
});

browse("everything that is operated has a name, and headings do not skip a level", { expected: MISSING }, async (page, url) => {
  for (const view of VIEWS) {
    await openView(page, url + view);
    const faults = await page.evaluate(() => {
      const nameOf = (node) => node.getAttribute("aria-label") || node.textContent.trim() || [...(node.labels ?? [])].map((label) => label.textContent).join("");
      const nameless = [...document.querySelectorAll("button, a, input, select, [role=slider], [tabindex='0']")].filter((node) => nameOf(node) === "");
      const levels = [...document.querySelectorAll("h1, h2, h3, h4")].filter((node) => node.offsetParent !== null).map((node) => Number(node.tagName[1]));
      const skips = levels.filter((level, index) => index > 0 && level > levels[index - 1] + 1);
      const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
      const broken = [...document.querySelectorAll("[aria-labelledby], [aria-describedby]")].filter((node) => node.offsetParent !== null && !ids.includes(node.getAttribute("aria-labelledby") ?? node.getAttribute("aria-describedby")));
      const first = levels.filter((level) => level === 1).length === 1 ? [] : [`${levels.filter((level) => level === 1).length} headings of level 1`];
      return [...nameless.map((node) => node.outerHTML), ...skips.map((level) => `h${level}`), ...ids.filter((id, index) => ids.indexOf(id) !== index), ...broken.map((node) => node.outerHTML), ...first];
    });
    assert.deepEqual(faults, [], view);
  }
});

/** Texts whose contrast with their background is below 4.5, or 3 if they are large (WCAG 2, AA). */
const pale = (page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = (color) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = ([r, g, b]) =>
      [r, g, b].reduce((sum, part, index) => sum + [0.2126, 0.7152, 0.0722][index] * (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4), 0);
    const found = [];
    for (const node of document.querySelectorAll("body *")) {
      const own = [...node.childNodes].some((kid) => kid.nodeType === 3 && kid.data.trim() !== "");
      if (!own || node.closest("svg, .hidden-text, .skip, noscript, :disabled, [aria-disabled=true]") || node.offsetParent === null) {
        continue;
      }
      let ground = node;
      while (ground && rgba(getComputedStyle(ground).backgroundColor)[3] < 255) {
        ground = ground.parentElement;
      }
      const style = getComputedStyle(node);
      const [a, b] = [luminance(rgba(style.color)), luminance(rgba(getComputedStyle(ground ?? document.body).backgroundColor))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) {
        found.push(`${node.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
      }
    }
    return found;
  });

for (const scheme of ["light", "dark"]) {
  browse(`texts can be read in the ${scheme}`, { colorScheme: scheme, expected: MISSING }, async (page, url) => {
    for (const view of VIEWS) {
      await openView(page, url + view);
      assert.deepEqual(await pale(page), [], view);
    }
  });
}

browse("colors are as the system prefers, until another is chosen", { colorScheme: "dark" }, async (page, url) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.goto(url);
  await settled(page);
  assert.equal(await paper(), "rgb(22, 24, 27)");
  await button(page, "Light colors").click();
  assert.equal(await paper(), "rgb(248, 247, 244)");
  await page.reload();
  await settled(page);
  assert.equal(await paper(), "rgb(248, 247, 244)", "the choice is kept");
  await button(page, "Dark colors").click();
  assert.equal(await paper(), "rgb(22, 24, 27)");
});

browse("no view scrolls sideways on a phone", { ...PHONE, expected: MISSING }, async (page, url) => {
  for (const view of VIEWS) {
    await openView(page, url + view);
    assert.equal(await scrollsSideways(page), false, view);
  }
  await openFen(page, url, PAWN);
  await button(page, "Set up").tap();
  await button(page, "Show the best line").tap();
  await page.locator(".status.shown").waitFor();
  await button(page, "What can be proved").tap();
  await page.locator(".legend").waitFor();
  assert.equal(await scrollsSideways(page), false, "with all panels open");
});

browse("a phone's fingers play moves and set positions up", PHONE, async (page, url) => {
  await openFen(page, url, PAWN);
  const tap = async (square) => {
    const { x, y } = await page.evaluate((name) => {
      const picture = document.querySelector(".board-picture");
      picture.scrollIntoView({ block: "center" });
      const point = new DOMPoint((name.charCodeAt(0) - 97) * 100 + 50, (8 - Number(name[1])) * 100 + 50);
      const { x, y } = point.matrixTransform(picture.getScreenCTM());
      return { x, y };
    }, square);
    await page.touchscreen.tap(x, y);
  };
  await tap("b2");
  assert.ok((await page.locator(".target").count()) > 0);
  await tap("b3");
  await headlineIs(page, /21 moves \(42 plies\)/);
  await button(page, "Set up").tap();
  const [board, men] = [await page.locator(".board").boundingBox(), await page.locator(".palette").boundingBox()];
  assert.ok(board.y >= 0 && men.y + men.height <= 740, "men can be dragged onto the whole board");
  await button(page, "white queen").tap();
  await tap("h1");
  await headlineIs(page, /White (has won|wins)|in no table/);
  assert.match(page.url(), /7Q_b/);
});

browse("buttons are large enough for a finger", { ...PHONE, expected: MISSING }, async (page, url) => {
  for (const view of VIEWS) {
    await openView(page, url + view);
    const small = await page.locator("button:visible, select:visible, input:visible").evaluateAll((nodes) =>
      nodes.filter((node) => !node.matches(".link, [type=radio]") && node.getBoundingClientRect().height < 24).map((node) => node.outerHTML),
    );
    assert.deepEqual(small, [], view);
  }
});

browse("the page says what it needs without scripts", { javaScriptEnabled: false }, async (page, url) => {
  await page.goto(url);
  await waitForText(page, "noscript p", /needs JavaScript.*duchamp tb probe FEN/);
});

browse("the page needs nothing from elsewhere", { expected: MISSING }, async (page, url) => {
  const asked = new Set();
  page.on("request", (request) => asked.add(new URL(request.url()).origin));
  for (const view of VIEWS) {
    await openView(page, url + view);
  }
  assert.deepEqual([...asked], [new URL(url).origin]);
});
