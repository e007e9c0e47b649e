import CProcess
import Glibc
import OperatingSystem
import Synchronization

/// A child host from its host's side: the process, the connection to it, and its output.
///
/// Members marked *on the thread* may only be called on the connection's ``ChildThread``; the others from any thread.
final class ChildProcess: @unchecked Sendable {
  // @unchecked: everything but `outgoing` and the constants is accessed only on the thread.

  /// Invariant: `socket` is open, or -1. While bytes wait, the thread watches for writability.
  private struct Outgoing {
    var socket: Int32
    var queue = OutgoingQueue()
    var token: ChildThread.Token = 0
  }

  /// How long a process may keep running after the end of its connection.
  private static let timeToEnd = Duration.seconds(1)

  private let thread: ChildThread
  private let clock: any PluginClock
  private let room: OutgoingQueue.Room
  private let outgoing: Mutex<Outgoing>
  private let pid: Int32
  private let descriptor: Int32
  private let output: Int32
  /// Nil if the child uses the system's clock, as this process does.
  private let lentClock: LentClock?
  private let memory: MemoryWatch
  private let memoryLimit: Int64
  private var decoder = FrameDecoder()
  private var lines = ChildOutput()
  private var tokens: [ChildThread.Token] = []
  private var reason: ChildEnd.Reason?
  private var alarm: PluginAlarm?
  private var isReading = true
  private var hasEnded = false

  /// Called with each message. *On the thread.*
  var onMessage: (ChildMessage) -> Void = { _ in }
  /// Called when the child has read everything that was waiting. *On the thread.*
  var onRoom: () -> Void = {}
  /// Called with each line of the child's output. *On the thread.*
  var onLine: (String) -> Void = { _ in }
  /// Called with the end, after all messages. *On the thread.*
  var onEnd: (ChildEnd) -> Void = { _ in }

  /// Starts a child host and sends the hello message. *On the thread.*
  init(
    _ launch: ChildLaunch, on thread: ChildThread, options: IsolatedConnection.Options
  ) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    let error = penstock_socket_pair(&ends)
    guard error == 0 else { throw SystemError("socketpair", error) }
    do throws(SystemError) {
      var pipe = try OutputPipe()
      lentClock = try LentClock.lend(options.pluginClock)
      (pid, descriptor) = try launch.spawn(socket: ends[1], output: pipe.writeEnd, clock: lentClock?.childEnd)
      output = pipe.takeReadEnd()
    } catch {
      Self.close(ends)
      throw error
    }
    Glibc.close(ends[1])
    lentClock?.closeChildEnd()
    memoryLimit = launch.limits.memory ?? ChildLaunch.defaultMemory
    memory = MemoryWatch(
      pid: pid, limit: memoryLimit, file: launch.file.descriptor, groups: options.controlGroups)
    self.thread = thread
    clock = options.clock
    room = options.room
    outgoing = Mutex(Outgoing(socket: ends[0]))
    do throws(SystemError) {
      let socket = ends[0]
      let token = try thread.watch(socket) { [self] events in
        if events & EPOLLOUT.rawValue != 0 { writeMore() }
        if events & ~EPOLLOUT.rawValue != 0 { readMessages(socket) }
      }
      tokens.append(token)
      outgoing.withLock { $0.token = token }
      tokens.append(try thread.watch(output) { [self] _ in readOutput() })
      tokens.append(try thread.watch(descriptor) { [self] _ in end() })
      if let lentClock { try lend(lentClock) }
      if let token = try memory.begin(on: thread, exceeded: { [self] in kill(.tooLarge($0)) }) { tokens.append(token) }
    } catch {
      for token in tokens { thread.unwatch(token) }
      Glibc.kill(-pid, SIGKILL)
      waitpid(pid, nil, 0)
      _ = memory.end()
      Self.close([ends[0], output, descriptor])
      throw error
    }
    send(.hello(launch.hello(clock: lentClock == nil ? .system : .host)))
  }

  private func lend(_ clock: LentClock) throws(SystemError) {
    let index = tokens.count
    let token = try thread.watch(clock.socket) { [self] _ in
      do throws(WireError) {
        guard try !clock.answer(on: thread) else { return }
      } catch {
        kill(.garbage(error.description))
      }
      thread.unwatch(tokens[index])
    }
    tokens.append(token)
  }

  /// Sends a message without ever blocking.
  func send(_ message: HostMessage) {
    _ = send(message.bytes, limited: false)
  }

  /// Sends a message, unless too many bytes are already waiting for the child.
  ///
  /// - Returns: Whether it was sent.
  func sendIfRoom(_ message: HostMessage) -> Bool {
    send(message.bytes, limited: true)
  }

  /// Whether so few bytes are waiting for the child that more messages may be prepared.
  var hasRoom: Bool { outgoing.withLock { $0.queue.count <= room.limit } }

  private func send(_ bytes: [UInt8], limited: Bool) -> Bool {
    outgoing.withLock { outgoing in
      guard outgoing.socket >= 0 else { return true }
      if limited, outgoing.queue.count > room.limit { return false }
      guard outgoing.queue.count + bytes.count <= room.most else {
        let waiting = outgoing.queue.count
        thread.execute { [self] in kill(.notReading(waiting)) }
        return true
      }
      let hadNothing = outgoing.queue.count == 0
      outgoing.queue.write(bytes, to: outgoing.socket)
      if hadNothing, outgoing.queue.count > 0 { thread.watchForRoom(outgoing.socket, outgoing.token, true) }
      return true
    }
  }

  /// Kills the process and its descendants at once. *On the thread.*
  func kill(_ why: ChildEnd.Reason) {
    guard !hasEnded else { return }
    if reason == nil { reason = why }
    Glibc.kill(-pid, SIGKILL)
  }

  /// Asks the process to end, and kills it if it does not. *On the thread.*
  func close(_ limits: ChildTimeLimits) {
    guard !hasEnded, reason == nil else { return }
    reason = .unneeded
    send(.close)
    // This object lives until the process has ended: the thread retains it.
    alarm = clock.wake(after: limits.close) { [self] in
      thread.execute { [self] in terminate(limits) }
    }
  }

  private func terminate(_ limits: ChildTimeLimits) {
    guard !hasEnded else { return }
    Glibc.kill(-pid, SIGTERM)
    alarm = clock.wake(after: limits.terminate) { [self] in thread.execute { [self] in kill(.unneeded) } }
  }

  // MARK: On the thread

  private func writeMore() {
    let isEmpty = outgoing.withLock { outgoing in
      guard outgoing.socket >= 0 else { return false }
      outgoing.queue.writeMore(to: outgoing.socket)
      if outgoing.queue.count == 0 { thread.watchForRoom(outgoing.socket, outgoing.token, false) }
      return outgoing.queue.count == 0
    }
    if isEmpty { onRoom() }
  }

  /// Reads once. At the end of the stream, or after an invalid message, the process is ended.
  ///
  /// - Returns: Whether there may be more.
  @discardableResult
  private func readMessages(_ socket: Int32) -> Bool {
    let outcome = thread.read({ recv(socket, $0, $1, Int32(MSG_DONTWAIT)) }, { decoder.append($0) })
    do throws(WireError) {
      while let frame = try decoder.next() { try take(ChildMessage(frame)) }
    } catch {
      stopReading()
      kill(.garbage(error.description))
      return false
    }
    guard outcome == .end else { return outcome == .more }
    stopReading()
    // The process is nearly always ending, which is reported in a moment. If it only closed its connection, it is of no more use.
    alarm?.cancel()
    alarm = clock.wake(after: Self.timeToEnd) { [self] in thread.execute { [self] in kill(.closedConnection) } }
    return false
  }

  private func take(_ message: ChildMessage) throws(WireError) {
    // This object lives while the thread watches it, and cancels its alarms when it ends.
    let isForClock = try lentClock?.take(message) { [self] number in
      thread.execute { [self] in
        if lentClock?.remove(number) == true { send(.woken(number)) }
      }
    }
    if isForClock != true { onMessage(message) }
  }

  private func stopReading() {
    isReading = false
    let token = outgoing.withLock { $0.token }
    thread.unwatch(token)
    decoder = FrameDecoder()
  }

  private func readOutput() {
    while true {
      let outcome = thread.read({ Glibc.read(output, $0, $1) }) { bytes in
        lines.append(bytes, now: clock.monotonic(), tell: onLine)
      }
      if outcome == .end, let token = tokens.dropFirst().first { thread.unwatch(token) }
      if outcome != .more { return }
    }
  }

  /// Handles the end of the process. Its id stays allocated until it is reaped, so its group can still be killed.
  private func end() {
    guard !hasEnded else { return }
    Glibc.kill(-pid, SIGKILL)
    var exit = penstock_exit()
    let reaped = penstock_reap(descriptor, &exit)
    guard reaped != EAGAIN, reaped != EINTR else { return }
    let socket = outgoing.withLock { $0.socket }
    // Messages sent before the end count.
    if reason == nil || reason == .unneeded, isReading { while readMessages(socket) {} }
    hasEnded = true
    readOutput()
    lines.finish(now: clock.monotonic(), tell: onLine)
    for token in tokens { thread.unwatch(token) }
    if memory.end(), exit.signal == SIGKILL, reason == nil { reason = .tooLarge(memoryLimit) }
    outgoing.withLock { $0 = Outgoing(socket: -1) }
    Self.close([socket, output, descriptor])
    lentClock?.end()
    alarm?.cancel()
    let code = reaped == 0 && exit.signal == 0 ? exit.exit_code : nil
    let onEnd = onEnd
    (onMessage, onRoom, onLine, self.onEnd) = ({ _ in }, {}, { _ in }, { _ in })
    onEnd(ChildEnd(exitCode: code, signal: exit.signal, reason: reason, lastLine: lines.lastLine))
  }

  private static func close(_ descriptors: [Int32]) {
    for descriptor in descriptors where descriptor >= 0 { Glibc.close(descriptor) }
  }
}
