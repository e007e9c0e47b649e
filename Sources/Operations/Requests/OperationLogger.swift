import Logging

extension OperationContext {
  private enum LoggerKey: Key {
    static let defaultValue = Logger(label: "penstock.operations") { _ in SwiftLogNoOpLogHandler() }
  }

  /// The logger to which modifiers report what they do, at level `debug`. Discards everything by default, because a
  /// library should not write to its host's log unless asked to.
  public var operationLogger: Logger {
    get { self[LoggerKey.self] }
    set { self[LoggerKey.self] = newValue }
  }
}
