extension HistorySchema {
  /// The tables of the first version.
  ///
  /// A released migration is never edited, and this is one: later changes are in the migrations after it.
  static let tables = """
    CREATE TABLE definition (
      number INTEGER PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      text TEXT NOT NULL
    ) STRICT;

    CREATE TABLE run_record (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      pipeline TEXT NOT NULL,
      definition INTEGER NOT NULL,
      path TEXT,
      params TEXT NOT NULL,
      trigger TEXT NOT NULL,
      host TEXT NOT NULL,
      user TEXT NOT NULL,
      version TEXT NOT NULL,
      boot TEXT NOT NULL,
      pid INTEGER NOT NULL,
      process_started INTEGER NOT NULL,
      parent TEXT,
      parent_operation TEXT,
      state TEXT NOT NULL,
      reason TEXT,
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      ended_at INTEGER,
      operations INTEGER NOT NULL,
      succeeded INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      skipped INTEGER NOT NULL,
      cancelled INTEGER NOT NULL,
      reused INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX run_by_time ON run_record (created_at);
    CREATE INDEX run_by_pipeline ON run_record (pipeline, created_at);
    CREATE INDEX run_by_state ON run_record (state, created_at);
    CREATE INDEX run_by_parent ON run_record (parent) WHERE parent IS NOT NULL;
    CREATE INDEX run_by_definition ON run_record (definition);

    CREATE TABLE operation_record (
      key INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      position INTEGER NOT NULL,
      parent INTEGER,
      item TEXT,
      state TEXT NOT NULL,
      reason TEXT,
      detail TEXT,
      error_code TEXT,
      error TEXT,
      attempts INTEGER NOT NULL,
      waiting_since INTEGER,
      started_at INTEGER,
      ended_at INTEGER,
      fingerprint TEXT,
      reused_from TEXT,
      result_file TEXT,
      result_size INTEGER,
      result TEXT
    ) STRICT;
    CREATE INDEX operation_failure ON operation_record (ended_at) WHERE state = 'failed';
    CREATE INDEX operation_reuse ON operation_record (fingerprint, ended_at) WHERE fingerprint IS NOT NULL;
    CREATE INDEX operation_reused ON operation_record (reused_from) WHERE reused_from IS NOT NULL;

    CREATE TABLE attempt_record (
      operation INTEGER NOT NULL,
      number INTEGER NOT NULL,
      state TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      exit_code INTEGER,
      signal INTEGER,
      error_code TEXT,
      error TEXT,
      stdout_file TEXT,
      stderr_file TEXT,
      retry_delay INTEGER,
      retry_due INTEGER,
      wake_cause TEXT,
      pid INTEGER,
      pid_started INTEGER,
      result_file TEXT,
      result_size INTEGER,
      result TEXT,
      PRIMARY KEY (operation, number)
    ) WITHOUT ROWID, STRICT;

    CREATE TABLE approval (
      operation INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      message TEXT NOT NULL,
      requested_at INTEGER NOT NULL,
      answered_at INTEGER,
      approved INTEGER,
      note TEXT,
      who TEXT
    ) STRICT;

    CREATE TABLE request (
      number INTEGER PRIMARY KEY,
      run INTEGER NOT NULL,
      kind TEXT NOT NULL,
      requested_at INTEGER NOT NULL,
      taken_at INTEGER
    ) STRICT;
    CREATE INDEX request_pending ON request (run) WHERE taken_at IS NULL;

    """
}
