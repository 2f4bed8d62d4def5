// A replay: buttons, keys, slider, jump field, address, words for a screen reader, and its speed.
"use strict";

const fs = require("fs");
const path = require("path");

/// From a key to the picture, in milliseconds, at most on a busy machine; 16 is the aim.
const MOST_MS = 100;
/// Plies a second while a key is held, at least on a busy machine; 500 is the aim.
const LEAST_PLIES = 50;

/// What the page shows now.
function state(tab) {
  return tab.evaluate(() => ({
    ply: Number(document.querySelector("input[type=range]").value),
    last: Number(document.querySelector("input[type=range]").max),
    caption: document.getElementById("caption").textContent.trim(),
    board: document.querySelector("svg.board")?.outerHTML ?? "",
    hash: location.hash,
  }));
}

const button = (tab, name) => tab.getByRole("button", { name, exact: true });

async function steps(tab, to, check, site) {
  const games = fs.readdirSync(path.join(site.path, "game")).sort();
  const address = to(site.name, `game/${games[0]}`);
  const where = site.name;
  await tab.goto(address);
  const start = await state(tab);
  check(start.last > 2, `${where}: the game has ${start.last} plies`);
  check(start.board.length > 0, `${where}: there is no board`);

  await button(tab, "First").click();
  const first = await state(tab);
  await button(tab, "Forward").click();
  const one = await state(tab);
  check(first.ply === 0 && one.ply === 1, `${where}: First and Forward lead to ply ${one.ply}`);
  check(one.board !== first.board, `${where}: the first move changes nothing on the board`);
  check(one.caption !== first.caption && one.caption.length > 5, `${where}: the first move is told as "${one.caption}"`);
  // The address follows when nothing moves for a moment.
  await tab.waitForFunction(() => /[#&]ply=1$/.test(location.hash), null, { timeout: 120000 })
    .catch(async () => check(false, `${where}: after one ply the address ends with ${(await state(tab)).hash}`));
  await button(tab, "Back").click();
  check((await state(tab)).ply === 0, `${where}: Back leads to ply ${(await state(tab)).ply}`);
  await button(tab, "Last").click();
  const last = await state(tab);
  check(last.ply === last.last, `${where}: Last leads to ply ${last.ply} of ${last.last}`);

  // Keys, anywhere on the page but in a field.
  await tab.locator("h1").first().click();
  await tab.keyboard.press("Home");
  check((await state(tab)).ply === 0, `${where}: Home leads to ply ${(await state(tab)).ply}`);
  await tab.keyboard.press("ArrowRight");
  await tab.keyboard.press("ArrowRight");
  await tab.keyboard.press("ArrowLeft");
  const back = await state(tab);
  check(back.ply === 1, `${where}: two steps and one back lead to ply ${back.ply}`);
  await tab.keyboard.press("End");
  const end = await state(tab);
  check(end.ply === end.last, `${where}: End leads to ply ${end.ply}`);

  // Every ply, forward and back: the same ply has the same caption and the same board.
  const walked = await tab.evaluate(async () => {
    const slider = document.querySelector("input[type=range]");
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true }));
    const shown = () => [...document.querySelectorAll("svg.board [id^=s]")]
      .map((slot) => `${slot.getAttribute("class")}${slot.textContent}${[...slot.children].map((part) => part.getAttribute("class")).join()}`).join(";") +
      document.getElementById("caption").textContent;
    document.activeElement.blur();
    press("Home");
    const forward = [shown()];
    for (let ply = 0; ply < Number(slider.max); ply++) { press("ArrowRight"); forward.push(shown()); }
    const backward = [shown()];
    for (let ply = 0; ply < Number(slider.max); ply++) { press("ArrowLeft"); backward.push(shown()); }
    backward.reverse();
    return { same: forward.filter((one, at) => one !== backward[at]).length, different: new Set(forward).size, all: forward.length };
  });
  check(walked.same === 0, `${where}: ${walked.same} plies look different forward and back`);
  check(walked.different > walked.all * 0.9, `${where}: only ${walked.different} of ${walked.all} plies look different`);

  // The slider and the field.
  await tab.getByLabel("Ply", { exact: true }).fill("2");
  check((await state(tab)).ply === 2, `${where}: the slider leads to ply ${(await state(tab)).ply}`);
  const two = await state(tab);
  const field = tab.getByLabel("Go to ply");
  await field.fill("3");
  await field.press("Enter");
  const three = await state(tab);
  check(three.ply === 3, `${where}: the field leads to ply ${three.ply}`);
  await field.press("ArrowLeft");
  check((await state(tab)).ply === 3, `${where}: an arrow in the field moves the game`);

  // The address, and back from another page.
  await tab.goto("about:blank");
  await tab.goto(`${address}#ply=2`);
  const deep = await state(tab);
  check(deep.ply === 2 && deep.caption === two.caption, `${where}: #ply=2 shows ply ${deep.ply}`);
  await tab.keyboard.press("ArrowRight");
  await tab.waitForFunction(() => /[#&]ply=3$/.test(location.hash), null, { timeout: 120000 }).catch(() => {});
  const link = tab.getByRole("navigation").getByRole("link").first();
  await link.click();
  await tab.goBack();
  check((await state(tab)).ply === 3, `${where}: back leads to ply ${(await state(tab)).ply}, not 3`);
  await tab.evaluate(() => { location.hash = "#ply=1"; });
  await tab.waitForTimeout(50);
  check((await state(tab)).ply === 1, `${where}: a changed address leads to ply ${(await state(tab)).ply}`);
  for (const odd of ["#ply=99999", "#ply=-1", "#ply=x", "#ply=", "#nothing"]) {
    await tab.goto("about:blank");
    await tab.goto(address + odd);
    const { ply, last: most } = await state(tab);
    check(ply >= 0 && ply <= most, `${where}: ${odd} leads to ply ${ply}`);
  }

  // Playing.
  await tab.locator("h1").first().click();
  await tab.keyboard.press("Home");
  await tab.keyboard.press("Space");
  await tab.waitForFunction(() => Number(document.querySelector("input[type=range]").value) >= 1, null, { timeout: 120000 })
    .catch(() => check(false, `${where}: space does not play`));
  await tab.keyboard.press("Space");
  const stopped = (await state(tab)).ply;
  await tab.waitForTimeout(1200);
  check((await state(tab)).ply === stopped, `${where}: space does not stop`);
  // Eight times as fast, and as long as the engines thought: both reach the end, and stop there.
  for (const speed of ["8", "real"]) {
    await tab.getByLabel("Speed").selectOption(speed);
    await field.fill(String(Math.max(end.last - 8, 0)));
    await field.press("Enter");
    await button(tab, "Play").click();
    await button(tab, "Play").waitFor({ timeout: 120000 }).catch(() => {});
    const { ply, last: most } = await state(tab);
    check(ply === most, `${where}: at the speed ${speed} it stops at ply ${ply} of ${most}`);
  }

  await flipped(tab, check, site);

  // Each chart leads to its plies.
  for (const chart of await tab.locator(".scores:not(.values) svg:visible").all()) {
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    for (const [part, wanted] of [[0, 0], [1, end.last], [1 / end.last, 1]]) {
      await chart.click({ position: { x: Math.min(part * box.width, box.width - 1), y: 9 } });
      check((await state(tab)).ply === wanted, `${where}: a chart leads to ply ${(await state(tab)).ply}, not ${wanted}`);
    }
    charted++;
  }
}

/// From the other side each label stands where its opposite one stood, and upright.
async function flipped(tab, check, site) {
  const where = site.name;
  const flip = button(tab, "Flip the board");
  const has = (await flip.count()) > 0;
  // Planes would change places, and nothing falls upwards.
  const can = !/^(connect4|letters|mill)/.test(site.board ?? "");
  if (site.board) check(has === can, `${where}: the board ${has ? "can" : "cannot"} be flipped`);
  if (!has) return;
  await button(tab, "First").click();
  const labels = () => tab.evaluate(() => {
    const centre = (part) => { const box = part.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; };
    const board = document.querySelector("svg.board");
    const [x, y] = centre(board);
    return [...board.querySelectorAll(".labels text")].map((label) => {
      const [left, top] = centre(label);
      return { text: label.textContent, at: [left - x, top - y], turned: (parseFloat(getComputedStyle(board).rotate) || 0) + (parseFloat(getComputedStyle(label).rotate) || 0) };
    });
  });
  const before = await labels();
  await flip.click();
  const after = await labels();
  before.forEach(({ text, at }, number) => {
    const { at: now, turned } = after[number];
    check(Math.abs(at[0] + now[0]) < 3 && Math.abs(at[1] + now[1]) < 3, `${where}: flipped, the label ${text} goes from ${at} to ${now}`);
    check(turned % 360 === 0, `${where}: flipped, the label ${text} is turned by ${turned} degrees`);
  });
  await tab.locator("h1").first().click();
  await tab.keyboard.press("f");
  check(JSON.stringify(await labels()) === JSON.stringify(before), `${where}: the key f does not flip the board back`);
}

/// Several planes can be seen in space: every slot has a place of its own within the picture, marks stand on
/// their slots, a won line is drawn through its slots, and the planes come back as they were.
async function turned(tab, to, check, site) {
  const where = site.name;
  const games = fs.readdirSync(path.join(site.path, "game")).sort();
  const isOfPlanes = /^(letters|mill)/.test(site.board ?? "");
  let through = 0;
  for (const game of isOfPlanes ? games : games.slice(0, 1)) {
    await tab.goto(to(where, `game/${game}`));
    const turn = button(tab, "Turn the board");
    check((await turn.count() > 0) === isOfPlanes, `${where}: the board ${isOfPlanes ? "cannot" : "can"} be turned`);
    if (!isOfPlanes) return;
    await button(tab, "Last").click();
    await tab.waitForTimeout(700); // the letters of a word have fallen
    const look = () => tab.evaluate(() => {
      const board = document.querySelector("svg.board");
      const box = board.viewBox.baseVal;
      const at = [...board.querySelectorAll(".slots > g")].map((slot) => slot.transform.baseVal[0].matrix).map(({ e, f }) => [e, f]);
      const rings = [...board.querySelectorAll(".marks rect, .row rect")].map((ring) => [+ring.getAttribute("x") + ring.getAttribute("width") / 2, +ring.getAttribute("y") + ring.getAttribute("height") / 2]);
      return {
        same: at.length - new Set(at.map(String)).size,
        outside: at.filter(([x, y]) => x < box.x + 30 || y < box.y + 30 || x > box.x + box.width - 30 || y > box.y + box.height - 30).length,
        astray: rings.filter(([x, y]) => !at.some(([e, f]) => Math.abs(e - x) < 1 && Math.abs(f - y) < 1)).length,
        row: board.querySelectorAll(".row rect").length,
        lines: board.querySelectorAll(".through path").length,
        angle: board.dataset.angle ?? "none",
        slots: [...board.querySelectorAll(".slots > g")].map((slot, number) => slot.id + at[number] + slot.innerHTML).join(),
        text: board.getAttribute("viewBox") + board.querySelector(".cell path").getAttribute("d"),
      };
    });
    const before = await look();
    check(before.angle === "none" && before.lines === 0, `${where}: it is turned at once`);
    await turn.click();
    for (const [key, angle] of [["", "30"], ["t", "45"], ["T", "30"], ["T", "15"]]) {
      if (key) await tab.keyboard.press(key);
      const now = await look();
      check(now.angle === angle, `${where}: the key "${key}" turns it to ${now.angle}, not ${angle}`);
      check(now.same === 0 && now.outside === 0 && now.astray === 0, `${where}: turned by ${angle}, ${now.same} slots lie on others, ${now.outside} outside, and ${now.astray} marks on none`);
      check(now.row < 4 || now.lines > 0, `${where}: no line goes through the row of ${now.row}`);
      through += now.lines;
    }
    await button(tab, "Planes").click();
    const after = await look();
    check(after.slots === before.slots && after.text === before.text && after.lines === 0, `${where}: the planes do not come back as they were`);
    check(await turn.evaluate((one) => document.activeElement === one), `${where}: the focus is lost with the button Planes`);
  }
  if (/^mill/.test(site.board)) check(through > 0, `${where}: no game was won by a line`);
}

/// The sides of the boxes are lines: each that was drawn lies between its dots, in the line of its seat, and the
/// last one is marked.
async function edges(tab, to, check, site) {
  const where = site.name;
  await tab.goto(to(where, "game/" + fs.readdirSync(path.join(site.path, "game")).sort()[0]));
  const look = () => tab.evaluate(() => {
    const board = document.querySelector("svg.board");
    const slots = [...board.querySelectorAll(".slots > g[data-edge]")];
    const drawn = slots.filter((slot) => slot.querySelector("path.edge"));
    const centre = (part) => { const box = part.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; };
    const marked = [...board.querySelectorAll(".marks path")].map(centre);
    return {
      all: slots.length,
      drawn: drawn.length,
      right: drawn.filter((slot) => slot.querySelector("path").getAttribute("d") === slot.dataset.edge).length,
      kinds: [...new Set(drawn.map((slot) => slot.querySelector("path").getAttribute("class")))].sort().join(),
      marked: marked.length,
      on: marked.filter(([x, y]) => drawn.some((slot) => Math.hypot(centre(slot)[0] - x, centre(slot)[1] - y) < 2)).length,
      boxes: board.querySelectorAll(".slots use").length,
    };
  });
  // Its referee tells no positions, so none is offered. The link can be copied by hand where the browser forbids more.
  check((await tab.locator(".tools .copy, .tools .position").count()) === 0, `${where}: a position is offered`);
  await tab.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error("no")); });
  await button(tab, "Copy link to this ply").click();
  await tab.locator(".tools [role=status]:not(:empty)").waitFor();
  const link = await tab.evaluate(() => [document.querySelector(".tools input.position")?.value, document.querySelector(".tools [role=status]").textContent]);
  check(/#ply=0$/.test(link[0]) && /^Link /.test(link[1]), `${where}: by hand the link is ${link}`);
  const before = (await look()).drawn;
  await button(tab, "Forward").click();
  const one = await look();
  check(one.drawn === before + 1 && one.marked === 1 && one.on === 1, `${where}: after a move ${one.drawn} edges are drawn, and ${one.on} of ${one.marked} marks stand on one`);
  await button(tab, "Last").click();
  const end = await look();
  check(end.all === 24 && end.drawn === 24 && end.right === 24, `${where}: at the end ${end.drawn} of ${end.all} edges are drawn, ${end.right} of them between their dots`);
  check(/edge e1,edge e2/.test(end.kinds) && end.boxes === 9, `${where}: edges of the kinds ${end.kinds}, and ${end.boxes} boxes with an owner`);
}

/// Texts on panels lie within their boxes, after each ply, and `_` is a space; a bid is marked with its whole box,
/// and the words of the position have it.
async function panels(tab, to, check, site) {
  const where = site.name;
  await tab.goto(to(where, "game/" + fs.readdirSync(path.join(site.path, "game")).sort()[0]));
  const look = () => tab.evaluate(() => {
    const board = document.querySelector("svg.board");
    const boxes = [...board.querySelectorAll(".panels rect")].map((box) => box.getBoundingClientRect());
    const slots = [...board.querySelectorAll(".slots > g[data-panel]")];
    const texts = slots.flatMap((slot) => [...slot.querySelectorAll("text")]);
    const within = (text, box) => text.left >= box.left && text.right <= box.right && text.top >= box.top && text.bottom <= box.bottom;
    const same = (one, other) => Math.hypot(one.left - other.left, one.right - other.right) < 1;
    return {
      boxes: boxes.length,
      slots: slots.length,
      texts: texts.map((text) => text.textContent),
      without: texts.filter((text) => !boxes.some((box) => within(text.getBoundingClientRect(), box))).map((text) => text.textContent),
      marked: [...board.querySelectorAll(".marks rect")].filter((mark) => boxes.some((box) => same(mark.getBoundingClientRect(), box))).length,
      hands: [...board.querySelectorAll(".hands text")].map((text) => text.textContent).sort().join(),
      dice: [...board.querySelectorAll(".slots > g:not([data-panel]) text")].filter((text) => text.checkVisibility()).map((text) => text.textContent).join(""),
      words: document.querySelector(".words").textContent,
    };
  });
  await tab.locator(".words summary").first().click();
  // The browser tells of it a moment later.
  await tab.locator(".words p:not(:empty)").waitFor();
  const start = await look();
  check(start.boxes === 7 && start.slots === 7, `${where}: ${start.boxes} boxes and ${start.slots} panels`);
  check(start.texts.filter((text) => text === "3 dice").length === 3 && start.texts.includes("9 dice"), `${where}: at the start the panels say ${start.texts}`);
  check(start.hands === "ada,bob,cem", `${where}: the hands are those of ${start.hands}`);
  check(/^[\u2680-\u2685]{9}$/.test(start.dice) && start.words.includes("(hidden)"), `${where}: at the start the hands hold ${start.dice}`);
  await button(tab, "Hands").click();
  const veiled = await look();
  check(veiled.dice === "?????????" && !veiled.words.includes("(hidden)"), `${where}: behind the button the dice are ${veiled.dice}, and in words ${veiled.words}`);
  let [bids, shown] = [0, 0];
  for (let ply = 1; ply <= Number(await tab.locator("input[type=range]").first().getAttribute("max")); ply++) {
    await button(tab, "Forward").click();
    const now = await look();
    check(!now.without.length && !now.texts.some((text) => text.includes("_")), `${where}: after ply ${ply} the panels say ${now.texts}, and outside are ${now.without}`);
    const bid = now.texts.find((text) => /^\d+ x [\u2680-\u2685]$/.test(text));
    if (bid && now.marked === 1 && now.words.includes(`${bid}: bid of seat`)) bids++;
    if (/[\u2680-\u2685]/.test(now.dice)) shown++;
  }
  check(bids > 0 && shown > 0, `${where}: ${bids} bids are marked, and dice are shown ${shown} times`);
  await tab.keyboard.press("Home");
  await tab.keyboard.press("h");
  check((await look()).dice === start.dice, `${where}: the key h does not show the hands`);
}

/// Board and buttons are seen together on a small laptop.
async function together(tab, to, check, site) {
  await tab.setViewportSize({ width: 1366, height: 650 });
  await tab.goto(to(site.name, "game/" + fs.readdirSync(path.join(site.path, "game")).sort()[0]));
  const below = await tab.evaluate(() => Math.max(...[...document.querySelectorAll("svg.board, .controls button")].filter((part) => part.checkVisibility()).map((part) => part.getBoundingClientRect().bottom)));
  check(below <= 650, `${site.name}: board and buttons end at ${below} px of 650`);
}

let charted = 0;

/// Values under the slider: a button and a key lead to the blunders, and the caption tells them.
async function values(tab, to, check, site) {
  const games = fs.readdirSync(path.join(site.path, "game")).sort();
  await tab.goto(to(site.name, `game/${games[0]}`));
  const marked = await tab.evaluate(() =>
    [...document.querySelectorAll(".moves tbody tr")].flatMap((row, at) => (row.querySelector(".blunder") ? [at] : [])));
  check(marked.length > 1, `${site.name}: random moves are ${marked.length} blunders`);
  const visited = [];
  for (let at = 0; at < marked.length; at++) {
    if (at % 2) await tab.keyboard.press("b");
    else await button(tab, "Next blunder").click();
    const now = await state(tab);
    visited.push(now.ply);
    check(/Value: .+This was a blunder\. Better: ./.test(now.caption), `${site.name}: a blunder is told as "${now.caption}"`);
  }
  check(visited.join() === marked.join(), `${site.name}: the blunders are ${marked}, and the button leads to ${visited}`);
  await button(tab, "Next blunder").click();
  check((await state(tab)).ply === marked[0], `${site.name}: behind the last blunder comes ${(await state(tab)).ply}`);
  await tab.keyboard.press("B");
  check((await state(tab)).ply === marked.at(-1), `${site.name}: B leads to ${(await state(tab)).ply}`);
  // The strip may be below the edge of the window; this scrolls there.
  const strip = tab.locator(".values svg");
  await strip.scrollIntoViewIfNeeded();
  const box = await strip.boundingBox();
  await strip.click({ position: { x: box.width - 1, y: 5 } });
  const end = await state(tab);
  check(end.ply === end.last, `${site.name}: the end of the strip leads to ${end.ply}`);
  const cursor = await tab.locator(".values .now").boundingBox();
  check(cursor.x > box.x + box.width * 0.9, `${site.name}: the cursor of the strip is at ${cursor.x}`);
}

/// Every legal move stands on the board with its value, in a colour and with a sign, and in words; the best of
/// them are as good as the position.
async function worths(tab, to, check, site) {
  const games = fs.readdirSync(path.join(site.path, "game")).sort();
  await tab.goto(to(site.name, `game/${games[0]}`));
  const look = () => tab.evaluate(() => {
    const parts = [...document.querySelectorAll("svg.board .worths > g")];
    return {
      kinds: [...new Set(parts.map((part) => part.getAttribute("class")))].sort().join(),
      texts: [...new Set(parts.map((part) => part.querySelector("text").textContent))].sort().join(""),
      lines: parts.filter((part) => part.querySelector("path")).length,
      number: parts.length,
      words: document.querySelector(".legal p").textContent,
    };
  });
  await tab.locator(".legal summary").click();
  const last = Number(await tab.locator("input[type=range]").getAttribute("max"));
  let [marked, lines, kinds] = [0, 0, new Set()];
  await tab.locator("h1").first().click();
  await tab.keyboard.press("Home");
  for (let ply = 0; ply < last; ply++) {
    await tab.waitForFunction(() => /to move; |No value/.test(document.querySelector(".legal p").textContent));
    const now = await look();
    const value = await tab.locator(".moves tbody tr").nth(ply).locator("td").evaluateAll((cells, at) => cells[at].textContent, await tab.evaluate(() => [...document.querySelectorAll(".moves thead th")].findIndex((head) => head.textContent === "value")));
    if (value !== "unknown") {
      check(now.number > 0, `${site.name}: at ply ${ply} no legal move has a value`);
      const mover = /^(\S+) to move/.exec(now.words)?.[1];
      const wanted = value === "draw" ? "draws" : value.startsWith(mover + " ") ? "wins" : "loses";
      const best = /to move; (\w+):/.exec(now.words)?.[1];
      check(best === wanted, `${site.name}: at ply ${ply} the value is "${value}", and the words say "${now.words.slice(0, 60)}"`);
      check(now.kinds.includes(wanted), `${site.name}: at ply ${ply} the value is "${value}", and on the board is ${now.kinds}`);
    }
    marked += now.number;
    lines += now.lines;
    now.kinds.split(",").filter(Boolean).forEach((kind) => kinds.add(kind));
    check(now.texts.length === now.kinds.split(",").filter(Boolean).length, `${site.name}: at ply ${ply} the signs of ${now.kinds} are "${now.texts}"`);
    await tab.keyboard.press("ArrowRight");
    await tab.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));
  }
  check(marked > last && lines > 0 && kinds.size > 1, `${site.name}: ${marked} moves are marked, ${lines} of them with lines, as ${[...kinds]}`);
  check((await look()).number === 0, `${site.name}: behind the last ply moves are marked`);
  await tab.keyboard.press("Home");
  await tab.keyboard.press("v");
  check((await look()).number === 0 && (await button(tab, "Values of moves").getAttribute("aria-pressed")) === "false", `${site.name}: v does not take the values away`);
  await button(tab, "Values of moves").click();
  check((await look()).number > 0, `${site.name}: the button does not bring the values back`);
}

/// A word lights up in the cells where it stands, whose letters may have any order. Then its letters go, and nothing is marked.
async function lights(tab, to, check, site) {
  const games = fs.readdirSync(path.join(site.path, "game")).sort();
  let words = 0;
  for (const game of games) {
    await tab.goto(to(site.name, `game/${game}`));
    const found = await tab.evaluate(() => {
      const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true }));
      const at = new Map([...document.querySelectorAll("svg.board .slots > g")].map((slot) => {
        const { e, f } = slot.transform.baseVal[0].matrix;
        return [`${e} ${f}`, slot];
      }));
      const lit = () => [...document.querySelectorAll("svg.board .marks rect")]
        .map((ring) => at.get(`${+ring.getAttribute("x") + 47} ${+ring.getAttribute("y") + 47}`).querySelector("text")?.textContent ?? " ").join("");
      const found = [];
      press("Home");
      for (let ply = 0; ply < Number(document.querySelector("input[type=range]").max); ply++) {
        press("ArrowRight");
        const [, word] = /plays ([A-Z]+) for/.exec(document.getElementById("caption").textContent) ?? [];
        if (word) found.push([word.toLowerCase(), lit()]);
      }
      return found;
    });
    for (const [word, lit] of found) check([...lit].sort().join("") === [...word].sort().join(""), `${site.name}/${game}: for ${word} the marked cells read "${lit}"`);
    words += found.length;
    await tab.waitForFunction(() => !document.querySelector("svg.board .marks rect"), null, { timeout: 120000 })
      .catch(() => check(false, `${site.name}/${game}: a word stays lit`));
  }
  check(words > 3, `${site.name}: only ${words} words were played`);
}

async function words(tab, to, check, site) {
  const games = fs.readdirSync(path.join(site.path, "game")).sort();
  await tab.goto(to(site.name, `game/${games[0]}#ply=2`));
  const live = await tab.locator("#caption").evaluate((element) => element.closest("[aria-live]")?.getAttribute("aria-live"));
  check(live === "polite", `${site.name}: the caption is not told: aria-live is ${live}`);
  const name = await tab.locator("svg.board").first().evaluate((board) => board.getAttribute("aria-label") ?? board.getAttribute("aria-hidden"));
  check(name !== null, `${site.name}: the board has no name and is not hidden from a screen reader`);
}

/// The same game without its results: nothing tells how long it is.
async function hidden(tab, to, check, sites) {
  const site = sites.find((one) => one.name === "club-hidden");
  const games = fs.readdirSync(path.join(site.path, "game")).sort();
  await tab.goto(to(site.name, `game/${games[0]}`));
  await button(tab, "First").click({ timeout: 5000 }).catch(() => {});
  const text = await tab.locator("body").innerText();
  check(!/\b(1-0|0-1|1\/2-1\/2)\b|forfeit|wins/i.test(text), `hidden: the first ply tells the result: ${text.slice(0, 200)}`);
}

/// A key of a long game, from the event to the next picture, and a held key.
async function speed(tab, to, check) {
  await tab.goto(to("long.html", ""));
  const { times, plies, last } = await tab.evaluate(async () => {
    const picture = () => new Promise((then) => requestAnimationFrame(() => setTimeout(then)));
    const press = (key, repeat = false) =>
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, repeat, bubbles: true, cancelable: true }));
    const slider = document.querySelector("input[type=range]");
    press("Home");
    await picture();
    const times = [];
    for (let at = 0; at < 100; at++) {
      const began = performance.now();
      press("ArrowRight");
      document.querySelector("svg.board").getBoundingClientRect(); // the layout is a part of the work
      times.push(performance.now() - began);
      await picture();
    }
    press("Home");
    await picture();
    let busy = 0;
    while (busy < 1000 && Number(slider.value) < Number(slider.max)) {
      // A held key sends several events between two pictures. The wait for the next picture is not our work.
      const began = performance.now();
      for (let at = 0; at < 10; at++) press("ArrowRight", true);
      document.querySelector("svg.board").getBoundingClientRect();
      busy += performance.now() - began;
      await picture();
    }
    const plies = (1000 * Number(slider.value)) / busy;
    return { times: times.sort((a, b) => a - b), plies, last: Number(slider.max) };
  });
  const [median, worst] = [times[50], times[98]].map((time) => time.toFixed(2));
  console.log(`a key in a game of ${last} plies: median ${median} ms, 99 % below ${worst} ms; held down: ${plies.toFixed(0)} plies a second`);
  check(last >= 300, `the long game has only ${last} plies`);
  check(times[50] < MOST_MS, `a key takes ${median} ms`);
  check(plies > LEAST_PLIES, `a held key shows ${plies.toFixed(0)} plies a second`);
}

async function replay(tab, to, check, sites) {
  await tab.setViewportSize({ width: 1000, height: 800 });
  const boards = sites.filter((site) => site.board);
  const parts = [...boards.flatMap((site) => [[steps, site], [words, site], [turned, site], [together, site]]), [lights, sites.find((site) => site.board?.startsWith("letters"))], [values, sites.find((site) => site.board === "morris")], [worths, sites.find((site) => site.board === "morris")], [edges, sites.find((site) => site.name === "dots-report")], [panels, sites.find((site) => site.name === "dice-report")], [hidden, sites], [speed]];
  for (const [part, site] of parts) {
    try {
      await part(tab, to, check, site);
    } catch (error) {
      check(false, `${part.name} ${site?.name ?? ""}: ${String(error.message).slice(0, 400)}`);
    }
  }
  check(charted > 0, "no replay has a chart");
}

module.exports = { replay };
