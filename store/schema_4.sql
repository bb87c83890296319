-- Version 4: what the client asks the kernel with (epoll or io_uring), by plan and in fact; latencies by slice.
ALTER TABLE run ADD COLUMN poller TEXT NOT NULL DEFAULT '';          -- '' or auto: the cheaper one of each load
ALTER TABLE trial ADD COLUMN client_poller TEXT NOT NULL DEFAULT ''; -- '': nobody knows

-- Service times of the slice's counted replies in bands of an eighth of an octave: variable-length integers (LEB128),
-- the first band, then the counts of it and those above. NULL: nobody kept them. See hist.Bands.
ALTER TABLE slice ADD COLUMN latency_bands BLOB;

-- A run may search for capacities: the highest rates of an open loop that keep a promise. Such a search is a
-- trial whose load has the depth 0, without slices.
ALTER TABLE run ADD COLUMN capacity TEXT;   -- object: see dyno.CapacityPlan; NULL when nothing is searched for
ALTER TABLE trial ADD COLUMN capacity TEXT; -- object: see dyno.Capacity; NULL for any other trial

-- The rates of a trial's warm-up windows and how long each was, so that how it reached its steady state can be seen.
ALTER TABLE trial ADD COLUMN warm_up_window_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trial ADD COLUMN warm_up_rates TEXT;                     -- list: requests per second; NULL: nobody kept them
