#include "floor.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

extern char **environ;

/// Waits for one child; 0 if it exited with 0.
static int wait_for_one(void) {
  int status = 0;
  while (waitpid(-1, &status, 0) < 0) {
    if (errno != EINTR) return floor_fail("waitpid", errno);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  fputs("floor: a command failed\n", stderr);
  return 1;
}

int floor_spawn(long count, long concurrency, char **argv) {
  long running = 0;
  for (long started = 0; started < count; started++) {
    if (running == concurrency) {
      if (wait_for_one() != 0) return 1;
      running--;
    }
    pid_t pid;
    int error = posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
    if (error != 0) return floor_fail(argv[0], error);
    running++;
  }
  for (; running > 0; running--) {
    if (wait_for_one() != 0) return 1;
  }
  return 0;
}

int floor_cats(long count, const char *first, const char *directory) {
  char *argv[] = {"/bin/cat", NULL};
  char input[4096], output[4096];
  snprintf(input, sizeof input, "%s", first);
  for (long number = 1; number <= count; number++) {
    snprintf(output, sizeof output, "%s/%ld.json", directory, number);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t pid;
    int error = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return floor_fail(argv[0], error);
    if (wait_for_one() != 0) return 1;
    snprintf(input, sizeof input, "%s", output);
  }
  return 0;
}
