// Looks at the page of the games in play while games are played, and when they are over.
//
//   node playing.js URL COMMAND WORDS...
//
// COMMAND with its words plays a run, at most two games at a time. The exit code is 1 if anything is wrong.
"use strict";

const fs = require("fs");
const { spawn } = require("child_process");
const { chromium } = require("playwright-core");

const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [url, ...command] = process.argv.slice(2);
const PATIENCE = 300000;
const wrong = [];

function check(holds, what) {
  if (!holds) wrong.push(what);
}

/// Notes each state of each board, and whether the large one is that of an engine that is followed.
function note() {
  window.states = [];
  window.unfollowed = 0;
  window.orders = new Set();
  const look = () => {
    const boards = [...document.querySelectorAll(".boards > article")];
    window.orders.add(boards.map((board) => board.dataset.key).join());
    for (const board of boards) {
      const state = {
        key: board.dataset.key,
        game: board.dataset.game,
        over: board.matches(".over"),
        begun: /^Ply/.test(board.querySelector(".caption").textContent),
        result: board.querySelector(".result")?.textContent ?? "",
      };
      const before = window.states.findLast((one) => one.key === state.key);
      if (JSON.stringify(before) !== JSON.stringify(state)) window.states.push(state);
    }
    const followed = new URLSearchParams(location.search).get("engine");
    const plays = (board) => !board.matches(".over") && [...board.querySelectorAll("[data-engine]")].some((seat) => seat.dataset.engine === followed);
    if (followed && boards.some(plays) && !plays(document.querySelector(".large"))) window.unfollowed++;
  };
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
    look();
  });
}

async function open(browser, address, viewport) {
  const context = await browser.newContext({ viewport });
  await context.addInitScript(note);
  const page = await context.newPage();
  page.on("console", (said) => {
    if (["error", "warning"].includes(said.type())) wrong.push(`${address}: ${said.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`${address}: ${error}`));
  page.on("request", (asked) => check(asked.url().startsWith(url), `it asks ${asked.url()}`));
  await page.goto(url + address);
  return page;
}

/// How the last move and the result were shown: each game that was seen in play is over before another one,
/// which has a move by then, comes in its place.
async function endings(page, where) {
  const states = await page.evaluate(() => window.states);
  const [seen, ended] = [new Set(), new Set()];
  for (const state of states) {
    if (!state.over) seen.add(state.game);
    if (state.over && state.result) ended.add(state.game);
  }
  for (const key of new Set(states.map((state) => state.key))) {
    const own = states.filter((state) => state.key === key);
    own.forEach((state, at) => {
      const before = own[at - 1];
      const isNext = before && before.game !== state.game && seen.has(before.game);
      if (isNext && !state.over) check(state.begun, `${where}: ${state.game} has no move and is in the place of ${before.game}`);
    });
  }
  // A busy machine may skip some.
  const both = [...seen].filter((game) => ended.has(game)).length;
  check(both >= seen.size / 2, `${where}: of ${seen.size} games ${both} were seen to end`);
  // The whole of a short game may pass while the end of the one before is shown.
  check(ended.size > 2, `${where}: the ends of ${ended.size} games were seen`);
  const orders = (await page.evaluate(() => [...window.orders])).filter(Boolean);
  for (const order of orders) check(order === order.split(",").sort().join(), `${where}: the boards stand as ${order}`);
  console.log(`playing.js: ${where}: ${both} of ${seen.size} games were seen to end, and the ends of ${ended.size}`);
}

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
  const playing = spawn(command[0], command.slice(1), { stdio: ["ignore", "ignore", "inherit"] });
  const over = new Promise((then) => playing.on("exit", (code) => then(code)));
  const page = await open(browser, "live.html", { width: 1366, height: 768 });
  const following = await open(browser, "live.html?engine=cleo", { width: 360, height: 800 });
  const big = await open(browser, "live.html?big", { width: 1280, height: 720 });

  // A text that is selected stays so while moves are made.
  await page.waitForFunction(() => document.querySelector(".boards > article:not(.over) .clock"), null, { timeout: PATIENCE });
  // The name is another one when the next game comes, so this may be tried again.
  const select = () => page.evaluate(async () => {
    const name = document.querySelector(".boards > article .seats a");
    getSelection().selectAllChildren(name);
    const [caption, game] = [document.querySelector(".boards .caption"), name.closest("article").dataset.game];
    const before = caption.textContent;
    const isNew = () => caption.textContent !== before || name.closest("article")?.dataset.game !== game;
    for (let at = 0; at < 3000 && !isNew(); at++) await new Promise((then) => setTimeout(then, 20));
    return { text: getSelection().toString(), isNew: isNew(), isSame: name.closest("article")?.dataset.game === game, name: name.textContent };
  });
  let selected = await select();
  for (let times = 0; times < 20 && !selected.isSame; times++) selected = await select();
  check(selected.isSame && selected.isNew && selected.text === selected.name, `after a move it is so with the selected text: ${JSON.stringify(selected)}`);

  // A projector: nothing scrolls, and the pages turn by themselves.
  const fits = () => big.evaluate(() => {
    const root = document.documentElement;
    const outside = [...document.querySelectorAll(".large .board, .large .caption, .large .seats")].filter((part) => part.getBoundingClientRect().bottom > innerHeight + 1);
    return root.scrollHeight <= innerHeight && getComputedStyle(root).overflow === "hidden" && outside.length === 0;
  });
  check(await fits(), "?big: the games do not fit");
  await big.waitForFunction(() => location.pathname.endsWith("index.html") || location.pathname === "/", null, { timeout: PATIENCE });
  await big.waitForFunction(() => document.querySelector("main table"), null, { timeout: PATIENCE });
  await big.waitForFunction(() => location.pathname.endsWith("live.html") && document.querySelector(".boards"), null, { timeout: PATIENCE });
  check(await fits(), "?big: the games do not fit when they come back");

  // A small game becomes the large one.
  const button = page.locator(".enlarge:visible").first();
  if (await button.count()) {
    const key = await button.evaluate((own) => own.closest("article").dataset.key);
    await button.click();
    check((await page.locator(".large").getAttribute("data-key")) === key, "the chosen game is not the large one");
  }

  check((await over) === 0, "the games were not played");
  for (const [tab, where] of [[page, "live.html"], [following, "?engine"]]) {
    await tab.waitForFunction(() => document.querySelectorAll(".boards > article.over .result").length === document.querySelectorAll(".boards > article").length && document.querySelector(".none"), null, { timeout: PATIENCE });
    await endings(tab, where);
  }
  check((await following.evaluate(() => window.unfollowed)) === 0, "the engine that is followed was not the large game");

  // Every board and every result leads to a replay.
  const links = await page.locator(".boards .told a, .strip a").evaluateAll((found) => found.map((link) => link.href));
  check(links.length >= 6, `${links.length} links lead to replays`);
  for (const link of links) check((await page.request.get(link)).status() === 200, `nothing is at ${link}`);
  check((await page.locator(".boards .told a").count()) === (await page.locator(".boards > article").count()), "a game that is over has no replay");
  for (const tab of [page, following]) {
    await tab.evaluate(AXE);
    const found = await tab.evaluate(() => window.axe.run());
    for (const one of found.violations) wrong.push(`axe: ${one.id}: ${one.help}`);
    const over = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(over <= 0, `the page is ${over} px too wide`);
  }
  await browser.close();
  for (const one of wrong) console.log(`playing.js: ${one}`);
  process.exit(wrong.length ? 1 : 0);
})().catch((error) => {
  for (const one of wrong) console.log(`playing.js: ${one}`);
  console.log(`playing.js: ${error}`);
  process.exit(1);
});
