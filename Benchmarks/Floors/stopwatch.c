// stopwatch DIRECTORY ERROR-FILE SECONDS -- COMMAND...
//
// Runs a command in a session of its own (so without a terminal), in DIRECTORY, standard input and output at /dev/null, standard
// error in ERROR-FILE; kills it after SECONDS. Prints one line: wall nanoseconds, processor nanoseconds, peak resident KiB, and
// the exit status (128 + signal if killed).
//
// Small and in C for two reasons: what it adds to the measured time is one posix_spawn and one wait4, the same for floor and
// subject; and Linux counts the memory that a process had before exec into its ru_maxrss, which here is a megabyte.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static volatile sig_atomic_t child = 0;

static void expire(int signal) {
  (void)signal;
  if (child > 0) kill(-child, SIGKILL);
}

static long long nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long processor(const struct timeval *time) {
  return (long long)time->tv_sec * 1000000000LL + (long long)time->tv_usec * 1000LL;
}

static int fail(const char *what, int error) {
  fprintf(stderr, "stopwatch: %s: %s\n", what, strerror(error));
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 6 || strcmp(argv[4], "--") != 0) {
    fputs("usage: stopwatch DIRECTORY ERROR-FILE SECONDS -- COMMAND...\n", stderr);
    return 2;
  }
  if (chdir(argv[1]) != 0) return fail(argv[1], errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  // Signals as a shell leaves them, whatever the driver's runtime has done to them.
  sigset_t defaults, none;
  sigfillset(&defaults);
  sigdelset(&defaults, SIGKILL);
  sigdelset(&defaults, SIGSTOP);
  sigemptyset(&none);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  sigprocmask(SIG_SETMASK, &none, NULL);
  struct sigaction action = {.sa_handler = expire};
  sigaction(SIGALRM, &action, NULL);
  alarm((unsigned)strtoul(argv[3], NULL, 10));

  long long start = nanoseconds();
  pid_t pid;
  int error = posix_spawnp(&pid, argv[5], &actions, &attributes, argv + 5, environ);
  if (error != 0) return fail(argv[5], error);
  child = pid;
  int status = 0;
  struct rusage usage;
  while (wait4(pid, &status, 0, &usage) < 0) {
    if (errno != EINTR) return fail("wait4", errno);
  }
  long long wall = nanoseconds() - start;
  child = 0;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  printf("%lld %lld %ld %d\n", wall, processor(&usage.ru_utime) + processor(&usage.ru_stime), usage.ru_maxrss, code);
  return 0;
}
