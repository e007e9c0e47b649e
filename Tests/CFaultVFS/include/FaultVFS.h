// A file system for SQLite that fails when it is told to, over the one that it has. For tests.

#ifndef PENSTOCK_FAULT_VFS_H
#define PENSTOCK_FAULT_VFS_H

#include <stdint.h>

/// Which calls are counted, and may fail.
enum {
  fault_writes = 1,
  fault_syncs = 2,
  fault_truncations = 4,
  fault_opens = 8,
  fault_shared_memory = 16,
  fault_reads = 32,
};

/// Makes this the file system of every connection that is opened from now on. Returns 0, or what SQLite said. May be called again.
int fault_install(void);

/// From now on the `nth` call (from 1) of the kinds in `calls`, on files whose path begins with `prefix`, returns `code`; with `lasting` so do all
/// after it. A write that fails has written half of its bytes. `error` is what the operating system is said to have reported. Takes the place of what was
/// armed for that prefix before; others stay as they are. Returns -1 if there are too many.
int fault_arm(const char *prefix, int calls, int64_t nth, int lasting, int code, int error);

/// Nothing fails any more that was armed for `prefix`. Returns how many calls have failed.
int64_t fault_disarm(const char *prefix);

/// From now on, what a power loss would leave of the files whose path begins with `prefix` is kept in the directory `image`: each file as it was when it was
/// last synchronised, and none that never was. Returns a number for the calls below, or -1 if there are too many images.
int fault_image_begin(const char *prefix, const char *image);

/// How many times files whose path ends with `suffix`, at most 15 characters, were synchronised since the image began.
int64_t fault_image_syncs(int image, const char *suffix);

/// Keeps nothing any more.
void fault_image_end(int image);

#endif
