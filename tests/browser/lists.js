// Sorting of tables, the filter of games, the back button and the pages of a single file.
"use strict";

/// The texts of a column, from 0, as they are shown.
function column(tab, table, at) {
  return tab.locator(`${table} tbody tr:visible`).evaluateAll(
    (rows, cell) => rows.map((row) => row.children[cell]?.textContent.trim()),
    at,
  );
}

function isOrdered(values, compare) {
  return values.every((value, at) => at === 0 || compare(values[at - 1], value) <= 0);
}

async function sorting(tab, to, check) {
  await tab.goto(to("club-report", "index.html"));
  const heads = await tab.locator("table.sortable thead th").allTextContents();
  const [name, points] = ["engine", "points"].map((head) => heads.findIndex((text) => text.trim().startsWith(head)));
  const button = (at) => tab.locator("table.sortable thead th").nth(at).getByRole("button");
  if (!check((await button(name).count()) === 1, "the heads of the standings have no buttons")) return;
  const before = await column(tab, "table.sortable", name);
  await button(name).click();
  const byName = await column(tab, "table.sortable", name);
  const sorted = [...before].sort((a, b) => a.localeCompare(b));
  check(byName.join() === sorted.join() || byName.join() === sorted.reverse().join(), `by name: ${byName}`);
  const sort = (at) => tab.locator("table.sortable thead th").nth(at).getAttribute("aria-sort");
  check(["ascending", "descending"].includes(await sort(name)), "the sorted column has no aria-sort");
  // The keyboard alone.
  await button(points).focus();
  await tab.keyboard.press("Enter");
  const one = (await column(tab, "table.sortable", points)).map(Number);
  await tab.keyboard.press("Enter");
  const other = (await column(tab, "table.sortable", points)).map(Number);
  const orders = [one, other].map((values) => [isOrdered(values, (a, b) => a - b), isOrdered(values, (a, b) => b - a)]);
  check(orders[0].includes(true) && orders[1].includes(true), `points are not sorted as numbers: ${one} | ${other}`);
  check(one.join() !== other.join(), `the second press does not turn the order: ${one}`);
  check((await sort(points)) !== null && (await sort(name)) === null, "aria-sort does not follow the sorted column");
}

/// A control of the filter, by the first word of its label.
const control = (tab, label) => tab.locator(".filter label").filter({ hasText: new RegExp(`^${label}`) }).locator("select");

async function filter(tab, to, check) {
  await tab.goto(to("club-report", "games/1.html"));
  await tab.getByRole("button", { name: "Filter the games" }).click();
  await control(tab, "Engine").selectOption("ends");
  // Five opponents, fourteen games each, on both pages of the list.
  const shown = (number) => tab.waitForFunction((wanted) => {
    const rows = [...document.querySelectorAll("table.games tbody tr")].filter((row) => row.offsetParent);
    return rows.length === wanted && rows.every((row) => row.textContent.includes("ends"));
  }, number).catch(async () => check(false, `the filter shows ${await tab.locator("table.games tbody tr").count()} games of ends, not ${number}`));
  await shown(70);
  // The games of two, with their score.
  await control(tab, "Against").selectOption("anna");
  await shown(14);
  const score = await tab.locator(".filter [role=status]").innerText();
  check(/^14 of \d+ games: ends has won 0, drawn 0 and lost 14$/.test(score), `the score of two engines is told as "${score}"`);
  await control(tab, "Against").selectOption("");
  // Words anywhere in a row, in any order.
  const search = tab.locator(".filter input[type=search]");
  await search.fill("CRASH dora");
  await shown(14);
  await search.fill("crash nobody");
  await shown(0);
  await search.fill("");
  await control(tab, "Termination").selectOption("time forfeit");
  // Its pairing with the engine that never answers: one of them loses before the other is asked.
  const late = await tab.locator("table.games tbody tr:visible").allTextContents();
  check(late.length < 70 && late.every((row) => row.includes("time forfeit")), `${late.length} games are shown as time forfeits`);
  await control(tab, "Termination").selectOption("");
  // The address follows after a pause; until then it has the words or the termination too.
  await tab.waitForFunction(() => location.hash === "#engine=ends").catch(() => check(false, "the filter is not in the address"));
  const address = tab.url();
  await tab.goto("about:blank");
  await tab.goto(address);
  await shown(70);
  const link = tab.locator("table.games tbody a[href*='game/']").first();
  await link.click();
  check(/game\/r\d+/.test(tab.url()), `a filtered game leads to ${tab.url()}`);
  await tab.goBack();
  check(/games\/1\.html/.test(tab.url()), "back does not lead to the list");
}

async function hidden(tab, to, check) {
  await tab.goto(to("club-hidden", "games/1.html"));
  const text = await tab.locator("body").innerText();
  check(!/1-0|0-1|1\/2|time forfeit|crash|protocol/.test(text), "the list of hidden results shows one");
  await tab.getByRole("button", { name: "Filter the games" }).click();
  await control(tab, "Engine").waitFor();
  const labels = (await tab.locator(".filter").innerText()).toLowerCase();
  check(!/result|plies|termination/.test(labels), `the filter of hidden results offers: ${labels}`);
}

async function single(tab, to, check) {
  await tab.goto(to("club.html", ""));
  const shown = () => tab.locator("section.page:visible").evaluateAll((all) => all.map((one) => one.id));
  // The page changes a moment after the address.
  const shows = (wanted, what) => tab
    .waitForFunction((wanted) => {
      const ids = [...document.querySelectorAll("section.page")].filter((one) => one.offsetParent).map((one) => one.id);
      return ids.length === 1 && ids[0].startsWith(wanted);
    }, wanted, { timeout: 120000 })
    .catch(async () => check(false, `${what}: ${await shown()}`));
  await shows("index", "the single file shows at first");
  // Each other page is one element with a text until it is shown, however many there are.
  const [made, waiting] = await tab.evaluate(() => [document.querySelectorAll("section.page").length, document.querySelectorAll("noscript[data-page]").length]);
  check(made === 1 && waiting > 20, `the single file made ${made} pages at first, and ${waiting} wait`);
  await tab.getByRole("navigation").getByRole("link", { name: "Crosstable" }).click();
  await shows("crosstable", "Crosstable shows");
  check(/crosstable/i.test(await tab.title()), `its title is ${await tab.title()}`);
  await tab.locator("#crosstable table a[href*='/vs-']").first().click();
  await shows("engine/", "a cell of the crosstable shows");
  const isSeen = await tab.evaluate(() => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const box = row?.getBoundingClientRect();
    return Boolean(box && box.top > -1 && box.top < innerHeight);
  });
  check(isSeen, "a cell of the crosstable does not lead to its row");
  await tab.goBack();
  await shows("crosstable", "back leads to");
  await tab.goto("about:blank");
  await tab.goto(to("club.html", "#about"));
  await shows("about", "an address with a section shows");
  // The filter of a single file makes the lists that it reads, and no replays.
  await tab.getByRole("navigation").getByRole("link", { name: "Games" }).click();
  await shows("games/", "Games shows");
  await tab.getByRole("button", { name: "Filter the games" }).click();
  await tab.locator("section.page:visible .filter select").first().selectOption("ends");
  const found = await tab.locator("section.page:visible .filter [role=status]").innerText();
  check(/^70 of /.test(found), `the filter of the single file found ${found}`);
  const replays = await tab.evaluate(() => document.querySelectorAll("section.page .replay").length);
  check(replays === 0, `the filter made ${replays} replays`);
  await tab.locator("section.page:visible table.games tbody a[href*='game/']").first().click();
  await shows("game/", "a game that was found shows");
  await tab.getByRole("button", { name: "Last" }).click();
  check((await tab.locator("section.page:visible .board .slots use, section.page:visible .board .slots text").count()) > 0, "its board is empty");
}

/// Without scripts every page is there at once: all games have their moves as text.
async function singleWithoutScript(own, to, check) {
  const context = await own.context().browser().newContext({ javaScriptEnabled: false });
  const tab = await context.newPage();
  await tab.goto(to("club.html", ""));
  const [pages, moves] = [await tab.locator("section.page h1:visible").count(), await tab.locator("section.page .moves tbody tr:visible").count()];
  check(pages > 20 && moves > 20, `without scripts there are ${pages} pages with ${moves} moves`);
  await context.close();
}

/// The pages of a run without results and with all say the same to the keyboard: the first Tab leads past the menu.
async function keyboard(tab, to, check) {
  await tab.goto(to("club-report", "index.html"));
  await tab.keyboard.press("Tab");
  const first = await tab.evaluate(() => document.activeElement.textContent);
  check(first === "To the content", `the first Tab reaches ${first}`);
  await tab.keyboard.press("Enter");
  check(await tab.evaluate(() => location.hash === "#main"), "the first link does not lead to the content");
}

/// The filter of games at tables of three looks at every seat.
async function threeSeats(tab, to, check) {
  await tab.goto(to("cards-report", "games/1.html"));
  const heads = await tab.locator("table.games thead th").allTextContents();
  check(heads.slice(1, 4).join() === "seat 1,seat 2,seat 3", `the heads of the seats are ${heads}`);
  const all = await tab.locator("table.games tbody tr").count();
  await tab.getByRole("button", { name: "Filter the games" }).click();
  await control(tab, "Engine").selectOption("dan");
  // Four engines at tables of three: each sits at three of the four tables.
  const rows = await tab.locator("table.games tbody tr:visible").allTextContents();
  check(rows.length * 4 === all * 3 && rows.every((row) => row.includes("dan")), `${rows.length} of ${all} games of dan`);
  await control(tab, "Its result, or that of the first").selectOption("1");
  const won = await tab.locator("table.games tbody tr:visible").count();
  check(won === 0, `dan, who crashed, has won ${won} games`);
}

async function lists(tab, to, check) {
  await tab.setViewportSize({ width: 1000, height: 800 });
  for (const part of [keyboard, sorting, filter, hidden, threeSeats, single, singleWithoutScript]) {
    try {
      await part(tab, to, check);
    } catch (error) {
      check(false, `${part.name}: ${String(error.message).slice(0, 400)}`);
    }
  }
}

module.exports = { lists };
