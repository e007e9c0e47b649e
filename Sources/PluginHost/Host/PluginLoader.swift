import Glibc
import OperatingSystem
import Operations
import Synchronization
import Values

/// Finds, verifies, loads, runs and closes plugins. It may be used on any thread.
///
/// ```swift
/// let host = PluginLoader(PluginLoader.Configuration(directories: PluginDirectory.standard()))
/// let office = try host.plugin("calendar").specification("calendar.time-window", settings: ["from": "08:00"])
/// ```
public final class PluginLoader: Sendable {
  /// The configuration of a loader.
  public struct Configuration: Sendable {
    /// The directories that are searched for plugins by id, in order.
    public var directories: [PluginDirectory]
    /// The files that were named on a command line.
    public var files: [String]
    /// The program and arguments that start a child host; its end of the connection is descriptor 3.
    public var childHost: [String]
    /// The clock that plugins see, in this process and in child hosts, and that measures the limits of child hosts.
    public var clock: any PluginClock
    /// Called before a plugin is loaded into this process, for preparations of a program that has had its process to itself.
    public var willLoadIntoProcess: @Sendable () -> Void
    /// Called before a child host is started, for preparations of a program that hides its memory from its own children.
    public var willStartChildHost: @Sendable () -> Void
    /// Called with the lines that plugins log and with the host's observations about them; on any thread, including those of plugins, with no lock
    /// held. It must return at once.
    public var log: @Sendable (PluginLogLevel, _ plugin: String, _ message: String) -> Void
    /// Called instead of `log` with lines that concern a single pipeline. Default nil: `log` is called with those, too.
    public var pipelineLog:
      (@Sendable (PluginLogLevel, _ plugin: String, _ pipeline: String, _ message: String) -> Void)?
    /// Whether this process may open the files that loading another plugin takes.
    package var hasRoom: @Sendable () -> Bool = { DescriptorRoom.isThere(for: 16) }

    /// Creates a configuration; by default it has no plugins and no log.
    public init(
      directories: [PluginDirectory] = [], files: [String] = [], childHost: [String] = [],
      clock: any PluginClock = SystemPluginClock.shared,
      log: @escaping @Sendable (PluginLogLevel, _ plugin: String, _ message: String) -> Void = { _, _, _ in },
      willLoadIntoProcess: @escaping @Sendable () -> Void = {}, willStartChildHost: @escaping @Sendable () -> Void = {}
    ) {
      self.directories = directories
      self.files = files
      self.childHost = childHost
      self.clock = clock
      self.willLoadIntoProcess = willLoadIntoProcess
      self.willStartChildHost = willStartChildHost
      self.log = log
    }
  }

  /// The identity of a plugin: two uses with equal keys share it. In this process, a file is loaded once for all its uses.
  private struct Key: Hashable {
    var path: String
    var isolation: PluginReference.Isolation
    var limits = PluginReference.Limits()
    var environment: [String] = []

    init(path: String, _ reference: PluginReference, _ isolation: PluginReference.Isolation) {
      self.path = path
      self.isolation = isolation
      guard isolation == .process else { return }
      limits = reference.limits
      environment = reference.environment
    }
  }

  private struct State {
    var seats: [Key: PluginSeat] = [:]
    var isShutDown = false
  }

  /// The configuration of this loader.
  public let configuration: Configuration
  private let finder: PluginFinder
  private let connector: PluginConnector
  private let state = Mutex(State())

  /// Creates a loader that has loaded nothing yet.
  public convenience init(_ configuration: Configuration) {
    self.init(configuration, connector: PluginConnector(configuration))
  }

  init(_ configuration: Configuration, connector: PluginConnector) {
    self.configuration = configuration
    self.connector = connector
    finder = PluginFinder(configuration)
  }

  /// Returns the plugin with this id, loading it if necessary.
  ///
  /// A file is loaded once for each kind of isolation. If it has changed since, it is loaded again: the plugin object stays the same, its new
  /// instances run the new code, and the old code retires with its last instance.
  ///
  /// The calling thread waits while the file is read and loaded: some milliseconds, plus the time that the plugin's `open` takes.
  ///
  /// - Parameters:
  ///   - id: The plugin's id, or that of one of its offers.
  ///   - reference: Where it is, and how to run it.
  /// - Returns: The plugin.
  /// - Throws: The reason why it cannot be used. A plugin that was loaded before its file changed keeps running.
  public func plugin(_ id: String, _ reference: PluginReference = PluginReference()) throws(PluginError) -> Plugin {
    let file: PluginFile
    if let path = reference.path {
      file = try PluginFile(at: path, origin: .pipeline)
    } else {
      file = try finder.find(id)
    }
    let plugin = try plugin(in: file, reference)
    let wanted = PluginFinder.plugin(of: id)
    guard plugin.id == wanted else {
      throw PluginError(
        .notFound,
        "\(file.foundPath.quotedForMessage) is the plugin '\(plugin.id)', not \(wanted.quotedForMessage); "
          + "use its own id, or correct the path")
    }
    return plugin
  }

  /// Returns the plugin in a file, whatever its id, loading it if necessary.
  ///
  /// - Parameters:
  ///   - file: The file that was found; the path of `reference` is ignored.
  ///   - reference: How to run it.
  /// - Returns: The plugin.
  /// - Throws: The reason why it cannot be used.
  public func plugin(
    in file: PluginFile, _ reference: PluginReference = PluginReference()
  ) throws(PluginError) -> Plugin {
    let isolation = isolation(reference, file)
    guard let seat = seat(Key(path: file.path, reference, isolation)) else { throw closed }
    let plugin = try seat.plugin { (former) throws(PluginError) in
      try load(file, reference, isolation, former: former)
    }
    // The loader was shut down meanwhile and will not close this plugin.
    guard !state.withLock({ $0.isShutDown }) else {
      plugin.connection.retire()
      throw closed
    }
    return plugin
  }

  /// Reloads every plugin whose file has changed.
  ///
  /// - Returns: The plugins that run new code from now on, and the errors of those that keep running the old code.
  @discardableResult
  public func reloadChanged() -> (reloaded: [Plugin], errors: [PluginError]) {
    var reloaded: [Plugin] = []
    var errors: [PluginError] = []
    for seat in state.withLock({ Array($0.seats.values) }) {
      guard let plugin = seat.loaded else { continue }
      let former = plugin.sha256
      do throws(PluginError) {
        let origin = plugin.file.origin
        let file = try PluginFile(at: plugin.file.foundPath, origin: origin, isStandard: plugin.file.isStandard)
        _ = try seat.plugin { (loaded) throws(PluginError) in
          try load(file, seat.reference ?? PluginReference(), plugin.isolation, former: loaded)
        }
        if plugin.sha256 != former { reloaded.append(plugin) }
      } catch {
        errors.append(error)
      }
    }
    return (reloaded, errors)
  }

  /// Returns the plugin with this id or, if its file can no longer be loaded (because it is half written, for example), the plugin that the same
  /// reference loaded before.
  ///
  /// - Throws: As ``plugin(_:_:)``, if nothing was loaded before.
  package func pluginOrFormer(_ id: String, _ reference: PluginReference) throws(PluginError) -> Plugin {
    do throws(PluginError) {
      return try plugin(id, reference)
    } catch {
      if let former = former(id, reference) { return former }
      // The shortage may have affected any of the files involved.
      throw configuration.hasRoom() ? error : PluginError(error.code, error.message, isShortage: true)
    }
  }

  /// Returns the plugin that was loaded from the same file in the same way, even if the file has changed since.
  private func former(_ id: String, _ reference: PluginReference) -> Plugin? {
    // A plugin that is found by id counts only at the path where it is found now.
    let found = reference.path == nil ? try? finder.find(id) : nil
    guard reference.path != nil || found != nil else { return nil }
    return state.withLock { Array($0.seats) }.lazy.compactMap { key, seat -> Plugin? in
      guard let plugin = seat.loaded, plugin.id == PluginFinder.plugin(of: id),
        found.map({ key.path == $0.path }) ?? (reference.path == plugin.file.foundPath),
        key == Key(path: key.path, reference, self.isolation(reference, plugin.file)),
        reference.pins.allSatisfy({ $0.hashes.contains(plugin.sha256) })
      else { return nil }
      return plugin
    }.first
  }

  private func isolation(_ reference: PluginReference, _ file: PluginFile) -> PluginReference.Isolation {
    reference.isolation ?? (file.isStandard ? .host : .process)
  }

  /// The loaded plugins, sorted by id.
  public var plugins: [Plugin] {
    state.withLock { $0.seats.values.compactMap(\.loaded) }.sorted { $0.id < $1.id }
  }

  /// Ends all instances with the failure `plugin-closed`, and closes all plugins. Nothing can be loaded afterwards.
  public func shutDown() async {
    let seats = state.withLock { state in
      state.isShutDown = true
      defer { state.seats = [:] }
      return Array(state.seats.values)
    }
    await withTaskGroup { group in
      for seat in seats {
        guard let plugin = seat.loaded else { continue }
        group.addTask { await plugin.connection.close() }
      }
    }
  }

  private var closed: PluginError { PluginError(.closed, "no plugin can be loaded: the host is shutting down") }

  private func seat(_ key: Key) -> PluginSeat? {
    state.withLock { state in
      guard !state.isShutDown else { return nil }
      if let seat = state.seats[key] { return seat }
      let seat = PluginSeat()
      state.seats[key] = seat
      return seat
    }
  }

  /// Loads the file unless it is the one that was loaded. Only one thread at a time does this for a seat.
  private func load(
    _ file: PluginFile, _ reference: PluginReference, _ isolation: PluginReference.Isolation, former: Plugin?
  ) throws(PluginError) -> (Plugin, PluginReference) {
    let pins = reference.pins
    if let former, former.file.identity == file.identity, pins.allSatisfy({ $0.hashes.contains(former.sha256) }) {
      return (former, reference)
    }
    // A plugin that is loaded for the first time brings its own libdispatch, which terminates the process if it cannot open a descriptor.
    guard former != nil || configuration.hasRoom() else {
      throw PluginError(
        .unreadable,
        "cannot load plugin \(file.foundPath.quotedForMessage): \(SystemError.textWithAdvice(of: EMFILE))",
        isShortage: true)
    }
    let verified = try connector.verify(file, pins)
    let source = Plugin.Source(file: file, sha256: try verified.sha256(), isolation: isolation)
    if let former, former.sha256 == source.sha256 {
      former.note(file)
      return (former, reference)
    }
    let connection: any PluginConnection
    switch isolation {
    case .process: connection = try connector.isolated(verified, reference, former)
    case .host:
      // A damaged object can crash the process in its initialisers or in the dynamic linker.
      if !file.isStandard { try connector.probe(verified) }
      connection = try connector.inProcess(verified, !file.isStandard || former != nil)
    }
    guard let former else { return (Plugin(connection, source, clock: configuration.clock), reference) }
    guard former.id == connection.description.id else {
      connection.retire()
      throw PluginError(
        .notFound,
        "\(file.foundPath.quotedForMessage) contained the plugin '\(former.id)' and now contains '\(connection.description.id)'; "
          + "restart the host, or give the files different names")
    }
    former.replace(by: connection, source)
    configuration.log(
      .info, former.id,
      "reloaded from \(file.foundPath.quotedForMessage), version \(connection.description.version)")
    return (former, reference)
  }
}
