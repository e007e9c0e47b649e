/// Reads a stream of server-sent events as the HTML standard says (WHATWG, 9.2.6), piece by piece.
///
/// Bytes that are not UTF-8 become U+FFFD. What the stream ends with before an empty line is no event.
public struct ServerSentEventParser: Sendable {
  /// The most bytes of one line, and of the data of one event. 1 MiB by default.
  public let limit: Int
  /// The id of the last event that had one.
  public private(set) var lastEventID: String
  /// How long to wait before connecting again, as the server last said; nil where it has not.
  public private(set) var reconnectionTime: Duration?

  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var type = ""
  private var id: String
  private var isAtStart = true
  private var endedWithReturn = false

  /// A parser at the beginning of a stream.
  ///
  /// - Parameters:
  ///   - lastEventID: The id that an earlier stream ended with.
  ///   - limit: The most bytes of one line, and of the data of one event.
  public init(lastEventID: String = "", limit: Int = 1024 * 1024) {
    self.lastEventID = lastEventID
    self.limit = limit
    id = lastEventID
  }

  /// Reads on.
  ///
  /// - Parameter bytes: The next piece of the stream, cut anywhere.
  /// - Returns: The events that it completes.
  /// - Throws: ``HTTPResultError`` of code `undecodable` where a line or an event is longer than the limit.
  public mutating func read(_ bytes: some Sequence<UInt8>) throws -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    var rest = Array(bytes)[...]
    while let event = try next(in: &rest) { events.append(event) }
    return events
  }

  /// Reads on up to the end of the next event.
  ///
  /// - Parameter bytes: The next piece of the stream, cut anywhere. What has been read is taken away from it.
  /// - Returns: The event; nil where the piece ends before one does.
  /// - Throws: ``HTTPResultError`` of code `undecodable` where a line or an event is longer than the limit.
  public mutating func next(in bytes: inout ArraySlice<UInt8>) throws -> ServerSentEvent? {
    while let first = bytes.first {
      // The second half of CR LF may come with the next piece.
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
      // More digits than a number can hold are a day, as is everything longer.
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
