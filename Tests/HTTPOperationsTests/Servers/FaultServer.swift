import CProcess
import Glibc
import Synchronization

/// A scripted server that sends exactly the given bytes. Each connection has its own thread, on which its script may block.
final class FaultServer: Sendable {
  /// The script of a connection, which is closed at its end.
  typealias Script = @Sendable (FaultConnection) -> Void

  let port: UInt16
  private let listener: Int32
  private let connections = Mutex(0)
  private let script: Script

  var url: String { "http://127.0.0.1:\(port)/" }
  /// The number of connections accepted.
  var accepted: Int { connections.withLock { $0 } }

  /// Creates a server whose connections all follow `script`.
  ///
  /// - Parameters:
  ///   - listens: Whether it accepts connections; if not, they are refused until ``listen()``.
  ///   - script: The script of a connection.
  /// - Throws: An error if there is no port.
  init(listens: Bool = true, _ script: @escaping Script) throws {
    (listener, port) = try Loopback.bind()
    self.script = script
    if listens { try listen() }
  }

  /// Starts accepting connections.
  func listen() throws {
    let (listener, script) = (listener, script)
    guard Glibc.listen(listener, 512) == 0 else { throw ServerFailure("nothing can listen on loopback: \(errno)") }
    let accept: @Sendable () -> Bool = { [weak self] in
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0, let self else {
        if descriptor >= 0 { close(descriptor) }
        return false
      }
      self.connections.withLock { $0 += 1 }
      TestThread.run {
        let connection = FaultConnection(descriptor)
        script(connection)
        connection.end()
      }
      return true
    }
    TestThread.run {
      while accept() {}
      close(listener)
    }
  }

  /// Creates a server that answers the first request of each connection with these bytes and closes the connection.
  convenience init(answering bytes: String) throws {
    try self.init { connection in
      connection.readHead()
      connection.send(bytes)
    }
  }

  deinit { Glibc.shutdown(listener, Int32(SHUT_RDWR)) }
}

/// A connection of a ``FaultServer``. Confined to its thread.
final class FaultConnection {
  private let descriptor: Int32
  private var rest: [UInt8] = []
  private var isOpen = true

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Reads a head; nil if the client closed the connection before it was complete.
  @discardableResult func readHead() -> String? {
    while true {
      if let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
        let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
        rest.removeSubrange(..<end.upperBound)
        return head
      }
      guard readMore() else { return nil }
    }
  }

  /// Reads `count` bytes, or fewer if the client closed the connection.
  func read(_ count: Int) -> [UInt8] {
    while rest.count < count, readMore() {}
    let bytes = Array(rest.prefix(count))
    rest.removeFirst(bytes.count)
    return bytes
  }

  /// Returns whether the client closes the connection or sends something within `milliseconds`.
  func isOver(within milliseconds: Int32) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, milliseconds) > 0
  }

  /// Waits until the client closes the connection.
  func waitForEnd() { while readMore() { rest = [] } }

  private func readMore() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = Glibc.recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    rest.append(contentsOf: buffer[..<count])
    return true
  }

  /// Returns false if the client has closed the connection.
  @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Resets the connection.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    end()
  }

  /// Shuts down the sending side of the connection.
  func endSending() { Glibc.shutdown(descriptor, Int32(SHUT_WR)) }

  func end() {
    guard isOpen else { return }
    isOpen = false
    close(descriptor)
  }
}

/// Threads that may block.
enum TestThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  static func run(_ body: @escaping @Sendable () -> Void) {
    let argument = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, argument.toOpaque())
    precondition(error == 0, "no thread for the test: \(error)")
    pthread_detach(thread)
  }

  /// Waits until a gate is opened, without blocking the task's own thread.
  static func wait(for gate: TestGate) async {
    await withCheckedContinuation { continuation in
      run {
        gate.pass()
        continuation.resume()
      }
    }
  }
}

/// A gate at which threads wait until a test opens it.
final class TestGate: Sendable {
  private let ends: (reading: Int32, writing: Int32)

  init() {
    var descriptors: [Int32] = [0, 0]
    let error = penstock_pipe(&descriptors)
    precondition(error == 0, "no pipe for the test")
    ends = (descriptors[0], descriptors[1])
  }

  deinit {
    close(ends.reading)
    close(ends.writing)
  }

  /// Lets one thread pass.
  func open() {
    var byte: UInt8 = 1
    _ = write(ends.writing, &byte, 1)
  }

  /// Blocks the thread until the gate is opened.
  func pass() {
    var byte: UInt8 = 0
    _ = read(ends.reading, &byte, 1)
  }
}
