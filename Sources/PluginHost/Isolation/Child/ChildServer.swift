import CProcess
import Glibc
import OperatingSystem
import Synchronization
import Values

/// Executes a host's requests in its child host.
///
/// One thread reads messages and calls the plugin, in the order of the messages. The plugin's events are written by the thread that reports them:
/// if the host does not read, that thread blocks, and the child needs no memory for a backlog.
final class ChildServer: Sendable {
  /// Invariant: an instance is in `instances` until it has ended or was destroyed. The one that is being created is `beginning`, which becomes 0 if
  /// the instance ends before it is stored.
  private struct Table {
    var instances: [UInt64: any PluginInstance] = [:]
    var beginning: UInt64 = 0
    /// Whether the host knows that a call of the plugin does not return: it starts new instances elsewhere, as well as those that had not begun by then.
    var isStuck = false
    var questions: [UInt64: CheckedContinuation<ServiceAnswer, Never>] = [:]
    var lastQuestion: UInt64 = 0
  }

  private let socket: Int32
  private let load: ChildHost.Loader
  private let table = Mutex(Table())
  /// Held while a message is written, so that messages do not interleave.
  private let writing = Mutex(())
  /// The host's clock, if the plugin uses it. Set before the plugin is loaded.
  private let hostClock = Mutex<HostClock?>(nil)
  /// The plugin's calls that were in progress at the last pings.
  private let hangs = Mutex(HangWatch())

  init(socket: Int32, load: @escaping ChildHost.Loader) {
    self.socket = socket
    self.load = load
  }

  /// Reads and executes requests until the connection ends.
  func serve() -> Never {
    CallWatchdog.shared.whenHanging { [self] in hangs(in: $0.function) }
    var decoder = FrameDecoder()
    var connection: (any PluginConnection)?
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    var wait = MessageWait()
    while true {
      let count = wait.wait(
        look: { () -> Int? in
          let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
          return count < 0 && errno == EAGAIN ? nil : count
        },
        sleep: { recv(socket, buffer.baseAddress, buffer.count, 0) })
      if count < 0, errno == EINTR { continue }
      // The host has ended, or no longer needs this child. Nothing depends on the plugin's state any more.
      if count == 0 { _exit(0) }
      guard count > 0 else {
        ChildHost.complain("cannot read from the host: \(SystemError.text(of: errno))")
        _exit(ChildHost.protocolError)
      }
      decoder.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      do throws(WireError) {
        while let frame = try decoder.next() { try handle(HostMessage(frame), &connection) }
      } catch {
        ChildHost.complain("the host sent \(error)")
        _exit(ChildHost.protocolError)
      }
    }
  }

  // MARK: Requests from the host

  private func handle(_ message: HostMessage, _ connection: inout (any PluginConnection)?) throws(WireError) {
    if case .hello(let hello) = message {
      guard connection == nil else { throw WireError("a second 'hello'") }
      connection = begin(hello)
      return
    }
    guard let connection else { throw WireError("a message before 'hello'") }
    switch message {
    case .hello: break
    case .begin(let id, let offer, let settings, let input, let keepsSignals):
      let events = ChildEvents(server: self, id: id, keepsSignals: keepsSignals)
      begin(events, try self.offer(offer, for: id, connection), settings, input, connection)
    case .check(let id, let offer, let settings):
      check(id, try self.offer(offer, for: id, connection), settings, nil, connection)
    case .foresee(let id, let offer, let settings, let question):
      check(id, try self.offer(offer, for: id, connection), settings, question, connection)
    case .stop(let id, let nanoseconds):
      table.withLock { $0.instances[id] }?.stop(grace: .nanoseconds(Int64(clamping: nanoseconds)))
    case .destroy(let id): table.withLock { $0.instances.removeValue(forKey: id) }?.destroy()
    case .answer(let question, let answer):
      table.withLock { $0.questions.removeValue(forKey: question) }?.resume(returning: answer)
    case .ping(let number):
      // This thread works, or it would not read. Timers and answers call the plugin on other threads.
      let calls = CallWatchdog.shared.callsUnderWay()
      let hanging = hangs.withLock { $0.look(calls) }
      send(hanging.map { .hanging(ping: number, call: $0) } ?? .pong(number))
    case .woken(let number): hostClock.withLock { $0 }?.woken(number)
    case .settled(let id, let number): table.withLock { $0.instances[id] }?.settled(Int(number))
    case .close:
      // Usually no instances are left, and the child exits here: there may be no memory left for a task.
      connection.retire()
      if (connection as? InProcessConnection)?.isClosed == true { exit(0) }
      Task {
        await connection.close()
        exit(0)
      }
    }
  }

  /// Returns the offer at this index, for a new instance.
  private func offer(
    _ number: Int, for id: UInt64, _ connection: any PluginConnection
  ) throws(WireError) -> PluginOffer {
    let offers = connection.description.offers
    guard offers.indices.contains(number) else { throw WireError("the unknown offer \(number)") }
    guard id != 0, table.withLock({ $0.instances[id] == nil }) else { throw WireError("a second instance \(id)") }
    return offers[number]
  }

  private func begin(_ hello: ChildHello) -> any PluginConnection {
    let error = penstock_limit_process(hello.memory, hello.descriptors)
    if error != 0 {
      refuse(PluginError(.childHost, "the child host cannot limit itself: \(SystemError.text(of: error))"))
    }
    do throws(PluginError) {
      let (connection, isNewer) = try load(hello, clock(hello)) { [self] level, message in
        send(.logged(id: 0, level, message, nil))
      }
      send(.ready(connection.description.source, isNewer: isNewer))
      return connection
    } catch {
      refuse(error)
    }
  }

  private func clock(_ hello: ChildHello) -> any PluginClock {
    guard hello.clock == .host else { return SystemPluginClock.shared }
    _ = fcntl(ChildHost.clock, F_SETFD, FD_CLOEXEC)
    let clock = HostClock(socket: ChildHost.clock) { [self] in send($0) }
    hostClock.withLock { $0 = clock }
    return clock
  }

  private func refuse(_ error: PluginError) -> Never {
    send(.refused(error))
    _exit(0)
  }

  private func begin(
    _ events: ChildEvents, _ offer: PluginOffer, _ settings: JSONValue, _ input: JSONValue,
    _ connection: any PluginConnection
  ) {
    let id = events.id
    let access = PluginAccess(
      secrets: { [self] name async throws(PluginAccessError) in try await ask(.secret(name), for: id) },
      storage: ChildStorage(server: self, instance: id))
    hold(events, input) { connection.create(offer, settings: settings, access: access, events: events) }
  }

  private func check(
    _ id: UInt64, _ offer: PluginOffer, _ settings: JSONValue, _ question: InstantsQuestion?,
    _ connection: any PluginConnection
  ) {
    let events = ChildEvents(server: self, id: id, keepsSignals: false)
    hold(events, nil) { connection.trial(offer, settings: settings, question: question, events: events) }
  }

  /// Creates an instance, and starts it if there is an input.
  private func hold(_ events: ChildEvents, _ input: JSONValue?, _ make: () -> any PluginInstance) {
    let id = events.id
    let isRefused = table.withLock { table in
      if !table.isStuck { table.beginning = id }
      return table.isStuck
    }
    if isRefused { return }
    let instance = make()
    let hasEnded = table.withLock { table in
      guard table.beginning == id else { return true }
      table.beginning = 0
      table.instances[id] = instance
      return false
    }
    if hasEnded { instance.destroy() } else if let input { instance.start(input) }
  }

  /// Reports that a call of the plugin has not returned for long, so that the host need not find out by waiting for answers.
  private func hangs(in function: PluginFunction) {
    if function == .close { return }
    if function.isOfLoading { return send(.hanging(ping: 0, call: "'\(function.rawValue)'")) }
    let begun = table.withLock { table -> [UInt64]? in
      guard !table.isStuck else { return nil }
      table.isStuck = true
      return Array(table.instances.keys) + (table.beginning == 0 ? [] : [table.beginning])
    }
    if let begun { send(.stuck(begun: begun)) }
  }

  // MARK: Messages to the host

  /// Sends a message; blocks if the host does not read.
  func send(_ message: ChildMessage) {
    let bytes = message.bytes
    writing.withLock { _ in
      var offset = 0
      while offset < bytes.count {
        let count = bytes.withUnsafeBytes { bytes in
          Glibc.send(socket, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 {
          offset += count
        } else if errno != EINTR {
          // The reading thread notices it too, and ends the process.
          return
        }
      }
    }
  }

  /// Reports the end of an instance and destroys it, so that the host need not request that.
  func ended(_ id: UInt64, _ outcome: Result<JSONValue?, PluginFailure>) {
    switch outcome {
    case .success(let value): send(.completed(id: id, value))
    case .failure(let failure): send(.failed(id: id, failure))
    }
    let instance = table.withLock { table in
      let instance = table.instances.removeValue(forKey: id)
      if table.beginning == id { table.beginning = 0 }
      return instance
    }
    instance?.destroy()
  }

  /// Sends a question to the host and returns the answer.
  func ask(_ question: ServiceRequest.Question, for instance: UInt64) async throws(PluginAccessError) -> String {
    let answer = await withCheckedContinuation { continuation in
      let number = table.withLock { table in
        table.lastQuestion += 1
        table.questions[table.lastQuestion] = continuation
        return table.lastQuestion
      }
      send(.request(number: number, ServiceRequest(instance: instance, question)))
    }
    return try answer.get()
  }
}

/// Sends the events of an instance to the host.
private final class ChildEvents: PluginInstanceEvents {
  private let server: ChildServer
  let id: UInt64
  let keepsSignals: Bool

  init(server: ChildServer, id: UInt64, keepsSignals: Bool) {
    self.server = server
    self.id = id
    self.keepsSignals = keepsSignals
  }

  func ended(_ outcome: Result<JSONValue?, PluginFailure>) { server.ended(id, outcome) }
  func progressed(_ progress: JSONValue) { server.send(.progressed(id: id, progress)) }
  func yielded(_ signal: PluginSignal) { server.send(.yielded(id: id, signal)) }
  func changed(_ isSatisfied: Bool?, reason: String) { server.send(.changed(id: id, isSatisfied, reason: reason)) }
  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) {
    server.send(.logged(id: id, level, message, fields))
  }
}

/// The plugin's durable values, which are stored by the host.
private struct ChildStorage: PluginStorage {
  let server: ChildServer
  let instance: UInt64

  func value(of key: String) async throws(PluginAccessError) -> JSONValue {
    let text = try await server.ask(.value(key: key), for: instance)
    guard let value = try? JSONValue.parse(text) else { throw .unavailable }
    return value
  }

  func set(_ value: JSONValue?, for key: String) async throws(PluginAccessError) {
    _ = try await server.ask(.set(key: key, value), for: instance)
  }

  func keys(beginningWith prefix: String) async throws(PluginAccessError) -> [String] {
    let text = try await server.ask(.keys(prefix: prefix), for: instance)
    guard let keys = (try? JSONValue.parse(text))?.arrayValue?.compactMap(\.stringValue) else { throw .unavailable }
    return keys
  }
}
