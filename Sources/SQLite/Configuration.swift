/// The settings of a database connection.
public struct Configuration: Sendable {
  /// Whether the connection is read-only. Defaults to false.
  public var readonly = false
  /// The label of the connection's queue, for debugging.
  public var label = "sqlite"
  /// Called when another connection holds a lock, with the number of earlier calls for this lock. Returns whether to retry. Nil (the default) fails at once.
  public var busy: (@Sendable (_ tries: Int) -> Bool)?

  var preparations: [@Sendable (Database) throws -> Void] = []

  /// Creates the default settings.
  public init() {}

  /// Adds a closure that is called with each connection after it is opened and before anything is read.
  public mutating func prepareDatabase(_ body: @escaping @Sendable (Database) throws -> Void) {
    preparations.append(body)
  }
}
