// The system's SQLite, and wrappers for what Swift cannot call: variadic functions, casts, and the functions of its open files. It must never make
// decisions: those are made in `SQLite` and `Workspace`.

#ifndef PENSTOCK_CLIBSQLITE_H
#define PENSTOCK_CLIBSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

// sqlite3_db_config is variadic, so Swift cannot call it.
static inline int penstock_sqlite3_no_checkpoint_on_close(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

static inline int penstock_sqlite3_checkpoint_on_close(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, (int *)0);
}

// Double quotes enclose an identifier, never a string.
static inline void penstock_sqlite3_no_double_quoted_strings(sqlite3 *connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

// The destructor constant is a cast of -1, which Swift does not import.
static inline int penstock_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int penstock_sqlite3_bind_text64(sqlite3_stmt *statement, int index, const char *text, uint64_t length) {
  return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int penstock_sqlite3_bind_blob64(sqlite3_stmt *statement, int index, const void *bytes, uint64_t length) {
  return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

// Returns the errno of the last failure on the write-ahead log or, if there was none, on the database file. sqlite3_system_errno is not set when a COMMIT
// fails.
static inline int penstock_sqlite3_log_errno(sqlite3 *connection) {
  sqlite3_file *log = 0;
  int code = 0;
  if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK) return 0;
  if (log && log->pMethods) log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &code);
  if (code == 0) sqlite3_file_control(connection, "main", SQLITE_FCNTL_LAST_ERRNO, &code);
  return code;
}

// Returns whether the database file was moved, deleted or replaced since it was opened: its path has another inode, or none.
static inline int penstock_sqlite3_has_moved(sqlite3 *connection) {
  int moved = 0;
  return sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

// Syncs the write-ahead log to disk, as each commit does with `synchronous = FULL`. It uses the connection's open file, because the kernel reports earlier
// write failures to that descriptor.
static inline int penstock_sqlite3_flush_log(sqlite3 *connection) {
  sqlite3_file *log = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code != SQLITE_OK || !log || !log->pMethods) return code;
  return log->pMethods->xSync(log, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

#endif
