// Takes the pictures of docs/pictures: tests/browser/run.sh DUCHAMP pictures

import { fileURLToPath } from "node:url";
import { PHONE, browsing, button, openFen } from "./support.mjs";

const pathOf = (name) => fileURLToPath(new URL(`../../docs/pictures/${name}.png`, import.meta.url));
const SIZE = { viewport: { width: 1280, height: 800 } };
const picture = browsing();

const save = async (page, name) => {
  // Moving men and fading panels come to rest.
  await page.waitForTimeout(1000);
  await page.screenshot({ path: pathOf(name) });
};

picture("a position with values", SIZE, async (page, url) => {
  await openFen(page, url, "8/8/8/8/3K4/8/r2k4/7Q w - - 0 1");
  await page.locator(".move").first().hover();
  await save(page, "explorer-light");
});

picture("a material", SIZE, async (page, url) => {
  await page.goto(`${url}?material=KQvKR`);
  await page.locator(".histogram").waitFor();
  await save(page, "material-light");
});

picture("corresponding squares", { ...SIZE, colorScheme: "dark" }, async (page, url) => {
  await openFen(page, url, "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1");
  await button(page, "What can be proved").click();
  await page.locator(".legend").waitFor();
  await save(page, "pawns-dark");
});

picture("the plan of a win", { viewport: { width: 1280, height: 1500 } }, async (page, url) => {
  await openFen(page, url, "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1");
  await button(page, "What can be proved").click();
  await page.locator(".plan .ply", { hasText: /^Kd3/ }).first().click();
  await save(page, "pawns-plan");
});

picture("a phone", { ...PHONE, viewport: { width: 390, height: 844 }, colorScheme: "dark" }, async (page, url) => {
  await openFen(page, url, "8/8/8/1k6/8/8/1KP5/8 w - - 0 1");
  await save(page, "phone-dark");
});

picture("xiangqi", SIZE, async (page, url) => {
  await openFen(page, url, "3ak4/4a4/R8/9/9/9/9/9/9/3K5 w - - 0 1", "&game=xiangqi");
  await page.locator(".move").first().hover();
  await save(page, "xiangqi");
});
