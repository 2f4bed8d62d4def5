-- Version 5: ratings in the history, and the byes of a Swiss.

-- Elo and half the width of the interval that holds 95 of 100, in thousandths; NULL in runs of before.
ALTER TABLE standing ADD COLUMN elo INTEGER;
ALTER TABLE standing ADD COLUMN error INTEGER;

-- Every entrant of a Swiss, with the games it was given as won. Empty in every other format.
CREATE TABLE swiss (
    name      TEXT PRIMARY KEY,
    byes      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
