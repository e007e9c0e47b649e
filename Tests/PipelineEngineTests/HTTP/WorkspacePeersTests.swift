import Foundation
import HTTPOperations
import Operations
import OperationsTesting
import Testing

@testable import PipelineEngine

/// Two hosts on one workspace, each with its own event loop.
@Suite("Successful requests in other processes")
struct WorkspacePeersTests {
  private let directory = NSTemporaryDirectory() + "penstock-peers-\(UUID().uuidString)"
  private let here = HTTPEndpoint(scheme: "http", host: "h", port: 80)

  private func host() throws -> (peers: HTTPPeers, loop: EventLoop) {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let loop = try EventLoop()
    try loop.start()
    let channel = WorkspacePeers(workspace: directory, loop: loop, paths: PathWatch(loop: loop))
    return (HTTPPeers(network: MockNetworkObserver(), channel: channel), loop)
  }

  private var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: directory + "/peers")) ?? []
  }

  @Test("a link in place of the directory leads to no file being created")
  func link() throws {
    let elsewhere = directory + "/elsewhere"
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    #expect(symlink(elsewhere, directory + "/peers") == 0)
    let (peers, loop) = try host()
    let waiting = peers.subscribeToSuccesses(at: here) {}
    #expect(files.isEmpty)
    waiting.cancel()
    loop.stop()
  }

  @Test("a success wakes waiters for the same endpoint in another host, and no others", .timeLimit(.minutes(10)))
  func wakes() async throws {
    let (first, second) = (try host(), try host())
    let (woken, wake) = AsyncStream<String>.makeStream()
    let waiting = first.peers.subscribeToSuccesses(at: here) { wake.yield("here") }
    let other = first.peers.subscribeToSuccesses(at: HTTPEndpoint(scheme: "http", host: "h", port: 81)) {
      wake.yield("elsewhere")
    }
    let last = first.peers.subscribeToSuccesses(at: HTTPEndpoint(scheme: "http", host: "h", port: 82)) {
      wake.yield("last")
    }
    second.peers.succeeded(at: here)
    second.peers.succeeded(at: HTTPEndpoint(scheme: "http", host: "h", port: 82))
    // In any order: one is noticed when its watch begins, the other by an event.
    var heard: Set<String> = []
    for await who in woken {
      heard.insert(who)
      if heard.isSuperset(of: ["here", "last"]) { break }
    }
    #expect(heard == ["here", "last"])
    waiting.cancel()
    other.cancel()
    last.cancel()
    first.loop.stop()
    second.loop.stop()
  }

  // A success within the same tick of the file system's clock would otherwise not change the time.
  @Test("a file begins with a time that no success sets")
  func past() async throws {
    let (first, second) = (try host(), try host())
    let waiting = first.peers.subscribeToSuccesses(at: here) {}
    func modified() throws -> TimeInterval? {
      let path = directory + "/peers/" + (try #require(files.first))
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return (attributes[.modificationDate] as? Date)?.timeIntervalSince1970
    }
    #expect(try modified() == 0)
    second.peers.succeeded(at: here)
    #expect(try modified() ?? 0 > 0)
    waiting.cancel()
    await settle(first.loop)
    first.loop.stop()
    second.loop.stop()
  }

  @Test("nothing is left behind, and nothing is written without a waiter", .timeLimit(.minutes(10)))
  func leavesNothing() async throws {
    let (first, second) = (try host(), try host())
    second.peers.succeeded(at: here)
    #expect(files.isEmpty)
    let one = first.peers.subscribeToSuccesses(at: here) {}
    let two = second.peers.subscribeToSuccesses(at: here) {}
    #expect(files.count == 1)
    one.cancel()
    await settle(first.loop)
    // The other one is still waiting.
    #expect(files.count == 1)
    two.cancel()
    await settle(second.loop)
    #expect(files.isEmpty)
    first.loop.stop()
    second.loop.stop()
  }

  /// Waits until the event loop has done what was passed to it.
  private func settle(_ loop: EventLoop) async {
    await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
  }
}
