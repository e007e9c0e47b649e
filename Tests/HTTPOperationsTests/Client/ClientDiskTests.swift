import CProcess
import Glibc
import HTTPOperations
import HTTPTypes
import Synchronization
import Testing

/// A pipe simulates a hanging disk: a write to it blocks until the test reads.
@Suite("Disks that hang", .enabled(if: NginxServer.isExpected, "nginx is not installed"))
struct ClientDiskTests {
  let client = HTTPClient()

  /// A pipe that is read when the test starts it.
  private final class SlowFile: Sendable {
    let descriptor: Int32
    private let reading: Int32
    private let count = Mutex(0)
    private let isDry = TestGate()

    init() throws {
      var ends: [Int32] = [0, 0]
      guard penstock_pipe(&ends) == 0 else { throw ServerFailure("no pipe for the test: \(errno)") }
      (reading, descriptor) = (ends[0], ends[1])
    }

    deinit { close(reading) }

    /// Starts reading until the other end is closed.
    func drain() {
      TestThread.run { [self] in
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          let bytes = read(reading, &buffer, buffer.count)
          guard bytes > 0 else { break }
          count.withLock { $0 += bytes }
        }
        isDry.open()
      }
    }

    /// Closes the end for writing.
    ///
    /// - Returns: The number of bytes read.
    func end() -> Int {
      close(descriptor)
      isDry.pass()
      return count.withLock { $0 }
    }
  }

  @Test("a file whose writes block does not delay other transfers")
  func writing() async throws {
    let server = try NginxServer.shared
    let file = try SlowFile()
    async let stalled = client.transfer(
      HTTPTransferRequest(url: "\(server.url)/bytes"), to: TestReceiver(.file(descriptor: file.descriptor)))
    for _ in 0..<50 {
      #expect(try await client.text(HTTPTransferRequest(url: "\(server.url)/small.txt")) == "small")
    }
    file.drain()
    #expect(try await stalled.statistics.bytesDelivered == 1_000_000)
    #expect(file.end() == 1_000_000)
  }

  @Test("a small body that expands greatly is written completely, however slow the file is")
  func expansion() async throws {
    let folder = try TestFolder()
    try ServerProcess.run("head -c 100000000 /dev/zero | gzip -9 > '\(folder.path)/zeros'")
    let bytes = try folder.read("zeros")
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n")
      connection.send(bytes)
      connection.waitForEnd()
    }
    let file = try SlowFile()
    file.drain()
    let result = try await client.transfer(
      HTTPTransferRequest(url: server.url), to: TestReceiver(.file(descriptor: file.descriptor)))
    #expect(result.statistics.bytesDelivered == 100_000_000)
    #expect(file.end() == 100_000_000)
  }

  @Test("a body of which a few bytes expand to gigabytes is rejected, and memory use stays low")
  func steepExpansion() async throws {
    // A Zstandard frame whose 4-byte blocks stand for 128 KiB each.
    var bytes: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]
    for _ in 0..<10_000 { bytes += [0x02, 0x00, 0x10, 0x00] }
    bytes += [0x03, 0x00, 0x00, 0x00]
    let isAsked = Mutex(false)
    let server = try FaultServer { [bytes] connection in
      let accepts = connection.readHead()?.lowercased().contains("zstd") == true
      isAsked.withLock { $0 = accepts }
      let encoding = accepts ? "Content-Encoding: zstd\r\n" : ""
      connection.send("HTTP/1.1 200 OK\r\n\(encoding)Content-Length: \(bytes.count)\r\n\r\n")
      connection.send(bytes)
      connection.waitForEnd()
    }
    let failure = await client.failure(HTTPTransferRequest(url: server.url), to: TestReceiver(.chunks))
    // A libcurl without Zstandard does not request it.
    #expect((failure != nil) == isAsked.withLock { $0 })
    guard let failure else { return }
    #expect(failure.code == .bodyTooLarge)
    #expect(failure.message.contains("expand to more than 64 MiB"))
    #expect(failure.bytesDelivered < 1_000_000)
  }

  @Test("a transfer to a file whose writes block is cancelled when the write returns")
  func cancellation() async throws {
    let server = try NginxServer.shared
    let file = try SlowFile()
    let hasBegun = TestGate()
    let transfer = Task { [client] in
      try await client.transfer(
        HTTPTransferRequest(url: "\(server.url)/zeros"),
        to: TestReceiver(.file(descriptor: file.descriptor), onHead: { _ in hasBegun.open() }))
    }
    await TestThread.wait(for: hasBegun)
    transfer.cancel()
    file.drain()
    await #expect(throws: CancellationError.self) { _ = try await transfer.value }
    #expect(file.end() < NginxServer.zeros)
  }

  @Test("a file that is not in memory is sent completely", arguments: ["/tmp", "/dev/shm"])
  func reading(place: String) async throws {
    // The first file is dropped from the page cache; for the second, the kernel cannot report what is cached.
    let server = try NginxServer.shared
    let folder = try TestFolder(in: place)
    let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 9) }
    try folder.write(bytes, to: "body")
    let descriptor = open("\(folder.path)/body", O_RDONLY)
    fsync(descriptor)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    close(descriptor)
    let name = "put/disk\(place.replacing("/", with: "-"))"
    let result = try await client.transfer(
      HTTPTransferRequest(method: .put, url: "\(server.url)/\(name)", body: .file(path: "\(folder.path)/body")),
      to: HTTPMemoryReceiver())
    #expect(result.head.status.code == 201)
    #expect(result.statistics.bytesSent == Int64(bytes.count))
    #expect(try server.folder.read("files/\(name)") == bytes)
  }
}
