import Glibc
import Testing

@testable import LinuxObservers
@testable import Operations

@Suite("Network tables")
struct NetworkTablesTests {
  private let loopback = NetworkTables.Link(isUp: true, isRunning: true, isLoopback: true)
  private let running = NetworkTables.Link(isUp: true, isRunning: true, isLoopback: false)
  private let noCarrier = NetworkTables.Link(isUp: true, isRunning: false, isLoopback: false)
  private let v4 = UInt8(AF_INET)
  private let v6 = UInt8(AF_INET6)

  private func status(
    _ links: [Int32: NetworkTables.Link], _ addresses: [(Int32, UInt8)] = [],
    _ routes: [(UInt8, [Int32])] = []
  ) -> NetworkConnectionStatus {
    NetworkTables(
      links: links, addresses: addresses.map { NetworkTables.Address(link: $0.0, family: $0.1) },
      defaultRoutes: routes.map { NetworkTables.DefaultRoute(family: $0.0, links: $0.1) }
    ).status
  }

  @Test("Without a link that carries traffic the status is disconnected, whatever the routes")
  func disconnected() {
    #expect(status([:]) == .disconnected)
    #expect(status([1: loopback], [(1, v4)], [(v4, [1])]) == .disconnected)
    #expect(status([1: loopback, 2: noCarrier], [(2, v4)], [(v4, [2])]) == .disconnected)
  }

  @Test("A link without an address, a route, or both of one family requires connection")
  func requiresConnection() {
    #expect(status([2: running]) == .requiresConnection)
    #expect(status([2: running], [(2, v4)]) == .requiresConnection)
    #expect(status([2: running], [], [(v4, [2])]) == .requiresConnection)
    #expect(status([2: running], [(2, v6)], [(v4, [2])]) == .requiresConnection)
    #expect(status([2: running, 3: noCarrier], [(2, v4)], [(v4, [3])]) == .requiresConnection)
  }

  @Test("A default route over a link that carries traffic, with an address of its family, means connected")
  func connected() {
    #expect(status([2: running], [(2, v4)], [(v4, [2])]) == .connected)
    #expect(status([2: running], [(2, v6)], [(v4, [2]), (v6, [2])]) == .connected)
    #expect(status([2: running, 3: noCarrier], [(2, v4)], [(v4, [3, 2])]) == .connected)
    #expect(status([2: running], [(2, v4)], [(v4, [])]) == .connected)
    #expect(status([1: loopback, 2: running], [(1, v4)], [(v4, [2])]) == .connected)
  }

  @Test("An address on a link that is down does not count")
  func down() {
    let down = NetworkTables.Link(isUp: false, isRunning: false, isLoopback: false)
    #expect(status([2: running, 3: down], [(3, v4)], [(v4, [2])]) == .requiresConnection)
  }

  @Test("Bytes truncated at any position are read as far as they go")
  func truncated() throws {
    // One message of type 16 with a body of 8 bytes, and the start of another.
    let bytes: [UInt8] =
      [24, 0, 0, 0, 16, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8] + [99, 0, 0, 0, 16]
    for count in 0...bytes.count {
      bytes.prefix(count).withUnsafeBytes { buffer in
        var tables = NetworkTables()
        var messages = 0
        for message in NetlinkMessages(UnsafeRawBufferPointer(rebasing: buffer[...])) {
          messages += 1
          #expect(message.body.count == 8)
          #expect(!tables.isAffected(by: message))
          tables.take(message)
        }
        #expect(messages == (count < 24 ? 0 : 1))
        #expect(tables == NetworkTables())
      }
    }
  }

  @Test("Arbitrary bytes are handled safely")
  func noise() {
    // A fixed seed, so that failures are reproducible.
    var random = OperationRandom(seed: 2026)
    for _ in 0..<2_000 {
      var bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if bytes.count >= 16 {
        bytes.replaceSubrange(
          0..<6, with: [UInt8(min(bytes.count, 255)), 0, 0, 0, [16, 20, 24].randomElement(using: &random) ?? 16, 0])
      }
      bytes.withUnsafeBytes { buffer in
        var tables = NetworkTables()
        for message in NetlinkMessages(buffer) {
          _ = tables.isAffected(by: message)
          tables.take(message)
        }
        _ = tables.status
      }
    }
  }
}
