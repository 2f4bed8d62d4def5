-- Version 2: an entrant has its time control, so that a change of it touches the pairings of that engine alone. The games of
-- version 1 have other keys, and so are history.
ALTER TABLE entrant ADD COLUMN control TEXT NOT NULL DEFAULT '';
UPDATE run SET terms = json_remove(terms, '$."time control"', '$."engines'' own time controls"');
