import Glibc
import HTTPTypes
import OperationsTesting
import Synchronization
import Testing

@testable import HTTPOperations

/// Ten thousand broken responses with `PENSTOCK_SOAK=full`, otherwise some hundreds. `PENSTOCK_SOAK_SEED` and `PENSTOCK_SOAK_ROUND` repeat one.
@Suite("Broken responses", .timeLimit(.minutes(20)))
struct HTTPSoakTests {
  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  private static let seed = variable("PENSTOCK_SOAK_SEED").flatMap { UInt64($0) } ?? 20_261_122
  private static let rounds: Range<Int> = {
    if let round = variable("PENSTOCK_SOAK_ROUND").flatMap({ Int($0) }) { return round..<(round + 1) }
    return 0..<(variable("PENSTOCK_SOAK") == "full" ? 5000 : 250)
  }()

  @Test("any response over HTTP/1 is a result or an error, never a hang")
  func plain() async throws {
    try await run(MutatedResponses.plain, .http1_1)
  }

  @Test("any response over HTTP/2 is a result or an error, never a hang")
  func frames() async throws {
    try await run(MutatedResponses.frames, .http2PriorKnowledge)
  }

  private func run(_ corpus: [[UInt8]], _ version: HTTPVersionPolicy) async throws {
    let seed = Self.seed
    // The request is not read: each connection gets the response with its own number.
    let round = Mutex(Self.rounds.lowerBound)
    let server = try FaultServer { connection in
      let number = round.withLock { number in
        defer { number += 1 }
        return number
      }
      var random = SeededRandom(seed: seed, round: number)
      var rest = MutatedResponses.response(from: corpus, using: &random)[...]
      while !rest.isEmpty {
        let piece = rest.prefix(1 + random.next(below: rest.count * 2))
        guard connection.send(Array(piece)) else { return }
        rest = rest.dropFirst(piece.count)
      }
      // Unread data would reset the connection and discard what was sent.
      connection.endSending()
      connection.waitForEnd()
    }
    let client = HTTPClient()
    var request = HTTPTransferRequest(url: server.url)
    request.options.version = version
    request.options.redirects = .deliver
    request.options.limits = HTTPLimits(head: 16_384, body: 1 << 20, file: 1 << 20)
    // A wait of this length would never end.
    request.options.timeouts = HTTPTimeouts(
      connect: .seconds(60), firstByte: .seconds(60), idle: .seconds(60), total: .seconds(60))
    let (successes, failures) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      for worker in 0..<8 {
        group.addTask { [request] in
          var (successes, failures) = (0, 0)
          for number in Self.rounds where number % 8 == worker {
            let receiver = TestReceiver(number % 3 == 0 ? .memory : .chunks)
            do {
              let result = try await client.transfer(request, to: receiver)
              #expect((100...599).contains(result.head.status.code) || result.head.status.code > 599)
              successes += 1
            } catch let error as HTTPTransferError {
              let hangs = [.firstByteTimeout, .idleTimeout, .totalTimeout, .internalFailure].contains(error.code)
              #expect(!hangs, "\(error.code): \(error) with PENSTOCK_SOAK_SEED=\(seed), near round \(number)")
              failures += 1
            }
          }
          return (successes, failures)
        }
      }
      return try await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    }
    #expect(successes + failures == Self.rounds.count)
    if Self.rounds.count > 1 { #expect(successes > 0 && failures > 0, "\(successes) succeeded, \(failures) failed") }
    await client.shutdown()
  }

  @Test("any Location yields a request or an error")
  func locations() throws {
    var random = SeededRandom(seed: Self.seed)
    let corpus = [
      "http://127.0.0.1:80/a?b#c", "//host/path", "../x", "https://u:p@[::1]:8080/", "?q", "", "javascript:x",
      "http:///", "/%zz",
    ]
    .map { Array($0.utf8) }
    var followed = 0
    for _ in 0..<(Self.rounds.count * 8) {
      let location = String(decoding: MutatedResponses.response(from: corpus, using: &random), as: UTF8.self)
      var request = HTTPTransferRequest(
        url: "http://me:secret@127.0.0.1:80/base/", fields: [.authorization: "x", .cookie: "y"])
      request.options.redirects = .follow(allowsInsecure: true)
      let head = HTTPResponseHead(status: .found, fields: [.location: location], url: "")
      guard let next = try? RedirectRule.next(after: head, to: request, followed: 0) else { continue }
      followed += 1
      let target = try CurlURL(next.url)
      let stays = target.scheme == "http" && target.host == "127.0.0.1" && target.port == 80
      #expect((next.fields[.authorization] == "x") == stays, "\(location)")
      #expect((next.fields[.cookie] == "y") == stays, "\(location)")
      #expect((target.user == "me") == stays, "\(location)")
    }
    #expect(followed > Self.rounds.count / 4)
  }
}
