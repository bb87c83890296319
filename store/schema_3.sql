-- Version 3: a run may end when it knows enough; then its intervals hold at every look.
ALTER TABLE run ADD COLUMN precision REAL NOT NULL DEFAULT 0; -- 0: a fixed number of blocks; else e.g. 0.01 for ±1 %
