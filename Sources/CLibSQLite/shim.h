#ifndef PENSTOCK_CLIBSQLITE_H
#define PENSTOCK_CLIBSQLITE_H

#include <sqlite3.h>

// Swift cannot call variadic C functions, and sqlite3_db_config is one.
static inline int penstock_sqlite3_no_checkpoint_on_close(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// The destructor constant is a cast of -1, which Swift does not import.
static inline int penstock_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

#endif
