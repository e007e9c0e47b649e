import HTTPOperations
import Testing

@Suite("Server-sent events")
struct ServerSentEventParserTests {
  private func events(_ text: String, pieces: Int = .max) throws -> [ServerSentEvent] {
    var parser = ServerSentEventParser()
    let bytes = Array(text.utf8)
    var events: [ServerSentEvent] = []
    let size = min(pieces, max(bytes.count, 1))
    for start in stride(from: 0, to: bytes.count, by: size) {
      events += try parser.read(bytes[start..<min(start + size, bytes.count)])
    }
    return events
  }

  @Test("The examples of the standard are parsed as it describes")
  func standard() throws {
    #expect(
      try events("data: YHOO\ndata: +2\ndata: 10\n\n") == [ServerSentEvent(data: "YHOO\n+2\n10")])
    #expect(
      try events(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n") == [
        ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event"),
      ])
    #expect(
      try events("data\n\ndata\ndata\n\ndata:") == [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")])
    #expect(
      try events("data:test\n\ndata: test\n\n") == [ServerSentEvent(data: "test"), ServerSentEvent(data: "test")])
  }

  @Test("A stream cut anywhere gives the same events, with every kind of line end")
  func cuts() throws {
    let text = "\u{FEFF}event: add\r\ndata: é\r\rid: 7\ndata: x\n\nevent: gone\n\ndata: y\r\n\r\n"
    let whole = [
      ServerSentEvent(type: "add", data: "é"), ServerSentEvent(data: "x", id: "7"), ServerSentEvent(data: "y", id: "7"),
    ]
    for size in 1...text.utf8.count { #expect(try events(text, pieces: size) == whole, "\(size)") }
  }

  @Test("A reconnection time has only digits, and an ID has no NUL")
  func fields() throws {
    var parser = ServerSentEventParser(lastEventID: "old")
    #expect(try parser.read(Array("retry: 1500\nretry: 2s\nretry:\nid: a\0b\n\n".utf8)) == [])
    #expect(parser.reconnectionTime == .milliseconds(1500))
    #expect(parser.lastEventID == "old")
    #expect(try parser.read(Array("retry: 99999999999999999999\nid: new\n\n".utf8)) == [])
    #expect(parser.reconnectionTime == .seconds(86_400))
    #expect(parser.lastEventID == "new")
  }

  @Test("An endless line or event is rejected")
  func limits() {
    var parser = ServerSentEventParser(limit: 10)
    #expect(throws: HTTPResultError.self) { try parser.read(Array("data: 12345".utf8)) }
    var other = ServerSentEventParser(limit: 10)
    #expect(throws: HTTPResultError.self) { try other.read(Array("data:1234\ndata:1234\ndata:1234\n".utf8)) }
  }
}
