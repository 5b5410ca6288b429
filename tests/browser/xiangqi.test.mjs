// Xiangqi: its board of 9 by 10, its values, and its tables.

import assert from "node:assert/strict";
import { addressIs, browsing, button, clickSquare, drag, headline, headlineIs, openFen, settled, waitForText } from "./support.mjs";

const browse = browsing();
const START = "&game=xiangqi";
// The chariot against two advisors: the longest win.
const LONGEST = "4k4/3Ra4/3a5/9/9/9/9/9/9/3K5 w - - 0 1";

browse("a position has DTC and DTM, moves and an only move", {}, async (page, url) => {
  await openFen(page, url, LONGEST, START);
  assert.equal(await headline(page), "Red wins: mate in 10 moves (19 plies)");
  const shown = await page.locator(".distances-box > div").allInnerTexts();
  assert.deepEqual(shown.map((text) => text.replaceAll(/\s+/g, " ")), ["DTC to conversion 8 moves 15 plies", "DTM to mate 10 moves 19 plies"]);
  assert.equal(await page.locator(".coordinate").count(), 19);
  assert.match(await page.locator("#position-text").textContent(), /^Red: general d0, chariot d8\. Black: general e9, advisors d7 e8\. Red to move\.$/);
});

browse("moves are played by click and drag, on the flipped board too", {}, async (page, url) => {
  await openFen(page, url, LONGEST, START);
  await page.keyboard.press(" ");
  await headlineIs(page, /18 plies/);
  await page.keyboard.press("ArrowLeft");
  await headlineIs(page, /19 plies/);
  await drag(page, "d8", "d7");
  await addressIs(page, /game=xiangqi&fen=4k4\/4a4\/3R5\/9\/9\/9\/9\/9\/9\/3K5_b/);
  await page.goBack();
  await headlineIs(page, /19 plies/);
  await button(page, "Flip").click();
  await addressIs(page, /flip=1/);
  await clickSquare(page, "d0");
  assert.equal(await page.locator(".target").count(), 2, "the general's two moves");
  await clickSquare(page, "e0");
  await addressIs(page, /4K4_b.*flip=1/).catch(() => addressIs(page, /4K4_b/));
});

browse("the best line is played to its end", {}, async (page, url) => {
  await openFen(page, url, LONGEST, START);
  await button(page, "Show the best line").click();
  await page.locator(".status.shown").waitFor();
  await page.keyboard.press("End");
  await settled(page);
  assert.ok((await page.locator(".ply").count()) > 10);
});

browse("a board is set up", { viewport: { width: 1280, height: 1200 } }, async (page, url) => {
  await openFen(page, url, LONGEST, START);
  await button(page, "Set up").click();
  await button(page, "Remove men").click();
  await clickSquare(page, "d7");
  await clickSquare(page, "e8");
  await clickSquare(page, "d8");
  await button(page, "red pawn").click();
  await clickSquare(page, "e6");
  await addressIs(page, /fen=4k4\/9\/9\/4P4\/9\/9\/9\/9\/9\/3K5_w/);
  await headlineIs(page, /^Red wins/);
  await button(page, "Swap colors").click();
  await addressIs(page, /fen=3k5\/9\/9\/9\/9\/9\/4p4\/9\/9\/4K4_b/);
  await headlineIs(page, /^Black wins/);
});

browse("missing tables and tables that cannot be are told", { expected: /40[04]/ }, async (page, url) => {
  await page.goto(`${url}?game=xiangqi`);
  await settled(page);
  await page.getByText("The table c-aaee is missing.").waitFor();
  await waitForText(page, ".facts", /Tables6: c-e c-ee/);
  await openFen(page, url, "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1", START);
  await page.getByText("there are tables only where one side has nothing but advisors and elephants").waitFor();
  assert.equal(await page.locator(".move").count(), 44);
  assert.equal(await page.getByRole("heading", { name: "Missing table" }).isVisible(), false);
});

browse("kings that face each other are refused", { expected: /40[04]/ }, async (page, url) => {
  await page.goto(`${url}?game=xiangqi&fen=4k4/9/9/9/9/9/9/9/4K4/9_w`);
  await headlineIs(page, "Illegal position");
  assert.match(await page.textContent("#fen-fault"), /kings on e1 and e9 face each other/);
});

browse("the page of a material counts as Wu and Beal do", {}, async (page, url) => {
  await page.goto(`${url}?tables`);
  await page.getByLabel("Names with").fill("p-a");
  await page.getByRole("link", { name: "p-a" }).click();
  await page.getByText("Red to move wins in 6 moves (11 plies)").waitFor();
  await page.getByText("Counts as in Wu and Beal").click();
  await page.getByRole("row", { name: /db size 10,395/ }).waitFor();
  await button(page, "Show all longest wins").click();
  await page.getByText("15 positions won in 6 moves (11 plies) by DTC.").waitFor();
  await page.locator(".paged .card a").first().click();
  await headlineIs(page, /^Red wins/);
});
