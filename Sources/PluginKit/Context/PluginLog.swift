/// Lines for the host's log. Those of an operation are in its log in the history.
public struct PluginLog: Sendable {
  /// How important a line is.
  public enum Level: Int32, Sendable, Hashable, Comparable, CaseIterable {
    /// For the plugin's author.
    case debug
    /// What went on.
    case info
    /// Something that people should look at, while the work goes on.
    case warning
    /// Something did not work.
    case error

    /// Less important is less.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  private let write: @Sendable (Level, String, [String: JSONValue]) -> Void

  /// A log that hands its lines to `write`, on the thread of whoever logs.
  public init(_ write: @escaping @Sendable (_ level: Level, _ message: String, _ fields: [String: JSONValue]) -> Void) {
    self.write = write
  }

  /// A log that nobody reads.
  public static let discarding = PluginLog { _, _, _ in }

  /// Writes a line.
  ///
  /// - Parameters:
  ///   - level: How important it is.
  ///   - message: Plain text.
  ///   - fields: What programs may look for.
  public func log(_ level: Level, _ message: String, _ fields: [String: JSONValue] = [:]) {
    write(level, message, fields)
  }

  /// Writes a line for the plugin's author.
  public func debug(_ message: String, _ fields: [String: JSONValue] = [:]) { log(.debug, message, fields) }
  /// Writes what went on.
  public func info(_ message: String, _ fields: [String: JSONValue] = [:]) { log(.info, message, fields) }
  /// Writes what people should look at, while the work goes on.
  public func warning(_ message: String, _ fields: [String: JSONValue] = [:]) { log(.warning, message, fields) }
  /// Writes that something did not work.
  public func error(_ message: String, _ fields: [String: JSONValue] = [:]) { log(.error, message, fields) }
}
