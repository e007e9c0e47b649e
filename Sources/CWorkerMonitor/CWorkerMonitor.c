#define _GNU_SOURCE
#include "CWorkerMonitor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

/// Whether libdispatch asks for the state of one of its threads.
static int is_state_of_worker(const char *path, int flags) {
  static const char beginning[] = "/proc/", end[] = "/stat";
  size_t length;
  if (flags != (O_RDONLY | O_NONBLOCK) || strncmp(path, beginning, sizeof beginning - 1) != 0) return 0;
  length = strlen(path);
  return length >= sizeof end && strcmp(path + length - (sizeof end - 1), end) == 0;
}

__attribute__((visibility("default"))) int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  int descriptor;
  if (flags & (O_CREAT | __O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  descriptor = openat(AT_FDCWD, path, flags, mode);
  if (descriptor != -1 || (errno != EMFILE && errno != ENFILE) || !is_state_of_worker(path, flags)) return descriptor;
  // No process has this descriptor: reading it fails, and libdispatch then assumes that the thread is waiting.
  return INT_MAX;
}
