import CProcess
import Glibc
import OperatingSystem

/// Lends a clock of the host's that is not the system's to a child: the plugin in it has the same time as it would have in the process.
///
/// What the time is a child asks on a connection of its own, so that any of its threads can wait for the answer, also the one that reads
/// messages: one byte, answered with the eight bytes of the reading. When it wants to be woken it says on the connection for messages,
/// where the answer has its place among them.
///
/// Where the host has the system's clock the child has that too, and there is none of this.
///
/// All of it is the thread's of the ``ChildProcess`` that it belongs to.
final class LentClock {
  /// What a child asks.
  enum Reading: UInt8 {
    case now = 0
    case monotonic = 1
  }

  /// The most wake-ups of one child that may be open at a time. More would be memory that a child can make its host use.
  static let mostAlarms = 1 << 20

  /// The host's end, and what the child inherits, until it has been started.
  private(set) var socket: Int32
  private(set) var childEnd: Int32
  private let clock: any PluginClock
  private var alarms: [UInt64: PluginAlarm] = [:]

  /// Nil where children have the same clock anyhow.
  static func lend(_ clock: any PluginClock) throws(SystemError) -> LentClock? {
    clock is SystemPluginClock ? nil : try LentClock(clock)
  }

  private init(_ clock: any PluginClock) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    let error = penstock_socket_pair(&ends)
    guard error == 0 else { throw SystemError("socketpair", error) }
    self.clock = clock
    (socket, childEnd) = (ends[0], ends[1])
  }

  deinit { end() }

  /// The child has its end.
  func closeChildEnd() {
    if childEnd >= 0 { Glibc.close(childEnd) }
    childEnd = -1
  }

  /// Answers what is asked.
  ///
  /// - Returns: Whether more may be asked.
  /// - Throws: ``WireError`` where that is no question, or answers are not read.
  func answer(on thread: ChildThread) throws(WireError) -> Bool {
    var questions: [UInt8] = []
    let outcome = thread.read({ recv(socket, $0, min($1, 64), Int32(MSG_DONTWAIT)) }, { questions = Array($0) })
    for question in questions {
      guard let reading = Reading(rawValue: question) else {
        throw WireError("a question to the clock that is none: \(question)")
      }
      var time = (reading == .now ? clock.now() : clock.monotonic()).littleEndian
      let size = MemoryLayout<Int64>.size
      guard send(socket, &time, size, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) == size else {
        throw WireError("questions to the clock whose answers it does not read")
      }
    }
    return outcome != .end
  }

  /// Takes a message of the child's, where it is one to the clock; `woken` is called on some thread when a time has come.
  ///
  /// - Returns: Whether it was one.
  /// - Throws: ``WireError`` where the child asks for what it must not.
  func take(_ message: ChildMessage, woken: @escaping @Sendable (UInt64) -> Void) throws(WireError) -> Bool {
    switch message {
    case .wake(let number, let time):
      guard alarms[number] == nil else { throw WireError("a second wake-up \(number)") }
      guard alarms.count < Self.mostAlarms else { throw WireError("more than \(Self.mostAlarms) wake-ups at a time") }
      alarms[number] =
        switch time {
        case .at(let instant): clock.wake(at: instant) { woken(number) }
        case .after(let delay): clock.wake(after: .nanoseconds(delay)) { woken(number) }
        }
      return true
    case .cancelWake(let number):
      // It may have come meanwhile.
      alarms.removeValue(forKey: number)?.cancel()
      return true
    default: return false
    }
  }

  /// A time has come, which the child is told.
  ///
  /// - Returns: Whether the child still wants to know.
  func remove(_ number: UInt64) -> Bool { alarms.removeValue(forKey: number) != nil }

  /// The child is gone.
  func end() {
    for alarm in alarms.values { alarm.cancel() }
    alarms = [:]
    if socket >= 0 { Glibc.close(socket) }
    socket = -1
    closeChildEnd()
  }
}
