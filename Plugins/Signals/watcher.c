#define _GNU_SOURCE
#include "signals.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* How long `destroy` waits for the watcher, which may be reading a file of a server that does not answer, in milliseconds; less than the second that
 * `destroy` has. */
#define PATIENCE 500

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The state protected by the lock, besides the marked members of instances. */
static pthread_cond_t released;
static int released_is_ready, is_running, is_ending;
static struct instance *queue_first, *queue_last;
#define BUCKETS 4096
/* The instances that the watcher knows, by id: an event may come for one that no longer exists. */
static struct instance *table[BUCKETS];

static pthread_t watcher;
static int poller = -1, waker = -1;

/* ------------------------------------------------------------------------------------------------------------- The queue */

void wake_watcher(void) {
  uint64_t one = 1;
  /* Fails only if the watcher has been woken 2^64 times. */
  if (write(waker, &one, sizeof one) < 0) return;
}

void enqueue(struct instance *instance) {
  if (instance->is_queued) return;
  instance->is_queued = 1;
  instance->next_in_queue = NULL;
  if (queue_last != NULL) queue_last->next_in_queue = instance;
  else queue_first = instance;
  queue_last = instance;
  wake_watcher();
}

static struct instance *dequeue(void) {
  struct instance *instance = queue_first;
  if (instance == NULL) return NULL;
  queue_first = instance->next_in_queue;
  if (queue_first == NULL) queue_last = NULL;
  instance->is_queued = 0;
  return instance;
}

static struct instance **place_of(penstock_id id) {
  struct instance **link = &table[id % BUCKETS];
  while (*link != NULL && (*link)->id != id) link = &(*link)->next_in_table;
  return link;
}

/* ---------------------------------------------------------------------------------------------------------- One instance */

static int same(const char *one, const char *other) { return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0); }

/* Reports the state of a pid file to the host, if it has changed. Called without the lock, while the instance cannot be freed. */
static void look_at_pid_file(struct instance *instance) {
  char *reason = NULL;
  int32_t value = pid_file_state(instance, &reason);
  int is_new, may_tell;
  is_new = instance->reason == NULL || value != instance->value || !same(reason, instance->reason);
  free(instance->reason);
  instance->reason = reason;
  instance->value = value;
  pthread_mutex_lock(&lock);
  may_tell = !instance->is_gone && !instance->is_stopping;
  pthread_mutex_unlock(&lock);
  /* A destroy that comes now waits until the watcher frees the instance. */
  if (is_new && may_tell) specifications->changed(host, instance->id, value, text_of(reason));
}

static void let_go_of(struct instance *instance) {
  unwatch_path(instance);
  if (instance->pidfd >= 0) close(instance->pidfd);
  instance->pidfd = -1;
}

/* Unblocks the signals that are taken over on this thread, in case all threads of the host block them. */
static void admit_signals(void) {
  sigset_t taken, blocked;
  int signal;
  pthread_mutex_lock(&lock);
  taken_signals(&taken);
  pthread_mutex_unlock(&lock);
  sigfillset(&blocked);
  for (signal = 1; signal <= SIGRTMAX; signal++) {
    if (sigismember(&taken, signal) == 1) sigdelset(&blocked, signal);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
  pthread_mutex_lock(&lock);
  restore_signals();
  pthread_mutex_unlock(&lock);
}

/* Handles a queued instance. Called with the lock held, and returns with it. */
static void attend(struct instance *instance) {
  /* Code that is notified of the end, or waits for it, must find the old handling of the signal: repeat this, as the signal may have been released since. */
  if (instance->offer == SIGNALS_ON && (instance->is_gone || instance->is_stopping)) {
    pthread_mutex_unlock(&lock);
    admit_signals();
    pthread_mutex_lock(&lock);
  }
  if (!instance->is_gone && !instance->is_stopping && !instance->has_ended && instance->offer == PID_ALIVE) {
    pthread_mutex_unlock(&lock);
    look_at_pid_file(instance);
    pthread_mutex_lock(&lock);
  }
  if (!instance->is_gone && instance->is_stopping && !instance->has_ended) {
    instance->has_ended = 1;
    pthread_mutex_unlock(&lock);
    let_go_of(instance);
    instances->complete(host, instance->id, text_of(NULL));
    pthread_mutex_lock(&lock);
  }
  if (instance->is_gone && !instance->is_queued) {
    struct instance **place = place_of(instance->id);
    if (*place == instance) *place = instance->next_in_table;
    pthread_mutex_unlock(&lock);
    let_go_of(instance);
    free_instance(instance);
    pthread_mutex_lock(&lock);
  }
  pthread_cond_broadcast(&released);
}

void retire(struct instance *instance) {
  struct timespec until;
  penstock_id id = instance->id;
  pthread_mutex_lock(&lock);
  if (instance->offer == SIGNALS_ON) give_signal_back(instance);
  if (!instance->is_started) {
    pthread_mutex_unlock(&lock);
    free_instance(instance);
    return;
  }
  instance->is_gone = 1;
  enqueue(instance);
  /* On the watcher's own thread, within a call to the host: the watcher continues when that returns. */
  if (!pthread_equal(pthread_self(), watcher)) {
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PATIENCE * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (*place_of(id) != NULL && pthread_cond_timedwait(&released, &lock, &until) == 0) continue;
  }
  pthread_mutex_unlock(&lock);
}

/* ----------------------------------------------------------------------------------------------------------- The arrivals */

/* Reports a signal to all controllers that request it. */
static void tell(const struct arrival *arrival) {
  struct instance *instance;
  char *event = event_of(arrival);
  penstock_id *ids;
  size_t count = 0, index;
  if (event == NULL) return;
  pthread_mutex_lock(&lock);
  for (instance = instances_of_signal(arrival->signal); instance != NULL; instance = instance->next_of_signal) count++;
  ids = (penstock_id *)malloc((count + 1) * sizeof *ids);
  count = 0;
  instance = ids != NULL ? instances_of_signal(arrival->signal) : NULL;
  for (; instance != NULL; instance = instance->next_of_signal) ids[count++] = instance->id;
  for (index = 0; index < count; index++) {
    instance = *place_of(ids[index]);
    if (instance == NULL || instance->is_gone || instance->is_stopping || instance->has_ended) continue;
    pthread_mutex_unlock(&lock);
    controllers->yield_rerun(host, ids[index], text_of(event));
    pthread_mutex_lock(&lock);
  }
  pthread_mutex_unlock(&lock);
  free(ids);
  free(event);
}

static void read_arrivals(int descriptor) {
  struct arrival arrival;
  unsigned lost;
  while (read(descriptor, &arrival, sizeof arrival) == (ssize_t)sizeof arrival) tell(&arrival);
  lost = lost_arrivals();
  if (lost > 0) {
    char *message = formatted("dropped %u signals: they came faster than they could be passed on", lost);
    logger->log(host, 0, PENSTOCK_WARNING, text_of(message), text_of(NULL));
    free(message);
  }
}

/* ------------------------------------------------------------------------------------------------------------- The thread */

int watch_descriptor(int descriptor, penstock_id id) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  /* Once only, because the descriptor of an ended process stays readable. */
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = id;
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

static void *watch(void *context) {
  struct epoll_event events[32];
  int signals_end = (int)(intptr_t)context;
  for (;;) {
    struct instance *instance;
    uint64_t times;
    int index, count = epoll_wait(poller, events, 32, -1);
    /* Drain the waker before the queue: anything queued later wakes the thread again. */
    if (read(waker, &times, sizeof times) < 0) times = 0;
    admit_signals();
    read_arrivals(signals_end);
    read_watches();
    pthread_mutex_lock(&lock);
    for (index = 0; index < count; index++) {
      penstock_id id = events[index].data.u64;
      if (id != 0 && *place_of(id) != NULL) enqueue(*place_of(id));
    }
    while ((instance = dequeue()) != NULL) attend(instance);
    if (is_ending) break;
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static int add_to_poller(int descriptor) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = EPOLLIN;
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

static void close_descriptors(void) {
  end_watches();
  if (poller >= 0) close(poller);
  if (waker >= 0) close(waker);
  poller = waker = -1;
}

/* Creates the thread and its resources. Returns 0, or the error number. Called with the lock held. */
static int start_thread(void) {
  int inotify, signals_end, error;
  sigset_t all, former;
  if (!released_is_ready) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    error = pthread_cond_init(&released, &attributes);
    pthread_condattr_destroy(&attributes);
    if (error != 0) return error;
    released_is_ready = 1;
  }
  poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller < 0) return errno;
  waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (waker < 0) return errno;
  inotify = begin_watches();
  if (inotify < 0) return -inotify;
  signals_end = arrivals();
  if (signals_end < 0) return -signals_end;
  if ((error = add_to_poller(waker)) != 0 || (error = add_to_poller(inotify)) != 0) return error;
  if ((error = add_to_poller(signals_end)) != 0) return error;
  /* Start the thread with all signals blocked, so that it handles none of the host's. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  error = pthread_create(&watcher, NULL, watch, (void *)(intptr_t)signals_end);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  return error;
}

int begin_watching(struct instance *instance) {
  int error = 0;
  pthread_mutex_lock(&lock);
  if (instance->has_ended) {
    /* It was stopped before it was started. */
    pthread_mutex_unlock(&lock);
    return 0;
  }
  if (!is_running) {
    error = start_thread();
    if (error != 0) close_descriptors();
    else is_running = 1;
  }
  if (error == 0 && instance->offer == SIGNALS_ON) error = take_signal(instance);
  if (error == 0) {
    struct instance **bucket = &table[instance->id % BUCKETS];
    instance->next_in_table = *bucket;
    *bucket = instance;
    instance->is_started = 1;
    enqueue(instance);
  } else {
    instance->has_ended = 1;
  }
  pthread_mutex_unlock(&lock);
  return error;
}

void ask_to_end(struct instance *instance) {
  int ends_here;
  pthread_mutex_lock(&lock);
  ends_here = !instance->is_started && !instance->has_ended;
  if (instance->offer == SIGNALS_ON) give_signal_back(instance);
  instance->is_stopping = 1;
  if (instance->is_started) enqueue(instance);
  else instance->has_ended = 1;
  pthread_mutex_unlock(&lock);
  if (ends_here) instances->complete(host, instance->id, text_of(NULL));
}

void end_watching(void) {
  int was_running;
  pthread_mutex_lock(&lock);
  was_running = is_running;
  is_ending = 1;
  if (was_running) wake_watcher();
  pthread_mutex_unlock(&lock);
  if (!was_running) return;
  pthread_join(watcher, NULL);
  close_descriptors();
}
