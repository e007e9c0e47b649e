import Glibc
import Testing

@testable import HTTPOperations

@Suite("A request for which the process has no descriptors") struct ClientShortageTests {
  /// A local port that accepts connections and never answers, so that its side needs no descriptors.
  private struct SilentPort {
    let number: UInt16

    init() {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = bind(listener, $0, size)
          _ = getsockname(listener, $0, &size)
        }
      }
      listen(listener, 64)
      number = UInt16(bigEndian: address.sin_port)
    }
  }

  /// Takes all descriptors that the process can have.
  private struct Descriptors {
    private var taken: [Int32] = []

    init() {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 256
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      while case let descriptor = dup(1), descriptor >= 0 { taken.append(descriptor) }
    }

    mutating func giveBackOne() { if let last = taken.popLast() { close(last) } }
  }

  /// Returns the failure of a request that gets no answer within 100 ms.
  private static func failure(_ url: String, by client: HTTPClient, body: HTTPTransferBody = .none) async
    -> HTTPTransferError?
  {
    var options = HTTPTransferOptions()
    options.timeouts.firstByte = .milliseconds(100)
    return await client.failure(HTTPTransferRequest(url: url, body: body, options: options))
  }

  @Test("fails for that reason, and begins as soon as there are enough") func each() async {
    await #expect(processExitsWith: .success) {
      let port = SilentPort().number
      var descriptors = Descriptors()
      for spare in 0..<12 {
        let error = await Self.failure("http://127.0.0.1:\(port)/", by: HTTPClient())
        if error?.code == .firstByteTimeout, error?.shortage == nil { exit(spare >= 2 ? 0 : 2) }
        guard error?.code == .internalFailure, error?.shortage == EMFILE,
          error?.message.hasSuffix(": Too many open files; raise the limit on open files (`ulimit -n`)") == true
        else { exit(3) }
        descriptors.giveBackOne()
      }
      exit(4)
    }
  }

  @Test("reports what it lacked, if the client already has its thread") func causes() async {
    await #expect(processExitsWith: .success) {
      let (port, client) = (SilentPort().number, HTTPClient())
      guard await Self.failure("http://127.0.0.1:\(port)/", by: client)?.code == .firstByteTimeout else { exit(2) }
      // Also takes what the first request used.
      let descriptors = Descriptors()
      let file = await Self.failure("http://127.0.0.1:\(port)/", by: client, body: .file(path: "/proc/self/exe"))
      guard file?.shortage == EMFILE, file?.code == .unreadableBody else { exit(3) }
      let socket = await Self.failure("http://127.0.0.1:\(port)/", by: client)
      guard socket?.shortage == EMFILE, socket?.message.hasPrefix("127.0.0.1:\(port): cannot open a socket: ") == true
      else { exit(4) }
      // The thread may have ended, released its descriptors, and must be created again.
      let name = await Self.failure("http://penstock.invalid:\(port)/", by: client)
      guard name?.shortage == EMFILE else { exit(5) }
      withExtendedLifetime(descriptors) {}
      exit(0)
    }
  }

  @Test("is retried") func retry() {
    let error = HTTPTransferError(.internalFailure, "no socket", shortage: EMFILE)
    #expect(HTTPRetryTable.kind(of: error) == .unreachable)
    #expect(!error.isUnreachable, "the network has nothing to do with it")
    #expect(HTTPRetryTable.kind(of: HTTPTransferError(.internalFailure, "other")) == .permanent)
  }
}
