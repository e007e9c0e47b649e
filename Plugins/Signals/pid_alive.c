#define _GNU_SOURCE
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS INT64_C(1000000000)

/* How much later than its pid file a process may seem to have begun: some file systems store whole seconds, and the kernel counts ticks. */
#define TOLERANCE (2 * NANOSECONDS)

static int64_t nanoseconds_of(struct timespec time) { return (int64_t)time.tv_sec * NANOSECONDS + time.tv_nsec; }

/* Returns the number at the beginning of the file; 0 if there is none, -errno if the file cannot be read. */
static long pid_in_file(const char *path, int64_t *written_at) {
  /* Do not block on a FIFO, and do not acquire a controlling terminal. */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  char text[32], *at = text;
  ssize_t count;
  long pid = 0;
  if (file < 0) return -errno;
  if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode)) {
    close(file);
    return 0;
  }
  count = read(file, text, sizeof text - 1);
  if (count < 0) {
    int error = errno;
    close(file);
    return -error;
  }
  close(file);
  *written_at = nanoseconds_of(status.st_mtim);
  text[count] = 0;
  at += strspn(at, " \t\r\n");
  while (*at >= '0' && *at <= '9' && pid <= INT_MAX) pid = pid * 10 + (*at++ - '0');
  if (pid > INT_MAX || (*at != 0 && strchr(" \t\r\n", *at) == NULL)) return 0;
  return pid;
}

/* Returns when the process began, by the wall clock; -1 if that cannot be determined. Does not use the host's clock, as the result is compared with the time
 * of a file. */
static int64_t beginning_of(long pid) {
  char path[64], text[1024], *at;
  struct timespec wall, since_boot;
  unsigned long long ticks;
  ssize_t count;
  int file, field;
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return -1;
  text[count] = 0;
  /* The second field is the program's name in parentheses, and may itself contain both. Field 22 is the start time. */
  at = strrchr(text, ')');
  for (field = 2; at != NULL && field < 22; field++) at = strchr(at + 1, ' ');
  if (at == NULL || sscanf(at, " %llu", &ticks) != 1) return -1;
  clock_gettime(CLOCK_REALTIME, &wall);
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  return nanoseconds_of(wall) - nanoseconds_of(since_boot) + (int64_t)ticks * (NANOSECONDS / sysconf(_SC_CLK_TCK));
}

static int has_ended(int pidfd) {
  struct pollfd wait;
  wait.fd = pidfd;
  wait.events = POLLIN;
  wait.revents = 0;
  return poll(&wait, 1, 0) == 1;
}

static void let_go_of_process(struct instance *instance) {
  if (instance->pidfd >= 0) close(instance->pidfd);
  instance->pidfd = -1;
  instance->pid = 0;
}

/* Opens the process `pid`. Returns 0, or the error number: ESRCH if there is none, ESTALE if it began after the file was written, so that it only happens
 * to have the same number. */
static int hold_process(struct instance *instance, long pid, int64_t written_at) {
  int error, pidfd = (int)syscall(SYS_pidfd_open, (int)pid, 0);
  int64_t began_at;
  if (pidfd < 0) return errno == EINVAL || errno == ENOENT ? ESRCH : errno;
  /* Read after opening the descriptor: `/proc` describes the same process, or that has ended. */
  began_at = beginning_of(pid);
  if (has_ended(pidfd)) error = ESRCH;
  else if (began_at >= 0 && began_at > written_at + TOLERANCE) error = ESTALE;
  else error = watch_descriptor(pidfd, instance->id);
  if (error != 0) {
    close(pidfd);
    return error;
  }
  instance->pidfd = pidfd;
  instance->pid = pid;
  return 0;
}

int32_t pid_file_state(struct instance *instance, char **reason) {
  const char *path = instance->path;
  int64_t written_at = 0;
  long pid;
  /* Watch first and read then, so that no change in between is missed. */
  int error = watch_path(instance);
  if (error != 0) {
    let_go_of_process(instance);
    *reason = formatted("%s cannot be watched: %s%s", path, strerror(error),
                        error == ENOSPC ? " (see the limit fs.inotify.max_user_watches)" : "");
    return -1;
  }
  pid = pid_in_file(path, &written_at);
  if (pid <= 0 || pid != instance->pid || has_ended(instance->pidfd)) let_go_of_process(instance);
  if (pid == -ENOENT || pid == -ENOTDIR) {
    *reason = formatted("%s does not exist", path);
    return 0;
  }
  if (pid < 0) {
    *reason = formatted("%s cannot be read: %s", path, strerror((int)-pid));
    return -1;
  }
  if (pid == 0) {
    *reason = formatted("%s does not begin with a process ID", path);
    return 0;
  }
  error = instance->pidfd >= 0 ? 0 : hold_process(instance, pid, written_at);
  switch (error) {
  case 0: *reason = formatted("process %ld of %s is running", pid, path); return 1;
  case ESRCH: *reason = formatted("process %ld of %s is not running", pid, path); return 0;
  case ESTALE: *reason = formatted("process %ld is not the one that %s names: it started after the file was written", pid, path); return 0;
  default: *reason = formatted("process %ld of %s cannot be watched: %s", pid, path, strerror(error)); return -1;
  }
}
