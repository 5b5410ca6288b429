// Setting a position up: dragging, tools, the FEN field, the side to move, and changes of the whole board.

import assert from "node:assert/strict";
import { addressIs, at, browsing, button, clickSquare, drag, headlineIs, openFen, setFen, settled, waitForText } from "./support.mjs";

const browse = browsing();
const FEN = "8/8/8/4k3/8/8/3QK3/7r w - - 0 1";

async function openEditor(page, url, fen = FEN) {
  await openFen(page, url, fen);
  await button(page, "Set up").click();
  await page.getByRole("heading", { name: "Set up" }).waitFor();
}

const middle = async (locator) => {
  await locator.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await locator.boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
};

browse("a man is dragged from the palette onto the board", { viewport: { width: 1280, height: 1100 } }, async (page, url) => {
  await openEditor(page, url, "8/8/8/4k3/8/8/4K3/8 w - - 0 1");
  await drag(page, await middle(button(page, "white queen")), await at(page, "d2"));
  await addressIs(page, /fen=8\/8\/8\/4k3\/8\/8\/3QK3\/8_w/);
  await headlineIs(page, /^White wins/);
});

browse("a man is dragged to any square, and off the board", {}, async (page, url) => {
  await openEditor(page, url);
  await drag(page, "h1", "a8");
  await addressIs(page, /fen=r7\/8\/8\/4k3\/8\/8\/3QK3\/8_w/);
  await drag(page, "a8", { x: 1200, y: 300 });
  await addressIs(page, /fen=8\/8\/8\/4k3\/8\/8\/3QK3\/8_w/);
  await headlineIs(page, /^White wins/);
});

browse("a chosen man is placed by clicks, and men are erased by clicks", {}, async (page, url) => {
  await openEditor(page, url);
  await button(page, "black knight").click();
  await clickSquare(page, "a1");
  await addressIs(page, /3QK3\/n6r_w/);
  await button(page, "Remove men").click();
  await clickSquare(page, "a1");
  await clickSquare(page, "h1");
  await addressIs(page, /3QK3\/8_w/);
  await button(page, "white king").click();
  await clickSquare(page, "a1");
  await addressIs(page, /3Q4\/K7_w/);
  await button(page, "Move men").click();
  await clickSquare(page, "d2");
  await clickSquare(page, "d1");
  await addressIs(page, /8\/K2Q4_w/);
  await headlineIs(page, /^White wins/);
});

browse("side to move, clock, clear, swap and mirrors", { expected: /400/ }, async (page, url) => {
  await openEditor(page, url);
  await page.getByRole("radio", { name: "Black" }).check();
  await addressIs(page, /7r_b_/);
  await page.getByLabel("Halfmove clock").fill("98");
  await page.keyboard.press("Enter");
  await addressIs(page, /7r_b_-_-_98_/);
  await button(page, "Swap colors").click();
  await addressIs(page, /fen=7R\/3qk3\/8\/8\/4K3\/8\/8\/8_w/);
  await button(page, "Mirror left–right").click();
  await addressIs(page, /fen=R7\/3kq3\/8\/8\/3K4\/8\/8\/8_w/);
  await button(page, "Mirror top–bottom").click();
  await addressIs(page, /fen=8\/8\/8\/3K4\/8\/8\/3kq3\/R7_w/);
  await button(page, "Clear").click();
  await waitForText(page, "#fen-fault", /king/);
  await headlineIs(page, "Illegal position");
});

browse("all editing is one step of the history", {}, async (page, url) => {
  await openEditor(page, url);
  await drag(page, "h1", "h8");
  await addressIs(page, /fen=7r/);
  await drag(page, "h8", "g8");
  await addressIs(page, /fen=6r1/);
  await page.goBack();
  await addressIs(page, /3QK3\/7r_w/);
  await settled(page);
  await button(page, "Done").click();
  await drag(page, "d2", "d3");
  await addressIs(page, /3Q4\/4K3\/7r_b/);
});

browse("editing while values load ends with the values of the last position", { expected: /400/ }, async (page, url) => {
  await openEditor(page, url, "8/8/8/4k3/8/8/3QK3/8 w - - 0 1");
  for (const [from, to] of [["d2", "d7"], ["d7", "a1"], ["a1", "b5"], ["e5", "a7"], ["e2", "c6"]]) {
    await drag(page, from, to);
  }
  await addressIs(page, /fen=8\/k7\/2K5\/1Q6\/8\/8\/8\/8_w/);
  await headlineIs(page, "White wins: mate in 1 move (1 ply)");
});

browse("a FEN is set, written by the server, and may have underscores or four fields", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await setFen(page, "8/8/8/8/2r5/8/2k5/K6Q w - -");
  await headlineIs(page, "White wins: mate in 35 moves (69 plies)");
  await page.fill("#fen", "8/8/8/8/8/2k5/8/K6R_w_-_-_0_1");
  await button(page, "Set FEN").click();
  await headlineIs(page, /^White wins/);
  assert.equal(await page.inputValue("#fen"), "8/8/8/8/8/2k5/8/K6R w - - 0 1");
});

browse("a FEN of xiangqi in the field opens xiangqi", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await setFen(page, "3k5/4a4/3a5/9/9/9/9/4R4/9/4K4 w");
  await addressIs(page, /game=xiangqi/);
  await headlineIs(page, /^Red wins/);
});

browse("a board is set up by keys alone", {}, async (page, url) => {
  await openEditor(page, url);
  await page.locator(".board").focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("R");
  await addressIs(page, /fen=8\/8\/8\/4k3\/8\/4R3|fen=8\/8\/8\/4k3\/8\/8\/3QR3/);
  await page.keyboard.press("Delete");
  await addressIs(page, /fen=8\/8\/8\/4k3\/8\/8\//);
});
