import Foundation
import Testing

@testable import PluginHost

/// The standard plugins in Swift, as the same build has made them. A build of these tests alone makes none.
///
/// They get long to end: what is checked is not how busy the machine is with other tests. Here are the checks that find out what is told when; `PENSTOCK_SOAK=full` makes all, which takes minutes.
@Suite("Standard plugins, built", .serialized)
struct StandardPluginTests {
  private static let directory = (IsolatedTestPlugin.program as NSString).deletingLastPathComponent

  /// The names of the files.
  private static let built: [String] = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
    .filter { $0.hasPrefix("libpenstock-") && $0.hasSuffix(".so") }.sorted()

  /// The files that the package builds: one for each folder of `Plugins` that exports something.
  private static let declared: [String] = {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folders = (try? FileManager.default.subpathsOfDirectory(atPath: repository.path + "/Plugins")) ?? []
    return folders.filter { $0.hasSuffix("/Export") }.map { folder in
      let id = folder.dropLast("/Export".count).enumerated()
        .map { $0 > 0 && $1.isUppercase ? "-\($1)" : "\($1)" }.joined().lowercased()
      return "libpenstock-\(id).so"
    }
  }()

  @Test("all of them are there in CI", .enabled(if: getenv("CI") != nil, "a build of these tests alone makes none"))
  func areBuilt() {
    #expect(!Self.declared.isEmpty)
    #expect(Self.declared.filter { !Self.built.contains($0) } == [])
  }

  /// For offers that cannot be created with made-up settings.
  private static let settings: [String: JSONText] = [
    "cron": #"{"schedule": "* * * * * *"}"#, "lines": #"{"command": ["cat"]}"#,
    "network.reachable": #"{"host": "127.0.0.1", "port": 9}"#,
  ]

  private static let checks =
    ProcessInfo.processInfo.environment["PENSTOCK_SOAK"] == "full"
    ? [] : ["guest", "run", "stop", "destroy", "threads", "close"]

  @Test("pass the validator", .enabled(if: !built.isEmpty, "no plugin was built beside the tests"), arguments: built)
  func validator(file: String) async throws {
    let report = try await CheckedPlugin.report(
      onFile: "\(Self.directory)/\(file)", only: Self.checks, settings: Self.settings, grace: .seconds(30))
    #expect(report.results.filter { $0.outcome != .passed } == [])
    #expect(!report.results.isEmpty)
  }
}
