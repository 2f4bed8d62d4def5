-- What version 9 adds to version 8: the reason of a game as data, and a hash of its course.

-- JSON: why the game ended. NULL where the words of reason are all that is known: in games that the
-- rules ended, in most void games, and in those that were stored before version 9. Otherwise reason is
-- empty, and the sentence is made from this. The chain leaves NULL out, so it is as it was.
ALTER TABLE game ADD COLUMN reason_data TEXT;

-- The first 16 bytes of a hash of the course of a decided game; see repeats.rs. NULL in void games and in games that
-- were stored before version 9, whose courses are made from their moves.
ALTER TABLE game ADD COLUMN course BLOB;
