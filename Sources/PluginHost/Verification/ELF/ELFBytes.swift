import OperatingSystem

/// The bytes of a file with arbitrary content. Every access is checked against the file's size.
struct ELFBytes {
  /// The size of the file in bytes.
  let size: UInt64
  /// Fills the buffer from the offset on; returns whether that succeeded.
  private let fill: (UnsafeMutableRawBufferPointer, UInt64) -> Bool

  /// The limit of a table's size in bytes: in a valid file, the program headers and the dynamic section take a few kilobytes.
  private static let largestTable: UInt64 = 8 << 20

  /// Creates the bytes of an open file. It is not mapped, because truncating a mapped file would end the process.
  init(descriptor: Int32, size: Int64) {
    self.size = UInt64(max(0, size))
    fill = { buffer, offset in
      (try? SystemCall.fill(buffer, from: descriptor, at: Int64(offset))) == buffer.count
    }
  }

  /// Creates the bytes of a file in memory.
  init(_ bytes: [UInt8]) {
    size = UInt64(bytes.count)
    fill = { buffer, offset in
      bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<(Int(offset) + buffer.count)]))
      }
      return true
    }
  }

  /// Returns the table `what` of `count` bytes at `offset`.
  func table(at offset: UInt64, count: UInt64, _ what: String) throws(Refusal) -> ELFTable {
    let (end, overflow) = offset.addingReportingOverflow(count)
    guard !overflow, end <= size else { throw .damaged("\(what) reaches beyond the end of the file") }
    guard count <= Self.largestTable else { throw .damaged("\(what) is implausibly large") }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    guard bytes.withUnsafeMutableBytes({ fill($0, offset) }) else {
      throw Refusal(.unreadable, "\(what) cannot be read", fix: "check the file and its file system")
    }
    return ELFTable(bytes: bytes)
  }
}

/// Some bytes of a file, read as numbers in the byte order of this computer.
struct ELFTable {
  let bytes: [UInt8]

  var count: Int { bytes.count }

  func u16(_ at: Int) -> UInt16 { load(at) }
  func u32(_ at: Int) -> UInt32 { load(at) }
  func u64(_ at: Int) -> UInt64 { load(at) }

  /// Traps beyond the end of the table: callers request as many bytes as they read.
  private func load<Number: FixedWidthInteger & BitwiseCopyable>(_ at: Int) -> Number {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: Number.self) }
  }
}
