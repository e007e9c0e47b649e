import Glibc
import OperatingSystem
import Synchronization

/// The host's clock in a child, if that clock is not the system's: see ``LentClock``.
final class HostClock: PluginClock {
  private struct Alarms {
    var bodies: [UInt64: @Sendable () -> Void] = [:]
    var last: UInt64 = 0
  }

  private let socket: Int32
  private let send: @Sendable (ChildMessage) -> Void
  /// Held from a question to its answer, which follow each other on the connection.
  private let asking = Mutex(())
  private let alarms = Mutex(Alarms())

  /// - Parameters:
  ///   - socket: The connection for questions.
  ///   - send: Sends a message to the host.
  init(socket: Int32, send: @escaping @Sendable (ChildMessage) -> Void) {
    self.socket = socket
    self.send = send
  }

  func now() -> Int64 { ask(.now) }

  func monotonic() -> Int64 { ask(.monotonic) }

  func wake(at instant: Int64, _ body: @escaping @Sendable () -> Void) -> PluginAlarm { wake(.at(instant), body) }

  func wake(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    wake(.after(delay.nanoseconds), body)
  }

  /// Calls the alarm with this number, which the host reports as due.
  func woken(_ number: UInt64) { alarms.withLock { $0.bodies.removeValue(forKey: number) }?() }

  private func wake(_ time: WakeTime, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    let number = alarms.withLock { alarms in
      alarms.last += 1
      alarms.bodies[alarms.last] = body
      return alarms.last
    }
    send(.wake(number: number, time))
    return PluginAlarm { [self] in
      let body = alarms.withLock { $0.bodies.removeValue(forKey: number) }
      if body != nil { send(.cancelWake(number: number)) }
    }
  }

  private func ask(_ reading: LentClock.Reading) -> Int64 {
    asking.withLock { _ in
      var question = reading.rawValue
      var answer: Int64 = 0
      var count = SystemCall.retrying { Glibc.send(socket, &question, 1, Int32(MSG_NOSIGNAL)) }
      if count == 1 {
        count = SystemCall.retrying { recv(socket, &answer, MemoryLayout<Int64>.size, Int32(MSG_WAITALL)) }
      }
      // The host has ended, and its clock with it. The reading thread notices the end too.
      guard count == MemoryLayout<Int64>.size else { _exit(0) }
      return Int64(littleEndian: answer)
    }
  }
}
