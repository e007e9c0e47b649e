/* A plugin for the conformance cases: each offer does one thing that a case tests. */
#include <penstock/plugin.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const penstock_host *host;
static const penstock_instance_service *instances;
static const penstock_controller_service *controllers;
static const penstock_specification_service *specifications;
static const penstock_log_service *logs;

typedef struct instance {
  penstock_id id;
  char offer[64];
  char settings[512];
} instance;

static penstock_text describe(void) {
  return PENSTOCK_TEXT(
      "{\"id\":\"sample\",\"version\":\"1.0.0\",\"summary\":\"For the conformance cases\",\"offers\":["
      "{\"kind\":\"operation\",\"id\":\"sample.echo\",\"summary\":\"Gives back what it gets\",\"requirement\":\"json\","
      "\"settings\":[{\"name\":\"mode\",\"type\":\"string\",\"summary\":\"How\",\"default\":\"all\",\"values\":[\"all\",\"none\"]},"
      "{\"name\":\"times\",\"type\":\"int\",\"summary\":\"How often\"}]},"
      "{\"kind\":\"operation\",\"id\":\"sample.flaky\",\"summary\":\"Fails twice\",\"result\":\"int\"},"
      "{\"kind\":\"operation\",\"id\":\"sample.crash\",\"summary\":\"Crashes\",\"result\":\"none\"},"
      "{\"kind\":\"operation\",\"id\":\"sample.secret\",\"summary\":\"Asks for a secret\",\"result\":\"string\","
      "\"settings\":[{\"name\":\"secret\",\"type\":\"string\",\"summary\":\"Its name\",\"required\":true}]},"
      "{\"kind\":\"controller\",\"id\":\"sample.twice\",\"summary\":\"Asks for two runs at one instant\"},"
      "{\"kind\":\"specification\",\"id\":\"sample.open\",\"summary\":\"Is true\"},"
      "{\"kind\":\"specification\",\"id\":\"sample.closed\",\"summary\":\"Is false\"}]}");
}

static penstock_status open_plugin(const penstock_host *the_host) {
  host = the_host;
  instances = (const penstock_instance_service *)host->service(host, PENSTOCK_INSTANCE);
  controllers = (const penstock_controller_service *)host->service(host, PENSTOCK_CONTROLLER);
  specifications = (const penstock_specification_service *)host->service(host, PENSTOCK_SPECIFICATION);
  logs = (const penstock_log_service *)host->service(host, PENSTOCK_LOG);
  return PENSTOCK_OK;
}

static void copy(char *place, size_t size, penstock_text text) {
  size_t length = text.length < size - 1 ? text.length : size - 1;
  memcpy(place, text.bytes, length);
  place[length] = 0;
}

static penstock_text text(const char *terminated) { return (penstock_text){terminated, strlen(terminated)}; }

static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **made) {
  instance *me = calloc(1, sizeof *me);
  if (me == NULL) return PENSTOCK_FAILED;
  me->id = id;
  copy(me->offer, sizeof me->offer, offer);
  copy(me->settings, sizeof me->settings, settings);
  *made = me;
  return PENSTOCK_OK;
}

/* Returns the number after "attempt": in the input of an operation. */
static int attempt(penstock_text input) {
  static const char key[] = "\"attempt\":";
  for (size_t at = 0; at + sizeof key < input.length; at++) {
    if (memcmp(input.bytes + at, key, sizeof key - 1) == 0) return atoi(input.bytes + at + sizeof key - 1);
  }
  return 0;
}

/* Completes with the value after "requirement":, which comes first, and with the settings. */
static void echo(instance *me, penstock_text input) {
  static const char key[] = "{\"requirement\":";
  static const char end[] = ",\"attempt\":";
  size_t from = sizeof key - 1, to = input.length;
  if (input.length < from || memcmp(input.bytes, key, from) != 0) {
    instances->complete(host, me->id, text("null"));
    return;
  }
  while (to > from && memcmp(input.bytes + to - 1, end, 1) != 0) to--;
  for (size_t at = from; at + sizeof end < input.length; at++) {
    if (memcmp(input.bytes + at, end, sizeof end - 1) == 0) to = at;
  }
  char *result = malloc(input.length + sizeof me->settings + 64);
  if (result == NULL) return;
  int length = sprintf(result, "{\"got\":%.*s,\"with\":%s}", (int)(to - from), input.bytes + from, me->settings);
  logs->log(host, me->id, PENSTOCK_WARNING, text("echoes"), text("{\"bytes\":5}"));
  instances->complete(host, me->id, (penstock_text){result, (size_t)length});
  free(result);
}

static void told(void *context, penstock_status status, penstock_text value) {
  instance *me = context;
  char json[256];
  if (status == PENSTOCK_OK) {
    int length = snprintf(json, sizeof json, "\"it is %.*s\"", (int)value.length, value.bytes);
    instances->complete(host, me->id, (penstock_text){json, (size_t)length});
    return;
  }
  int length = snprintf(json, sizeof json, "{\"code\":\"no-secret\",\"message\":\"%s\"}",
                        status == PENSTOCK_DENIED ? "denied" : "unknown");
  instances->fail(host, me->id, (penstock_text){json, (size_t)length});
}

static void secret(instance *me) {
  const penstock_secrets_service *secrets =
      (const penstock_secrets_service *)host->service(host, PENSTOCK_SECRETS);
  static const char key[] = "\"secret\":\"";
  char *name = strstr(me->settings, key);
  char *end = name == NULL ? NULL : strchr(name + sizeof key - 1, '"');
  if (secrets == NULL || end == NULL) return;
  name += sizeof key - 1;
  secrets->get(host, me->id, (penstock_text){name, (size_t)(end - name)}, told, me);
}

static void start(void *made, penstock_text input) {
  instance *me = made;
  if (strcmp(me->offer, "sample.echo") == 0) echo(me, input);
  if (strcmp(me->offer, "sample.secret") == 0) secret(me);
  if (strcmp(me->offer, "sample.crash") == 0) {
    *(volatile int *)8 = 1;
  }
  if (strcmp(me->offer, "sample.flaky") == 0) {
    int number = attempt(input);
    if (number > 2) {
      instances->complete(host, me->id, text("3"));
    } else {
      instances->fail(host, me->id, text("{\"code\":\"busy\",\"message\":\"come back later\",\"retry_after\":90}"));
    }
  }
  if (strcmp(me->offer, "sample.twice") == 0) {
    for (int time = 0; time < 2; time++) {
      controllers->yield_rerun(
          host, me->id, text("{\"reason\":\"it is time\",\"instant\":\"2026-01-31T08:00:00Z\",\"file\":\"a.txt\"}"));
    }
  }
  if (strcmp(me->offer, "sample.open") == 0) specifications->changed(host, me->id, 1, text("the door is open"));
  if (strcmp(me->offer, "sample.closed") == 0) specifications->changed(host, me->id, 0, text("the door is closed"));
}

static void stop(void *made, uint64_t nanoseconds) {
  instance *me = made;
  (void)nanoseconds;
  instances->complete(host, me->id, (penstock_text){NULL, 0});
}

static void destroy(void *made) { free(made); }

static const penstock_functions functions = {sizeof(penstock_functions), 0, create, start, stop, destroy};

static const void *capability(penstock_text id) {
  (void)id;
  return &functions;
}

PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
    sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, NULL, capability};
