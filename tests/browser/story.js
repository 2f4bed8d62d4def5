// The first page of a run: who has won, games to look at, the last results; and the same on a phone.
"use strict";

const fs = require("fs");
const path = require("path");
const { fileURLToPath } = require("url");

async function story(tab, to, check, sites) {
  await tab.setViewportSize({ width: 1366, height: 768 });
  await tab.goto(to("club-report", "index.html"));
  const found = await tab.evaluate(() => ({
    said: document.querySelector("main .champion")?.textContent ?? "",
    first: document.querySelector("main tbody th").textContent,
    results: [...document.querySelectorAll(".strip li")].map((line) => line.textContent),
    headings: [...document.querySelectorAll("main h2")].map((heading) => heading.textContent),
    text: document.querySelector("main").textContent,
  }));
  check(new RegExp(`^(Winner|First): ${found.first}\\b.* with \\d`).test(found.said), `story: the winner is told as "${found.said}", and ${found.first} is first`);
  check(/Points: 2 for a win, 1 for a draw\./.test(found.text), "story: it is not said what the points are");
  check(found.headings.at(-1) === "Last results", `story: the headings are ${found.headings}`);
  check(found.results.length === 8, `story: ${found.results.length} results`);
  // It was written with --replays 20, and more games than that were lost by a fault.
  check(/20 of \d+ games have a replay in this report/.test(found.text), "story: the page does not say that games have no replay");

  await tab.goto(to("mnk-5x5-4-report", "index.html"));
  const links = await tab.evaluate(() => [...document.querySelectorAll(".strip a")].map((link) => link.href));
  check(links.length === 2, `story: ${links.length} of 2 results have a link`);
  for (const link of links) check(fs.existsSync(fileURLToPath(link)), `story: nothing is at ${link}`);

  await tab.goto(to("club-hidden", "index.html"));
  check((await tab.locator(".champion, .strip, h2").count()) === 0, "story: hidden results are told");

  // A title has no marks of a record.
  const site = sites.find((one) => one.board === "abalone");
  for (const game of fs.readdirSync(path.join(site.path, "game"))) {
    await tab.goto(to(site.name, `game/${game}`));
    const title = await tab.locator("h1").textContent();
    check(!/\([A-Z*]\)/.test(title), `story: a title is ${title}`);
  }
  await tab.goto(to("club-report", `game/${fs.readdirSync(path.join(sites.find((one) => one.name === "club-report").path, "game"))[0]}`));
  const caption = await tab.locator("#caption").textContent();
  check(/after an opening that was drawn or given/.test(caption), `story: after random plies the first position is called "${caption}"`);

  // On a phone points and rating are seen, rows are low, and names break between words.
  await tab.setViewportSize({ width: 360, height: 740 });
  await tab.goto(to("club-report", "index.html"));
  const phone = await tab.evaluate(() => {
    const name = document.querySelector("main tbody th a");
    name.textContent = "Grandmaster Engine of Ghent";
    const lines = (from, to) => {
      const range = document.createRange();
      range.setStart(name.firstChild, from);
      range.setEnd(name.firstChild, to);
      return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
    };
    const heads = [...document.querySelectorAll("main thead th")].filter((head) => ["points", "Elo"].includes(head.textContent));
    return {
      heads: heads.map((head) => head.getBoundingClientRect().right),
      broken: [lines(0, 11), lines(12, 18), lines(22, 27)],
      rows: Math.max(...[...document.querySelectorAll("main tbody tr")].map((row) => row.getBoundingClientRect().height)),
      high: [...document.querySelectorAll("main tbody tr")].flatMap((row) => [...row.cells].map((cell) => cell.textContent)).join(" | ").slice(0, 300),
    };
  });
  check(phone.heads.length === 2 && phone.heads.every((right) => right <= 360), `story: points and Elo end at ${phone.heads} px`);
  check(phone.broken.every((lines) => lines === 1), `story: words of a name have ${phone.broken} lines`);
  check(phone.rows < 79, `story: a row is ${phone.rows} px high: ${phone.high}`);
}

module.exports = { story };
