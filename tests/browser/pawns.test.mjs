// Pawn endings: what is proved, and corresponding, key and critical squares drawn on the board.

import assert from "node:assert/strict";
import { PHONE, browsing, button, drag, headline, headlineIs, openFen, scrollsSideways, waitForText } from "./support.mjs";

const browse = browsing();
// Lasker and Reichhelm 1901: only Kb1 wins.
const LASKER = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1";

async function prove(page) {
  await button(page, "What can be proved").click();
  await page.locator(".legend").waitFor();
}

/** The marks on the board by kind and square: `{first: {b1: "1", ...}, dot: {c5: ""}, ...}`. */
const marks = (page) =>
  page.evaluate(() => {
    const found = {};
    for (const mark of document.querySelectorAll(".layer-marks > *")) {
      const { x, y, width, height } = mark.getBBox();
      const square = "abcdefgh"[Math.floor((x + width / 2) / 100)] + (8 - Math.floor((y + height / 2) / 100));
      const kind = mark.getAttribute("class").replace("mark-", "");
      found[kind] = { ...found[kind], [square]: mark.textContent };
    }
    return found;
  });

browse("Lasker and Reichhelm's ending is proved, with its corresponding squares", {}, async (page, url) => {
  await openFen(page, url, LASKER);
  assert.equal(await headline(page), "Not known: the value is in no table");
  await prove(page);
  await headlineIs(page, "White wins, proved without tables");
  await page.getByText("Only move that keeps it: Kb1").waitFor();
  const found = await marks(page);
  // Kings on b1 and a7, on c1 and b7, on b2 and c8: whoever is to move fails.
  const shared = (king, other) => found.first[king].split(" ").some((number) => found.second[other].split(" ").includes(number));
  for (const [king, other] of [["b1", "a7"], ["b1", "c7"], ["c1", "b7"], ["b2", "c8"], ["c2", "b8"], ["c4", "b6"]]) {
    assert.ok(shared(king, other), `${king} and ${other}`);
  }
  assert.ok(!shared("c1", "a7"));
  // How many of the key squares are proved in time is up to the machine.
  const key = Object.keys(found.dot ?? {});
  assert.deepEqual(key.filter((square) => !["c5", "e5", "c6", "e6", "c7", "d7", "e7"].includes(square)), []);
  assert.deepEqual(Object.keys(found.ring).sort(), ["a5", "d6", "f5"]);
  const legend = await page.locator(".legend").innerText();
  assert.match(legend, /White's king/);
  assert.match(legend, /Critical pawns a5 f5 d6/);
  await page.getByText("What is proved of each move").click();
  await page.getByRole("row", { name: "Ka2 Draw" }).waitFor();
  await page.getByText("Corresponding squares as a table").click();
  await page.getByRole("row", { name: /^1 b1 b3 a7 c7$/ }).waitFor();
});

browse("the key squares of a lone pawn are those of the books", {}, async (page, url) => {
  await openFen(page, url, "8/3k4/8/8/4P3/8/8/4K3 w - - 0 1");
  await prove(page);
  assert.deepEqual(Object.keys((await marks(page)).dot).sort(), ["d6", "e6", "f6"]);
  assert.match(await page.locator(".legend").innerText(), /Key squares d6 e6 f6/);
});

browse("the plan of a win is a tree whose moves are clicked", {}, async (page, url) => {
  await openFen(page, url, LASKER);
  await prove(page);
  const plan = page.locator(".plan");
  await plan.getByRole("button", { name: /^Kb1! only move$/ }).waitFor();
  assert.match(await plan.innerText(), /Kb1!.*\[a7 c7\]/s);
  assert.match(await plan.innerText(), /White promotes and wins, mates, or reaches a won table within \d+ plies/);
  // A choice is closed and opened.
  const choice = plan.locator("details").first();
  const inside = choice.locator(".ply").first();
  assert.equal(await inside.isVisible(), true);
  await choice.locator("summary").first().click();
  assert.equal(await inside.isVisible(), false);
  await choice.locator("summary").first().click();
  // A click puts the position on the board and its moves into the line; the plan stays, also when pawns have been taken.
  const taken = plan.locator(".ply", { hasText: /^Kxf5/ }).first();
  await taken.click();
  await page.waitForFunction(() => /^[^ ]*\/.* b /.test(document.querySelector("#fen").value));
  assert.equal(await taken.getAttribute("aria-current"), "step");
  const fen = await page.inputValue("#fen");
  assert.ok(!fen.split(" ")[0].split("/")[3].includes("p2P1p"), fen);
  await headlineIs(page, "White wins, proved without tables");
  await page.getByText("A position of the plan.").waitFor();
  assert.match(await page.locator(".line").innerText(), /Kb1/);
  assert.deepEqual(Object.keys(await marks(page)), [], "the squares were of other pawns");
  // The arrow keys go on along the plan, and back to where its squares hold.
  await page.locator("h1, .headline").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((old) => document.querySelector("#fen").value !== old, fen);
  assert.equal(await plan.locator('[aria-current="step"]').count(), 1);
  await page.keyboard.press("Home");
  await page.getByText("Only move that keeps it: Kb1").waitFor();
  assert.equal((await marks(page)).second.b6 !== undefined, true);
  assert.equal(await plan.locator('[aria-current="step"]').count(), 0);
  // The last move of a line says how the game is decided; it is shown although it is no pawn ending.
  const last = plan.locator(".plan-move", { hasText: "White queens and wins" }).first();
  await last.getByRole("button").click();
  await page.waitForFunction(() => document.querySelector("#fen").value.includes("Q"));
  assert.equal(await plan.isVisible(), true);
});

browse("a draw by corresponding squares is held by answers", {}, async (page, url) => {
  await openFen(page, url, LASKER.replace("8/k7/", "8/1k6/"));
  await prove(page);
  await page.getByText("It holds by the answers Kb1 Ka7/Kc7, Ka2 Kb8, Kb2 Ka8/Kc8.").waitFor();
  assert.equal(await page.locator(".plan").count(), 0);
});

browse("a plan fits on a phone", PHONE, async (page, url) => {
  await openFen(page, url, LASKER);
  await prove(page);
  await page.locator(".plan").waitFor();
  assert.equal(await scrollsSideways(page), false);
});

browse("a plan goes when the position leaves it for other pawns", {}, async (page, url) => {
  await openFen(page, url, "8/8/8/2k5/8/2K5/2P5/8 b - - 0 1");
  await prove(page);
  await page.locator(".plan").waitFor();
  await openFen(page, url, "8/8/8/2k5/8/2K5/3P4/8 b - - 0 1");
  assert.equal(await page.locator(".plan").count(), 0);
});

browse("the squares stay while kings move, and go with a pawn", {}, async (page, url) => {
  await openFen(page, url, "8/8/8/2k5/8/2K5/2P5/8 w - - 0 1");
  await prove(page);
  assert.equal((await marks(page)).first.c3, "3");
  assert.equal((await marks(page)).second.c5, "3");
  await drag(page, "c3", "d3");
  await page.getByText("The squares hold for these pawns, wherever the kings stand.").waitFor();
  assert.equal((await marks(page)).first.c3, "3");
  await page.keyboard.press("f");
  assert.equal(Object.keys((await marks(page)).first).length, 8, "flipped with the board");
  await page.keyboard.press("f");
  await drag(page, "c5", "d5");
  await headlineIs(page, /./);
  await drag(page, "c2", "c4");
  await page.waitForFunction(() => document.querySelectorAll(".layer-marks > *").length === 0);
});

browse("Black attacks as White does", {}, async (page, url) => {
  await openFen(page, url, "k7/8/8/p2p1p2/p2p1P2/3P4/K7/8 b - - 0 1");
  await prove(page).catch(() => {});
  await waitForText(page, ".legend", /king/);
});

browse("other endings have no such panel", {}, async (page, url) => {
  await page.goto(url);
  await headlineIs(page, /19 plies/);
  assert.equal(await button(page, "What can be proved").isVisible(), false);
});

browse("a proof is dropped when the position changes before it comes", {}, async (page, url) => {
  await openFen(page, url, LASKER);
  await button(page, "What can be proved").click();
  await button(page, "Proving ...").waitFor();
  await page.locator(".move", { hasText: "Ka2" }).click();
  await button(page, "What can be proved").waitFor();
  assert.equal(await page.locator(".legend").count(), 0);
});
