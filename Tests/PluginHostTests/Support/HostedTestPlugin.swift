import Foundation
import Testing
import Values

@testable import PluginHost

/// A host with its own directory, whose plugins run in this process, with a clock that stands still.
final class HostedTestPlugin {
  let host: PluginLoader
  let clock: ManualPluginClock
  let log: RecordedLog
  let directory: String
  let connector: PluginConnector

  /// Creates a host with the plugins of `sources` in its directory.
  init(
    _ sources: TestPlugin.Source..., connector change: (inout PluginConnector) -> Void = { _ in },
    hasRoom: @escaping @Sendable () -> Bool = { true }
  ) throws {
    let clock = ManualPluginClock()
    let log = RecordedLog()
    directory = NSTemporaryDirectory() + "penstock-host-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var configuration = PluginLoader.Configuration(
      directories: [PluginDirectory(path: directory, isStandard: true)], clock: clock
    ) { log.note($0, $1, $2) }
    configuration.hasRoom = hasRoom
    var connector = PluginConnector(configuration, limits: .none)
    change(&connector)
    host = PluginLoader(configuration, connector: connector)
    self.connector = connector
    self.clock = clock
    self.log = log
    for source in sources { try install(source) }
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// Installs a plugin in the directory, replacing one with the same id as `mv` does.
  @discardableResult
  func install(_ source: TestPlugin.Source) throws -> String {
    let object = try TestPlugin.compile(source)
    let path = "\(directory)/\(source.id).so"
    let temporary = "\(directory)/.\(UUID().uuidString)"
    try FileManager.default.copyItem(atPath: object, toPath: temporary)
    guard rename(temporary, path) == 0 else { throw TestPluginError(message: "cannot rename") }
    return path
  }
}
