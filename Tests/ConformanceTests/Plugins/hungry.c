/* A plugin that allocates 512 MiB in a memory file when it is created, and keeps it. */
#define _GNU_SOURCE
#include <penstock/plugin.h>

#include <sys/mman.h>
#include <unistd.h>

static penstock_text describe(void) {
  return PENSTOCK_TEXT(
      "{\"id\":\"hungry\",\"version\":\"1.0.0\",\"summary\":\"Takes memory\",\"offers\":["
      "{\"kind\":\"operation\",\"id\":\"hungry\",\"summary\":\"Takes it\"}]}");
}

static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
  (void)offer, (void)settings;
  static char block[1 << 20];
  int file = memfd_create("hungry", MFD_CLOEXEC);
  for (int count = 0; count < 512; count++) {
    if (write(file, block, sizeof block) < 0) break;
    usleep(1000);
  }
  sleep(2);
  *instance = (void *)(uintptr_t)id;
  return PENSTOCK_OK;
}

static void start(void *instance, penstock_text input) { (void)instance, (void)input; }
static void stop(void *instance, uint64_t nanoseconds) { (void)instance, (void)nanoseconds; }
static void destroy(void *instance) { (void)instance; }
static const penstock_functions functions = {sizeof(penstock_functions), 0, create, start, stop, destroy};
static const void *capability(penstock_text id) {
  return penstock_text_equals(id, PENSTOCK_OPERATION) ? &functions : NULL;
}
PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
    sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, NULL, NULL, capability};
