-- Version 3: how the engines of a game were confined, and what they used.

-- The number of a word: level and mechanisms as JSON. NULL in games of before there were levels.
ALTER TABLE game ADD COLUMN isolation INTEGER;
-- JSON: [processor time, that off turn (both in microseconds), most memory in bytes, most threads]; NULL if nothing
-- was seen
ALTER TABLE seat ADD COLUMN usage TEXT;
