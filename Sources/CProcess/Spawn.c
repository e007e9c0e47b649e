#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CProcess.h"
#include "DirectCall.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

// The child runs on its own stack beside the host, whose memory it shares until it executes its program. vfork would suspend the host's thread
// for that time, a third of the life of a short process, in which the thread could neither notice that another process has ended nor do anything
// else. posix_spawn suspends it too, maps and unmaps a stack for each child, which interrupts the other processors to flush their address
// translations, and queries the disposition of every signal.
struct penstock_start {
  // Set to 0 by the kernel when the child has left the host's memory, because it has executed its program or has ended.
  int child;
  // The error that prevented the child from executing its program.
  volatile int error;
  // -1 for the host's mask.
  int file_mask;
  // NULL for the host's limit.
  const struct rlimit *descriptors;
  penstock_spawn_request request;
  penstock_record_place place;
  penstock_process_record record;
  int inherited[PENSTOCK_INHERITED_MOST];
  _Alignas(16) char stack[16 << 10];
  // The arguments and the environment, each followed by its NULL.
  char *strings[];
};

// The C library's `clone`. Thread sanitizers intercept that name, and would treat the child as a process with a copy of the memory.
extern int __clone(int (*body)(void *), void *stack, int flags, void *argument, ...);

// This function may only make calls that touch neither the host's memory nor the thread-local variables of the host's thread, which keeps running. Code
// that a sanitizer adds does both.
#if defined(__clang__)
__attribute__((disable_sanitizer_instrumentation))
#endif
static int become(void *argument) {
#define CALL(name, ...) CALL_4(name, __VA_ARGS__, 0, 0, 0, 0)
#define CALL_4(name, a, b, c, d, ...) penstock_direct_call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d))
  // The host or its parent may ignore or handle these; a handler would run here once the mask is emptied.
  static const int reset[] = {SIGPIPE, SIGXFSZ, SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGTSTP, SIGTTIN,
                              SIGTTOU, SIGCHLD, SIGCONT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};
  // In the kernel's layout, which is all zeros for SIG_DFL without flags and for an empty set.
  static const unsigned long by_default[4], no_signals;
  const size_t set_size = 8;
  struct penstock_start *start = argument;
  const penstock_spawn_request *request = &start->request;
  const penstock_stream *streams[] = {&request->input, &request->output, &request->error};
  int moved[PENSTOCK_INHERITED_MOST];
  const int count = (int)request->inherited_count;
  long result = 0;
  for (size_t index = 0; index < sizeof reset / sizeof *reset; index++) {
    CALL(rt_sigaction, reset[index], by_default, NULL, set_size);
  }
  // The result is the id of the session, which is also that of this process.
  if ((result = CALL(setsid, 0)) < 0) goto failed;
  if (start->place.offset > 0) {
    // Written by the child rather than by the host, so that even if the host is killed, no program runs without a record. This also costs the host nothing.
    struct timespec now;
    CALL(clock_gettime, CLOCK_BOOTTIME, &now);
    start->record.pid = (int32_t)result;
    start->record.latest = now.tv_sec * 1000000000L + now.tv_nsec;
    result = CALL(pwrite64, start->place.descriptor, &start->record, sizeof start->record, start->place.offset);
    if (result == -EFBIG) {
      // The offset exceeds the limit on file sizes. Ignoring the signal discards it; otherwise it would terminate the program.
      static const unsigned long ignored[4] = {(unsigned long)SIG_IGN};
      CALL(rt_sigaction, SIGXFSZ, ignored, NULL, set_size);
      CALL(rt_sigaction, SIGXFSZ, by_default, NULL, set_size);
    }
  }
  for (int target = 0; target < 3; target++) {
    int descriptor = streams[target]->descriptor;
    if (descriptor < 0) continue;
    result = descriptor == target ? CALL(fcntl, descriptor, F_SETFD, 0) : CALL(dup3, descriptor, target, 0);
    if (result < 0) goto failed;
  }
  // A descriptor to inherit may occupy the target of another one, so all of them move out of the way first.
  for (int index = 0; index < count; index++) {
    result = CALL(fcntl, request->inherited[index], F_DUPFD_CLOEXEC, 3 + PENSTOCK_INHERITED_MOST);
    if (result < 0) goto failed;
    moved[index] = (int)result;
  }
  for (int index = 0; index < count; index++) {
    if ((result = CALL(dup3, moved[index], 3 + index, 0)) < 0) goto failed;
  }
  // Done before anything slow: descriptors that the host closes meanwhile stay open until this child has closed its copies.
  CALL(close_range, 3 + (unsigned)count, ~0U, 0);
  for (int target = 0; target < 3; target++) {
    if (streams[target]->descriptor >= 0) continue;
    int flags = (target == 0 ? O_RDONLY : O_WRONLY | O_APPEND) | O_CLOEXEC;
    if ((result = CALL(openat, AT_FDCWD, streams[target]->path, flags)) < 0) goto failed;
    // If the host had closed its own descriptor, the new one is already in place.
    result = result == target ? CALL(fcntl, result, F_SETFD, 0) : CALL(dup3, result, target, 0);
    if (result < 0) goto failed;
  }
  if (start->file_mask >= 0) CALL(umask, start->file_mask);
  if (start->descriptors != NULL) CALL(prlimit64, 0, RLIMIT_NOFILE, start->descriptors, NULL);
  if (request->directory && (result = CALL(chdir, request->directory)) < 0) goto failed;
  CALL(rt_sigprocmask, SIG_SETMASK, &no_signals, NULL, set_size);
  result = CALL(execve, request->path, request->arguments, request->environment);
failed:
  start->error = (int)-result;
  for (;;) CALL(exit_group, 127);
#undef CALL_4
#undef CALL
}

// The file mask for new processes if it differs from the host's; otherwise -1. Set before there are threads.
static int child_file_mask = -1;

void penstock_let_owner_use_files(void) {
  mode_t mask = umask(077);
  umask(mask & ~(mode_t)0700);
  child_file_mask = (mask & 0700) != 0 ? (int)mask : -1;
}

// The descriptor limit for new processes if it differs from the host's. Set before there are threads.
static struct rlimit child_descriptors;
static int has_child_descriptors;

int penstock_raise_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
  if (limit.rlim_cur >= limit.rlim_max) return 0;
  child_descriptors = limit;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
  has_child_descriptors = 1;
  return 0;
}

static size_t count_of(char *const *strings) {
  size_t count = 0;
  while (strings[count] != NULL) count++;
  return count;
}

static penstock_start *prepare(const penstock_spawn_request *request, const penstock_record_place *record) {
  size_t arguments = count_of(request->arguments) + 1, environment = count_of(request->environment) + 1;
  penstock_start *start = malloc(sizeof *start + (arguments + environment) * sizeof(char *));
  if (start == NULL) return NULL;
  start->child = 1;
  start->error = 0;
  start->file_mask = child_file_mask;
  start->descriptors = has_child_descriptors ? &child_descriptors : NULL;
  start->request = *request;
  start->place.offset = 0;
  if (record != NULL && record->offset > 0) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    start->place = *record;
    start->record.mark = PENSTOCK_RECORD_MARK;
    start->record.operation = record->operation;
    start->record.attempt = record->attempt;
    start->record.earliest = now.tv_sec * 1000000000L + now.tv_nsec;
  }
  memcpy(start->strings, request->arguments, arguments * sizeof(char *));
  memcpy(start->strings + arguments, request->environment, environment * sizeof(char *));
  start->request.arguments = start->strings;
  start->request.environment = start->strings + arguments;
  if (request->inherited_count > 0) {
    memcpy(start->inherited, request->inherited, request->inherited_count * sizeof *request->inherited);
  }
  start->request.inherited = start->inherited;
  return start;
}

int penstock_start_process(
    const penstock_spawn_request *request, const penstock_record_place *record, penstock_start **start, pid_t *pid, int *pidfd) {
  if (request->inherited_count > PENSTOCK_INHERITED_MOST) return EINVAL;
  penstock_start *made = prepare(request, record);
  if (made == NULL) return ENOMEM;
  sigset_t all, before;
  // No signal handler of the host may run in the child, which shares its memory. SIGCHLD stays unblocked: the child has no children, and
  // blocking it here would make the ends of other processes wake unrelated threads of the host.
  sigfillset(&all);
  sigdelset(&all, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  *pid = __clone(
      become, made->stack + sizeof made->stack, CLONE_VM | CLONE_PIDFD | CLONE_CHILD_CLEARTID | SIGCHLD, made, pidfd, NULL,
      &made->child);
  int failure = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (*pid < 0) {
    free(made);
    return failure;
  }
  *start = made;
  return 0;
}

void penstock_await_start(penstock_start *start) {
  int child;
  while ((child = __atomic_load_n(&start->child, __ATOMIC_ACQUIRE)) != 0) {
    syscall(SYS_futex, &start->child, FUTEX_WAIT, child, NULL, NULL, 0);
  }
}

int penstock_finish_start(penstock_start *start) {
  penstock_await_start(start);
  int error = start->error;
  free(start);
  return error;
}

int penstock_spawn(const penstock_spawn_request *request, pid_t *pid, int *pidfd) {
  penstock_start *start;
  int error = penstock_start_process(request, NULL, &start, pid, pidfd);
  if (error != 0) return error;
  error = penstock_finish_start(start);
  if (error != 0) {
    waitpid(*pid, NULL, 0);
    close(*pidfd);
  }
  return error;
}
