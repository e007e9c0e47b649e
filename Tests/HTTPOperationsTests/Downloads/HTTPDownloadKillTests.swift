import Glibc
import OperationsTesting
import Testing

/// 200 MB and twenty kills with `PENSTOCK_SOAK=full`, otherwise a tenth and a quarter of that. `PENSTOCK_SOAK_SEED` repeats one.
@Suite("Downloads of killed processes", .timeLimit(.minutes(20)))
struct HTTPDownloadKillTests {
  private enum Happening { case reached, ended(Int32) }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  private static let seed = variable("PENSTOCK_SOAK_SEED").flatMap { UInt64($0) } ?? 20_261_122
  private static let isFull = variable("PENSTOCK_SOAK") == "full"

  @Test("A download killed repeatedly arrives intact, and little of it is sent twice")
  func killed() async throws {
    let (size, kills) = Self.isFull ? (200_000_000, 20) : (20_000_000, 5)
    let folder = try TemporaryFolder()
    let target = "\(folder.path)/content"
    // Each kill loses what is in transit: all kills together, a twentieth of the whole.
    let server = try DownloadServer(
      size: size, window: size / 20 / kills, storedIn: "\(folder.path)/.content.penstock-part")
    var random = SeededRandom(seed: Self.seed)
    for kill in 0..<kills {
      let position = (size / kills) * kill + random.next(below: size / kills)
      let happenings = AsyncStream<Happening>.makeStream()
      server.mark(position) { happenings.continuation.yield(.reached) }
      let child = try start(server.url, target, happenings.continuation)
      for await happening in happenings.stream {
        if case .ended(let status) = happening {
          #expect(status == SIGKILL, "the download ended by itself before \(position), seed \(Self.seed)")
          break
        }
        Glibc.kill(child, SIGKILL)
      }
      #expect(folder.content("content") == nil)
    }
    let happenings = AsyncStream<Happening>.makeStream()
    _ = try start(server.url, target, happenings.continuation)
    for await case .ended(let status) in happenings.stream {
      #expect(status == 0)
      break
    }
    #expect(server.isContent(of: target), "seed \(Self.seed)")
    #expect(folder.names == ["content"])
    #expect(server.sent <= size / 10 * 11, "\(server.sent) bytes were sent for \(size), seed \(Self.seed)")
    #expect(server.connections == kills + 1)
    #expect(server.parts <= kills && server.parts >= kills - 1, "\(server.parts)")
  }

  private func start(
    _ url: String, _ target: String, _ happenings: AsyncStream<Happening>.Continuation
  ) throws -> pid_t {
    let child = try TestProcess.start([TestProcess.sibling("HTTPChild"), "download", url, target])
    TestProcess.whenEnded(child) { happenings.yield(.ended($0)) }
    return child
  }
}
