// The line through a position: the best one, stepping through it, branching, and PGN.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { browsing, button, headlineIs, openFen, settled, waitForText } from "./support.mjs";

const browse = browsing();
const LONGEST = "8/8/8/8/2r5/8/2k5/K6Q w - - 0 1";

async function bestLine(page) {
  await button(page, "Show the best line").click();
  await page.locator(".status.shown").waitFor();
}

browse("the best line is shown and played", {}, async (page, url) => {
  await openFen(page, url, LONGEST);
  await bestLine(page);
  assert.match(await page.textContent(".status"), /Best line by DTM: 69 plies/);
  assert.equal(await page.locator(".ply").count(), 70);
  await page.keyboard.press("ArrowRight");
  await headlineIs(page, /34 moves \(68 plies\)/);
  assert.equal(await page.locator(".ply[aria-current]").getAttribute("data-index"), "1");
  await page.keyboard.press("End");
  await headlineIs(page, "Checkmate: White has won");
  await page.locator(".ply[data-index='68']").click();
  await headlineIs(page, "White wins: mate in 1 move (1 ply)");
  await page.goBack();
  await settled(page);
});

browse("a line by another metric ends elsewhere", {}, async (page, url) => {
  await openFen(page, url, LONGEST);
  await page.locator("label", { hasText: "by" }).locator("select").selectOption("dtz");
  await bestLine(page);
  assert.match(await page.textContent(".status"), /Best line by DTZ: \d+ plies/);
  await page.keyboard.press("End");
  await settled(page);
});

browse("the best line is copied and saved as PGN", { permissions: ["clipboard-read", "clipboard-write"] }, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await bestLine(page);
  await page.getByText("Best line as PGN").click();
  const pgn = await page.textContent(".pgn");
  assert.match(pgn, /\[FEN "1k6\/1r6\/2K5\/Q7\/8\/8\/8\/8 w - - 0 1"\]/);
  assert.match(pgn, /\[Result "1-0"\]/);
  assert.match(pgn, /10\. \S+# 1-0\s*$/);
  const panel = page.locator("section", { has: page.getByRole("heading", { name: "Line" }) });
  await panel.getByRole("button", { name: "Copy" }).click();
  await panel.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim(), pgn.trim());
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Save as a file").click()]);
  assert.equal(download.suggestedFilename(), "duchamp-line.pgn");
  assert.equal(readFileSync(await download.path(), "utf8"), pgn);
});

browse("another move branches off the line, and the same move stays in it", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await bestLine(page);
  await page.keyboard.press(" ");
  await headlineIs(page, /18 plies/);
  assert.equal(await page.locator(".ply").count(), 20, "the best move is the line's own");
  await page.keyboard.press("ArrowLeft");
  await headlineIs(page, /19 plies/);
  await page.locator(".move", { hasText: "Qa1" }).first().click();
  await page.waitForFunction(() => document.querySelectorAll(".ply").length === 2);
});

browse("a line whose position is left before it comes is dropped", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await page.route("**/line*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 800));
    await route.continue().catch(() => {});
  });
  await button(page, "Show the best line").click();
  await page.keyboard.press(" ");
  await headlineIs(page, /18 plies/);
  await page.waitForTimeout(1200);
  assert.equal(await page.locator(".ply").count(), 2);
  await waitForText(page, "section button >> text=best line", "Show the best line");
});

browse("where there is no line, the button is dimmed, does nothing and keeps the focus", {}, async (page, url) => {
  await openFen(page, url, "k7/8/1K6/8/8/8/7Q/8 w - - 0 1");
  const ask = button(page, "Show the best line");
  const focused = () => ask.evaluate((node) => node === document.activeElement);
  await ask.focus();
  await page.keyboard.press("Enter");
  await page.locator(".status.shown").waitFor();
  await page.keyboard.press("ArrowRight");
  await headlineIs(page, "Checkmate: White has won");
  assert.equal(await ask.getAttribute("aria-disabled"), "true");
  assert.equal(await focused(), true);
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.keyboard.press("Enter");
  await ask.click({ force: true });
  assert.equal(await ask.getAttribute("aria-busy"), null);
  await page.keyboard.press("ArrowLeft");
  await headlineIs(page, "White wins: mate in 1 move (1 ply)");
  assert.equal(asked.includes("/line"), false);
  assert.equal(await ask.getAttribute("aria-disabled"), "false");
  assert.equal(await focused(), true);
});
