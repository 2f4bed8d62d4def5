// A board of several planes, seen in space: the planes lie above each other, and the whole can be turned.
// Replays and the page on which people play share it. It knows no rules: the planes are told from the names
// of the slots, "x=3 y=2 z=1" (docs/frames.md).
//
// What tests and pages may rely on:
//   buttons   Turn the board, Planes
//   board     svg.board has the class turned and the attribute data-angle; .faces and .through are drawn then
"use strict";
window.agonSpace = (board, names, after) => {
  const heights = names.map((name) => /^x=\d+ y=\d+ z=(\d+)$/.exec(name)?.[1]);
  if (!board || !heights.every(Boolean) || !heights.some((height) => height > 1)) return null;
  const make = (name, attributes, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  const slots = [...board.querySelectorAll(".slots > g")];
  const centres = slots.map((slot) => slot.transform.baseVal[0].matrix);
  const flat = centres.map(({ e, f }) => [e, f]);
  const box = board.getAttribute("viewBox");
  const dots = [...board.querySelectorAll(".cell path")];
  const flatDots = dots.map((path) => path.getAttribute("d"));
  // Each slot by its place in its plane, in slots, and by its plane from below.
  const least = (height, axis) => Math.min(...flat.filter((_, at) => heights[at] === height).map((place) => place[axis]));
  const space = flat.map(([x, y], at) => [(x - least(heights[at], 0)) / 100, (y - least(heights[at], 1)) / 100, heights[at] - 1]);
  const [wide, deep, high] = [0, 1, 2].map((axis) => Math.max(...space.map((place) => place[axis])));
  const apart = 60 * Math.max(wide + 1, deep + 1, 3);
  const [faces, through] = [make("g", { class: "faces" }), make("g", { class: "through" })];
  let angle = null;
  let row = [];

  /** Where a place in space is seen, and how near it is. */
  function seen([x, y, z]) {
    const [u, v] = [x - wide / 2, y - deep / 2];
    const [sin, cos] = [Math.sin((angle * Math.PI) / 180), Math.cos((angle * Math.PI) / 180)];
    const near = u * sin + v * cos;
    return [Math.round(100 * (u * cos - v * sin)), Math.round(60 * near - apart * z), near];
  }

  /** The lines of three slots or more that are all in the row: their first and last slot. */
  function lines() {
    const key = (place) => place.join();
    const has = new Set(row.map((slot) => key(space[slot])));
    return row.flatMap((from) => row.flatMap((to) => {
      if (from >= to) return [];
      const [a, b] = [space[from], space[to]];
      const steps = Math.max(...a.map((start, axis) => Math.abs(b[axis] - start)));
      const way = a.map((start, axis) => (b[axis] - start) / steps);
      const isIn = (step) => has.has(key(a.map((start, axis) => start + way[axis] * step)));
      if (steps < 2 || !way.every(Number.isInteger) || isIn(-1) || isIn(steps + 1)) return [];
      return [...Array(steps + 1).keys()].every(isIn) ? [[from, to]] : [];
    }));
  }

  function drawThrough() {
    const ends = angle === null ? [] : lines();
    through.replaceChildren(...ends.map(([from, to]) => make("path", { d: `M${centres[from].e} ${centres[from].f}L${centres[to].e} ${centres[to].f}` })));
  }

  function draw() {
    const places = angle === null ? flat : space.map(seen);
    places.forEach(([x, y], at) => ([centres[at].e, centres[at].f] = [x, y]));
    board.classList.toggle("turned", angle !== null);
    planes.hidden = angle === null;
    const focused = document.activeElement;
    if (angle === null) {
      delete board.dataset.angle;
      board.setAttribute("viewBox", box);
      dots.forEach((path, at) => path.setAttribute("d", flatDots[at]));
      slots[0].parentNode.append(...slots);
      faces.replaceChildren();
    } else {
      board.dataset.angle = angle;
      const half = Math.hypot(wide + 1, deep + 1) * 50 + 80;
      const top = Math.round(-apart * high - half * 0.6 - 40);
      board.setAttribute("viewBox", `${-Math.round(half)} ${top} ${2 * Math.round(half)} ${Math.round(half * 0.6 + 40) - top}`);
      dots.forEach((path) => path.setAttribute("d", places.map(([x, y]) => `M${x} ${y}z`).join("")));
      // What is near is drawn above what is far.
      const order = slots.map((slot, at) => [slot, space[at][2], places[at][2]]).sort((one, other) => one[1] - other[1] || one[2] - other[2]);
      slots[0].parentNode.append(...order.map(([slot]) => slot));
      const corner = (x, y, z) => seen([x, y, z]).slice(0, 2).join(" ");
      faces.replaceChildren(...[...Array(high + 1).keys()].flatMap((z) => {
        const face = `M${corner(-0.6, -0.6, z)}L${corner(wide + 0.6, -0.6, z)}L${corner(wide + 0.6, deep + 0.6, z)}L${corner(-0.6, deep + 0.6, z)}z`;
        const [x, y] = seen([-0.9, deep + 0.9, z]);
        return [make("path", { d: face }), make("text", { x, y }, `z=${z + 1}`)];
      }));
    }
    if (slots.includes(focused)) focused.focus();
    after();
    drawThrough();
  }

  const button = (text, key, onclick) => Object.assign(document.createElement("button"), { type: "button", textContent: text, title: "Key: " + key, onclick });
  const turn = button("Turn the board", "t", (event, back) => {
    angle = angle === null ? 30 : (angle + (back ? 345 : 15)) % 360;
    draw();
  });
  const planes = button("Planes", "p", () => {
    if (document.activeElement === planes) turn.focus();
    angle = null;
    draw();
  });
  planes.hidden = true;
  board.prepend(faces);
  board.append(through);
  return {
    buttons: [turn, planes],
    /** Takes a key; whether it is one of these. */
    key(name) {
      if (name === "t" || name === "T") turn.onclick(null, name === "T");
      else if (name === "p") angle === null || planes.onclick();
      else return false;
      return true;
    },
    /** Draws the lines through these slots, while the board is turned. */
    through(slots) {
      row = slots;
      drawThrough();
    },
  };
};
