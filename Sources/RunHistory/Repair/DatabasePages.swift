import Glibc
import OperatingSystem

/// The pages of a database file as SQLite would read them, whatever the file's condition: from the write-ahead log if it has newer ones, otherwise
/// from the file.
///
/// Only reads. Of the log, committed frames count; its checksums determine where it ends.
final class DatabasePages {
  /// The size of a page in bytes.
  let size: Int
  /// The number of pages, which are numbered from 1.
  private(set) var count: Int

  private let file: Int32
  private let log: Int32
  /// The offset of the newest copy of each page in the log.
  private var logged: [Int: Int] = [:]

  /// The page size of a workspace, used if the file does not specify it.
  private static let usualSize = 4096

  /// Opens the file and its log; nil if there is no database file to read.
  init?(path: String) {
    guard let file = Self.open(path) else { return nil }
    self.file = file
    log = Self.open(path + "-wal") ?? -1
    let header = Self.read(18, at: 0, of: file)
    let told = header.count == 18 && header.starts(with: Array("SQLite format 3\0".utf8)) ? header.number(at: 16, 2) : 0
    size = told == 1 ? 65_536 : told >= 512 && told.nonzeroBitCount == 1 ? told : Self.usualSize
    var status = stat()
    count = fstat(file, &status) == 0 ? Int(status.st_size) / size : 0
    if log >= 0 { readLog() }
  }

  deinit {
    close(file)
    if log >= 0 { close(log) }
  }

  private static func open(_ path: String) -> Int32? {
    try? InputFile(path, followsLink: false).duplicate()
  }

  /// Returns the bytes of a page, or nothing if the page does not exist.
  func page(_ number: Int) -> [UInt8] {
    guard number >= 1, number <= count else { return [] }
    let bytes =
      logged[number].map { Self.read(size, at: $0, of: log) } ?? Self.read(size, at: (number - 1) * size, of: file)
    return bytes.count == size ? bytes : []
  }

  /// Returns the unused pages, as far as the list of them can be read. What is still on them was deleted.
  func unused() -> Set<Int> {
    let header = page(1)
    guard header.starts(with: Array("SQLite format 3\0".utf8)) else { return [] }
    var unused: Set<Int> = []
    var trunk = header.number(at: 32, 4)
    while trunk > 1, unused.insert(trunk).inserted {
      let list = page(trunk)
      guard !list.isEmpty else { break }
      let leaves = min(list.number(at: 4, 4), size / 4 - 2)
      for index in 0..<leaves { unused.insert(list.number(at: 8 + 4 * index, 4)) }
      trunk = list.number(at: 0, 4)
    }
    return unused
  }

  // MARK: The log

  /// Notes the pages of the log's committed frames. See <https://sqlite.org/fileformat2.html#the_write_ahead_log>.
  private func readLog() {
    let header = Self.read(32, at: 0, of: log)
    guard header.count == 32, [0x377f_0682, 0x377f_0683].contains(header.number(at: 0, 4)),
      header.number(at: 8, 4) == size
    else { return }
    var sum = LogChecksum(isBigEndian: header.number(at: 0, 4) & 1 == 1)
    sum.add(header[..<24])
    guard sum.matches(header, at: 24) else { return }
    var place = 32
    var open: [Int: Int] = [:]
    while true {
      let frame = Self.read(24 + size, at: place, of: log)
      guard frame.count == 24 + size, frame[8..<16] == header[16..<24] else { return }
      sum.add(frame[..<8])
      sum.add(frame[24...])
      guard sum.matches(frame, at: 16) else { return }
      open[frame.number(at: 0, 4)] = place + 24
      let pages = frame.number(at: 4, 4)
      if pages > 0 {
        logged.merge(open) { $1 }
        open = [:]
        count = max(count, pages)
      }
      place += 24 + size
    }
  }

  private static func read(_ count: Int, at offset: Int, of file: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = (try? SystemCall.fill(UnsafeMutableRawBufferPointer(buffer), from: file, at: Int64(offset))) ?? 0
    }
  }
}

/// The cumulative checksum of SQLite's write-ahead log.
private struct LogChecksum {
  let isBigEndian: Bool
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  init(isBigEndian: Bool) {
    self.isBigEndian = isBigEndian
  }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { buffer in
      for place in stride(from: 0, to: buffer.count - 7, by: 8) {
        first = first &+ word(buffer, place) &+ second
        second = second &+ word(buffer, place + 4) &+ first
      }
    }
  }

  func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
    bytes.number(at: offset, 4) == Int(first) && bytes.number(at: offset + 4, 4) == Int(second)
  }

  private func word(_ buffer: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
    let word = buffer.loadUnaligned(fromByteOffset: place, as: UInt32.self)
    return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
  }
}

extension [UInt8] {
  /// Returns the big-endian number in at most seven bytes, which must exist.
  func number(at offset: Int, _ bytes: Int) -> Int {
    self[offset..<offset + bytes].reduce(0) { $0 << 8 | Int($1) }
  }
}
