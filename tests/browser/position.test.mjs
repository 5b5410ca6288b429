// One position: its value, its moves, and playing them by click, drag and key.

import assert from "node:assert/strict";
import { addressIs, at, browsing, button, clickSquare, drag, headline, headlineIs, openFen, setFen, settled } from "./support.mjs";

const browse = browsing();
// Only Kb3 wins.
const PAWN = "8/8/8/1k6/8/8/1KP5/8 w - - 0 1";

/** The rows of the moves of a group: `[["Kb3", "only move", "22 / 43", ...], ...]`. */
const rows = (page, group) =>
  page.locator(".move-group", { has: page.locator("h3", { hasText: group }) }).locator(".move").evaluateAll((moves) =>
    moves.map((move) => [...move.querySelectorAll("b, .badge, .distance > [aria-hidden]")].map((node) => node.textContent.trim())),
  );

browse("a position has a headline and three distances, in moves and in plies", {}, async (page, url) => {
  await page.goto(url);
  assert.equal(await headline(page), "White wins: mate in 10 moves (19 plies)");
  await openFen(page, url, PAWN);
  const shown = await page.locator(".distances-box > div").allInnerTexts();
  assert.deepEqual(shown.map((text) => text.replaceAll(/\s+/g, " ")), ["DTM to mate 22 moves 43 plies", "DTC to conversion 14 moves 27 plies", "DTZ to zeroing 6 moves 11 plies"]);
  assert.match(await page.locator(".value").textContent(), /White to move\. King and pawn against king/);
  assert.equal(await page.title(), "KPvK: White wins: mate in 22 moves (43 plies) · Duchamp");
});

browse("moves are grouped by outcome, with named distances, and the only move is marked", {}, async (page, url) => {
  await openFen(page, url, PAWN);
  assert.deepEqual(await rows(page, "Winning"), [["Kb3", "only move", "22 / 43", "14 / 27", "6 / 11"]]);
  assert.equal((await rows(page, "Drawing")).length, 8);
  assert.deepEqual(await page.locator(".move-head").first().locator(".distance").allTextContents(), ["DTM", "DTC", "DTZ"]);
  await page.getByText("the move itself counted").click();
  assert.ok(await page.getByText("DTM counts plies until mate.").isVisible());
});

browse("a move of the list is played by a click, a double click plays no second one", {}, async (page, url) => {
  await openFen(page, url, PAWN);
  await page.locator(".move", { hasText: "Kb3" }).dblclick();
  await headlineIs(page, /mate in 21 moves \(42 plies\)/);
  await addressIs(page, /fen=8\/8\/8\/1k6\/8\/1K6\/2P5\/8_b/);
  assert.equal(await page.locator(".ply").count(), 2);
});

browse("the second click of a double click plays no move of the next position's list", {}, async (page, url) => {
  await openFen(page, url, PAWN);
  const { x, y } = await page.locator(".move", { hasText: "Kb3" }).boundingBox();
  await page.mouse.click(x + 9, y + 9);
  await headlineIs(page, /mate in 21 moves \(42 plies\)/);
  await page.locator(".move").first().hover();
  const under = await page.locator(".move").first().boundingBox();
  const [a, b] = [under.x + 9, under.y + 9];
  await page.mouse.move(a, b);
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await page.waitForTimeout(500);
  assert.equal(await page.locator(".ply").count(), 2);
  await page.mouse.click(a, b);
  await page.locator(".ply").nth(2).waitFor();
});

browse("hovering and focusing a move draw it on the board", {}, async (page, url) => {
  await openFen(page, url, PAWN);
  await page.locator(".move", { hasText: "Kb3" }).hover();
  const arrow = page.locator(".arrow.tone-win");
  await arrow.waitFor();
  const box = await arrow.boundingBox();
  const [from, to] = [await at(page, "b2"), await at(page, "b3")];
  assert.ok(Math.abs(box.x + box.width / 2 - from.x) < 3, "the arrow is on the b file");
  assert.ok(box.y > to.y - 10 && box.y + box.height < from.y + 10, "the arrow goes from b2 to b3");
  await page.mouse.move(5, 5);
  await arrow.waitFor({ state: "detached" });
  await page.locator(".move", { hasText: "Ka1" }).focus();
  await page.locator(".arrow.tone-draw").waitFor();
});

browse("a man is moved by dragging, or by two clicks", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await drag(page, "a5", "a1");
  await addressIs(page, /fen=1k6\/1r6\/2K5\/8\/8\/8\/8\/Q7_b/);
  await settled(page);
  await clickSquare(page, "b7");
  assert.ok((await page.locator(".target").count()) > 8, "the squares that the rook reaches are shown");
  await clickSquare(page, "a7");
  await addressIs(page, /fen=1k6\/r7\/2K5\/8\/8\/8\/8\/Q7_w/);
});

browse("an illegal drag moves nothing", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  const before = await at(page, "a5");
  await drag(page, "a5", "b7");
  await drag(page, "a5", "b3");
  await drag(page, "b8", "a8");
  assert.equal(await headline(page), "White wins: mate in 10 moves (19 plies)");
  await page.waitForFunction(({ x, y }) => document.elementFromPoint(x, y)?.closest(".man-w"), before);
});

browse("space and the button play the best move; keys and buttons go back and forward", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await page.keyboard.press(" ");
  await headlineIs(page, /9 moves \(18 plies\)/);
  await button(page, "Best move").click();
  await headlineIs(page, /9 moves \(17 plies\)/);
  await page.keyboard.press("ArrowLeft");
  await headlineIs(page, /18 plies/);
  await page.keyboard.press("Home");
  await headlineIs(page, /19 plies/);
  await page.keyboard.press("End");
  await headlineIs(page, /17 plies/);
  await page.getByRole("button", { name: "Back" }).click();
  await headlineIs(page, /18 plies/);
  await page.getByRole("button", { name: "To the start" }).click();
  await headlineIs(page, /19 plies/);
  assert.equal(await page.getByRole("button", { name: "Back" }).getAttribute("aria-disabled"), "true");
  await page.getByRole("button", { name: "Forward" }).click();
  await headlineIs(page, /18 plies/);
  await page.getByRole("button", { name: "To the end" }).click();
  await headlineIs(page, /17 plies/);
});

browse("with Shift the keys are the browser's, but for letters", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await page.keyboard.press(" ");
  await headlineIs(page, /18 plies/);
  const address = page.url();
  const plies = () => page.locator(".ply").count();
  const place = () => page.locator(".ply[aria-current]").getAttribute("data-index");
  // Keys are answered at once: whatever one does is seen when the next has been pressed.
  for (const key of ["Shift+ ", "Shift+ArrowLeft", "Shift+Home", "Shift+ArrowRight", "Shift+End"]) {
    await page.keyboard.press(key);
    assert.deepEqual([await plies(), await place(), page.url()], [2, "1", address], key);
  }
  await page.keyboard.press("Shift+F");
  await addressIs(page, /flip=1/);
  assert.deepEqual([await plies(), await place()], [2, "1"]);
  await page.keyboard.press("ArrowLeft");
  await headlineIs(page, /19 plies/);
});

browse("the address carries the position, and the browser's history works", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await page.keyboard.press(" ");
  await headlineIs(page, /18 plies/);
  await page.goBack();
  await headlineIs(page, /19 plies/);
  await page.goForward();
  await headlineIs(page, /18 plies/);
  await page.reload();
  await headlineIs(page, /18 plies/);
  assert.equal(await page.locator(".ply").count(), 2, "the line outlives a reload");
  const other = await page.context().newPage();
  await other.goto(page.url());
  await headlineIs(other, /18 plies/);
});

browse("the board is flipped by button and key, and the address says so", {}, async (page, url) => {
  await openFen(page, url, PAWN);
  const place = () => page.locator(".layer-men .man-b").boundingBox();
  const before = await place();
  await button(page, "Flip").click();
  await addressIs(page, /flip=1/);
  await page.waitForFunction((y) => document.querySelector(".layer-men .man-b").getBoundingClientRect().y > y + 20, before.y);
  assert.deepEqual(await page.locator(".coordinate").first().textContent(), "h");
  await drag(page, "b2", "b3");
  await headlineIs(page, /21 moves \(42 plies\)/);
  await page.keyboard.press("f");
  await page.waitForFunction(() => !location.search.includes("flip"));
});

browse("a promotion asks for the piece", {}, async (page, url) => {
  await openFen(page, url, "8/P6k/8/8/8/8/8/K7 w - - 0 1");
  await drag(page, "a7", "a8");
  await page.locator("dialog[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.match(page.url(), /P6k/);
  await drag(page, "a7", "a8");
  await page.getByRole("dialog", { name: "Promote to" }).getByRole("button", { name: "rook" }).click();
  await addressIs(page, /fen=R7\/7k/);
  await headlineIs(page, /^White wins/);
});

browse("the question what a pawn becomes does not outlive its position or its view", {}, async (page, url) => {
  await page.goto(`${url}?tables`);
  await page.getByRole("link", { name: "Chess", exact: true }).click();
  await settled(page);
  const ask = async () => {
    await drag(page, "a7", "a8");
    await page.locator("dialog[open]").waitFor();
  };
  await setFen(page, "8/P6k/8/8/8/8/8/K7 w - - 0 1");
  await headlineIs(page, /^White wins/);
  await ask();
  await page.goBack();
  await headlineIs(page, /19 plies/);
  assert.equal(await page.locator("dialog").count(), 0);
  await page.goForward();
  await headlineIs(page, /^White wins/);
  await ask();
  await page.evaluate(() => history.go(-2));
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  assert.equal(await page.locator("dialog").count(), 0);
  await addressIs(page, /\?tables$/);
  await page.goForward();
  await headlineIs(page, /19 plies/);
});

browse("a piece that is chosen while the view is left is not played", {}, async (page, url) => {
  await page.goto(`${url}?tables`);
  await page.getByRole("link", { name: "Chess", exact: true }).click();
  await settled(page);
  await setFen(page, "8/P6k/8/8/8/8/8/K7 w - - 0 1");
  await headlineIs(page, /^White wins/);
  await drag(page, "a7", "a8");
  await page.locator("dialog[open]").waitFor();
  // The address of the tables comes before the dialog tells what was chosen.
  await page.evaluate(() => {
    document.querySelector("dialog button[value=q]").click();
    document.querySelector("nav [data-view=tables]").click();
  });
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  await page.locator("dialog").waitFor({ state: "detached" });
  await addressIs(page, /\?tables$/);
});

browse("castling and en passant are played", { expected: /404/ }, async (page, url) => {
  await openFen(page, url, "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
  assert.equal(await headline(page), "White wins: mate in 11 moves (21 plies)", "all moves lead into tables");
  await drag(page, "e1", "g1");
  await addressIs(page, /4k3\/8\/8\/8\/8\/8\/8\/5RK1_b/);
  await openFen(page, url, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
  await clickSquare(page, "e5");
  await clickSquare(page, "d6");
  await addressIs(page, /4k3\/8\/3P4\/8\/8\/8\/8\/4K3_b/);
});

browse("ends of a game and the 50-move rule are told", {}, async (page, url) => {
  for (const [fen, text] of [
    ["k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", "Checkmate: White has won"],
    ["k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", "Draw: stalemate"],
    ["k7/8/1K6/8/8/8/8/8 b - - 0 1", "Draw: neither side can mate"],
    ["8/8/8/8/2r5/8/2k5/K6Q w - - 0 1", "White wins: mate in 35 moves (69 plies)"],
    ["8/8/8/8/2r5/8/2k5/K6Q w - - 60 60", "White wins, but the 50-move rule makes it a draw"],
    ["8/8/8/2k5/8/2K5/2P5/8 w - - 0 1", "Draw"],
  ]) {
    await openFen(page, url, fen);
    assert.equal(await headline(page), text, fen);
  }
  await openFen(page, url, "k7/8/1K6/8/8/8/7Q/8 w - - 0 1");
  assert.ok((await rows(page, "Winning")).some(([name, badge]) => name === "Qh8#" && badge === "mate"));
  assert.ok((await rows(page, "Drawing")).some(([name, badge]) => name === "Qc7" && badge === "stalemate"));
});

browse("values that come late do not overwrite newer ones", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  let late;
  const held = new Promise((resolve) => {
    late = resolve;
  });
  await page.route("**/standard*", async (route) => {
    if (/_b_|%20b%20/.test(route.request().url())) {
      await held;
    }
    await route.continue().catch(() => {});
  });
  await page.keyboard.press(" ");
  await page.waitForFunction(() => document.querySelectorAll(".ply").length === 2);
  await page.keyboard.press("ArrowLeft");
  await headlineIs(page, /19 plies/);
  late();
  await page.waitForTimeout(500);
  assert.match(await headline(page), /19 plies/);
});
