// A starter for @GAME@: it answers at random. Your ideas go into choose().
//
// Handed in alone, without its engine.toml, it is started as these two lines say:
// agon: args = @ARGS@
// agon: games = @GAMES@
//
// agon starts it as: main.js SEAT SEATS SECONDS SEED. It reads the lines that the referee tells its seat.
// When it is to answer, it reads the line `@PROMPT@`. Then it writes one line. Notes belong on standard
// error.

const [seat, seats, seconds, seed] = process.argv.slice(2).map(Number);

// Numbers that the seed of the game determines.
let state = seed % 2147483647;
function below(count) {
  state = (state * 48271 + 11) % 2147483647;
  return Math.floor((state / 2147483647) * count);
}

// The answer. `told` has all lines of the game so far, and `legal` the answers of the last line `legal`.
// A referee that lists no legal answers leaves it empty: then the rules of the game say what an answer is.
function choose(told, legal) {
  return legal.length > 0 ? legal[below(legal.length)] : "0";
}

const told = [];
let legal = [];
const lines = require("readline").createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on("line", (line) => {
  if (line === "@PROMPT@") {
    process.stdout.write(choose(told, legal) + "\n");
    return;
  }
  told.push(line);
  const words = line.split(/\s+/).filter((word) => word !== "");
  if (words[0] === "legal") legal = words.slice(1);
});
