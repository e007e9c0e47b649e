/*
 * A host for the tests of versions, compiled with the header of a later version: it runs one instance of a plugin as a host of that version
 * would, and prints the plugin's events and the extent of the plugin's tables.
 *
 *   host PLUGIN KIND OFFER SETTINGS
 */
#include <penstock/plugin.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int has_told, has_ended;

static penstock_status tell(const char *what, penstock_text text, int ends) {
  pthread_mutex_lock(&lock);
  if (!has_told || ends < 0) printf("%s %.*s\n", what, (int)text.length, text.length > 0 ? text.bytes : "");
  has_told = 1;
  if (ends > 0) has_ended = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return PENSTOCK_OK;
}

static void await(int *what) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 20;
  pthread_mutex_lock(&lock);
  while (!*what && pthread_cond_timedwait(&changed, &lock, &until) == 0) continue;
  if (!*what) printf("nothing came\n");
  pthread_mutex_unlock(&lock);
}

static int32_t mark(const penstock_host *host) {
  (void)host;
  return 1;
}
static penstock_status complete(const penstock_host *host, penstock_id id, penstock_text text) { (void)host, (void)id; return tell("completed", text, 1); }
static penstock_status fail(const penstock_host *host, penstock_id id, penstock_text text) { (void)host, (void)id; return tell("failed", text, 1); }
static penstock_status progress(const penstock_host *host, penstock_id id, penstock_text text) { (void)host, (void)id, (void)text; return PENSTOCK_OK; }
static penstock_status yield(const penstock_host *host, penstock_id id, penstock_text text) { (void)host, (void)id; return tell("yielded", text, 0); }
static penstock_status reset(const penstock_host *host, penstock_id id) { (void)host, (void)id; return PENSTOCK_OK; }
static penstock_status leave_out(const penstock_host *host, penstock_id id, penstock_text text) { (void)host, (void)id, (void)text; return PENSTOCK_OK; }
static penstock_status change(const penstock_host *host, penstock_id id, int32_t value, penstock_text reason) {
  (void)host, (void)id, (void)reason;
  return tell(value < 0 ? "changed to unknown" : value ? "changed to satisfied" : "changed to not satisfied", PENSTOCK_TEXT(""), 0);
}
static penstock_status write_line(const penstock_host *host, penstock_id id, int32_t level, penstock_text message, penstock_text fields) {
  (void)host, (void)id, (void)level, (void)fields;
  fprintf(stderr, "%.*s\n", (int)message.length, message.bytes);
  return PENSTOCK_OK;
}
static int64_t now(const penstock_host *host) {
  struct timespec time;
  (void)host;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}
/* No timer fires before the end of these instances; they are kept so that they can be cancelled then. */
static penstock_timer_callback waiting[16];
static void *contexts[16];
static uint64_t count;
static uint64_t timer(const penstock_host *host, penstock_id id, int64_t instant, penstock_timer_callback fire, void *context) {
  (void)host, (void)id, (void)instant;
  if (count == 16) return 0;
  waiting[count] = fire;
  contexts[count++] = context;
  return count;
}
static void cancel_timer(const penstock_host *host, uint64_t number) {
  (void)host;
  penstock_timer_callback fire = number > 0 && number <= count ? waiting[number - 1] : NULL;
  if (fire == NULL) return;
  waiting[number - 1] = NULL;
  fire(contexts[number - 1], PENSTOCK_ENDED);
}

static const penstock_instance_service instances = {sizeof instances, 0, complete, fail, progress, mark};
static const penstock_controller_service controllers = {sizeof controllers, 0, yield, yield, yield, reset, leave_out, mark};
static const penstock_specification_service specifications = {sizeof specifications, 0, change, mark};
static const penstock_log_service logs = {sizeof logs, 0, write_line, mark};
static const penstock_clock_service clocks = {sizeof clocks, 0, now, now, timer, cancel_timer, mark};

static const void *service(const penstock_host *host, const char *id) {
  (void)host;
  if (strcmp(id, PENSTOCK_INSTANCE) == 0) return &instances;
  if (strcmp(id, PENSTOCK_CONTROLLER) == 0) return &controllers;
  if (strcmp(id, PENSTOCK_SPECIFICATION) == 0) return &specifications;
  if (strcmp(id, PENSTOCK_LOG) == 0) return &logs;
  return strcmp(id, PENSTOCK_CLOCK) == 0 ? &clocks : NULL;
}

static penstock_text text(const char *string) { return (penstock_text){string, strlen(string)}; }

int main(int argument_count, char **arguments) {
  static penstock_host host = {sizeof host, PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, service, NULL, "the later host"};
  penstock_plugin_entry entry;
  penstock_functions functions;
  char capability[100];
  void *instance = NULL;
  if (argument_count != 5) return 2;
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
  if (!penstock_table_copy(&entry, sizeof entry, PENSTOCK_PLUGIN_ENTRY_SIZE_1_0, dlsym(library, "penstock_plugin"))) return 3;
  entry.describe();
  if (entry.open != NULL && entry.open(&host) != PENSTOCK_OK) return 4;
  snprintf(capability, sizeof capability, "penstock.%s/1", arguments[2]);
  if (!penstock_table_copy(&functions, sizeof functions, PENSTOCK_FUNCTIONS_SIZE_1_0, entry.capability(text(capability)))) return 5;
  printf("entry %s, functions %s\n", entry.memory_is_low != NULL ? "longer" : "of 1.0", functions.mark != NULL ? "longer" : "of 1.0");
  if (functions.create(1, text(arguments[3]), text(arguments[4]), &instance) != PENSTOCK_OK) return 6;
  functions.start(instance, text("{}"));
  await(&has_told);
  functions.stop(instance, 1000000000);
  await(&has_ended);
  for (uint64_t number = 1; number <= count; number++) cancel_timer(&host, number);
  functions.destroy(instance);
  if (entry.close != NULL) entry.close();
  printf("closed\n");
  fflush(stdout);
  _Exit(0);
}
