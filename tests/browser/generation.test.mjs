// Missing tables: what they cost, generating them with a progress bar, cancelling, and a server that does not generate.

import assert from "node:assert/strict";
import { browsing, button, headline, headlineIs, newFolder, openFen, waitForText } from "./support.mjs";

const folder = newFolder();
const browse = browsing(folder, "--allow-generate");
const locked = browsing();
const LONGEST = "8/8/8/8/2r5/8/2k5/K6Q w - - 0 1";

browse("a missing table is generated with real progress, and the values appear by themselves", {}, async (page, url) => {
  await openFen(page, url, LONGEST);
  assert.equal(await headline(page), "Not known: the value is in no table");
  await page.getByText("The table KQvKR is missing.").waitFor();
  await waitForText(page, ".facts", /Time.*Memoryabout .* MBDiskabout .* [kM]B/);
  await page.evaluate(() => {
    window.shown = [];
    const bar = document.querySelector(".generation progress");
    new MutationObserver(() => window.shown.push(bar.value)).observe(bar, { attributes: true });
  });
  await page.getByRole("button", { name: /^Generate (KQvKR|\d+ tables)$/ }).click();
  await headlineIs(page, "White wins: mate in 35 moves (69 plies)");
  await waitForText(page, ".status", /^Generated (KQvKR|\d+ tables)\./);
  const shown = await page.evaluate(() => window.shown);
  assert.ok(shown.length > 0, "the bar moved");
  assert.deepEqual(shown, shown.toSorted((a, b) => a - b), "and never back");
  assert.equal(await page.getByText("The table KQvKR is missing.").isVisible(), false);
});

browse("a generation can be cancelled, and says so", {}, async (page, url) => {
  await openFen(page, url, "8/4kp2/8/8/8/8/2P5/3K4 w - - 0 1");
  await waitForText(page, ".facts", /Tables\d+: /);
  await page.getByRole("button", { name: /^Generate \d+ tables$/ }).click();
  await page.waitForFunction(() => document.querySelector(".generation progress")?.value > 0);
  assert.equal(await button(page, "Generating ...").isDisabled(), true, "a second click cannot start it again");
  await button(page, "Cancel").click();
  await waitForText(page, ".status", /^Generation of KPvKP stopped\. Finished tables are kept\./);
  assert.equal(await page.locator(".generation").isVisible(), false);
  await page.getByRole("button", { name: /^Generate \d+ tables$/ }).waitFor();
  assert.match(await headline(page), /^Not known/);
});

browse("another metric is generated where it is missing", {}, async (page, url) => {
  await openFen(page, url, LONGEST);
  await headlineIs(page, /69 plies/);
  await page.locator(".distances-box > div", { hasText: "DTZ" }).getByRole("button", { name: "not in the tables" }).click();
  await page.getByText("DTZ of KQvKR is not in the tables.").waitFor();
  await page.getByRole("button", { name: /^Generate / }).click();
  await waitForText(page, ".distances-box", /DTZ to zeroing30 moves 59 plies/);
});

browse("the generation goes on while other views are open", { expected: /404/ }, async (page, url) => {
  // These tables take a tenth of a second: their answer waits until the other view is seen.
  let otherViewIsSeen;
  const otherView = new Promise((resolve) => {
    otherViewIsSeen = resolve;
  });
  await page.route("**/generate?*", async (route) => {
    await otherView;
    await route.continue();
  });
  await page.goto(`${url}?material=KBNvK`);
  await page.getByRole("button", { name: /^Generate / }).click();
  await page.locator(".generation").waitFor();
  await page.getByRole("link", { name: "Tables", exact: true }).click();
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  assert.equal(await page.locator(".generation").isVisible(), true);
  otherViewIsSeen();
  await waitForText(page, ".status", /^Generated/);
  assert.equal(await page.locator(".generation").isVisible(), false);
  await page.getByRole("link", { name: "KBNvK" }).click();
  await page.getByText("White to move wins in 33 moves (65 plies)").waitFor();
});

browse("one page at a time generates", { expected: /409|404/ }, async (page, url) => {
  const other = await page.context().newPage();
  await page.goto(`${url}?material=KRPvK`);
  await other.goto(`${url}?material=KNPvK`);
  const buttons = [page, other].map((one) => one.getByRole("button", { name: /^Generate / }));
  await Promise.all(buttons.map((one) => one.waitFor()));
  // A page in the background draws nothing; the server answers when the generation has begun.
  const begun = page.waitForResponse(/\/generate\?/);
  await buttons[0].click();
  assert.equal((await begun).status(), 200);
  await buttons[1].click();
  await waitForText(other, ".status", /^Tables are being generated already|^Generated/);
  await waitForText(page, ".status", /^Generated/);
});

locked("a server that may not generate shows the command", { permissions: ["clipboard-read", "clipboard-write"] }, async (page, url) => {
  await openFen(page, url, "8/8/8/4k3/8/8/8/KQR5 w - - 0 1");
  await page.getByText("This server does not generate tables").waitFor();
  assert.equal(await page.getByRole("button", { name: /^Generate/ }).count(), 0);
  const command = await page.locator(".command code").textContent();
  assert.match(command, / tb generate KQRvK --dir /);
  await page.locator(".command").getByRole("button", { name: "Copy" }).click();
  await page.locator(".command").getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
  await page.getByRole("combobox", { name: "Metric" }).selectOption("dtz");
  await waitForText(page, ".command code", / tb generate KQRvK --metric dtz --dir /);
});

browse("tables that need more memory than there is are not begun", {}, async (page, url) => {
  // How much there is differs from machine to machine.
  await page.route("**/forecast*", async (route) => {
    const cost = await (await route.fetch()).json();
    await route.fulfill({ json: { ...cost, warnings: ["at least 5336 MiB of memory are needed, more than --memory 3072"] } });
  });
  await openFen(page, url, "4k3/8/8/8/8/8/8/RR2K1QR w - - 0 1");
  await waitForText(page, ".warning", "At least 5336 MiB of memory are needed, more than --memory 3072.");
  assert.equal(await page.getByRole("button", { name: /^Generate/ }).isDisabled(), true);
});

