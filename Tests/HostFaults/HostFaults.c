// A library that tests preload into a host to inject faults at exact times; the product does not know of it. Compiled by `HostFaults.swift`.
//
// - PENSTOCK_FAULT_PREFIX, PENSTOCK_FAULT_CONTROL: Once a file exists at the path CONTROL, calls that change files below PREFIX are counted. The process
//   is killed
//   right before the call whose number is in that file; that call is then described in CONTROL.killed. With PENSTOCK_FAULT_COMMITS set, only the write
// that commits
//   a transaction of SQLite counts. With PENSTOCK_FAULT_ANY set, programs other than the host have faults, too.
// - PENSTOCK_FAULT_CLOCK: A file of eight bytes: by how many nanoseconds the wall clock is ahead of the system's. Writing to it sets the clock, as
//   `clock_settime` does: timers for wall-clock times are then due by the new time, and those that requested it are notified with ECANCELED, which
//   libfaketime does not do.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

// MARK: Kills

static const char *prefix, *control;
static int counts_commits;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static long wanted, counted;

static int is_armed(void) {
  char text[32] = "";
  if (wanted > 0) return 1;
  REAL(read);
  int file = openat(AT_FDCWD, control, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  if (real(file, text, sizeof text - 1) > 0) wanted = strtol(text, NULL, 10);
  close(file);
  return wanted > 0;
}

static void strike(const char *call, const char *path) {
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s.killed", control);
  FILE *file = fopen(name, "we");
  if (file != NULL) {
    fprintf(file, "%s %s", call, path);
    fclose(file);
  }
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/// Counts a call that is about to change the file at `path`.
static void count(const char *call, const char *path) {
  if (prefix == NULL || strncmp(path, prefix, strlen(prefix)) != 0) return;
  int saved = errno;
  pthread_mutex_lock(&counting);
  if (is_armed() && ++counted == wanted) strike(call, path);
  pthread_mutex_unlock(&counting);
  errno = saved;
}

static void count_at(const char *call, int directory, const char *path) {
  char link[64], target[PATH_MAX] = "", whole[2 * PATH_MAX];
  if (prefix == NULL) return;
  if (path != NULL && path[0] == '/') return count(call, path);
  int saved = errno;
  if (directory == AT_FDCWD) {
    if (getcwd(target, sizeof target) == NULL) target[0] = 0;
  } else {
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
  }
  errno = saved;
  if (path == NULL) return count(call, target);
  snprintf(whole, sizeof whole, "%s/%s", target, path);
  count(call, whole);
}

static void count_descriptor(const char *call, int descriptor) { count_at(call, descriptor, NULL); }

ssize_t write(int file, const void *bytes, size_t size) {
  REAL(write);
  count_descriptor("write", file);
  return real(file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  REAL(pwrite);
  count_descriptor("pwrite", file);
  return real(file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  REAL(pwrite64);
  // The header of a WAL frame of SQLite: in the last frame of a transaction, the second word is the size of the database.
  int is_commit = size == 24 && ((const uint32_t *)bytes)[1] != 0;
  if (!counts_commits || is_commit) count_descriptor(is_commit ? "commit" : "pwrite", file);
  return real(file, bytes, size, offset);
}

ssize_t writev(int file, const struct iovec *parts, int number) {
  REAL(writev);
  count_descriptor("writev", file);
  return real(file, parts, number);
}

int fsync(int file) {
  REAL(fsync);
  count_descriptor("fsync", file);
  return real(file);
}

int fdatasync(int file) {
  REAL(fdatasync);
  count_descriptor("fdatasync", file);
  return real(file);
}

int ftruncate(int file, off_t size) {
  REAL(ftruncate);
  count_descriptor("ftruncate", file);
  return real(file, size);
}

int ftruncate64(int file, off64_t size) {
  REAL(ftruncate64);
  count_descriptor("ftruncate", file);
  return real(file, size);
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

int open(const char *path, int flags, ...) {
  REAL(open);
  MODE(flags)
  if (flags & (O_CREAT | O_TRUNC)) count_at("open", AT_FDCWD, path);
  return real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  REAL(open64);
  MODE(flags)
  if (flags & (O_CREAT | O_TRUNC)) count_at("open", AT_FDCWD, path);
  return real(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
  REAL(openat);
  MODE(flags)
  if (flags & (O_CREAT | O_TRUNC)) count_at("open", directory, path);
  return real(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...) {
  REAL(openat64);
  MODE(flags)
  if (flags & (O_CREAT | O_TRUNC)) count_at("open", directory, path);
  return real(directory, path, flags, mode);
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  count_at("mkdir", AT_FDCWD, path);
  return real(path, mode);
}

int mkdirat(int directory, const char *path, mode_t mode) {
  REAL(mkdirat);
  count_at("mkdir", directory, path);
  return real(directory, path, mode);
}

int rename(const char *from, const char *to) {
  REAL(rename);
  count_at("rename", AT_FDCWD, to);
  return real(from, to);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  REAL(renameat);
  count_at("rename", to_directory, to);
  return real(from_directory, from, to_directory, to);
}

int unlink(const char *path) {
  REAL(unlink);
  count_at("unlink", AT_FDCWD, path);
  return real(path);
}

int unlinkat(int directory, const char *path, int flags) {
  REAL(unlinkat);
  count_at("unlink", directory, path);
  return real(directory, path, flags);
}

// MARK: Clock

enum { most_descriptors = 4096 };

static _Atomic int64_t *ahead;
// The wall-clock timers, by descriptor.
static struct {
  atomic_int is_wall, wants_settings, was_set;
} timers[most_descriptors];

static int is_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

static struct timespec moved(struct timespec time, int64_t by) {
  int64_t all = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec + by;
  return (struct timespec){.tv_sec = all / 1000000000, .tv_nsec = all % 1000000000};
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  REAL(clock_gettime);
  int result = real(clock, time);
  if (result == 0 && ahead != NULL && is_wall(clock)) *time = moved(*time, atomic_load(ahead));
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}

int timerfd_create(clockid_t clock, int flags) {
  REAL(timerfd_create);
  int timer = real(clock, flags);
  if (timer >= 0 && timer < most_descriptors) {
    atomic_store(&timers[timer].was_set, 0);
    atomic_store(&timers[timer].wants_settings, 0);
    atomic_store(&timers[timer].is_wall, clock == CLOCK_REALTIME);
  }
  return timer;
}

static int set_timer(int timer, int flags, const struct itimerspec *setting, struct itimerspec *former) {
  REAL(timerfd_settime);
  return real(timer, flags, setting, former);
}

int timerfd_settime(int timer, int flags, const struct itimerspec *setting, struct itimerspec *former) {
  if (ahead == NULL || timer < 0 || timer >= most_descriptors || !atomic_load(&timers[timer].is_wall)) {
    return set_timer(timer, flags, setting, former);
  }
  struct itimerspec own = *setting;
  if ((flags & TFD_TIMER_ABSTIME) && (own.it_value.tv_sec != 0 || own.it_value.tv_nsec != 0)) {
    own.it_value = moved(own.it_value, -atomic_load(ahead));
    if (own.it_value.tv_sec < 0 || (own.it_value.tv_sec == 0 && own.it_value.tv_nsec == 0)) {
      own.it_value = (struct timespec){.tv_nsec = 1};
    }
  }
  atomic_store(&timers[timer].wants_settings, (flags & TFD_TIMER_CANCEL_ON_SET) != 0);
  // The kernel would only report changes of the system's clock.
  return set_timer(timer, flags, &own, former);
}

ssize_t read(int file, void *bytes, size_t size) {
  REAL(read);
  ssize_t result = real(file, bytes, size);
  if (ahead != NULL && file >= 0 && file < most_descriptors && result >= 0 && atomic_exchange(&timers[file].was_set, 0)) {
    errno = ECANCELED;
    return -1;
  }
  return result;
}

int close(int file) {
  REAL(close);
  if (file >= 0 && file < most_descriptors) {
    atomic_store(&timers[file].was_set, 0);
    atomic_store(&timers[file].is_wall, 0);
  }
  return real(file);
}

static void *follow_clock(void *path) {
  char events[4096];
  const struct itimerspec now = {.it_value = {.tv_nsec = 1}};
  REAL(read);
  int changes = inotify_init1(IN_CLOEXEC);
  inotify_add_watch(changes, path, IN_MODIFY);
  while (real(changes, events, sizeof events) > 0) {
    for (int timer = 0; timer < most_descriptors; timer++) {
      if (!atomic_load(&timers[timer].is_wall) || !atomic_load(&timers[timer].wants_settings)) continue;
      atomic_store(&timers[timer].was_set, 1);
      set_timer(timer, 0, &now, NULL);
    }
  }
  return NULL;
}

__attribute__((constructor)) static void begin(void) {
  const char *clock = getenv("PENSTOCK_FAULT_CLOCK");
  sigset_t all, former;
  pthread_t thread;
  prefix = getenv("PENSTOCK_FAULT_PREFIX");
  control = getenv("PENSTOCK_FAULT_CONTROL");
  // Only the host itself has faults, not the programs that start it.
  if (strcmp(program_invocation_short_name, "penstock-host") != 0 && getenv("PENSTOCK_FAULT_ANY") == NULL) prefix = NULL;
  if (control == NULL) prefix = NULL;
  counts_commits = getenv("PENSTOCK_FAULT_COMMITS") != NULL;
  if (clock == NULL) return;
  int file = openat(AT_FDCWD, clock, O_RDONLY | O_CLOEXEC);
  void *place = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
  if (place == MAP_FAILED) abort();
  close(file);
  ahead = place;
  // Signals are handled by the host's own threads.
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &former);
  pthread_create(&thread, NULL, follow_clock, (void *)clock);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
}
