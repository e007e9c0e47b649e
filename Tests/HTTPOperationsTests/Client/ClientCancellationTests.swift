import CProcess
import Glibc
import HTTPOperations
import HTTPTypes
import Testing

@Suite("Ending transfers from outside")
struct ClientCancellationTests {
  @Test(
    "cancelling a task ends its transfer and closes the connection", arguments: ["", "HTTP/1.1 200 OK\r\n\r\nsome"])
  func cancelled(answer: String) async throws {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send(answer)
      begin.yield()
      connection.waitForEnd()
      end.yield()
    }
    let client = HTTPClient()
    let url = server.url
    let task = Task { try await client.transfer(HTTPTransferRequest(url: url), to: HTTPMemoryReceiver()) }
    for await _ in begun { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    for await _ in ended { break }
  }

  @Test("a task cancelled before it begins does not connect")
  func cancelledBefore() async throws {
    let server = try FaultServer { _ in }
    let client = HTTPClient()
    let url = server.url
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.transfer(HTTPTransferRequest(url: url), to: HTTPMemoryReceiver())
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.accepted == 0)
  }

  @Test("cancelling during a name lookup does not wait for the result", .timeLimit(.minutes(1)))
  func cancelledLookup() async throws {
    let folder = try TestFolder()
    // A lookup that never ends and reports that it has begun. It runs in a separate process because libcurl waits for a lookup that is still running.
    try folder.write(
      """
      #include <fcntl.h>
      #include <stdlib.h>
      #include <unistd.h>
      int getaddrinfo(const char *name, const char *service, const void *hints, void **result) {
        close(open(getenv("LOOKUP"), O_WRONLY));
        for (;;) pause();
      }
      """, to: "endless.c")
    try ServerProcess.run("cd '\(folder.path)' && cc -shared -fPIC -o endless.so endless.c && mkfifo began")
    var ends: [Int32] = [0, 0]
    try #require(penstock_pipe(&ends) == 0)
    let (input, cancel) = (ends[0], ends[1])
    defer { close(cancel) }
    let child = try TestProcess.start(
      [
        "/usr/bin/env", "LD_PRELOAD=\(folder.path)/endless.so", "LOOKUP=\(folder.path)/began",
        TestProcess.sibling("HTTPChild"), "cancel", "http://nowhere.invalid/",
      ], input: input)
    close(input)
    let (statuses, ended) = AsyncStream.makeStream(of: Int32.self)
    TestProcess.whenEnded(child) { ended.yield($0) }
    defer { kill(child, SIGKILL) }
    let began = "\(folder.path)/began"
    TestThread.run {
      close(open(began, O_RDONLY))
      write(cancel, "x", 1)
    }
    for await status in statuses {
      #expect(status == 0)
      break
    }
  }

  @Test("cancelling one of many transfers does not affect the others")
  func oneOfMany() async throws {
    let gate = TestGate()
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let server = try FaultServer { connection in
      connection.readHead()
      begin.yield()
      gate.pass()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let client = HTTPClient()
    let url = server.url
    let tasks = (0..<5).map { _ in Task { try await client.text(HTTPTransferRequest(url: url)) } }
    var waiting = 0
    for await _ in begun {
      waiting += 1
      if waiting == 5 { break }
    }
    tasks[2].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[2].value }
    for _ in 0..<5 { gate.open() }
    for index in [0, 1, 3, 4] { #expect(try await tasks[index].value == "ok") }
  }

  @Test("shutting down ends all current and later transfers")
  func shutdown() async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let server = try FaultServer { connection in
      connection.readHead()
      begin.yield()
      connection.waitForEnd()
    }
    let client = HTTPClient()
    let request = HTTPTransferRequest(url: server.url)
    async let failure = client.failure(request)
    for await _ in begun { break }
    await client.shutdown()
    #expect(await failure?.code == .clientClosed)
    #expect(await client.failure(request)?.code == .clientClosed)
    await client.shutdown()
  }

  @Test("an unused client shuts down immediately")
  func unused() async {
    await HTTPClient().shutdown()
  }

  @Test("a released client closes its connections")
  func letGo() async throws {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      connection.waitForEnd()
      end.yield()
    }
    #expect(try await HTTPClient().text(HTTPTransferRequest(url: server.url)) == "ok")
    for await _ in ended { break }
  }

  @Test("an idle client closes its connections and opens new ones when needed")
  func idle() async throws {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      connection.waitForEnd()
      end.yield()
    }
    var configuration = HTTPClientConfiguration()
    configuration.idleTime = .milliseconds(20)
    let client = HTTPClient(configuration)
    for _ in 0..<3 {
      #expect(try await client.text(HTTPTransferRequest(url: server.url)) == "ok")
      for await _ in ended { break }
    }
    #expect(server.accepted == 3)
  }

  @Test("transfers that begin while the thread is ending are not lost")
  func idleRace() async throws {
    let server = try FaultServer { connection in
      while connection.readHead() != nil { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
    }
    var configuration = HTTPClientConfiguration()
    configuration.idleTime = .zero
    let client = HTTPClient(configuration)
    let request = HTTPTransferRequest(url: server.url)
    for _ in 0..<300 { #expect(try await client.text(request) == "ok") }
  }

  @Test("cancelling at any instant yields a result or CancellationError")
  func anyInstant() async throws {
    let server = try FaultServer { connection in
      while connection.readHead() != nil {
        guard connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
          connection.send([UInt8](repeating: 1, count: 100_000))
        else { return }
      }
    }
    let client = HTTPClient()
    let url = server.url
    for round in 0..<400 {
      let task = Task {
        var request = HTTPTransferRequest(url: url)
        request.options.window = 10_000
        return try await client.transfer(request, to: TestReceiver())
      }
      for _ in 0..<(round % 40) { await Task.yield() }
      task.cancel()
      switch await task.result {
      case .success(let result): #expect(result.statistics.bytesDelivered == 100_000)
      case .failure(let error): #expect(error is CancellationError, "\(error)")
      }
    }
  }
}
