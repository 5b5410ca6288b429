// Errors are sentences.

import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { browsing, button, headline, headlineIs, newFolder, openFen, setFen, settled, waitForText } from "./support.mjs";

const damaged = newFolder();
cpSync(process.env.TABLES, damaged, { recursive: true });
const table = join(damaged, "KRvK.dtm");
writeFileSync(table, readFileSync(table).map((byte, at) => (at > 3000 && at < 6000 ? byte ^ 0x55 : byte)));

const browse = browsing();
const browseDamaged = browsing(damaged);
const BAD = /40[04]/;

browse("a FEN that cannot be read is refused beside its field", {}, async (page, url) => {
  await page.goto(url);
  await settled(page);
  for (const [fen, sentence] of [
    ["8/8/8/8/8/8/8 w", 'A FEN of chess has 8 ranks, separated by "/"; this one has 7.'],
    ["9/8/8/8/8/8/8/8 w", "Rank 8 of the FEN has 9 squares instead of 8."],
    ["x7/8/8/8/8/8/8/8 w", "The FEN has the sign x; pieces are K Q R B N P, small letters for Black."],
    ["k7/8/8/8/8/8/8/K7 q", "The second field of the FEN is the side to move, w or b, not q."],
    ["", 'A FEN of chess has 8 ranks, separated by "/"; this one has 1.'],
  ]) {
    await setFen(page, fen);
    await waitForText(page, "#fen-fault", sentence);
    assert.equal(await page.getAttribute("#fen", "aria-invalid"), "true");
  }
  assert.match(await headline(page), /19 plies/, "the position stays");
  await setFen(page, "8/8/8/8/2r5/8/2k5/K6Q w - - 0 1");
  await headlineIs(page, /69 plies/);
  assert.equal(await page.textContent("#fen-fault"), "");
});

browse("illegal positions say why", { expected: BAD }, async (page, url) => {
  for (const [fen, pattern] of [
    ["k7/8/8/8/8/8/8/kK6_w", /Black does not have exactly one king/],
    ["8/8/8/8/8/8/8/8_w", /White does not have exactly one king/],
    ["k7/1Q6/1K6/8/8/8/8/8_w", /not to move is in check/],
    ["P6k/8/8/8/8/8/8/K7_w", /pawn/i],
  ]) {
    await page.goto(`${url}?fen=${fen}`);
    await headlineIs(page, "Illegal position");
    assert.match(await page.textContent("#fen-fault"), pattern);
    assert.equal(await page.title(), "Illegal position · Duchamp");
    assert.equal(await page.locator(".move").count(), 0);
  }
});

browse("a FEN that is far too long is refused", { expected: BAD }, async (page, url) => {
  await page.goto(`${url}?fen=${"8/".repeat(100)}8_w`);
  await headlineIs(page, "No position");
  await setFen(page, `8/8/8/8/2r5/8/2k5/K6Q w ${"-".repeat(400)} - 0 1`);
  await waitForText(page, "#fen-fault", /longer than 300 bytes/);
});

browse("markup in an address stays text", {}, async (page, url) => {
  const markup = encodeURIComponent('<img src=x onerror="throw 1">');
  await page.goto(`${url}?fen=${markup}/8/8/8/8/8/8/8_w`);
  await headlineIs(page, "No position");
  await page.goto(`${url}?tables`);
  await page.getByLabel("Names with").fill('<img src=x onerror="throw 1">');
  await page.getByText("No table here has such a name.").waitFor();
  assert.equal(await page.locator("main img").count(), 0);
});

browse("positions that no table has say so", {}, async (page, url) => {
  await openFen(page, url, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
  assert.equal(await headline(page), "Not known: the value is in no table");
  assert.match(await page.textContent(".value"), /No table has /);
  assert.equal(await page.locator(".move").count(), 20);
  await openFen(page, url, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
  assert.match(await page.textContent(".value"), /No table has these 32 pieces/);
  await openFen(page, url, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
  assert.match(await page.textContent(".value"), /castling rights/);
  assert.equal(await page.getByRole("heading", { name: "Missing table" }).isVisible(), false);
});

browse("unknown names of materials and examples are told", { expected: BAD }, async (page, url) => {
  await page.goto(`${url}?material=foo`);
  await waitForText(page, ".status.error", /`foo` is not a material such as KRPvKR\./);
  await page.goto(`${url}?material=KQRRRRvK`);
  await waitForText(page, ".status.error", /tables have 3 to 6 men/);
  await page.goto(`${url}?freezer=nonsense`);
  await waitForText(page, ".status.error", /There is no example of that name: nonsense\./);
  await button(page, "Close").click();
  assert.equal(await page.locator(".status.shown").count(), 0);
});

browse("a server that does not answer is told, and asked again at the next step", { expected: /ERR_FAILED/ }, async (page, url) => {
  await page.goto(url);
  await settled(page);
  await page.route("**/legal*", (route) => route.abort());
  await page.keyboard.press(" ");
  await waitForText(page, ".status.error", /The server does not answer\. Is duchamp serve still running\?/);
  await page.unroute("**/legal*");
  await page.keyboard.press("ArrowLeft");
  await headlineIs(page, /19 plies/);
  assert.equal(await page.locator(".status.shown").count(), 0);
});

browse("who follows the link to a page that did not come asks again", { expected: /ERR_FAILED/ }, async (page, url) => {
  const pages = [
    ["Tables", "**/tables.json", page.getByText("Chess, 4 men: 15 tables")],
    ["Freezer", "**/freezer.json", page.locator(".card").first()],
  ];
  await page.goto(url);
  await settled(page);
  for (const [name, path, wanted] of pages) {
    const link = page.getByRole("link", { name, exact: true });
    await page.route(path, (route) => route.abort());
    await link.click();
    await waitForText(page, ".status.error", /The server does not answer/);
    await page.unroute(path);
    await link.click();
    await wanted.waitFor();
    assert.equal(await page.locator(".status.shown").count(), 0);
  }
});

browse("statistics that did not come are asked for again on the way through the history", { expected: /ERR_FAILED/ }, async (page, url) => {
  await page.route("**/stats/**", (route) => route.abort());
  await page.goto(`${url}?material=KQvK`);
  await waitForText(page, ".status.error", /The server does not answer/);
  await page.unroute("**/stats/**");
  await page.evaluate(() => {
    history.pushState(null, "", location.href);
    history.back();
  });
  await page.locator(".counts").waitFor();
});

browse("tables are not called missing before the server has told them", { expected: /ERR_FAILED/ }, async (page, url) => {
  let answer;
  const held = new Promise((resolve) => {
    answer = resolve;
  });
  await page.route("**/tables.json", async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  const missing = page.getByText("No table here has such a name.");
  await page.goto(`${url}?tables`);
  await page.getByLabel("Names with").fill("KRPvKR");
  assert.equal(await missing.count(), 0);
  answer();
  await missing.waitFor();
  await page.unroute("**/tables.json");
  await page.route("**/tables.json", (route) => route.abort());
  await page.reload();
  await waitForText(page, ".status.error", /The server does not answer/);
  await page.getByLabel("Names with").fill("KQ");
  await page.getByLabel("Names with").fill("");
  assert.equal(await page.getByText(/No table here|There are no tables/).count(), 0);
});

browseDamaged("a damaged table is told, and other positions are still answered", { expected: /500/ }, async (page, url) => {
  await openFen(page, url, "8/8/8/4k3/8/8/8/K6R w - - 0 1");
  await waitForText(page, ".value", /damaged/i);
  await openFen(page, url, "8/8/8/4k3/8/8/8/K6Q w - - 0 1");
  await headlineIs(page, /^White wins: mate in/);
});
