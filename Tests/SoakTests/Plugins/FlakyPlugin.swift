import Foundation
import Subprocess

/// A plugin in C that squares numbers and crashes from time to time: by a fault, by `abort` or by `exit`.
///
/// It notes what it does in a file beforehand: `begin OPERATION ATTEMPT PID`, `fall OPERATION ATTEMPT PID HOW`. Whether an attempt crashes depends
/// only on the seed, the operation and the attempt.
enum FlakyPlugin {
  /// How many of 1,000 attempts crash until the limit is reached: at one half, fifty operations reach nine crashes in all but one of many million cases.
  static let odds = 500

  /// Compiles it to `flaky.so` in `scratch`, and returns its path.
  static func compile(in scratch: Scratch) async throws -> String {
    var header = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { header.deleteLastPathComponent() }
    let file = try scratch.write(source, to: "flaky.c")
    let outcome = try await Subprocess.run(
      .name("cc"),
      arguments: [
        "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-I",
        header.appendingPathComponent("Sources/PluginABI/include").path, "-o", scratch("flaky.so"), file,
      ], input: .none, output: .string(limit: 1 << 16), error: .combinedWithOutput)
    guard outcome.terminationStatus.isSuccess, chmod(scratch("flaky.so"), 0o755) == 0 else {
      throw CompilationError(text: outcome.standardOutput)
    }
    return scratch("flaky.so")
  }

  struct CompilationError: Error { let text: String }

  private static let source = #"""
    #include <fcntl.h>
    #include <penstock/plugin.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>

    static const penstock_host *host;
    static const penstock_instance_service *instances;
    static const penstock_clock_service *clocks;

    struct instance {
      penstock_id id;
      char notes[1024], operation[64];
      uint64_t seed;
      long limit, odds, attempt, number;
    };

    static const char *member(const char *json, const char *name) {
      const char *found = strstr(json, name);
      return found != NULL ? found + strlen(name) : "";
    }

    static void text(const char *json, const char *name, char *into, size_t size) {
      const char *found = member(json, name);
      size_t length = strcspn(found, "\"");
      if (length >= size) length = size - 1;
      memcpy(into, found, length);
      into[length] = 0;
    }

    static void copy(penstock_text from, char *into, size_t size) {
      size_t length = from.length < size ? from.length : size - 1;
      memcpy(into, from.bytes, length);
      into[length] = 0;
    }

    static uint64_t mixed(uint64_t x) {
      x += 0x9e3779b97f4a7c15u;
      x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
      x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
      return x ^ (x >> 31);
    }

    static uint64_t chance(const struct instance *me) {
      uint64_t x = mixed(me->seed + (uint64_t)me->attempt);
      for (const char *c = me->operation; *c != 0; c++) x = mixed(x ^ (uint64_t)*c);
      return x;
    }

    static void note(const struct instance *me, const char *what, const char *how) {
      char line[256];
      int length = snprintf(line, sizeof line, "%s %s %ld %d%s\n", what, me->operation, me->attempt, getpid(), how);
      int file = open(me->notes, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
      if (file < 0 || write(file, line, (size_t)length) != length) _exit(99);
      close(file);
    }

    /* How many of its processes have fallen so far. */
    static long falls(const struct instance *me) {
      long count = 0;
      char line[256];
      FILE *file = fopen(me->notes, "re");
      if (file == NULL) return 0;
      while (fgets(line, sizeof line, file) != NULL) count += strncmp(line, "fall ", 5) == 0;
      fclose(file);
      return count;
    }

    static void fire(void *context, penstock_status status) {
      struct instance *me = context;
      char result[64];
      uint64_t x = chance(me);
      if (status != PENSTOCK_OK) return;
      long former = falls(me);
      if ((long)(x % 1000) < me->odds && former < me->limit) {
        /* One way after the other, so that each has its turn. */
        switch ((me->seed + (uint64_t)former) % 3) {
          case 0: note(me, "fall", " SIGSEGV"); *(volatile int *)8 = 1; break;
          case 1: note(me, "fall", " SIGABRT"); abort();
          default: note(me, "fall", " exit"); exit(7);
        }
      }
      int length = snprintf(result, sizeof result, "%ld", me->number * me->number % 10007);
      instances->complete(host, me->id, (penstock_text){result, (size_t)length});
    }

    static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
      struct instance *me = calloc(1, sizeof *me);
      char json[2048];
      (void)offer;
      if (me == NULL) return PENSTOCK_FAILED;
      copy(settings, json, sizeof json);
      me->id = id;
      text(json, "\"notes\":\"", me->notes, sizeof me->notes);
      me->seed = strtoull(member(json, "\"seed\":"), NULL, 10);
      me->limit = strtol(member(json, "\"limit\":"), NULL, 10);
      me->odds = strtol(member(json, "\"odds\":"), NULL, 10);
      *instance = me;
      return PENSTOCK_OK;
    }

    static void start(void *instance, penstock_text input) {
      struct instance *me = instance;
      char json[4096];
      copy(input, json, sizeof json);
      me->attempt = strtol(member(json, "\"attempt\":"), NULL, 10);
      me->number = strtol(member(json, "\"requirement\":"), NULL, 10);
      text(json, "\"operation\":\"", me->operation, sizeof me->operation);
      note(me, "begin", "");
      /* A while, so that several are at work when one falls. */
      clocks->timer(host, me->id, clocks->now(host) + (int64_t)(chance(me) / 7 % 10000000), fire, me);
    }

    static void stop(void *instance, uint64_t nanoseconds) {
      struct instance *me = instance;
      (void)nanoseconds;
      instances->fail(host, me->id, PENSTOCK_TEXT("{\"code\":\"cancelled\",\"message\":\"asked to end\"}"));
    }

    static void destroy(void *instance) { free(instance); }

    static const penstock_functions functions = { sizeof(penstock_functions), 0, create, start, stop, destroy };
    static const void *capability(penstock_text id) {
      return penstock_text_equals(id, PENSTOCK_OPERATION) ? &functions : NULL;
    }
    static penstock_text describe(void) {
      return PENSTOCK_TEXT(
        "{\"id\":\"flaky\",\"version\":\"1.0.0\",\"summary\":\"Falls\",\"offers\":[{\"kind\":\"operation\",\"id\":\"flaky\","
        "\"summary\":\"Squares a number, or falls\",\"requirement\":\"int\",\"result\":\"int\",\"settings\":["
        "{\"name\":\"notes\",\"type\":\"string\",\"summary\":\"Where it notes what it does\",\"required\":true},"
        "{\"name\":\"seed\",\"type\":\"int\",\"summary\":\"What decides\",\"required\":true},"
        "{\"name\":\"odds\",\"type\":\"int\",\"summary\":\"How many of 1,000 attempts fall\",\"required\":true},"
        "{\"name\":\"limit\",\"type\":\"int\",\"summary\":\"How often it falls at most\",\"required\":true}]}]}");
    }
    static penstock_status open_plugin(const penstock_host *the_host) {
      host = the_host;
      instances = (const penstock_instance_service *)host->service(host, PENSTOCK_INSTANCE);
      clocks = (const penstock_clock_service *)host->service(host, PENSTOCK_CLOCK);
      return instances != NULL && clocks != NULL ? PENSTOCK_OK : PENSTOCK_UNAVAILABLE;
    }
    PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
      sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0}, describe, open_plugin, NULL, capability };
    """#
}
