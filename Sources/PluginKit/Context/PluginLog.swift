/// The host's log. An operation's lines are in its log in the history.
public struct PluginLog: Sendable {
  /// The severity of a line.
  public enum Level: Int32, Sendable, Hashable, Comparable, CaseIterable {
    /// For the plugin's author.
    case debug
    /// Information about the normal course of the work.
    case info
    /// A problem that deserves attention but does not interrupt the work.
    case warning
    /// A failure.
    case error

    /// Orders levels by severity.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  private let write: @Sendable (Level, String, [String: JSONValue]) -> Void

  /// Creates a log that passes its lines to `write`, on the calling thread.
  public init(_ write: @escaping @Sendable (_ level: Level, _ message: String, _ fields: [String: JSONValue]) -> Void) {
    self.write = write
  }

  /// A log that discards its lines.
  public static let discarding = PluginLog { _, _, _ in }

  /// Writes a line.
  ///
  /// - Parameters:
  ///   - level: The severity.
  ///   - message: Plain text.
  ///   - fields: Values for programs.
  public func log(_ level: Level, _ message: String, _ fields: [String: JSONValue] = [:]) {
    write(level, message, fields)
  }

  /// Writes a line for the plugin's author.
  public func debug(_ message: String, _ fields: [String: JSONValue] = [:]) { log(.debug, message, fields) }
  /// Writes a line about the normal course of the work.
  public func info(_ message: String, _ fields: [String: JSONValue] = [:]) { log(.info, message, fields) }
  /// Writes a line about a problem that deserves attention but does not interrupt the work.
  public func warning(_ message: String, _ fields: [String: JSONValue] = [:]) { log(.warning, message, fields) }
  /// Writes a line about a failure.
  public func error(_ message: String, _ fields: [String: JSONValue] = [:]) { log(.error, message, fields) }
}
