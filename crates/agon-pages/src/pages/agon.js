// The script of all pages: replays, tables that sort, the filter of the games, and the pages of a
// single file. It knows no rules: a replay applies the frames that the rules have made (docs/frames.md).
//
// What tests and other pages may rely on:
//   hash      "#ply=17" in a page of its own; "#PAGE&ply=17" in a single file. The same holds for the
//             filter: "#engine=..&against=..&find=..&how=..&result=..&from=..&to=.."
//   buttons   First, Back, Play (Pause while it plays), Forward, Last; Copy link to this ply; where positions
//             have a text, Copy position;
//             where values are known, Next blunder and Values of moves; on a board with two sides,
//             Flip the board; on one of several planes, Turn the board and Planes (space.js); where
//             what hands hold is shown, Hands
//   fields    a range labelled "Ply", a number labelled "Go to ply", a choice labelled "Speed"; where
//             positions have a text, it is labelled "Position"
//   charts    .scores svg: a click leads to the ply below it
//   board     svg.board; its slots are .slots > g with the ids s0, s1, ... where a page has one board;
//             .marks and .row hold what is marked
//   caption   p.caption, with the id caption; a live region
//   keys      left and right: one ply; PageUp and PageDown: ten; Home, End; space plays or pauses;
//             b and B: the next and the last blunder; f flips the board; v shows the values of moves;
//             h shows and hides what hands hold;
//             t, T and p turn a board of several planes (space.js)
//   values    .worths holds a .wins, .draws, .loses or .unknown for each legal move; .legal p has them as words
//   moves     .moves tbody tr, the start first; the shown one has aria-current
//   .ending   what is shown behind the last ply alone, where results are hidden
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  /** A new element with attributes and children. Texts are texts, whatever they hold. */
  function element(name, attributes = {}, ...children) {
    const made = name[0] === "~" ? document.createElementNS(SVG, name.slice(1)) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /** The hash: the page of a single file, and the state behind it. */
  function readHash() {
    const [first, ...rest] = location.hash.slice(1).split("&");
    const page = first.includes("=") ? "" : first;
    return { page, state: new URLSearchParams((page ? rest : [first, ...rest]).join("&")) };
  }

  let pending = 0;
  /** Keeps the state in the address. Browsers refuse too many changes, so it waits for a pause. */
  function writeHash(state) {
    clearTimeout(pending);
    pending = setTimeout(() => {
      const page = shownPage ? shownPage.id : "";
      history.replaceState(null, "", "#" + [page, state].filter(Boolean).join("&"));
    }, 150);
  }

  // Replays

  /** A line of frames: what slides, what changes, what is marked, and its caption. */
  function readFrame(line) {
    const end = line.indexOf("|");
    const frame = { slides: [], changes: [], marks: [], row: [], caption: line.slice(end + 1) };
    for (const item of line.slice(0, end).split(" ")) {
      const [, slot, sign, rest] = /^(\d+)([>=])(.+)$/.exec(item) || [];
      if (sign === ">") frame.slides.push([+slot, +rest]);
      else if (sign === "=") frame.changes.push([+slot, rest === "." ? "" : rest]);
      else if (item[0] === "*") frame.marks.push(+item.slice(1));
      else if (item[0] === "!") frame.row.push(+item.slice(1));
    }
    return frame;
  }

  /** The number of a piece of chess, whose sign is the text on a slot; -1 if it is none. */
  const figure = (content) => (/^"[\u2654-\u265f]$/.test(content) ? content.charCodeAt(1) - 0x2654 : -1);

  /** Slides read what was there before all of them; the changes come last. */
  function apply(frame, contents) {
    const moved = frame.slides.map(([from]) => contents[from]);
    for (const [from] of frame.slides) contents[from] = "";
    frame.slides.forEach(([, to], at) => (contents[to] = moved[at]));
    for (const [slot, content] of frame.changes) contents[slot] = content;
  }

  function makeReplay(root) {
    const find = (selector) => root.querySelector(selector);
    const data = JSON.parse(find("script").textContent);
    const last = data.frames.length;
    const board = find(".board");
    const slots = all(".slots > g", board);
    const centres = slots.map((slot) => slot.transform.baseVal[0].matrix);
    const rows = all(".moves tbody tr", root);
    const endings = all(".ending", root.closest("section, main"));
    const [first, back, play, forward, end] = all(".controls button", root);
    const slider = find("input[type=range]");
    const field = find("input[type=number]");
    const position = find(".position");
    const words = find(".words");
    const nows = all(".now", root);
    const blunders = rows.flatMap((row, at) => (row.querySelector(".blunder") ? [at] : []));
    const next = find(".next");
    const worth = find("button.worth");
    const hands = find("button.hands");
    const legal = find(".legal");
    const worths = element("~g", { class: "worths" });
    const speed = find(".controls select");
    const [sayPosition, sayLink] = [find(".tools .copy"), find(".tools .link")];
    const said = find(".tools [role=status]");
    const piece = (board.closest(".stage").querySelector("defs > g") || {}).id;
    const radius = board.classList.contains("round") ? 47 : 8;

    const start = slots.map(() => "");
    apply(readFrame(data.start), start);
    const frames = [];
    const frame = (ply) => (frames[ply] ||= readFrame(data.frames[ply - 1]));
    const EVERY = 50;
    const LIT = 500; // milliseconds
    const kept = [start]; // the contents after every 50 plies
    let [ply, shown, seen, timer, falling] = [0, [...start], 0, 0, 0];
    const lit = new Set(data.lit); // the plies that take away what they mark

    slots.forEach((slot, at) => slot.append(element("~title", {}, data.names[at])));

    /** The contents after some plies. */
    function contentsAt(target) {
      let from = Math.floor(target / EVERY);
      while (!kept[from]) from--;
      const contents = [...kept[from]];
      for (let at = from * EVERY + 1; at <= target; at++) {
        apply(frame(at), contents);
        if (at % EVERY === 0) kept[at / EVERY] = [...contents];
      }
      return contents;
    }

    /** Whether a content is a text, which may be hidden in a hand. */
    const isText = (content) => /["?]/.test(content[0]);

    /** What a content says: on a panel `_` is a space. */
    const textOf = (slot, content) => (slots[slot].dataset.panel ? content.slice(1).replaceAll("_", " ") : content.slice(1));

    /** How a text is drawn on a slot: smaller if it is longer. On a panel it is as large as there is room for, and narrower if it is still too long. */
    function look(text, panel) {
      const units = [...text].reduce((sum, sign) => sum + (sign < "\u1100" ? 1 : 2), 0);
      const fit = panel ? [52, 42, 32, 25].findIndex((size) => 6 * units * size <= 10 * (panel - 20)) : [...text].length - 1;
      if (fit < 0) return { class: "l4", textLength: panel - 20, lengthAdjust: "spacingAndGlyphs" };
      return fit ? { class: "l" + (fit + 1) } : {};
    }

    function draw(slot, content) {
      const title = slots[slot].lastChild;
      const { edge, panel } = slots[slot].dataset;
      const put = (name, ...inside) => title.before(element(name, ...inside));
      slots[slot].replaceChildren(title);
      if (!content) return;
      if (edge) put("~path", { class: content[0] === '"' ? "edge" : "edge e" + content, d: edge });
      else if (!panel && figure(content) >= 0) put("~use", { href: "#" + piece.slice(0, -2) + "f" + figure(content) });
      else if (isText(content)) {
        const text = textOf(slot, content);
        const attributes = look(text, panel);
        if (content[0] === "?") {
          attributes.class = (attributes.class || "") + " held";
          put("~text", { class: "veil" }, "?");
        }
        put("~text", attributes, text);
      } else put("~use", { href: "#" + piece.slice(0, -1) + content });
    }

    /** Marks slots in a layer of the board. */
    function mark(layer, numbers) {
      const half = board.matches(".turned") ? 32 : 47;
      const ring = (at) => {
        const { edge, panel } = slots[at].dataset;
        const { e, f } = centres[at];
        if (edge) return element("~path", { d: edge, transform: `translate(${e} ${f})` });
        const wide = panel ? panel - 6 : 2 * half;
        return element("~rect", { x: e - wide / 2, y: f - half, width: wide, height: 2 * half, rx: panel ? 8 : radius });
      };
      find(layer).replaceChildren(...numbers.map(ring));
    }

    let taken = false; // what the ply has marked is not there any more
    /** Marks the slots of the ply, and the values of the legal moves. */
    function remark() {
      const { marks, row } = ply ? frame(ply) : { marks: [], row: [] };
      mark(".marks", taken ? [] : marks);
      mark(".row", row);
      if (space) space.through(row);
      if (worth) valueMoves();
    }

    /** Lets what has moved slide to its place. It is drawn there already. */
    function slide() {
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      const side = board.matches(".flipped") ? -1 : 1; // a slot that is turned has turned axes
      for (const [from, to] of frame(ply).slides) {
        const moved = slots[to].firstElementChild;
        if (!moved || !moved.animate || moved === slots[to].lastChild) continue;
        const [x, y] = [side * (centres[from].e - centres[to].e), side * (centres[from].f - centres[to].f)];
        moved.animate([{ transform: `translate(${x}px,${y}px)` }, { transform: "none" }], { duration: 150, easing: "ease-in" });
      }
    }

    /** The position in words, grouped by what stands on the slots. */
    function inWords() {
      const groups = new Map();
      shown.forEach((content, at) => {
        if (!content) return;
        if (content[0] === "?" && board.matches(".veiled")) content = '"?';
        const name = isText(content) ? textOf(at, content) + (content[0] === "?" ? " (hidden)" : "") : data.sides[content - 1] || content;
        groups.set(name, [...(groups.get(name) || []), data.names[at]]);
      });
      const text = [...groups].sort().map(([name, names]) => `${name}: ${names.join(", ")}.`).join(" ");
      words.lastElementChild.textContent = text || "The board is empty.";
    }

    const WORTHS = { "+": "wins", "=": "draws", "-": "loses", "?": "unknown" };
    /** The legal moves, best first: text, sign, plies to the end, and the slots from which and to which it goes. */
    const choices = () => ((data.choices || [])[ply] || "").split(" ").filter(Boolean).map((text) => /^(.*)([-+=?])(\d*)@?(\d*)>?(\d*)$/.exec(text).slice(1));

    /** Marks each legal move on the board with its value. Of several with the same slots the best one is shown. */
    function valueMoves() {
      const best = new Map();
      for (const [, sign, , from, to] of worth.ariaPressed === "true" ? choices() : []) {
        if (from && !best.has(from + ">" + to)) best.set(from + ">" + to, [sign, centres[from], centres[to || from]]);
      }
      const parts = [...best.values()].map(([sign, from, to]) => {
        const at = (part) => `${from.e + (to.e - from.e) * part} ${from.f + (to.f - from.f) * part}`;
        const disc = element("~g", { transform: `translate(${at(0.6)})` }, element("~circle", { r: 23 }), element("~text", {}, sign === "-" ? "\u2212" : sign));
        return element("~g", { class: WORTHS[sign] }, ...(from === to ? [] : [element("~path", { d: `M${at(0)}L${at(0.8)}` })]), disc);
      });
      worths.replaceChildren(...parts);
    }

    /** The same as words. */
    function valuesInWords() {
      const groups = {};
      for (const [move, sign, plies] of choices()) (groups[sign] ||= []).push(plies ? `${move} in ${plies}` : move);
      const said = Object.keys(WORTHS).filter((sign) => groups[sign]).map((sign) => `${WORTHS[sign]}: ${groups[sign].join(", ")}`);
      legal.lastElementChild.textContent = said.length ? `${data.sides[data.seats[ply]]} to move; ${said.join("; ")}.` : "No value is known here.";
    }

    let texts;
    /** The position as one line. */
    function text() {
      if (!texts) {
        texts = [data.position];
        for (const [head, tail, middle] of data.positions) {
          const before = texts[texts.length - 1];
          texts.push(before.slice(0, head) + middle + before.slice(before.length - tail));
        }
      }
      return texts[ply];
    }

    /** Clocks and scores beside the names. */
    function clocks() {
      all(".seats li", root).forEach((seat, number) => {
        if (data.clocks) {
          let at = ply;
          while (at > 0 && data.seats[at - 1] !== number) at--;
          seat.querySelector(".clock").textContent = at ? rows[at].cells[data.clock].textContent : data.clocks[number];
        }
        if (data.score) seat.querySelector(".score").textContent = "score " + rows[ply].cells[data.score].textContent.split(":")[number];
      });
    }

    let scheduled = false;
    /** What needs the layout waits for the next picture, so that many plies can pass before it. */
    function follow() {
      if (scheduled) return;
      scheduled = true;
      requestAnimationFrame(() => {
        scheduled = false;
        const list = find(".moves");
        const row = rows[ply];
        if (row.offsetTop < list.scrollTop + 40 || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) {
          list.scrollTop = row.offsetTop - list.clientHeight / 2;
        }
        if (position) position.value = text();
        if (words.open) inWords();
        if (legal && legal.open) valuesInWords();
        said.textContent = "";
      });
    }

    /** The value of the position, and what the move did to it. */
    function judged() {
      if (!data.value) return "";
      const [value, better] = [0, 1].map((more) => rows[ply].cells[data.value + more].textContent);
      const mark = rows[ply].querySelector(".mark");
      return ` Value: ${value}.${mark ? ` This was ${mark.textContent === "only move" ? "the" : "a"} ${mark.textContent}.` : ""}${better ? ` Better: ${better}.` : ""}`;
    }

    /** Behind the last blunder comes the first one, and the other way round. */
    function blunder(isBack) {
      if (!blunders.length) return;
      step(isBack ? (blunders.findLast((at) => at < ply) ?? blunders.at(-1)) : (blunders.find((at) => at > ply) ?? blunders[0]));
    }

    function show(contents) {
      contents.forEach((content, at) => {
        if (content !== shown[at]) draw(at, content);
      });
      shown = contents;
    }

    function go(target, slowly) {
      clearTimeout(falling);
      target = Math.min(Math.max(Math.trunc(target) || 0, 0), last);
      const contents = contentsAt(target);
      const isStep = target === ply + 1;
      rows[ply].ariaCurrent = null;
      ply = target;
      // What a move takes away is marked where it stands. Then it goes, and other things move there.
      if (lit.has(ply)) {
        show(contentsAt(ply - 1));
        falling = setTimeout(() => {
          show(contents);
          taken = true;
          remark();
          slide();
          follow();
        }, LIT);
      } else show(contents);
      taken = false;
      remark();
      const of = data.hides && ply < last ? "" : ` of ${last}`;
      find(".caption").textContent = (ply ? `Ply ${ply}${of}: ${frame(ply).caption}.` : data.begin) + judged();
      if (data.hides) {
        for (; seen < ply; seen++) rows[seen + 1].hidden = false;
        slider.max = seen;
        if (seen === last) endings.forEach((ending) => (ending.hidden = false));
      }
      rows[ply].ariaCurrent = "true";
      slider.value = ply;
      slider.ariaValueText = ply ? `ply ${ply}` : "start";
      if (document.activeElement !== field) field.value = ply;
      for (const now of nows) now.setAttribute("transform", `translate(${ply} 0)`);
      back.ariaDisabled = first.ariaDisabled = String(ply === 0);
      forward.ariaDisabled = end.ariaDisabled = String(ply === last);
      clocks();
      if (isStep && slowly && !lit.has(ply)) slide();
      follow();
      writeHash("ply=" + ply);
    }

    function stop() {
      clearTimeout(timer);
      timer = 0;
      play.textContent = "Play";
    }

    function playOrPause() {
      if (timer) return stop();
      if (ply === last) go(0);
      play.textContent = "Pause";
      wait();
    }

    /** Waits for the next ply: as long as its engine thought, or at the chosen speed. */
    function wait() {
      const pause = speed.value === "real" ? Math.max(data.times[ply], 50) : 800 / speed.value;
      timer = setTimeout(() => {
        go(ply + 1, pause > 230);
        if (ply === last) stop();
        else wait();
      }, pause);
    }

    /** A move of the reader; it ends the play. */
    function step(target, slowly) {
      stop();
      go(target, slowly);
    }

    let before = 0;
    function key(event) {
      const at = event.target;
      const name = event.key;
      if (event.ctrlKey || event.altKey || event.metaKey || at.matches("input:not([type=range]), select, textarea")) return;
      if (name === " " && at.closest("button, summary")) return;
      if (name.startsWith("Page") && at.closest(".moves, pre, [type=range]")) return;
      // A key that is held repeats faster than something can slide.
      const slowly = !event.repeat && event.timeStamp - before > 230;
      const steps = {
        ArrowLeft: () => step(ply - 1),
        ArrowRight: () => step(ply + 1, slowly),
        PageUp: () => step(ply - 10),
        PageDown: () => step(ply + 10),
        Home: () => step(0),
        End: () => step(last),
        " ": playOrPause,
        b: () => blunder(),
        B: () => blunder(true),
        f: () => flip?.click(),
        v: () => worth?.click(),
        h: () => hands?.click(),
      };
      if (space && space.key(name)) return event.preventDefault();
      if (!Object.hasOwn(steps, name)) return;
      before = event.timeStamp;
      event.preventDefault();
      steps[name]();
    }

    let spare; // a field for a text that is copied by hand, where no position is shown
    /** Copies a text; where the browser forbids it, the text is selected to be copied by hand. */
    async function copy(text, what) {
      try {
        await navigator.clipboard.writeText(text);
        said.textContent = what + " copied";
      } catch {
        const field = position || (spare ||= element("input", { class: "position", readonly: "", "aria-label": what }));
        if (!position) said.before(field);
        field.value = text;
        field.select();
        said.textContent = document.execCommand("copy") ? what + " copied" : what + " selected: copy it";
      }
    }

    first.onclick = () => step(0);
    back.onclick = () => step(ply - 1);
    play.onclick = playOrPause;
    forward.onclick = () => step(ply + 1, true);
    end.onclick = () => step(last);
    if (next) {
      next.ariaDisabled = String(!blunders.length);
      next.onclick = () => blunder();
    }
    if (hands) {
      hands.onclick = () => {
        hands.ariaPressed = String(!board.classList.toggle("veiled"));
        inWords();
      };
    }
    if (worth) {
      board.append(worths);
      worth.onclick = () => {
        worth.ariaPressed = String(worth.ariaPressed !== "true");
        valueMoves();
      };
      valueMoves();
      legal.ontoggle = valuesInWords;
    }
    // The charts lead to their plies. That of the values has a bar for each ply, the others a point.
    for (const chart of all(".scores svg", root)) {
      chart.onclick = (event) => {
        const box = chart.getBoundingClientRect();
        const at = (event.clientX - box.left) / box.width;
        step(chart.closest(".values") ? at * (last + 1) : Math.round(at * last));
      };
    }
    // A page alone without such a board has no such script.
    const space = window.agonSpace?.(board, data.names, () => remark());
    if (space) find(".controls label").before(...space.buttons);
    const flip = find(".flip");
    if (flip) flip.onclick = () => board.classList.toggle("flipped");
    slider.oninput = () => step(slider.value);
    field.onchange = () => step(field.value);
    field.onkeydown = (event) => {
      if (event.key === "Enter") step(field.value);
    };
    field.onblur = () => (field.value = ply);
    if (sayPosition) sayPosition.onclick = () => copy(text(), "Position");
    sayLink.onclick = () => {
      const page = shownPage ? shownPage.id + "&" : "";
      copy(location.href.split("#")[0] + "#" + page + "ply=" + ply, "Link");
    };
    words.ontoggle = inWords;
    find(".moves tbody").onclick = (event) => {
      const row = event.target.closest("tr");
      if (!row || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      step(rows.indexOf(row));
    };
    all(".controls, .tools > div, .words, .legal", root).forEach((part) => (part.hidden = false));
    clocks();
    return { go, key, stop, element: root };
  }

  const replays = new Map();
  let replay = null;
  /** The replay of the shown page, if it has one. */
  function showReplay(inside, state) {
    if (replay) replay.stop();
    const root = inside.querySelector(".replay");
    replay = null;
    if (!root) return;
    if (!replays.has(root)) replays.set(root, makeReplay(root));
    replay = replays.get(root);
    if (state.has("ply")) replay.go(state.get("ply"));
  }
  document.addEventListener("keydown", (event) => replay && replay.key(event));

  // Tables that sort

  /** What a cell is sorted by: a number, or its text. */
  function sortKey(cell) {
    const text = (cell.dataset.sort ?? cell.textContent).trim();
    return /^[-+−±]?\d+(\.\d+)?( ?%)?$/.test(text) ? parseFloat(text.replace("−", "-").replace("±", "")) : text;
  }

  function sort(table, column, head) {
    // A group has a body of its own, which its name begins.
    const bodies = [...table.tBodies].map((body) => [...body.rows].filter((row) => !row.matches(".group")).map((row) => ({ row, key: row.cells[column] ? sortKey(row.cells[column]) : "" })));
    const isNumeric = bodies.flat().some(({ key }) => typeof key === "number");
    const was = head.ariaSort;
    // Of numbers the largest are wanted first, unless they are places.
    const isDown = was ? was === "ascending" : isNumeric && head.textContent !== "#";
    const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
    bodies.forEach((keyed, at) => {
      keyed.sort((a, b) => {
        if ((a.key === "") !== (b.key === "")) return a.key === "" ? 1 : -1;
        return isDown ? compare(b.key, a.key) : compare(a.key, b.key);
      });
      table.tBodies[at].append(...keyed.map(({ row }) => row));
    });
    all("th", table.tHead).forEach((other) => (other.ariaSort = null));
    head.ariaSort = isDown ? "descending" : "ascending";
  }

  function makeSortable(inside) {
    for (const table of all("table.sortable", inside)) {
      all("th", table.tHead).forEach((head, column) => {
        if (!head.textContent || head.querySelector("button")) return;
        const button = element("button", { type: "button" }, ...head.childNodes);
        button.onclick = () => sort(table, column, head);
        head.append(button);
      });
    }
  }
  makeSortable();

  // The filter of the games

  const SHOWN = 500;

  /** The games of games.js, each with a function that makes its row. */
  function fromData({ engines, games }, base) {
    const link = (address, text) => element("a", { href: base + address + ".html" }, text);
    const cell = (inside) => element("td", {}, inside ?? "");
    return games.map(([id, seats, hasReplay, result, plies, how, won]) => ({
      id,
      result: result ?? "",
      names: seats.map((engine) => (engines[engine] || [""])[0]),
      how: how ?? "",
      plies: plies ?? 0,
      won: (won ?? []).map(String),
      row() {
        const row = element("tr", {}, cell(hasReplay ? link("game/" + id, id) : id));
        seats.forEach((engine, seat) => {
          const known = engines[engine];
          const name = known && link("engine/" + known[1], known[0]);
          row.append(cell(name && won?.[seat] === 1 ? element("b", {}, name) : name));
        });
        if (how !== undefined) row.append(cell(result), cell(String(plies)), cell(how), cell(""));
        return row;
      },
    }));
  }

  /** The games of the lists in a single file. */
  function fromRows(tables) {
    return tables.flatMap((table) => {
      const seats = +table.dataset.seats;
      return all("tbody tr", table).map((row) => ({
        id: row.cells[0].textContent,
        result: row.cells[seats + 1]?.textContent ?? "",
        names: [...row.cells].slice(1, seats + 1).map((cell) => cell.textContent),
        how: row.cells[seats + 3]?.textContent ?? "",
        plies: +(row.cells[seats + 2]?.textContent ?? 0),
        won: (row.dataset.won ?? "").split(" ").filter(Boolean),
        row: () => row.cloneNode(true),
      }));
    });
  }

  function makeFilter(box, state) {
    const section = box.closest("section.page");
    const page = section || document;
    const table = page.querySelector("table.games");
    const said = element("p", { role: "status" });
    const begin = element("button", { type: "button" }, "Filter the games");
    begin.onclick = () => load(true);
    box.hidden = false;
    box.append(begin);

    function load(isAsked) {
      begin.disabled = true;
      if (section) {
        const part = section.id.split("games/")[0];
        const isList = (id) => id.startsWith(part) && /^games\/\d+$/.test(id.slice(part.length));
        [...unmade.keys()].filter(isList).forEach(make);
        return build(fromRows(all("section.page").filter((one) => isList(one.id)).map((one) => one.querySelector("table.games"))), isAsked);
      }
      const base = box.dataset.games.replace(/games\.js$/, "");
      window.agonGames = (data) => build(fromData(data, base), isAsked);
      if (window.agonToken) {
        // The list is for the holder of a token alone, and a script element would not send one.
        window.agonToken.ask(box.dataset.games).then((answer) => answer.text()).then((text) => window.agonGames(JSON.parse(text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")))));
        return;
      }
      const script = element("script", { src: box.dataset.games });
      script.onerror = () => begin.replaceWith("The list of all games (games.js) is not beside these pages.");
      document.head.append(script);
    }

    function build(games, isAsked) {
      const before = [...table.tBodies[0].rows];
      const caption = table.caption.textContent;
      const controls = {};
      const add = (name, title, control) => {
        controls[name] = control;
        control.value = state.get(name) ?? "";
        control.oninput = () => show();
        return element("label", {}, title + " ", control);
      };
      const choice = (pairs) => element("select", {}, ...[["", "any"], ...pairs].map(([value, text]) => element("option", { value }, text)));
      const each = (values) => [...new Set(values)].filter(Boolean).sort().map((value) => [value, value]);
      const number = () => element("input", { type: "number", min: 0 });
      const engines = each(games.flatMap((game) => game.names));
      const parts = [
        add("engine", "Engine", choice(engines)),
        add("against", "Against", choice(engines)),
        add("find", "Search", element("input", { type: "search" })),
      ];
      if (games.some((game) => game.how)) {
        parts.push(
          add("result", "Its result, or that of the first", choice([["1", "won"], ["0", "drawn"], ["-1", "lost"]])),
          add("how", "Termination", choice(each(games.map((game) => game.how)))),
          add("from", "Plies from", number()),
          add("to", "to", number()),
        );
      }
      begin.remove();
      box.append(...parts, said);
      show(true);
      if (isAsked) controls.engine.focus();

      function show(isFirst) {
        const value = (name) => controls[name]?.value ?? "";
        const set = Object.keys(controls).filter((name) => value(name) !== "");
        const engine = value("engine");
        const won = (game) => (engine ? game.won.filter((_, seat) => game.names[seat] === engine) : game.won.slice(0, 1));
        const words = value("find").toLowerCase().split(" ").filter(Boolean);
        const says = (game) => {
          const text = [game.id, ...game.names, game.result, game.how].join(" ").toLowerCase();
          return words.every((word) => text.includes(word));
        };
        const found = games.filter(
          (game) =>
            (!engine || game.names.includes(engine)) &&
            (!value("against") || game.names.includes(value("against"))) &&
            says(game) &&
            (!value("result") || won(game).includes(value("result"))) &&
            (!value("how") || game.how === value("how")) &&
            (value("from") === "" || game.plies >= +value("from")) &&
            (value("to") === "" || game.plies <= +value("to")),
        );
        const isOn = set.length > 0;
        const rows = isOn ? found.slice(0, SHOWN).map((game) => game.row()) : before;
        table.tBodies[0].replaceChildren(...rows);
        table.caption.textContent = isOn ? "Games that were found" : caption;
        all(".turner", page).forEach((turner) => (turner.hidden = isOn));
        const more = found.length > SHOWN ? `; the first ${SHOWN} are shown` : "";
        const counted = engine ? found.flatMap(won) : [];
        const count = (result) => counted.filter((one) => one === result).length;
        const score = counted.length ? `: ${engine} has won ${count("1")}, drawn ${count("0")} and lost ${count("-1")}` : "";
        said.textContent = isOn ? `${found.length} of ${games.length} games${score}${more}` : "";
        if (!isFirst || isOn) writeHash(new URLSearchParams(set.map((name) => [name, value(name)])).toString());
      }
    }

    if (["engine", "against", "find", "result", "how", "from", "to"].some((name) => state.has(name))) load(false);
  }

  const filters = new Set();
  function showFilter(inside, state) {
    const box = inside.querySelector("div.filter");
    if (!box || filters.has(box)) return;
    filters.add(box);
    makeFilter(box, state);
  }

  // The pages of a single file, one at a time. All but the first are text until they are shown.

  const unmade = new Map(all("noscript[data-page]").map((text) => [text.dataset.page, text]));
  const title = document.title;
  let shownPage = document.querySelector("section.page");

  /** Makes a page of its text. */
  function make(name) {
    const text = unmade.get(name);
    const made = element("template");
    made.innerHTML = text.textContent;
    const section = made.content.firstElementChild;
    section.hidden = true;
    unmade.delete(name);
    text.replaceWith(section);
    makeSortable(section);
  }

  /** The element with this id. The id of a part of a page begins with that of the page. */
  function find(id) {
    for (let name = id; name && !document.getElementById(id); name = name.slice(0, Math.max(name.lastIndexOf("/"), 0))) {
      if (unmade.has(name)) make(name);
    }
    return document.getElementById(id);
  }

  function showPage(isFirst) {
    clearTimeout(pending);
    const { page, state } = readHash();
    const element = page ? find(page) : null;
    const section = (element && element.closest("section.page")) || shownPage;
    if (section !== shownPage) {
      shownPage.hidden = true;
      section.hidden = false;
      shownPage = section;
      document.title = section.dataset.title === title ? title : `${section.dataset.title} - ${title}`;
      if (!isFirst) {
        const heading = section.querySelector("h1");
        heading.tabIndex = -1;
        heading.focus();
        scrollTo(0, 0);
      }
    }
    for (const link of section ? all("nav a") : []) {
      link.ariaCurrent = link.hash === "#" + section.id ? "page" : null;
    }
    if (element && element !== section) element.scrollIntoView();
    showReplay(section || document, state);
    showFilter(section || document, state);
  }

  addEventListener("hashchange", () => showPage(false));
  // What live.js has taken over from the server.
  document.addEventListener("agon:fresh", () => {
    makeSortable();
    showPage(false);
  });
  showPage(true);
})();
