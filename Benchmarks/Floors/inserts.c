#include "floor.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// As many rows in a transaction as a busy writer groups together.
enum { batch = 1000 };

static const char schema[] =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
    "CREATE TABLE attempt_record (operation INTEGER NOT NULL, number INTEGER NOT NULL, state TEXT NOT NULL,"
    " started_at INTEGER NOT NULL, ended_at INTEGER, exit_code INTEGER, error TEXT, stdout_file TEXT, pid INTEGER,"
    " result TEXT, PRIMARY KEY (operation, number)) WITHOUT ROWID, STRICT;";

static const char insertion[] = "INSERT INTO attempt_record VALUES (?1, 1, 'succeeded', ?2, ?3, 0, NULL, ?4, ?5, ?6)";

static int fail(sqlite3 *db, const char *what) {
  fprintf(stderr, "floor: %s: %s\n", what, db ? sqlite3_errmsg(db) : "out of memory");
  return 1;
}

int floor_inserts(long count, const char *path) {
  if (access(path, F_OK) == 0) return floor_fail(path, EEXIST);
  sqlite3 *db = NULL;
  if (sqlite3_open(path, &db) != SQLITE_OK) return fail(db, path);
  if (sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK) return fail(db, "schema");
  sqlite3_stmt *insert = NULL;
  if (sqlite3_prepare_v3(db, insertion, -1, SQLITE_PREPARE_PERSISTENT, &insert, NULL) != SQLITE_OK) {
    return fail(db, "prepare");
  }
  for (long row = 0; row < count; row++) {
    if (row % batch == 0 && sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) return fail(db, "begin");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    sqlite3_int64 time = (sqlite3_int64)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    char file[64], result[64];
    int file_length = snprintf(file, sizeof file, "logs/0123456789ab/%ld.1.out", row);
    int result_length = snprintf(result, sizeof result, "\"result of %ld\"", row);
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)1 << 32 | row);
    sqlite3_bind_int64(insert, 2, time);
    sqlite3_bind_int64(insert, 3, time + 270);
    sqlite3_bind_text(insert, 4, file, file_length, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 5, 1000 + row);
    sqlite3_bind_text(insert, 6, result, result_length, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) return fail(db, "insert");
    sqlite3_reset(insert);
    if ((row % batch == batch - 1 || row == count - 1) && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
      return fail(db, "commit");
    }
  }
  sqlite3_finalize(insert);
  return sqlite3_close(db) == SQLITE_OK ? 0 : fail(db, "close");
}
