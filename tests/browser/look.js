// Opens every page of some reports in a browser and says what is wrong with them.
//
//   node look.js LIST FOLDER
//
// LIST is a JSON array of reports: { name, path, single, ... }, see tests/pages/sites.rs. Pictures of the
// boards go into FOLDER. The exit code is 1 if anything is wrong.
"use strict";

const fs = require("fs");
const http = require("http");
const path = require("path");
const { pathToFileURL } = require("url");
const { chromium } = require("playwright-core");
const { replay } = require("./replay");
const { lists } = require("./lists");
const { hostile } = require("./hostile");
const { cup } = require("./cup");
const { story } = require("./story");

const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [360, 800, 1600];
const SCHEMES = ["light", "dark"];
const AXE_WIDTH = { light: 360, dark: 1600 };
const OPTIONS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

const wrong = [];
const done = {};

/// A thing that must hold; it is listed if it does not.
function check(holds, what) {
  if (!holds) wrong.push(what);
  return holds;
}

function count(what, number = 1) {
  done[what] = (done[what] ?? 0) + number;
}

/// All pages of a report: its only file, or each file of its folder.
function pagesOf(site) {
  if (site.single) return [""];
  const found = [];
  const walk = (folder) => {
    for (const entry of fs.readdirSync(path.join(site.path, folder), { withFileTypes: true })) {
      const name = folder ? `${folder}/${entry.name}` : entry.name;
      if (entry.isDirectory()) walk(name);
      else if (name.endsWith(".html")) found.push(name);
    }
  };
  walk("");
  return found.sort();
}

/// The kind of a page, by its address: pages of one kind are alike.
function kindOf(page) {
  return page.replace(/^stage-\d+\//, "stage/").replace(/(engine|game|games)\/.*/, "$1/");
}

/// A server of the reports' files on this machine alone.
function serve(sites) {
  const types = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".json": "application/json" };
  const server = http.createServer((asked, answer) => {
    const [, number, ...rest] = decodeURIComponent(new URL(asked.url, "http://x").pathname).split("/");
    const site = sites[Number(number)];
    const file = site && (site.single ? site.path : path.join(site.path, rest.join("/")));
    const isThere = file && file.startsWith(site.path) && fs.existsSync(file) && fs.statSync(file).isFile();
    answer.writeHead(isThere ? 200 : 404, { "content-type": (isThere && types[path.extname(file)]) || "text/plain" });
    answer.end(isThere ? fs.readFileSync(file) : "not there");
  });
  return new Promise((then) => server.listen(0, "127.0.0.1", () => then(server)));
}

/// The address of a page from a folder, and over HTTP.
function addressOf(sites, site, page, port) {
  const [, file, hash] = /^([^#]*)(.*)$/.exec(page);
  if (port) return `http://127.0.0.1:${port}/${sites.indexOf(site)}/${page}`;
  return pathToFileURL(site.single ? site.path : path.join(site.path, file)).href + hash;
}

/// A tab that reports every error, every policy violation and every request to another place.
async function openTab(browser, port) {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  const tab = await context.newPage();
  tab.setDefaultTimeout(120000);
  const where = () => decodeURIComponent(tab.url().split("/").slice(-3).join("/")).slice(0, 120);
  tab.on("console", (said) => {
    if (["error", "warning"].includes(said.type())) wrong.push(`${where()}: console: ${said.text().slice(0, 300)}`);
  });
  tab.on("pageerror", (error) => wrong.push(`${where()}: ${String(error.stack ?? error).slice(0, 300)}`));
  tab.on("dialog", (dialog) => {
    wrong.push(`${where()}: a script of an engine ran: ${dialog.message()}`);
    dialog.dismiss();
  });
  tab.on("request", (asked) => {
    const url = asked.url();
    const isOurs = /^(file|data|about):/.test(url) || url.startsWith(`http://127.0.0.1:${port}/`);
    check(isOurs, `${where()} asks ${url.slice(0, 200)}`);
  });
  // The browser asks for this by itself.
  await tab.route("**/favicon.ico", (route) => route.fulfill({ status: 204, body: "" }));
  return tab;
}

/// axe-core on the page as it stands now.
async function accessible(tab, where) {
  const violations = await tab.evaluate(async () => {
    // It would ask for the style sheet again, which the policy of the pages forbids.
    const found = await axe.run(document, { resultTypes: ["violations"], preload: false });
    const short = (node) => `${node.target.join(" ")}: ${node.any.concat(node.all).map((any) => any.message)[0] ?? ""}`;
    return found.violations.map((one) => `${one.id} (${one.nodes.length}): ${one.nodes.slice(0, 3).map(short).join("; ")}`);
  });
  violations.forEach((one) => wrong.push(`${where}: axe: ${one.slice(0, 500)}`));
  count("axe runs");
}

/// What holds for every page at every width.
async function fits(tab, where, width) {
  const over = await tab.evaluate(() => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return null;
    const clips = (element) => element.closest(".wide, pre") && !element.matches(".wide, pre");
    const wide = [...document.body.querySelectorAll("*")]
      .filter((element) => element.getBoundingClientRect().right > root.clientWidth + 1 && !clips(element))
      .slice(0, 3)
      .map((element) => element.outerHTML.slice(0, 80));
    return `${root.scrollWidth} px: ${wide.join(" | ")}`;
  });
  check(over === null, `${where}: scrolls sideways at ${width} px: ${over}`);
}

/// No number in a table is broken into two lines, at this width.
async function numbersAreWhole(tab, where, width) {
  const broken = await tab.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      // A hash may have digits alone.
      if (!node.parentElement.closest("td, th") || node.parentElement.closest("code") || !/^\s*[-−+±]?\d[\d.,:]*\s*%?\s*$/.test(node.data)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) found.push(node.data.trim());
    }
    return found.slice(0, 5).join(", ");
  });
  check(broken === "", `${where}: numbers are broken at ${width} px: ${broken}`);
  count("pages with whole numbers");
}

async function inject(tab) {
  const session = await tab.context().newCDPSession(tab);
  await session.send("Runtime.evaluate", { expression: AXE });
  await session.detach();
}

/// A page in every width, in light and dark. Where other reports have the same kind of page, only the width
/// of a phone is tried: names and tables overflow there first.
async function everyForm(tab, where, isThorough) {
  if (!isThorough) {
    await tab.setViewportSize({ width: WIDTHS[0], height: 900 });
    await numbersAreWhole(tab, where, WIDTHS[0]);
    return fits(tab, where, WIDTHS[0]);
  }
  await onPaper(tab, where);
  await inject(tab);
  for (const scheme of SCHEMES) {
    await tab.emulateMedia({ colorScheme: scheme });
    for (const width of WIDTHS) {
      await tab.setViewportSize({ width, height: 900 });
      await fits(tab, `${where} (${scheme})`, width);
      await numbersAreWhole(tab, `${where} (${scheme})`, width);
      // Colours depend on the scheme, and what overflows on the width: two of six have both.
      if (width === AXE_WIDTH[scheme]) await accessible(tab, `${where} (${scheme}, ${width})`);
    }
  }
}

/// As on A4 paper, which is 718 px wide between usual margins.
async function onPaper(tab, where) {
  await tab.emulateMedia({ media: "print", colorScheme: "light" });
  await tab.setViewportSize({ width: 718, height: 1000 });
  await numbersAreWhole(tab, `${where} (paper)`, 718);
  await tab.emulateMedia({ media: "screen" });
}

/// The sections of a single file, by address: what is shown, and what is text until it is shown.
async function sectionsOf(tab) {
  return tab.evaluate(() => {
    const all = [...document.querySelectorAll("section.page, noscript[data-page]")];
    return all.map((one) => one.id || one.dataset.page);
  });
}

/// Opens one page of each kind; all of them in a report of hostile engines. The kinds that `thorough` of the
/// report lists are looked at in every form.
async function tour(tab, sites, site, port) {
  const seen = new Set();
  for (const page of pagesOf(site)) {
    const kind = kindOf(page);
    if (seen.has(kind) && (port || !site.hostile)) continue;
    const where = `${site.name}/${page}${port ? " over HTTP" : ""}`;
    await tab.goto(addressOf(sites, site, page, port));
    count("pages");
    check((await tab.locator("h1:visible").count()) >= 1, `${where}: no heading is seen`);
    if (site.hostile) await hostile(tab, where, check, site);
    if (seen.has(kind)) continue;
    seen.add(kind);
    if (port) continue;
    if (!site.single) {
      await everyForm(tab, where, site.thorough?.includes(kind));
      continue;
    }
    const kinds = new Set();
    for (const section of await sectionsOf(tab)) {
      if (kinds.has(kindOf(section)) && !site.hostile) continue;
      await tab.evaluate((to) => { location.hash = to; }, section);
      await tab.waitForFunction((id) => document.getElementById(id)?.offsetParent, section);
      if (site.hostile) await hostile(tab, `${where}#${section}`, check, site);
      if (kinds.has(kindOf(section))) continue;
      kinds.add(kindOf(section));
      await everyForm(tab, `${where}#${section}`, site.thorough?.includes(kindOf(section)));
    }
  }
}

/// Pictures of the board at the end of a game, for the eye.
async function picture(tab, sites, site, folder) {
  const game = pagesOf(site).find((page) => page.startsWith("game/"));
  for (const scheme of SCHEMES) {
    await tab.emulateMedia({ colorScheme: scheme });
    await tab.setViewportSize({ width: 1000, height: 800 });
    await tab.goto(addressOf(sites, site, `${game}#ply=12`));
    await tab.screenshot({ path: path.join(folder, `${site.board}-${scheme}.png`) });
  }
  count("pictures", SCHEMES.length);
}

async function main() {
  const [list, folder] = process.argv.slice(2);
  const sites = JSON.parse(fs.readFileSync(list, "utf8"));
  fs.mkdirSync(folder, { recursive: true });
  const server = await serve(sites);
  const port = server.address().port;
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: OPTIONS });
  const timed = async (what, work) => {
    const began = Date.now();
    try {
      await work();
    } catch (error) {
      wrong.push(`${what}: ${String(error.stack ?? error).slice(0, 600)}`);
    }
    console.log(`${what}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  };
  const queue = [...sites];
  // Two tabs, one for each of two processors.
  const worker = async () => {
    const tab = await openTab(browser, port);
    for (let site = queue.shift(); site; site = queue.shift()) {
      const one = site;
      await timed(one.name, async () => {
        await tour(tab, sites, one, 0);
        if (one.http) await tour(tab, sites, one, port);
        if (one.board) await picture(tab, sites, one, folder);
      });
    }
    await tab.context().close();
  };
  await Promise.all([worker(), worker()]);
  const tab = await openTab(browser, port);
  const to = (name, page) => addressOf(sites, sites.find((site) => site.name === name), page, 0);
  await timed("cup", () => cup(tab, to, check));
  await timed("story", () => story(tab, to, check, sites));
  await timed("lists", () => lists(tab, to, check));
  await timed("replays", () => replay(tab, to, check, sites));
  await browser.close();
  server.close();
  console.log(Object.entries(done).map(([what, number]) => `${number} ${what}`).join(", "));
  [...new Set(wrong)].forEach((one) => console.log(`WRONG ${one}`));
  process.exitCode = wrong.length ? 1 : 0;
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
