/// A symbol that a shared object defines or needs.
struct ELFSymbol {
  /// The size of a symbol in the table, in bytes.
  static let size: UInt64 = 24
  /// The limit of symbols in one bucket; valid tables have a handful.
  private static let longestChain = 10_000

  /// 1 for data, 2 for a function.
  let kind: UInt8
  /// 1 and 2 are visible to other objects, as is 10 on GNU systems.
  let binding: UInt8
  /// 0 and 3 are visible to other objects.
  let visibility: UInt8
  /// 0 if the symbol is needed but not defined.
  let section: UInt16
  let address: UInt64
  let size: UInt64

  /// Returns the symbol called `name`, looked up as `dlsym` does; nil if the tables do not have it.
  static func find(_ name: String, in image: ELFImage) throws(Refusal) -> ELFSymbol? {
    if let address = image.dynamic.gnuHash { return try findByGNUHash(name, address, image) }
    if let address = image.dynamic.hash { return try findByHash(name, address, image) }
    throw .damaged("its symbols cannot be found: it has no hash table")
  }

  /// The table's layout: four numbers; a Bloom filter; the first symbol of each bucket; the hashes of the symbols, in which bit 0 marks the end of a bucket.
  private static func findByGNUHash(_ name: String, _ address: UInt64, _ image: ELFImage) throws(Refusal) -> ELFSymbol?
  {
    let what = "the hash table of the symbols"
    let header = try image.table(at: address, count: 16, what)
    let (buckets, first, words, shift) = (header.u32(0), header.u32(4), header.u32(8), header.u32(12))
    // The dynamic linker divides by `buckets`, and assumes that `words` is a power of two.
    guard buckets > 0, words.nonzeroBitCount == 1, shift < 32 else { throw .damaged("\(what) is wrong") }
    let hash = name.utf8.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) }
    let filter = address &+ 16
    let word = try image.table(at: filter &+ 8 * UInt64(hash / 64 & (words - 1)), count: 8, what).u64(0)
    guard word >> UInt64(hash % 64) & word >> UInt64((hash >> shift) % 64) & 1 == 1 else { return nil }
    let bucketTable = filter &+ 8 * UInt64(words)
    var symbol = try image.table(at: bucketTable &+ 4 * UInt64(hash % buckets), count: 4, what).u32(0)
    guard symbol != 0 else { return nil }
    guard symbol >= first else { throw .damaged("\(what) is wrong") }
    let chain = bucketTable &+ 4 * UInt64(buckets)
    for _ in 0..<longestChain {
      let other = try image.table(at: chain &+ 4 * UInt64(symbol - first), count: 4, what).u32(0)
      if other | 1 == hash | 1, let found = try self.symbol(symbol, called: name, image) { return found }
      guard other & 1 == 0, symbol < .max else { return nil }
      symbol += 1
    }
    throw .damaged("\(what) is not terminated")
  }

  /// The table's layout: two numbers; the first symbol of each bucket; for each symbol the next one in its bucket, or 0 at the end.
  private static func findByHash(_ name: String, _ address: UInt64, _ image: ELFImage) throws(Refusal) -> ELFSymbol? {
    let what = "the hash table of the symbols"
    let header = try image.table(at: address, count: 8, what)
    let (buckets, symbols) = (header.u32(0), header.u32(4))
    guard buckets > 0 else { throw .damaged("\(what) is wrong") }
    var hash: UInt32 = 0
    for byte in name.utf8 {
      hash = hash << 4 &+ UInt32(byte)
      let high = hash & 0xF000_0000
      hash = (hash ^ high >> 24) & ~high
    }
    let bucketTable = address &+ 8
    let chain = bucketTable &+ 4 * UInt64(buckets)
    var symbol = try image.table(at: bucketTable &+ 4 * UInt64(hash % buckets), count: 4, what).u32(0)
    for _ in 0..<longestChain {
      guard symbol != 0 else { return nil }
      guard symbol < symbols else { throw .damaged("\(what) is wrong") }
      if let found = try self.symbol(symbol, called: name, image) { return found }
      symbol = try image.table(at: chain &+ 4 * UInt64(symbol), count: 4, what).u32(0)
    }
    throw .damaged("\(what) is not terminated")
  }

  /// Returns the symbol number `index`; nil if it has another name.
  private static func symbol(_ index: UInt32, called name: String, _ image: ELFImage) throws(Refusal) -> ELFSymbol? {
    guard let symbols = image.dynamic.symbols else { return nil }
    let (address, overflow) = symbols.addingReportingOverflow(size * UInt64(index))
    guard !overflow else { throw .damaged("the table of symbols lies outside the loaded segments") }
    let table = try image.table(at: address, count: size, "the table of symbols")
    guard try image.dynamic.string(image, at: UInt64(table.u32(0))) == name else { return nil }
    return ELFSymbol(
      kind: table.bytes[4] & 15, binding: table.bytes[4] >> 4, visibility: table.bytes[5] & 3, section: table.u16(6),
      address: table.u64(8), size: table.u64(16))
  }
}
