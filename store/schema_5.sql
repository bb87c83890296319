-- Version 5: rounds of a block that go on until they tell ratios closely enough.
ALTER TABLE run ADD COLUMN block_error REAL NOT NULL DEFAULT 0; -- standard error of a log ratio; 0: as many rounds as planned
