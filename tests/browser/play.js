// Plays in the browser against engines of a server: with the mouse, with keys alone, as an operator.
//
//   node play.js URL
//
// URL is that of `agon serve --play` with the engines mover and tryst. The exit code is 1 if anything is
// wrong.
"use strict";

const fs = require("fs");
const { chromium } = require("playwright-core");

const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [url] = process.argv.slice(2);
const PATIENCE = 300000;
const wrong = [];

function check(holds, what) {
  if (!holds) wrong.push(what);
}

async function open(context, address = "play") {
  const page = (last = await context.newPage());
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (said) => {
    // A refused move is an answer with a status of its own, and so is a table that another has closed.
    const isExpected = (address === "play" ? /status of 4(09|22)/ : /status of 4(09|10|22)/).test(said.text());
    if (["error", "warning"].includes(said.type()) && !isExpected) wrong.push(`${address}: ${said.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`${address}: ${error}`));
  page.on("request", (asked) => check(asked.url().startsWith(url), `it asks ${asked.url()}`));
  await page.goto(url + address);
  return page;
}

async function axe(page, what) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run());
  for (const one of found.violations) wrong.push(`axe, ${what}: ${one.id}: ${one.help}: ${one.nodes[0].html.slice(0, 200)}`);
}

/// Waits until the table is in one of these phases, after so many plies or more.
async function phase(page, phases, plies = 0) {
  const holds = ([phases, plies]) => {
    const { phase, plies: now } = document.getElementById("table").dataset;
    return phases.includes(phase) && +now >= plies;
  };
  await page.waitForFunction(holds, [phases, plies]);
  return page.locator("#table").evaluate((table) => ({ phase: table.dataset.phase, plies: +table.dataset.plies }));
}

let last;
const said = (page) => page.locator("#said").textContent();
const slot = (page, number) => page.locator("#s" + number);

/// Opens what stands below the cards, which is closed at first.
async function more(page) {
  await page.locator("#cards").waitFor();
  for (const part of await page.locator("details.more").all()) {
    if (!(await part.evaluate((own) => own.open))) await part.locator("summary").first().click();
  }
}

/// Fills in the form and starts a game.
async function start(page, game, { first = "person", second = "engine mover", position, options = {} } = {}) {
  await more(page);
  await page.getByLabel("Game", { exact: true }).selectOption(game);
  for (const [label, value] of Object.entries(options)) await page.locator("#new").getByLabel(label, { exact: true }).fill(value);
  const who = page.locator("#new").getByLabel("Who plays");
  await who.nth(0).selectOption(first);
  await who.nth(1).selectOption(second);
  const times = page.locator("#new").getByLabel("Time (empty: no clock)");
  for (const [at, kind] of [first, second].entries()) await times.nth(at).fill(kind.startsWith("engine") ? "5" : "");
  if (position) await page.getByLabel("Position, or moves").fill(position);
  await page.getByRole("button", { name: "Start the game" }).click();
  await phase(page, ["person", "remote", "engine", "over"]);
}

async function leave(page) {
  await page.getByRole("button", { name: "Leave the table" }).click();
  await page.locator("#cards").waitFor();
}

/// A newcomer: a card, then a cell. Nothing else is to be filled in.
async function newcomer(page) {
  const shown = () => page.locator("#lobby").locator("input:visible, select:visible").count();
  check((await shown()) === 3, `${await shown()} fields are shown to a newcomer`);
  const cards = page.locator("#cards > li");
  check((await cards.count()) === 7, `${await cards.count()} cards`);
  for (const card of await cards.all()) {
    const name = await card.locator("h3").textContent();
    const board = card.locator("svg.board");
    const size = await board.boundingBox();
    check(size && size.width > 60 && size.height > 60 && size.height < 200, `${name}: its board is ${JSON.stringify(size)}`);
    check((await board.locator(".slots > g > *").count()) > 3, `${name}: nothing is on its board`);
    const unseen = await board.evaluate((own) => [...own.querySelectorAll("use")].filter((use) => !document.getElementById(use.getAttribute("href").slice(1))).length);
    check(unseen === 0, `${name}: ${unseen} pieces are not defined`);
    check(/^[A-Z][^.]+\.$/.test(await card.locator("h3 + p").textContent()), `${name}: no sentence of the rules`);
  }
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
  check(new Set(ids).size === ids.length, "an id occurs twice");
  await page.setViewportSize({ width: 360, height: 700 });
  const beside = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(beside <= 0, `the cards are ${beside} pixels too wide for a narrow screen`);
  await axe(page, "the cards on a narrow screen");
  await page.setViewportSize({ width: 1100, height: 900 });
  // An engine that does not say what it plays is offered where it is asked for, and it is said there.
  check(!/quiet/.test(await page.locator("#cards").textContent()), "an engine is offered on a card without saying that it plays the game");
  check(/not known of: a-quiet\./.test(await page.locator("#lobby").textContent()), "it is not said which engine says nothing");
  await page.getByLabel("Opponent").selectOption("a-quiet");
  check(/against a-quiet, not known to play this/.test(await cards.nth(0).textContent()), `the card says ${await cards.nth(0).textContent()}`);
  await page.getByLabel("Opponent").selectOption("");
  await more(page);
  const offered = await page.locator("#new").getByLabel("Who plays").first().locator("option").allTextContents();
  check(offered.indexOf("a-quiet (not known to play this)") > offered.indexOf("mover"), `the form offers ${offered}`);
  await page.reload();
  await page.locator("#cards").waitFor();
  // The two clicks.
  await page.getByRole("button", { name: "Play Connect four" }).click();
  await phase(page, ["person"]);
  await slot(page, 38).click();
  await phase(page, ["person", "over"], 2);
  check(/mover/.test(await page.locator(".players").textContent()), "the opponent is not the engine");
  // The rules are at the table, too.
  const rules = page.locator("#table details.rules");
  check(await rules.getByText(/four stones in a straight line/).isHidden(), "the rules are open");
  await rules.locator("summary").click();
  check(await rules.getByText(/four stones in a straight line/).isVisible(), "the rules cannot be opened");
  await leave(page);
  // The side and the strength are kept for the next game. Easy is one second a move.
  await page.getByLabel("You", { exact: true }).selectOption({ label: "come second" });
  await page.getByLabel("Strength").selectOption("easy");
  check(/^Easy: .*1 second a move/.test(await page.locator("#lobby .told").first().textContent()), "it is not said what easy is");
  await page.getByLabel("Opponent").selectOption("tryst");
  check(/tryst does not play it/.test(await cards.nth(0).textContent()), "tryst plays abalone");
  await page.getByRole("button", { name: "Play Tic-tac-toe" }).click();
  await phase(page, ["person"], 1);
  check(/X: tryst/.test(await page.locator(".players li").first().textContent()), "the engine does not begin");
  await leave(page);
  check((await page.getByLabel("You", { exact: true }).inputValue()) === "1", "the side is not kept");
  await page.reload();
  await page.locator("#cards").waitFor();
  await cards.nth(0).locator("summary").click();
  check(await cards.nth(0).getByText(/One to three of one's own marbles/).isVisible(), "no rules on a card");
  await axe(page, "the cards");
}

/// Plays to the end with clicks on slots that can be chosen, and on the buttons of moves where several have the same slots.
async function playWithMouse(page, game) {
  for (;;) {
    const now = await phase(page, ["person", "over"]);
    if (now.phase === "over") break;
    const moves = page.locator(".choices button");
    const chosen = page.locator(".slots > g.chosen");
    if ((await moves.count()) && ((await chosen.count()) || !(await page.locator(".slots > g.can").count()))) await moves.last().click();
    else await page.locator(".slots > g.can").last().click();
    const before = now.plies;
    await page.waitForFunction((before) => +document.getElementById("table").dataset.plies > before || document.querySelector(".slots > g.chosen"), before);
  }
  check(/The game is over: /.test(await said(page)), `${game}: the result is not said: ${await said(page)}`);
}

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, reducedMotion: "reduce" });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error("refused: " + event.violatedDirective + " " + event.blockedURI));
  });
  const page = await open(context);
  await page.locator("#cards").waitFor();
  await newcomer(page);
  await more(page);
  await axe(page, "the form");

  // TRYST'98, whose expected result is shown.
  const tryst = page.locator("#tryst");
  await tryst.getByLabel("Who begins").selectOption("program");
  await tryst.getByLabel("EXPERT: to the end").check();
  await page.getByRole("button", { name: "Start TRYST'98" }).click();
  await phase(page, ["person"], 1);
  check(/expects (0\.99|1\.00)/.test(await page.locator(".expects").textContent()), "EXPERT does not begin with a corner's .9974");
  await axe(page, "a table");
  await playWithMouse(page, "tryst");
  await page.getByRole("button", { name: "Undo" }).click();
  await phase(page, ["person"]);
  await leave(page);

  // Each other kind of game to its end.
  await start(page, "connect4");
  await playWithMouse(page, "connect4");
  await leave(page);
  await start(page, "letters", { options: { Rows: "3", Columns: "3", Planes: "1" } });
  await playWithMouse(page, "letters");
  await leave(page);
  await start(page, "mill", { first: "engine mover", second: "person" });
  // Its planes are turned in space, and cells are chosen there.
  await page.getByRole("button", { name: "Turn the board" }).click();
  await page.locator(".slots > g[tabindex='0']").focus();
  await page.keyboard.press("t");
  const board = page.locator("svg.board");
  check((await board.getAttribute("data-angle")) === "45", `a button and a key turn mill to ${await board.getAttribute("data-angle")}`);
  check(await page.evaluate(() => document.activeElement.matches(".slots > g")), "turning loses the focus");
  await axe(page, "a turned board");
  await playWithMouse(page, "mill");
  check((await board.locator(".row rect").count()) < 4 || (await board.locator(".through path").count()) > 0, "mill: no line goes through the row");
  check((await board.locator(".marks rect").count()) === 1, "mill: the last move is not marked");
  await page.getByRole("button", { name: "Planes" }).click();
  check((await board.getAttribute("data-angle")) === null, "mill: the planes do not come back");
  await leave(page);
  await start(page, "morris");
  await playWithMouse(page, "morris");
  await leave(page);
  // A man that closes a mill is chosen by three cells.
  await start(page, "morris", { position: ".XX...X.O....OO. x 0 0" });
  for (const number of [6, 0]) await slot(page, number).click();
  check(/chosen\. Now choose the piece to remove\./.test(await said(page)), `morris: ${await said(page)}`);
  await slot(page, 8).click();
  await phase(page, ["over"], 1);
  await leave(page);
  const off = "#####/#...../......./......../O###...../......../......./OOO.../OOOOO b";
  await start(page, "abalone", { position: off });
  // A row is pushed by its last marble and the cell to which its first one goes.
  for (const name of ["e4", "e1"]) await page.locator(`.slots > g[aria-label^="${name},"]`).click();
  await phase(page, ["over"], 1);
  await leave(page);
  // Each cell of a column stands for the column.
  await start(page, "mill");
  await slot(page, 16).click();
  await phase(page, ["person"], 2);
  await leave(page);
  // A word is played by itself, and the best one is shown by a hint.
  await start(page, "letters", { options: { Rows: "3", Columns: "3", Planes: "1" }, position: "3x3x1 cat/___/ate w 0 0 0" });
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator("#said", { hasText: /^Hint: 1,1,1,1,3,1,\w+: won in \d+\. On the board, \+ wins, = draws and − loses\.$/ }).waitFor();
  check((await page.locator(".slots > g.hint").count()) === 2, "the hint is not on the board");
  check(await page.getByText(/^All \d+ legal moves$/).isVisible(), "no list of the legal moves");
  await page.getByLabel("Move", { exact: true }).fill("CAT");
  await page.getByRole("button", { name: "Play it" }).click();
  await phase(page, ["person", "over"], 2);
  check(/cat/.test(await page.locator(".history tbody tr").first().textContent()), "the word was not played");
  await leave(page);
  await start(page, "letters");
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator("#said", { hasText: /^Hint: .*: \d+ points\. There are too many moves .* The best one is by its points\.$/ }).waitFor();
  await leave(page);
  await start(page, "abalone", { position: "#####/#...../......./......../O###...../......../......./OOO.../OOOOO b" });
  for (const name of ["e4", "e2", "e3"]) await page.locator(`.slots > g[aria-label^="${name},"]`).click();
  await phase(page, ["over"], 1);
  check(/B has won/.test(await said(page)), `abalone: ${await said(page)}`);
  await leave(page);

  // Keys alone: the board by arrows, the field for moves, undo, the end.
  await start(page, "mnk", { second: "person" });
  await page.locator("#s0").focus();
  for (const key of ["ArrowDown", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await phase(page, ["person"], 1);
  check(/X puts a mark on b2\. O is to move: your turn\./.test(await said(page)), `the move is not said: ${await said(page)}`);
  check(/b2, X/.test(await page.evaluate(() => document.activeElement.getAttribute("aria-label"))), "the cell does not say what is on it");
  for (const key of ["ArrowUp", " "]) await page.keyboard.press(key);
  await phase(page, ["person"], 2);
  // From the other side arrows go as they are seen.
  await page.keyboard.press("f");
  check(await page.locator("svg.board.flipped").isVisible(), "the key f does not flip the board");
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label").slice(0, 2));
  const [from] = [await focused(), await page.keyboard.press("ArrowUp")];
  check(from === "b3" && (await focused()) === "b2", `flipped, up leads from ${from} to ${await focused()}`);
  await page.keyboard.press("ArrowDown");
  await page.getByRole("button", { name: "Flip the board" }).click();
  check((await page.locator("svg.board.flipped").count()) === 0, "the button does not flip the board back");
  await page.locator('.slots > g[tabindex="0"]').focus();
  await page.keyboard.press("ArrowUp");
  for (const key of ["ArrowDown", "Enter"]) await page.keyboard.press(key);
  check(/No legal move begins with b2/.test(await said(page)), `a taken cell: ${await said(page)}`);
  const focusOn = async (name) => {
    for (let tab = 0; tab < 40; tab++) {
      await page.keyboard.press("Tab");
      const text = await page.evaluate(() => document.activeElement.textContent || document.activeElement.labels?.[0]?.textContent);
      if (text === name) return;
    }
    wrong.push(`Tab does not reach ${name}`);
  };
  await focusOn("Move");
  await page.keyboard.type("zz");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /zz/.test(document.getElementById("said").textContent));
  await page.keyboard.press("Control+A");
  for (const [at, move] of ["a1", "c1", "c3"].entries()) {
    await page.keyboard.type(move);
    await page.keyboard.press("Enter");
    await phase(page, at === 2 ? ["over"] : ["person"], 3 + at);
  }
  check(/X has won/.test(await said(page)), `keys: ${await said(page)}`);
  await focusOn("Undo");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("table").dataset.plies === "4");
  await leave(page);

  // A solved position: each legal move is marked with what it leads to, until the next move.
  await start(page, "mnk", { second: "person", position: "XX./OO./..." });
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator("#said", { hasText: /\+ wins/ }).waitFor();
  const worth = await page.locator(".slots > g .worth").evaluateAll((found) => found.map((one) => `${one.parentNode.id} ${one.textContent}`));
  check(worth.length === 5 && worth.includes("s2 +") && worth.includes("s6 −"), `the marks are ${worth}`);
  check(/, wins$/.test(await slot(page, 2).getAttribute("aria-label")), "a winning cell does not say so");
  await axe(page, "marks of moves");
  await slot(page, 6).click();
  await phase(page, ["person"], 1);
  check((await page.locator(".worth").count()) === 0, "marks stay after the move");
  await leave(page);

  // A position by hand: the page says at once whether it can be played.
  const made = () => page.getByLabel("Position, or moves").inputValue();
  const editor = page.locator("#new");
  const setUp = () => page.getByRole("button", { name: "Set the position up by hand" }).click();
  const isJudged = (words) => editor.getByRole("status").filter({ hasText: words }).waitFor();
  await setUp();
  await page.getByLabel("Piece").selectOption("2");
  await slot(page, 4).click();
  check((await made()) === ".../.O./...", "the position is not written");
  await isJudged(/X|turn|more/);
  await page.getByLabel("Piece").selectOption("1");
  await slot(page, 0).click();
  await isJudged("This position can be played.");
  await axe(page, "the editor");
  await editor.getByRole("button", { name: "Start the game" }).click();
  await phase(page, ["person"]);
  check(/b2, O/.test(await slot(page, 4).getAttribute("aria-label")), "the game does not begin with the position");
  await leave(page);
  // The men that are placed are all, unless others are in hand. The game is won with one click and a half.
  await page.getByLabel("Game", { exact: true }).selectOption("morris");
  await setUp();
  await page.getByRole("button", { name: "Clear the board" }).click();
  for (const [side, numbers] of [["1", [1, 2, 6]], ["2", [8, 13, 14]]]) {
    await page.getByLabel("Piece").selectOption(side);
    for (const number of numbers) await slot(page, number).click();
  }
  check((await made()) === ".XX...X.O....OO. x 0 0", `morris by hand: ${await made()}`);
  await isJudged("This position can be played.");
  await page.getByLabel("Men of X in hand").fill("9");
  await isJudged(/hand|men/);
  await page.getByLabel("Men of X in hand").fill("0");
  await isJudged("This position can be played.");
  await editor.getByRole("button", { name: "Start the game" }).click();
  await phase(page, ["person"]);
  for (const number of [6, 0, 8]) await slot(page, number).click();
  await phase(page, ["over"], 1);
  await leave(page);
  // Letters are placed, too.
  await page.getByLabel("Game", { exact: true }).selectOption("letters");
  for (const [label, value] of [["Rows", "3"], ["Columns", "3"], ["Planes", "1"]]) await editor.getByLabel(label, { exact: true }).fill(value);
  await setUp();
  await page.getByRole("button", { name: "Clear the board" }).click();
  for (const [letter, number] of [["c", 0], ["a", 1], ["t", 2]]) {
    await page.getByLabel("Letter (empty: a blank)").fill(letter);
    await slot(page, number).click();
  }
  check((await made()) === "3x3x1 cat/___/___ w 0 0 0", `letters by hand: ${await made()}`);
  await isJudged("This position can be played.");
  // Abalone's text has the rows from the top down, its slots from the bottom up.
  await page.getByLabel("Game", { exact: true }).selectOption("abalone");
  await page.getByRole("button", { name: "Set the position up by hand" }).click();
  await page.getByRole("button", { name: "Clear the board" }).click();
  for (const [piece, cell] of [["1", "i2"], ["2", "a5"]]) {
    await page.getByLabel("Piece").selectOption(piece);
    await page.locator(`.slots > g[aria-label^="${cell},"]`).click();
  }
  check((await made()) === ".#.../....../......./......../........./......../......./....../....O b", `abalone by hand: ${await made()}`);
  // A narrow screen: nothing is wider than it.
  await page.setViewportSize({ width: 360, height: 700 });
  const beside = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(beside <= 0, `the form is ${beside} pixels too wide for a narrow screen`);
  await page.setViewportSize({ width: 1100, height: 900 });
  await page.getByRole("button", { name: /Abalone against mover, 45 minutes/ }).click();
  await phase(page, ["person"]);
  check(/B: a person.*4[45]:\d\d/.test(await page.locator(".players li").first().textContent()), "no 45 minutes in abalone");
  await leave(page);
  await page.getByLabel("Your side in Mill").selectOption("1");
  await page.getByRole("button", { name: /Mill against mover, 45 minutes/ }).click();
  await phase(page, ["person"], 1);
  check(/B: a person.*4[45]:\d\d/.test(await page.locator(".players li").nth(1).textContent()), "the other side has no 45 minutes");
  await leave(page);
  await page.getByRole("button", { name: /Mill against mover, 45 minutes/ }).click();
  await phase(page, ["person"]);
  await page.setViewportSize({ width: 360, height: 700 });
  const narrow = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.querySelector(".slots .hit").getBoundingClientRect().width]);
  check(narrow[0] <= 0 && narrow[1] >= 23.9, `mill on a narrow screen: ${narrow}`);
  await page.setViewportSize({ width: 1100, height: 900 });
  check(/W: a person.*4[45]:\d\d/.test(await page.locator(".players li").first().textContent()), "no 45 minutes");
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator(".choices button").nth(15).waitFor();
  await page.getByRole("button", { name: "Resign" }).click();
  await phase(page, ["over"]);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Save the game" }).click()]);
  const record = fs.readFileSync(await saved.path(), "utf8");
  check(/\[Game "mill"\]/.test(record) && /\[Termination "resignation"\]/.test(record), `the saved game: ${record}`);
  await leave(page);

  // Two engines are watched. Then a program elsewhere, whose operator has a page of his own.
  await start(page, "mnk", { first: "engine mover", second: "engine tryst" });
  for (const name of ["Play it", "Resign", "Hint", "Undo"]) check(await page.getByRole("button", { name, exact: true }).isHidden(), `${name} is there while engines play`);
  await phase(page, ["over"], 5);
  await leave(page);
  await start(page, "mnk", { first: "remote" });
  const address = await page.getByLabel("Link for the operator of X").inputValue();
  const operator = await open(context, address.slice(url.length));
  await phase(operator, ["remote"]);
  await operator.getByRole("button", { name: "Its program has the move" }).click();
  await operator.locator("#said", { hasText: "Its time runs" }).waitFor();
  await operator.getByRole("button", { name: "Its program has answered" }).click();
  await operator.locator("#said", { hasText: "Its time stands" }).waitFor();
  await operator.getByLabel("Move", { exact: true }).fill("b2");
  await operator.getByRole("button", { name: "Play it" }).click();
  await phase(page, ["remote"], 2);
  check(/operator \d+\.\d s/.test(await page.locator(".history tbody tr").first().textContent()), "no overhead is shown");
  await leave(page);
  await operator.locator("#said", { hasText: "closed" }).waitFor();

  await browser.close();
  for (const one of wrong) console.log(`play.js: ${one}`);
  process.exit(wrong.length ? 1 : 0);
})().catch(async (error) => {
  console.log(`play.js: the page says: ${await said(last)}`);
  for (const one of wrong) console.log(`play.js: ${one}`);
  console.log(`play.js: ${error}`);
  process.exit(1);
});
