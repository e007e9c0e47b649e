// The floor under the object store: the same work on the same records in C, with prepared statements on a table of plain columns.

#ifndef OBJECT_FLOOR_H
#define OBJECT_FLOOR_H

#include <stdint.h>

enum { object_floor_queued, object_floor_running, object_floor_failed, object_floor_succeeded };

/// A record. A time or an exit code below 0 is missing.
typedef struct {
  const char *id, *pipeline, *step, *result;
  int32_t state;
  int64_t attempt, started_at, ended_at, exit_code;
} object_floor_job;

typedef struct object_floor object_floor;

/// Creates a database. `clustered` orders the table by its key (WITHOUT ROWID), as a workspace does. Null when that fails.
object_floor *object_floor_open(const char *path, int clustered);
void object_floor_close(object_floor *floor);

/// Each returns 0, or what SQLite said.
int object_floor_insert(object_floor *floor, const object_floor_job *jobs, int count);
/// As many transactions as jobs.
int object_floor_insert_each(object_floor *floor, const object_floor_job *jobs, int count);
/// Copies every record, strings included. The copies are freed by `object_floor_free`.
int object_floor_all(object_floor *floor, object_floor_job **jobs, int *count);
int object_floor_of_pipeline(object_floor *floor, const char *pipeline, object_floor_job **jobs, int *count);
void object_floor_free(object_floor_job *jobs, int count);
/// Writes the state, the attempt, the end and the exit code of each job, or with `whole` all columns but the key.
int object_floor_update(object_floor *floor, const object_floor_job *jobs, int count, int whole);
int object_floor_delete(object_floor *floor, const object_floor_job *jobs, int count);

#endif
