// Keeps a page from a server up to date. The server tells a number that changes with the results; the
// page then asks for itself again, and takes over what is new. A page that shows a replay, or a filter
// that is in use, stays as it is and says that there is something new.
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
    main.replaceChildren(...content.childNodes);
    document.dispatchEvent(new CustomEvent("agon:fresh"));
    restore(was);
  }

  /** Two numbers have come: one changes with the results, the other with each move of a game in play. */
  async function come(numbers) {
    say("");
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
})();
