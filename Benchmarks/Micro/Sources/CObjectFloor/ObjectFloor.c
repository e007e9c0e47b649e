#include "ObjectFloor.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct object_floor {
  sqlite3 *db;
  sqlite3_stmt *begin, *commit, *insert, *all, *of_pipeline, *update, *update_whole, *delete;
};

static const char *const states[] = {"queued", "running", "failed", "succeeded"};

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
  return statement;
}

#define COLUMNS "id, pipeline, step, state, attempt, started_at, ended_at, exit_code, result"

object_floor *object_floor_open(const char *path, int clustered) {
  sqlite3 *db = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const char *columns =
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
      "CREATE TABLE job (id TEXT NOT NULL PRIMARY KEY, pipeline TEXT NOT NULL, step TEXT NOT NULL, state TEXT NOT NULL,"
      " attempt INTEGER NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER, exit_code INTEGER,"
      " result TEXT NOT NULL) ";
  if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK || sqlite3_exec(db, "PRAGMA temp_store = MEMORY", 0, 0, 0)) {
    return NULL;
  }
  char *schema = sqlite3_mprintf(
      "%s %s; CREATE INDEX job_by_pipeline ON job (pipeline)", columns, clustered ? "WITHOUT ROWID, STRICT" : "STRICT");
  int code = sqlite3_exec(db, schema, NULL, NULL, NULL);
  sqlite3_free(schema);
  object_floor *floor = calloc(1, sizeof *floor);
  if (code != SQLITE_OK || !floor) return NULL;
  floor->db = db;
  floor->begin = prepare(db, "BEGIN IMMEDIATE");
  floor->commit = prepare(db, "COMMIT");
  floor->insert = prepare(db, "INSERT INTO job (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  floor->all = prepare(db, "SELECT " COLUMNS " FROM job ORDER BY id");
  floor->of_pipeline = prepare(db, "SELECT " COLUMNS " FROM job WHERE pipeline = ? ORDER BY id");
  floor->update = prepare(db, "UPDATE job SET state = ?, attempt = ?, ended_at = ?, exit_code = ? WHERE id = ?");
  floor->update_whole = prepare(
      db,
      "UPDATE job SET pipeline = ?2, step = ?3, state = ?4, attempt = ?5, started_at = ?6, ended_at = ?7,"
      " exit_code = ?8, result = ?9 WHERE id = ?1");
  floor->delete = prepare(db, "DELETE FROM job WHERE id = ?");
  return floor;
}

void object_floor_close(object_floor *floor) {
  if (!floor) return;
  sqlite3_stmt *all[] = {floor->begin, floor->commit, floor->insert, floor->all,
                         floor->of_pipeline, floor->update, floor->update_whole, floor->delete};
  for (unsigned place = 0; place < sizeof all / sizeof *all; place++) sqlite3_finalize(all[place]);
  sqlite3_close(floor->db);
  free(floor);
}

static int run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static void bind_number(sqlite3_stmt *statement, int place, int64_t number) {
  if (number < 0) {
    sqlite3_bind_null(statement, place);
  } else {
    sqlite3_bind_int64(statement, place, number);
  }
}

static void bind(sqlite3_stmt *statement, const object_floor_job *job) {
  sqlite3_bind_text(statement, 1, job->id, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 2, job->pipeline, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 3, job->step, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 4, states[job->state], -1, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 5, job->attempt);
  sqlite3_bind_int64(statement, 6, job->started_at);
  bind_number(statement, 7, job->ended_at);
  bind_number(statement, 8, job->exit_code);
  sqlite3_bind_text(statement, 9, job->result, -1, SQLITE_STATIC);
}

int object_floor_insert(object_floor *floor, const object_floor_job *jobs, int count) {
  int code = run(floor->begin);
  for (int place = 0; place < count && code == SQLITE_OK; place++) {
    bind(floor->insert, &jobs[place]);
    code = run(floor->insert);
  }
  return code == SQLITE_OK ? run(floor->commit) : code;
}

int object_floor_insert_each(object_floor *floor, const object_floor_job *jobs, int count) {
  int code = SQLITE_OK;
  for (int place = 0; place < count && code == SQLITE_OK; place++) code = object_floor_insert(floor, &jobs[place], 1);
  return code;
}

static char *copied(sqlite3_stmt *statement, int column) {
  const unsigned char *text = sqlite3_column_text(statement, column);
  size_t length = (size_t)sqlite3_column_bytes(statement, column);
  char *copy = malloc(length + 1);
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

static int32_t state_of(const unsigned char *text) {
  for (int32_t state = 0; state < 4; state++) {
    if (strcmp((const char *)text, states[state]) == 0) return state;
  }
  return -1;
}

static int64_t number(sqlite3_stmt *statement, int column) {
  return sqlite3_column_type(statement, column) == SQLITE_NULL ? -1 : sqlite3_column_int64(statement, column);
}

static int collect(sqlite3_stmt *statement, object_floor_job **jobs, int *count) {
  int room = 0, code;
  *jobs = NULL;
  *count = 0;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (*count == room) *jobs = realloc(*jobs, sizeof **jobs * (size_t)(room = room ? 2 * room : 64));
    (*jobs)[(*count)++] = (object_floor_job){
        .id = copied(statement, 0),
        .pipeline = copied(statement, 1),
        .step = copied(statement, 2),
        .state = state_of(sqlite3_column_text(statement, 3)),
        .attempt = sqlite3_column_int64(statement, 4),
        .started_at = sqlite3_column_int64(statement, 5),
        .ended_at = number(statement, 6),
        .exit_code = number(statement, 7),
        .result = copied(statement, 8),
    };
  }
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int object_floor_all(object_floor *floor, object_floor_job **jobs, int *count) {
  return collect(floor->all, jobs, count);
}

int object_floor_of_pipeline(object_floor *floor, const char *pipeline, object_floor_job **jobs, int *count) {
  sqlite3_bind_text(floor->of_pipeline, 1, pipeline, -1, SQLITE_STATIC);
  return collect(floor->of_pipeline, jobs, count);
}

void object_floor_free(object_floor_job *jobs, int count) {
  for (int place = 0; place < count; place++) {
    free((char *)jobs[place].id);
    free((char *)jobs[place].pipeline);
    free((char *)jobs[place].step);
    free((char *)jobs[place].result);
  }
  free(jobs);
}

int object_floor_update(object_floor *floor, const object_floor_job *jobs, int count, int whole) {
  int code = run(floor->begin);
  for (int place = 0; place < count && code == SQLITE_OK; place++) {
    const object_floor_job *job = &jobs[place];
    if (whole) {
      bind(floor->update_whole, job);
      code = run(floor->update_whole);
      continue;
    }
    sqlite3_bind_text(floor->update, 1, states[job->state], -1, SQLITE_STATIC);
    sqlite3_bind_int64(floor->update, 2, job->attempt);
    bind_number(floor->update, 3, job->ended_at);
    bind_number(floor->update, 4, job->exit_code);
    sqlite3_bind_text(floor->update, 5, job->id, -1, SQLITE_STATIC);
    code = run(floor->update);
  }
  return code == SQLITE_OK ? run(floor->commit) : code;
}

int object_floor_delete(object_floor *floor, const object_floor_job *jobs, int count) {
  int code = run(floor->begin);
  for (int place = 0; place < count && code == SQLITE_OK; place++) {
    sqlite3_bind_text(floor->delete, 1, jobs[place].id, -1, SQLITE_STATIC);
    code = run(floor->delete);
  }
  return code == SQLITE_OK ? run(floor->commit) : code;
}
