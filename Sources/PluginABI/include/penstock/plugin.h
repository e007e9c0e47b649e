/*
 * Penstock's contract with plugins.
 *
 * A plugin is a shared object that offers operations, controllers and specifications to pipelines. This header is all that a plugin
 * needs: it includes only <stddef.h>, <stdint.h> and <string.h>, works with C99 and C++11 or later, and states everything that a
 * plugin may rely on. You may copy it into your project; "Versions" says how its versions stay compatible.
 *
 * A plugin has four parts:
 *
 *   1. an exported data symbol, `penstock_plugin`, which the host can read without running any code of the plugin;
 *   2. a description in JSON: its id and version, what it offers, and which settings each offer takes;
 *   3. for each kind of offer, a table of four functions: create, start, stop, destroy;
 *   4. calls to the host's services: to complete, yield, log, or set a timer.
 *
 * A complete minimal plugin, with an operation whose result is the input of its `start`:
 *
 *   #include <penstock/plugin.h>
 *   #include <stdlib.h>
 *
 *   static const penstock_host *host;
 *   static const penstock_instance_service *instances;
 *
 *   static penstock_text describe(void) {
 *     return PENSTOCK_TEXT("{\"id\":\"echo\",\"version\":\"1.0.0\",\"summary\":\"Gives back its input\","
 *                          "\"offers\":[{\"kind\":\"operation\",\"id\":\"echo\",\"summary\":\"Gives back its input\"}]}");
 *   }
 *
 *   static penstock_status open_plugin(const penstock_host *the_host) {
 *     host = the_host;
 *     instances = (const penstock_instance_service *)host->service(host, PENSTOCK_INSTANCE);
 *     return instances != NULL ? PENSTOCK_OK : PENSTOCK_UNAVAILABLE;
 *   }
 *
 *   static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
 *     (void)offer;
 *     (void)settings;
 *     penstock_id *memory = (penstock_id *)malloc(sizeof *memory);
 *     if (memory == NULL) {
 *       instances->fail(host, id, PENSTOCK_TEXT("{\"code\":\"out-of-memory\",\"message\":\"out of memory\"}"));
 *       return PENSTOCK_FAILED;
 *     }
 *     *memory = id;
 *     *instance = memory;
 *     return PENSTOCK_OK;
 *   }
 *   static void start(void *instance, penstock_text input) { instances->complete(host, *(penstock_id *)instance, input); }
 *   static void stop(void *instance, uint64_t nanoseconds) {
 *     (void)instance;
 *     (void)nanoseconds;
 *   }
 *   static void destroy(void *instance) { free(instance); }
 *
 *   static const penstock_functions operations = { sizeof(penstock_functions), 0, create, start, stop, destroy };
 *   static const void *capability(penstock_text id) {
 *     return penstock_text_equals(id, PENSTOCK_OPERATION) ? &operations : NULL;
 *   }
 *
 *   PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
 *     sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, NULL, capability };
 *
 *   cc -std=c99 -shared -fPIC -o echo.so echo.c && penstock plugins check echo.so
 *
 *
 * Versions
 *
 * Plugin and host must have the same `abi_major`. A minor version only adds: functions at the end of a table, ids of capabilities and services,
 * members of JSON objects, and values of enumerations for which receivers have a default. Every table begins with its own size, so that each side
 * can see what the other side has. Do not compare that size with the size of your own struct, which grows with each version. Instead, require
 * the size that the table had in version 1.0 (PENSTOCK_..._SIZE_1_0), and either copy what both sides know into a zeroed struct
 * (`penstock_table_copy`) or test for each later member (`PENSTOCK_HAS`).
 *
 *   - A plugin compiled with 1.0 runs in a host of 1.3: the host sees a smaller `struct_size` and does not use later members.
 *   - A plugin compiled with 1.3 that needs nothing later than 1.0 sets `abi_minor_needed = 0` and runs in a host of 1.0, which ignores
 *     what it does not know. Before it calls a function that was added later, the plugin tests whether the host's table contains it.
 *   - A plugin compiled with 1.3 that requires something from 1.2 sets `abi_minor_needed = 2`. A host of 1.1 rejects it and reports
 *     both numbers.
 *   - Hosts of 1.x reject plugins of 2.0, and hosts of 2.x reject plugins of 1.x.
 *
 * The id of each capability and service contains a version of its own (`penstock.operation/1`). A change of meaning requires a new id; a side that
 * does not know an id returns NULL.
 *
 *
 *   version   added
 *   1.1       `left_out` in penstock.controller/1, and the capability penstock.instants/1: both optional
 *
 *
 * Receivers treat an unknown status as PENSTOCK_FAILED, an unknown log level as PENSTOCK_INFO, and an unknown value of a specification as -1
 * (unknown). "Description" says how a host reads a description that contains values it does not know.
 *
 *
 * Threads
 *
 * The tag of each function says who calls it, and on which thread.
 *
 * [plugin]    Called by the host on one of the host's threads. Functions with this tag never run at the same time as each other. Each instance is
 *             created after `open` has returned, and destroyed before `close` begins. `describe` and `capability` may also be called before `open`
 *             and while [instance] functions run, so they must not depend on `open` or call the host.
 * [instance]  Called by the host on one of the host's threads, never on a thread of the plugin, so `destroy` may join the instance's threads. The
 *             host never calls two functions of one instance at the same time, nor one from within another; this includes callbacks of timers
 *             and answers. Functions of different instances may run at the same time, unless the description of their offers says
 *             "threads": "plugin": then the host calls only one of them at a time, whichever instance it belongs to.
 *             These functions must return within 10 milliseconds and must not block. Do longer work on a thread or a timer of the plugin. A call
 *             that takes more than 50 milliseconds is reported with the name of the plugin.
 * [any]       May be called by the plugin on any thread, also from within a function that the host is calling, at any time between the beginning
 *             of `open` and the end of `close`.
 *
 * While a plugin is calling the host, the host does not call back into any plugin on that thread, with one exception: a service that can answer
 * immediately may call the `penstock_answer` before it returns. Any other consequence of a call, such as `destroy` after `complete`, follows later
 * on one of the host's threads, or when the [instance] function that made the call returns. A plugin may therefore hold a lock while it
 * calls the host, but not a lock that its `penstock_answer` takes. The host holds none of its locks while it calls a plugin.
 *
 * Calls about an instance take effect in order if one thread makes them. The order of calls that several threads make at the same time is not
 * specified.
 *
 *
 * The process
 *
 * A plugin shares its process with the host and with other plugins. It must not change anything that belongs to the whole process: the working
 * directory, the environment, the locale, the standard descriptors (anything printed there becomes part of the host's output), resource limits, or
 * the handling of signals. It must not end the process. It may be loaded into a child process of the host whose environment contains little.
 *
 * The plugin's threads must block all signals before they do anything else, because the host waits for some signals. The signal mask that a
 * thread inherits from an [instance] function is not specified: block all signals before you create the thread, and restore the former mask
 * afterwards. Threads and timers of an instance must not outlive its `destroy`, except those that instances share, which may live until `close`.
 *
 * The plugin's descriptors must be close-on-exec. A plugin may start programs. It must wait for each of them by process id, because the host waits
 * for none of them. It must use `posix_spawn`, or `fork` followed only by async-signal-safe functions before `exec`: no function of the host may be
 * called in a child of `fork`.
 *
 *
 * Ownership
 *
 * The side that allocates memory frees it; neither side frees memory of the other. A `penstock_text` argument belongs to the caller and is valid
 * until the called function returns: copy it to keep it longer. What `describe` returns, and every table, must stay valid and unchanged while
 * the shared object is loaded. `penstock_host` and its tables are valid until `close` has returned.
 *
 *
 * Payloads
 *
 * All values are JSON (RFC 8259) in UTF-8, with a length and without a terminating zero, and at most 16 MiB. Empty text (length 0) means "no
 * value" where that is allowed. Text that is not JSON where JSON is required is rejected with PENSTOCK_INVALID, and reported.
 *
 * JSON with more than 512 levels of lists and objects, or with a number outside the range of a `double`, is also rejected. An integer without
 * fraction or exponent that fits into a signed 64-bit integer stays exact; any other number is rounded to a `double`. If an object has several
 * members of the same name, the last one counts.
 *
 *
 * Limits
 *
 *   16 MiB           each text that is passed between plugin and host; more is answered with PENSTOCK_TOO_LARGE
 *   512              levels of lists and objects in JSON
 *   64 characters    ids and names in a description; the id of an offer may have two such names with a dot between them
 *   1,000            offers of a plugin
 *   100 characters   the code of an error
 *   31,556,952,000   seconds of `retry_after`, a thousand years; the value must be less
 *   1,024 bytes      keys and prefixes of stored values, and names of secrets; more is answered with PENSTOCK_TOO_LARGE. Keys of
 *                    `penstock.values/1`; more is answered with PENSTOCK_INVALID
 *   64               pending calls of `progress`; more are dropped and answered with PENSTOCK_OK
 *   1,000            pending states and reruns of a controller; more are answered with PENSTOCK_FULL
 *   100,000          pending reruns with an instant, and instants that are left out, of which a range counts as one; more are answered
 *                    with PENSTOCK_FULL
 *   64 MiB           all pending states and reruns of a controller; more are answered with PENSTOCK_FULL
 *   10,000           instants in one call of `left_out`, and in one answer of `between`
 *   4 MiB            log lines of an operation that are not yet written; more are counted and dropped
 *   200              log lines a second of no instance, from a plugin in a separate process; more are counted and dropped
 *   16,384, 64 MiB   pending requests to services, and their values, from a plugin in a separate process; more are answered with
 *                    PENSTOCK_UNAVAILABLE
 *   10 ms            an [instance] function other than `destroy` and `between`; more than 50 ms is reported
 *   1 s              `open`, `close`, `destroy` and `between`; more is reported, and so is any call that has not returned after 1 s
 *   10 s             any call in a separate process, which is then ended. In the host's process: `create` while a file is checked, and any call
 *                    if the host then ends itself, as `penstock` does
 *   15 s             from the start of a separate process to the end of `open`
 *
 *
 * Life of an instance
 *
 *       create ──► start ──► … events … ──► end ──► destroy
 *                    └──────────► stop ──────┘
 *
 *       create ──► destroy                        only to check settings, when a pipeline file is loaded
 *
 * An instance is one attempt of an operation, one controller or one specification.
 *
 * `create` checks the settings and makes the instance. It must have no effect that outlives `destroy`, start nothing, and not access files, the
 * network or other processes. Whenever a host loads a pipeline file, it creates and destroys an instance of everything that the file uses, so that
 * wrong settings are found before anything runs; services that belong to a pipeline then answer PENSTOCK_UNAVAILABLE. Checks that depend on the
 * outside world, such as whether a file exists, belong in `start`. If `create` fails, there is no instance: the host ignores `*instance`, ends
 * timers and requests that `create` began before it does anything else, calls no other function for that id, and then forgets the id.
 *
 * `start` begins the work. The instance ends itself exactly once, by `complete` or `fail` of `penstock.instance/1`. An operation ends with its
 * result. A controller or a specification ends with empty text after `stop`, or on its own when it has nothing more to report. The last value of a
 * specification holds until the specification ends, and is unknown afterwards: a specification whose value never changes reports it once and does
 * not end.
 *
 * `destroy` frees the instance. The host calls it exactly once for each instance that `create` made: after the end; without `start`, if the
 * instance is no longer needed; or after `stop`, if the instance has not ended within the time that `stop` gave.
 *
 * An instance may end from within `start` or `stop`, or on a thread of the plugin while the host calls one of them. `stop` may therefore be called
 * for an instance that has ended, and must then do nothing. Calls about an instance that has ended are rejected with PENSTOCK_ENDED, and about a
 * destroyed instance with PENSTOCK_UNKNOWN; they have no effect, except that a log line goes to the host's own log. A second end is reported as
 * a mistake of the plugin, and so is any call after `destroy` has returned. Timers and services work until `destroy` begins. During `destroy`, no
 * timer can be set, and services immediately answer PENSTOCK_ENDED; after it, PENSTOCK_UNKNOWN.
 */
#ifndef PENSTOCK_PLUGIN_H
#define PENSTOCK_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PENSTOCK_ABI_MAJOR 1
#define PENSTOCK_ABI_MINOR 1

#if defined(__cplusplus)
#define PENSTOCK_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define PENSTOCK_EXPORT __attribute__((visibility("default")))
#endif

/* ---------------------------------------------------------------------------------------------------------------- Basics */

/* UTF-8 text without a terminating zero. `bytes` may be NULL if `length` is 0. */
typedef struct penstock_text {
  const char *bytes;
  size_t length;
} penstock_text;

/* The text of a string literal. Other expressions, such as a pointer, do not compile. */
#if defined(__cplusplus)
#define PENSTOCK_TEXT(literal) (penstock_text{"" literal, sizeof("" literal) - 1})
#else
#define PENSTOCK_TEXT(literal) ((penstock_text){"" literal, sizeof("" literal) - 1})
#endif

/* Whether `text` equals the zero-terminated string `other`. */
static inline int penstock_text_equals(penstock_text text, const char *other) {
  return strlen(other) == text.length && (text.length == 0 || memcmp(text.bytes, other, text.length) == 0);
}

/* The outcome of a call. Treat a value that this version does not list as PENSTOCK_FAILED. */
typedef int32_t penstock_status;
enum {
  PENSTOCK_OK = 0,          /* Done. */
  PENSTOCK_FAILED = 1,      /* Not done; the reason was reported, or is not known. */
  PENSTOCK_INVALID = 2,     /* An argument is invalid: not JSON, not UTF-8, an unknown level or value. */
  PENSTOCK_ENDED = 3,       /* The instance has already ended. Ending it a second time is reported as a mistake. */
  PENSTOCK_UNKNOWN = 4,     /* No such instance, offer, secret, key or timer, or it was destroyed. */
  PENSTOCK_TOO_LARGE = 5,   /* More than 16 MiB. */
  PENSTOCK_UNAVAILABLE = 6, /* Not available: a service, the workspace, the other process. */
  PENSTOCK_DENIED = 7,      /* The pipeline file does not allow it: a secret that it does not list for the plugin. */
  PENSTOCK_FULL = 8         /* A controller's state or rerun was not kept: too many are pending. */
};

/* The size of each table in version 1.0, in bytes: the minimum for a table of any 1.x. These numbers do not change when members are added at the
 * end of a table. They apply to platforms with 64-bit pointers. */
#define PENSTOCK_PLUGIN_ENTRY_SIZE_1_0 48
#define PENSTOCK_FUNCTIONS_SIZE_1_0 40
#define PENSTOCK_HOST_SIZE_1_0 24
#define PENSTOCK_INSTANCE_SERVICE_SIZE_1_0 32
#define PENSTOCK_CONTROLLER_SERVICE_SIZE_1_0 40
#define PENSTOCK_SPECIFICATION_SERVICE_SIZE_1_0 16
#define PENSTOCK_LOG_SERVICE_SIZE_1_0 16
#define PENSTOCK_CLOCK_SERVICE_SIZE_1_0 40
#define PENSTOCK_SECRETS_SERVICE_SIZE_1_0 16
#define PENSTOCK_WORKSPACE_SERVICE_SIZE_1_0 32
#define PENSTOCK_VALUES_SERVICE_SIZE_1_0 80
/* The same for tables that were added in version 1.1. */
#define PENSTOCK_INSTANTS_SIZE_1_1 16

/* Whether the table of the other side is long enough to contain `member`, which was added after 1.0. */
#define PENSTOCK_HAS(table, member) \
  ((size_t)((const char *)(&(table)->member + 1) - (const char *)(table)) <= (table)->struct_size)

/* Copies a table of the other side into `to`, a struct of yours of `size` bytes: copies what both sides know, and sets the rest to zero. `least` is
 * the required size of the table, one of PENSTOCK_..._SIZE_1_0. Returns 1 on success, and 0 if `table` is NULL or shorter than `least`. */
static inline int penstock_table_copy(void *to, size_t size, size_t least, const void *table) {
  uint32_t length;
  if (table == NULL) return 0;
  memcpy(&length, table, sizeof length);
  if (length < least) return 0;
  memset(to, 0, size);
  memcpy(to, table, length < size ? length : size);
  return 1;
}

/* Identifies an instance to the host. Never 0, and not used again while the plugin is loaded, so that a call that comes too late is detected and
 * has no effect. */
typedef uint64_t penstock_id;

/* ------------------------------------------------------------------------------------------------------------ The plugin */

struct penstock_host;

/* The value of the exported symbol `penstock_plugin`. The host reads the numbers before it calls any function. */
typedef struct penstock_plugin_entry {
  uint32_t struct_size;      /* sizeof(penstock_plugin_entry) */
  uint16_t abi_major;        /* PENSTOCK_ABI_MAJOR */
  uint16_t abi_minor;        /* PENSTOCK_ABI_MINOR: the version that the plugin was compiled with */
  uint16_t abi_minor_needed; /* the lowest minor version of a host that the plugin works with; usually 0 */
  uint16_t reserved[3];      /* 0 */

  /* [plugin] Returns the description of the plugin: see "Description". Called before `open`, perhaps several times; always returns the same
   * text. Must have no effect and depend on nothing. Required. */
  penstock_text (*describe)(void);

  /* [plugin] Called once, before any instance is created. `host` is valid until `close` has returned. Any status other than PENSTOCK_OK is
   * reported, and the plugin is not used; `close` is then not called. May be NULL. May take up to a second. */
  penstock_status (*open)(const struct penstock_host *host);

  /* [plugin] Called at most once, after the last instance was destroyed. After it returns, none of the plugin's threads may call the host. The
   * shared object stays mapped. May be NULL. May take up to a second. */
  void (*close)(void);

  /* [plugin] Returns the functions of a capability: a `const penstock_functions *` for "penstock.operation/1", "penstock.controller/1" and
   * "penstock.specification/1"; since version 1.1, a `const penstock_instants *` or NULL for "penstock.instants/1"; NULL for any other id. Called
   * for each kind that the description offers, also before `open`; always returns the same pointer. Required. */
  const void *(*capability)(penstock_text id);
} penstock_plugin_entry;

/*
 * Description
 *
 *   { "id": "calendar",                   required; [a-z][a-z0-9-]*, at most 64 characters
 *     "version": "1.2.0",                 required
 *     "summary": "What day it is",        required, one line
 *     "author": "…", "license": "…", "homepage": "…",
 *     "offers": [                         at least one, at most 1,000
 *       { "kind": "specification",        "operation", "controller" or "specification"
 *         "id": "calendar.time-window",   the plugin's id, or the plugin's id, a dot and a name of the same form
 *         "summary": "…",                 required, one line
 *         "settings": [                   what `with:` may contain; anything else is an error in the pipeline file
 *           { "name": "from",             [a-z][a-z0-9_]*, at most 64 characters
 *             "type": "string",           a type of the pipeline language: string int number bool duration size timestamp date json
 *                                         [T] {field: T, optional?: T}
 *             "summary": "…",             required, one line
 *             "required": true,           false if missing
 *             "default": "08:00",         a value of the type; shown to people, and filled in by the host
 *             "values": ["a", "b"] } ],   the only values that are accepted
 *         "requirement": "json",          for an operation: the type of what is injected; "none" if missing
 *         "result": "int",                for an operation: the type of its result; "json" if missing
 *         "states": "string",             for a controller: the type of the states that it yields; "json" if missing
 *         "when_full": "refuse",          for a controller: "refuse" or "replace", see PENSTOCK_MOST_WAITING
 *         "threads": "instance" } ] }     "instance" or "plugin", see "Threads"
 *
 * Durations, sizes and timestamps in settings are passed as the strings in the file ("90s", "10MiB", "2026-01-31T08:00:00Z").
 * Hosts ignore members that they do not know.
 */

/* The functions of an operation, a controller or a specification. */
typedef struct penstock_functions {
  uint32_t struct_size; /* sizeof(penstock_functions) */
  uint32_t reserved;    /* 0 */

  /* [instance] Makes an instance of the offer with the id `offer`. `settings` is an object with every setting that the file or a default gives; the
   * host has checked it against the description. Set `*instance` to anything but NULL. Any status other than PENSTOCK_OK means that there is no
   * instance; the plugin must report the reason with `fail` of penstock.instance/1 before it returns. The "detail" of that error may name the wrong
   * setting, {"setting": "schedule"}, and the wrong part of its text, {"setting": "schedule", "position": 3, "length": 2}, in characters (Unicode
   * scalars) counted from 1: `penstock check` points there.
   * Also called when a file is loaded, only to check the settings: `destroy` follows immediately, without `start`. Relative paths in settings cannot
   * be resolved yet, because their base directory is passed to `start`. */
  penstock_status (*create)(penstock_id id, penstock_text offer, penstock_text settings, void **instance);

  /* [instance] Starts the instance. Called at most once. `input` depends on the kind. For an operation it is {"requirement": …, "attempt": 1,
   * "operation": "fetch", "run": "…", "pipeline": "…"}, without "requirement" if there is none; for a controller {"pipeline": "…",
   * "last_run": {"started_at": timestamp, "state": "succeeded"}}, without "last_run" if there is none; for a specification {}.
   * Each may also contain "directory": the absolute path of the directory of the pipeline file, to which relative paths in settings refer. Without
   * it, they refer to the working directory of the process. Later versions may add members.
   * A specification should report its first value from within `start` if it can, and otherwise as soon as it can. */
  void (*start)(void *instance, penstock_text input);

  /* [instance] Asks the instance to end within this many nanoseconds; 0 means immediately. Called at most once, after `start` has returned, and
   * perhaps after the instance has ended. A stopped operation ends by `fail` with the code "cancelled", or by `complete` if it has finished
   * nevertheless. */
  void (*stop)(void *instance, uint64_t nanoseconds);

  /* [instance] Frees the instance, which is not used afterwards, and ends everything that it still does: after `destroy` returns, no thread of the
   * plugin may call the host about the instance. May take up to a second. */
  void (*destroy)(void *instance);
} penstock_functions;

#define PENSTOCK_OPERATION "penstock.operation/1"
#define PENSTOCK_CONTROLLER "penstock.controller/1"
#define PENSTOCK_SPECIFICATION "penstock.specification/1"

/* Predicts instants, for controllers and specifications that know them in advance. An optional capability, since version 1.1. */
#define PENSTOCK_INSTANTS "penstock.instants/1"

/* The maximum number of instants in one answer of `between`, and in one call of `left_out`. */
#define PENSTOCK_MOST_INSTANTS 10000

/* Receives the answer of `between`. The plugin calls it at most once, on the thread on which `between` was called, before `between` returns. The
 * text belongs to the plugin, and the host does not use it after this function has returned. */
typedef void (*penstock_take)(void *context, penstock_text answer);

/* The functions of PENSTOCK_INSTANTS. */
typedef struct penstock_instants {
  uint32_t struct_size; /* sizeof(penstock_instants) */
  uint32_t reserved;    /* 0 */

  /* [instance] Reports when a controller will ask for a run, or when the value of a specification will change: the instants later than `after` and
   * not later than `until`, both in the unit of `now` of penstock.clock/1. If there are more than `limit` (1 to PENSTOCK_MOST_INSTANTS), reports the
   * earliest `limit` of them. Called for an instance that was created and usually is never started; `input` is what `start` would receive. Must have
   * no effect, and depend only on its arguments, the settings, and files that the settings name. Calls `take` with
   *
   *   { "zone": "Europe/Berlin",          the time zone of the instants; may be missing
   *     "instants": [                     in ascending order, without duplicates
   *       { "instant": timestamp,
   *         "local_time": "…",            the local time in that zone, such as "2026-03-29T03:30:00+02:00"; may be missing
   *         "value": true,                for a specification, required: its value from then on; true, false, or null for unknown
   *         "skipped": true,              nothing happens: this local time is skipped by a change of the clocks
   *         "note": "…" } ],              one line for people: which local times are skipped or occur twice
   *     "more": true }                    whether there are more than `limit`; the host calls again with the last instant as `after`
   *
   * and returns PENSTOCK_OK. PENSTOCK_UNAVAILABLE means that the instants of this offer or these settings cannot be predicted. May take up to a second. */
  penstock_status (*between)(
    void *instance, penstock_text input, int64_t after, int64_t until, uint32_t limit, penstock_take take, void *context);
} penstock_instants;

/* -------------------------------------------------------------------------------------------------------------- The host */

/* The interface of the host. Every function of every service takes it as its first argument. */
typedef struct penstock_host {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  /* [any] Returns the table of a service, or NULL if the host does not know it. `id` is zero-terminated. The answer is the same for all instances: a
   * service that works only in pipelines may be present without a pipeline, as while a file is checked; it then answers PENSTOCK_UNAVAILABLE. The
   * table is valid until `close` has returned. */
  const void *(*service)(const struct penstock_host *host, const char *id);
  void *implementation; /* private to the host */
} penstock_host;

/* Ends an instance and reports its progress. Always available. */
#define PENSTOCK_INSTANCE "penstock.instance/1"
typedef struct penstock_instance_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Ends the instance successfully. `result` is the result of an operation, which is checked against its type; it is empty for an operation
   * without a result, and for controllers and specifications. A second end is rejected with PENSTOCK_ENDED and reported. A result that is rejected
   * because it is not JSON, too large or not of the type still ends the instance, as a failure with that reason. The same holds for an
   * invalid error passed to `fail`, and for `complete` before `start`. */
  penstock_status (*complete)(const penstock_host *host, penstock_id id, penstock_text result);
  /* [any] Ends the instance with an error, {"code": "quota-exceeded", "message": "…", "retry_after": 2.5, "detail": …}. `code`
   * ([a-z][a-z0-9-]*) is what `retry.on` matches, and `retry_after` is in seconds. The code and the message are required. */
  penstock_status (*fail)(const penstock_host *host, penstock_id id, penstock_text error);
  /* [any] Reports the progress of an operation: {"fraction": 0.25, "message": "…"}. Both members are optional; the fraction is from 0 to 1. Calls may
   * be dropped if there are many. */
  penstock_status (*progress)(const penstock_host *host, penstock_id id, penstock_text progress);
} penstock_instance_service;

/* The maximum number of states and reruns of one controller that are pending, which means that their runs have not begun. Further ones are rejected
 * with PENSTOCK_FULL, because the pipeline cannot keep up: the controller may yield them again later. Reruns with an instant have the second, higher
 * maximum, because each of them matters. If the description of the offer says "when_full": "replace", the oldest pending state or rerun without
 * an instant is replaced by the newest, and the answer is PENSTOCK_OK. */
#define PENSTOCK_MOST_WAITING 1000
#define PENSTOCK_MOST_WAITING_INSTANTS 100000

/* The signals of a controller. Has the same id as the capability, but is obtained from the host. Always available. */
typedef struct penstock_controller_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Yields a state. In a pipeline, this starts a run that has the state in `run.event`. PENSTOCK_FULL if it was not kept. */
  penstock_status (*yield_state)(const penstock_host *host, penstock_id id, penstock_text state);
  /* [any] Reports an error after which the controller continues. `error` is as in `fail`. */
  penstock_status (*yield_error)(const penstock_host *host, penstock_id id, penstock_text error);
  /* [any] Asks for a run. `event` is {"reason": "…", "instant": timestamp, …}, all members of which are optional; all of it is in `run.event`. If
   * several reruns of one pipeline have the same instant, only the first starts a run, whichever host receives it. The instant must be a string with an
   * RFC 3339 timestamp, such as "2026-01-31T08:00:00Z"; otherwise, the rerun is rejected. PENSTOCK_FULL if it was not kept. */
  penstock_status (*yield_rerun)(const penstock_host *host, penstock_id id, penstock_text event);
  /* [any] Discards the current state. */
  penstock_status (*yield_reset)(const penstock_host *host, penstock_id id);

  /* ---- Since version 1.1: test with PENSTOCK_HAS. ---- */

  /* [any] Reports instants for which the controller will not ask for a run, and why, so that the host can record them. Nothing runs.
   *
   *   { "reason": "host-down", "instants": ["2026-01-31T08:00:00Z", …] }                      a list of at most PENSTOCK_MOST_INSTANTS
   *   { "reason": "host-down", "first": timestamp, "last": timestamp, "count": 525600 }       a range, if there are too many to list
   *
   * The reason has the form [a-z][a-z0-9-]*. It is "host-down" if no host was running or the computer was asleep at the instant, "catch-up-limit" if
   * more instants were missed than the controller catches up on, "too-late", or a reason of your own. Report instants in ascending order, before
   * the controller stores that it has handled them, and before reruns with later instants. Reporting an instant again has no effect. Until the host
   * has processed it, each instant counts towards the same limit as a rerun with an instant, and a range counts as one; PENSTOCK_FULL if there are
   * too many. */
  penstock_status (*left_out)(const penstock_host *host, penstock_id id, penstock_text instants);
} penstock_controller_service;

/* The signals of a specification. Has the same id as the capability, but is obtained from the host. Always available. */
typedef struct penstock_specification_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Reports the value from now on: 1 satisfied, 0 not satisfied, -1 unknown, which does not satisfy anything. Any other value counts as -1 and
   * is reported. `reason` is one line of plain text for people: "08:00 to 18:00, Monday to Friday". The value is unknown before the first call. */
  penstock_status (*changed)(const penstock_host *host, penstock_id id, int32_t value, penstock_text reason);
} penstock_specification_service;

/* Reads an instance's settings and input by key, for plugins without a JSON parser. NULL in hosts that do not have it yet. */
#define PENSTOCK_VALUES "penstock.values/1"
/* The object to read from. PENSTOCK_SETTINGS is the argument of `create`, available from the beginning of `create`; PENSTOCK_INPUT is the argument of
 * `start`, available from the beginning of `start`. */
enum { PENSTOCK_SETTINGS = 0, PENSTOCK_INPUT = 1 };
/* Each function sets `*value` and returns PENSTOCK_OK. It leaves `*value` unchanged and returns PENSTOCK_UNKNOWN if there is no such value or it is null,
 * and PENSTOCK_INVALID if the value is of another type, `from` is neither of the two, or `key` is not a valid path. `key` is zero-terminated: the name
 * of a setting or a member, followed by `.name` for a member of an object or `[index]` for an element of a list, counted from 0, such as "place" or
 * "hosts[2].port". "" is the whole object. */
typedef struct penstock_values_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] A string, without quotes or escapes. Its bytes are valid until `destroy` of the instance, or a `create` that fails, has returned. */
  penstock_status (*text)(const penstock_host *host, penstock_id id, int32_t from, const char *key, penstock_text *value);
  /* [any] Any value, as JSON. Valid as long as the text of `text`. */
  penstock_status (*json)(const penstock_host *host, penstock_id id, int32_t from, const char *key, penstock_text *value);
  /* [any] A whole number. */
  penstock_status (*integer)(const penstock_host *host, penstock_id id, int32_t from, const char *key, int64_t *value);
  /* [any] A number. */
  penstock_status (*number)(const penstock_host *host, penstock_id id, int32_t from, const char *key, double *value);
  /* [any] 1 for true, 0 for false. */
  penstock_status (*boolean)(const penstock_host *host, penstock_id id, int32_t from, const char *key, int32_t *value);
  /* [any] A duration such as "90s", in nanoseconds. */
  penstock_status (*duration)(const penstock_host *host, penstock_id id, int32_t from, const char *key, int64_t *value);
  /* [any] A size such as "10MiB", in bytes. */
  penstock_status (*size)(const penstock_host *host, penstock_id id, int32_t from, const char *key, int64_t *value);
  /* [any] A timestamp, in nanoseconds since 1970-01-01T00:00:00Z, to the microsecond. */
  penstock_status (*instant)(const penstock_host *host, penstock_id id, int32_t from, const char *key, int64_t *value);
  /* [any] The number of elements of a list, or of members of an object. */
  penstock_status (*count)(const penstock_host *host, penstock_id id, int32_t from, const char *key, size_t *value);
} penstock_values_service;

/* Writes log lines. Always available. A level that the host does not know counts as PENSTOCK_INFO. */
#define PENSTOCK_LOG "penstock.log/1"
enum { PENSTOCK_DEBUG = 0, PENSTOCK_INFO = 1, PENSTOCK_WARNING = 2, PENSTOCK_ERROR = 3 };
typedef struct penstock_log_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] `id` is the instance that the line concerns, or 0. `message` is plain text; `fields` is a JSON object, or empty. Lines of an operation go
   * to its log in the history. Up to 4 MiB of lines wait to be written there; further lines are dropped, and the log says how many. */
  penstock_status (*log)(const penstock_host *host, penstock_id id, int32_t level, penstock_text message, penstock_text fields);
} penstock_log_service;

/* The clock of the host, which may differ from the clock of the system, for example in tests: use it instead of the system clock. Always available. */
#define PENSTOCK_CLOCK "penstock.clock/1"
/* [instance] Called exactly once for each timer: with PENSTOCK_OK when it fires, or with another status if it never will, such as PENSTOCK_ENDED if it
 * was cancelled or the instance is about to be destroyed. `context` may be freed in this call, but not before. As with all [instance] functions, this is
 * never called at the same time as another function of the instance; nor is it called from within `timer` or `cancel_timer`. */
typedef void (*penstock_timer_callback)(void *context, penstock_status status);
typedef struct penstock_clock_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Nanoseconds since 1970-01-01T00:00:00Z. */
  int64_t (*now)(const penstock_host *host);
  /* [any] Nanoseconds since an unspecified moment; never goes back. */
  int64_t (*monotonic)(const penstock_host *host);
  /* [any] Calls `fire` once when the wall clock (`now`) reaches `instant`, also if the clock is set forward or the computer sleeps, and at the latest when
   * as much time has passed as `instant` was ahead of `now`. A delay, such as `now` plus 5 seconds, therefore never takes longer if the clock is set. To
   * wait for an instant, call `now` when the timer fires: if the clock was set back, the instant may still be in the future.
   * Returns the timer, or 0 if the instance no longer exists; `fire` is then not called. Timers end before their instance is destroyed. */
  uint64_t (*timer)(const penstock_host *host, penstock_id id, int64_t instant, penstock_timer_callback fire, void *context);
  /* [any] Ends a timer early. `fire` is called with PENSTOCK_ENDED, either after this function has returned or on another thread meanwhile, unless `fire`
   * was already called or is being called. Has no effect if there is no such timer. */
  void (*cancel_timer)(const penstock_host *host, uint64_t timer);
} penstock_clock_service;

/* [instance, or on the caller's thread before the call returns] Receives an answer. Called exactly once. If it is not called before the call returns, it
 * never runs at the same time as an [instance] function of the instance. `value` is valid until this function returns. Before an instance is
 * destroyed, its pending requests are answered with PENSTOCK_ENDED. */
typedef void (*penstock_answer)(void *context, penstock_status status, penstock_text value);

/* Reads secrets of the pipeline that the pipeline file lists for this plugin. Available in pipelines. */
#define PENSTOCK_SECRETS "penstock.secrets/1"
typedef struct penstock_secrets_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Reads a secret, as plain text. PENSTOCK_DENIED if the file does not list it for the plugin, PENSTOCK_UNKNOWN if it does not exist. From then on
   * it is masked in everything that the instance logs or returns. */
  void (*get)(const penstock_host *host, penstock_id id, penstock_text name, penstock_answer answer, void *context);
} penstock_secrets_service;

/* Stores data of the plugin in the workspace: durable JSON values by key. Available if there is a workspace. */
#define PENSTOCK_WORKSPACE "penstock.workspace/1"
typedef struct penstock_workspace_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Reads the value of `key`; PENSTOCK_UNKNOWN if there is none. Keys are UTF-8 of at most 1,024 bytes; values have at most 16 MiB. A plugin has
   * separate keys for each pipeline. */
  void (*get)(const penstock_host *host, penstock_id id, penstock_text key, penstock_answer answer, void *context);
  /* [any] Sets a value or, with empty text, removes it. The answer comes when the change is durable. */
  void (*set)(const penstock_host *host, penstock_id id, penstock_text key, penstock_text value, penstock_answer answer, void *context);
  /* [any] Lists the keys that begin with `prefix`, compared and sorted by bytes, as a JSON array of strings. The array may have any length. */
  void (*list)(const penstock_host *host, penstock_id id, penstock_text prefix, penstock_answer answer, void *context);
} penstock_workspace_service;

/* ------------------------------------------------------------------------------------------------------------------ Layout */

/* Compile-time checks of the layout on platforms with 64-bit pointers. */
#if UINTPTR_MAX == 0xffffffffffffffffu
#if defined(__cplusplus)
#define PENSTOCK_LAYOUT(name, condition) static_assert(condition, #name)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define PENSTOCK_LAYOUT(name, condition) _Static_assert(condition, #name)
#else
#define PENSTOCK_LAYOUT(name, condition) typedef char penstock_layout_##name[(condition) ? 1 : -1]
#endif
PENSTOCK_LAYOUT(text_size, sizeof(penstock_text) == 16);
PENSTOCK_LAYOUT(text_length, offsetof(penstock_text, length) == 8);
PENSTOCK_LAYOUT(entry_size, sizeof(penstock_plugin_entry) >= PENSTOCK_PLUGIN_ENTRY_SIZE_1_0);
PENSTOCK_LAYOUT(entry_major, offsetof(penstock_plugin_entry, abi_major) == 4);
PENSTOCK_LAYOUT(entry_minor, offsetof(penstock_plugin_entry, abi_minor) == 6);
PENSTOCK_LAYOUT(entry_needed, offsetof(penstock_plugin_entry, abi_minor_needed) == 8);
PENSTOCK_LAYOUT(entry_describe, offsetof(penstock_plugin_entry, describe) == 16);
PENSTOCK_LAYOUT(entry_open, offsetof(penstock_plugin_entry, open) == 24);
PENSTOCK_LAYOUT(entry_close, offsetof(penstock_plugin_entry, close) == 32);
PENSTOCK_LAYOUT(entry_capability, offsetof(penstock_plugin_entry, capability) == 40);
PENSTOCK_LAYOUT(functions_size, sizeof(penstock_functions) >= PENSTOCK_FUNCTIONS_SIZE_1_0);
PENSTOCK_LAYOUT(functions_create, offsetof(penstock_functions, create) == 8);
PENSTOCK_LAYOUT(functions_destroy, offsetof(penstock_functions, destroy) == 32);
PENSTOCK_LAYOUT(instants_size, sizeof(penstock_instants) >= PENSTOCK_INSTANTS_SIZE_1_1);
PENSTOCK_LAYOUT(instants_last, offsetof(penstock_instants, between) + 8 == PENSTOCK_INSTANTS_SIZE_1_1);
PENSTOCK_LAYOUT(host_size, sizeof(penstock_host) >= PENSTOCK_HOST_SIZE_1_0);
PENSTOCK_LAYOUT(host_last, offsetof(penstock_host, implementation) + 8 == PENSTOCK_HOST_SIZE_1_0);
PENSTOCK_LAYOUT(host_service, offsetof(penstock_host, service) == 8);
PENSTOCK_LAYOUT(instance_size, sizeof(penstock_instance_service) >= PENSTOCK_INSTANCE_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(instance_last, offsetof(penstock_instance_service, progress) + 8 == PENSTOCK_INSTANCE_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(controller_size, sizeof(penstock_controller_service) >= PENSTOCK_CONTROLLER_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(controller_last, offsetof(penstock_controller_service, yield_reset) + 8 == PENSTOCK_CONTROLLER_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(specification_size, sizeof(penstock_specification_service) >= PENSTOCK_SPECIFICATION_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(specification_last, offsetof(penstock_specification_service, changed) + 8 == PENSTOCK_SPECIFICATION_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(values_size, sizeof(penstock_values_service) >= PENSTOCK_VALUES_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(values_last, offsetof(penstock_values_service, count) + 8 == PENSTOCK_VALUES_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(log_size, sizeof(penstock_log_service) >= PENSTOCK_LOG_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(log_last, offsetof(penstock_log_service, log) + 8 == PENSTOCK_LOG_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(clock_size, sizeof(penstock_clock_service) >= PENSTOCK_CLOCK_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(clock_last, offsetof(penstock_clock_service, cancel_timer) + 8 == PENSTOCK_CLOCK_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(secrets_size, sizeof(penstock_secrets_service) >= PENSTOCK_SECRETS_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(secrets_last, offsetof(penstock_secrets_service, get) + 8 == PENSTOCK_SECRETS_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(workspace_size, sizeof(penstock_workspace_service) >= PENSTOCK_WORKSPACE_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(workspace_last, offsetof(penstock_workspace_service, list) + 8 == PENSTOCK_WORKSPACE_SERVICE_SIZE_1_0);
PENSTOCK_LAYOUT(controller_left_out, offsetof(penstock_controller_service, left_out) == PENSTOCK_CONTROLLER_SERVICE_SIZE_1_0);
#undef PENSTOCK_LAYOUT
#endif

#ifdef __cplusplus
}
#endif

#endif /* PENSTOCK_PLUGIN_H */
