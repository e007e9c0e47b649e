import Foundation
import Glibc
import Synchronization
import Testing
import Values

@testable import PluginHost

/// The table of limits in plugin.h.
@Suite("The limits that plugin.h lists")
struct ContractLimitTests {
  typealias Isolation = PluginReference.Isolation

  /// The first column of the table, and the host's values. Each limit is tested here or in the test that is named.
  private static let limits: [(text: String, host: [String])] = [
    ("16 MiB", ["\(PluginText.maximum >> 20) MiB"]),
    // ContractPromisesTests.json
    ("512", []),
    // PluginDescriptionTests.longNames
    ("64 characters", ["\(PluginDescription.longestName) characters"]),
    // PluginDescriptionTests.mostOffers
    ("1,000", [grouped(PluginDescription.mostOffers)]),
    ("100 characters", ["\(PluginFailure.longestCode) characters"]),
    ("31,556,952,000", [grouped(Int(PluginFailure.longestWait))]),
    ("1,024 bytes", ["\(grouped(PluginText.longestKey)) bytes"]),
    ("64", ["\(InProcessInstance.progressLimit)"]),
    // FullControllerTests
    ("1,000", [grouped(PluginOffer.mostWaiting)]),
    ("100,000", [grouped(PluginOffer.mostWaitingInstants)]),
    ("64 MiB", ["\(PluginSignal.mostBytes >> 20) MiB"]),
    // InstantsTests
    ("10,000", [grouped(PluginLeftOut.mostInstants), grouped(InstantsQuestion.most)]),
    // PluginOperationTests.fastLines of PipelineEngineTests
    ("4 MiB", []),
    // ChildOutputTests
    ("200", ["\(LineLimit.perSecond)"]),
    // OpenQuestionsTests.room
    ("16,384, 64 MiB", ["\(grouped(OpenQuestions.mostWaiting)), \(OpenQuestions.mostBytes >> 20) MiB"]),
    // SlowCallTests.slow
    ("10 ms", []),
    // SlowCallTests.hanging
    (
      "1 s",
      [CallWatchdog.Limits().slowWhereLong, CallWatchdog.Limits().hanging].map { "\($0 / 1_000_000_000) s" }
    ),
    // HangWatchTests, HostedPluginTests.hangingCreate
    (
      "10 s",
      [ChildTimeLimits().ping * 2, PluginTrial.limit, ProcessGuard.patience].map { "\($0.components.seconds) s" }
    ),
    // HostedPluginTests.hangsInChild
    ("15 s", ["\(ChildTimeLimits().start.components.seconds) s"]),
  ]

  private static func grouped(_ number: Int) -> String {
    var digits = "\(number)"
    for place in stride(from: digits.count - 3, to: 0, by: -3) {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
    }
    return digits
  }

  @Test("each one matches the host, and each one has a test")
  func table() throws {
    let header = try String(contentsOfFile: TestPlugin.header + "/penstock/plugin.h", encoding: .utf8)
    let lines = header.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: " * Limits"))
    let rows = lines[(start + 2)...].prefix { $0.hasPrefix(" *   ") }
    // Two or more spaces separate the columns; a line that begins with them belongs to the row above.
    let columns = rows.map { $0.dropFirst(" *   ".count) }.filter { !$0.hasPrefix(" ") }
      .map { row in String(row[..<(row.firstRange(of: "  ")?.lowerBound ?? row.endIndex)]) }
    #expect(columns == Self.limits.map(\.text))
    for (text, host) in Self.limits { for value in host { #expect(value == text) } }
    #expect(CallWatchdog.Limits().slow == 50_000_000)
  }

  /// Records a status, as a log line of no instance.
  private static let notes = #"""
    #include <stdio.h>
    static void note(penstock_status status) {
      char text[20];
      int length = snprintf(text, sizeof text, "%d", status);
      logs->log(host, 0, PENSTOCK_INFO, (penstock_text){text, (size_t)length}, PENSTOCK_TEXT(""));
    }
    static void answer(void *context, penstock_status status, penstock_text value) { (void)context, (void)value; note(status); }
    static char *filled(size_t length) { char *bytes = malloc(length + 1); memset(bytes, 'k', length); bytes[length] = 0; return bytes; }
    """#

  private func statuses(of start: String, access: PluginAccess = .none) async throws -> (
    statuses: [String], events: RecordedEvents
  ) {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = Self.notes
        $0.start = start
      })
    let events = RecordedEvents()
    let instance = try plugin.create(access: access, events: events)
    instance.start([:])
    _ = await events.waitForEnd()
    instance.destroy()
    return (plugin.log.lines.filter { $0.hasPrefix("info") }.map { String($0.dropFirst("info echo: ".count)) }, events)
  }

  @Test("a result of 16 MiB is accepted, and one byte more is refused", arguments: [(0, "0"), (1, "5")])
  func payload(more: Int, status: String) async throws {
    let (statuses, events) = try await statuses(
      of: """
        size_t length = ((size_t)16 << 20) + \(more);
        char *text = filled(length);
        text[0] = text[length - 1] = '"';
        note(instances->complete(host, me->id, (penstock_text){text, length}));
        free(text);
        """)
    #expect(statuses == [status])
    #expect(events.failure == (more == 0 ? nil : "malformed-plugin"))
  }

  @Test("the code of an error has at most 100 characters", arguments: [(100, "0"), (101, "2")])
  func code(length: Int, status: String) async throws {
    let (statuses, events) = try await statuses(
      of: #"""
        char text[200];
        int length = snprintf(text, sizeof text, "{\"code\":\"%.*s\",\"message\":\"m\"}", \#(length), filled(\#(length)));
        note(instances->fail(host, me->id, (penstock_text){text, (size_t)length}));
        """#)
    #expect(statuses == [status])
    #expect(events.failure == (status == "0" ? String(repeating: "k", count: length) : "malformed-plugin"))
  }

  @Test(
    "retry_after is less than a thousand years", arguments: [("31556951999.5", "0"), ("31556952000", "2"), ("-1", "2")])
  func retryAfter(seconds: String, status: String) async throws {
    let (statuses, events) = try await statuses(
      of: #"""
        note(instances->fail(host, me->id, PENSTOCK_TEXT(
            "{\"code\":\"quota\",\"message\":\"m\",\"retry_after\":\#(seconds)}")));
        """#)
    #expect(statuses == [status])
    #expect(events.failure == (status == "0" ? "quota" : "malformed-plugin"))
    if status == "0" { #expect(events.failures.first?.retryAfter == .seconds(31_556_951_999.5)) }
  }

  @Test(
    "keys, prefixes and names of secrets have at most 1,024 bytes",
    arguments: [
      ("workspace->get(host, me->id, (penstock_text){key, LENGTH}, answer, NULL);", "4", "5"),
      ("workspace->set(host, me->id, (penstock_text){key, LENGTH}, PENSTOCK_TEXT(\"1\"), answer, NULL);", "0", "5"),
      ("workspace->list(host, me->id, (penstock_text){key, LENGTH}, answer, NULL);", "0", "5"),
      ("secrets->get(host, me->id, (penstock_text){key, LENGTH}, answer, NULL);", "0", "5"),
      ("key[LENGTH] = 0; note(values->text(host, me->id, PENSTOCK_SETTINGS, key, &text));", "4", "2"),
    ])
  func keys(call: String, accepted: String, refused: String) async throws {
    for (length, status) in [(1024, accepted), (1025, refused)] {
      let access = PluginAccess(secrets: { _ in "s" }, storage: MemoryStorage())
      let plugin = try LoadedTestPlugin(
        TestPlugin.Source {
          $0.preamble = Self.notes
          $0.start = """
            const penstock_workspace_service *workspace = host->service(host, PENSTOCK_WORKSPACE);
            const penstock_secrets_service *secrets = host->service(host, PENSTOCK_SECRETS);
            const penstock_values_service *values = host->service(host, PENSTOCK_VALUES);
            penstock_text text = {NULL, 0};
            char *key = filled(1100);
            (void)workspace, (void)secrets, (void)values, (void)text;
            \(call.replacing("LENGTH", with: "\(length)"))
            """
        })
      let instance = try plugin.create(access: access, events: RecordedEvents())
      instance.start([:])
      await plugin.log.wait(for: "info echo: ")
      #expect(plugin.log.lines.filter { $0.hasPrefix("info") } == ["info echo: \(status)"], "\(length)")
      instance.destroy()
      await plugin.connection.close()
    }
  }

  @Test("a stored value has at most 16 MiB", arguments: [(0, "0"), (1, "5")])
  func storedValue(more: Int, status: String) async throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = Self.notes
        $0.start = """
          const penstock_workspace_service *workspace = host->service(host, PENSTOCK_WORKSPACE);
          size_t length = ((size_t)16 << 20) + \(more);
          char *text = filled(length);
          text[0] = text[length - 1] = '"';
          workspace->set(host, me->id, PENSTOCK_TEXT("key"), (penstock_text){text, length}, answer, NULL);
          free(text);
          """
      })
    let storage = MemoryStorage()
    let instance = try plugin.create(access: PluginAccess(storage: storage), events: RecordedEvents())
    instance.start([:])
    await plugin.log.wait(for: "info echo: ")
    #expect(plugin.log.lines.filter { $0.hasPrefix("info") } == ["info echo: \(status)"])
    #expect((try? await storage.value(of: "key"))?.stringValue?.utf8.count == (more == 0 ? (16 << 20) - 2 : nil))
    instance.destroy()
    await plugin.connection.close()
  }

  @Test("64 progress reports wait, and more are answered with OK and dropped")
  func progress() async throws {
    var begun: [Int32] = [-1, -1]
    var over: [Int32] = [-1, -1]
    #expect(pipe(&begun) == 0 && pipe(&over) == 0)
    defer { for descriptor in begun + over { close(descriptor) } }
    // One thread is reporting and waits for the other, whose reports must queue.
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble =
          Self.notes + "\n"
            + #"""
            #include <unistd.h>
            static int begun, over;
            static void *first(void *argument) {
              test_instance *me = argument;
              instances->progress(host, me->id, PENSTOCK_TEXT("{\"fraction\":0}"));
              return NULL;
            }
            static void *others(void *argument) {
              test_instance *me = argument;
              char byte;
              if (read(begun, &byte, 1) != 1) abort();
              int kept = 0;
              for (int at = 0; at < 70; at++)
                kept += instances->progress(host, me->id, PENSTOCK_TEXT("{\"fraction\":1}")) == PENSTOCK_OK;
              note(kept);
              if (write(over, "x", 1) != 1) abort();
              return NULL;
            }
            """#
        $0.members = "pthread_t threads[2];"
        $0.start = """
          begun = atoi(strstr(me->settings.bytes, "begun") + 7);
          over = atoi(strstr(me->settings.bytes, "over") + 6);
          pthread_create(&me->threads[0], NULL, first, me);
          pthread_create(&me->threads[1], NULL, others, me);
          """
        $0.destroy = "pthread_join(me->threads[0], NULL); pthread_join(me->threads[1], NULL);"
      })
    let (first, go, end) = (begun[0], begun[1], over)
    let isTold = Atomic(false)
    let events = RecordedEvents { event in
      guard case .progressed = event, !isTold.exchange(true, ordering: .relaxed) else { return }
      var byte: UInt8 = 0
      _ = write(go, &byte, 1)
      _ = read(end[0], &byte, 1)
    }
    let settings: JSONValue = ["begun": .int(Int64(first)), "over": .int(Int64(end[1]))]
    let instance = try plugin.create(settings: settings, events: events)
    instance.start([:])
    await plugin.log.wait(for: "info echo: ")
    await events.wait { $0.count >= 65 }
    instance.destroy()
    #expect(plugin.log.lines == ["info echo: 70"])
    #expect(events.all.count == 1 + InProcessInstance.progressLimit)
  }
}
