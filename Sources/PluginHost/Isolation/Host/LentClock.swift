import CProcess
import Glibc
import OperatingSystem

/// Lends a clock of the host that is not the system's to a child, so that its plugin sees the same time as it would in the host's process.
///
/// A child reads the time on a separate connection, so that any of its threads can wait for the answer, including the one that reads messages: the
/// question is one byte, the answer the eight bytes of the reading. A wake-up is requested on the connection for messages, so that its answer is
/// ordered among them.
///
/// If the host uses the system's clock, so does the child, and none of this exists.
///
/// Used only on the thread of its ``ChildProcess``.
final class LentClock {
  /// The question of a child.
  enum Reading: UInt8 {
    case now = 0
    case monotonic = 1
  }

  /// The maximum number of pending wake-ups of one child, which limits the memory that a child can make its host use.
  static let mostAlarms = 1 << 20

  /// The host's end; the child's end, which it inherits, is open until the child has been started.
  private(set) var socket: Int32
  private(set) var childEnd: Int32
  private let clock: any PluginClock
  private var alarms: [UInt64: PluginAlarm] = [:]

  /// Creates a lent clock; nil if children use the same clock anyway.
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

  /// Closes the child's end, which the child has inherited.
  func closeChildEnd() {
    if childEnd >= 0 { Glibc.close(childEnd) }
    childEnd = -1
  }

  /// Answers the questions that have arrived.
  ///
  /// - Returns: Whether more may arrive.
  /// - Throws: ``WireError`` if a question is invalid, or answers are not read.
  func answer(on thread: ChildThread) throws(WireError) -> Bool {
    var questions: [UInt8] = []
    let outcome = thread.read({ recv(socket, $0, min($1, 64), Int32(MSG_DONTWAIT)) }, { questions = Array($0) })
    for question in questions {
      guard let reading = Reading(rawValue: question) else {
        throw WireError("an invalid request to the clock: \(question)")
      }
      var time = (reading == .now ? clock.now() : clock.monotonic()).littleEndian
      let size = MemoryLayout<Int64>.size
      guard send(socket, &time, size, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) == size else {
        throw WireError("requests to the clock without reading the answers")
      }
    }
    return outcome != .end
  }

  /// Handles a message of the child if it is for the clock; `woken` is called on any thread when a wake-up is due.
  ///
  /// - Returns: Whether it was for the clock.
  /// - Throws: ``WireError`` if the child makes an invalid request.
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
      // It may have fired meanwhile.
      alarms.removeValue(forKey: number)?.cancel()
      return true
    default: return false
    }
  }

  /// Removes a wake-up that is due, before the child is notified.
  ///
  /// - Returns: Whether the child still needs it.
  func remove(_ number: UInt64) -> Bool { alarms.removeValue(forKey: number) != nil }

  /// Cancels all alarms and closes the connection: the child has ended.
  func end() {
    for alarm in alarms.values { alarm.cancel() }
    alarms = [:]
    if socket >= 0 { Glibc.close(socket) }
    socket = -1
    closeChildEnd()
  }
}
