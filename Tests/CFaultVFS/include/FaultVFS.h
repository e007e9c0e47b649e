// A VFS for SQLite that fails on demand, on top of the default one. For tests.

#ifndef PENSTOCK_FAULT_VFS_H
#define PENSTOCK_FAULT_VFS_H

#include <stdint.h>

/// The calls that are counted, and may fail.
enum {
  fault_writes = 1,
  fault_syncs = 2,
  fault_truncations = 4,
  fault_opens = 8,
  fault_shared_memory = 16,
  fault_reads = 32,
};

/// Makes this the default VFS of connections opened from now on. Returns 0, or SQLite's error code. May be called repeatedly.
int fault_install(void);

/// Makes the `nth` call (from 1) of the kinds in `calls`, on files whose path begins with `prefix`, return `code`; with `lasting`, all later ones as
/// well. A failing write writes half of its bytes. `error` is the error that the operating system is said to have reported. Replaces any earlier plan for the
/// prefix, and leaves others unchanged. Returns -1 if there are too many plans.
int fault_arm(const char *prefix, int calls, int64_t nth, int lasting, int code, int error);

/// Removes the plan for `prefix`. Returns the number of calls that have failed.
int64_t fault_disarm(const char *prefix);

/// Starts to keep in the directory `image` what a power loss would leave of the files whose path begins with `prefix`: each file as it was at its
/// last sync, and no file that was never synced. Returns a number for the calls below, or -1 if there are too many images.
int fault_image_begin(const char *prefix, const char *image);

/// Returns how many times files whose path ends with `suffix`, at most 15 characters, were synced since the image began.
int64_t fault_image_syncs(int image, const char *suffix);

/// Ends an image.
void fault_image_end(int image);

#endif
