/*
 * The parts of the plugin `signals`, and who may call them.
 *
 *   plugin.c     the exported symbol, the description, and the four functions of both offers
 *   watcher.c    the plugin's one thread: waits for everything, and is the only one to tell the host of events
 *   on.c         `signals.on`: takes signals over, and gives them back
 *   pid_alive.c  `signals.pid-alive`: what a pid file says, and the process that it names
 *   watches.c    which parts of the paths to pid files inotify watches
 *   json.c       the little JSON that settings and events need
 *
 * [host]     called by the host's functions, on any thread
 * [watcher]  called on the plugin's own thread alone
 * [locked]   called with the watcher's lock held
 *
 * The lock is held for a few instructions only: never while the host is called, and never while a file is read.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <penstock/plugin.h>
#include <pthread.h>
#include <signal.h>

/* Nothing but `penstock_plugin` is exported: other plugins in the same process have names of their own. */
#pragma GCC visibility push(hidden)

enum offer { SIGNALS_ON, PID_ALIVE };

/* One controller or specification. */
struct instance {
  penstock_id id;
  enum offer offer;
  /* signals.on: the number of the signal. */
  int signal;
  /* pid-alive: the file as the settings have it, and from `start` on the absolute path. */
  char *path;

  /* The rest up to `watch` belongs to the lock. */
  struct instance *next_in_table, *next_of_signal, *next_in_queue;
  int is_queued;
  int is_started;
  /* It has to end, and has not told so yet. */
  int is_stopping;
  int has_ended;
  /* The host has destroyed it: the watcher frees it, and nobody tells the host of it any more. */
  int is_gone;

  /* From here on it is the watcher's alone. */
  struct interest *interests;
  int pidfd;
  long pid;
  int32_t value;
  char *reason;
};

/* What is known of a signal that arrived. Written by the handler to a pipe, in one piece. */
struct arrival {
  int signal, code, value;
  int sender;
  unsigned user;
};

/* ---------------------------------------------------------------------------------------------------------------- plugin.c */

extern const penstock_host *host;
extern const penstock_instance_service *instances;
extern const penstock_controller_service *controllers;
extern const penstock_specification_service *specifications;
extern const penstock_log_service *logger;

/* `fail` of penstock.instance/1 with a formatted message. [any thread] */
void fail(penstock_id id, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A formatted text that the caller frees, or NULL without memory. */
char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What a terminated string holds; empty for NULL. */
penstock_text text_of(const char *string);

void free_instance(struct instance *instance);

/* --------------------------------------------------------------------------------------------------------------- watcher.c */

extern pthread_mutex_t lock;

/* Lets the watcher know the instance, and starts it if it does not run yet. Returns 0, or the error number. [host] */
int begin_watching(struct instance *instance);

/* Lets the instance end, and tell so. [host] */
void ask_to_end(struct instance *instance);

/* Ends the thread, and waits for it. [host] */
void end_watching(void);

/* Lets the watcher look at the instance: for the first time, again, to end it, or to free it. [locked] */
void enqueue(struct instance *instance);

/* Lets the watcher go round once more. [locked] */
void wake_watcher(void);

/* Frees the instance, or has the watcher do so. When it returns, nobody tells the host of the instance any more. [host] */
void retire(struct instance *instance);

/* Waits for `descriptor` to become readable, and queues the instance then. Returns 0, or the error number. [watcher] */
int watch_descriptor(int descriptor, penstock_id id);

/* -------------------------------------------------------------------------------------------------------------------- on.c */

/* The number of a signal that may be taken over, or 0. */
int signal_named(const char *name);

/* Takes the signal over, for the first instance that wants it. Returns 0, or the error number. [locked] */
int take_signal(struct instance *instance);

/* The instance does not want it any more. Harmless where it has not taken it. [locked] */
void give_signal_back(struct instance *instance);

/* Has signals that nobody wants any more handled as they were before, once the watcher has blocked them. [locked] */
void restore_signals(void);

/* The signals that somebody wants. [locked] */
void taken_signals(sigset_t *set);

/* The instances that want a signal, linked by `next_of_signal`. [locked] */
struct instance *instances_of_signal(int signal);

/* Where arrivals can be read, or -errno. Stays open: a handler may still be running when all signals were given back. [locked] */
int arrivals(void);

/* How many arrivals did not fit into the pipe since the last call. [watcher] */
unsigned lost_arrivals(void);

/* The event that the host is told, or NULL without memory. The caller frees it. */
char *event_of(const struct arrival *arrival);

/* ------------------------------------------------------------------------------------------------------------- pid_alive.c */

/* What the file and the process are like now. Returns the value for `changed`, and in `*reason` a text that the caller frees. [watcher] */
int32_t pid_file_state(struct instance *instance, char **reason);

/* --------------------------------------------------------------------------------------------------------------- watches.c */

/* Opens inotify. Returns its descriptor, or -errno. [watcher] */
int begin_watches(void);
void end_watches(void);

/* Watches what can change which file the path leads to, and what is in it. Returns 0, or the error number. [watcher] */
int watch_path(struct instance *instance);

/* Watches none of it any more. [watcher] */
void unwatch_path(struct instance *instance);

/* Reads what inotify has, and queues the instances that it concerns. [watcher] */
void read_watches(void);

/* ------------------------------------------------------------------------------------------------------------------ json.c */

/* Gives a terminated copy of the text that the object `json` has for `name`, which the caller frees. Returns 1; 0 without such a
 * member; -1 where `json` is no object, the member is no text, or the text holds a zero. */
int json_text(penstock_text json, const char *name, char **value);

/* `string` as JSON, quotes included, or NULL without memory. The caller frees it. */
char *json_quoted(const char *string);

#pragma GCC visibility pop

#endif
