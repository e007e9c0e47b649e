import SQLite
import Values

/// The rows on one page of a database, read independently of the pages around it.
///
/// See <https://sqlite.org/fileformat2.html#b_tree_pages>. Anything that does not look like a row is skipped.
struct PageRecords {
  /// A row as it is stored.
  struct Record {
    /// Nil on a page of a table without row numbers.
    var rowID: Int64?
    var values: [DatabaseValue]
  }

  /// The kind of a page, by its first byte.
  private enum Kind: UInt8 {
    /// Rows by number.
    case tableLeaf = 0x0D
    /// Rows of a table without numbers, or entries of an index, on leaf and interior pages.
    case indexLeaf = 0x0A
    case indexInterior = 0x02

    var headerSize: Int { self == .indexInterior ? 12 : 8 }
  }

  /// Larger than any row of a workspace; a row that claims to be larger is invalid.
  private static let longestRow = 1 << 30

  let pages: DatabasePages

  /// Returns the rows of a page, or none if it is of another kind or does not exist.
  func records(of number: Int) -> [Record] {
    let page = pages.page(number)
    let start = number == 1 ? 100 : 0
    guard page.count > start + 12, let kind = Kind(rawValue: page[start]) else { return [] }
    let cells = page.number(at: start + 3, 2)
    let pointers = start + kind.headerSize
    guard pointers + 2 * cells <= page.count else { return [] }
    return (0..<cells).compactMap { cell in
      record(of: page, at: page.number(at: pointers + 2 * cell, 2), kind, after: pointers + 2 * cells)
    }
  }

  private func record(of page: [UInt8], at offset: Int, _ kind: Kind, after end: Int) -> Record? {
    guard offset >= end else { return nil }
    var reader = ByteReader(bytes: page, place: offset + (kind == .indexInterior ? 4 : 0))
    guard let length = reader.varint(), length > 0, length <= Self.longestRow else { return nil }
    var rowID: Int64?
    if kind == .tableLeaf {
      rowID = reader.varint()
      guard rowID != nil else { return nil }
    }
    guard let payload = payload(Int(length), at: reader.place, of: page, isIndex: kind != .tableLeaf) else {
      return nil
    }
    return RecordCoding.decode(payload).map { Record(rowID: rowID, values: $0) }
  }

  /// Returns the bytes of a row, including its overflow pages.
  private func payload(_ length: Int, at place: Int, of page: [UInt8], isIndex: Bool) -> [UInt8]? {
    let size = pages.size
    let most = isIndex ? (size - 12) * 64 / 255 - 23 : size - 35
    guard length > most else {
      return place + length <= page.count ? Array(page[place..<place + length]) : nil
    }
    let least = (size - 12) * 32 / 255 - 23
    let fitting = least + (length - least) % (size - 4)
    let local = fitting <= most ? fitting : least
    guard place + local + 4 <= page.count else { return nil }
    var payload = Array(page[place..<place + local])
    var next = page.number(at: place + local, 4)
    while payload.count < length {
      let more = pages.page(next)
      guard !more.isEmpty else { return nil }
      payload += more[4...].prefix(length - payload.count)
      next = more.number(at: 0, 4)
    }
    // The last overflow page of a row refers to no further one.
    return next == 0 ? payload : nil
  }
}

/// SQLite's record format: the types of the values, then the values.
enum RecordCoding {
  /// Returns the values of a row, or nil if the bytes are invalid.
  static func decode(_ bytes: [UInt8]) -> [DatabaseValue]? {
    var types = ByteReader(bytes: bytes, place: 0)
    guard let header = types.varint(), header > 0, header <= bytes.count else { return nil }
    var place = Int(header)
    var values: [DatabaseValue] = []
    while types.place < Int(header) {
      guard let type = types.varint(), type >= 0, let length = length(of: type), length <= bytes.count - place,
        let value = value(bytes[place..<place + length], type)
      else { return nil }
      values.append(value)
      place += length
    }
    return types.place == Int(header) && place == bytes.count ? values : nil
  }

  private static func length(of type: Int64) -> Int? {
    switch type {
    case 0, 8, 9: 0
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 12...: Int(clamping: (type - 12) / 2)
    default: nil
    }
  }

  private static func value(_ bytes: ArraySlice<UInt8>, _ type: Int64) -> DatabaseValue? {
    switch type {
    case 0: .null
    case 8, 9: (type - 8).databaseValue
    case 1...6:
      bytes.reduce(bytes.first.map { Int64(Int8(bitPattern: $0)) >> 8 } ?? 0) { $0 << 8 | Int64($1) }.databaseValue
    case 7: Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }).databaseValue
    case let type where type % 2 == 1: String(validating: bytes, as: UTF8.self)?.databaseValue
    default: nil
    }
  }
}

/// Reads SQLite's variable-length integers.
private struct ByteReader {
  let bytes: [UInt8]
  var place: Int

  mutating func varint() -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard place < bytes.count else { return nil }
      let byte = bytes[place]
      place += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int64(bitPattern: value) }
    }
    return nil
  }
}
