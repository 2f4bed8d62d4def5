-- Version 6: a chain of hashes over what was stored, and what an audit needs to prove it.

-- A hash of the game and of everything stored before it; see chain.rs.
ALTER TABLE game ADD COLUMN link BLOB;
-- JSON: [time, allowance (both in microseconds), whether the engine was to say that it is ready]; only of an engine
-- that lost by a question it left without an answer
ALTER TABLE seat ADD COLUMN unanswered TEXT;
-- Of a stage, every match: a JSON list of [round, pairing, first, second, group, games before, games, play-off]. NULL
-- where everybody meets everybody.
ALTER TABLE run ADD COLUMN matches TEXT;
-- What a win, a draw and a loss were worth in the standings of a run that was done, and the last game stored by then.
ALTER TABLE run ADD COLUMN points TEXT;
ALTER TABLE run ADD COLUMN ended_after INTEGER;

-- Which games count, and under which numbers of the plan, whenever a run begins, ends or takes games in. Rows are added
-- and never changed. Number 0 stands for the games that were stored before version 6.
CREATE TABLE selection (
    number    INTEGER PRIMARY KEY,
    -- the last game that was stored by then
    after     INTEGER NOT NULL,
    -- of the games that count, with their numbers in the plan
    digest    BLOB NOT NULL,
    -- a hash of the digest and of everything stored before
    link      BLOB NOT NULL
) STRICT;
