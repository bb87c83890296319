-- Version 3: a run may end when it knows enough; then its intervals hold at every look.
ALTER TABLE run ADD COLUMN precision REAL NOT NULL DEFAULT 0; -- 0: a fixed number of blocks; else e.g. 0.01 for ±1 %

-- What disturbed a slice and a trial. Nobody knows it of older ones: 0, and NULL.
ALTER TABLE slice ADD COLUMN foreign_cpu_ns INTEGER NOT NULL DEFAULT 0;  -- by others, on the CPUs in use
ALTER TABLE slice ADD COLUMN steal_ns INTEGER NOT NULL DEFAULT 0;        -- taken by the hypervisor
ALTER TABLE slice ADD COLUMN memory_stall_ns INTEGER NOT NULL DEFAULT 0; -- in which somebody waited for memory
ALTER TABLE trial ADD COLUMN noise TEXT;                                 -- object: see dyno.Noise
