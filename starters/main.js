// A starter for @GAME@: it plays random legal moves. Your ideas go into choose().
//
// Handed in alone, without its engine.toml, it is started as these two lines say:
// agon: args = @ARGS@
// agon: games = @GAMES@
//
// agon starts it as: main.js SIDE TO_MOVE SECONDS. The position comes on standard input, then each
// move of the opponent. A move of ours is one line on standard output; notes belong on standard error.
"use strict";

const lines = require("readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();

// The next line. At the end of the input the game is over.
async function readLine() {
  const { value, done } = await lines.next();
  if (done) process.exit(0);
  return value.trim();
}

//: mnk connect4
// The rows of the board from the top; a cell is X, O or a dot.
class Position {
  async read() {
    [this.columns, this.rows, this.k] = (await readLine()).split(" ").map(Number);
    this.cells = [];
    while (this.cells.length < this.rows) this.cells.push([...(await readLine())]);
  }

//: mnk
  // All free cells: the letter of the column, and the number of the row from the bottom.
  moves(side) {
    const found = [];
    this.cells.forEach((row, fromTop) => {
      row.forEach((cell, column) => {
        if (cell === ".") found.push(String.fromCharCode(97 + column) + (this.rows - fromTop));
      });
    });
    return found;
  }

  play(side, move) {
    this.cells[this.rows - Number(move.slice(1))][move.charCodeAt(0) - 97] = side;
  }
}

//: connect4
  // The numbers of the columns that are not full.
  moves(side) {
    return [...Array(this.columns).keys()].filter((c) => this.cells[0][c] === ".").map((c) => `${c + 1}`);
  }

  play(side, move) {
    const column = Number(move) - 1;
    for (let row = this.rows - 1; row >= 0; row--) {
      if (this.cells[row][column] === ".") {
        this.cells[row][column] = side;
        return;
      }
    }
  }
}

//: chess
// The steps of the pieces as ranks and files: a rook takes the first four, a bishop the next four, a
// knight the rest.
const STEPS = [
  [0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [1, -1], [-1, 1], [-1, -1],
  [1, 2], [2, 1], [-1, 2], [-2, 1], [1, -2], [2, -1], [-1, -2], [-2, -1],
];

const sideOf = (piece) => (piece === "." ? "." : piece >= "a" ? "B" : "W");
const kindOf = (piece) => piece.toLowerCase();
const isOnBoard = (rank, file) => rank >= 0 && rank < 8 && file >= 0 && file < 8;
const firstStep = (kind) => (kind === "n" ? 8 : kind === "b" ? 4 : 0);
const lastStep = (kind) => (kind === "n" ? 16 : kind === "r" ? 4 : 8);
const isSlow = (kind) => kind === "k" || kind === "n";
const square = (rank, file) => String.fromCharCode(97 + file) + (rank + 1);

// The board as FEN writes it: cells[rank][file], both from 0, capitals for white, a dot for a free
// square. This starter never castles itself; to know when it may is left to you.
class Position {
  async read() {
    const [board, , , passed] = (await readLine()).split(" ");
    const rows = board.replace(/[1-8]/g, (number) => ".".repeat(Number(number))).split("/");
    this.cells = rows.reverse().map((row) => [...row]);
    // The square that a pawn has passed, or "-".
    this.passed = passed;
  }

  // Whether a side attacks a square.
  isAttacked(rank, file, side) {
    for (let step = 0; step < 16; step++) {
      for (let far = 1; far < 8; far++) {
        const [r, f] = [rank + far * STEPS[step][0], file + far * STEPS[step][1]];
        if (!isOnBoard(r, f) || (far > 1 && step >= 8)) break;
        const [piece, kind] = [this.cells[r][f], kindOf(this.cells[r][f])];
        if (piece === ".") continue;
        if (sideOf(piece) !== side) break;
        const strikes =
          kind === "p"
            ? step >= 4 && step < 8 && rank - r === (side === "W" ? 1 : -1)
            : step >= firstStep(kind) && step < lastStep(kind);
        if (strikes && (far === 1 || (kind !== "p" && !isSlow(kind)))) return true;
        break;
      }
    }
    return false;
  }

  // Adds a move if it does not leave the own king in check.
  addLegal(found, side, move) {
    const before = [this.cells.map((row) => [...row]), this.passed];
    this.play(side, move);
    const king = side === "W" ? "K" : "k";
    const rank = this.cells.findIndex((row) => row.includes(king));
    const attacked = this.isAttacked(rank, this.cells[rank].indexOf(king), side === "W" ? "B" : "W");
    [this.cells, this.passed] = before;
    if (!attacked) found.push(move);
  }

  addPawnMoves(found, side, rank, file) {
    const [ahead, home] = side === "W" ? [1, 1] : [-1, 6];
    const add = (r, f) => {
      for (const promotion of r > 0 && r < 7 ? [""] : ["q", "r", "b", "n"]) {
        this.addLegal(found, side, square(rank, file) + square(r, f) + promotion);
      }
    };
    for (const f of [file - 1, file + 1].filter((f) => isOnBoard(0, f))) {
      const taken = sideOf(this.cells[rank + ahead][f]);
      if (this.passed === square(rank + ahead, f) || (taken !== "." && taken !== side)) add(rank + ahead, f);
    }
    if (this.cells[rank + ahead][file] !== ".") return;
    add(rank + ahead, file);
    if (rank === home && this.cells[rank + 2 * ahead][file] === ".") add(rank + 2 * ahead, file);
  }

  moves(side) {
    const found = [];
    for (let at = 0; at < 64; at++) {
      const [rank, file] = [Math.floor(at / 8), at % 8];
      const [piece, kind] = [this.cells[rank][file], kindOf(this.cells[rank][file])];
      if (sideOf(piece) !== side) continue;
      if (kind === "p") {
        this.addPawnMoves(found, side, rank, file);
        continue;
      }
      for (const [ranks, files] of STEPS.slice(firstStep(kind), lastStep(kind))) {
        for (let far = 1; far < 8; far++) {
          const [r, f] = [rank + far * ranks, file + far * files];
          if (!isOnBoard(r, f) || sideOf(this.cells[r][f]) === side) break;
          this.addLegal(found, side, square(rank, file) + square(r, f));
          if (this.cells[r][f] !== "." || isSlow(kind)) break;
        }
      }
    }
    return found;
  }

  play(side, move) {
    const [file, f] = [move.charCodeAt(0) - 97, move.charCodeAt(2) - 97];
    const [rank, r] = [Number(move[1]) - 1, Number(move[3]) - 1];
    const [piece, kind] = [this.cells[rank][file], kindOf(this.cells[rank][file])];
    const passes = kind === "p" && move.slice(2, 4) === this.passed;
    this.passed = "-";
    this.cells[rank][file] = ".";
    const row = this.cells[r];
    if (kind === "k" && (sideOf(row[f]) === side || Math.abs(f - file) > 1)) {
      // Castling: the king goes two files, or in Chess960 takes its own rook.
      const isShort = f > file;
      let rook = f;
      if (sideOf(row[f]) !== side) {
        for (rook = isShort ? 7 : 0; kindOf(row[rook]) !== "r"; ) rook += isShort ? -1 : 1;
      }
      row[rook] = ".";
      row[isShort ? 6 : 2] = piece;
      row[isShort ? 5 : 3] = side === "W" ? "R" : "r";
      return;
    }
    if (passes) this.cells[rank][f] = ".";
    if (kind === "p" && Math.abs(r - rank) === 2) this.passed = square((r + rank) / 2, f);
    const promotion = move[4] && (side === "W" ? move[4].toUpperCase() : move[4]);
    row[f] = promotion || piece;
  }
}

//: mill
// The cube as cells[z][y][x], with the bottom plane first; a cell is W, B or a dot.
class Position {
  async read() {
    await readLine(); // the size is always 4 4 4
    const letters = { 1: "W", 2: "B", ".": "." };
    this.cells = [[], [], [], []];
    for (const plane of this.cells) {
      while (plane.length < 4) plane.push([...(await readLine())].map((cell) => letters[cell]));
    }
  }

  // The columns, x and y, whose top cell is free.
  moves(side) {
    const found = [];
    for (let x = 0; x < 4; x++) {
      for (let y = 0; y < 4; y++) if (this.cells[3][y][x] === ".") found.push(`${x + 1}${y + 1}`);
    }
    return found;
  }

  play(side, move) {
    const [x, y] = [move[0] - 1, move[1] - 1];
    this.cells.find((plane) => plane[y][x] === ".")[y][x] = side;
  }
}

//: morris
// The lines of the board. Those of three points are mills; those of two only join their points.
const SIX = "0-1-2 3-4-5 10-11-12 13-14-15 0-6-13 3-7-10 5-8-12 2-9-15 1-4 6-7 8-9 11-14";
const NINE =
  "0-1-2 3-4-5 6-7-8 9-10-11 12-13-14 15-16-17 18-19-20 21-22-23 " +
  "0-9-21 3-10-18 6-11-15 1-4-7 16-19-22 8-12-17 5-13-20 2-14-23";

// The points in order, each X, O or a dot, and the men in hand.
class Position {
  async read() {
    this.points = [];
    let line = await readLine();
    while (!line.includes(" ")) {
      this.points.push(...line);
      line = await readLine();
    }
    const [, x, o] = line.split(" ");
    this.hand = { X: Number(x), O: Number(o) };
    const text = this.points.length === 16 ? SIX : NINE;
    this.lines = text.split(" ").map((line) => line.split("-").map(Number));
  }

  of(mark) {
    return [...this.points.keys()].filter((point) => this.points[point] === mark);
  }

  joined(one, other) {
    return this.lines.some((l) => l.includes(one) && Math.abs(l.indexOf(one) - l.indexOf(other)) === 1 && l.includes(other));
  }

  inMill(point, side) {
    const mills = this.lines.filter((line) => line.length === 3 && line.includes(point));
    return mills.some((mill) => mill.every((there) => this.points[there] === side));
  }

  moves(side) {
    const [own, free] = [this.of(side), this.of(".")];
    if (this.hand[side] > 0) return free.flatMap((to) => this.withRemovals(side, null, to));
    const every = own.flatMap((start) => free.map((to) => [start, to]));
    let steps = every.filter(([start, to]) => this.joined(start, to));
    if (steps.length === 0 && own.length === 3) steps = every; // three men may fly
    return steps.flatMap(([start, to]) => this.withRemovals(side, start, to));
  }

  // The move, or where it closes a mill, the move with each man that may be removed.
  withRemovals(side, start, to) {
    const text = start === null ? `${to}` : `${start}-${to}`;
    const before = [...this.points];
    if (start !== null) this.points[start] = ".";
    this.points[to] = side;
    const other = side === "X" ? "O" : "X";
    const men = this.inMill(to, side) ? this.of(other) : [];
    const outside = men.filter((man) => !this.inMill(man, other));
    this.points = before;
    const removed = outside.length > 0 ? outside : men;
    return removed.length > 0 ? removed.map((man) => `${text}r${man}`) : [text];
  }

  play(side, move) {
    const [step, removed] = move.split("r");
    const ends = step.split("-").map(Number);
    if (ends.length === 2) this.points[ends[0]] = ".";
    else this.hand[side]--;
    this.points[ends[ends.length - 1]] = side;
    if (removed !== undefined) this.points[Number(removed)] = ".";
  }
}

//: abalone
// The steps to the six neighbours. A cell is 10 * row + column; row f begins with column 2, so that a
// step is the same everywhere.
const STEPS = [1, -1, 10, -10, 11, -11];
const MARBLES = { B: "#", W: "O" };

function cell(name) {
  const row = name.charCodeAt(0) - 97;
  return 10 * row + Number(name[1]) + Math.max(0, row - 4);
}

function name(cell) {
  const row = Math.floor(cell / 10);
  return String.fromCharCode(97 + row) + ((cell % 10) - Math.max(0, row - 4));
}

// The marbles by their cells, # for black and O for white, and all boards so far.
class Position {
  async read() {
    this.cells = new Map();
    for (let row = 8; row >= 0; row--) {
      [...(await readLine())].forEach((marble, at) => {
        this.cells.set(10 * row + at + 1 + Math.max(0, row - 4), marble);
      });
    }
    await readLine(); // the side to move
    this.seen = new Set([this.board()]);
  }

  board() {
    return [...this.cells.values()].join("");
  }

  // Moves along a line, with pushes. Broadside moves are left to you.
  moves(side) {
    const [mine, theirs, found] = [MARBLES[side], side === "B" ? "O" : "#", []];
    for (const [tail, marble] of this.cells) {
      for (const step of marble === mine ? STEPS : []) {
        let own = 0;
        while (this.cells.get(tail + own * step) === mine) own++;
        let pushed = 0;
        while (this.cells.get(tail + (own + pushed) * step) === theirs) pushed++;
        const behind = this.cells.get(tail + (own + pushed) * step); // undefined over the edge
        if (own > 3 || pushed >= own || !(behind === "." || (behind === undefined && pushed > 0))) continue;
        const head = own > 1 ? name(tail + (own - 1) * step) : "";
        found.push(`${name(tail)}${head}-${name(tail + step)}`);
      }
    }
    return found.filter((move) => !this.seen.has(this.after(side, move)));
  }

  // The board after a move. No board may come back.
  after(side, move) {
    const before = new Map(this.cells);
    this.move(side, move);
    const board = this.board();
    this.cells = before;
    return board;
  }

  move(side, move) {
    const [start, to] = move.split("-");
    const [tail, head] = [cell(start.slice(0, 2)), cell(start.slice(-2))];
    const step = cell(to) - tail;
    const line = STEPS.find((line) => tail + line === head || tail + 2 * line === head);
    if (line === undefined || line === step) {
      // Along the line: each marble moves the next one on.
      let carried = ".";
      for (let place = tail; this.cells.has(place); place += step) {
        const there = this.cells.get(place);
        this.cells.set(place, carried);
        if (there === ".") return;
        carried = there;
      }
    } else {
      for (let place = tail; place !== head + line; place += line) {
        this.cells.set(place, ".");
        this.cells.set(place + step, MARBLES[side]);
      }
    }
  }

  play(side, move) {
    this.move(side, move);
    this.seen.add(this.board());
  }
}

//: letters
// The cube: letters[x][y] is the column from plane 1 down; x and y are counted from 1.
class Position {
  async read() {
    [this.rows, this.columns, this.planes] = (await readLine()).split(" ").map(Number);
    this.letters = [];
    for (let line = 0; line < this.rows * this.planes; ) {
      const row = await readLine();
      if (row === "") continue; // there may be an empty line between two planes
      const x = (line++ % this.rows) + 1;
      this.letters[x] ??= [];
      [...row].forEach((letter, at) => {
        this.letters[x][at + 1] ??= [];
        if (letter !== "_") this.letters[x][at + 1].push(letter);
      });
    }
    this.words = new Map(); // the letters of a word in alphabetical order, and the word
    for (const line of require("fs").readFileSync("dictionary.sorted", "utf8").split("\n")) {
      const [key, word] = line.split(" ");
      this.words.set(key, word);
    }
  }

  // Every line that makes a word, from its first cell to its last; without one, the pass.
  moves(side) {
    const found = [];
    for (let x = 1; x <= this.rows; x++) {
      for (let y = 1; y <= this.columns; y++) {
        for (const [dx, dy, dz] of [[0, 1, 0], [1, 0, 0], [0, 0, 1]]) {
          const letters = [];
          for (let [a, b, c] = [x, y, 1]; ; a += dx, b += dy, c += dz) {
            const letter = this.letters[a]?.[b]?.[c - 1];
            if (letter === undefined) break;
            letters.push(letter);
            const word = this.words.get([...letters].sort().join(""));
            if (letters.length >= 3 && word) found.push([x, y, 1, a, b, c, word].join(","));
          }
        }
      }
    }
    return found.length > 0 ? found : ["P"];
  }

  play(side, move) {
    if (move === "P") return;
    const [x1, y1, z1, x2, y2, z2] = move.split(",").slice(0, 6).map(Number);
    for (let x = Math.min(x1, x2); x <= Math.max(x1, x2); x++) {
      for (let y = Math.min(y1, y2); y <= Math.max(y1, y2); y++) {
        this.letters[x][y].splice(z1 - 1, z2 - z1 + 1); // the column closes up
      }
    }
  }
}

//: all
// The move to play. Replace this by something better.
function choose(position, side, moves) {
  return moves[Math.floor(Math.random() * moves.length)];
}

async function main() {
  const [side, toMove] = process.argv.slice(2);
  const position = new Position();
  await position.read();
  for (let myTurn = side === toMove; ; myTurn = !myTurn) {
    if (myTurn) {
      const moves = position.moves(side);
      if (moves.length === 0) process.exit(0); // the game is over
      const move = choose(position, side, moves);
      position.play(side, move);
      process.stdout.write(`${side},${move}\n`);
    } else {
      const line = await readLine();
      const comma = line.indexOf(",");
      position.play(line.slice(0, comma), line.slice(comma + 1));
    }
  }
}

main();
