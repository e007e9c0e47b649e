import CPluginHeader

extension PluginScaffold {
  var filesInC: [File] {
    [
      File(path: "NAME.c".replacing("NAME", with: name), text: filled(Self.sourceInC)),
      File(
        path: "Makefile",
        text: makefile(
          sources: "NAME.c penstock/plugin.h", variables: "CFLAGS ?= -O2 -g -Wall -Wextra",
          build: "$(CC) $(CFLAGS) -std=c99 -I. -fPIC -fvisibility=hidden -shared $(LDFLAGS) -o $@ NAME.c")),
      pipeline("NAME.so".replacing("NAME", with: name)),
      File(path: "penstock/plugin.h", text: Self.header),
      File(path: ".gitignore", text: "*.so\ndist\n"),
    ]
  }

  /// The contract's header in this version of Penstock.
  static var header: String {
    String(
      decoding: UnsafeRawBufferPointer(start: penstock_plugin_header(), count: penstock_plugin_header_length()),
      as: UTF8.self)
  }

  private static let sourceInC = #"""
    // The plugin NAME: one operation, which returns a greeting.
    //
    // penstock/plugin.h documents the functions here: which threads call them, who frees memory, and in which order they are called.
    #include <penstock/plugin.h>

    #include <stdlib.h>

    static const penstock_host *host;
    static const penstock_instance_service *instances;
    static const penstock_values_service *values;

    // Describes the plugin and its offers. When Penstock loads a pipeline file, it checks each `with:` against the settings and fills
    // in defaults; when an operation ends, it checks the result against `result`.
    static penstock_text describe(void) {
      return PENSTOCK_TEXT(
          "{\"id\":\"NAME\",\"version\":\"0.1.0\",\"summary\":\"Says hello\",\"offers\":["
          "{\"kind\":\"operation\",\"id\":\"NAME.greet\",\"summary\":\"Greets somebody\",\"result\":\"string\",\"settings\":["
          "{\"name\":\"whom\",\"type\":\"string\",\"summary\":\"Who is greeted\",\"default\":\"world\"}]}]}");
    }

    static penstock_status open_plugin(const penstock_host *the_host) {
      host = the_host;
      instances = (const penstock_instance_service *)host->service(host, PENSTOCK_INSTANCE);
      values = (const penstock_values_service *)host->service(host, PENSTOCK_VALUES);
      return instances != NULL && values != NULL ? PENSTOCK_OK : PENSTOCK_UNAVAILABLE;
    }

    // One attempt of the operation.
    struct greeting {
      penstock_id id;
      penstock_text whom; // JSON, such as "world" in quotes
    };

    static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
      (void)offer;    // There is only one.
      (void)settings; // All of them as JSON; `values` returns each by its name.
      struct greeting *greeting = malloc(sizeof *greeting);
      if (greeting == NULL) {
        instances->fail(host, id, PENSTOCK_TEXT("{\"code\":\"out-of-memory\",\"message\":\"out of memory\"}"));
        return PENSTOCK_FAILED;
      }
      greeting->id = id;
      // Text from `values` is valid until `destroy` has returned; other text from the host, only until the function returns.
      if (values->json(host, id, PENSTOCK_SETTINGS, "whom", &greeting->whom) != PENSTOCK_OK) greeting->whom = PENSTOCK_TEXT("\"world\"");
      *instance = greeting;
      return PENSTOCK_OK;
    }

    // Must return at once: do longer work on a thread of the plugin, which calls `complete` or `fail` when it is done.
    static void start(void *instance, penstock_text input) {
      struct greeting *greeting = instance;
      (void)input; // {"requirement": the injected value, "attempt": 1, …}
      instances->complete(host, greeting->id, greeting->whom);
    }

    // There is nothing to stop: the greeting has ended when `start` returns.
    static void stop(void *instance, uint64_t nanoseconds) {
      (void)instance;
      (void)nanoseconds;
    }

    static void destroy(void *instance) { free(instance); }

    static const penstock_functions operations = {sizeof(penstock_functions), 0, create, start, stop, destroy};

    static const void *capability(penstock_text id) {
      return penstock_text_equals(id, PENSTOCK_OPERATION) ? &operations : NULL;
    }

    PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
        sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, NULL, capability};

    """#
}
