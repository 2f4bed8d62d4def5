// Shows pages of a server within frames of another page: a replay is seen there, and nothing else.
//
//   node embed.js URL ID
//
// URL is that of `agon serve --embed http://localhost:*`, and ID a game. The exit code is 1 if anything
// is wrong.
"use strict";

const http = require("http");
const { chromium } = require("playwright-core");

const [url, id] = process.argv.slice(2);
const wrong = [];
const check = (holds, what) => holds || wrong.push(what);

(async () => {
  const paths = [`embed/${id}#ply=2`, `game/${id}.html`, "index.html", "embed/nothing"];
  const server = http.createServer((_, answer) => {
    answer.writeHead(200, { "content-type": "text/html" });
    answer.end(paths.map((path, at) => `<iframe id="f${at}" width="800" height="600" src="${url}${path}"></iframe>`).join(""));
  });
  await new Promise((then) => server.listen(0, "127.0.0.1", then));
  const { port } = server.address();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
  // The allowed page, and one of a host that is not.
  for (const [host, isAllowed] of [["localhost", true], ["127.0.0.1", false]]) {
    const page = await browser.newPage();
    await page.goto(`http://${host}:${port}/`, { waitUntil: "load" });
    await page.waitForTimeout(1000);
    for (const [at, path] of paths.entries()) {
      const frame = await (await page.$(`#f${at}`)).contentFrame();
      const boards = await frame.locator("svg.board").count().catch(() => 0);
      const isThere = frame.url().startsWith(url) && boards > 0;
      check(isThere === (isAllowed && at === 0), `${host}: ${path} ${isThere ? "is" : "is not"} shown`);
    }
    if (!isAllowed) continue;
    const frame = await (await page.$("#f0")).contentFrame();
    check(/^Ply 2/.test(await frame.locator("#caption").textContent()), "the address does not lead to its ply");
    await frame.getByRole("button", { name: "Back", exact: true }).click();
    check(/^Ply 1/.test(await frame.locator("#caption").textContent()), "its buttons do nothing");
    const beside = await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(beside <= 0, `it is ${beside} pixels too wide for the frame`);
  }
  await browser.close();
  server.close();
  for (const one of wrong) console.log(`embed.js: ${one}`);
  process.exit(wrong.length ? 1 : 0);
})().catch((error) => {
  for (const one of wrong) console.log(`embed.js: ${one}`);
  console.log(`embed.js: ${error}`);
  process.exit(1);
});
