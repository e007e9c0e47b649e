#define _GNU_SOURCE
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The former handling of each signal, and the instances that request it. Indexed by the signal's number. */
#define SIGNAL_LIMIT 65
static struct sigaction previous[SIGNAL_LIMIT];
static struct instance *wanted_by[SIGNAL_LIMIT];
static int is_taken[SIGNAL_LIMIT];

/* The writing end is used only by the handler, which may run at any time after the first signal, so it is never closed. */
static int reading_end = -1;
static volatile int writing_end = -1;
static unsigned lost;

/* Returns the number of a signal that is free for programs to use. All others have a meaning for the host (INT, TERM, QUIT, TSTP, CONT, PIPE), for its
 * processes (CHLD), or for debuggers (SEGV, ABRT, TRAP …). */
int signal_named(const char *name) {
  static const struct {
    const char *name;
    int number;
  } names[] = {{"HUP", SIGHUP}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"WINCH", SIGWINCH}};
  size_t index;
  for (index = 0; index < sizeof names / sizeof names[0]; index++) {
    if (strcmp(names[index].name, name) == 0) return names[index].number;
  }
  if (strncmp(name, "RTMIN+", 6) == 0) {
    const char *digits = name + 6;
    int number;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 2 || digits[count] != 0) return 0;
    if (digits[0] == '0' && count > 1) return 0;
    number = SIGRTMIN + atoi(digits);
    return number <= SIGRTMAX && number < SIGNAL_LIMIT ? number : 0;
  }
  return 0;
}

static void arrived(int signal, siginfo_t *info, void *context) {
  int saved = errno;
  const struct sigaction *before = &previous[signal];
  struct arrival arrival;
  memset(&arrival, 0, sizeof arrival);
  arrival.signal = signal;
  arrival.code = info->si_code;
  /* Signals from the kernel (WINCH, and HUP of a terminal) have no sender. */
  if (info->si_code <= 0) {
    arrival.sender = (int)info->si_pid;
    arrival.user = (unsigned)info->si_uid;
    arrival.value = info->si_value.sival_int;
  }
  /* Less than PIPE_BUF bytes, so the write is atomic. */
  if (write(writing_end, &arrival, sizeof arrival) != (ssize_t)sizeof arrival) __atomic_add_fetch(&lost, 1, __ATOMIC_RELAXED);
  if (before->sa_flags & SA_SIGINFO) {
    if (before->sa_sigaction != NULL) before->sa_sigaction(signal, info, context);
  } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
    before->sa_handler(signal);
  }
  errno = saved;
}

static int is_ours(const struct sigaction *action) { return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == arrived; }

int arrivals(void) {
  int ends[2];
  if (reading_end >= 0) return reading_end;
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return -errno;
  reading_end = ends[0];
  writing_end = ends[1];
  return reading_end;
}

int take_signal(struct instance *instance) {
  int signal = instance->signal;
  if (!is_taken[signal]) {
    struct sigaction current, ours;
    if (sigaction(signal, NULL, &current) < 0) return errno;
    if (!is_ours(&current)) {
      /* Store the former handling before our handler can run. */
      previous[signal] = current;
      memset(&ours, 0, sizeof ours);
      ours.sa_sigaction = arrived;
      ours.sa_mask = current.sa_mask;
      ours.sa_flags = SA_SIGINFO | SA_RESTART | (current.sa_flags & (SA_ONSTACK | SA_NODEFER));
      if (sigaction(signal, &ours, NULL) < 0) return errno;
    }
    is_taken[signal] = 1;
  }
  instance->next_of_signal = wanted_by[signal];
  wanted_by[signal] = instance;
  return 0;
}

void give_signal_back(struct instance *instance) {
  struct instance **link = &wanted_by[instance->signal];
  while (*link != NULL && *link != instance) link = &(*link)->next_of_signal;
  if (*link == NULL) return;
  *link = instance->next_of_signal;
}

void restore_signals(void) {
  int signal;
  for (signal = 1; signal < SIGNAL_LIMIT; signal++) {
    struct sigaction current;
    if (!is_taken[signal] || wanted_by[signal] != NULL) continue;
    is_taken[signal] = 0;
    /* Code that has replaced our handler may still call it as the previous one, which does no harm. */
    if (sigaction(signal, NULL, &current) == 0 && is_ours(&current)) sigaction(signal, &previous[signal], NULL);
  }
}

void taken_signals(sigset_t *set) {
  int signal;
  sigemptyset(set);
  for (signal = 1; signal < SIGNAL_LIMIT; signal++) {
    if (wanted_by[signal] != NULL) sigaddset(set, signal);
  }
}

struct instance *instances_of_signal(int signal) { return signal > 0 && signal < SIGNAL_LIMIT ? wanted_by[signal] : NULL; }

unsigned lost_arrivals(void) { return __atomic_exchange_n(&lost, 0, __ATOMIC_RELAXED); }

static const char *name_of(int signal, char buffer[16]) {
  switch (signal) {
  case SIGHUP: return "HUP";
  case SIGUSR1: return "USR1";
  case SIGUSR2: return "USR2";
  case SIGWINCH: return "WINCH";
  default: snprintf(buffer, 16, "RTMIN+%d", signal - SIGRTMIN); return buffer;
  }
}

char *event_of(const struct arrival *arrival) {
  char buffer[16], value[32] = "";
  const char *name = name_of(arrival->signal, buffer);
  if (arrival->code > 0) return formatted("{\"reason\":\"signal %s\",\"signal\":\"%s\"}", name, name);
  if (arrival->code == SI_QUEUE) snprintf(value, sizeof value, ",\"value\":%d", arrival->value);
  return formatted("{\"reason\":\"signal %s from process %d\",\"signal\":\"%s\",\"sender\":{\"pid\":%d,\"uid\":%u}%s}", name, arrival->sender,
                   name, arrival->sender, arrival->user, value);
}
