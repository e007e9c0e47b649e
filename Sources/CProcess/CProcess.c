#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

static int add_stream(posix_spawn_file_actions_t *actions, const penstock_stream *stream, int target) {
  if (stream->descriptor >= 0) return posix_spawn_file_actions_adddup2(actions, stream->descriptor, target);
  return posix_spawn_file_actions_addopen(actions, target, stream->path, O_WRONLY | O_APPEND, 0);
}

int penstock_spawn(const penstock_spawn_request *request, pid_t *pid, int *pidfd) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigemptyset(&none);
  // All of them: a signal that is named here costs the child one system call, one that is not costs it two.
  sigfillset(&defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  error = add_stream(&actions, &request->input, 0);
  if (!error) error = add_stream(&actions, &request->output, 1);
  if (!error) error = add_stream(&actions, &request->error, 2);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (!error && request->directory) error = posix_spawn_file_actions_addchdir_np(&actions, request->directory);
  if (!error) error = posix_spawn(pid, request->path, &actions, &attributes, request->arguments, request->environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error) return error;
  *pidfd = (int)syscall(SYS_pidfd_open, *pid, 0);
  if (*pidfd < 0) {
    // Without a descriptor nobody would ever learn of the end: take the process back.
    error = errno;
    kill(-*pid, SIGKILL);
    waitpid(*pid, NULL, 0);
    return error;
  }
  return 0;
}

int penstock_reap(int pidfd, penstock_exit *result) {
  siginfo_t info;
  struct rusage usage;
  memset(&info, 0, sizeof info);
  memset(&usage, 0, sizeof usage);
  // The system call, unlike the library's waitid, also tells what the process used.
  if (syscall(SYS_waitid, P_PIDFD, pidfd, &info, WEXITED | WNOHANG, &usage) != 0) return errno;
  if (info.si_pid == 0) return EAGAIN;
  result->exit_code = info.si_code == CLD_EXITED ? info.si_status : -1;
  result->signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
  result->user_time = (int64_t)usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec;
  result->system_time = (int64_t)usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec;
  result->maximum_resident = usage.ru_maxrss;
  return 0;
}

int penstock_is_sole_holder(int descriptor) {
  // A write lease is granted only when no other open file description refers to the file.
  if (fcntl(descriptor, F_SETLEASE, F_WRLCK) != 0) return 0;
  fcntl(descriptor, F_SETLEASE, F_UNLCK);
  return 1;
}

int penstock_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

void penstock_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int penstock_processor_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? count : 1;
}

int penstock_open_process(pid_t pid) {
  int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
  return descriptor < 0 ? -errno : descriptor;
}

int penstock_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : errno; }

int penstock_has_children(void) {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

int penstock_memory_file(const void *bytes, size_t count) {
  int descriptor = memfd_create("penstock-input", MFD_CLOEXEC);
  if (descriptor < 0) return -errno;
  const char *next = bytes;
  size_t left = count;
  while (left > 0) {
    ssize_t written = write(descriptor, next, left);
    if (written < 0) {
      if (errno == EINTR) continue;
      int error = errno;
      close(descriptor);
      return -error;
    }
    next += written;
    left -= (size_t)written;
  }
  lseek(descriptor, 0, SEEK_SET);
  return descriptor;
}
