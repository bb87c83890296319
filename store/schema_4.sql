-- Version 4: what the client asks the kernel with (epoll or io_uring), by plan and in fact.
ALTER TABLE run ADD COLUMN poller TEXT NOT NULL DEFAULT '';          -- '' or auto: the cheaper one of each load
ALTER TABLE trial ADD COLUMN client_poller TEXT NOT NULL DEFAULT ''; -- '': nobody knows
