import Foundation
import Testing

@testable import PluginHost

@Suite("The validator of plugins")
struct PluginValidationTests {
  @Test("A plugin that keeps every rule passes every check, and the report counts them")
  func goodPlugin() async throws {
    let report = try await CheckedPlugin.report(on: CheckedPlugin.good())
    #expect(report.results.filter { $0.outcome != .passed } == [])
    #expect(report.isPassed && report.skipped == 0)
    #expect(report.plugin == "good")
    let ofOffers = PluginCheck.allCases.filter(\.isOfOffer).count
    #expect(report.results.count == PluginCheck.allCases.count - ofOffers + 3 * ofOffers)
  }

  @Test("A plugin that breaks one rule fails the check of that rule", arguments: BrokenPlugin.all)
  func brokenPlugin(_ plugin: BrokenPlugin) async throws {
    let report = try await CheckedPlugin.report(
      on: CheckedPlugin.good(plugin.change), only: [plugin.check], patience: plugin.patience)
    let name = plugin.check.split(separator: "/").last.map(String.init)
    let result = try #require(report.results.first { $0.check.rawValue == name })
    guard case .failed(let problems) = result.outcome else {
      Issue.record("'\(plugin.check)' came to \(result.outcome)")
      return
    }
    #expect(problems.contains { $0.contains(plugin.problem) }, "found instead: \(problems)")
    #expect(!report.isPassed)
  }

  @Test("A result that is not JSON, or precedes the start, ends the instance, and is reported as such")
  func refusedEnds() async throws {
    let garbage = try await CheckedPlugin.report(
      on: CheckedPlugin.good {
        $0.start = "instances->complete(host, me->id, PENSTOCK_TEXT(\"hello\")); (void)input; (void)end; (void)is_json;"
      },
      only: ["good.echo/run"])
    #expect(garbage.results.map(\.outcome) == [.failed(["it called complete with text that is not JSON: hello"])])
    #expect(garbage.results.map(\.note) == [""])
    let early = try await CheckedPlugin.report(
      on: CheckedPlugin.good { $0.create = "instances->complete(host, id, PENSTOCK_TEXT(\"1\"));" },
      only: ["good.echo/create"])
    #expect(early.results.map(\.outcome) == [.failed(["it called complete before the instance was started"])])
  }

  @Test("A file that is not a shared object fails the first check, and no other check runs")
  func noSharedObject() async throws {
    let scratch = try Scratch()
    let report = try await CheckedPlugin.report(onFile: try scratch.write("hello", to: "text.so"))
    #expect(report.results.map(\.check) == [.entry])
    guard case .failed(let problems) = report.results[0].outcome else { return #expect(Bool(false)) }
    #expect(problems[0].contains("cannot be loaded"))
  }

  @Test("An offer that rejects sample settings is skipped with advice, and checked with real ones")
  func realSettings() async throws {
    let source = CheckedPlugin.good {
      $0.offers[0] = """
        {"kind": "operation", "id": "good.echo", "summary": "Needs a word",
         "settings": [{"name": "word", "type": "string", "summary": "The word", "required": true}]}
        """
      $0.create = """
        if (!says(me->settings, "please")) {
          instances->fail(host, id, PENSTOCK_TEXT("{\\"code\\":\\"impolite\\",\\"message\\":\\"say the word\\"}"));
          return PENSTOCK_INVALID;
        }
        """
    }
    let only = ["good.echo/run", "good.echo/settings"]
    let refused = try await CheckedPlugin.report(on: source, only: only)
    guard case .skipped(let reason) = try #require(refused.results.first).outcome else {
      Issue.record("came to \(refused.results)")
      return
    }
    #expect(reason.contains("impolite: say the word") && reason.contains("--settings 'good.echo={…}'"))
    #expect(refused.results.map(\.check) == [.run, .settings])
    #expect(refused.results[1].outcome == .passed)
    #expect(refused.isPassed)
    let given = try await CheckedPlugin.report(
      on: source, only: only, settings: ["good.echo": #"{"word": "please"}"#])
    #expect(given.results.map(\.outcome) == [.passed, .passed])
  }

  @Test("Each check has its own directory, which is deleted with everything that the plugin left in it")
  func directories() async throws {
    let scratch = try Scratch()
    let kept = try scratch.write("kept", to: "outside/file")
    let source = CheckedPlugin.good {
      $0.preamble += """

        #include <stdio.h>
        #include <sys/stat.h>
        #include <unistd.h>
        """
      $0.tail = #"""
        static void leave(void *instance, penstock_text input) {
          char *text = calloc(1, input.length + 1);
          memcpy(text, input.bytes, input.length);
          char *directory = strstr(text, "\"directory\":\"") + strlen("\"directory\":\"");
          *strchr(directory, '"') = 0;
          char path[4096];
          snprintf(path, sizeof path, "%s/deep", directory);
          if (mkdir(path, 0700) == 0) {
            // Once for each directory: there was nothing in it.
            FILE *log = fopen("\#(scratch.path)/directories", "a");
            fprintf(log, "%s\n", directory);
            fclose(log);
          }
          snprintf(path, sizeof path, "%s/deep/file", directory);
          FILE *file = fopen(path, "w");
          if (file) fclose(file);
          snprintf(path, sizeof path, "%s/deep/link", directory);
          (void)!symlink("\#(scratch.path)/outside", path);
          free(text);
          start(instance, input);
        }
        static const penstock_functions leaving = {sizeof(penstock_functions), 0, create, leave, stop, destroy};
        static const void *leaving_capability(penstock_text name) { (void)name; return &leaving; }
        """#
      $0.capabilityFunction = "leaving_capability"
    }
    let report = try await CheckedPlugin.report(on: source, only: ["run", "stop"])
    #expect(report.results.filter { $0.outcome != .passed } == [])
    let log = try String(contentsOfFile: "\(scratch.path)/directories", encoding: .utf8)
    let directories = log.split(separator: "\n").map(String.init)
    #expect(directories.count == report.results.count && Set(directories).count == directories.count)
    for directory in directories { #expect(!FileManager.default.fileExists(atPath: directory)) }
    #expect(FileManager.default.fileExists(atPath: kept))
  }

  @Test("The same seed tries the same delays")
  func seed() {
    var order = CheckOrder(["--check", "stop", "--seed", "42", "--directory", "/nowhere", "--", "x.so"])
    let delays = order.map { CheckContext(order: $0, channel: nil).delays() }
    #expect(delays == order.map { CheckContext(order: $0, channel: nil).delays() })
    order?.seed = 43
    #expect(delays != order.map { CheckContext(order: $0, channel: nil).delays() })
  }
}
