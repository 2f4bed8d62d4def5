-- Version 4: how busy the machine was.

-- The share of the game's time in which some process waited for a processor, in thousandths; NULL where the kernel does not
-- tell, and in games of before.
ALTER TABLE game ADD COLUMN pressure INTEGER;
