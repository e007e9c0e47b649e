import RunHistory
import Synchronization

/// Limits the lines of each kind per minute, so that a plugin with ten thousand events a second does not fill the disk with the host's messages. Any thread.
final class LogBudget: Sendable {
  /// What happens to a line.
  enum Verdict: Equatable {
    /// It is written, after this many that were not.
    case write(omitted: Int)
    /// It is written, and is the last of its kind for a while.
    case writeLast
    case omit
  }

  private struct Window {
    var began: RecordTime
    var count = 0
  }

  /// The maximum number of lines of a kind per minute.
  static let most = 50
  private static let length: Int64 = 60_000_000

  private let windows = Mutex<[String: Window]>([:])

  /// Decides on a line of a kind; the number of kinds should be small.
  func admit(_ kind: String, at now: RecordTime) -> Verdict {
    windows.withLock { windows in
      var window = windows[kind] ?? Window(began: now)
      defer { windows[kind] = window }
      // A clock that was set back also begins another minute.
      if !(0..<Self.length).contains(now.microseconds - window.began.microseconds) {
        let omitted = max(0, window.count - Self.most)
        window = Window(began: now, count: 1)
        return .write(omitted: omitted)
      }
      window.count += 1
      if window.count < Self.most { return .write(omitted: 0) }
      return window.count == Self.most ? .writeLast : .omit
    }
  }
}
