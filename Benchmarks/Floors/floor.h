// The floors: what the same work costs in C, with nothing around it. Each returns an exit status.

#ifndef FLOOR_H
#define FLOOR_H

/// Starts `argv` `count` times, at most `concurrency` at a time, and waits for all.
int floor_spawn(long count, long concurrency, char **argv);

/// A chain of `count` × /bin/cat in `directory`: each reads the file that the one before it wrote.
int floor_cats(long count, const char *first, const char *directory);

/// Inserts `count` rows, each like the record of an attempt, into a new SQLite database.
int floor_inserts(long count, const char *database);

/// Prints what went wrong, and returns the exit status for it.
int floor_fail(const char *what, int error);

#endif
