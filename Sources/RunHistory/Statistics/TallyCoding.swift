/// Encodes the tallies of a pipeline's day: for each series its name and its numbers, all of variable length, durations as differences.
///
/// The name of the runs as a whole is empty. A change of the format requires a migration that clears `daily_tally.tally`.
enum TallyCoding {
  private static let version: UInt64 = 1

  static func encode(_ tallies: [String: DurationTally]) -> [UInt8] {
    var bytes: [UInt8] = []
    write(version, to: &bytes)
    for (name, tally) in tallies.sorted(by: { $0.key < $1.key }) {
      write(UInt64(name.utf8.count), to: &bytes)
      bytes += name.utf8
      for number in [tally.count, tally.succeeded, tally.failed, tally.retried, tally.total, tally.longest] {
        write(UInt64(max(0, number)), to: &bytes)
      }
      let samples = tally.condensed()
      write(UInt64(samples.count), to: &bytes)
      var previous: Int64 = 0
      for sample in samples {
        write(UInt64(sample.duration - previous), to: &bytes)
        write(UInt64(sample.count), to: &bytes)
        previous = sample.duration
      }
    }
    return bytes
  }

  /// Calls `body` for each series. Returns false if the bytes are not in the format of ``encode(_:)``, in which case the results so far are invalid.
  static func decode(_ bytes: UnsafeRawBufferPointer, _ body: (String, DurationTally) -> Void) -> Bool {
    var reader = Reader(bytes: bytes)
    guard reader.number() == version else { return false }
    while reader.place < bytes.count {
      guard let name = reader.text() else { return false }
      var numbers: [Int64] = []
      for _ in 0..<6 {
        guard let number = reader.number() else { return false }
        numbers.append(Int64(clamping: number))
      }
      // A sample has at least two bytes.
      guard let count = reader.number(), count <= UInt64(bytes.count - reader.place) / 2 else { return false }
      var samples: [DurationTally.Sample] = []
      samples.reserveCapacity(Int(count))
      var duration: Int64 = 0
      for _ in 0..<count {
        guard let distance = reader.number(), let count = reader.number() else { return false }
        let (sum, overflow) = duration.addingReportingOverflow(Int64(clamping: distance))
        guard !overflow else { return false }
        duration = sum
        samples.append(.init(duration: duration, count: Int64(clamping: count)))
      }
      body(
        name,
        .kept(
          count: numbers[0], succeeded: numbers[1], failed: numbers[2], retried: numbers[3], total: numbers[4],
          longest: numbers[5], samples: samples))
    }
    return true
  }

  private static func write(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var place = 0

    mutating func number() -> UInt64? {
      var number: UInt64 = 0
      var shift: UInt64 = 0
      while place < bytes.count, shift < 64 {
        let byte = bytes[place]
        place += 1
        number |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return number }
        shift += 7
      }
      return nil
    }

    mutating func text() -> String? {
      guard let count = number(), count <= UInt64(bytes.count - place) else { return nil }
      defer { place += Int(count) }
      return String(decoding: bytes[place..<place + Int(count)], as: UTF8.self)
    }
  }
}
