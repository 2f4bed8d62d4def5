// Plays chess with the mouse, and looks at the replay of a game of it.
//
//   node chess.js URL GAME
//
// URL is that of `agon serve --play` with an engine `mover`. GAME is the file of a game that a report has:
// fool's mate, `1. f3 e5 2. g4 Qh4#`. The exit code is 1 if anything is wrong.
"use strict";

const { pathToFileURL } = require("url");
const { chromium } = require("playwright-core");

const [url, game] = process.argv.slice(2);
const PATIENCE = 300000;
const wrong = [];
let page;

function check(holds, what) {
  if (!holds) wrong.push(what);
}

/// The number of a square's slot: row by row from the top left.
const number = (square) => 8 * (8 - +square[1]) + "abcdefgh".indexOf(square[0]);
const square = (number) => "abcdefgh"[number % 8] + (8 - Math.floor(number / 8));
const slot = (name) => page.locator("#s" + number(name));
const click = (name) => slot(name).click();
const label = (name) => slot(name).getAttribute("aria-label");
const said = () => page.locator("#said").textContent();
const choices = () => page.locator(".choices button").allTextContents();

/// The squares with a class, in order.
async function withClass(name) {
  const ids = await page.locator(`.slots > g.${name}`).evaluateAll((found) => found.map(({ id }) => +id.slice(1)));
  return ids.map(square).sort().join(" ");
}

/// The squares on which rings of this layer lie, as they are seen.
function ringed(layer) {
  return page.evaluate((layer) => {
    const middle = (one) => {
      const box = one.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const slots = [...document.querySelectorAll("svg.board .slots > g")].map((one) => one.getScreenCTM());
    const of = (ring) => {
      const [x, y] = middle(ring);
      const far = slots.map(({ e, f }) => Math.hypot(e - x, f - y));
      return far.indexOf(Math.min(...far));
    };
    return [...document.querySelectorAll(`svg.board ${layer} > *`)].map(of);
  }, layer).then((found) => found.map(square).sort().join(" "));
}

/// Waits until the table is in one of these phases, after so many plies or more.
async function phase(phases, plies = 0) {
  const holds = ([phases, plies]) => {
    const { phase, plies: now } = document.getElementById("table").dataset;
    return phases.includes(phase) && +now >= plies;
  };
  await page.waitForFunction(holds, [phases, plies]);
}

async function start({ second = "person", position, is960 } = {}) {
  await page.locator("#cards").waitFor();
  for (const part of await page.locator("details.more").all()) {
    if (!(await part.evaluate((own) => own.open))) await part.locator("summary").first().click();
  }
  await page.getByLabel("Game", { exact: true }).selectOption("chess");
  await page.locator("#new").getByLabel("Start", { exact: true }).selectOption(is960 ? "960" : "");
  const who = page.locator("#new").getByLabel("Who plays");
  await who.nth(0).selectOption("person");
  await who.nth(1).selectOption(second);
  const times = page.locator("#new").getByLabel("Time (empty: no clock)");
  await times.nth(0).fill("");
  await times.nth(1).fill(second === "person" ? "" : "5");
  await page.getByLabel("Position, or moves").fill(position || "");
  await page.getByRole("button", { name: "Start the game" }).click();
  await phase(["person", "over"]);
}

async function leave() {
  await page.getByRole("button", { name: "Leave the table" }).click();
  await page.locator("#cards").waitFor();
}

async function moves() {
  await start();
  check((await withClass("can")) === "a2 b1 b2 c2 d2 e2 f2 g1 g2 h2", `the pieces that can move: ${await withClass("can")}`);
  await click("g1");
  check((await withClass("chosen")) === "g1" && (await withClass("can")) === "f3 h3", `the targets of the knight: ${await withClass("can")}`);
  check(/^g1, W knight, chosen$/.test(await label("g1")), `the knight is called ${await label("g1")}`);
  // Another piece is chosen in its place, and the same one again is none.
  await click("e2");
  check((await withClass("chosen")) === "e2" && (await withClass("can")) === "e3 e4", `the targets of the pawn: ${await withClass("can")}`);
  await click("e2");
  check((await withClass("chosen")) === "", "a piece that is clicked again stays chosen");
  await click("e5");
  check(/^No legal move begins with e5\.$/.test(await said()), `an empty square: ${await said()}`);
  await click("e2");
  await click("e4");
  await phase(["person"], 1);
  check((await ringed(".marks")) === "e2 e4", `the marks of the last move: ${await ringed(".marks")}`);
  check(/W moves the pawn from e2 to e4\. B is to move/.test(await said()), `a move is said: ${await said()}`);
  check(/e4/.test(await page.locator(".history tbody tr").first().textContent()), "the move is not in the list");
  // Flipped, the same squares are marked, and clicks go where the pieces are seen.
  await page.getByRole("button", { name: "Flip the board" }).click();
  check(await page.locator("svg.board.flipped").isVisible(), "the button does not flip the board");
  check((await ringed(".marks")) === "e2 e4", `the marks of a flipped board: ${await ringed(".marks")}`);
  const [top, bottom] = [await slot("e1").boundingBox(), await slot("e8").boundingBox()];
  check(top.y < bottom.y, "flipped, White does not stand above");
  for (const name of ["f7", "f5", "d1", "h5"]) await click(name);
  await phase(["person"], 3);
  check((await ringed(".row")) === "e8", `the king in check is marked: ${await ringed(".row")}`);
  check(/, check\. B is to move/.test(await said()), `check is said: ${await said()}`);
  // In check only what helps can be chosen.
  check((await withClass("can")) === "g7", `in check: ${await withClass("can")}`);
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator("#said", { hasText: /Nothing of this game is solved/ }).waitFor();
  const hinted = await page.locator(".choices details .choices button").allTextContents();
  check(hinted.join() === "g7g6", `the hint lists ${hinted}`);
  await page.locator(".choices details .choices button").first().click();
  await phase(["person"], 4);
  check((await ringed(".row")) === "", "check stays marked");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction(() => document.getElementById("table").dataset.plies === "3");
  check((await ringed(".row")) === "e8", "after Undo the check is not marked");
  await page.getByRole("button", { name: "Flip the board" }).click();
  await leave();
  // Against an engine.
  await start({ second: "engine mover" });
  for (const name of ["d2", "d4"]) await click(name);
  await phase(["person", "over"], 2);
  check((await ringed(".marks")).split(" ").length === 2, `the engine's move is marked: ${await ringed(".marks")}`);
  await leave();
}

async function odd() {
  // A promotion is asked for, and so is one that takes.
  await start({ position: "1n5k/P7/8/8/8/8/8/K7 w - - 0 1" });
  await click("a7");
  check((await withClass("can")) === "a8 b8", `the pawn can go to ${await withClass("can")}`);
  await click("b8");
  check((await choices()).sort().join() === "a7b8b,a7b8n,a7b8q,a7b8r", `the promotion: ${await choices()}`);
  check(/^4 moves have these cells: choose one below the board\.$/.test(await said()), `a promotion is said: ${await said()}`);
  await page.locator(".choices button", { hasText: "a7b8n" }).click();
  await phase(["person", "over"], 1);
  check(/^b8, W knight/.test(await label("b8")), `on b8 is ${await label("b8")}`);
  await leave();
  // Castling: the king to g1; and a rook that is clicked after the king is chosen for itself.
  await start({ position: "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1" });
  await click("e1");
  check((await withClass("can")) === "c1 d1 d2 e2 f1 f2 g1", `the king can go to ${await withClass("can")}`);
  await click("h1");
  check((await withClass("chosen")) === "h1", "the rook is not chosen behind the king");
  for (const name of ["e1", "g1"]) await click(name);
  await phase(["person"], 1);
  check(/^g1, W king/.test(await label("g1")) && /^f1, W rook/.test(await label("f1")), "the short castling is not on the board");
  for (const name of ["e8", "c8"]) await click(name);
  await phase(["person"], 2);
  check(/^c8, B king/.test(await label("c8")) && /^d8, B rook/.test(await label("d8")), "the long castling is not on the board");
  await leave();
  // En passant.
  await start({ position: "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1" });
  for (const name of ["e5", "d6"]) await click(name);
  await phase(["person", "over"], 1);
  check(/^d5, (empty|nothing)/.test(await label("d5")), `after en passant on d5 is ${await label("d5")}`);
  await leave();
  // Mate ends it.
  await start({ position: "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1" });
  for (const name of ["a1", "a8"]) await click(name);
  await phase(["over"], 1);
  check(/The game is over: .*checkmate/.test(await said()), `mate is said: ${await said()}`);
  check((await ringed(".row")) === "g8", `the mated king is marked: ${await ringed(".row")}`);
  await click("g8");
  check(/The game is over\./.test(await said()), "a click after the end is not answered");
  await leave();
}

async function of960() {
  // The king takes its own rook: here it stands still, and only the rook moves.
  await start({ is960: true, position: "1rk4r/pppppppp/8/8/8/8/PPPPPPPP/1RK4R w HBhb - 0 1" });
  await click("c1");
  check((await withClass("can")) === "b1 d1 h1", `the king can go to ${await withClass("can")}`);
  await click("b1");
  await phase(["person"], 1);
  check(/^c1, W king/.test(await label("c1")) && /^d1, W rook/.test(await label("d1")), `long: ${await label("c1")}; ${await label("d1")}`);
  check(/castles long/.test(await said()), `castling is said: ${await said()}`);
  for (const name of ["c8", "h8"]) await click(name);
  await phase(["person"], 2);
  check(/^g8, B king/.test(await label("g8")) && /^f8, B rook/.test(await label("f8")), `short: ${await label("g8")}; ${await label("f8")}`);
  await leave();
  // A drawn start: sixteen pieces of each side, and the first move by mouse.
  await start({ is960: true });
  check((await withClass("can")).split(" ").length >= 8, `in a drawn start can move ${await withClass("can")}`);
  for (const name of ["e2", "e4"]) await click(name);
  await phase(["person"], 1);
  await leave();
}

async function replay() {
  await page.goto(pathToFileURL(game).href);
  const key = (name) => page.keyboard.press(name);
  await page.locator("h1").first().click();
  await key("Home");
  check((await ringed(".marks")) === "" && (await ringed(".row")) === "", "something is marked at the start");
  const steps = [["f2 f3", ""], ["e5 e7", ""], ["g2 g4", ""], ["d8 h4", "e1"]];
  for (const [at, [marks, row]] of steps.entries()) {
    await key("ArrowRight");
    const seen = [await ringed(".marks"), await ringed(".row")];
    check(seen[0] === marks && seen[1] === row, `replay, ply ${at + 1}: the marks are ${seen[0]}, the check ${seen[1]}`);
  }
  check(/B moves the queen from d8 to h4, check/.test(await page.locator("#caption").textContent()), `the caption: ${await page.locator("#caption").textContent()}`);
  await key("f");
  check((await page.locator("svg.board.flipped").count()) === 1 && (await ringed(".row")) === "e1", "flipped, the check is not marked");
  await key("ArrowLeft");
  check((await ringed(".row")) === "" && (await ringed(".marks")) === "g2 g4", "a step back leaves marks");
  const list = await page.locator("body").textContent();
  check(list.includes("Qh4#"), "the moves are not in the notation of people");
}

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, reducedMotion: "reduce" });
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (told) => {
    if (["error", "warning"].includes(told.type())) wrong.push(`the page tells: ${told.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(String(error)));
  await page.goto(url + "play");
  await moves();
  await odd();
  await of960();
  await replay();
  await browser.close();
  for (const one of wrong) console.log(`chess.js: ${one}`);
  process.exit(wrong.length ? 1 : 0);
})().catch(async (error) => {
  console.log(`chess.js: the page says: ${await said().catch(() => "nothing")}`);
  for (const one of wrong) console.log(`chess.js: ${one}`);
  console.log(`chess.js: ${error}`);
  process.exit(1);
});
