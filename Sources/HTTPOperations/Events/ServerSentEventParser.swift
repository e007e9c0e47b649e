/// An incremental parser for server-sent events as specified by the HTML standard (WHATWG, 9.2.6).
///
/// Bytes that are not UTF-8 become U+FFFD. An event that is incomplete at the end of the stream, without an empty line, is discarded.
public struct ServerSentEventParser: Sendable {
  /// The maximum number of bytes of one line, and of the data of one event. Defaults to 1 MiB.
  public let limit: Int
  /// The ID of the last event that had one.
  public private(set) var lastEventID: String
  /// The reconnection time that the server last set; nil if it has not.
  public private(set) var reconnectionTime: Duration?

  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var type = ""
  private var id: String
  private var isAtStart = true
  private var endedWithReturn = false

  /// Creates a parser for the beginning of a stream.
  ///
  /// - Parameters:
  ///   - lastEventID: The last ID of an earlier stream.
  ///   - limit: The maximum number of bytes of one line, and of the data of one event.
  public init(lastEventID: String = "", limit: Int = 1024 * 1024) {
    self.lastEventID = lastEventID
    self.limit = limit
    id = lastEventID
  }

  /// Parses the next piece of the stream.
  ///
  /// - Parameter bytes: The piece, which may begin and end anywhere.
  /// - Returns: The events that it completes.
  /// - Throws: ``HTTPResultError`` of code `undecodable` if a line or an event is longer than the limit.
  public mutating func read(_ bytes: some Sequence<UInt8>) throws -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    var rest = Array(bytes)[...]
    while let event = try next(in: &rest) { events.append(event) }
    return events
  }

  /// Parses up to the end of the next event.
  ///
  /// - Parameter bytes: The next piece of the stream, which may begin and end anywhere. The bytes that were parsed are removed.
  /// - Returns: The event; nil if the piece ends before one is complete.
  /// - Throws: ``HTTPResultError`` of code `undecodable` if a line or an event is longer than the limit.
  public mutating func next(in bytes: inout ArraySlice<UInt8>) throws -> ServerSentEvent? {
    while let first = bytes.first {
      // The second half of CR LF may be in the next piece.
      if endedWithReturn {
        endedWithReturn = false
        if first == 0x0A {
          bytes.removeFirst()
          continue
        }
      }
      let end = bytes.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex
      let part = bytes[..<end]
      guard part.count <= limit - line.count else { throw tooLong("a line") }
      line += part
      bytes = bytes[end...]
      guard let lineEnd = bytes.popFirst() else { return nil }
      endedWithReturn = lineEnd == 0x0D
      if let event = try endLine() { return event }
    }
    return nil
  }

  private mutating func endLine() throws -> ServerSentEvent? {
    defer { line.removeAll(keepingCapacity: true) }
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    guard !line.isEmpty else { return dispatch() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    guard colon > 0 else { return nil }
    var value = line[min(colon + 1, line.endIndex)...]
    if value.first == 0x20 { value.removeFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "event": type = String(decoding: value, as: UTF8.self)
    case "data":
      data += value
      data.append(0x0A)
      hasData = true
      guard data.count <= limit else { throw tooLong("an event") }
    case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
    case "retry":
      guard !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) else { break }
      // Any time of more than a day, including one that overflows, is limited to a day.
      let milliseconds = Int64(String(decoding: value, as: UTF8.self)) ?? .max
      reconnectionTime = .milliseconds(min(milliseconds, 86_400_000))
    default: break
    }
    return nil
  }

  private mutating func dispatch() -> ServerSentEvent? {
    lastEventID = id
    defer {
      data.removeAll(keepingCapacity: true)
      hasData = false
      type = ""
    }
    guard hasData else { return nil }
    return ServerSentEvent(
      type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self), id: id)
  }

  private func tooLong(_ what: String) -> HTTPResultError {
    HTTPResultError(.undecodable, "\(what) of the stream has more than \(limit) bytes")
  }
}
