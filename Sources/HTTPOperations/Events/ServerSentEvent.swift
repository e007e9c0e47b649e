/// One event of a stream of server-sent events.
public struct ServerSentEvent: Sendable, Hashable {
  /// What kind of event it is; `message` unless the server says otherwise.
  public var type: String
  /// What it brings; lines are separated by line feeds.
  public var data: String
  /// The id of the last event that had one, this one included; empty without any.
  public var id: String

  /// An event.
  public init(type: String = "message", data: String, id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }
}
