/// The plugins in C that are measured.
enum PluginSources {
  private static let head = #"""
    #define _GNU_SOURCE
    #include <penstock/plugin.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <time.h>
    static const penstock_host *host;
    static const penstock_instance_service *instances;
    static const penstock_controller_service *controllers;
    static const penstock_specification_service *specifications;
    static const penstock_clock_service *clocks;
    static penstock_status open_plugin(const penstock_host *the_host) {
      host = the_host;
      instances = host->service(host, PENSTOCK_INSTANCE);
      controllers = host->service(host, PENSTOCK_CONTROLLER);
      specifications = host->service(host, PENSTOCK_SPECIFICATION);
      clocks = host->service(host, PENSTOCK_CLOCK);
      return PENSTOCK_OK;
    }
    static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
      penstock_id *memory = malloc(sizeof *memory);
      *memory = id;
      *instance = memory;
      return PENSTOCK_OK;
    }
    static void stop(void *instance, uint64_t nanoseconds) {
      instances->complete(host, *(penstock_id *)instance, (penstock_text){NULL, 0});
    }
    static void destroy(void *instance) { free(instance); }
    static int64_t now(void) {
      struct timespec time;
      clock_gettime(CLOCK_MONOTONIC, &time);
      return time.tv_sec * 1000000000ll + time.tv_nsec;
    }
    """#

  private static func plugin(_ id: String, _ kind: String, _ body: String) -> String {
    head + body + #"""

      static penstock_text describe(void) {
        return PENSTOCK_TEXT("{\"id\":\"\#(id)\",\"version\":\"1.0.0\",\"summary\":\"Is measured\",\"offers\":"
          "[{\"kind\":\"\#(kind)\",\"id\":\"\#(id)\",\"summary\":\"Is measured\"}]}");
      }
      static const penstock_functions functions = {sizeof(penstock_functions), 0, create, start, stop, destroy};
      static const void *capability(penstock_text id) { return &functions; }
      PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
        sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0},
        describe, open_plugin, NULL, capability};
      """#
  }

  /// An operation that gives back its input, and `direct_rounds`, which calls the same functions without a host.
  static let echo = plugin(
    "echo", "operation",
    #"""
    static void start(void *instance, penstock_text input) {
      instances->complete(host, *(penstock_id *)instance, input);
    }
    static volatile size_t seen;
    static penstock_status take(const penstock_host *host, penstock_id id, penstock_text text) {
      seen += text.length;
      return PENSTOCK_OK;
    }
    static const penstock_instance_service direct = {sizeof direct, 0, take, take, take};
    PENSTOCK_EXPORT double direct_rounds(int count) {
      const penstock_instance_service *former = instances;
      instances = &direct;
      int64_t begin = now();
      for (int i = 0; i < count; i++) {
        void *instance = NULL;
        create(i, PENSTOCK_TEXT("echo"), PENSTOCK_TEXT("{}"), &instance);
        start(instance, PENSTOCK_TEXT("{\"requirement\":[1,2,3],\"attempt\":1}"));
        destroy(instance);
      }
      double time = (double)(now() - begin) / count;
      instances = former;
      return time;
    }
    """#)

  /// A controller that asks for a run every millisecond, with the time of its asking.
  static let ticker = plugin(
    "ticker", "controller",
    #"""
    static void fire(void *context, penstock_status status) {
      if (status != PENSTOCK_OK) return;
      penstock_id id = *(penstock_id *)context;
      clocks->timer(host, id, clocks->now(host) + 1000000, fire, context);
      char text[64];
      int length = snprintf(text, sizeof text, "{\"at\":%lld}", (long long)now());
      controllers->yield_rerun(host, id, (penstock_text){text, length});
    }
    static void start(void *instance, penstock_text input) {
      clocks->timer(host, *(penstock_id *)instance, clocks->now(host) + 1000000, fire, instance);
    }
    """#)

  /// A specification that is satisfied for good.
  static let steady = plugin(
    "steady", "specification",
    #"""
    static void never(void *context, penstock_status status) {}
    static void start(void *instance, penstock_text input) {
      penstock_id id = *(penstock_id *)instance;
      specifications->changed(host, id, 1, PENSTOCK_TEXT("always"));
      clocks->timer(host, id, clocks->now(host) + 86400000000000ll, never, NULL);
    }
    """#)
}
