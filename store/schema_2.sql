-- Version 2: a suite may measure baselines, and a workload may have a name beside or instead of a payload
-- size. SQLite cannot change a table's UNIQUE, so the table is made anew; the slices keep their trials' ids.
ALTER TABLE run ADD COLUMN baselines INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN claims TEXT;      -- list
ALTER TABLE slice ADD COLUMN bytes_read INTEGER NOT NULL DEFAULT 0;

CREATE TABLE trial_2 (
    id                INTEGER PRIMARY KEY,
    run_id            TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    block             INTEGER NOT NULL CHECK (block >= 0),
    workload          TEXT NOT NULL,            -- name; '' where the size says all
    payload_bytes     INTEGER NOT NULL,         -- 0 where the name says all
    connections       INTEGER NOT NULL,
    depth             INTEGER NOT NULL,
    subject           TEXT NOT NULL,
    started_at        TEXT,
    void              TEXT NOT NULL,            -- why the trial does not count; '' when it does
    stderr            TEXT,                     -- list of lines

    latency_hdr       BLOB,                     -- service time in ns, HDR V2 (base64 of deflate)

    warm_up_ns        INTEGER NOT NULL,
    warm_up_replies   INTEGER NOT NULL,
    settled           INTEGER NOT NULL,

    start_up_ns       INTEGER NOT NULL,
    peak_rss_bytes    INTEGER NOT NULL,
    threads           INTEGER NOT NULL,

    sent              INTEGER NOT NULL,
    verified          INTEGER NOT NULL,
    client_gc_pauses  INTEGER NOT NULL,
    client_gc_ns      INTEGER NOT NULL,
    reconnects        INTEGER NOT NULL,
    errors            TEXT,                     -- object: failures by kind
    work              TEXT,                     -- object: what the subject did by its own clock

    UNIQUE (run_id, block, workload, payload_bytes, connections, depth, subject)
);

INSERT INTO trial_2
SELECT id, run_id, block, '', payload_bytes, connections, depth, subject, started_at, void, stderr, latency_hdr,
       warm_up_ns, warm_up_replies, settled, start_up_ns, peak_rss_bytes, threads,
       sent, verified, client_gc_pauses, client_gc_ns, reconnects, errors, NULL
FROM trial;

DROP TABLE trial;
ALTER TABLE trial_2 RENAME TO trial;

CREATE TRIGGER trial_is_final BEFORE UPDATE ON trial
BEGIN SELECT RAISE (ABORT, 'a trial is never changed'); END;
