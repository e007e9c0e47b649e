import RunHistory
import Synchronization

/// The growth of an attempt's logs that the host itself writes, because it masks the output. The masking thread notes it, and the event loop takes it.
final class PumpedGrowths: Sendable {
  private struct Noted {
    var growths: [LogGrowth] = []
    /// When the latest growth began to accumulate.
    var began: Int64 = 0
  }

  /// In microseconds: writes to one stream within this time are one growth.
  private static let resolution: Int64 = 5000

  private let noted = Mutex(Noted())
  private let now: @Sendable () -> RecordTime
  private let onNews: @Sendable () -> Void

  /// `onNews` is called on the noting thread when there was nothing to take before.
  init(now: @escaping @Sendable () -> RecordTime, onNews: @escaping @Sendable () -> Void) {
    self.now = now
    self.onNews = onNews
  }

  /// Notes the current size of a log.
  func note(_ log: LogName, size: Int64) {
    let time = now()
    let isFirst = noted.withLock { noted in
      if let last = noted.growths.last, last.log == log,
        (0..<Self.resolution).contains(time.microseconds - noted.began)
      {
        noted.growths[noted.growths.count - 1] = LogGrowth(log, size: size, time: time)
        return false
      }
      noted.growths.append(LogGrowth(log, size: size, time: time))
      noted.began = time.microseconds
      return noted.growths.count == 1
    }
    if isFirst { onNews() }
  }

  /// Takes what was noted since the last call.
  func take() -> [LogGrowth] {
    noted.withLock { noted in
      defer { noted.growths = [] }
      return noted.growths
    }
  }
}
