-- Version 4: what the client asks the kernel with (epoll or io_uring), by plan and in fact; latencies by slice; virtual
-- users as a load.
ALTER TABLE run ADD COLUMN poller TEXT NOT NULL DEFAULT '';          -- '' or auto: the cheaper one of each load
ALTER TABLE trial ADD COLUMN client_poller TEXT NOT NULL DEFAULT ''; -- '': nobody knows

-- Service times of the slice's counted replies in bands of an eighth of an octave: variable-length integers (LEB128),
-- the first band, then the counts of it and those above. NULL: nobody kept them. See hist.Bands.
ALTER TABLE slice ADD COLUMN latency_bands BLOB;

-- A run may search for capacities: the highest rates of an open loop that keep a promise. Such a search is a
-- trial whose load has the depth 0 and no users, without slices.
ALTER TABLE run ADD COLUMN capacity TEXT;   -- object: see dyno.CapacityPlan; NULL when nothing is searched for
ALTER TABLE trial ADD COLUMN capacity TEXT; -- object: see dyno.Capacity; NULL for any other trial

-- The rates of a trial's warm-up windows and how long each was, so that how it reached its steady state can be seen.
ALTER TABLE trial ADD COLUMN warm_up_window_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trial ADD COLUMN warm_up_rates TEXT;                     -- list: requests per second; NULL: nobody kept them

-- Virtual users may be the load of a trial.
ALTER TABLE run ADD COLUMN scripts TEXT;                          -- list: the scenarios that cells name
ALTER TABLE trial ADD COLUMN users INTEGER NOT NULL DEFAULT 0;    -- 0: none; a workload has one number of users
ALTER TABLE trial ADD COLUMN visits TEXT;                         -- object: what the users did
ALTER TABLE trial ADD COLUMN first_byte_hdr BLOB;                 -- ns from the send to the first byte, HDR V2
ALTER TABLE trial ADD COLUMN session_hdr BLOB;                    -- ns from the arrival of a user to its end, HDR V2
