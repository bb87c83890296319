-- Version 1 of dyno's results. Times are UTC text that sorts; *_ns are nanoseconds; booleans are
-- 0 or 1; columns called lists hold JSON, because their length varies and nobody joins on them.
-- A person may read this file with the sqlite3 shell at any time, also while dyno measures.

-- One execution of a suite.
CREATE TABLE run (
    id              TEXT PRIMARY KEY NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('started', 'partial', 'complete')),
    started_at      TEXT NOT NULL,
    ended_at        TEXT,                       -- NULL until the run ended or was interrupted
    seed            TEXT NOT NULL,              -- decimal; exceeds SQLite's integers
    dyno_version    TEXT NOT NULL,

    -- What was asked for.
    suite           TEXT NOT NULL,
    suite_title     TEXT NOT NULL,
    contract        TEXT NOT NULL,
    quick           INTEGER NOT NULL,
    suite_subjects  TEXT,                       -- list of names, in table order
    versus_a        TEXT NOT NULL,
    versus_b        TEXT NOT NULL,
    cells           TEXT,                       -- list of workload and load
    blocks          INTEGER NOT NULL,
    rounds          INTEGER NOT NULL,
    slice_ns        INTEGER NOT NULL,
    skip_ns         INTEGER NOT NULL,
    warm_up_max_ns  INTEGER NOT NULL,
    continuous      INTEGER NOT NULL,
    reply_within_ns INTEGER NOT NULL,

    -- What it ran on.
    hostname        TEXT NOT NULL,
    os              TEXT NOT NULL,
    kernel          TEXT NOT NULL,
    arch            TEXT NOT NULL,
    cpu_model       TEXT NOT NULL,
    cpus            INTEGER NOT NULL,
    memory_bytes    INTEGER NOT NULL,
    virtual         TEXT NOT NULL,
    governor        TEXT NOT NULL,
    client_cpus     TEXT,                       -- list of CPU numbers
    server_cpus     TEXT,                       -- list of CPU numbers
    shared_cpus     INTEGER NOT NULL,
    open_files_max  INTEGER NOT NULL,
    warnings        TEXT,                       -- list of lines
    go_version      TEXT NOT NULL,
    clock_source    TEXT NOT NULL,
    transparent_huge_pages TEXT NOT NULL,

    subjects        TEXT,                       -- list: what was found of each subject
    gates           TEXT                        -- list: what the conformance gate saw
);

-- What one fresh process of a subject did in one cell of one block. The trials of one cell of one
-- block are written together or not at all.
CREATE TABLE trial (
    id                INTEGER PRIMARY KEY,
    run_id            TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    block             INTEGER NOT NULL CHECK (block >= 0),
    payload_bytes     INTEGER NOT NULL,
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

    UNIQUE (run_id, block, payload_bytes, connections, depth, subject)
);

-- One short turn of load within a trial.
CREATE TABLE slice (
    id              INTEGER PRIMARY KEY,
    trial_id        INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    round           INTEGER NOT NULL CHECK (round >= 0),
    position        INTEGER NOT NULL,           -- place in the round's random order
    duration_ns     INTEGER NOT NULL CHECK (duration_ns >= 0),
    replies         INTEGER NOT NULL CHECK (replies >= 0),
    server_cpu_ns   INTEGER NOT NULL,
    server_replies  INTEGER NOT NULL,
    client_busy_ns  INTEGER NOT NULL,
    rest_cpu_ns     INTEGER NOT NULL,
    flag            TEXT NOT NULL,              -- why the slice is suspect; '' when it is not

    UNIQUE (trial_id, round)
);

CREATE TRIGGER trial_is_final BEFORE UPDATE ON trial
BEGIN SELECT RAISE (ABORT, 'a trial is never changed'); END;

CREATE TRIGGER slice_is_final BEFORE UPDATE ON slice
BEGIN SELECT RAISE (ABORT, 'a slice is never changed'); END;
