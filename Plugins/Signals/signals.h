/*
 * The parts of the plugin `signals`, and where their functions may be called.
 *
 *   plugin.c     the exported symbol, the description, and the four functions of both offers
 *   watcher.c    the plugin's only thread: waits for everything, and is the only one that reports events to the host
 *   on.c         `signals.on`: takes over signals, and restores them
 *   pid_alive.c  `signals.pid-alive`: reads a pid file and watches the process that it names
 *   watches.c    the parts of pid files' paths that inotify watches
 *   json.c       the minimal JSON that settings and events need
 *
 * [host]     called from the functions of the contract, on any thread
 * [watcher]  called only on the plugin's own thread
 * [locked]   called with the watcher's lock held
 *
 * The lock is held for a few instructions only, and never while the host is called or a file is read.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <penstock/plugin.h>
#include <pthread.h>
#include <signal.h>

/* Only `penstock_plugin` is exported, so that names cannot clash with those of other plugins in the process. */
#pragma GCC visibility push(hidden)

enum offer { SIGNALS_ON, PID_ALIVE };

/* An instance of the controller or the specification. */
struct instance {
  penstock_id id;
  enum offer offer;
  /* signals.on: the number of the signal. */
  int signal;
  /* pid-alive: the path from the settings; absolute from `start` on. */
  char *path;

  /* The members from here to `is_gone` are protected by the lock. */
  struct instance *next_in_table, *next_of_signal, *next_in_queue;
  int is_queued;
  int is_started;
  /* It must end, and has not reported that yet. */
  int is_stopping;
  int has_ended;
  /* The host has destroyed it: the watcher frees it, and the host is not called about it any more. */
  int is_gone;

  /* The remaining members are used only by the watcher. */
  struct interest *interests;
  int pidfd;
  long pid;
  int32_t value;
  char *reason;
};

/* A signal that arrived. The handler writes it to a pipe in one piece. */
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

/* Returns a formatted text that the caller frees, or NULL if memory is exhausted. */
char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the content of a NUL-terminated string; empty for NULL. */
penstock_text text_of(const char *string);

void free_instance(struct instance *instance);

/* --------------------------------------------------------------------------------------------------------------- watcher.c */

extern pthread_mutex_t lock;

/* Registers the instance with the watcher, which is started if it is not running yet. Returns 0, or the error number. [host] */
int begin_watching(struct instance *instance);

/* Asks the instance to end, and to report that. [host] */
void ask_to_end(struct instance *instance);

/* Stops the thread, and waits for its end. [host] */
void end_watching(void);

/* Queues the instance for the watcher: to start it, check it again, end it, or free it. [locked] */
void enqueue(struct instance *instance);

/* Makes the watcher run another iteration. [locked] */
void wake_watcher(void);

/* Frees the instance, or makes the watcher do so. Once this returns, the host is not called about the instance any more. [host] */
void retire(struct instance *instance);

/* Queues the instance when `descriptor` becomes readable. Returns 0, or the error number. [watcher] */
int watch_descriptor(int descriptor, penstock_id id);

/* -------------------------------------------------------------------------------------------------------------------- on.c */

/* Returns the number of a signal that may be taken over, or 0. */
int signal_named(const char *name);

/* Takes the signal over if this instance is the first to request it. Returns 0, or the error number. [locked] */
int take_signal(struct instance *instance);

/* Withdraws the instance's request. Harmless if it has not made one. [locked] */
void give_signal_back(struct instance *instance);

/* Restores the former handling of signals that are no longer requested, once the watcher has blocked them. [locked] */
void restore_signals(void);

/* Sets `set` to the signals that are requested. [locked] */
void taken_signals(sigset_t *set);

/* Returns the instances that request a signal, linked by `next_of_signal`. [locked] */
struct instance *instances_of_signal(int signal);

/* Returns the descriptor from which arrivals are read, or -errno. It stays open: a handler may still run after all signals were restored. [locked] */
int arrivals(void);

/* Returns how many arrivals did not fit into the pipe since the last call. [watcher] */
unsigned lost_arrivals(void);

/* Returns the event for the host, or NULL if memory is exhausted. The caller frees it. */
char *event_of(const struct arrival *arrival);

/* ------------------------------------------------------------------------------------------------------------- pid_alive.c */

/* Checks the file and the process. Returns the value for `changed`, and in `*reason` a text that the caller frees. [watcher] */
int32_t pid_file_state(struct instance *instance, char **reason);

/* --------------------------------------------------------------------------------------------------------------- watches.c */

/* Opens inotify. Returns its descriptor, or -errno. [watcher] */
int begin_watches(void);
void end_watches(void);

/* Watches everything that can change which file the path leads to, and the file's content. Returns 0, or the error number. [watcher] */
int watch_path(struct instance *instance);

/* Stops watching all of that. [watcher] */
void unwatch_path(struct instance *instance);

/* Reads inotify's events, and queues the instances concerned. [watcher] */
void read_watches(void);

/* ------------------------------------------------------------------------------------------------------------------ json.c */

/* Returns in `*value` a NUL-terminated copy of the text of the member `name` of the object `json`, which the caller frees. Returns 1; 0 if there is
 * no such member; -1 if `json` is not an object, the member is not a text, or the text contains a NUL. */
int json_text(penstock_text json, const char *name, char **value);

/* Returns `string` as JSON with quotes, or NULL if memory is exhausted. The caller frees it. */
char *json_quoted(const char *string);

#pragma GCC visibility pop

#endif
