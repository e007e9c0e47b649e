// stamp FILE NAME          appends the line "NAME begun TIME" to FILE, and ends.
// stamp FILE NAME wait     the same, and waits for SIGTERM, at which it appends "NAME terminated TIME".
//
// Times are nanoseconds of the wall clock. Lines come whole, whoever else appends to the file.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (long long)time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int fail(const char *what, int error) {
  fprintf(stderr, "stamp: %s: %s\n", what, strerror(error));
  return 1;
}

static int append(int file, const char *name, const char *event, long long time) {
  char line[256];
  int length = snprintf(line, sizeof line, "%s %s %lld\n", name, event, time);
  return write(file, line, (size_t)length) == length ? 0 : fail("write", errno);
}

int main(int argc, char **argv) {
  long long begun = now();
  if (argc < 3) {
    fputs("usage: stamp FILE NAME [wait]\n", stderr);
    return 2;
  }
  // From here on the signal waits until it is taken.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int file = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return fail(argv[1], errno);
  if (append(file, argv[2], "begun", begun) != 0) return 1;
  if (argc == 3) return 0;
  int signal;
  while (sigwait(&set, &signal) != 0) {
  }
  return append(file, argv[2], "terminated", now());
}
