// What holds for every page of a run of hostile engines: their texts are text.
"use strict";

/// Scripts and elements that agon did not write, and characters that change how a text is read.
async function hostile(tab, where, check, site) {
  const found = await tab.evaluate(() => {
    const attributes = [...document.querySelectorAll("*")].flatMap((element) => [...element.attributes]);
    const text = document.documentElement.textContent + attributes.map((one) => one.value).join("");
    const control = text.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/);
    return {
      scripts: [...document.querySelectorAll("script")].map((one) => one.getAttribute("src") ?? one.type ?? ""),
      foreign: [...document.querySelectorAll("img, iframe, object, embed, form, base, link:not([rel=stylesheet]), font, b b")].length,
      handlers: attributes.filter((one) => one.name.startsWith("on")).map((one) => one.name),
      addresses: attributes.filter((one) => ["href", "src"].includes(one.name) && /^\s*(javascript|http|https):/i.test(one.value)).length,
      control: control && control[0].codePointAt(0).toString(16),
      text: document.body.textContent.includes("<script>alert(1)</script>"),
      mains: document.querySelectorAll("main").length,
    };
  });
  // Data of a replay is no script that runs.
  const running = found.scripts.filter((one) => one !== "application/json");
  const isOurs = (one) => one === "" ? site.single : /^(\.\.\/)*(agon|games)\.js$/.test(one);
  const usual = running.length === 1 && running.every(isOurs);
  check(usual, `${where}: scripts that are not agon's: ${found.scripts}`);
  check(found.foreign === 0, `${where}: ${found.foreign} elements that agon does not write`);
  check(found.handlers.length === 0, `${where}: handlers in attributes: ${found.handlers}`);
  check(found.addresses === 0, `${where}: ${found.addresses} links to other places`);
  check(found.control === null, `${where}: the control character U+${found.control}`);
  check(found.mains === 1, `${where}: ${found.mains} main elements`);
  // The page about the run names no engine to the public.
  check(found.text || /about|index/.test(where) || where.includes("games/"), `${where}: the hostile name is not shown as text`);
}

module.exports = { hostile };
