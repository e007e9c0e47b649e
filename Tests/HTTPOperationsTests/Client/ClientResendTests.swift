import HTTPOperations
import HTTPTypes
import OperationsTesting
import Testing

@Suite("Requests after others to the same server")
struct ClientResendTests {
  @Test("A request that may have been processed is not sent again because the connection was reused")
  func notTwice() async throws {
    let log = Log<String>()
    // Answers GET, and closes the connection after reading any other request.
    let server = try FaultServer { connection in
      while let method = connection.readHead()?.prefix(while: { $0 != " " }) {
        log.append(String(method))
        guard method == "GET" else { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere")
      }
    }
    let client = HTTPClient()
    for method in [HTTPRequest.Method.post, .patch] {
      _ = try await client.transfer(HTTPTransferRequest(url: server.url), to: HTTPMemoryReceiver())
      let request = HTTPTransferRequest(method: method, url: server.url, body: .bytes(Array("charge".utf8)))
      let error = await #expect(throws: HTTPTransferError.self) {
        try await client.transfer(request, to: HTTPMemoryReceiver())
      }
      #expect(error?.code == .connectionLost)
    }
    #expect(log.elements == ["GET", "POST", "GET", "PATCH"])
    await client.shutdown()
  }
}
