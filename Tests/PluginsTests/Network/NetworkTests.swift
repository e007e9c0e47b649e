import Foundation
import PluginKit
import PluginKitTesting
import Synchronization
import Testing

@testable import NetworkPlugin

/// A network whose state a test sets.
private final class NetworkByHand: NetworkObserver {
  private struct State {
    var status = NetworkConnectionStatus.disconnected
    var lastID = 0
    var handlers: [Int: @Sendable (NetworkConnectionStatus) -> Void] = [:]
  }

  private let state = Mutex(State())

  var currentStatus: NetworkConnectionStatus { state.withLock { $0.status } }

  func become(_ status: NetworkConnectionStatus) {
    let handlers = state.withLock { state in
      state.status = status
      return state.handlers
    }
    for (_, handler) in handlers { handler(status) }
  }

  func subscribe(with handler: @escaping @Sendable (NetworkConnectionStatus) -> Void) -> OperationSubscription {
    let id = state.withLock { state in
      state.lastID += 1
      state.handlers[state.lastID] = handler
      return state.lastID
    }
    return OperationSubscription { [self] in state.withLock { _ = $0.handlers.removeValue(forKey: id) } }
  }
}

private enum NetworkInTest: Plugin {
  static let id = Network.id
  static let version = "1.0.0"
  static let summary = "For tests"
  static let network = NetworkByHand()
  static let offers: [Offer] = Network.offers(of: network)
}

/// A port of this computer that accepts connections until it is closed.
private final class Listener {
  private(set) var descriptor: Int32
  let port: UInt16

  init(port: UInt16 = 0) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = descriptor
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, length) == 0 && getsockname(number, $0, &length) == 0
      }
    }
    try #require(bound && listen(descriptor, 16) == 0)
    self.port = UInt16(bigEndian: address.sin_port)
  }

  func end() {
    guard descriptor >= 0 else { return }
    // A process that another test is just starting may have a copy until it executes its program; if the port were only closed, it would accept
    // connections until then.
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
    descriptor = -1
  }

  deinit { end() }
}

@Suite("The network", .serialized, .timeLimit(.minutes(5)))
struct NetworkTests {
  private let host: TestPluginHost
  private let network = NetworkInTest.network

  init() throws { host = try TestPluginHost(NetworkInTest.self) }

  private func changes(_ instance: TestInstance) -> [Bool?] {
    instance.events.compactMap { if case .changed(let value, _) = $0 { .some(value) } else { nil } }
  }

  @Test("network.connected follows the network at once")
  func connected() async throws {
    network.become(.disconnected)
    let instance = try host.specification("network.connected")
    instance.start()
    #expect(changes(instance) == [false])
    network.become(.connected)
    network.become(.requiresConnection)
    #expect(changes(instance) == [false, true, false])
    instance.stop()
    _ = try await instance.end()
    network.become(.connected)
    #expect(changes(instance) == [false, true, false])
  }

  @Test("network.reachable is unknown until the first attempt, and reports since when it has its value")
  func reachable() async throws {
    let listener = try Listener()
    let instance = try host.specification(
      "network.reachable", with: ["host": "127.0.0.1", "port": .int(Int64(listener.port)), "interval": "30s"])
    instance.start()
    let place = "127.0.0.1:\(listener.port)"
    await instance.tells(.changed(true, reason: "\(place) accepts connections since 2001-09-09T01:46:40Z"))
    // The absence of an attempt is not an answer.
    #expect(instance.events.count == 1)
    // Not just any timer: that of the first attempt may still exist.
    await host.clock.hasTimer(at: host.clock.now.advanced(by: .seconds(30)))
    listener.end()
    host.clock.advance(by: .seconds(30))
    await instance.tells(
      .changed(
        false, reason: "\(place) cannot be reached since 2001-09-09T01:47:10Z: connect failed: Connection refused"))
    instance.destroy()
    #expect(host.faults.isEmpty)
  }

  @Test("A change of the network triggers an attempt at once")
  func change() async throws {
    var listener = try Listener()
    let port = listener.port
    listener.end()
    let instance = try host.specification(
      "network.reachable", with: ["host": "127.0.0.1", "port": .int(Int64(port)), "interval": "1h"])
    instance.start()
    _ = await instance.events(until: { if case .changed(false, _) = $0 { true } else { false } })
    await host.clock.hasTimers()
    listener = try Listener(port: port)
    network.become(network.currentStatus == .connected ? .disconnected : .connected)
    _ = await instance.events(until: { if case .changed(true, _) = $0 { true } else { false } })
    instance.destroy()
    listener.end()
  }

  @Test("Invalid settings are refused by name")
  func settings() {
    #expect(throws: PluginProblem("invalid-settings", setting: "port", "0 is not a port; it must be from 1 to 65535")) {
      try ReachableSettings(settings: ["host": "localhost", "port": 0])
    }
    #expect(
      throws: PluginProblem(
        "invalid-settings", setting: "host",
        "it is not the name of a host; use a name or an address such as example.org or 192.0.2.1")
    ) {
      try ReachableSettings(settings: ["host": "two words", "port": 80])
    }
  }
}
