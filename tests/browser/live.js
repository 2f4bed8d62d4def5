// Looks at pages of a server while games are played.
//
//   node live.js URL COMMAND WORDS...
//
// COMMAND with its words plays two games more each time it runs. The exit code is 1 if anything is wrong.
"use strict";

const fs = require("fs");
const { spawnSync } = require("child_process");
const { chromium } = require("playwright-core");

const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [url, ...command] = process.argv.slice(2);
const PATIENCE = 300000;
const wrong = [];

function check(holds, what) {
  if (!holds) wrong.push(what);
}

let games = 2;
/// Plays two games more.
function play() {
  games += 2;
  const words = command.slice(1).map((word) => word.replace("GAMES", games));
  const played = spawnSync(command[0], words, { stdio: ["ignore", "ignore", "inherit"] });
  check(played.status === 0, "the games were not played");
}

async function open(context, address) {
  const page = await context.newPage();
  page.on("console", (said) => {
    const isExpected = /ERR_INTERNET_DISCONNECTED/.test(said.text());
    if (["error", "warning"].includes(said.type()) && !isExpected) wrong.push(`${address}: ${said.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`${address}: ${error}`));
  page.on("request", (asked) => check(asked.url().startsWith(url), `it asks ${asked.url()}`));
  await page.goto(url + address);
  await page.evaluate(() => (window.isSame = true));
  return page;
}

/// Waits until the page shows that many games, and is still the same page.
async function shows(page, text) {
  await page.waitForFunction((text) => document.getElementById("main").textContent.includes(text), text, { timeout: PATIENCE });
  check(await page.evaluate(() => window.isSame), "the page was loaded again");
}

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
  const context = await browser.newContext();
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error("refused: " + event.violatedDirective + " " + event.blockedURI));
  });
  const standings = await open(context, "");
  const list = await open(context, "games/1.html");
  const replay = await open(context, "game/r01-p0001-g01.html");
  const without = await context.newPage();
  await without.addInitScript(() => delete window.EventSource);
  await without.goto(url);

  // A table stays sorted, and what has the focus keeps it.
  const head = standings.locator("main table.sortable th button").nth(1);
  await head.click();
  await head.click();
  const sorted = () => standings.locator("main table.sortable th").evaluateAll((heads) => heads.map((one) => one.getAttribute("aria-sort")));
  const before = await sorted();
  check(before.some(Boolean), "no column is sorted");
  const link = standings.locator("main table a").first();
  await link.focus();
  const focused = await link.getAttribute("href");
  await replay.keyboard.press("End");
  // A word lights up for half a second.
  await replay.waitForFunction(() => !document.querySelector("svg.board .marks rect"), null, { timeout: PATIENCE });
  const shown = await replay.locator("main").innerHTML();
  play();
  const began = Date.now();
  await shows(standings, `${games} of ${games} games`);
  const seconds = (Date.now() - began) / 1000;
  check(seconds < 10, `the standings came after ${seconds} s`);
  check(JSON.stringify(await sorted()) === JSON.stringify(before), "the table is not sorted as before");
  check((await standings.evaluate(() => document.activeElement.getAttribute("href"))) === focused, "the focus is lost");
  check((await standings.locator("main table.sortable th button").count()) > 1, "the new table cannot be sorted");
  await shows(list, `r01-p0001-g0${games}`);
  check((await replay.locator("main").innerHTML()) === shown, "the replay has changed");

  // A filter that is in use stays, and the page says that there is more.
  await list.getByRole("button", { name: "Filter the games" }).click();
  const engine = list.locator("div.filter select").first();
  await engine.selectOption("greedy");
  // A page that nobody sees asks for nothing until somebody does.
  const setHidden = (isHidden) => standings.evaluate((isHidden) => {
    Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
  await setHidden(true);
  play();
  await list.locator("p.live", { hasText: "There are new games" }).waitFor({ timeout: PATIENCE });
  check((await engine.inputValue()) === "greedy", "the filter is lost");
  check(!(await standings.locator("main").textContent()).includes(`${games} of ${games} games`), "a hidden page was updated");
  await setHidden(false);
  await shows(standings, `${games} of ${games} games`);

  // Without EventSource, and without a network.
  await without.waitForFunction((text) => document.getElementById("main").textContent.includes(text), `${games} of ${games} games`, { timeout: PATIENCE });
  await context.setOffline(true);
  await without.locator("p.live", { hasText: "does not answer" }).waitFor({ timeout: PATIENCE });
  await context.setOffline(false);
  await without.locator("p.live", { hasText: /^$/ }).waitFor({ state: "attached", timeout: PATIENCE });

  await standings.evaluate(AXE);
  const found = await standings.evaluate(() => window.axe.run());
  for (const one of found.violations) wrong.push(`axe: ${one.id}: ${one.help}`);
  await browser.close();
  for (const one of wrong) console.log(`live.js: ${one}`);
  console.log(`live.js: a change was shown after ${seconds} s`);
  process.exit(wrong.length ? 1 : 0);
})().catch((error) => {
  for (const one of wrong) console.log(`live.js: ${one}`);
  console.log(`live.js: ${error}`);
  process.exit(1);
});
