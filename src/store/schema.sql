-- agon.db, version 1. A game is a row of game, one of moves and one of seat for each seat, all in one
-- transaction, so that it is there whole or not at all.

-- A run of the tournament, a night as it were: the plan is that of its entrants, games, and terms (which hold the
-- seed), and so every game and every board is settled before the first game begins.
CREATE TABLE run (
    number    INTEGER PRIMARY KEY,
    started   TEXT NOT NULL,
    finished  TEXT,
    -- done, stopped, renumbered while files have the numbers of an earlier run, or NULL while it goes on and after it
    -- was killed
    outcome   TEXT,
    agon      TEXT NOT NULL,
    event     TEXT NOT NULL,
    games     INTEGER NOT NULL,
    -- what the games hang on, as a JSON object of strings
    terms     TEXT NOT NULL,
    -- whose machine it was, its cores, and its load in the beginning
    machine   TEXT NOT NULL
) STRICT;

-- An engine in one version: another content is another row.
CREATE TABLE engine (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL,
    hash      TEXT NOT NULL,
    source    TEXT NOT NULL,
    UNIQUE (name, hash)
) STRICT;

-- Who was entered in a run, in the order of the plan, from 0.
CREATE TABLE entrant (
    run       INTEGER NOT NULL REFERENCES run,
    place     INTEGER NOT NULL,
    engine    INTEGER NOT NULL REFERENCES engine,
    PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

-- Texts that many games share: rules, time controls, sides, terminations.
CREATE TABLE word (
    id        INTEGER PRIMARY KEY,
    text      TEXT NOT NULL UNIQUE
) STRICT;

-- The files that games need besides the position: the dictionary.
CREATE TABLE supply (
    hash      TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    bytes     BLOB NOT NULL
) STRICT;

CREATE TABLE game (
    number    INTEGER PRIMARY KEY,
    -- what the game is by its content: terms, seed, pair and engines
    key       INTEGER NOT NULL,
    -- 1 if it counts, NULL if it is void or history
    current   INTEGER CHECK (current = 1),
    run       INTEGER NOT NULL,
    round     INTEGER NOT NULL,
    pairing   INTEGER NOT NULL,
    game      INTEGER NOT NULL,
    rules     INTEGER NOT NULL REFERENCES word,
    control   INTEGER NOT NULL REFERENCES word,
    seed      INTEGER NOT NULL,
    -- a word: normal, illegal move, ..., void
    ending    INTEGER NOT NULL REFERENCES word,
    -- the seat that was at fault or has resigned
    loser     INTEGER,
    reason    TEXT NOT NULL,
    -- nanoseconds since 1970
    started   INTEGER NOT NULL,
    finished  INTEGER NOT NULL,
    -- of the machine in the last minute, in hundredths, when the game was stored
    load      INTEGER,
    -- NULLs differ: of each key at most one game counts, and any number do not
    UNIQUE (key, current)
) STRICT;

-- Games lost by a fault are looked for at the start of every run, and there are few.
CREATE INDEX game_lost ON game (ending) WHERE loser IS NOT NULL;

CREATE TABLE moves (
    game      INTEGER PRIMARY KEY REFERENCES game,
    start     TEXT NOT NULL,
    last      TEXT NOT NULL,
    -- a line a ply: seat, points, microseconds, move and, if there is one, thought, with tabs between them
    plies     TEXT NOT NULL
) STRICT;

CREATE TABLE seat (
    game      INTEGER NOT NULL REFERENCES game,
    seat      INTEGER NOT NULL,
    engine    INTEGER NOT NULL REFERENCES engine,
    side      INTEGER NOT NULL REFERENCES word,
    control   INTEGER NOT NULL REFERENCES word,
    -- NULL in a void game
    place     INTEGER,
    score     INTEGER,
    plies     INTEGER NOT NULL,
    -- microseconds
    time      INTEGER NOT NULL,
    longest   INTEGER NOT NULL,
    startup   INTEGER NOT NULL,
    lateness  INTEGER NOT NULL,
    -- JSON: [told, said, logged, unasked, crlf, deaf] over its pipes, and how its process ended
    traffic   TEXT NOT NULL,
    exit      TEXT,
    stragglers INTEGER NOT NULL,
    PRIMARY KEY (game, seat)
) STRICT, WITHOUT ROWID;

-- What an engine wrote to stderr, head and tail, and what was seen of it if it lost by a fault, as JSON.
CREATE TABLE log (
    game      INTEGER NOT NULL REFERENCES game,
    seat      INTEGER NOT NULL,
    stderr    BLOB NOT NULL,
    evidence  TEXT,
    PRIMARY KEY (game, seat)
) STRICT, WITHOUT ROWID;

-- The standings when a run was done: what the history is made of.
CREATE TABLE standing (
    run       INTEGER NOT NULL REFERENCES run,
    engine    INTEGER NOT NULL REFERENCES engine,
    rank      INTEGER NOT NULL,
    wins      INTEGER NOT NULL,
    draws     INTEGER NOT NULL,
    losses    INTEGER NOT NULL,
    -- thousandths
    points    INTEGER NOT NULL,
    PRIMARY KEY (run, engine)
) STRICT, WITHOUT ROWID;
