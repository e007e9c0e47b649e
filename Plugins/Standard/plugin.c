// One standard plugin of the release build, the one that STANDARD_PLUGIN names: `cc -DSTANDARD_PLUGIN='"cron"' -shared`. Its code is in
// libStandardPlugins.so; what is here is what each loaded file has for itself: the entry, and the plugin behind it.

#include <penstock/plugin.h>
#include <pthread.h>

// Defined in Library/StandardPlugins.swift.
extern const void *penstock_standard_plugin(const char *id);
extern penstock_text penstock_standard_describe(const void *plugin);
extern penstock_status penstock_standard_open(const void *plugin, const penstock_host *host);
extern void penstock_standard_close(const void *plugin);
extern penstock_status penstock_standard_create(
    const void *plugin, int kind, penstock_id id, penstock_text offer, penstock_text settings, void **instance);
extern const void *penstock_standard_functions(penstock_text capability);

static const void *plugin;
static penstock_text description;

#define CREATE(name, kind) \
  static penstock_status name(penstock_id id, penstock_text offer, penstock_text settings, void **instance) { \
    return penstock_standard_create(plugin, kind, id, offer, settings, instance); \
  }
CREATE(create_operation, 0)
CREATE(create_controller, 1)
CREATE(create_specification, 2)

static struct {
  const char *capability;
  penstock_status (*create)(penstock_id, penstock_text, penstock_text, void **);
  penstock_functions functions;
} kinds[] = {{PENSTOCK_OPERATION, create_operation, {0}},
             {PENSTOCK_CONTROLLER, create_controller, {0}},
             {PENSTOCK_SPECIFICATION, create_specification, {0}}};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void) {
  plugin = penstock_standard_plugin(STANDARD_PLUGIN);
  if (plugin == NULL) return;
  description = penstock_standard_describe(plugin);
  for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
    penstock_text capability = {kinds[index].capability, strlen(kinds[index].capability)};
    penstock_table_copy(
        &kinds[index].functions, sizeof kinds->functions, PENSTOCK_FUNCTIONS_SIZE_1_0, penstock_standard_functions(capability));
    kinds[index].functions.struct_size = sizeof kinds->functions;
    kinds[index].functions.create = kinds[index].create;
  }
}

static penstock_text describe(void) {
  pthread_once(&once, prepare);
  return description;
}

// The host calls none of these before `describe`.
static penstock_status open_plugin(const penstock_host *host) {
  return plugin != NULL ? penstock_standard_open(plugin, host) : PENSTOCK_FAILED;
}

static void close_plugin(void) { penstock_standard_close(plugin); }

static const void *capability(penstock_text id) {
  for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
    if (penstock_text_equals(id, kinds[index].capability)) return &kinds[index].functions;
  }
  return penstock_text_equals(id, PENSTOCK_INSTANTS) ? penstock_standard_functions(id) : NULL;
}

PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
    sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, close_plugin, capability};
