-- The tables of agon.db. A game is a row of game, one of moves, and one of seat for each seat. All
-- are written in one transaction, so a game is stored whole or not at all.
-- This file is version 7. A change is a step in upgrade.rs with a new VERSION in lib.rs: version-8.sql adds tables,
-- and version-9.sql columns of game. A column of game, moves or seat is also one in columns.rs.
-- More tables are made when they are first needed: ranking, pruned, refereed, referee_folder,
-- referee_outside, elsewhere, spent, host, played_on, forgotten, manifest, boxed, program, and others.
-- LATER in schema.rs lists them all.

-- A run of the tournament. Its entrants, games, terms and matches determine every game and every
-- board before the first game begins.
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
    -- what the games depend on, the seed too, as a JSON object of strings
    terms     TEXT NOT NULL,
    -- the name of the machine, its cores, and its load in the beginning
    machine   TEXT NOT NULL,
    -- every match of a stage: a JSON list of [round, pairing, first, second, group, games before, games, play-off].
    -- NULL where everybody meets everybody
    matches   TEXT,
    -- what a win, a draw and a loss are worth: 2-1-0
    points    TEXT NOT NULL,
    -- of a run that was done: the last game stored by then, 0 if there was none. NULL if the points have changed since
    ended_after INTEGER
) STRICT;

-- An engine in one version: other contents make another row.
CREATE TABLE engine (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL,
    hash      TEXT NOT NULL,
    source    TEXT NOT NULL,
    UNIQUE (name, hash)
) STRICT;

-- The engines entered in a run, in the order of the plan, from 0.
CREATE TABLE entrant (
    run       INTEGER NOT NULL REFERENCES run,
    place     INTEGER NOT NULL,
    engine    INTEGER NOT NULL REFERENCES engine,
    -- the time control of this engine, and what differs if it plays elsewhere: st=5 isolation=limits lag=0.02
    control   TEXT NOT NULL,
    PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

-- Texts that many games share: rules, time controls, sides, terminations, isolation.
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
    -- a hash of what identifies the game: terms, seed, pair and engines
    key       INTEGER NOT NULL,
    -- 1 if it counts, NULL if it is void or history
    current   INTEGER CHECK (current = 1),
    run       INTEGER NOT NULL,
    round     INTEGER NOT NULL,
    pairing   INTEGER NOT NULL,
    game      INTEGER NOT NULL,
    rules     INTEGER NOT NULL REFERENCES word,
    -- a word: the time control of the first seat, as the times of seats
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
    -- a word: the level of isolation and its mechanisms as JSON
    isolation INTEGER REFERENCES word,
    -- the share of the game's time in which some process waited for a processor, in thousandths; NULL where the kernel
    -- does not tell
    pressure  INTEGER,
    -- a hash of the game and of everything stored before it; see chain.rs
    link      BLOB,
    -- NULLs differ: of each key at most one game counts, and any number do not
    UNIQUE (key, current)
) STRICT;

-- Games lost by a fault are searched at the start of every run, and there are few.
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
    -- a word: JSON of per_move, or of base, increment and perhaps moves; and margin and bank; all in microseconds.
    -- Of games stored before version 9 it is text: st=5 margin=0.02
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
    -- JSON: [processor time, that off turn (both in microseconds), most memory in bytes, most threads]; NULL if nothing
    -- was seen
    usage     TEXT,
    -- JSON: [time, allowance (both in microseconds), whether the engine was to say that it is ready]; only of an engine
    -- that lost by a question it left without an answer
    unanswered TEXT,
    PRIMARY KEY (game, seat)
) STRICT, WITHOUT ROWID;

-- The head and tail of an engine's stderr, and the evidence as JSON if it lost by a fault.
CREATE TABLE log (
    game      INTEGER NOT NULL REFERENCES game,
    seat      INTEGER NOT NULL,
    stderr    BLOB NOT NULL,
    evidence  TEXT,
    PRIMARY KEY (game, seat)
) STRICT, WITHOUT ROWID;

-- The standings when a run was done, from which the history is made.
CREATE TABLE standing (
    run       INTEGER NOT NULL REFERENCES run,
    engine    INTEGER NOT NULL REFERENCES engine,
    rank      INTEGER NOT NULL,
    wins      INTEGER NOT NULL,
    draws     INTEGER NOT NULL,
    losses    INTEGER NOT NULL,
    -- thousandths
    points    INTEGER NOT NULL,
    -- Elo and half the width of the interval that holds 95 of 100, in thousandths; NULL of an engine without a rating
    elo       INTEGER,
    error     INTEGER,
    PRIMARY KEY (run, engine)
) STRICT, WITHOUT ROWID;

-- Every entrant of a Swiss, with its byes. Empty in every other format.
CREATE TABLE swiss (
    name      TEXT PRIMARY KEY,
    byes      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which games count, and under which numbers of the plan, whenever a run begins, ends or imports
-- games. Rows are added and never changed.
CREATE TABLE selection (
    number    INTEGER PRIMARY KEY,
    -- the last game that was stored by then
    after     INTEGER NOT NULL,
    -- of the games that count, with their numbers in the plan
    digest    BLOB NOT NULL,
    -- a hash of the digest and of everything stored before
    link      BLOB NOT NULL
) STRICT;
