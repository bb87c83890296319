-- Version 4: what the client asks the kernel with (epoll or io_uring), by plan and in fact; latencies by slice.
ALTER TABLE run ADD COLUMN poller TEXT NOT NULL DEFAULT '';          -- '' or auto: the cheaper one of each load
ALTER TABLE trial ADD COLUMN client_poller TEXT NOT NULL DEFAULT ''; -- '': nobody knows

-- Service times of the slice's counted replies in bands of an eighth of an octave: variable-length integers (LEB128),
-- the first band, then the counts of it and those above. NULL: nobody kept them. See hist.Bands.
ALTER TABLE slice ADD COLUMN latency_bands BLOB;
