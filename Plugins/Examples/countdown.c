/*
 * A plugin in C: the operation `countdown` counts down from a number, one step at a time, and reports its progress.
 *
 *   cc -std=c99 -shared -fPIC -I Sources/PluginABI/include -o countdown.so Plugins/Examples/countdown.c
 *   penstock plugins check countdown.so
 *
 * It needs no thread: the host's clock calls it back.
 */
#include <penstock/plugin.h>
#include <stdio.h>
#include <stdlib.h>

static const penstock_host *host;
static const penstock_instance_service *instances;
static const penstock_clock_service *clocks;
static const penstock_values_service *values;

static penstock_text describe(void) {
  return PENSTOCK_TEXT(
    "{\"id\":\"countdown\",\"version\":\"1.0.0\",\"summary\":\"Counts down\",\"offers\":["
    "{\"kind\":\"operation\",\"id\":\"countdown\",\"summary\":\"Counts down, and returns the number of steps\",\"result\":\"int\","
    "\"settings\":[{\"name\":\"from\",\"type\":\"int\",\"default\":3,\"summary\":\"The number to start from, from 1 to 1000000\"}]}]}");
}

static penstock_status open_plugin(const penstock_host *the_host) {
  host = the_host;
  instances = (const penstock_instance_service *)host->service(host, PENSTOCK_INSTANCE);
  clocks = (const penstock_clock_service *)host->service(host, PENSTOCK_CLOCK);
  values = (const penstock_values_service *)host->service(host, PENSTOCK_VALUES);
  return instances != NULL && clocks != NULL && values != NULL ? PENSTOCK_OK : PENSTOCK_UNAVAILABLE;
}

/* The host never calls two functions of an instance at the same time, including timers, so no lock is needed. */
struct countdown {
  penstock_id id;
  int64_t from, left;
  int has_ended;
};

static void refuse(penstock_id id) {
  instances->fail(host, id,
                  PENSTOCK_TEXT("{\"code\":\"invalid-setting\",\"message\":\"'from' must be a number from 1 to 1000000\"}"));
}

static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
  struct countdown *countdown;
  int64_t from;
  (void)offer;
  (void)settings;
  if (values->integer(host, id, PENSTOCK_SETTINGS, "from", &from) != PENSTOCK_OK || from < 1 || from > 1000000) {
    refuse(id);
    return PENSTOCK_INVALID;
  }
  countdown = (struct countdown *)calloc(1, sizeof *countdown);
  if (countdown == NULL) {
    instances->fail(host, id, PENSTOCK_TEXT("{\"code\":\"out-of-memory\",\"message\":\"out of memory\"}"));
    return PENSTOCK_FAILED;
  }
  countdown->id = id;
  countdown->from = countdown->left = from;
  *instance = countdown;
  return PENSTOCK_OK;
}

static void step(void *context, penstock_status status) {
  struct countdown *countdown = (struct countdown *)context;
  char text[64];
  penstock_text told;
  /* The timer ends with the instance. */
  if (status != PENSTOCK_OK || countdown->has_ended) return;
  countdown->left--;
  told.bytes = text;
  if (countdown->left > 0) {
    told.length = (size_t)snprintf(text, sizeof text, "{\"fraction\":%.3f}", (double)(countdown->from - countdown->left) / (double)countdown->from);
    instances->progress(host, countdown->id, told);
    clocks->timer(host, countdown->id, clocks->now(host) + 1000000, step, countdown);
  } else {
    countdown->has_ended = 1;
    told.length = (size_t)snprintf(text, sizeof text, "%ld", (long)countdown->from);
    instances->complete(host, countdown->id, told);
  }
}

static void start(void *instance, penstock_text input) {
  struct countdown *countdown = (struct countdown *)instance;
  (void)input;
  clocks->timer(host, countdown->id, clocks->now(host) + 1000000, step, countdown);
}

static void stop(void *instance, uint64_t nanoseconds) {
  struct countdown *countdown = (struct countdown *)instance;
  (void)nanoseconds;
  if (countdown->has_ended) return;
  countdown->has_ended = 1;
  instances->fail(host, countdown->id, PENSTOCK_TEXT("{\"code\":\"cancelled\",\"message\":\"it was stopped while counting\"}"));
}

static void destroy(void *instance) { free(instance); }

static const penstock_functions operations = {sizeof(penstock_functions), 0, create, start, stop, destroy};

static const void *capability(penstock_text id) { return penstock_text_equals(id, PENSTOCK_OPERATION) ? &operations : NULL; }

PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
  sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, NULL, capability};
