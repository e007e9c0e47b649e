import Foundation
import Synchronization
import Testing
import Values

@testable import PluginHost

/// A plugin that was compiled for a test and runs in a child host.
struct IsolatedTestPlugin {
  let connection: IsolatedConnection
  let clock: any PluginClock
  let log: RecordedLog
  let launch: ChildLaunch

  /// Starts the child and waits until its plugin is loaded.
  init(
    _ source: TestPlugin.Source, clock: any PluginClock = SystemPluginClock.shared,
    limits: PluginReference.Limits = .init(), environment: [String] = [],
    options change: (inout IsolatedConnection.Options) -> Void = { _ in }
  ) throws {
    let log = RecordedLog()
    launch = try Self.launch(TestPlugin.compile(source), name: source.id, limits: limits, environment: environment)
    var options = Self.options(clock, log)
    change(&options)
    connection = try IsolatedConnection.open(launch, options: options)
    self.clock = clock
    self.log = log
  }

  static func options(_ clock: any PluginClock, _ log: RecordedLog) -> IsolatedConnection.Options {
    IsolatedConnection.Options(clock: clock) { log.note($0, "child", $1) }
  }

  /// Returns the parameters for starting a child host for the file at `path`.
  static func launch(
    _ path: String, name: String = "echo", limits: PluginReference.Limits = .init(), environment: [String] = []
  ) throws -> ChildLaunch {
    ChildLaunch(
      command: [program], name: name, path: path, file: try OpenFile(path), limits: limits, environment: environment)
  }

  /// The program beside the test bundle; the same build produces both.
  static let program: String = {
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (bundle as NSString).deletingLastPathComponent + "/PluginHostChild"
  }()

  /// Returns the only offer, or the one with this id.
  func offer(_ id: String? = nil) throws -> PluginOffer {
    try #require(connection.description.offers.first { id == nil || $0.id == id })
  }

  /// Returns an instance that has been started.
  @discardableResult
  func start(
    _ id: String? = nil, settings: JSONValue = [:], input: JSONValue = [:], access: PluginAccess = .none,
    events: RecordedEvents
  ) throws -> any PluginInstance {
    let instance = connection.create(try offer(id), settings: settings, access: access, events: events)
    instance.start(input)
    return instance
  }
}

/// A file that children inherit.
final class OpenFile: ChildLaunch.File {
  let descriptor: Int32

  init(_ path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestPluginError(message: "cannot open \(path)") }
  }

  deinit { close(descriptor) }
}
