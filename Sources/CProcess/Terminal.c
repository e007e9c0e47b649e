// The terminal mode for reading single keys, and its restoration on every exit of the process.

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "CProcess.h"

// The signals that terminate a process by default and that a run does not handle.
static const int ending[] = {
    SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO, SIGPWR};
enum { ending_count = sizeof ending / sizeof *ending };

// The parts of the terminal's state that are held.
enum { keys = 1, cursor = 2 };

static struct sigaction former_actions[ending_count];
static struct termios former_mode;
static int keyboard = -1, screen = -1;
static atomic_uint held;
static atomic_uint seen;

// A background process that changes the terminal is stopped, and the shell has set up the terminal for another job.
static int is_ours(int descriptor) {
  pid_t group = tcgetpgrp(descriptor);
  return group <= 0 || group == getpgrp();
}

// Async-signal-safe.
static void restore(unsigned what) {
  unsigned taken = atomic_fetch_and(&held, ~what) & what;
  if (taken & keys && is_ours(keyboard)) tcsetattr(keyboard, TCSANOW, &former_mode);
  if (taken & cursor && is_ours(screen)) {
    ssize_t written = write(screen, "\x1b[?25h", 6);
    (void)written;
  }
}

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  restore(keys | cursor);
  size_t index = 0;
  while (index + 1 < ending_count && ending[index] != number) index++;
  // A handler that was installed later may have called this one, and would do so again.
  unsigned mark = 1u << index;
  if (atomic_fetch_or(&seen, mark) & mark) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL);
  } else {
    sigaction(number, &former_actions[index], NULL);
  }
  // A fault recurs with its address when the handler returns; a signal that was sent does not.
  int is_fault = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE || number == SIGTRAP || number == SIGSYS;
  if (!is_fault || info == NULL || info->si_code <= 0) raise(number);
  errno = error;
}

static void hold(unsigned what) {
  static int is_registered;
  if (!is_registered) atexit(penstock_restore_terminal);
  is_registered = 1;
  if (atomic_fetch_or(&held, what) != 0) return;
  atomic_store(&seen, 0);
  for (size_t index = 0; index < ending_count; index++) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(ending[index], NULL, &former_actions[index]);
    // An ignored signal does not terminate the process.
    if (former_actions[index].sa_handler != SIG_IGN) sigaction(ending[index], &action, NULL);
  }
}

// Called after state has been released.
static void remove_handlers(void) {
  if (atomic_load(&held) != 0) return;
  for (size_t index = 0; index < ending_count; index++) {
    struct sigaction current;
    // Another handler that was installed since is kept.
    if (sigaction(ending[index], NULL, &current) == 0 && current.sa_flags & SA_SIGINFO && current.sa_sigaction == on_signal)
      sigaction(ending[index], &former_actions[index], NULL);
  }
}

int penstock_begin_keys(int descriptor) {
  if (atomic_load(&held) & keys) return 0;
  if (!is_ours(descriptor)) return EAGAIN;
  if (tcgetattr(descriptor, &former_mode) != 0) return errno;
  struct termios mode = former_mode;
  // Signal keys (ISIG) and output processing are left as they are.
  mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  keyboard = descriptor;
  hold(keys);
  // Discards input typed before the question.
  tcflush(descriptor, TCIFLUSH);
  if (tcsetattr(descriptor, TCSANOW, &mode) == 0) return 0;
  int error = errno;
  penstock_end_keys();
  return error;
}

void penstock_end_keys(void) {
  restore(keys);
  remove_handlers();
}

void penstock_begin_hidden_cursor(int descriptor) {
  screen = descriptor;
  hold(cursor);
}

void penstock_end_hidden_cursor(void) {
  atomic_fetch_and(&held, ~(unsigned)cursor);
  remove_handlers();
}

void penstock_restore_terminal(void) { restore(keys | cursor); }
