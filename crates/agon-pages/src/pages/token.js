// Forms with a token, and pages for the holder of a token. There are no cookies: the token is kept in
// this tab, and each request of a script carries it in its head. A page that was asked for without it is
// asked for once more with it, and written in the place of the other one.
"use strict";
(() => {
  const KEY = "agon-token";
  const token = sessionStorage.getItem(KEY);

  /** Asks the own server, with the token if there is one. */
  function ask(address, how = {}) {
    const headers = token ? { Accept: "text/html", Authorization: "Bearer " + token } : { Accept: "text/html" };
    return fetch(address, { cache: "no-store", credentials: "omit", headers, ...how });
  }

  /** Puts a whole page in the place of this one, with its scripts. */
  function show(text) {
    document.open();
    document.write(text);
    document.close();
  }

  /** Says something to the person, in the place for it. */
  function say(text) {
    const said = document.createElement("p");
    said.setAttribute("role", "alert");
    said.textContent = text;
    document.getElementById("main").prepend(said);
  }

  /** Whether another page comes in the place of this one. */
  async function comes() {
    if (!token || window.agonIsOwn || location.pathname === "/submit") return false;
    const answer = await ask(location.pathname);
    if (answer.status === 401) sessionStorage.removeItem(KEY);
    if (!answer.ok) {
      if (answer.status === 401) say("The token of this tab is not known, or it was revoked.");
      return false;
    }
    const text = await answer.text();
    window.agonIsOwn = true;
    show(text);
    return true;
  }

  /** Sends a form. A browser does not tell the server where a plain form comes from, if it is not https. */
  async function send(form) {
    const buttons = form.querySelectorAll("button");
    buttons.forEach((button) => (button.disabled = true));
    try {
      const answer = await fetch(form.getAttribute("action"), {
        method: "POST",
        body: new FormData(form),
        credentials: "omit",
        headers: { Accept: "text/html" },
      });
      const saved = /^attachment; filename="([^"]*)"/.exec(answer.headers.get("content-disposition") ?? "");
      if (!saved) return show(await answer.text());
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await answer.blob());
      link.download = saved[1];
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    } catch {
      say("The server does not answer.");
    }
    buttons.forEach((button) => (button.disabled = false));
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.enctype !== "multipart/form-data") return;
    event.preventDefault();
    if (form.dataset.keeps === undefined) return void send(form);
    sessionStorage.setItem(KEY, form.elements.token.value.trim());
    location.assign(form.dataset.keeps);
  });

  const forgets = document.querySelector("[data-forgets]");
  if (forgets && token) {
    forgets.hidden = false;
    forgets.querySelector("button").onclick = () => {
      sessionStorage.removeItem(KEY);
      forgets.hidden = true;
    };
  }

  window.agonToken = window.agonIsOwn ? { ask } : null;
  window.agonComes = comes().catch(() => false);
})();
