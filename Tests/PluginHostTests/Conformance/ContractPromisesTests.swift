import Foundation
import Testing
import Values

@testable import PluginHost

/// Statements of plugin.h that no other suite covers.
@Suite("Other promises of plugin.h")
struct ContractPromisesTests {
  typealias Isolation = PluginReference.Isolation

  private static let notes = """
    #include <stdio.h>
    static void note(penstock_status status) {
      char text[40];
      int length = snprintf(text, sizeof text, "%d", status);
      logs->log(host, 0, PENSTOCK_INFO, (penstock_text){text, (size_t)length}, PENSTOCK_TEXT(""));
    }
    static void answer(void *context, penstock_status status, penstock_text value) { (void)context, (void)value; note(status); }
    static void fire(void *context, penstock_status status) { (void)context; note(100 + status); }
    """

  @Test(
    "PENSTOCK_TEXT accepts only literals", arguments: [["cc", "-std=c99"], ["c++", "-std=c++11", "-xc++"]])
  func literals(compiler: [String]) throws {
    let scratch = try Scratch()
    func compiles(_ expression: String) throws -> Bool {
      let file = try scratch.write(
        "#include <penstock/plugin.h>\nsize_t length(const char *pointer) { (void)pointer; return \(expression).length; }",
        to: "text.c")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = compiler + ["-fsyntax-only", "-I", TestPlugin.header, file]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
    #expect(try compiles(#"PENSTOCK_TEXT("a" "b")"#))
    #expect(try !compiles("PENSTOCK_TEXT(pointer)"))
  }

  @Test("while a file is checked, services of pipelines report that they are unavailable")
  func services() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = Self.notes
        $0.create = """
          const penstock_workspace_service *workspace = host->service(host, PENSTOCK_WORKSPACE);
          const penstock_secrets_service *secrets = host->service(host, PENSTOCK_SECRETS);
          workspace->get(host, id, PENSTOCK_TEXT("a"), answer, NULL);
          secrets->get(host, id, PENSTOCK_TEXT("a"), answer, NULL);
          """
      })
    #expect(plugin.connection.check(try plugin.offer(), settings: [:]) == nil)
    #expect(plugin.log.lines == ["info echo: 6", "info echo: 6"])
  }

  @Test("after a failed create, its timers have ended and its id is unknown")
  func failedCreate() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = Self.notes + "\nstatic penstock_id last;"
        $0.create = """
          if (last == 0) {
            last = id;
            *instance = (void *)1;
            clocks->timer(host, id, INT64_MAX, fire, NULL);
            free(me);
            instances->fail(host, id, PENSTOCK_TEXT("{\\"code\\": \\"no\\", \\"message\\": \\"no\\"}"));
            return PENSTOCK_FAILED;
          }
          note(instances->fail(host, last, PENSTOCK_TEXT("{\\"code\\": \\"no\\", \\"message\\": \\"no\\"}")));
          note((penstock_status)clocks->timer(host, last, INT64_MAX, fire, NULL));
          note(logs->log(host, last, PENSTOCK_INFO, PENSTOCK_TEXT("last words"), PENSTOCK_TEXT("")));
          const penstock_workspace_service *workspace = host->service(host, PENSTOCK_WORKSPACE);
          workspace->get(host, last, PENSTOCK_TEXT("a"), answer, NULL);
          """
      })
    let first = RecordedEvents()
    try plugin.create(events: first).destroy()
    #expect(first.all == [.failed("no", "no")])
    #expect(plugin.log.lines == ["info echo: 103"])
    try plugin.create(events: RecordedEvents()).destroy()
    let lines = plugin.log.lines.dropFirst().filter { $0.hasPrefix("info") }
    #expect(lines == ["4", "0", "last words", "4", "4"].map { "info echo: \($0)" })
  }

  @Test("a plugin can wait for the programs that it starts", arguments: Isolation.allCases)
  func programs(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source(id: "programs") {
        $0.preamble = """
          #include <spawn.h>
          #include <sys/wait.h>
          #include <stdio.h>
          extern char **environ;
          """
        $0.start = #"""
          char *arguments[] = {"sh", "-c", "exit 7", NULL}, text[20];
          pid_t child;
          int status = 0;
          if (posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) != 0) abort();
          if (waitpid(child, &status, 0) != child) abort();
          int length = snprintf(text, sizeof text, "%d", WEXITSTATUS(status));
          instances->complete(host, me->id, (penstock_text){text, (size_t)length});
          """#
      })
    #expect(try await plugin.run().all == [.ended(7)])
    await plugin.connection.close()
  }

  @Test("a plugin's JSON is read as the header says", arguments: Isolation.allCases)
  func json(isolation: Isolation) async throws {
    let plugin = try ConformingPlugin(
      isolation,
      TestPlugin.Source(id: "json") {
        $0.preamble = "static char text[2000];"
        $0.start = """
          size_t levels = (size_t)atol(strstr(input.bytes, "requirement") + 13);
          if (levels == 0) {
            instances->complete(host, me->id, PENSTOCK_TEXT(
              "[{\\"a\\":1,\\"b\\":2,\\"a\\":3}, 9223372036854775807, 9223372036854775808, -9223372036854775808, 1.0]"));
            return;
          }
          memset(text, '[', levels);
          memset(text + levels, ']', levels);
          instances->complete(host, me->id, (penstock_text){text, 2 * levels});
          """
      })
    let values = try await plugin.run(input: ["requirement": 0])
    #expect(
      values.all == [
        .ended([
          ["a": 3, "b": 2], .int(.max), .double(9_223_372_036_854_775_808), .int(.min), .double(1),
        ])
      ])
    #expect(try await plugin.run(input: ["requirement": 512]).failure == nil)
    #expect(try await plugin.run(input: ["requirement": 513]).failure == "malformed-plugin")
    await plugin.connection.close()
  }
}
