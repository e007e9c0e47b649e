import Operations
import RunHistory

extension Timestamp {
  /// Creates the timestamp of a record's time.
  init(_ time: RecordTime) {
    let (seconds, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(seconds: seconds, nanoseconds: rest * 1000)
  }
}
