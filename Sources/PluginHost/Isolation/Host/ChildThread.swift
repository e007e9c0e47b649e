import CProcess
import Glibc
import OperatingSystem
import Synchronization

/// The thread on which a connection starts its child hosts, reads their messages, and is notified of their ends.
///
/// It sleeps in `epoll` without a timeout, and lives as long as its connection and its children. It cannot be a pool's thread: the kernel ends a
/// child when the thread that started it ends, rather than the process.
///
/// Members marked *on the thread* may only be called from handlers and calls that run on it; the others from any thread.
final class ChildThread: @unchecked Sendable {
  // @unchecked: `handlers`, `lastToken` and `buffer` are accessed only on the thread; other threads use `inbox`.

  typealias Token = UInt64

  private struct Inbox {
    var calls: [@Sendable () -> Void] = []
    var isStopping = false
    /// Later calls are run by their callers: there are no children left.
    var hasEnded = false
  }

  private let inbox = Mutex(Inbox())
  private let epoll: Int32
  private let wake: WakeDescriptor
  private var handlers: [Token: (descriptor: Int32, body: (_ events: UInt32) -> Void)] = [:]
  private var lastToken: Token = 0
  /// The buffer that descriptors are read into.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

  /// Starts the thread.
  ///
  /// - Throws: The error's number if the process has no descriptors or threads left.
  init() throws(SystemError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else {
      let error = errno
      buffer.deallocate()
      throw SystemError("epoll_create1", error)
    }
    do throws(SystemError) {
      wake = try WakeDescriptor()
    } catch {
      Glibc.close(epoll)
      buffer.deallocate()
      throw error
    }
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
    epoll_ctl(epoll, EPOLL_CTL_ADD, wake.number, &event)
    try SystemThread.detach("penstock-child", blocking: .allButFaults) { self.run() }
  }

  deinit {
    Glibc.close(epoll)
    buffer.deallocate()
  }

  /// Schedules `body` to run soon on the thread; calls from one caller keep their order.
  func execute(_ body: @escaping @Sendable () -> Void) {
    let hasEnded = inbox.withLock { inbox in
      if !inbox.hasEnded { inbox.calls.append(body) }
      return inbox.hasEnded
    }
    if hasEnded { body() } else { wake.signal() }
  }

  /// Ends the thread once nothing is watched any more.
  func stop() {
    inbox.withLock { $0.isStopping = true }
    wake.signal()
  }

  /// Calls `body` whenever `descriptor` is readable or hung up. *On the thread.*
  func watch(_ descriptor: Int32, _ body: @escaping (_ events: UInt32) -> Void) throws(SystemError) -> Token {
    lastToken += 1
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: lastToken))
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw SystemError("epoll_ctl", errno) }
    handlers[lastToken] = (descriptor, body)
    return lastToken
  }

  /// Makes a watch report writability too, or stop doing so. May be called from any thread that prevents the descriptor from being closed.
  func watchForRoom(_ descriptor: Int32, _ token: Token, _ isWanted: Bool) {
    let events = EPOLLIN.rawValue | (isWanted ? EPOLLOUT.rawValue : 0)
    var event = epoll_event(events: events, data: epoll_data_t(u64: token))
    epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
  }

  /// Ends a watch. The descriptor stays open. *On the thread.*
  func unwatch(_ token: Token) {
    guard let handler = handlers.removeValue(forKey: token) else { return }
    epoll_ctl(epoll, EPOLL_CTL_DEL, handler.descriptor, nil)
  }

  /// Reads up to 64 KiB that a descriptor has available with `read`. The bytes are valid in `body`. *On the thread.*
  func read(
    _ read: (UnsafeMutableRawPointer?, Int) -> Int, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> ReadOutcome {
    let count = SystemCall.retrying { read(buffer.baseAddress, buffer.count) }
    guard count > 0 else { return count < 0 && errno == EAGAIN ? .nothing : .end }
    body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count == buffer.count ? .more : .some
  }

  enum ReadOutcome {
    /// There may be more.
    case more
    case some
    case nothing
    case end
  }

  private func run() {
    var events = [epoll_event](repeating: epoll_event(), count: 16)
    var wait = MessageWait()
    while true {
      let (calls, isStopping) = inbox.withLock { inbox in
        let calls = inbox.calls
        inbox.calls = []
        if inbox.isStopping, calls.isEmpty, handlers.isEmpty { inbox.hasEnded = true }
        return (calls, inbox.hasEnded)
      }
      if isStopping { return }
      for call in calls { call() }
      // A call may have scheduled another one.
      if !calls.isEmpty { continue }
      let count = wait.wait(
        look: { () -> Int32? in
          let count = epoll_wait(epoll, &events, Int32(events.count), 0)
          return count == 0 ? nil : count
        },
        sleep: { epoll_wait(epoll, &events, Int32(events.count), -1) })
      for event in events.prefix(Int(max(count, 0))) {
        if event.data.u64 == 0 {
          wake.drain()
        } else {
          handlers[event.data.u64]?.body(event.events)
        }
      }
    }
  }
}
