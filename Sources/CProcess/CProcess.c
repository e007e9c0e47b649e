#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

int penstock_reap(int pidfd, penstock_exit *result) {
  siginfo_t info;
  struct rusage usage;
  memset(&info, 0, sizeof info);
  memset(&usage, 0, sizeof usage);
  // The system call, unlike the library's waitid, also returns the resource usage.
  if (syscall(SYS_waitid, P_PIDFD, pidfd, &info, WEXITED | WNOHANG, &usage) != 0) return errno;
  if (info.si_pid == 0) return EAGAIN;
  result->exit_code = info.si_code == CLD_EXITED ? info.si_status : -1;
  result->signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
  result->user_time = (int64_t)usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec;
  result->system_time = (int64_t)usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec;
  result->maximum_resident = usage.ru_maxrss;
  return 0;
}

int penstock_create_log(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return -errno;
  // The kernel reports a broken lease with SIGIO, which terminates the process by default; SIGURG is ignored by default.
  if (fcntl(descriptor, F_SETSIG, SIGURG) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  return -error;
}

int penstock_has_no_writer(int descriptor) {
  // A read lease is granted only while no process has the file open for writing; readers neither break it nor wait for it.
  if (fcntl(descriptor, F_SETLEASE, F_RDLCK) != 0) return 0;
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

int penstock_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno; }

int penstock_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 ? 0 : errno; }

/// Whether /proc shows processes only to users who may trace them.
static int hides_processes(void) {
  FILE *mounts = fopen("/proc/self/mountinfo", "re");
  if (mounts == NULL) return 1;
  char *line = NULL;
  size_t size = 0;
  int hides = 0;
  while (getline(&line, &size, mounts) > 0) {
    // The fifth field is the mount point; the file system options end the line.
    const char *option = strstr(line, " /proc ") ? strstr(line, "hidepid=") : NULL;
    if (option == NULL) continue;
    option += strlen("hidepid=");
    hides = *option != '0' && strncmp(option, "off", 3) != 0;
  }
  free(line);
  fclose(mounts);
  return hides;
}

int penstock_hide_process(void) {
  if (hides_processes()) return 0;
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : errno;
}

int penstock_keep_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno; }

static int limit(int resource, int64_t value) {
  struct rlimit old;
  if (getrlimit(resource, &old) != 0) return errno;
  struct rlimit new = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value};
  // The host's own hard limit cannot be exceeded.
  if (old.rlim_max != RLIM_INFINITY && new.rlim_max > old.rlim_max) new.rlim_cur = new.rlim_max = old.rlim_max;
  return setrlimit(resource, &new) == 0 ? 0 : errno;
}

int penstock_limit_process(int64_t memory, int64_t descriptors) {
  // A thread's entire stack counts, and the default is 8 MiB, of which almost nothing is used.
  pthread_attr_t attributes;
  int failure = pthread_attr_init(&attributes);
  if (failure == 0) {
    failure = pthread_attr_setstacksize(&attributes, PENSTOCK_CHILD_STACK);
    if (failure == 0) failure = pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  if (failure != 0) return failure;
  char text[64];
  int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (statm < 0) return errno;
  ssize_t count = read(statm, text, sizeof text - 1);
  int error = errno;
  close(statm);
  if (count <= 0) return count < 0 ? error : EIO;
  text[count] = 0;
  // The sixth number is the current size of data and stacks, in pages.
  char *field = text;
  for (int index = 1; index < 6 && field != NULL; index++) field = strchr(field + 1, ' ');
  if (field == NULL) return EIO;
  int64_t used = (int64_t)strtoll(field, NULL, 10) * sysconf(_SC_PAGESIZE);
  int64_t data = memory > INT64_MAX - used ? INT64_MAX : used + memory;
  if ((error = limit(RLIMIT_DATA, data)) != 0) return error;
  if ((error = limit(RLIMIT_NOFILE, descriptors)) != 0) return error;
  return limit(RLIMIT_CORE, 0);
}

const char *penstock_signal_name(int number) { return sigabbrev_np(number); }

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

int penstock_memory_copy(const char *name, int source) {
  int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -errno;
  off_t offset = 0;
  ssize_t count;
  do {
    count = sendfile(descriptor, source, &offset, 1 << 30);
  } while (count > 0 || (count < 0 && errno == EINTR));
  const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (count == 0 && fcntl(descriptor, F_ADD_SEALS, seals) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  return -error;
}

int64_t penstock_heap_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
}

void penstock_limit_arenas(int most) { mallopt(M_ARENA_MAX, most); }

int penstock_sync_file_system(int descriptor) { return syncfs(descriptor) == 0 ? 0 : errno; }
