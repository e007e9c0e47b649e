#include "CPluginKit.h"

#include <pthread.h>

static penstock_kit_functions kit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Swift's `@main`. In a plugin, only this file calls it: it registers the plugin and returns. Never called if the kit is linked into a
// test, where it would be the `main` of the test: tests use the kit's functions directly.
extern int main(int argument_count, char **arguments);

void penstock_kit_register(const penstock_kit_functions *functions) { kit = *functions; }

static void run_main(void) { main(0, NULL); }

static penstock_text describe(void) {
  pthread_once(&once, run_main);
  return kit.describe != NULL ? kit.describe() : PENSTOCK_TEXT("");
}

// The host calls none of these before `describe`.
static penstock_status open_plugin(const penstock_host *host) {
  return kit.open != NULL ? kit.open(host) : PENSTOCK_FAILED;
}

static void close_plugin(void) {
  if (kit.close != NULL) kit.close();
}

static const void *capability(penstock_text id) { return kit.capability != NULL ? kit.capability(id) : NULL; }

PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
    sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, close_plugin, capability};
