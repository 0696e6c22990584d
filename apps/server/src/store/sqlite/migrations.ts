/** The schema, one step per version: `PRAGMA user_version` is the number of steps taken. A step that was published is never changed. */
export const MIGRATIONS: readonly string[] = [
  `
  -- Keys are never used twice (AUTOINCREMENT): chunks of an erased log are swept away later, by their key.
  CREATE TABLE log (
    session_key INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL UNIQUE,
    last_seq INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    owner TEXT,
    lease_until REAL NOT NULL
  ) STRICT;

  -- One appended chunk. Its rowid grows with time, so that small chunks of many sessions fill the same page; the index
  -- is by last_seq, so that the chunk which holds the event after a cursor is the first one of a range.
  CREATE TABLE chunk (
    session_key INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    at REAL NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (session_key, last_seq)
  ) STRICT;

  CREATE TABLE erased_log (session_key INTEGER PRIMARY KEY) STRICT;

  -- The highest epoch of an erased log: its owner must not pass for the owner of a new log of the same name.
  CREATE TABLE epoch_floor (epoch INTEGER NOT NULL) STRICT;
  INSERT INTO epoch_floor VALUES (0);

  CREATE TABLE session (
    id TEXT PRIMARY KEY,
    alias TEXT UNIQUE,
    cwd TEXT NOT NULL,
    updated_at REAL NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX session_by_time ON session (updated_at DESC, id);
  CREATE INDEX session_by_cwd ON session (cwd, updated_at DESC, id);

  CREATE TABLE turn (
    session TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    prompt_seq INTEGER NOT NULL,
    PRIMARY KEY (session, idempotency_key)
  ) STRICT, WITHOUT ROWID;

  -- state is NULL while the request is pending.
  CREATE TABLE request (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    created_at REAL NOT NULL,
    record TEXT NOT NULL,
    state TEXT
  ) STRICT;
  CREATE INDEX request_by_session ON request (session);
  CREATE INDEX request_pending ON request (session) WHERE state IS NULL;
  `,
  `
  CREATE INDEX session_by_agent_session ON session (json_extract(record, '$.agentSessionId'));
  `,
  `
  -- Records are added and never changed. body: canonical JSON; leaf: its hash in the tree.
  CREATE TABLE audit_record (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    session TEXT,
    kind TEXT NOT NULL,
    decision TEXT,
    body TEXT NOT NULL,
    leaf BLOB NOT NULL
  ) STRICT;

  CREATE TABLE audit_label (label TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (label, seq)) STRICT, WITHOUT ROWID;

  -- One row: how many records there are, and the roots of the full subtrees that they make.
  CREATE TABLE audit_tree (size INTEGER NOT NULL, roots BLOB NOT NULL) STRICT;
  INSERT INTO audit_tree VALUES (0, x'');

  CREATE TABLE audit_checkpoint (size INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;
  CREATE TABLE audit_kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- What people decided about MCP servers (about 'server') and their roots ('root'). session: where it is for that one alone.
  CREATE TABLE decision (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    about TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    scope TEXT NOT NULL,
    session TEXT,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX decision_by_server ON decision (fingerprint, about);
  CREATE INDEX decision_by_session ON decision (session) WHERE session IS NOT NULL;
  `,
  `
  -- The words of what was said, without the text, filled when somebody searches; searched: up to which event of the log.
  CREATE TABLE searched (session TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE said_in (said INTEGER PRIMARY KEY, session TEXT NOT NULL) STRICT;
  CREATE INDEX said_by_session ON said_in (session);
  CREATE VIRTUAL TABLE said USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  `,
];
