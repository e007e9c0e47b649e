/*
 * The plugin `signals`, which reports POSIX events. The controller `signals.on` requests a run when this process receives a signal; the specification
 * `signals.pid-alive` is satisfied while the process named by a pid file lives. Written in C99 from the contract's header alone.
 */
#define _GNU_SOURCE
#include "signals.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const penstock_host *host;
const penstock_instance_service *instances;
const penstock_controller_service *controllers;
const penstock_specification_service *specifications;
const penstock_log_service *logger;

#define RT(n) ",\"RTMIN+" #n "\""

static penstock_text describe(void) {
  return PENSTOCK_TEXT(
    "{\"id\":\"signals\",\"version\":\"1.0.0\",\"summary\":\"POSIX signals and pid files\",\"license\":\"Apache-2.0\",\"offers\":["
    "{\"kind\":\"controller\",\"id\":\"signals.on\",\"summary\":\"Runs the pipeline when the host's process receives a signal\",\"settings\":["
    "{\"name\":\"signal\",\"type\":\"string\",\"required\":true,"
    "\"summary\":\"The signal, without SIG; it then has no other effect in this process\",\"values\":[\"USR1\",\"USR2\",\"HUP\",\"WINCH\""
    RT(0) RT(1) RT(2) RT(3) RT(4) RT(5) RT(6) RT(7) RT(8) RT(9) RT(10) RT(11) RT(12) RT(13) RT(14) RT(15) RT(16) RT(17) RT(18) RT(19) RT(20)
    RT(21) RT(22) RT(23) RT(24) RT(25) RT(26) RT(27) RT(28) RT(29) RT(30)
    "]}]},"
    "{\"kind\":\"specification\",\"id\":\"signals.pid-alive\",\"summary\":\"The process that a pid file names is running\",\"settings\":["
    "{\"name\":\"file\",\"type\":\"string\",\"required\":true,"
    "\"summary\":\"The pid file; a relative path starts from the directory of the pipeline file\"}]}]}");
}

static penstock_status open_plugin(const penstock_host *the_host) {
  host = the_host;
  instances = (const penstock_instance_service *)host->service(host, PENSTOCK_INSTANCE);
  controllers = (const penstock_controller_service *)host->service(host, PENSTOCK_CONTROLLER);
  specifications = (const penstock_specification_service *)host->service(host, PENSTOCK_SPECIFICATION);
  logger = (const penstock_log_service *)host->service(host, PENSTOCK_LOG);
  return instances != NULL && controllers != NULL && specifications != NULL && logger != NULL ? PENSTOCK_OK : PENSTOCK_UNAVAILABLE;
}

/* ------------------------------------------------------------------------------------------------------------------ Texts */

static char *formatted_list(const char *format, va_list list) {
  char *text = NULL;
  return vasprintf(&text, format, list) >= 0 ? text : NULL;
}

char *formatted(const char *format, ...) {
  char *text;
  va_list list;
  va_start(list, format);
  text = formatted_list(format, list);
  va_end(list);
  return text;
}

penstock_text text_of(const char *string) {
  penstock_text text;
  text.bytes = string;
  text.length = string != NULL ? strlen(string) : 0;
  return text;
}

static void tell_failure(penstock_id id, const char *code, const char *setting, char *message) {
  char *quoted = message != NULL ? json_quoted(message) : NULL, *error = NULL;
  if (quoted != NULL && setting == NULL) error = formatted("{\"code\":\"%s\",\"message\":%s}", code, quoted);
  if (quoted != NULL && setting != NULL)
    error = formatted("{\"code\":\"%s\",\"message\":%s,\"detail\":{\"setting\":\"%s\"}}", code, quoted, setting);
  instances->fail(host, id, error != NULL ? text_of(error) : PENSTOCK_TEXT("{\"code\":\"out-of-memory\",\"message\":\"out of memory\"}"));
  free(error);
  free(quoted);
  free(message);
}

void fail(penstock_id id, const char *code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  tell_failure(id, code, NULL, formatted_list(format, list));
  va_end(list);
}

/* Rejects a setting. When checking a pipeline file, a host points at it. */
static void refuse(penstock_id id, const char *setting, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void refuse(penstock_id id, const char *setting, const char *format, ...) {
  va_list list;
  va_start(list, format);
  tell_failure(id, "invalid-setting", setting, formatted_list(format, list));
  va_end(list);
}

/* -------------------------------------------------------------------------------------------------------------- Instances */

void free_instance(struct instance *instance) {
  free(instance->path);
  free(instance->reason);
  free(instance);
}

static struct instance *new_instance(penstock_id id, enum offer offer) {
  struct instance *instance = (struct instance *)calloc(1, sizeof *instance);
  if (instance == NULL) {
    fail(id, "out-of-memory", "out of memory");
    return NULL;
  }
  instance->id = id;
  instance->offer = offer;
  instance->pidfd = -1;
  return instance;
}

static penstock_status create_on(penstock_id id, penstock_text settings, void **made) {
  struct instance *instance;
  char *name = NULL;
  int signal;
  if (json_text(settings, "signal", &name) != 1) {
    refuse(id, "signal", "signals.on needs the name of a signal: signal: USR1");
    return PENSTOCK_INVALID;
  }
  signal = signal_named(name);
  if (signal == 0) {
    refuse(id, "signal",
         "signals.on cannot take over the signal '%s': it takes USR1, USR2, HUP, WINCH, and RTMIN+0 to RTMIN+%d, which have no other meaning for "
         "a host",
         name, SIGRTMAX - SIGRTMIN);
    free(name);
    return PENSTOCK_INVALID;
  }
  free(name);
  instance = new_instance(id, SIGNALS_ON);
  if (instance == NULL) return PENSTOCK_FAILED;
  instance->signal = signal;
  *made = instance;
  return PENSTOCK_OK;
}

static penstock_status create_pid_alive(penstock_id id, penstock_text settings, void **made) {
  struct instance *instance;
  char *path = NULL;
  if (json_text(settings, "file", &path) != 1 || path[0] == 0) {
    free(path);
    refuse(id, "file", "signals.pid-alive needs the path of a pid file: file: /run/app.pid");
    return PENSTOCK_INVALID;
  }
  instance = new_instance(id, PID_ALIVE);
  if (instance == NULL) {
    free(path);
    return PENSTOCK_FAILED;
  }
  instance->path = path;
  *made = instance;
  return PENSTOCK_OK;
}

static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
  if (penstock_text_equals(offer, "signals.on")) return create_on(id, settings, instance);
  if (penstock_text_equals(offer, "signals.pid-alive")) return create_pid_alive(id, settings, instance);
  fail(id, "no-such-offer", "the plugin 'signals' has no offer '%.*s'", (int)(offer.length < 100 ? offer.length : 100), offer.bytes);
  return PENSTOCK_UNKNOWN;
}

/* Makes the path of a pid file absolute: from the pipeline's directory, or from the process's own if the host does not provide that. */
static int make_absolute(struct instance *instance, penstock_text input) {
  char *directory = NULL, *path;
  if (instance->path[0] == '/') return 0;
  if (json_text(input, "directory", &directory) != 1 || directory[0] != '/') {
    free(directory);
    directory = getcwd(NULL, 0);
    if (directory == NULL) return errno;
  }
  path = formatted("%s/%s", directory, instance->path);
  free(directory);
  if (path == NULL) return ENOMEM;
  free(instance->path);
  instance->path = path;
  return 0;
}

static void start(void *context, penstock_text input) {
  struct instance *instance = (struct instance *)context;
  int error = instance->offer == PID_ALIVE ? make_absolute(instance, input) : 0;
  if (error == 0) error = begin_watching(instance);
  if (error != 0) fail(instance->id, "cannot-watch", "the plugin 'signals' cannot start watching: %s", strerror(error));
}

static void stop(void *context, uint64_t nanoseconds) {
  (void)nanoseconds;
  ask_to_end((struct instance *)context);
}

static void destroy(void *context) { retire((struct instance *)context); }

/* -------------------------------------------------------------------------------------------------------------- The entry */

static const penstock_functions functions = {sizeof(penstock_functions), 0, create, start, stop, destroy};

static const void *capability(penstock_text id) {
  return penstock_text_equals(id, PENSTOCK_CONTROLLER) || penstock_text_equals(id, PENSTOCK_SPECIFICATION) ? &functions : NULL;
}

PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
  sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, end_watching, capability};
