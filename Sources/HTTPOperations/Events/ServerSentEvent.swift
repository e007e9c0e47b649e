/// A server-sent event.
public struct ServerSentEvent: Sendable, Hashable {
  /// The type of the event; `message` unless the server sets another.
  public var type: String
  /// The data; lines are separated by line feeds.
  public var data: String
  /// The ID of the last event that had one, including this one; empty if there is none.
  public var id: String

  /// Creates an event.
  public init(type: String = "message", data: String, id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }
}
