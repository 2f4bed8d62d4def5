// Looks at the pages of a class: students who submit, and the staff.
//
//   node class.js PORT LIVE TOKENS
//
// PORT is that of a server with --accept and --host class.test, LIVE the address of another one at whose
// run a game is played, TOKENS a JSON text: {student, staff, alias, archive}. The exit code is 1 if
// anything is wrong.
"use strict";

const fs = require("fs");
const { chromium } = require("playwright-core");

const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [port, live, text] = process.argv.slice(2);
const { student, staff, alias, archive } = JSON.parse(text);
const PATIENCE = 300000;
const wrong = [];

function check(holds, what) {
  if (!holds) wrong.push(what);
}

function watch(page) {
  page.on("console", (said) => {
    // A browser notes that a page is not for the public, and which header says nothing without https.
    const isExpected = /status of 403|Cross-Origin-Opener-Policy header has been ignored/.test(said.text());
    if (["error", "warning"].includes(said.type()) && !isExpected) wrong.push(`${page.url()}: ${said.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`${page.url()}: ${error}`));
  page.on("dialog", (dialog) => {
    wrong.push(`${page.url()}: a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
}

async function axe(page, what) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run());
  for (const one of found.violations) wrong.push(`${what}: axe: ${one.id}: ${one.nodes[0].html}`);
}

/// Waits until the page says something.
async function says(page, words) {
  await page.locator("#main", { hasText: words }).waitFor({ timeout: PATIENCE });
}

/// Enters a token into the form with this button, and presses it.
async function ask(page, token, button) {
  const form = page.locator("form", { has: page.getByRole("button", { name: button, exact: true }) });
  await form.getByLabel("Your token").fill(token);
  await form.getByRole("button", { name: button, exact: true }).click();
}

(async () => {
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP class.test 127.0.0.1"];
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
  const context = await browser.newContext();
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error("refused: " + event.violatedDirective + " " + event.blockedURI));
  });
  // A name that is not loopback, without https: the browser hides where a plain form comes from.
  const site = `http://class.test:${port}`;
  const page = await context.newPage();
  watch(page);
  await page.goto(site + "/submit");
  await axe(page, "/submit");
  await page.locator("input[type=file]").setInputFiles(archive);
  await ask(page, student, "Submit");
  await says(page, "Received. Your submission is number 1 in the queue.");

  await page.goto(site + "/submit");
  await ask(page, student, "Show");
  await says(page, "Games lost by a fault");
  check((await page.locator("h1").textContent()) === alias, "not the page of the author");
  check((await page.locator("main").textContent()).includes("<b>"), "the hostile move is not shown");
  check((await page.locator("main td b, main script").count()) === 0, "hostile text is no text");
  await axe(page, "/mine");
  for (const name of ["log.txt", "stderr"]) {
    const [download] = await Promise.all([page.waitForEvent("download", { timeout: PATIENCE }), page.getByRole("button", { name, exact: true }).first().click()]);
    check(fs.readFileSync(await download.path(), "utf8").length > 0, `${name} is empty`);
  }
  await page.getByRole("button", { name: "Show this again" }).click();
  await says(page, "Games lost by a fault");

  await page.goto(site + "/submit");
  await ask(page, staff, "Show all");
  await says(page, "agon reveal names the student");
  await axe(page, "/staff");
  await page.getByRole("button", { name: `more of ${alias}`, exact: true }).click();
  await says(page, "Games lost by a fault");

  // The results before they are published.
  await page.goto(site + "/");
  await says(page, "not published yet");
  await page.goto(site + "/submit");
  await ask(page, staff, "Show the results");
  await page.locator("#main table").first().waitFor({ timeout: PATIENCE });
  check((await page.locator("#main").textContent()).includes(alias), "the standings have no alias");
  await axe(page, "the results");
  await page.getByRole("link", { name: "Crosstable" }).click();
  await page.waitForURL(/crosstable/, { timeout: PATIENCE });
  await page.locator("#main table").first().waitFor({ timeout: PATIENCE });
  await page.goto(site + "/games/1.html");
  await page.getByRole("button", { name: "Filter the games" }).click({ timeout: PATIENCE });
  await page.locator("div.filter select").first().waitFor({ timeout: PATIENCE });
  await page.goto(site + "/game/r01-p0001-g01.html");
  await page.locator("svg.board").first().waitFor({ timeout: PATIENCE });
  await page.keyboard.press("End");
  await page.reload();
  await page.locator("svg.board").first().waitFor({ timeout: PATIENCE });
  const other = await context.newPage();
  watch(other);
  await other.goto(site + "/");
  await says(other, "not published yet");
  check((await context.cookies()).length === 0, "there is a cookie");
  await page.goto(site + "/submit");
  await page.getByRole("button", { name: "Forget the token of this tab" }).click();
  await page.goto(site + "/");
  await says(page, "not published yet");

  // Without a script, on this machine.
  const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await plain.goto(`http://127.0.0.1:${port}/submit`);
  await ask(plain, student, "Show");
  await says(plain, "Games lost by a fault");

  // The games in play.
  const boards = await context.newPage();
  watch(boards);
  await boards.goto(live + "live.html");
  await boards.locator("svg.board").first().waitFor({ timeout: PATIENCE });
  await axe(boards, "/live.html");
  await browser.close();
  for (const one of wrong) console.log(`class.js: ${one}`);
  process.exit(wrong.length ? 1 : 0);
})().catch((error) => {
  for (const one of wrong) console.log(`class.js: ${one}`);
  console.log(`class.js: ${error}`);
  process.exit(1);
});
