/*
 * Penstock's contract with plugins.
 *
 * A plugin is a shared object that offers operations, controllers and specifications to pipelines. This header is all that it
 * needs: it includes nothing but <stddef.h>, <stdint.h> and <string.h>, can be used from C99 and C++11 on, and says everything that a
 * plugin may rely on. Copy it into your project if you like; its versions stay compatible as said under "Versions".
 *
 * A plugin has four parts:
 *
 *   1. one exported data symbol, `penstock_plugin`, by which the host knows it without running any of its functions;
 *   2. a description in JSON: who it is, what it offers, and which settings each offer takes;
 *   3. for each kind of offer that it has, a table of four functions: create, start, stop, destroy;
 *   4. calls of the host's services: to complete, to yield, to log, to set a timer.
 *
 * The smallest whole plugin, an operation whose result is the input of its `start`:
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
 * `abi_major` of plugin and host must be the same. A minor version only adds: functions at the end of a table, ids of
 * capabilities and services, members of JSON objects, values of enumerations that a receiver treats as its default. Every table
 * begins with its own size, so that either side sees what the other one has. Neither compares that with the size of its own struct, which
 * grows: it asks for what version 1.0 had, the constants PENSTOCK_..._SIZE_1_0, and copies as much as both sides know into a struct full of
 * zeros (`penstock_table_copy`), or asks for each member that came later (`PENSTOCK_HAS`).
 *
 *   - A plugin compiled with 1.0 runs in a host of 1.3: the host sees a smaller `struct_size` and does without the rest.
 *   - A plugin compiled with 1.3 that uses only what 1.0 has says `abi_minor_needed = 0`, and runs in a host of 1.0, which does
 *     not look beyond what it knows. Before it calls a function that came later it asks whether the host's table has it.
 *   - A plugin compiled with 1.3 that cannot do without something of 1.2 says `abi_minor_needed = 2`. A host of 1.1 refuses it,
 *     and names both numbers.
 *   - A plugin of 2.0 is refused by every host of 1.x, and the other way round.
 *
 * Capabilities and services carry a version of their own in their id (`penstock.operation/1`). What changes its meaning gets a new
 * id; a side that does not know an id answers NULL.
 *
 *
 *   version   what it added
 *   1.1       `left_out` of penstock.controller/1, and the capability penstock.instants/1: both optional
 *
 *
 * A receiver's default for a value of an enumeration that it does not know: PENSTOCK_FAILED for a status, PENSTOCK_INFO for the level of a log line, -1
 * (unknown) for the value of a specification. A description with values that this host does not know is read as said under "Description".
 *
 *
 * Threads
 *
 * A tag says of each function who calls it, and on which thread.
 *
 * [plugin]    The host calls it on a thread of its own. No two functions with this tag run at once, and each instance is created after `open` has
 *             returned and destroyed before `close` begins. `describe` and `capability` are called before `open` too, and perhaps while
 *             [instance] functions run: they need nothing that `open` prepares, and nothing of the host.
 * [instance]  The host calls it on a thread of its own, never on one of the plugin's: `destroy` may join the threads of the instance. It never
 *             calls two functions of one instance at a time, also not one from within another; callbacks of timers and answers are among them.
 *             Those of different instances run at once, unless the description of their offers says "threads": "plugin": then the host never
 *             calls two of any instances of these offers at a time.
 *             It must return at once: within 10 milliseconds, and without waiting for anything. What takes longer the plugin does on a
 *             thread or a timer of its own. A call that takes longer than 50 milliseconds is reported with the plugin's name.
 * [any]       The plugin may call it on any thread, also from within a function that the host is calling, at any time between
 *             the beginning of `open` and the end of `close`.
 *
 * From within a call that a plugin makes the host calls no function of any plugin, with one exception: a service that has its answer at once
 * may call the `penstock_answer` before it returns. What a call sets off otherwise, such as `destroy` after `complete`, comes later on a
 * thread of the host's, or when the [instance] function returns from which it was called. So a plugin may hold a lock while it calls the
 * host, but not one that its `penstock_answer` takes. The host holds no lock of its own while it calls the plugin.
 *
 * What one thread tells of an instance arrives in that order. What several threads tell at once arrives in some order.
 *
 *
 * The process
 *
 * A plugin is a guest in a process that has other guests. It leaves alone what belongs to all of them: the working directory, the
 * environment, the locale, the standard descriptors (whoever prints, prints into the host's output), limits, and how signals are
 * handled. It does not end the process. Its threads block all signals before they do anything else, as the host waits for some of them;
 * its descriptors are close-on-exec. It may find itself in a
 * child process of the host, with an environment that holds little. A thread that is begun within an [instance] function inherits a signal mask
 * of which nothing is promised: block all signals before it is begun, and set the former mask afterwards. A plugin may start programs, and
 * waits for them by their process ids, as the host waits for none of its children; it uses `posix_spawn`, or `fork` with nothing but functions
 * that are safe in a signal handler before `exec`: in a child of `fork` no function of the host may be called. Threads and timers that an instance does not need belong to nobody
 * after its `destroy`; those that all instances share may live until `close`.
 *
 *
 * Ownership
 *
 * Whoever allocates frees, and nothing is ever freed across the boundary. A `penstock_text` that is handed over belongs to the
 * caller and is valid until the called function returns: who wants it longer copies it. What `describe` returns, and every
 * table, must stay valid and unchanged as long as the shared object is loaded. `penstock_host` and its tables are valid until
 * `close` has returned.
 *
 *
 * Payloads
 *
 * All values are JSON (RFC 8259) in UTF-8, with a length and without a terminating zero; at most 16 MiB. Empty text (length 0) means "no
 * value" where that is allowed. Anything that is not JSON where JSON is asked for is refused with PENSTOCK_INVALID, and reported.
 *
 * More than 512 levels of lists and objects are not JSON here, and a number beyond what a `double` holds is none. A whole number without fraction or
 * exponent that 64 bits with a sign hold stays exact; every other one is rounded to a `double`. Of members with the same name the last one
 * counts.
 *
 *
 * Limits
 *
 *   16 MiB           each text that crosses the contract; more is answered with PENSTOCK_TOO_LARGE
 *   512              levels of lists and objects in JSON
 *   64 characters    ids and names in a description; an id of an offer has two such names and a dot
 *   1,000            offers of a plugin
 *   100 characters   the code of an error
 *   31,556,952,000   seconds of `retry_after`, a thousand years; it must be less
 *   1,024 bytes      keys and prefixes of stored values and names of secrets; more is answered with PENSTOCK_TOO_LARGE. Keys of
 *                    `penstock.values/1`; more is answered with PENSTOCK_INVALID
 *   64               calls of `progress` that wait to be told; more are dropped and answered with PENSTOCK_OK
 *   1,000            states and reruns of a controller that wait; more are answered with PENSTOCK_FULL
 *   100,000          the same for reruns with an instant, and for instants that are left out; a range of them counts as one
 *   64 MiB           all states and reruns of a controller that wait; more are answered with PENSTOCK_FULL
 *   10,000           instants in one call of `left_out`, and in one answer of `between`
 *   4 MiB            lines of an operation's log that wait to be written; more are counted and dropped
 *   200              lines a second that belong to no instance, from a process of its own; more are counted and dropped
 *   16,384, 64 MiB   questions to services that wait, and their values, from a process of its own; more are answered with PENSTOCK_UNAVAILABLE
 *   10 ms            an [instance] function but `destroy` and `between`; more than 50 ms is reported
 *   1 s              `open`, `close`, `destroy` and `between`; more is reported, and so is any call that has not returned by then
 *   10 s             any call in a process of its own, which is ended then; in the host's process, `create` while a file is checked, and any call
 *                    where the host ends itself then, as `penstock` does
 *   15 s             from the start of a process of its own to the end of `open`
 *
 *
 * Life of an instance
 *
 *       create ──► start ──► … events … ──► end ──► destroy
 *                    └──────────► stop ──────┘
 *
 *       create ──► destroy                        for checking alone, when a pipeline file is loaded
 *
 * An instance is one attempt of an operation, one controller or one specification. `create` checks the settings and makes the
 * instance, and that is all: it has no effect that outlives `destroy`, starts nothing, and touches no file, network or other process. A
 * host creates and destroys an instance of everything that a pipeline file uses whenever the file is loaded, so that wrong settings
 * are found before anything runs; services that belong to a pipeline answer PENSTOCK_UNAVAILABLE then. What can be known only when the
 * instance is to work, such as whether a file is there, belongs to `start`. `start` sets it going; it ends itself, exactly once, by `complete` or `fail` of `penstock.instance/1`; `destroy`
 * frees it. The host calls `destroy` exactly once for each instance that `create` made: after the end; without `start`, when
 * it changed its mind; or after `stop` without an end, when the time that `stop` gave is over. An operation ends with its result. A
 * controller or a specification ends when it was stopped, with empty text, or on its own when there is nothing more to come. What a
 * specification has said holds until its end, and is unknown from then on: one whose answer never changes tells it once, and stays.
 *
 * An instance may end from within `start` or `stop`, or on a thread of the plugin while the host calls one of them: `stop` then finds
 * an instance that has ended, and does nothing. What is told of an instance after its end is refused with PENSTOCK_ENDED, after its
 * destroy with PENSTOCK_UNKNOWN, and changes nothing; a line for the log is kept in the host's own then. Timers and services work until
 * `destroy` begins: from then on there are no new timers, and answers come at once, with PENSTOCK_ENDED, and with PENSTOCK_UNKNOWN when it has returned.
 * A `create` that fails has made nothing: what the plugin set `*instance` to is not looked at, no other function is called for that id, timers and
 * questions that it began end before anything else happens, and the id is gone. A second end is reported, since it is always a mistake; so is whatever comes after
 * `destroy` has returned.
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

/* UTF-8 that is not terminated. `bytes` may be NULL where `length` is 0. */
typedef struct penstock_text {
  const char *bytes;
  size_t length;
} penstock_text;

/* The text of a string literal. Anything else, such as a pointer, does not compile. */
#if defined(__cplusplus)
#define PENSTOCK_TEXT(literal) (penstock_text{"" literal, sizeof("" literal) - 1})
#else
#define PENSTOCK_TEXT(literal) ((penstock_text){"" literal, sizeof("" literal) - 1})
#endif

/* Whether `text` is exactly what the terminated string `other` holds. */
static inline int penstock_text_equals(penstock_text text, const char *other) {
  return strlen(other) == text.length && (text.length == 0 || memcmp(text.bytes, other, text.length) == 0);
}

/* What a call came to. A value that this version does not list means PENSTOCK_FAILED. */
typedef int32_t penstock_status;
enum {
  PENSTOCK_OK = 0,          /* Done. */
  PENSTOCK_FAILED = 1,      /* Not done, for a reason that was reported or cannot be told. */
  PENSTOCK_INVALID = 2,     /* An argument is not what it must be: no JSON, no UTF-8, an unknown level or value. */
  PENSTOCK_ENDED = 3,       /* The instance has ended already; ending twice is a mistake that is reported. */
  PENSTOCK_UNKNOWN = 4,     /* No such instance, offer, secret, key or timer: it never was, or is destroyed. */
  PENSTOCK_TOO_LARGE = 5,   /* More than 16 MiB. */
  PENSTOCK_UNAVAILABLE = 6, /* What was asked for is not there: a service, the workspace, the other process. */
  PENSTOCK_DENIED = 7,      /* The pipeline file does not allow it: a secret that is not listed for the plugin. */
  PENSTOCK_FULL = 8         /* A controller's state or rerun is not kept: as many wait already as there may. */
};

/* How many bytes each table had in version 1.0, which are the fewest that a table of any 1.x may have. These numbers never change, whatever is added
 * at the end of the tables. For pointers of 64 bits. */
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
/* The same of what came with version 1.1. */
#define PENSTOCK_INSTANTS_SIZE_1_1 16

/* Whether the table of the other side is so long that it has `member`, which came after 1.0. */
#define PENSTOCK_HAS(table, member) \
  ((size_t)((const char *)(&(table)->member + 1) - (const char *)(table)) <= (table)->struct_size)

/* Copies a table of the other side into `to`, a struct of `size` bytes of one's own: as much as both sides know, and zeros for what the other one has
 * not. `least` is what it must have, one of PENSTOCK_..._SIZE_1_0. 1 where that was done; 0 where there is no table, or it is too short. */
static inline int penstock_table_copy(void *to, size_t size, size_t least, const void *table) {
  uint32_t length;
  if (table == NULL) return 0;
  memcpy(&length, table, sizeof length);
  if (length < least) return 0;
  memset(to, 0, size);
  memcpy(to, table, length < size ? length : size);
  return 1;
}

/* Names an instance to the host. Never 0, and never used again while the plugin is loaded: a call that comes too late is noticed, and
 * changes nothing. */
typedef uint64_t penstock_id;

/* ------------------------------------------------------------------------------------------------------------ The plugin */

struct penstock_host;

/* What the exported symbol `penstock_plugin` holds. The host reads the numbers before it calls any of the functions. */
typedef struct penstock_plugin_entry {
  uint32_t struct_size;      /* sizeof(penstock_plugin_entry) */
  uint16_t abi_major;        /* PENSTOCK_ABI_MAJOR */
  uint16_t abi_minor;        /* PENSTOCK_ABI_MINOR: what the plugin was compiled with */
  uint16_t abi_minor_needed; /* the least minor version of a host that it can do with; mostly 0 */
  uint16_t reserved[3];      /* 0 */

  /* [plugin] What the plugin is, as said under "Description". Called first, before `open`, perhaps several times, always with the same
   * answer. Has no effect and needs nothing. Required. */
  penstock_text (*describe)(void);

  /* [plugin] Called once, before any instance is created. `host` is valid until `close` has returned. Anything but PENSTOCK_OK is
   * reported, and the plugin not used; `close` is not called then. May be NULL. May take up to a second. */
  penstock_status (*open)(const struct penstock_host *host);

  /* [plugin] Called at most once, after the last instance was destroyed. When it returns no thread of the plugin may call the host any
   * more. The shared object stays mapped. May be NULL. May take up to a second. */
  void (*close)(void);

  /* [plugin] The functions behind a capability: for "penstock.operation/1", "penstock.controller/1" and "penstock.specification/1" a
   * `const penstock_functions *`; since version 1.1 for "penstock.instants/1" a `const penstock_instants *` or NULL. NULL for any other id. Asked for
   * every kind that the description offers, before `open` too, always with the same answer. Required. */
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
 *         "settings": [                   what `with:` may hold; anything else is an error in the pipeline file
 *           { "name": "from",             [a-z][a-z0-9_]*, at most 64 characters
 *             "type": "string",           a type of the pipeline language: string int number bool duration size timestamp date json
 *                                         [T] {field: T, optional?: T}
 *             "summary": "…",             required, one line
 *             "required": true,           false where it is missing
 *             "default": "08:00",         a value of the type; for people, and filled in by the host
 *             "values": ["a", "b"] } ],   the only values that it may have
 *         "requirement": "json",          an operation: the type of what is injected; "none" where it is missing
 *         "result": "int",                an operation: the type of its result; "json" where it is missing
 *         "states": "string",             a controller: the type of what it yields; "json" where it is missing
 *         "when_full": "refuse",          a controller: or "replace", see PENSTOCK_MOST_WAITING
 *         "threads": "instance" } ] }     or "plugin", see "Threads"
 *
 * Durations, sizes and timestamps arrive in settings as the strings that the file has ("90s", "10MiB", "2026-01-31T08:00:00Z").
 * Members that this version does not know are ignored.
 */

/* Of an operation, a controller or a specification. */
typedef struct penstock_functions {
  uint32_t struct_size; /* sizeof(penstock_functions) */
  uint32_t reserved;    /* 0 */

  /* [instance] Makes an instance of the offer with the id `offer`. `settings` is an object with every setting that the file or a
   * default gives; the host has checked it against the description. Sets `*instance`, which may be anything but NULL. Any other status than
   * PENSTOCK_OK means that there is no instance: the plugin says why with `fail` of penstock.instance/1 before it returns. The error's
   * "detail" may name the setting that is wrong, {"setting": "schedule"}, and the part of its text, {"setting": "schedule", "position": 3,
   * "length": 2}, in characters (Unicode scalars) from 1: `penstock check` points there.
   * Called at load too, for checking alone: `destroy` follows at once, and `start` never. Relative paths in settings cannot be followed yet,
   * since the directory from which they start comes with `start`. */
  penstock_status (*create)(penstock_id id, penstock_text offer, penstock_text settings, void **instance);

  /* [instance] Sets the instance going. Called at most once. `input` is, for an operation, {"requirement": …, "attempt": 1,
   * "operation": "fetch", "run": "…", "pipeline": "…"}, where "requirement" is missing without one; for a controller
   * {"pipeline": "…", "last_run": {"started_at": timestamp, "state": "succeeded"}}, where "last_run" is missing without one; for a specification {}.
   * Each may have "directory" beside it: the absolute path from which relative paths in settings start, which is where the pipeline
   * file is. Without it they start from the working directory of the process. More members may come.
   * A specification tells its first value from within `start` if it can, else as soon as it can. */
  void (*start)(void *instance, penstock_text input);

  /* [instance] Asks the instance to end within so many nanoseconds; 0 is at once. Called at most once, after `start` has returned, perhaps after
   * the instance has ended. An operation that was stopped ends by `fail` (the code "cancelled" says so), or by `complete` where it got
   * done in spite of it. */
  void (*stop)(void *instance, uint64_t nanoseconds);

  /* [instance] Frees the instance, which is not used afterwards, and ends whatever still goes on in it: when it returns, no thread of the plugin
   * tells anything of the instance any more. May take up to a second. */
  void (*destroy)(void *instance);
} penstock_functions;

#define PENSTOCK_OPERATION "penstock.operation/1"
#define PENSTOCK_CONTROLLER "penstock.controller/1"
#define PENSTOCK_SPECIFICATION "penstock.specification/1"

/* What comes, before it comes: for controllers and specifications that know it. A capability since version 1.1, which a plugin need not have. */
#define PENSTOCK_INSTANTS "penstock.instants/1"

/* How many instants one answer of `between` may have, and one call of `left_out`. */
#define PENSTOCK_MOST_INSTANTS 10000

/* What the host gives `between` for its answer. Called on the thread that `between` was called on, at most once, before it returns. The text belongs to
 * the plugin, and is not used any more when this returns. */
typedef void (*penstock_take)(void *context, penstock_text answer);

/* Behind PENSTOCK_INSTANTS. */
typedef struct penstock_instants {
  uint32_t struct_size; /* sizeof(penstock_instants) */
  uint32_t reserved;    /* 0 */

  /* [instance] What a controller will ask for, or when a specification's value will change: the instants after `after` and not after `until`, both as
   * `now` of penstock.clock/1 gives them, the earliest `limit` of them (1 to PENSTOCK_MOST_INSTANTS). Asked of an instance that was created, and is mostly
   * never started; `input` is what `start` would be given. It has no effect, and depends on nothing but its arguments, the settings and files that these
   * name. Calls `take` with
   *
   *   { "zone": "Europe/Berlin",          whose clocks they go by; may be missing
   *     "instants": [                     in their order, no two alike
   *       { "instant": timestamp,
   *         "local_time": "…",            what those clocks show then, such as "2026-03-29T03:30:00+02:00"; may be missing
   *         "value": true,                a specification's value from then on: true, false or null for unknown; required there
   *         "skipped": true,              nothing happens then: a change of the clocks takes away what would have
   *         "note": "…" } ],              one line for people: which times are skipped, or come twice
   *     "more": true }                    whether there are more than `limit`; the host asks again, after the last one
   *
   * and answers PENSTOCK_OK. PENSTOCK_UNAVAILABLE means that nobody can know them for this offer or these settings. May take up to a second. */
  penstock_status (*between)(
    void *instance, penstock_text input, int64_t after, int64_t until, uint32_t limit, penstock_take take, void *context);
} penstock_instants;

/* -------------------------------------------------------------------------------------------------------------- The host */

/* What the host offers. Every function of every service takes it first. */
typedef struct penstock_host {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  /* [any] The table of a service; NULL where the host does not know it. The same for all instances: one that works in pipelines alone may be there
   * where no pipeline is, as while a file is checked, and answers PENSTOCK_UNAVAILABLE then. Valid until `close` has returned. `id` is terminated. */
  const void *(*service)(const struct penstock_host *host, const char *id);
  void *implementation; /* the host's own */
} penstock_host;

/* How an instance ends. Always there. */
#define PENSTOCK_INSTANCE "penstock.instance/1"
typedef struct penstock_instance_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] The instance ends well. `result` is an operation's result, checked against its type; empty where it has none, and for
   * controllers and specifications. A second end is refused with PENSTOCK_ENDED and reported. A result that is refused as it is no JSON,
   * too large or not of its type ends the instance all the same: badly, and with that reason. So does an error of `fail` that is none, and a
   * `complete` before `start`. */
  penstock_status (*complete)(const penstock_host *host, penstock_id id, penstock_text result);
  /* [any] The instance ends badly. `error` is {"code": "quota-exceeded", "message": "…", "retry_after": 2.5, "detail": …}: the code
   * ([a-z][a-z0-9-]*) is what `retry.on` names, `retry_after` are seconds; code and message are required. */
  penstock_status (*fail)(const penstock_host *host, penstock_id id, penstock_text error);
  /* [any] How far an operation is: {"fraction": 0.25, "message": "…"}, either may be missing; the fraction is from 0 to 1. May be
   * dropped when many come. */
  penstock_status (*progress)(const penstock_host *host, penstock_id id, penstock_text progress);
} penstock_instance_service;

/* How many states and reruns of one controller may wait until their runs begin. One that would be beyond that is refused with PENSTOCK_FULL, for the pipeline
 * cannot keep up: the controller tells it again later, or not at all. For a rerun with an instant the second number holds, since somebody counts on
 * each of those. Where the offer's description says "when_full": "replace", the oldest that waits gives way to the newest instead, unless it has an
 * instant, and the answer is PENSTOCK_OK. */
#define PENSTOCK_MOST_WAITING 1000
#define PENSTOCK_MOST_WAITING_INSTANTS 100000

/* What a controller tells. Same id as its capability, asked of the host. Always there. */
typedef struct penstock_controller_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] A state: for a pipeline, a run that finds it in `run.event`. PENSTOCK_FULL where it is not kept. */
  penstock_status (*yield_state)(const penstock_host *host, penstock_id id, penstock_text state);
  /* [any] Something went wrong, and the controller goes on. As in `fail`. */
  penstock_status (*yield_error)(const penstock_host *host, penstock_id id, penstock_text error);
  /* [any] Run it again. `event` is {"reason": "…", "instant": timestamp, …}, all may be missing; the whole is in `run.event`. Of several
   * with the same instant for one pipeline only the first starts a run, whatever host it reaches. The instant must be a text with a timestamp
   * (RFC 3339), such as "2026-01-31T08:00:00Z": a rerun with anything else in its place is refused. PENSTOCK_FULL where it is not kept. */
  penstock_status (*yield_rerun)(const penstock_host *host, penstock_id id, penstock_text event);
  /* [any] Forget the state that it has. */
  penstock_status (*yield_reset)(const penstock_host *host, penstock_id id);

  /* ---- since version 1.1: ask with PENSTOCK_HAS whether it is there ---- */

  /* [any] Instants for which it will not ask for a run, and why, so that the host can account for them; nothing is run.
   *
   *   { "reason": "host-down", "instants": ["2026-01-31T08:00:00Z", …] }                      each of them, at most PENSTOCK_MOST_INSTANTS
   *   { "reason": "host-down", "first": timestamp, "last": timestamp, "count": 525600 }       a range, where there are too many to name
   *
   * The reason has the form [a-z][a-z0-9-]*: "host-down" where no host ran, or the computer slept, when the instant came; "catch-up-limit" where more were
   * missed than are made up for; "too-late"; or one of its own. Tell them in the order of time, before what it remembers of them and before the reruns that
   * come after them. Told again, an instant changes nothing. Each counts as a rerun with an instant does until the host has dealt with it, a range as
   * one; PENSTOCK_FULL where that is too many. */
  penstock_status (*left_out)(const penstock_host *host, penstock_id id, penstock_text instants);
} penstock_controller_service;

/* What a specification tells. Same id as its capability, asked of the host. Always there. */
typedef struct penstock_specification_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] The value from now on: 1 satisfied, 0 not, -1 unknown, which satisfies nothing. Any other value counts as -1, and is reported. `reason` is one line for people, no JSON:
   * "08:00 to 18:00, Monday to Friday". Before the first call the value is unknown. */
  penstock_status (*changed)(const penstock_host *host, penstock_id id, int32_t value, penstock_text reason);
} penstock_specification_service;

/* An instance's settings and input by their keys, for plugins that read no JSON. NULL in hosts that are older than it. */
#define PENSTOCK_VALUES "penstock.values/1"
/* Where a value is read: PENSTOCK_SETTINGS is what `create` was given, and there from its beginning on; PENSTOCK_INPUT is what `start` was given, and
 * there from its beginning on. */
enum { PENSTOCK_SETTINGS = 0, PENSTOCK_INPUT = 1 };
/* Each function sets `*value` and answers PENSTOCK_OK; it leaves `*value` alone where there is no such value or it is null (PENSTOCK_UNKNOWN), and where
 * it is of another type, `from` is none of the two or `key` is no path (PENSTOCK_INVALID). `key` is terminated: the name of a setting or a
 * member, then `.name` for a member of an object and `[index]` for an element of a list, from 0, such as "place" or "hosts[2].port"; "" is the whole. */
typedef struct penstock_values_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] A string, without quotes and escapes. Its bytes stay valid until `destroy` of the instance has returned, or a `create` that fails has. */
  penstock_status (*text)(const penstock_host *host, penstock_id id, int32_t from, const char *key, penstock_text *value);
  /* [any] Any value as JSON. Valid as long as that of `text`. */
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
  /* [any] How many elements a list has, or members an object. */
  penstock_status (*count)(const penstock_host *host, penstock_id id, int32_t from, const char *key, size_t *value);
} penstock_values_service;

/* A line for the host's log. Always there. A level that the host does not know counts as PENSTOCK_INFO. */
#define PENSTOCK_LOG "penstock.log/1"
enum { PENSTOCK_DEBUG = 0, PENSTOCK_INFO = 1, PENSTOCK_WARNING = 2, PENSTOCK_ERROR = 3 };
typedef struct penstock_log_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] `id` is the instance that it is about, or 0. `message` is plain text, `fields` a JSON object or empty. The lines of an operation go
   * to its log in the history; of those that come faster than they can be written, 4 MiB wait, and the rest is counted there and dropped. */
  penstock_status (*log)(const penstock_host *host, penstock_id id, int32_t level, penstock_text message, penstock_text fields);
} penstock_log_service;

/* The time, which the host may have replaced by one of its own: do not ask the system. Always there. */
#define PENSTOCK_CLOCK "penstock.clock/1"
/* [instance] A timer's time has come (PENSTOCK_OK), or never will (any other status, PENSTOCK_ENDED where it was cancelled or the instance is about to be
 * destroyed). Called exactly once for each timer: `context` may be freed then, and not before, whatever becomes of the timer. Like all functions
 * with this tag it is never called at the same time as another one of the instance, and never from within `timer` or `cancel_timer`. */
typedef void (*penstock_timer_callback)(void *context, penstock_status status);
typedef struct penstock_clock_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Nanoseconds since 1970-01-01T00:00:00Z. */
  int64_t (*now)(const penstock_host *host);
  /* [any] Nanoseconds that never go back, from a moment of its own. */
  int64_t (*monotonic)(const penstock_host *host);
  /* [any] Calls `fire` once when the wall clock has reached `instant` (as `now`), also where it was set forward or the computer slept
   * meanwhile; at the latest when as much time has passed as `instant` was ahead. So a delay (`now` and 5 seconds) never takes longer,
   * however the clock is set. Who waits for an instant asks `now` when the timer fires: where the clock was set back it is still to come.
   * Returns the timer, or 0 when the instance is gone; then `fire` is not called. Before an instance is destroyed its timers end. */
  uint64_t (*timer)(const penstock_host *host, penstock_id id, int64_t instant, penstock_timer_callback fire, void *context);
  /* [any] Ends a timer early: `fire` is called with PENSTOCK_ENDED after this has returned or on another thread meanwhile, unless it was called
   * already or is being called. Nothing where there is no such timer. */
  void (*cancel_timer)(const penstock_host *host, uint64_t timer);
} penstock_clock_service;

/* [instance, or on the caller's own thread before the call returns] An answer. Called exactly once, and never at the same time as
 * an [instance] function of the instance, unless before the call returns. `value` is valid until it returns. Before an instance is destroyed
 * whatever it still waits for is answered with PENSTOCK_ENDED. */
typedef void (*penstock_answer)(void *context, penstock_status status, penstock_text value);

/* The pipeline's secrets, of those that the pipeline file lists for this plugin. There in pipelines. */
#define PENSTOCK_SECRETS "penstock.secrets/1"
typedef struct penstock_secrets_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] The secret's text, not JSON. PENSTOCK_DENIED where the file does not list it, PENSTOCK_UNKNOWN where there is none. It is masked
   * in whatever the instance logs or gives back from then on. */
  void (*get)(const penstock_host *host, penstock_id id, penstock_text name, penstock_answer answer, void *context);
} penstock_secrets_service;

/* What a plugin wants to remember: keys and JSON values of its own, durable, in the workspace. There where a workspace is. */
#define PENSTOCK_WORKSPACE "penstock.workspace/1"
typedef struct penstock_workspace_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] The value of `key`; PENSTOCK_UNKNOWN where there is none. Keys are UTF-8 of at most 1,024 bytes; a value has at most 16 MiB. Each pipeline
   * has its own keys of a plugin. */
  void (*get)(const penstock_host *host, penstock_id id, penstock_text key, penstock_answer answer, void *context);
  /* [any] Sets or, with empty text, removes it. The answer comes when it is durable. */
  void (*set)(const penstock_host *host, penstock_id id, penstock_text key, penstock_text value, penstock_answer answer, void *context);
  /* [any] The keys that begin with `prefix`, byte by byte, in the order of their bytes, as a JSON array of strings of any length. */
  void (*list)(const penstock_host *host, penstock_id id, penstock_text prefix, penstock_answer answer, void *context);
} penstock_workspace_service;

/* ------------------------------------------------------------------------------------------------------------------ Layout */

/* The layout on the platforms that have 64-bit pointers. A compiler that lays it out otherwise stops here. */
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
