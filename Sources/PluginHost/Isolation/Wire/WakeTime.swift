/// When a child wants to be woken by its host's clock.
enum WakeTime: Hashable, Sendable {
  /// By the wall clock, in nanoseconds since 1970.
  case at(Int64)
  /// When so many nanoseconds have passed since the host heard of it.
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

  /// - Throws: ``WireError`` where the bytes are none.
  init(_ reader: inout PayloadReader) throws(WireError) {
    let kind = try reader.integer(UInt8.self)
    let nanoseconds = try reader.integer(Int64.self)
    switch kind {
    case 0: self = .at(nanoseconds)
    case 1: self = .after(nanoseconds)
    default: throw WireError("a time to wake it that is none: \(kind)")
    }
  }
}
