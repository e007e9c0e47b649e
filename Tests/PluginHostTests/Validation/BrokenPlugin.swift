import Testing

/// A plugin that breaks exactly one rule, and the problem that the validator must report.
struct BrokenPlugin: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The name of the check for `--only`.
  let check: String
  /// A part of the reported problem.
  let problem: String
  var patience: Duration?
  let change: @Sendable (inout TestPlugin.Source) -> Void

  init(
    _ testDescription: String, _ check: String, _ problem: String, patience: Duration? = nil,
    _ change: @escaping @Sendable (inout TestPlugin.Source) -> Void
  ) {
    self.testDescription = testDescription
    self.check = check
    self.problem = problem
    self.patience = patience
    self.change = change
  }

  static let all: [BrokenPlugin] = [
    BrokenPlugin("speaks another major version", "entry", "it uses version 2.") { $0.abiMajor = "2" },
    BrokenPlugin("needs a later minor version", "entry", "it needs version 1.9") {
      $0.abiMinor = "9"
      $0.abiMinorNeeded = "9"
    },
    BrokenPlugin("has an entry that is too small", "entry", "struct_size of its entry is 8") { $0.structSize = "8" },
    BrokenPlugin("gives no JSON as its description", "description", "not JSON") { $0.description = "{" },
    BrokenPlugin("offers an id of another plugin", "description", "offers[0].id") {
      $0.offers[0] = #"{"kind": "operation", "id": "evil.echo", "summary": "Gives back what it gets"}"#
    },
    BrokenPlugin("describes itself in another way each time", "describe", "a different answer") {
      $0.tail = """
        static penstock_text describe_anew(void) {
          static char text[2][sizeof description + 1];
          static int times;
          times = !times;
          memcpy(text[times], description, sizeof description);
          // A blank more is still the same description, in other bytes.
          memcpy(text[times] + sizeof description - 1, " ", 2);
          return (penstock_text){text[times], sizeof description - times};
        }
        """
      $0.describeFunction = "describe_anew"
    },
    BrokenPlugin("crashes when it opens", "open", "crashed with SIGSEGV") { $0.open = "*(volatile int *)0 = 1;" },
    BrokenPlugin("takes its time to open", "open", "open took 1") {
      $0.preamble += "\n#include <unistd.h>"
      $0.open = "usleep(1100000);"
    },
    BrokenPlugin("refuses to open", "open", "PENSTOCK_UNAVAILABLE") { $0.open = "return PENSTOCK_UNAVAILABLE;" },
    BrokenPlugin("uses a service that is not there", "services", "crashed with SIGSEGV") {
      $0.open = "logs->log(host, 0, 1, PENSTOCK_TEXT(\"opened\"), PENSTOCK_TEXT(\"\"));"
    },
    BrokenPlugin("hangs when it closes", "close", "it hung", patience: .milliseconds(1500)) {
      $0.preamble += "\n#include <unistd.h>"
      $0.close = "for (;;) pause();"
    },
    BrokenPlugin("talks after it was closed", "close", "after close had returned") {
      $0.preamble += talker
      $0.close = "closed = 1;"
      $0.open = "pthread_create(&thread, NULL, talk, NULL);"
    },
    BrokenPlugin("has functions without one", "capabilities", "have no stop") {
      $0.tail = """
        static const penstock_functions lame = {sizeof(penstock_functions), 0, create, start, NULL, destroy};
        static const void *lame_capability(penstock_text id) { return capability(id) ? &lame : NULL; }
        """
      $0.capabilityFunction = "lame_capability"
    },
    BrokenPlugin("answers for capabilities that it cannot know", "capabilities", "for the unknown") {
      $0.tail = "static const void *any_capability(penstock_text id) { return id.length < 100 ? &functions : NULL; }"
      $0.capabilityFunction = "any_capability"
    },
    BrokenPlugin("changes the working directory", "good.echo/guest", "changed the working directory to /proc") {
      $0.preamble += "\n#include <unistd.h>"
      $0.start = "if (chdir(\"/proc\")) abort();" + $0.start
    },
    BrokenPlugin("changes the environment", "good.echo/guest", "changed the environment") {
      $0.start = "setenv(\"SURPRISE\", \"1\", 1);" + $0.start
    },
    BrokenPlugin(
      "changes the environment when it opens", "good.echo/guest",
      "changed the environment of the process when it was opened"
    ) {
      $0.open = "setenv(\"SURPRISE\", \"1\", 1);"
    },
    BrokenPlugin("ignores a signal from its opening on", "good.echo/guest", "signals changed: 2 when it was opened") {
      $0.preamble += "\n#include <signal.h>"
      $0.open = "signal(SIGINT, SIG_IGN);"
    },
    BrokenPlugin("changes the locale", "good.echo/guest", "changed the locale from C to C.UTF-8") {
      $0.preamble += "\n#include <locale.h>"
      $0.start = "setlocale(LC_ALL, \"C.UTF-8\");" + $0.start
    },
    BrokenPlugin("changes the umask", "good.echo/guest", "changed the umask from 0") {
      $0.preamble += "\n#include <sys/stat.h>"
      $0.start = "umask(0051);" + $0.start
    },
    BrokenPlugin("uses up all descriptors", "good.echo/guest", "it uses up all descriptors") {
      $0.preamble += "\n#include <fcntl.h>"
      $0.start = "while (fcntl(2, F_DUPFD, 0) >= 0) continue;" + $0.start
    },
    BrokenPlugin("handles a signal", "good.echo/guest", "handling of these signals changed: 15") {
      $0.preamble += "\n#include <signal.h>"
      $0.start = "signal(SIGTERM, SIG_IGN);" + $0.start
    },
    BrokenPlugin("lets its thread take the host's signals", "good.yes/guest", "does not block the signals") {
      $0.preamble +=
        "\n#include <pthread.h>\n#include <unistd.h>\nstatic void *idle(void *me) { for (;;) pause(); return me; }"
      $0.start += "{ pthread_t thread; pthread_create(&thread, NULL, idle, NULL); }"
    },
    BrokenPlugin("opens what processes inherit", "good.yes/guest", "would be inherited") {
      $0.preamble += "\n#include <fcntl.h>"
      $0.start += "open(\"/dev/null\", O_RDONLY);"
    },
    BrokenPlugin("closes standard output", "good.echo/guest", "a standard descriptor") {
      $0.preamble += "\n#include <unistd.h>"
      $0.start = "close(1);" + $0.start
    },
    BrokenPlugin("prints", "good.echo/guest", "it wrote to standard output, which belongs to the host: 'hello'") {
      $0.preamble += "\n#include <stdio.h>"
      $0.start = "puts(\"hello\");" + $0.start
    },
    BrokenPlugin("leaves a new instance NULL", "good.echo/create", "left the instance NULL") {
      $0.create = "*instance = NULL; return PENSTOCK_OK;"
    },
    BrokenPlugin("refuses without a reason", "good.echo/create", "without a reason") {
      $0.create = "return PENSTOCK_INVALID;"
    },
    BrokenPlugin("fails what it creates", "good.echo/create", "create called fail but returned PENSTOCK_OK") {
      $0.create = "instances->fail(host, id, PENSTOCK_TEXT(\"{\\\"code\\\":\\\"no\\\",\\\"message\\\":\\\"no\\\"}\"));"
    },
    BrokenPlugin("cannot be destroyed without a start", "good.echo/create", "crashed with SIG") {
      $0.members += " int started;"
      $0.start = "me->started = 1;" + $0.start
      $0.destroy = "if (!me->started) abort();"
    },
    BrokenPlugin("ends twice", "good.echo/run", "ended twice: fail") {
      $0.start +=
        "instances->fail(host, me->id, PENSTOCK_TEXT(\"{\\\"code\\\":\\\"no\\\",\\\"message\\\":\\\"no\\\"}\"));"
    },
    BrokenPlugin("ends before its start", "good.echo/run", "before the instance was started") {
      $0.create = "instances->complete(host, id, PENSTOCK_TEXT(\"1\"));"
    },
    BrokenPlugin("gives a result of another type", "good.echo/run", "a value that does not match its description") {
      $0.offers[0] = #"{"kind": "operation", "id": "good.echo", "summary": "Counts", "result": "int"}"#
    },
    BrokenPlugin("gives text that is not JSON", "good.echo/run", "complete with text that is not JSON") {
      $0.start = "end(me, PENSTOCK_TEXT(\"hello\"));"
    },
    BrokenPlugin("gives text that is not UTF-8", "good.echo/run", "not UTF-8") {
      $0.start = "end(me, PENSTOCK_TEXT(\"\\\"\\xff\\\"\"));"
    },
    BrokenPlugin("gives more than 16 MiB", "good.echo/run", "more than 16 MiB") {
      $0.start = "instances->complete(host, me->id, (penstock_text){\"\", 17u << 20}); end(me, PENSTOCK_TEXT(\"1\"));"
    },
    BrokenPlugin("fails without a code", "good.echo/run", "without a code") {
      $0.start = "me->ended = 1; instances->fail(host, me->id, PENSTOCK_TEXT(\"{\\\"message\\\":\\\"no\\\"}\"));"
    },
    BrokenPlugin("takes what it is given for terminated", "good.echo/run", "text that is not UTF-8") {
      $0.start = "end(me, (penstock_text){input.bytes, strlen(input.bytes)}); (void)is_json;"
    },
    BrokenPlugin("keeps a text that it was given", "good.echo/run", "text that is not UTF-8") {
      $0.tail = """
        static penstock_text kept;
        static penstock_status create_keeping(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
          kept = offer;
          return create(id, offer, settings, instance);
        }
        static const penstock_functions keeping = {sizeof(penstock_functions), 0, create_keeping, start, stop, destroy};
        static const void *keeping_capability(penstock_text id) { return capability(id) ? &keeping : NULL; }
        """
      $0.preamble += "\nstatic penstock_text kept;"
      $0.start = "logs->log(host, me->id, 1, kept, PENSTOCK_TEXT(\"\"));" + $0.start
      $0.capabilityFunction = "keeping_capability"
    },
    BrokenPlugin("tells of an instance that never was", "good.echo/run", "never was: 99999") {
      $0.start = "instances->complete(host, 99999, PENSTOCK_TEXT(\"1\"));" + $0.start
    },
    BrokenPlugin("tells what its kind does not", "good.echo/run", "changed for an operation") {
      $0.start = "specifications->changed(host, me->id, 1, PENSTOCK_TEXT(\"yes\"));" + $0.start
    },
    BrokenPlugin("tells a value that there is not", "good.yes/run", "with the value 2") {
      $0.start = "specifications->changed(host, me->id, 2, PENSTOCK_TEXT(\"maybe\"));" + $0.start
    },
    BrokenPlugin("gives a reason of two lines", "good.yes/run", "more than one line") {
      $0.start += "specifications->changed(host, me->id, 0, PENSTOCK_TEXT(\"one\\ntwo\"));"
    },
    BrokenPlugin("reruns at an instant that is none", "good.once/run", "with an invalid instant") {
      $0.start += "controllers->yield_rerun(host, me->id, PENSTOCK_TEXT(\"{\\\"instant\\\":\\\"noon\\\"}\"));"
    },
    BrokenPlugin("leaves out an instant that is none", "good.once/run", "left_out with a wrong \"instants\"") {
      $0.start +=
        "controllers->left_out(host, me->id, PENSTOCK_TEXT(\"{\\\"reason\\\":\\\"x\\\",\\\"instants\\\":[\\\"noon\\\"]}\"));"
    },
    BrokenPlugin("leaves out instants of an operation", "good.echo/run", "called left_out for an operation") {
      $0.start = "controllers->left_out(host, me->id, PENSTOCK_TEXT(\"{\\\"reason\\\":\\\"x\\\"}\"));" + $0.start
    },
    BrokenPlugin("has a table for instants that is too small", "capabilities", "struct_size of the table") {
      $0.foresees(size: "8", "return PENSTOCK_OK;")
    },
    BrokenPlugin("says nothing about its instants", "good.once/instants", "answered nothing") {
      $0.foresees("return PENSTOCK_OK;")
    },
    BrokenPlugin("says each time something else about its instants", "good.once/instants", "a different answer") {
      $0.foresees(
        """
        static int times;
        static char text[80];
        int length = snprintf(text, sizeof text, "{\\"instants\\":[],\\"zone\\":\\"%d\\"}", times++);
        take(context, (penstock_text){text, length});
        return PENSTOCK_OK;
        """)
    },
    BrokenPlugin("names an instant that was not asked about", "good.once/instants", "outside the requested range") {
      $0.foresees(
        """
        take(context, PENSTOCK_TEXT("{\\"instants\\":[{\\"instant\\":\\"1999-01-01T00:00:00Z\\"}]}"));
        return PENSTOCK_OK;
        """)
    },
    BrokenPlugin("takes its time to look ahead", "good.once/instants", "between took 1") {
      $0.preamble += "\n#include <unistd.h>"
      $0.foresees("usleep(1100000); return PENSTOCK_UNAVAILABLE;")
    },
    BrokenPlugin("fails when it is stopped", "good.once/run", "ended with the failure 'stopped'") {
      $0.stop =
        "instances->fail(host, me->id, PENSTOCK_TEXT(\"{\\\"code\\\":\\\"stopped\\\",\\\"message\\\":\\\"x\\\"}\"));"
    },
    BrokenPlugin("does not end when it is stopped", "good.once/stop", "did not end within the 1000 ms") {
      $0.stop = "(void)end;"
    },
    BrokenPlugin("ends again when it is stopped after its end", "good.echo/stop", "ended twice: complete") {
      $0.stop = "me->ended = 0;" + $0.stop
    },
    BrokenPlugin("tells of an instance that is destroyed", "good.once/destroy", "after its destroy had returned") {
      $0.preamble += lateTeller
      $0.start +=
        "{ penstock_id *id = malloc(sizeof *id); pthread_t thread; *id = me->id; pthread_create(&thread, NULL, late, id); }"
    },
    BrokenPlugin("takes its time to start", "good.echo/latency", "start took 3") {
      $0.preamble += "\n#include <unistd.h>"
      $0.start = "usleep(30000);" + $0.start
    },
    BrokenPlugin("takes its time to destroy", "good.echo/destroy", "destroy took 1") {
      $0.preamble += "\n#include <unistd.h>\nstatic int once;"
      $0.destroy = "if (!once++) usleep(1050000);"
    },
    BrokenPlugin("believes its settings", "good.echo/settings", "crashed with SIG") {
      $0.create = "if (me->settings.length == 0 || me->settings.bytes[0] != '{') abort();"
    },
    BrokenPlugin(
      "believes its input", "good.echo/input", "crashed with SIGABRT while the check did this: start with input"
    ) {
      $0.start = "if (input.length == 0 || input.bytes[0] != '{') abort();" + $0.start
    },
    BrokenPlugin("ends its process", "good.echo/run", "ended the process with exit code 3") {
      $0.start = "exit(3);"
    },
    BrokenPlugin("cannot bear a jump of the clock", "good.yes/clock", "crashed with SIGABRT") {
      $0.preamble +=
        "\nstatic void ring(void *context, penstock_status status) { if (status == PENSTOCK_OK && context) abort(); }"
      $0.start += "clocks->timer(host, me->id, clocks->now(host) + 3600000000000, ring, me);"
    },
    BrokenPlugin("keeps one instance for all threads", "good.echo/threads", "end") {
      $0.preamble += "\nstatic test_instance *shared;\n#include <unistd.h>"
      $0.start =
        "shared = me; usleep(100); instances->complete(host, shared->id, PENSTOCK_TEXT(\"1\")); shared->ended = 1;"
    },
    BrokenPlugin("keeps memory", "good.echo/growth", "bytes of memory for each") {
      $0.create = "if (!malloc(24)) abort();"
    },
    BrokenPlugin("keeps descriptors", "good.echo/growth", "descriptors of") {
      $0.preamble += "\n#include <fcntl.h>\nstatic int opened;"
      $0.create = "if (opened++ % 100 == 0) open(\"/dev/null\", O_RDONLY);"
    },
    BrokenPlugin("keeps threads", "good.echo/growth", "threads of") {
      $0.preamble += "\n#include <pthread.h>\n#include <unistd.h>\nstatic int started;"
      $0.preamble += "\nstatic void *idle(void *me) { for (;;) pause(); return me; }"
      $0.create = "if (started++ % 200 == 0) { pthread_t thread; pthread_create(&thread, NULL, idle, NULL); }"
    },
  ]

  /// A thread that logs for a quarter of a second after the close.
  private static let talker = """

    #include <pthread.h>
    #include <unistd.h>
    static volatile int closed;
    static pthread_t thread;
    static void *talk(void *none) {
      while (!closed) usleep(1000);
      usleep(20000);
      logs->log(host, 0, PENSTOCK_INFO, PENSTOCK_TEXT("still there"), PENSTOCK_TEXT(""));
      return none;
    }
    """

  /// A thread that reports an event of an instance 50 ms after its start.
  private static let lateTeller = """

    #include <pthread.h>
    #include <unistd.h>
    static void *late(void *id) {
      usleep(50000);
      controllers->yield_reset(host, *(penstock_id *)id);
      free(id);
      return NULL;
    }
    """
}

extension TestPlugin.Source {
  /// Adds the capability penstock.instants/1, with the body of its `between`.
  mutating func foresees(size: String = "sizeof(penstock_instants)", _ body: String) {
    preamble += "\n#include <stdio.h>"
    tail = """
      static penstock_status between(
          void *instance, penstock_text input, int64_t after, int64_t until, uint32_t limit, penstock_take take, void *context) {
        \(body)
      }
      static const penstock_instants foreseen = {\(size), 0, between};
      static const void *foreseeing(penstock_text id) {
        return penstock_text_equals(id, PENSTOCK_INSTANTS) ? (const void *)&foreseen : capability(id);
      }
      """
    capabilityFunction = "foreseeing"
  }
}
