/// How a connection is set up.
public struct Configuration: Sendable {
  /// Whether it cannot write. Default false.
  public var readonly = false
  /// The name of its queue, for people who debug.
  public var label = "sqlite"
  /// Asked where another connection is in the way, with how often that was so: whether to look again. Nil (the default) gives up at once.
  public var busy: (@Sendable (_ tries: Int) -> Bool)?

  var preparations: [@Sendable (Database) throws -> Void] = []

  /// The defaults.
  public init() {}

  /// Adds what is done with each connection after it was opened, before anything is read.
  public mutating func prepareDatabase(_ body: @escaping @Sendable (Database) throws -> Void) {
    preparations.append(body)
  }
}
