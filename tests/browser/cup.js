// The first page of a cup: its champion, its bracket with links to the games, and the way of each engine.
"use strict";

const fs = require("fs");
const { fileURLToPath } = require("url");

async function cup(tab, to, check) {
  await tab.setViewportSize({ width: 1366, height: 768 });
  await tab.goto(to("cup-report", "index.html"));
  const found = await tab.evaluate(() => ({
    champion: document.querySelector("main .champion b")?.textContent,
    said: document.querySelector("main .champion")?.textContent ?? "",
    isFirst: document.querySelector("main h1").nextElementSibling.matches(".champion"),
    // The stage before the knockout has groups.
    duels: [...document.querySelectorAll(".column .duel")].filter((duel) => !duel.querySelector(".duel > details > ul")).map((duel) => ({
      name: duel.querySelector("p").textContent,
      bold: duel.querySelectorAll("b").length,
      links: [...duel.querySelectorAll(".games a")].map((link) => link.href),
      playOffs: /Play-off:/.test(duel.textContent),
      points: [...duel.querySelectorAll("ul .whole")].map((points) => points.textContent),
    })),
    groups: document.querySelectorAll(".column .duel > details > ul").length,
    ways: [...document.querySelectorAll(".ways section")].map((way) => ({ name: way.querySelector("h3").textContent, steps: way.querySelectorAll("li").length })),
  }));
  check(/^Champion: e\d, beat e\d \d+-\d+/.test(found.said) && found.isFirst, `cup: the champion is told as "${found.said}"`);
  check(found.duels.length === 4 || found.duels.length === 3, `cup: the knockout has ${found.duels.length} matches`);
  for (const duel of found.duels) {
    check(duel.bold === 1, `cup: ${duel.name} has ${duel.bold} bold names`);
    check(duel.links.length >= 2, `cup: ${duel.name} has ${duel.links.length} links to games`);
    for (const link of duel.links) check(fs.existsSync(fileURLToPath(link)), `cup: nothing is at ${link}`);
    const isLevel = duel.points[0] === duel.points[1];
    check(duel.playOffs === isLevel, `cup: ${duel.name} stands ${duel.points}, and play-offs are shown: ${duel.playOffs}`);
  }
  // Which game to look at, with a reason and a link; and links of a match say what their names are.
  const look = await tab.evaluate(() => {
    const head = [...document.querySelectorAll("h2")].find((one) => one.textContent === "Games to look at");
    return [...(head?.nextElementSibling.querySelectorAll("li") ?? [])].map((line) => ({ text: line.textContent, link: line.querySelector("a")?.href }));
  });
  check(look.length > 0, "cup: no game to look at is named");
  for (const { text, link } of look) check(/: (the|as)/.test(text) && link && fs.existsSync(fileURLToPath(link)), `cup: "${text}" leads to ${link}`);
  check(await tab.getByText(/Winners of the games: /).count() > 0, "cup: it is not said what the names at the links of a match are");
  check(found.groups === 2, `cup: ${found.groups} groups have a list of matches`);
  check(found.ways.length === 6 && found.ways[0].name === found.champion, `cup: the ways are ${JSON.stringify(found.ways)}`);
  check(found.ways[0].steps === 3, `cup: the way of the champion has ${found.ways[0].steps} steps`);

  for (const page of ["cup-report", "cup.html"]) {
    await tab.goto(to(page, page === "cup.html" ? "" : "index.html"));
    await tab.locator(".duel b a").first().click();
    const name = await tab.locator(".duel b a").first().textContent();
    const way = await tab.evaluate(() => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.querySelector("h3")?.textContent);
    check(way === name, `${page}: the name of ${name} leads to the way of ${way}`);
  }

  // The standings of the groups: at 1366 px all columns are seen and each engine has one line.
  await tab.setViewportSize({ width: 1366, height: 768 });
  await tab.goto(to("cup-report", "stage-1/index.html"));
  const table = () => tab.evaluate(() => {
    const box = document.querySelector(".standings .wide");
    const bodies = [...box.querySelectorAll("tbody")];
    return {
      over: box.scrollWidth - box.clientWidth,
      heights: bodies.flatMap((body) => [...body.rows].slice(1).map((row) => row.getBoundingClientRect().height)),
      groups: bodies.map((body) => body.rows[0].textContent),
      ranks: bodies.map((body) => [...body.rows].slice(1).map((row) => row.cells[0].textContent.trim()).join(" ")),
      bars: [...box.querySelectorAll("thead th.more")].filter((head) => head.checkVisibility()).length,
      told: [...document.querySelectorAll(".ties li")].filter((line) => line.checkVisibility()).map((line) => line.textContent),
    };
  });
  const groups = await table();
  check(groups.over <= 0, `cup: the standings of the groups are ${groups.over} px too wide at 1366 px`);
  check(Math.max(...groups.heights) < 40, `cup: rows of the standings are ${groups.heights} px high`);
  check(groups.groups.join() === "group A,group B", `cup: the groups are called ${groups.groups}`);
  check(groups.bars === 0, `cup: ${groups.bars} columns of bars are shown at first`);
  await tab.getByLabel("All columns").check();
  check((await table()).bars === 3, `cup: "All columns" shows ${(await table()).bars} more`);
  await tab.getByLabel("All columns").uncheck();
  // Sorted, each group keeps its name and its engines.
  await tab.locator(".standings thead button").first().click();
  await tab.locator(".standings thead button").first().click();
  const turned = await table();
  check(turned.groups.join() === "group A,group B" && turned.ranks.every((ranks) => ranks === "3 2 1"), `cup: sorted, the groups are ${turned.groups} with ${turned.ranks}`);

  await tab.setViewportSize({ width: 360, height: 740 });
  await tab.goto(to("cup-report", "index.html"));
  const cropped = await tab.evaluate(() => [...document.querySelectorAll(".bracket *, .champion, .ways *")].filter((part) => part.getBoundingClientRect().right > innerWidth + 1).length);
  check(cropped === 0, `cup: ${cropped} parts are cropped on a phone`);
}

module.exports = { cup };
