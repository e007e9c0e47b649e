/*
 * A plugin for the tests of versions: the result of the operation `seen` is the version of the header with which it was compiled, the version of its host,
 * and the members of a later version that it finds in its host. It is compiled with each version of the header.
 */
#include <penstock/plugin.h>
#include <stdio.h>
#include <stdlib.h>

static const penstock_host *host;
static const penstock_instance_service *instances;
static const penstock_clock_service *clocks;

static penstock_text describe(void) {
  return PENSTOCK_TEXT("{\"id\":\"seen\",\"version\":\"1.0.0\",\"summary\":\"Says what it sees\",\"offers\":["
                       "{\"kind\":\"operation\",\"id\":\"seen\",\"summary\":\"Says what it sees\"}]}");
}

static penstock_status open_plugin(const penstock_host *the_host) {
  host = the_host;
  instances = host->service(host, PENSTOCK_INSTANCE);
  clocks = host->service(host, PENSTOCK_CLOCK);
  return instances != NULL && clocks != NULL ? PENSTOCK_OK : PENSTOCK_UNAVAILABLE;
}

/* Returns the result of the later header's members, if both the header and the host have them. */
static int later(void) {
#if PENSTOCK_ABI_MINOR > 1
  if (PENSTOCK_HAS(host, name) && PENSTOCK_HAS(instances, mark) && PENSTOCK_HAS(clocks, mark))
    return strcmp(host->name, "the later host") == 0 ? instances->mark(host) + clocks->mark(host) : -1;
#endif
  return 0;
}

static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
  (void)offer;
  (void)settings;
  penstock_id *memory = malloc(sizeof *memory);
  if (memory == NULL) return PENSTOCK_FAILED;
  *memory = id;
  *instance = memory;
  return PENSTOCK_OK;
}

static void start(void *instance, penstock_text input) {
  (void)input;
  char text[100];
  int length = snprintf(text, sizeof text, "{\"compiled\":%d,\"host\":%d,\"later\":%d}", PENSTOCK_ABI_MINOR, host->abi_minor, later());
  instances->complete(host, *(penstock_id *)instance, (penstock_text){text, (size_t)length});
}

static void stop(void *instance, uint64_t nanoseconds) {
  (void)instance;
  (void)nanoseconds;
}

static void destroy(void *instance) { free(instance); }

#if PENSTOCK_ABI_MINOR > 1
static int32_t mark(void *instance) { return instance != NULL; }
static void memory_is_low(void) {}
static const penstock_functions operations = {sizeof(penstock_functions), 0, create, start, stop, destroy, mark};
#else
static const penstock_functions operations = {sizeof(penstock_functions), 0, create, start, stop, destroy};
#endif

static const void *capability(penstock_text id) { return penstock_text_equals(id, PENSTOCK_OPERATION) ? &operations : NULL; }

PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
    sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, NULL, capability,
#if PENSTOCK_ABI_MINOR > 1
    memory_is_low,
#endif
};
