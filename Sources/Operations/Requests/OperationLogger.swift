import Logging

extension OperationContext {
  private enum LoggerKey: Key {
    static let defaultValue = Logger(label: "penstock.operations") { _ in SwiftLogNoOpLogHandler() }
  }

  /// Where modifiers report what they do, at level `debug`. Says nothing by default: a library does not write to its
  /// host's log unasked.
  public var operationLogger: Logger {
    get { self[LoggerKey.self] }
    set { self[LoggerKey.self] = newValue }
  }
}
