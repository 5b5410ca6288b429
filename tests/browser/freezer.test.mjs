// The freezer's examples: a list, and walking through the line of a proof.

import assert from "node:assert/strict";
import { addressIs, browsing, headlineIs, waitForText } from "./support.mjs";

const browse = browsing();
const WALLED = "A queen holds against rook, bishop and three pawns that wall its king in";

browse("all examples are listed with their positions", {}, async (page, url) => {
  await page.goto(url);
  await page.getByRole("link", { name: "Freezer" }).click();
  await page.locator(".card").first().waitFor();
  assert.equal(await page.locator(".card").count(), 15);
  assert.equal(await page.getByRole("img", { name: /White: king/ }).count(), 15);
});

browse("an example is walked through", {}, async (page, url) => {
  await page.goto(`${url}?freezer`);
  await page.getByRole("link", { name: WALLED }).click();
  await page.getByRole("heading", { name: WALLED }).waitFor();
  await headlineIs(page, "Proved: White does not lose");
  await page.locator(".freezer p", { hasText: "White's king cannot move, and neither can rook and bishop" }).waitFor();
  await page.getByText("The proof needs no assumptions.").waitFor();
  await waitForText(page, ".step-text", /^A line of \d+ plies/);
  await page.keyboard.press("ArrowRight");
  await waitForText(page, ".step-text", /^Ply 1 of \d+: Qe1\.$/);
  await headlineIs(page, "White holds");
  await addressIs(page, /freezer=walled_in_king&fen=8\/1k6\/8\/8\/7p\/6p1\/6pr\/4Q1Kb_b/);
  await page.locator(".ply").nth(4).click();
  await waitForText(page, ".step-text", /^Ply 4 of/);
  await page.reload();
  await waitForText(page, ".step-text", /^Ply 4 of/);
  await page.getByText("Rules", { exact: true }).click();
  assert.match(await page.getByLabel("Rules").textContent(), /\[\[man\]\]\nat = "g1"/);
  await page.getByRole("link", { name: "All examples" }).click();
  await page.locator(".card").first().waitFor();
});

browse("a won example counts down to its end", {}, async (page, url) => {
  await page.goto(`${url}?freezer`);
  await page.getByRole("link", { name: "Bishop and knight, the knight never on d4, e4, d5, e5" }).click();
  await page.getByRole("heading", { name: "Solving the example" }).waitFor();
  await headlineIs(page, "Proved: White wins in 22 moves (43 plies) at most");
  await page.keyboard.press("ArrowRight");
  await headlineIs(page, "White wins in 21 moves (42 plies)");
  await page.keyboard.press("End");
  await headlineIs(page, "Checkmate: White has won");
  await page.keyboard.press("Home");
  await waitForText(page, ".step-text", /^A line of 43 plies/);
});

browse("while an example is solved the board is turned, and nothing of it is recorded", {}, async (page, url) => {
  let answer;
  const held = new Promise((resolve) => {
    answer = resolve;
  });
  await page.route("**/freezer/walled_in_king.json", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${url}?freezer=walled_in_king`);
  await page.getByRole("heading", { name: "Solving the example" }).waitFor();
  await page.keyboard.press("f");
  assert.equal(new URL(page.url()).search, "?freezer=walled_in_king");
  answer();
  await headlineIs(page, "Proved: White does not lose");
  await page.keyboard.press("f");
  await addressIs(page, /freezer=walled_in_king&fen=/);
});

browse("another move leaves the line of the example, back returns to it", {}, async (page, url) => {
  await page.goto(`${url}?freezer=lasker_reichhelm`);
  await headlineIs(page, "Proved: Black does not lose");
  const line = await page.locator(".ply").count();
  assert.ok(line > 3);
  await page.locator(".move").last().click();
  await headlineIs(page, /^Not known/);
  await page.goBack();
  await headlineIs(page, "Proved: Black does not lose");
  assert.equal(await page.locator(".ply").count(), line);
});

browse("another line of the same length is not the example's, and its own moves played by hand are", {}, async (page, url) => {
  await page.goto(`${url}?freezer=kbnk_no_centre`);
  await headlineIs(page, "Proved: White wins in 22 moves (43 plies) at most");
  const line = await page.locator(".ply").allTextContents();
  await page.keyboard.press("End");
  await headlineIs(page, "Checkmate: White has won");
  await page.keyboard.press("ArrowLeft");
  await headlineIs(page, "White wins");
  const own = page.locator(".move", { has: page.getByText(line.at(-1), { exact: true }) });
  await page.locator(".move", { hasNotText: "#" }).first().click();
  await headlineIs(page, /^Not known/);
  assert.equal(await page.locator(".ply").count(), line.length);
  assert.equal(await page.locator(".step-text").textContent(), "");
  await page.keyboard.press("ArrowLeft");
  await headlineIs(page, /^Not known/);
  await own.click();
  await headlineIs(page, "Checkmate: White has won");
  assert.deepEqual(await page.locator(".ply").allTextContents(), line);
  await page.keyboard.press("ArrowLeft");
  await headlineIs(page, "White wins");
});
