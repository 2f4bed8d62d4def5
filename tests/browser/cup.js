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

  await tab.setViewportSize({ width: 360, height: 740 });
  await tab.goto(to("cup-report", "index.html"));
  const cropped = await tab.evaluate(() => [...document.querySelectorAll(".bracket *, .champion, .ways *")].filter((part) => part.getBoundingClientRect().right > innerWidth + 1).length);
  check(cropped === 0, `cup: ${cropped} parts are cropped on a phone`);
}

module.exports = { cup };
