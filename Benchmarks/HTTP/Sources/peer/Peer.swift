import AsyncHTTPClient
import Glibc
import NIOCore
import Synchronization

/// The same as `transfers requests`, by async-http-client with its default threads.
@main
struct Peer {
  /// What is left to be sent, and how much has come.
  private final class Progress: Sendable {
    let left: Atomic<Int>
    let bytes = Atomic(0)

    init(_ count: Int) { left = Atomic(count) }
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, arguments[1] == "requests", let count = Int(arguments[3]),
      let concurrency = Int(arguments[4])
    else {
      print("usage: peer requests URL COUNT CONCURRENCY")
      exit(2)
    }
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = concurrency
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let url = arguments[2]
    @Sendable func run(_ count: Int) async throws -> Int {
      let progress = Progress(count)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<concurrency {
          group.addTask {
            while progress.left.subtract(1, ordering: .relaxed).newValue >= 0 {
              let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
              let body = try await response.body.collect(upTo: 1 << 20)
              progress.bytes.add(body.readableBytes, ordering: .relaxed)
            }
          }
        }
        try await group.waitForAll()
      }
      return progress.bytes.load(ordering: .relaxed)
    }
    _ = try await run(concurrency * 4)
    let start = ContinuousClock.now
    let bytes = try await run(count)
    let seconds = start.duration(to: .now) / .seconds(1)
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let processor =
      Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
      / 1e6
    print("seconds \(seconds)\nprocessor \(processor)\nbytes \(bytes)")
    try await client.shutdown()
  }
}
