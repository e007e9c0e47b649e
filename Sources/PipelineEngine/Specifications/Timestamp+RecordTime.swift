import Operations
import RunHistory

extension Timestamp {
  /// The instant of a record.
  init(_ time: RecordTime) {
    let (seconds, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(seconds: seconds, nanoseconds: rest * 1000)
  }
}
