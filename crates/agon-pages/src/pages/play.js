// The page on which people play. It knows no rules: the server says which moves are legal, and which
// slots of the board a person chooses for each.
//
// What tests and other pages may rely on:
//   #lobby    #cards has a card for each game, with a board, a sentence and "Play"; .more has all
//             else: #new, the form for a new game; its fields have labels; "Start the game"
//   #table    the game: svg.board with a role of "group"; its slots are .slots > g with the role
//             "button" and the ids s0, s1, ...; .can is a slot that a legal move may have next, .chosen
//             one that was chosen
//   fields    a text labelled "Move" with the button "Play it"
//   buttons   Undo, Hint, Resign, Play again, Leave the table; at the end a link, Save the game
//   #said     a live region: each move, whose turn it is, the result, and what was refused
//   data      #table has data-phase (starts, person, remote, engine, over) and data-plies
//   keys      on the board: arrows go from slot to slot, Enter or space chooses, Escape forgets,
//             f flips the board, t, T and p turn one of several planes (space.js)
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const lobby = document.getElementById("lobby");
  const table = document.getElementById("table");
  const said = document.getElementById("said");
  const sleep = (time) => new Promise((then) => setTimeout(then, time));

  /** A new element with attributes and children. Texts are texts, whatever they hold. */
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === "function") made[key] = value;
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }

  const button = (text, onclick) => element("button", { type: "button", onclick }, text);
  let fields = 0;
  /** A control beside its label. */
  function labelled(text, control, kind = "field") {
    control.id = "f" + ++fields;
    const label = element("label", { for: control.id }, text);
    return element("div", { class: kind }, ...(kind === "check" ? [control, label] : [label, control]));
  }

  function say(text) {
    if (said.textContent !== text) said.textContent = text;
  }

  /** Asks the server. Gives the status and the answer. */
  async function ask(asked, signal) {
    const answer = await fetch("play/ask", {
      signal,
      method: "POST",
      body: JSON.stringify(asked),
      headers: { "content-type": "application/json" },
      credentials: "omit",
      cache: "no-store",
    });
    return { status: answer.status, body: await answer.json() };
  }

  // The board: slots that are chosen with the mouse or with keys.

  /** Puts a board into a place. `choose` is called with the number of a slot; `escape` when Escape is pressed. */
  function makeBoard(place, look, choose, escape) {
    place.replaceChildren();
    if (!look.board) return null;
    const parsed = new DOMParser().parseFromString(look.board, "text/html");
    place.append(...parsed.body.childNodes);
    const svg = place.querySelector(".board");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", "Board; arrow keys go from cell to cell, Enter chooses");
    const slots = [...svg.querySelectorAll(".slots > g")];
    const places = slots.map((slot) => slot.transform.baseVal[0].matrix);
    const isRound = svg.classList.contains("round");
    const flip = () => look.flips && svg.classList.toggle("flipped");
    if (look.flips) {
      // Who plays black in chess sits at the other side of the board.
      if (look.seat === 1 && svg.classList.contains("chequered")) flip();
      const turn = button("Flip the board", flip);
      turn.title = "Key on the board: f";
      place.append(turn);
    }
    let marked = [[], []];
    const space = window.agonSpace(svg, look.names, () => remark());
    if (space) {
      for (const one of space.buttons) one.title += " (on the board)";
      place.append(...space.buttons);
    }
    // A slot is at least 24 pixels wide, so that a finger finds it. A wide board is scrolled.
    place.classList.add("stage");
    svg.style.minWidth = `${Math.ceil((24 * svg.viewBox.baseVal.width) / (92 * places[0].a))}px`;
    let shown = [];
    slots.forEach((slot, at) => {
      const hit = document.createElementNS(SVG, "rect");
      for (const [key, value] of Object.entries({ class: "hit", x: -46, y: -46, width: 92, height: 92, rx: isRound ? 46 : 8 })) hit.setAttribute(key, value);
      slot.append(hit);
      slot.setAttribute("role", "button");
      slot.setAttribute("tabindex", at ? "-1" : "0");
      slot.onclick = () => choose(at);
    });

    /** What a move leads to, as it stands on the board and in words. */
    const WORTH = { 1: ["+", "wins"], 0: ["=", "draws"], "-1": ["−", "loses"] };
    const FIGURES = ["king", "queen", "rook", "bishop", "knight", "pawn"];
    /** The number of a piece of chess, whose sign is the text on a slot; -1 if it is none. */
    function figure(content) {
      const code = content[0] === '"' && content.length === 2 ? content.charCodeAt(1) - 0x2654 : -1;
      return code < 12 ? code : -1;
    }
    const nameOf = (content) => (figure(content) >= 0 ? `${look.sides[figure(content) < 6 ? 0 : 1]} ${FIGURES[figure(content) % 6]}` : content[0] === '"' ? content.slice(1) : content === "." ? "empty" : look.sides[content - 1] || content);

    function draw(at, content) {
      const slot = slots[at];
      slot.replaceChildren(slot.querySelector(".hit"));
      if (content === ".") return;
      const isText = content[0] === '"' && figure(content) < 0;
      const inside = document.createElementNS(SVG, isText ? "text" : "use");
      if (figure(content) >= 0) {
        inside.setAttribute("href", "#f" + figure(content));
      } else if (isText) {
        const text = content.slice(1);
        if ([...text].length > 1) inside.setAttribute("class", "l" + [...text].length);
        inside.textContent = text;
      } else {
        inside.setAttribute("href", "#p" + content);
      }
      slot.prepend(inside);
    }

    /** The nearest slot in a direction. */
    function next(from, x, y) {
      if (svg.classList.contains("flipped")) [x, y] = [-x, -y];
      let [best, least] = [from, Infinity];
      places.forEach((place, at) => {
        const [along, across] = [(place.e - places[from].e) * x + (place.f - places[from].f) * y, Math.abs((place.e - places[from].e) * y + (place.f - places[from].f) * x)];
        if (along <= 0 || across > along * 1.3) return;
        if (along + 2 * across < least) [best, least] = [at, along + 2 * across];
      });
      return best;
    }

    svg.addEventListener("keydown", (event) => {
      const at = slots.indexOf(event.target.closest(".slots > g"));
      if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
      const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (ways[event.key]) focus(next(at, ...ways[event.key]));
      else if (event.key === "Enter" || event.key === " ") choose(at);
      else if (event.key === "Escape") escape();
      else if (event.key === "f") flip();
      else if (space?.key(event.key)) return event.preventDefault();
      else return;
      event.preventDefault();
    });

    function focus(at) {
      slots.forEach((slot, other) => slot.setAttribute("tabindex", other === at ? "0" : "-1"));
      slots[at].focus();
    }

    function mark(layer, numbers) {
      const half = svg.matches(".turned") ? 32 : 47;
      const rings = numbers.map((at) => {
        const ring = document.createElementNS(SVG, "rect");
        for (const [key, value] of Object.entries({ x: places[at].e - half, y: places[at].f - half, width: 2 * half, height: 2 * half, rx: isRound ? 47 : 8 })) ring.setAttribute(key, value);
        return ring;
      });
      svg.querySelector(layer).replaceChildren(...rings);
    }

    /** Marks the slots of the last move, and the row. */
    function remark() {
      mark(".marks", marked[0]);
      mark(".row", marked[1]);
      space?.through(marked[1]);
    }

    return {
      names: look.names,
      show(contents, marks = [], row = [], slides = []) {
        const isFirst = !shown.length;
        contents.forEach((content, at) => {
          if (content !== shown[at]) draw(at, content);
        });
        shown = [...contents];
        marked = [marks, row];
        remark();
        if (isFirst || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
        for (const [from, to] of slides) {
          const moved = slots[to].firstElementChild;
          if (moved.classList.contains("hit")) continue;
          const side = svg.matches(".flipped") ? -1 : 1;
          const [x, y] = [side * (places[from].e - places[to].e), side * (places[from].f - places[to].f)];
          moved.animate([{ transform: `translate(${x}px,${y}px)` }, { transform: "none" }], { duration: 220, easing: "ease-in" });
        }
      },
      /** Marks the slots that may be chosen next, and those that were. */
      offer(can, chosen, hinted = [], worth = new Map()) {
        slots.forEach((slot, at) => {
          slot.querySelector(".worth")?.remove();
          const [sign, words] = WORTH[worth.get(at)] || [];
          if (sign) {
            const text = document.createElementNS(SVG, "text");
            for (const [key, value] of Object.entries({ class: "worth " + words, x: 31, y: -27, "aria-hidden": "true" })) text.setAttribute(key, value);
            text.textContent = sign;
            slot.append(text);
          }
          slot.classList.toggle("can", can.has(at));
          slot.classList.toggle("hint", hinted.includes(at));
          slot.classList.toggle("chosen", chosen.includes(at));
          const state = chosen.includes(at) ? ", chosen" : can.has(at) ? ", can be chosen" : "";
          slot.setAttribute("aria-label", look.names[at] + ", " + nameOf(shown[at] || ".") + state + (words ? `, ${words}` : ""));
        });
      },
    };
  }

  // The games and their options.

  const pair = (name) => [[name + "=yes", "yes"], [name + "=no", "no"]];
  const OPTIONS = {
    mnk: {
      fields: [["columns", "Columns", 1, 20, 3], ["rows", "Rows", 1, 20, 3], ["k", "In a row (k)", 1, 20, 3]],
      choices: [["first", "Who begins", [["", "X"], ["first=O", "O"]]]],
      checks: [["exact", "Exactly k, not more"], ["caro", "Caro's rule"], ["renju", "Renju's rules"]],
      spec: (value) => [`${value("columns")}x${value("rows")},${value("k")}`],
    },
    morris: {
      choices: [["men", "Men", [["", "six"], ["nine", "nine"]]], ["flying", "Three men may fly", pair("flying")], ["removal", "Men that may be removed", [["", "outside of mills"], ["removal=any", "any"]]], ["nomove", "Without a move", [["", "lost"], ["nomove=draws", "a draw"]]]],
    },
    abalone: { choices: [["limit", "After 200 moves a side", [["", "a tie"], ["at-limit=marbles", "the marbles decide"]]], ["ko", "No board twice", pair("ko")]] },
    chess: { choices: [["start", "Start", [["", "the usual one"], ["960", "one of 960, drawn"]]], ["claims", "Draws by repetition and fifty moves", [["", "at once"], ["claims=never", "nobody claims them"]]]] },
    letters: {
      fields: [["rows", "Rows", 1, 20, 6], ["columns", "Columns", 1, 20, 6], ["planes", "Planes", 1, 20, 3]],
      choices: [["draw", "Letters", [["", "as in Scrabble"], ["uniform", "each as often"]]]],
      spec: (value) => [`${value("rows")}x${value("columns")}x${value("planes")}`],
    },
  };

  /** The fields of a game's options. Gives the box, and a function that makes the text of the game. */
  function optionsOf(game) {
    const { fields = [], choices = [], checks = [], spec = () => [] } = OPTIONS[game] || {};
    const controls = {};
    const number = ([name, title, min, max, value]) => labelled(title, (controls[name] = element("input", { type: "number", min, max, value, required: true })));
    const choice = ([name, title, all]) => labelled(title, (controls[name] = select(all)));
    const check = ([name, title]) => labelled(title, (controls[name] = element("input", { type: "checkbox" })), "check");
    const box = element("div", { class: "fields" }, ...fields.map(number), ...choices.map(choice), ...checks.map(check));
    const text = () => {
      const own = spec((name) => controls[name].value);
      const chosen = choices.map(([name]) => controls[name].value).filter((value) => value && value !== "flying=yes" && value !== "ko=yes");
      const all = [...own, ...chosen, ...checks.map(([name]) => name).filter((name) => controls[name].checked)];
      return game + (all.length ? ":" + all.join(",") : "");
    };
    return { box, text };
  }

  function select(all, attributes = {}) {
    return element("select", attributes, ...all.map(([value, text]) => element("option", { value }, text)));
  }

  // The form of a new game.

  let room = null;
  /** Whether the engine says that it plays the game. */
  const playsGame = (engine, game) => engine.games.some((own) => own === game || own.split(":")[0] === game.split(":")[0]);
  /** Whether it may play the game: it says so, or says nothing. */
  const mayPlay = (engine, game) => !engine.games.length || playsGame(engine, game);
  const NOT_KNOWN = "not known to play this";

  async function showLobby() {
    table.hidden = true;
    table.replaceChildren();
    delete table.dataset.phase;
    delete table.dataset.plies;
    lobby.hidden = false;
    const { status, body } = await ask({ do: "lobby" });
    if (status !== 200) return say(body.error);
    room = body;
    const more = element("details", { class: "more", open: wish.more, ontoggle: () => (wish.more = more.open) },
      element("summary", {}, "More: other boards and rules, clocks, two engines, programs elsewhere, positions"),
      oneClick(), newGame());
    lobby.replaceChildren(cards(), more, ...tryst());
  }

  /** What was chosen above the cards, and which parts are open, until the page is left. */
  const wish = { engine: "", side: "0", strength: "medium", more: false, tryst: false };

  /** A field whose value is kept in `wish`. */
  function kept(name, all) {
    const control = select(all);
    if (all.some(([value]) => value === wish[name])) control.value = wish[name];
    wish[name] = control.value;
    control.addEventListener("change", () => (wish[name] = control.value));
    return control;
  }

  /** A card for each game, which begins it against an engine. */
  function cards() {
    const [engine, side, strength] = [
      kept("engine", [["", "the first that plays the game"], ...room.engines.map((one) => [one.name, one.name])]),
      kept("side", [["0", "begin"], ["1", "come second"], ["2", "one or the other"]]),
      kept("strength", room.strengths.map(([name]) => [name, name])),
    ];
    const meaning = element("p", { class: "told" });
    const list = element("ul", { id: "cards" }, ...room.games.map((game) => {
      const picture = element("div", { class: "picture", "aria-hidden": "true" });
      if (game.picture) picture.append(...new DOMParser().parseFromString(game.picture, "text/html").body.childNodes);
      const against = element("p", { class: "told" });
      const start = element("button", { type: "button", class: "start", "aria-label": "Play " + game.card }, "Play");
      const show = () => {
        const other = room.engines.find((one) => (wish.engine ? one.name === wish.engine && mayPlay(one, game.name) : playsGame(one, game.name)));
        against.textContent = other ? `against ${other.name}${playsGame(other, game.name) ? "" : ", " + NOT_KNOWN}` : wish.engine ? `${wish.engine} does not play it: two people on this screen` : "two people on this screen";
        start.onclick = () => {
          const seats = [{ kind: "person" }, other ? { kind: "engine", engine: other.name, strength: wish.strength } : { kind: "person" }];
          const isSecond = wish.side === "1" || (wish.side === "2" && Math.random() < 0.5);
          open({ game: game.name, seats: isSecond ? seats.reverse() : seats });
        };
      };
      engine.addEventListener("change", show);
      show();
      return element("li", {}, picture, element("h3", {}, game.card), element("p", {}, game.aim), element("p", { class: "start" }, start, against), rulesOf(game));
    }));
    const silent = room.engines.filter((one) => !one.games.length).map((one) => one.name);
    const names = silent.slice(0, 5).join(", ") + (silent.length > 5 ? ` and ${silent.length - 5} more` : "");
    const untold = silent.length ? [element("p", { class: "told" }, `Which games they play is not known of: ${names}. The key games of an engine.toml says it. To try such an engine, choose it as the opponent.`)] : [];
    const explain = () => {
      const [name, told] = room.strengths.find(([name]) => name === wish.strength);
      meaning.textContent = `${name[0].toUpperCase()}${name.slice(1)}: an engine ${told}. You have no clock.`;
    };
    strength.addEventListener("change", explain);
    explain();
    return element("section", { "aria-labelledby": "choose" }, element("h2", { id: "choose" }, "Choose a game"),
      element("div", { class: "fields" }, labelled("Opponent", engine), labelled("You", side), labelled("Strength", strength)), meaning, ...untold, list);
  }

  /** The rules of a game, and how its moves are written, in a panel that can be opened. */
  function rulesOf({ rules, moves }) {
    return element("details", { class: "rules" }, element("summary", {}, "Rules"), element("p", {}, rules), element("p", {}, "Moves: " + moves));
  }

  /** A human game with the clocks of a contest: 45 minutes for the person. */
  function oneClick() {
    const contests = [["abalone", "Abalone", 40, "B", "W"], ["mill", "Mill", 15, "W", "B"]];
    const rows = contests.flatMap(([game, title, minutes, first, second]) => {
      const engines = room.engines.filter((one) => playsGame(one, game));
      if (!engines.length) return [];
      const engine = select(engines.map((one) => [one.name, one.name]));
      const side = select([["0", `${first}, who begins`], ["1", second]]);
      const start = button("", () => {
        const seats = [{ kind: "person", time: "tc=2700" }, { kind: "engine", engine: engine.value, time: `tc=${minutes * 60}` }];
        open({ game, seats: side.value === "1" ? seats.reverse() : seats });
      });
      const name = () => (start.textContent = `${title} against ${engine.value}, 45 minutes for you`);
      engine.onchange = name;
      name();
      return [element("div", { class: "fields" }, start, labelled(`Engine for ${title}`, engine), labelled(`Your side in ${title}`, side))];
    });
    const none = "No engine of the folder plays Abalone or Mill.";
    return element("fieldset", { class: "contests" }, element("legend", {}, "A game with the clocks of the contest"), ...(rows.length ? rows : [none]));
  }

  function newGame() {
    const game = select(room.games.map((one) => [one.name, one.title]));
    game.value = "mnk";
    const params = element("div");
    const seats = element("div", { class: "seats" });
    const position = element("input", { type: "text", class: "long", autocomplete: "off", spellcheck: "false" });
    const editor = element("div");
    let options = null;
    let seatOf = [];

    function choose() {
      options = optionsOf(game.value);
      params.replaceChildren(options.box);
      editor.replaceChildren();
      position.value = "";
      const engines = room.engines.filter((one) => playsGame(one, game.value));
      const others = room.engines.filter((one) => !one.games.length);
      const kinds = [["person", "a person"], ...engines.map((one) => ["engine " + one.name, one.name]), ...others.map((one) => ["engine " + one.name, `${one.name} (${NOT_KNOWN})`]), ["remote", "a program elsewhere, by its operator"]];
      seatOf = ["First seat", "Second seat"].map((title, at) => {
        const who = select(kinds);
        if (at && engines.length) who.value = "engine " + engines[0].name;
        const seconds = element("input", { type: "number", min: 0, step: "any", value: at && engines.length ? 2 : "" });
        const unit = select([["st", "seconds a move"], ["tc", "seconds a game"]]);
        const name = element("input", { type: "text", maxlength: 60, autocomplete: "off", spellcheck: "false" });
        return { title, who, seconds, unit, name };
      });
      const row = ({ title, who, seconds, unit, name }) => element("fieldset", {}, element("legend", {}, title), element("div", { class: "fields" }, labelled("Who plays", who), labelled("Time (empty: no clock)", seconds), labelled("Time is", unit), labelled("Name of a person or of a program elsewhere", name)));
      seats.replaceChildren(...seatOf.map(row), button("Swap the seats", swap));
    }

    function swap() {
      const [first, second] = seatOf;
      for (const name of ["who", "seconds", "unit", "name"]) [first[name].value, second[name].value] = [second[name].value, first[name].value];
    }

    function seatWish({ who, seconds, unit, name: own }) {
      const [kind, ...name] = who.value.split(" ");
      return { kind, engine: name.join(" ") || undefined, name: own.value || undefined, time: seconds.value ? `${unit.value}=${seconds.value}` : undefined };
    }

    game.onchange = choose;
    choose();
    const setUp = button("Set the position up by hand", () => edit(editor, options.text(), position));
    const form = element("form", { id: "new", onsubmit: (event) => {
      event.preventDefault();
      open({ game: options.text(), seats: seatOf.map(seatWish), position: position.value || undefined });
    } },
      element("h2", {}, "A new game"),
      element("fieldset", {}, element("legend", {}, "Game"), element("div", { class: "fields" }, labelled("Game", game)), params),
      seats,
      element("fieldset", {}, element("legend", {}, "Where it begins"), labelled("Position, or moves from the start (empty: the start)", position), element("p", {}, setUp), editor),
      element("button", { type: "submit" }, "Start the game"),
    );
    return form;
  }

  /** What stands behind the side to move in the text of a position: labels of numbers. */
  const NUMBERS = {
    morris: ["Men of X in hand", "Men of O in hand", "Plies without a removal"],
    letters: ["Points of W", "Points of B", "Passes in a row"],
    abalone: ["Plies played"],
  };

  /** A board on which pieces or letters are placed. It writes the position into a field, and says whether it can be played. */
  async function edit(place, game, field) {
    const { status, body } = await ask({ do: "position", game, position: field.value || undefined });
    if (status !== 200) return say(body.error);
    field.value = body.position;
    if (!body.text || !body.board) {
      place.replaceChildren(element("p", {}, "Pieces cannot be placed in this game. Change the text of the position."), element("pre", { tabindex: "0" }, body.drawing));
      return;
    }
    const contents = [...body.contents];
    const words = body.position.split(" ");
    const before = words.slice(0, body.text.word);
    const [cells, ...rest] = words.slice(body.text.word);
    const piece = body.text.letters
      ? element("input", { type: "text", maxlength: 1, size: 2, value: "a", autocomplete: "off", spellcheck: "false" })
      : select(["nothing", ...body.sides].map((name, at) => [at ? String(at) : ".", name]));
    if (!body.text.letters) piece.value = "1";
    const side = select(body.sides.map((name) => [name.toLowerCase(), name]));
    const hasSide = rest.length > 0 && body.sides.some((name) => name.toLowerCase() === rest[0]);
    if (hasSide) side.value = rest[0];
    const labels = hasSide ? NUMBERS[game.split(":")[0]] || [] : [];
    const numbers = labels.map((label, at) => element("input", { type: "number", min: 0, max: 9999, value: rest[at + 1] ?? 0 }));
    const holder = element("div");
    const verdict = element("p", { role: "status" });
    let board = null;
    let asked = 0;
    const chosen = () => (!body.text.letters ? piece.value : piece.value.trim() ? `"${piece.value.trim().toLowerCase()}` : ".");
    function signAt(slot) {
      const content = contents[slot];
      return content[0] === '"' ? content.slice(1) : body.text.signs[content === "." ? 0 : +content];
    }
    function write() {
      let at = 0;
      const drawn = [...cells].map((sign) => (sign === "/" ? sign : signAt(body.text.slots[at++]))).join("");
      const values = numbers.map(({ value }) => String(+value));
      while (values.length > rest.length - 1 && values[values.length - 1] === "0") values.pop();
      field.value = [...before, drawn, ...(hasSide ? [side.value, ...values] : rest)].join(" ");
      board.show(contents);
      board.offer(new Set(), []);
      judge();
    }
    /** Says what the rules say of the position. Only the last question counts. */
    async function judge() {
      const number = ++asked;
      const { status, body } = await ask({ do: "position", game, position: field.value }).catch(() => ({ status: 0, body: {} }));
      if (number !== asked) return;
      verdict.textContent = status !== 200 ? body.error || "The server does not answer." : body.over ? `The game is over in this position: ${body.over}.` : "This position can be played.";
    }
    function put(at) {
      contents[at] = contents[at] === chosen() ? "." : chosen();
      emptyHands();
      write();
    }
    // Men that are placed by hand are usually all that there are.
    function emptyHands() {
      if (game.startsWith("morris") && !numbers.some(({ dataset }) => dataset.own)) for (const hand of numbers.slice(0, 2)) hand.value = 0;
    }
    board = makeBoard(holder, body, put, () => {});
    side.onchange = write;
    for (const one of numbers) one.oninput = () => {
      one.dataset.own = "yes";
      write();
    };
    const clear = button("Clear the board", () => {
      contents.fill(".");
      emptyHands();
      write();
    });
    place.replaceChildren(element("div", { class: "fields" }, labelled(body.text.letters ? "Letter (empty: a blank)" : "Piece", piece), ...(hasSide ? [labelled("To move", side)] : []), ...numbers.map((one, at) => labelled(labels[at], one)), clear), holder, verdict);
    write();
  }

  /** The screen of TRYST'98, for a program that expects results. */
  function tryst() {
    const engine = room.engines.find((one) => one.expects && mayPlay(one, "mnk"));
    if (!engine) return [];
    const settings = Object.fromEntries(engine.settings);
    const named = (name) => engine.settings.find(([own]) => own.toLowerCase() === name);
    const number = (min, max, value, step = 1) => element("input", { type: "number", min, max, step, value, required: true });
    const [columns, rows, k] = [number(1, 20, 3), number(1, 20, 3), number(1, 20, 3)];
    const levels = number(0, 200, named("levels")?.[1] ?? 2);
    const draw = number(0, 1, named("drawvalue")?.[1] ?? 0.5, "any");
    const expert = element("input", { type: "checkbox" });
    expert.checked = named("expert")?.[1] === "true";
    const begins = select([["person", "You"], ["program", "The program"]]);
    const seconds = number(0.1, 600, 10, "any");
    const form = element("form", { id: "tryst", onsubmit: (event) => {
      event.preventDefault();
      const given = { levels: levels.value, drawvalue: draw.value, expert: String(expert.checked) };
      for (const name of Object.keys(settings)) settings[name] = given[name.toLowerCase()] ?? settings[name];
      const program = { kind: "engine", engine: engine.name, settings, time: `st=${seconds.value}` };
      const person = { kind: "person" };
      open({ game: `mnk:${columns.value}x${rows.value},${k.value}`, seats: begins.value === "person" ? [person, program] : [program, person] });
    } },
      element("fieldset", {}, element("legend", {}, "Against " + engine.name), element("div", { class: "fields" },
        labelled("Columns", columns), labelled("Rows", rows), labelled("In a row (k)", k), labelled("Levels of foresight", levels),
        labelled("Value of a draw, 0 to 1", draw), labelled("EXPERT: to the end", expert, "check"), labelled("Who begins", begins), labelled("Seconds a move", seconds))),
      element("button", { type: "submit" }, "Start TRYST'98"),
    );
    const screen = element("details", { class: "more", open: wish.tryst, ontoggle: () => (wish.tryst = screen.open) }, element("summary", {}, "TRYST'98: a board of any size against a program that says what it expects"), form);
    return [screen];
  }

  // A table.

  let current = null;
  // The question that waits for a change; it is given up before its table is closed.
  let waiting = new AbortController();
  function stand() {
    current = null;
    waiting.abort();
  }

  async function open(request) {
    say("The table is being opened.");
    let answer;
    try {
      answer = await ask({ do: "open", ...request });
    } catch {
      return say("The server does not answer.");
    }
    if (answer.status !== 200) return say(answer.body.error);
    history.replaceState(null, "", "#" + answer.body.key);
    await sit(answer.body.key, request, answer.body.links);
  }

  const at = (key, request) => ask({ do: "at", key, request });

  async function sit(key, request, links = {}) {
    const looked = await at(key, { do: "look" });
    if (looked.status !== 200) {
      history.replaceState(null, "", location.pathname);
      say(looked.body.error);
      return showLobby();
    }
    lobby.hidden = true;
    lobby.replaceChildren();
    table.hidden = false;
    const seat = makeTable(key, looked.body, request, links);
    current = seat;
    waiting = new AbortController();
    let after = 0;
    while (current === seat) {
      try {
        const { status, body } = await ask({ do: "wait", key, after }, waiting.signal);
        if (current !== seat) return;
        if (status === 410) return seat.closed(body.error);
        if (status !== 200) throw new Error(body.error);
        after = body.revision;
        if (body.state) seat.show(body.state);
        else seat.isThere();
      } catch (error) {
        if (current !== seat) return;
        seat.isAway(error);
        await sleep(1000);
      }
    }
  }

  const clock = (time) => {
    const seconds = Math.max(0, Math.ceil(time / 1000));
    const two = (number) => String(number).padStart(2, "0");
    return seconds >= 3600 ? `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}` : `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  };

  function makeTable(key, look, request, links) {
    let state = null;
    let chosen = [];
    // What each legal move leads to, after a hint.
    let known = new Map();
    let ticking = 0;
    let isAway = false;
    const stage = element("div", { class: "holder" });
    const drawing = element("pre", { tabindex: "0", hidden: true });
    const players = element("ul", { class: "players" });
    const expects = element("p", { class: "expects", hidden: true });
    const choices = element("div", { class: "choices", role: "group", "aria-label": "Moves to choose from" });
    const moveField = element("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const position = element("input", { type: "text", class: "long", readonly: true });
    const rows = element("tbody");
    const history = element("div", { class: "history", tabindex: "0", role: "region", "aria-label": "Moves" }, element("table", {}, element("caption", {}, "Moves"), element("thead", {}, element("tr", {}, ...["Ply", "Side", "Move", "Seconds", "What it says"].map((text) => element("th", {}, text)))), rows));
    const undo = button("Undo", () => act({ do: "undo" }));
    const hint = button("Hint", hints);
    const resign = button("Resign", () => act({ do: "resign" }));
    const again = button("Play again", () => act({ do: "again" }));
    const save = element("a", { download: "game.txt", hidden: true }, "Save the game");
    const leave = button("Leave the table", async () => {
      stand();
      window.history.replaceState(null, "", location.pathname);
      say("");
      await at(key, { do: "close" }).catch(() => {});
      showLobby();
    });
    const entered = button("Its program has the move", () => act({ do: "entered" }, "Its time runs now."));
    const answered = button("Its program has answered", () => act({ do: "answered" }, "Its time stands."));
    const operator = element("p", { class: "controls", hidden: true }, entered, answered);
    const typed = element("form", { class: "asked", onsubmit: (event) => {
      event.preventDefault();
      if (moveField.value.trim()) play(moveField.value);
    } }, labelled("Move", moveField), element("button", { type: "submit" }, "Play it"));
    const guest = look.seat !== null;
    const links_ = element("div", { class: "links" });
    for (const [number, own] of Object.entries(links)) {
      const address = location.href.split("#")[0] + "#" + own;
      links_.append(labelled(`Link for the operator of ${look.sides[number]}`, element("input", { type: "text", readonly: true, value: address })));
    }
    const title = element("h2", { tabindex: "-1" }, look.game);
    table.replaceChildren(title, players, expects, element("div", { class: "game" },
      element("div", {}, stage, drawing, operator, typed, choices, element("div", { class: "controls" }, hint, resign, ...(guest ? [] : [undo, again, leave]), save)),
      element("div", {}, ...(look.about ? [rulesOf(look.about)] : []), history, labelled("Position", position), links_)));
    const board = makeBoard(stage, look, choose, forget);
    title.focus();

    async function act(what, done) {
      try {
        const { status, body } = await at(key, what);
        if (status !== 200) say(body.error);
        else if (done) say(done);
        if (body.moves) choices.replaceChildren(...body.moves.map(({ move }) => button(move, () => play(move))));
        return status === 200;
      } catch {
        say("The server does not answer.");
        return false;
      }
    }

    async function play(text) {
      const ply = state.plies.length;
      forget();
      if (await act({ do: "move", text, ply })) moveField.value = "";
    }

    const isMine = () => state && (state.phase === "person" ? look.seat === null || look.seat === state.turn : state.phase === "remote" && look.seat === state.turn);

    /** The legal moves that begin with these slots, each with the rest of its slots. */
    function beginning(slots) {
      const found = [];
      for (const { move, paths, removes } of state.moves || []) {
        const path = paths.find((path) => slots.every((slot, at) => path[at] === slot));
        if (path) found.push({ move, removes, rest: path.slice(slots.length), paths: paths.filter((one) => slots.every((slot, at) => one[at] === slot)) });
      }
      return found;
    }

    function forget() {
      chosen = [];
      offer();
    }

    /** The best that a move can lead to by each slot that can be chosen next. */
    function worthOf(found) {
      const worth = new Map();
      for (const { move, paths } of found) {
        for (const path of known.has(move) ? paths : []) {
          const slot = path[chosen.length];
          if (slot !== undefined && !(worth.get(slot) >= known.get(move))) worth.set(slot, known.get(move));
        }
      }
      return worth;
    }

    /** Shows what can be chosen now, and the moves that have no slots or the same ones. */
    function offer() {
      const mine = isMine();
      const found = mine ? beginning(chosen) : [];
      const can = new Set(found.flatMap(({ paths }) => paths.map((path) => path[chosen.length])).filter((slot) => slot !== undefined));
      if (board) board.offer(can, chosen, [], worthOf(found));
      const whole = chosen.length ? found.filter(({ rest }) => !rest.length) : (mine && state.moves || []).filter(({ paths }) => !paths.length);
      choices.replaceChildren(...whole.map(({ move }) => button(move === "P" ? "Pass (P)" : move, () => play(move))));
    }

    function choose(slot) {
      if (!isMine()) return say(state && state.phase === "over" ? "The game is over." : "It is not your turn.");
      let next = [...chosen, slot];
      let found = beginning(next);
      if (!found.length && chosen.length) {
        if (chosen[chosen.length - 1] === slot && chosen.length === 1) return forget();
        next = [slot];
        found = beginning(next);
      }
      if (!found.length) {
        forget();
        return say(`No legal move begins with ${look.names[slot]}.`);
      }
      const whole = found.filter(({ rest }) => !rest.length);
      if (whole.length === 1 && found.length === 1) return play(whole[0].move);
      chosen = next;
      offer();
      const taken = found.every(({ removes }) => removes === next.length) ? " Now choose the piece to remove." : "";
      say(whole.length > 1 ? `${whole.length} moves have these cells: choose one below the board.` : `${next.map((one) => look.names[one]).join(", ")} chosen.${taken}`);
    }

    async function hints() {
      try {
        const { status, body } = await at(key, { do: "hint" });
        if (status !== 200) return say(body.error);
        const all = body.moves.slice(0, 300).map(({ move, value }) => button(value ? `${move}: ${value}` : move, () => play(move)));
        const best = body.has_best ? all[0].cloneNode(true) : "";
        known = new Map(body.moves.filter(({ sign }) => typeof sign === "number").map(({ move, sign }) => [move, sign]));
        forget();
        if (best) {
          best.onclick = all[0].onclick;
          const { paths = [] } = (state.moves || []).find(({ move }) => move === body.moves[0].move) || {};
          if (board && paths.length) board.offer(new Set(), [], paths[0], worthOf(beginning([])));
        }
        choices.replaceChildren(best, element("details", { open: !best }, element("summary", {}, `All ${body.moves.length} legal moves`), element("div", { class: "choices" }, ...all)));
        say([best && `Hint: ${best.textContent}.`, board && known.size && "On the board, + wins, = draws and − loses.", body.why].filter(Boolean).join(" "));
      } catch {
        say("The server does not answer.");
      }
    }

    function clocks() {
      const passed = Date.now() - state.since;
      state.players.forEach(({ left }, seat) => {
        const place = players.children[seat]?.querySelector(".clock");
        if (place) place.textContent = left === null || left === undefined ? "" : clock(left - (state.runs === seat ? passed : 0));
      });
    }

    function showPlayers() {
      players.replaceChildren(...state.players.map(({ name, score }, seat) => element("li", { class: state.turn === seat && state.phase !== "over" ? "turn" : null }, `${look.sides[seat]}: ${name}, score ${score} `, element("span", { class: "clock" }))));
      clocks();
    }

    function showMoves() {
      rows.replaceChildren(...state.plies.map((ply, at) => {
        const says = [ply.expected === null ? ply.thought : `expects ${ply.expected.toFixed(2)}`, ply.overhead === null ? null : `operator ${(ply.overhead / 1e6).toFixed(1)} s`];
        return element("tr", {}, ...[String(at + 1), look.sides[ply.seat], ply.move, (ply.micros / 1e6).toFixed(1), says.filter(Boolean).join("; ")].map((text) => element("td", {}, text)));
      }));
      history.scrollTop = history.scrollHeight;
      const last = [...state.plies].reverse().find(({ expected }) => expected !== null);
      expects.hidden = !last;
      if (last) expects.textContent = `The program expects ${last.expected.toFixed(2)}: 1 is its win, 0 its loss.`;
    }

    /** What is said after a change: the last move, and whose turn it is. */
    function news() {
      const last = state.plies[state.plies.length - 1];
      const done = last ? last.caption + ". " : "";
      const side = look.sides[state.turn];
      if (state.phase === "over") return `${done}The game is over: ${state.result}.`;
      if (state.phase === "starts") return `${done}The engines are being started.`;
      if (isMine()) return `${done}${side} is to move: your turn.`;
      return `${done}${side} is to move.`;
    }

    function show(fresh) {
      state = { ...fresh, since: Date.now() };
      chosen = [];
      known = new Map();
      isAway = false;
      if (board) board.show(state.contents, state.marks, state.row, state.slides);
      drawing.hidden = !state.drawing;
      drawing.textContent = state.drawing || "";
      position.value = state.position;
      showPlayers();
      showMoves();
      offer();
      operator.hidden = !(state.phase === "remote" && isMine());
      const isOver = state.phase === "over";
      const isWatched = state.players.every(({ kind }) => kind === "engine");
      for (const one of [typed, hint, resign, undo]) one.hidden = isWatched;
      for (const one of [undo, again, hint, resign]) one.disabled = false;
      hint.disabled = !isMine();
      resign.disabled = isOver;
      save.hidden = !state.record;
      if (state.record) save.href = "data:text/plain;charset=utf-8," + encodeURIComponent(state.record);
      table.dataset.phase = state.phase;
      table.dataset.plies = state.plies.length;
      say(news());
      clearInterval(ticking);
      if (!isOver && state.runs !== null) ticking = setInterval(clocks, 250);
    }

    function closed(why) {
      clearInterval(ticking);
      current = null;
      window.history.replaceState(null, "", location.pathname);
      say(why || "This table is closed.");
      table.dataset.phase = "closed";
      const more = [button("To a new game", () => showLobby())];
      if (request && state && state.phase !== "over") {
        const moves = state.plies.map(({ move }) => move);
        more.unshift(button("Open the table again", () => open({ ...request, position: state.start, moves })));
      }
      choices.replaceChildren(...more);
    }

    return {
      show,
      closed,
      isThere() {
        if (isAway) say(news());
        isAway = false;
      },
      isAway() {
        isAway = true;
        say("The server does not answer.");
      },
    };
  }

  async function begin() {
    const key = location.hash.slice(1);
    try {
      if (key) await sit(key, null);
      else await showLobby();
    } catch {
      say("The server does not answer.");
    }
  }
  addEventListener("hashchange", () => {
    stand();
    begin();
  });
  begin();
})();
