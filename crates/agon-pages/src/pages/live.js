// Keeps a page from a server up to date. The server tells a number that changes with the results; the
// page then asks for itself again, and takes over what is new. What has not changed stays, so a text that
// is selected stays so. A page that shows a replay, or a filter that is in use, stays as it is and says
// that there is something new.
//
// The page of the games in play: ?engine=NAME shows the game of this engine large. ?big, on every page, is
// for a projector: nothing scrolls, and the pages turn by themselves.
"use strict";
(async () => {
  // Another page may come in the place of this one.
  if (await window.agonComes) return;
  const ask = window.agonToken?.ask ?? ((address, how) => fetch(address, { credentials: "omit", ...how }));
  const base = document.querySelector('script[src$="live.js"]').src.replace(/live\.js$/, "");
  const main = document.getElementById("main");
  const said = document.createElement("p");
  said.className = "live";
  said.setAttribute("role", "status");
  main.before(said);

  const POLL = 5000;
  const asked = new URLSearchParams(location.search);
  const followed = asked.get("engine");
  const isBig = asked.has("big");
  let known = null;
  let polling = 0;
  let events = null;
  let isAsking = false;
  let isOld = false;

  /** What the line above the page says; a reader with a screen reader hears it only when it changes. */
  function say(text) {
    if (said.textContent !== text) said.textContent = text;
  }

  /** What the person looks at, so that it is still there afterwards. */
  function remember() {
    const focused = document.activeElement;
    return {
      sorted: [...main.querySelectorAll("table")].map((table) => {
        const heads = [...table.querySelectorAll("thead th")];
        const at = heads.findIndex((head) => head.hasAttribute("aria-sort"));
        return at < 0 ? null : [at, heads[at].getAttribute("aria-sort")];
      }),
      scrolled: [...main.querySelectorAll(".wide")].map((box) => box.scrollLeft),
      open: [...main.querySelectorAll("details")].map((box) => box.open),
      link: main.contains(focused) ? focused.getAttribute("href") : null,
    };
  }

  function restore(was) {
    main.querySelectorAll("table").forEach((table, at) => {
      const sorted = was.sorted[at];
      const head = sorted && table.querySelectorAll("thead th")[sorted[0]];
      // The rows are in the order of the server now.
      head?.removeAttribute("aria-sort");
      for (let click = 0; head && click < 2 && head.getAttribute("aria-sort") !== sorted[1]; click++) {
        head.querySelector("button")?.click();
      }
    });
    main.querySelectorAll(".wide").forEach((box, at) => (box.scrollLeft = was.scrolled[at] ?? 0));
    main.querySelectorAll("details").forEach((box, at) => (box.open = was.open[at] ?? box.open));
    if (was.link !== null) [...main.querySelectorAll("a")].find((link) => link.getAttribute("href") === was.link)?.focus({ preventScroll: true });
  }

  /** Whether something on the page is in use that an update would take away. */
  function isInUse() {
    return main.querySelector(".replay, div.filter select, div.filter input") !== null;
  }

  async function update() {
    const answer = await ask(location.pathname, { cache: "no-cache" });
    const text = await answer.text();
    const fresh = new DOMParser().parseFromString(text, "text/html");
    const content = fresh.getElementById("main");
    if (!content) return;
    if (answer.ok && isInUse()) {
      // A replay does not change; a filtered list would lose its filter.
      if (main.querySelector("div.filter select")) say("There are new games: load the page again to see them.");
      return;
    }
    const was = remember();
    document.title = fresh.title;
    renewChildren(main, content);
    document.dispatchEvent(new CustomEvent("agon:fresh"));
    restore(was);
    served = Date.parse(answer.headers.get("date")) - Date.now() || 0;
    arrange();
  }

  /** Gives an element the children of another one, and keeps those that are the same. */
  function renewChildren(old, fresh) {
    // A node that is taken over leaves the other element.
    const nodes = [...fresh.childNodes];
    nodes.forEach((node, at) => {
      const key = node.dataset?.key;
      const kept = key && [...old.children].find((child) => child.dataset.key === key);
      if (kept && kept !== old.childNodes[at]) old.insertBefore(kept, old.childNodes[at] ?? null);
      const mine = old.childNodes[at];
      if (!mine) old.append(node);
      else if (mine.nodeName === node.nodeName && mine.dataset?.key === key) renewNode(mine, node);
      // What has a key may have its place further below.
      else if (mine.dataset?.key) old.insertBefore(node, mine);
      else mine.replaceWith(node);
    });
    while (old.childNodes.length > nodes.length) old.lastChild.remove();
  }

  function renewNode(old, fresh) {
    if (old.nodeType !== 1) {
      if (old.data !== fresh.data) old.data = fresh.data;
      return;
    }
    // The script of the pages has changed these itself.
    if (old.matches("div.filter") || (old.matches(".sortable thead") && old.textContent === fresh.textContent)) return;
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open" && name !== "tabindex") old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    renewChildren(old, fresh);
  }

  // The games in play

  let served = 0; // how far the clock of the server is before ours
  let chosen = null;
  const boards = () => [...main.querySelectorAll(".boards > article")];

  /** Makes one game large: that of the engine that is followed, the one that was chosen, or the first. */
  function arrange() {
    const all = boards();
    if (!all.length) return;
    const plays = (board) => [...board.querySelectorAll("[data-engine]")].some((seat) => seat.dataset.engine === followed);
    const own = followed === null ? [] : all.filter(plays);
    const large = own.find((board) => !board.matches(".over")) ?? own[0] ?? all.find((board) => board.dataset.key === chosen) ?? all[0];
    for (const board of all) {
      board.classList.toggle("large", board === large);
      board.querySelector(".enlarge").hidden = board === large || isBig;
    }
    if (followed !== null) say(own.length ? "" : `${followed} is in none of these games now.`);
    tick();
  }

  /** Lets the clock of the seat to move run down. */
  function tick() {
    for (const clock of main.querySelectorAll(".clock[data-runs]")) {
      const since = Number(clock.closest("article").dataset.since);
      const tenths = Math.floor(Math.max(clock.dataset.left - Math.max(Date.now() + served - since, 0), 0) / 100);
      const text = `${Math.floor(tenths / 600)}:${String(Math.floor(tenths / 10) % 60).padStart(2, "0")}.${tenths % 10}${clock.dataset.bank ?? ""}`;
      if (clock.textContent !== text) clock.textContent = text;
    }
  }

  main.addEventListener("click", (event) => {
    const button = event.target.closest(".enlarge");
    if (!button) return;
    chosen = button.closest("article").dataset.key;
    arrange();
    main.querySelector(".large h2").tabIndex = -1;
    main.querySelector(".large h2").focus();
  });

  // The projector

  const TURN = 10000;

  /** The next screen of the page, the next game, or the next page. */
  function turn() {
    if (document.hidden) return;
    const all = boards();
    const next = all[all.findIndex((board) => board.matches(".large")) + 1];
    if (followed === null && next) {
      chosen = next.dataset.key;
      return arrange();
    }
    if (scrollY + innerHeight < document.documentElement.scrollHeight - 8) return scrollBy(0, innerHeight * 0.9);
    const pages = [...new Set([base + "live.html", new URL(document.querySelector("nav a").href).href])];
    const at = pages.indexOf(location.origin + location.pathname);
    history.replaceState(null, "", pages[(at + 1) % pages.length] + location.search);
    chosen = null;
    isOld = true;
    renew().then(() => {
      scrollTo(0, 0);
      listen();
    });
  }
  if (isBig) {
    document.documentElement.classList.add("big");
    setInterval(turn, TURN);
  }

  /** Two numbers have come: one changes with the results, the other with each move of a game in play. */
  async function come(numbers) {
    if (followed === null) say("");
    const [results, moves] = numbers.split(" ");
    const boards = main.querySelector("[data-live]");
    const wanted = boards ? results + " " + moves : results;
    if (known === wanted) return;
    const isFirst = known === null;
    known = wanted;
    // The first ones may be those of the page itself.
    const own = document.documentElement.dataset.revision;
    if (isFirst && wanted === (boards ? own + " " + boards.dataset.live : own)) return;
    isOld = true;
    await renew();
  }

  /** Asks for the page again, if it is old and somebody sees it. */
  async function renew() {
    if (isAsking || document.hidden) return;
    isAsking = true;
    while (isOld) {
      isOld = false;
      try {
        await update();
      } catch {
        known = null;
      }
    }
    isAsking = false;
  }

  /** Asks every five seconds, while nothing comes by itself. */
  function poll() {
    if (polling) return;
    polling = setInterval(async () => {
      try {
        const answer = await ask(base + "revision", { cache: "no-store" });
        if (answer.ok) come(await answer.text());
      } catch {
        say("The server does not answer. This page is as it was last.");
      }
    }, POLL);
  }

  // A browser has six connections to a server. A page that nobody sees takes none of them.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      events?.close();
      clearInterval(polling);
      polling = 0;
      return;
    }
    listen();
    if (isOld) renew();
  });

  /** Begins to wait for news, while somebody sees the page. */
  function listen() {
    if (document.hidden) return;
    events?.close();
    // The head of such a stream cannot carry a token.
    if (!window.EventSource || window.agonToken) return poll();
    events = new EventSource(base + (main.querySelector("[data-live]") ? "events?moves" : "events"));
    events.onmessage = (event) => {
      clearInterval(polling);
      polling = 0;
      come(event.data);
    };
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) setTimeout(listen, 4 * POLL);
      poll();
    };
  }
  listen();
  arrange();
  setInterval(tick, 100);
})();
