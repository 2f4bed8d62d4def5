-- What version 8 adds to version 7: words of the user, on which no game depends.

-- A run without a row has no label.
CREATE TABLE run_label (
    run       INTEGER PRIMARY KEY REFERENCES run,
    label     TEXT NOT NULL
) STRICT;

-- The event that a run was played for. COLUMNS in event.rs has the same columns.
CREATE TABLE event (
    run       INTEGER PRIMARY KEY REFERENCES run,
    title     TEXT,
    date      TEXT,
    place     TEXT,
    organiser TEXT,
    text      TEXT
) STRICT;
