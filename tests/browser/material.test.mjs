// The list of tables, and the page of one material: counts, histogram, lists of positions that open on the board.

import assert from "node:assert/strict";
import { addressIs, browsing, button, headlineIs, settled, waitForText } from "./support.mjs";

const browse = browsing();

async function openMaterial(page, url, name) {
  await page.goto(`${url}?material=${name}`);
  await page.locator(".counts").waitFor();
}

const section = (page, heading) => page.locator("section", { has: page.getByRole("heading", { name: heading, exact: true }) });
const row = async (page, name) =>
  (await page.locator(".counts tr", { has: page.getByRole("rowheader", { name }) }).locator("td").allInnerTexts()).map((text) => text.trim());

browse("counts and the longest wins are the known ones", {}, async (page, url) => {
  for (const [name, win] of [
    ["KQvK", "White to move wins in 10 moves (19 plies)"],
    ["KRvK", "White to move wins in 16 moves (31 plies)"],
    ["KQvKR", "White to move wins in 35 moves (69 plies)"],
  ]) {
    await openMaterial(page, url, name);
    await section(page, "Longest").getByText(win).waitFor();
  }
  assert.deepEqual(await row(page, "Won"), ["1,108,111 99.01 %", "386,313 28.66 %"]);
  assert.equal(await page.locator(".lead").textContent(), "King and queen against king and rook");
});

browse("the histogram is read by pointer and keys, and as a table", {}, async (page, url) => {
  await openMaterial(page, url, "KRvK");
  const slider = page.getByRole("slider", { name: "Histogram of White to move, won" });
  await waitForText(page, ".readout", /^16 moves \(31 plies\): \d/);
  await slider.focus();
  await page.keyboard.press("Home");
  await waitForText(page, ".readout", /^1 move \(1 ply\): /);
  await page.keyboard.press("ArrowRight");
  await waitForText(page, ".readout", /^2 moves \(3 plies\): /);
  assert.equal(await slider.getAttribute("aria-valuenow"), "3");
  await page.locator(".histogram .bar").last().hover();
  await waitForText(page, ".readout", /^16 moves/);
  await page.getByText("Histogram as a table").click();
  // The table is filled when the browser has opened it.
  await page.locator(".lengths tbody tr").first().waitFor();
  assert.equal(await page.locator(".lengths tbody tr").count(), 16);
  await page.getByLabel("Positions").selectOption("Black to move, lost");
  await waitForText(page, ".readout", /^16 moves \(32 plies\): /);
});

browse("the wins of a length that the histogram shows are listed", {}, async (page, url) => {
  await openMaterial(page, url, "KQvK");
  await page.getByRole("slider").focus();
  await page.keyboard.press("ArrowLeft");
  await waitForText(page, ".readout", "9 moves (17 plies): 335 positions");
  await button(page, "Show the positions").first().click();
  await page.getByText("335 positions won in 9 moves (17 plies) by DTM.").waitFor();
  await page.locator(".paged .card a").first().click();
  await headlineIs(page, "White wins: mate in 9 moves (17 plies)");
  // The way back leads to the list.
  await page.goBack();
  await page.getByText("335 positions won in 9 moves (17 plies) by DTM.").waitFor();
  assert.equal(await button(page, "Show all longest wins").count(), 0);
});

browse("of the wins of one side to move only its own are listed", {}, async (page, url) => {
  await openMaterial(page, url, "KQvKR");
  await page.getByLabel("Positions").selectOption("Black to move, won");
  const [, plies, number] = (await page.textContent(".readout")).match(/^(.*): ([\d,]+) position/);
  await button(page, "Show the positions").first().click();
  await page.getByText(new RegExp(`^${number} positions? won in ${plies.replace(/[()]/g, "\\$&")} by DTM`)).waitFor();
  assert.deepEqual([...new Set(await page.locator(".paged .card p").allTextContents())], ["Black to move"]);
});

browse("all longest wins are listed and open on the board", {}, async (page, url) => {
  await openMaterial(page, url, "KQvKR");
  await button(page, "Show all longest wins").click();
  await page.getByText("10 positions won in 35 moves (69 plies) by DTM.").waitFor();
  assert.equal(await page.locator(".paged .card").count(), 10);
  await page.locator(".paged .card a").nth(7).click();
  await headlineIs(page, "White wins: mate in 35 moves (69 plies)");
});

browse("all mutual zugzwangs are listed, page by page and by kind", {}, async (page, url) => {
  await openMaterial(page, url, "KPvK");
  const zugzwangs = section(page, "Mutual zugzwangs");
  assert.match(await zugzwangs.textContent(), /80 in all\. 80: White to move draws, Black to move loses/);
  await button(zugzwangs, "Show the positions").click();
  await page.getByText("80 mutual zugzwangs. Shown: 1 to 24.").waitFor();
  assert.equal(await button(zugzwangs, "Previous").isDisabled(), true);
  for (const shown of ["25 to 48", "49 to 72", "73 to 80"]) {
    await button(zugzwangs, "Next").click();
    await page.getByText(`Shown: ${shown}.`).waitFor();
  }
  assert.equal(await button(zugzwangs, "Next").isDisabled(), true);
  assert.equal(await zugzwangs.locator(".card").count(), 8);
  await zugzwangs.getByLabel("Kind").selectOption("full-point");
  await page.getByText("0 mutual zugzwangs.").waitFor();
  await zugzwangs.getByLabel("Kind").selectOption("win-draw");
  await page.getByText("80 mutual zugzwangs.").waitFor();
  await zugzwangs.locator(".card a").first().click();
  await headlineIs(page, "Draw");
  await button(page, "Set up").click();
  await page.getByRole("radio", { name: "Black" }).check();
  await headlineIs(page, /^White wins/);
});

/** Opens the list of the 80 mutual zugzwangs of KPvK. */
async function openZugzwangs(page, url) {
  await openMaterial(page, url, "KPvK");
  const list = section(page, "Mutual zugzwangs");
  await button(list, "Show the positions").click();
  await page.getByText("80 mutual zugzwangs. Shown: 1 to 24.").waitFor();
  return { list, next: button(list, "Next"), back: button(list, "Previous") };
}

browse("the way back from a position leads to the page of the list", {}, async (page, url) => {
  const { list, next } = await openZugzwangs(page, url);
  await list.getByLabel("Kind").selectOption("win-draw");
  await list.locator(".cards:not([aria-busy])").waitFor();
  await next.click();
  await page.getByText("80 mutual zugzwangs. Shown: 25 to 48.").waitFor();
  await list.locator(".card a").first().click();
  await headlineIs(page, "Draw");
  await page.goBack();
  await page.getByText("80 mutual zugzwangs. Shown: 25 to 48.").waitFor();
  assert.equal(await list.getByLabel("Kind").inputValue(), "win-draw");
  // Another metric is another list.
  await page.getByRole("combobox", { name: "Metric" }).selectOption("dtz");
  await page.getByText("DTZ counts plies until").first().waitFor();
  await button(list, "Show the positions").waitFor();
});

browse("a list whose first page does not come is asked for again", { expected: /ERR_FAILED/ }, async (page, url) => {
  await openMaterial(page, url, "KPvK");
  const list = section(page, "Mutual zugzwangs");
  await page.route("**/zugzwangs/**", (route) => route.abort());
  await button(list, "Show the positions").click();
  await waitForText(page, ".status.error", /The server does not answer/);
  await page.unroute("**/zugzwangs/**");
  await button(list, "Try again").click();
  await page.getByText("80 mutual zugzwangs. Shown: 1 to 24.").waitFor();
  assert.equal(await button(list, "Try again").count(), 0);
  assert.equal(await page.locator(".status.shown").count(), 0, "the error is taken back");
});

browse("a page that is awaited is not turned, and the last one ends the list", {}, async (page, url) => {
  const { list, next, back } = await openZugzwangs(page, url);
  const offsets = [];
  page.on("request", (request) => offsets.push(new URL(request.url()).searchParams.get("offset")));
  const thrice = (made) => made.evaluate((node) => [1, 2, 3].forEach(() => node.click()));
  for (const shown of ["25 to 48", "49 to 72", "73 to 80", "73 to 80"]) {
    await thrice(next);
    await page.getByText(`Shown: ${shown}.`).waitFor();
  }
  assert.equal(await list.locator(".card").count(), 8);
  for (const shown of ["49 to 72", "25 to 48", "1 to 24", "1 to 24"]) {
    await thrice(back);
    await page.getByText(`Shown: ${shown}.`).waitFor();
  }
  assert.deepEqual(offsets, ["24", "48", "72", "48", "24", "0"]);
});

browse("a page that does not come leaves the one before in place", { expected: /ERR_FAILED/ }, async (page, url) => {
  const { list, next } = await openZugzwangs(page, url);
  const first = await list.locator(".card-fen").first().textContent();
  await page.route("**/zugzwangs/**", (route) => route.abort());
  await next.click();
  await waitForText(page, ".status.error", /The server does not answer/);
  await page.getByText("80 mutual zugzwangs. Shown: 1 to 24.").waitFor();
  assert.equal(await list.locator(".card-fen").first().textContent(), first);
  await page.unroute("**/zugzwangs/**");
  await next.click();
  await page.getByText("Shown: 25 to 48.").waitFor();
  assert.equal(await page.locator(".status.shown").count(), 0, "the error is taken back");
});

browse("a list of which the server keeps a part ends with what is kept", {}, async (page, url) => {
  await page.route("**/zugzwangs/**", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const offset = Number(new URL(route.request().url()).searchParams.get("offset"));
    await route.fulfill({ response, json: { ...answer, count: 200, positions: offset < 72 ? answer.positions : [] } });
  });
  await openMaterial(page, url, "KPvK");
  const list = section(page, "Mutual zugzwangs");
  await button(list, "Show the positions").click();
  for (const shown of ["1 to 24.", "25 to 48.", "49 to 72."]) {
    await page.getByText(`200 mutual zugzwangs. Shown: ${shown}`).waitFor();
    await button(list, "Next").click();
  }
  await page.getByText("200 mutual zugzwangs. Shown: 49 to 72, the last that the server keeps.").waitFor();
  assert.equal(await list.locator(".card").count(), 24);
  assert.equal(await button(list, "Next").getAttribute("aria-disabled"), "true");
  await button(list, "Previous").click();
  await page.getByText("Shown: 25 to 48.").waitFor();
});

browse("pages are turned by keys to the end and back, and the focus stays", {}, async (page, url) => {
  const { list, next, back } = await openZugzwangs(page, url);
  const press = async (made, shown) => {
    await page.keyboard.press("Enter");
    await page.getByText(`Shown: ${shown}.`).waitFor();
    await list.locator(".cards:not([aria-busy])").waitFor();
    assert.equal(await made.evaluate((node) => node === document.activeElement), true, shown);
  };
  await next.focus();
  for (const shown of ["25 to 48", "49 to 72", "73 to 80", "73 to 80"]) {
    await press(next, shown);
  }
  assert.equal(await next.getAttribute("aria-disabled"), "true");
  await back.focus();
  for (const shown of ["49 to 72", "25 to 48", "1 to 24", "1 to 24"]) {
    await press(back, shown);
  }
  assert.deepEqual([await back.getAttribute("aria-disabled"), await next.getAttribute("aria-disabled")], ["true", "false"]);
});

browse("the metric is chosen, and the address carries it", {}, async (page, url) => {
  await openMaterial(page, url, "KPvK");
  await page.getByRole("combobox", { name: "Metric" }).selectOption("dtz");
  await addressIs(page, /metric=dtz/);
  await section(page, "Longest").getByText("White to move wins in").first().waitFor();
  await page.getByText("DTZ counts plies until").first().waitFor();
  await page.reload();
  await page.locator(".counts").waitFor();
  assert.equal(await page.getByRole("combobox", { name: "Metric" }).inputValue(), "dtz");
});

browse("tables are listed, filtered, and named in any way", {}, async (page, url) => {
  await page.goto(`${url}?tables`);
  await page.getByText("Chess, 4 men: 15 tables").waitFor();
  assert.match(await page.locator(".lead").textContent(), /^25 tables, 18\.\d MB, in /);
  const krk = page.getByRole("row", { name: /^KRvK / });
  assert.match((await krk.innerText()).replaceAll(/\s+/g, " "), /16 moves \(31 plies\)/);
  await page.getByLabel("Names with").fill("qvkr");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  await page.getByLabel("Names with").fill("KRPvKR");
  await page.getByText("No table here has such a name.").waitFor();
  await page.goto(`${url}?material=krvk`);
  await page.getByRole("heading", { name: "KRvK", exact: true }).waitFor();
  await page.locator(".counts").waitFor();
});

browse("a material that is missing shows what it costs", { expected: /404/ }, async (page, url) => {
  await page.goto(`${url}?tables`);
  await page.getByLabel("Names with").fill("KRPvKR");
  await page.getByRole("link", { name: "See what KRPvKR costs" }).click();
  await page.getByText("The table KRPvKR is missing.").waitFor();
  await waitForText(page, ".facts", /Tables10: .*and 2 more.*Memory/);
  assert.match(await page.locator(".command code").textContent(), /tb generate KRPvKR --dir/);
  await page.goBack();
  await page.getByRole("link", { name: "See what KRPvKR costs" }).waitFor();
  assert.equal(await page.getByLabel("Names with").inputValue(), "KRPvKR");
});

browse("a position leads to its material and back", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await page.getByRole("link", { name: "King and queen against king and rook" }).click();
  await page.getByRole("heading", { name: "KQvKR", exact: true }).waitFor();
  await page.goBack();
  await headlineIs(page, /19 plies/);
});
