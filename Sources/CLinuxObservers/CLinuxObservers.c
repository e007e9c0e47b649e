#define _GNU_SOURCE
#include "CLinuxObservers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

// Signal handlers take no context argument, so this is the only place with global state. `previous_…` are written before the handler that reads
// them is installed. `job_descriptor` is created once and never closed: even after the signals are no longer recorded, a handler on another thread may
// still write to that number, and if it then belonged to a file, that file would receive the eight bytes.
static atomic_int job_descriptor = -1;
static atomic_bool notes_job_signals;
static atomic_uint job_signals;
static struct sigaction previous_stop, previous_continue;
static int handles_stop, handles_continue;
// If a host wraps our handler in its own, and ours later wraps that one, the two must not call each other forever.
static __thread int job_depth;

static int has_handler(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static void note_job_signal(int signal, siginfo_t *info, void *context) {
  int error = errno;
  const struct sigaction *previous = signal == SIGTSTP ? &previous_stop : &previous_continue;
  if (job_depth == 0) {
    job_depth = 1;
    if (atomic_load(&notes_job_signals)) {
      uint64_t one = 1;
      atomic_fetch_or(&job_signals, signal == SIGTSTP && !has_handler(previous) ? PENSTOCK_JOB_STOP : PENSTOCK_JOB_CHANGE);
      // Fails only if the counter is full, and then the reader is already awake.
      if (write(atomic_load(&job_descriptor), &one, sizeof one) < 0) {
      }
    }
    if (previous->sa_flags & SA_SIGINFO)
      previous->sa_sigaction(signal, info, context);
    else if (has_handler(previous))
      previous->sa_handler(signal);
    job_depth = 0;
  }
  errno = error;
}

static int is_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == note_job_signal;
}

static int install(int signal, struct sigaction *previous, int *handles) {
  struct sigaction current, ours;
  *handles = 0;
  if (sigaction(signal, NULL, &current) < 0) return errno;
  // Our handler is still installed, because the host had wrapped it when it was to be removed: the previous one is known.
  if (is_ours(&current)) {
    *handles = 1;
    return 0;
  }
  if (signal == SIGTSTP && !has_handler(&current) && current.sa_handler == SIG_IGN) return 0;
  *previous = current;
  memset(&ours, 0, sizeof ours);
  if (has_handler(&current))
    ours = current;
  else
    ours.sa_flags = SA_RESTART;
  ours.sa_flags = (ours.sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
  ours.sa_sigaction = note_job_signal;
  if (sigaction(signal, &ours, NULL) < 0) return errno;
  *handles = 1;
  return 0;
}

static void uninstall(int signal, const struct sigaction *previous, int *handles) {
  struct sigaction current;
  if (*handles && sigaction(signal, NULL, &current) == 0 && is_ours(&current)) sigaction(signal, previous, NULL);
  *handles = 0;
}

int penstock_job_descriptor(void) {
  int descriptor = atomic_load(&job_descriptor);
  if (descriptor < 0) {
    descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0) return -1;
    atomic_store(&job_descriptor, descriptor);
  }
  return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

int penstock_begin_job_signals(void) {
  atomic_store(&job_signals, 0);
  atomic_store(&notes_job_signals, true);
  int error = install(SIGTSTP, &previous_stop, &handles_stop);
  if (!error) error = install(SIGCONT, &previous_continue, &handles_continue);
  if (error) penstock_end_job_signals();
  return error;
}

void penstock_end_job_signals(void) {
  uninstall(SIGTSTP, &previous_stop, &handles_stop);
  uninstall(SIGCONT, &previous_continue, &handles_continue);
  atomic_store(&notes_job_signals, false);
}

unsigned penstock_take_job_signals(void) { return atomic_exchange(&job_signals, 0); }

void penstock_stop_job(void) {
  struct sigaction standard, current;
  sigset_t stop, before;
  memset(&standard, 0, sizeof standard);
  standard.sa_handler = SIG_DFL;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  if (sigaction(SIGTSTP, &standard, &current) < 0) return;
  // The calling thread receives the signal itself, so that the process has stopped and continued by the time `raise` returns and the handler is restored.
  pthread_sigmask(SIG_UNBLOCK, &stop, &before);
  raise(SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sigaction(SIGTSTP, &current, NULL);
}
