import Foundation
import Testing

@testable import PluginHost

/// The standard plugins in Swift, as built by the same build. A build of these tests alone produces none.
///
/// They have a generous time to end, as the load of the machine is not to be tested. By default, only the checks of the order of events run;
/// `PENSTOCK_SOAK=full` runs all, which takes minutes.
@Suite("Built standard plugins", .serialized)
struct StandardPluginTests {
  private static let directory = (IsolatedTestPlugin.program as NSString).deletingLastPathComponent

  /// The names of the files.
  private static let built: [String] = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
    .filter { $0.hasPrefix("libpenstock-") && $0.hasSuffix(".so") }.sorted()

  /// The files that the package builds: one for each folder of `Plugins` that has an export.
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

  @Test("all of them exist in CI", .enabled(if: getenv("CI") != nil, "a build of these tests alone makes none"))
  func areBuilt() {
    #expect(!Self.declared.isEmpty)
    #expect(Self.declared.filter { !Self.built.contains($0) } == [])
  }

  /// The settings of offers that cannot be created with sample settings.
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
