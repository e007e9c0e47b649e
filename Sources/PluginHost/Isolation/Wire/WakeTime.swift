/// The time of a wake-up that a child requests from its host's clock.
enum WakeTime: Hashable, Sendable {
  /// An instant of the wall clock, in nanoseconds since 1970.
  case at(Int64)
  /// A delay in nanoseconds, from when the host receives the request.
  case after(Int64)

  func append(to bytes: inout [UInt8]) {
    switch self {
    case .at(let instant):
      bytes.append(0)
      bytes.appendInteger(instant)
    case .after(let delay):
      bytes.append(1)
      bytes.appendInteger(delay)
    }
  }

  /// - Throws: ``WireError`` if the bytes are not a time.
  init(_ reader: inout PayloadReader) throws(WireError) {
    let kind = try reader.integer(UInt8.self)
    let nanoseconds = try reader.integer(Int64.self)
    switch kind {
    case 0: self = .at(nanoseconds)
    case 1: self = .after(nanoseconds)
    default: throw WireError("an invalid wake-up time: \(kind)")
    }
  }
}
