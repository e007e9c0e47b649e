/*
 * The least that an operation of a plugin can do: it completes at once, always with the same.
 * What is measured around it is the host's part: settings, instances, results, records.
 */
#include <penstock/plugin.h>

static const penstock_host *host;
static const penstock_instance_service *instances;

static penstock_status open_plugin(const penstock_host *the_host) {
  host = the_host;
  instances = (const penstock_instance_service *)host->service(host, PENSTOCK_INSTANCE);
  return instances != NULL ? PENSTOCK_OK : PENSTOCK_UNAVAILABLE;
}

/* The instance is its id: nothing is allocated. */
static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
  (void)offer;
  (void)settings;
  *instance = (void *)(uintptr_t)id;
  return PENSTOCK_OK;
}

static void start(void *instance, penstock_text input) {
  (void)input;
  instances->complete(host, (penstock_id)(uintptr_t)instance, PENSTOCK_TEXT("\"done\""));
}

static void stop(void *instance, uint64_t nanoseconds) {
  (void)instance;
  (void)nanoseconds;
}

static void destroy(void *instance) { (void)instance; }

static const penstock_functions functions = {sizeof(penstock_functions), 0, create, start, stop, destroy};

static const void *capability(penstock_text id) {
  return penstock_text_equals(id, PENSTOCK_OPERATION) ? &functions : NULL;
}

static penstock_text describe(void) {
  return PENSTOCK_TEXT(
      "{\"id\":\"echo\",\"version\":\"1.0.0\",\"summary\":\"Is measured\",\"offers\":["
      "{\"kind\":\"operation\",\"id\":\"echo\",\"summary\":\"Completes at once\",\"result\":\"string\"}]}");
}

PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
    sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, NULL, capability};
