/// The dynamic section, which locates the tables that the dynamic linker uses.
struct ELFDynamic {
  /// The addresses of the section itself.
  let range: Range<UInt64>
  private var values: [UInt64: UInt64] = [:]
  /// The offsets of the names of the needed libraries.
  private var needed: [UInt64] = []

  /// Tags by their names in `elf.h`, without `DT_`.
  private enum Tag {
    static let null: UInt64 = 0
    static let needed: UInt64 = 1
    static let pltRelocationsSize: UInt64 = 2
    static let hash: UInt64 = 4
    static let strings: UInt64 = 5
    static let symbols: UInt64 = 6
    static let relocations: UInt64 = 7
    static let relocationsSize: UInt64 = 8
    static let relocationSize: UInt64 = 9
    static let stringsSize: UInt64 = 10
    static let symbolSize: UInt64 = 11
    static let initial: UInt64 = 12
    static let final: UInt64 = 13
    static let name: UInt64 = 14
    static let textRelocations: UInt64 = 22
    static let searchPath: UInt64 = 15
    static let pltRelocations: UInt64 = 23
    static let initialArray: UInt64 = 25
    static let finalArray: UInt64 = 26
    static let initialArraySize: UInt64 = 27
    static let finalArraySize: UInt64 = 28
    static let runPath: UInt64 = 29
    static let relativeSize: UInt64 = 35
    static let relative: UInt64 = 36
    static let gnuHash: UInt64 = 0x6FFF_FEF5
    static let generalFlags: UInt64 = 30
    static let flags: UInt64 = 0x6FFF_FFFB
  }

  /// The tables with the tags of their address and their size.
  private static let tables: [(address: UInt64, size: UInt64, name: String)] = [
    (Tag.strings, Tag.stringsSize, "the table of strings"),
    (Tag.relocations, Tag.relocationsSize, "the table of relocations"),
    (Tag.pltRelocations, Tag.pltRelocationsSize, "the table of calls"),
    (Tag.relative, Tag.relativeSize, "the table of relative relocations"),
    (Tag.initialArray, Tag.initialArraySize, "the table of initializers"),
    (Tag.finalArray, Tag.finalArraySize, "the table of finalizers"),
  ]

  /// Creates an empty section.
  init() { range = 0..<0 }

  init(_ image: ELFImage, at address: UInt64, count: UInt64) throws(Refusal) {
    let table = try image.table(at: address, count: count, "the dynamic section")
    range = address..<(address + count)
    var isComplete = false
    for at in stride(from: 0, to: table.count - 15, by: 16) {
      let tag = table.u64(at)
      let value = table.u64(at + 8)
      if tag == Tag.null {
        isComplete = true
        break
      }
      if tag == Tag.needed { needed.append(value) } else { values[tag] = value }
    }
    guard isComplete else { throw .damaged("the dynamic section is not terminated") }
    try check(image)
  }

  private func check(_ image: ELFImage) throws(Refusal) {
    let flags = values[Tag.flags] ?? 0
    if flags & 0x0800_0000 != 0 { throw ELFHeader.program }
    if flags & 0x40 != 0 {
      throw Refusal(
        .notASharedObject, "it was linked with '-z nodlopen', so it cannot be loaded",
        fix: "link it without that option")
    }
    guard symbols != nil, strings != nil else { throw .damaged("it has no table of symbols or strings") }
    for (address, size, name) in Self.tables {
      guard let size = values[size], size > 0 else { continue }
      guard let address = values[address], image.isMapped(address, size) else {
        throw .damaged("\(name) lies outside the loaded segments")
      }
    }
    if let size = values[Tag.symbolSize], size != ELFSymbol.size {
      throw .damaged("its symbols have \(size) bytes each")
    }
    if let size = values[Tag.relocationSize], size != 24 { throw .damaged("its relocations have \(size) bytes each") }
    for tag in [Tag.initial, Tag.final] {
      guard let function = values[tag], function != 0 else { continue }
      guard image.isMapped(function, 1) else {
        throw .damaged("a function to call lies outside the loaded segments")
      }
    }
    for offset in needed + [Tag.name, Tag.searchPath, Tag.runPath].compactMap({ values[$0] }) {
      _ = try string(image, at: offset)
    }
  }

  /// The address of the table of symbols.
  var symbols: UInt64? { values[Tag.symbols] }
  var hash: UInt64? { values[Tag.hash] }
  var gnuHash: UInt64? { values[Tag.gnuHash] }

  /// The tables of relocations with addends.
  var relocations: [(address: UInt64, size: UInt64)] {
    [
      part(Tag.relocations, Tag.relocationsSize), part(Tag.pltRelocations, Tag.pltRelocationsSize),
    ].compactMap(\.self)
  }

  /// The table of relocations that only add the address at which the object is loaded.
  var relativeRelocations: (address: UInt64, size: UInt64)? { part(Tag.relative, Tag.relativeSize) }

  /// The tables of functions that are called when the object is loaded and when the process ends.
  var functionArrays: [(address: UInt64, size: UInt64)] {
    [part(Tag.initialArray, Tag.initialArraySize), part(Tag.finalArray, Tag.finalArraySize)].compactMap(\.self)
  }

  /// Whether relocations may change segments that are otherwise not writable.
  var changesCode: Bool { values[Tag.textRelocations] != nil || (values[Tag.generalFlags] ?? 0) & 4 != 0 }

  /// The functions that are called when the object is loaded and when the process ends; 0 for none.
  var functions: [UInt64] { [Tag.initial, Tag.final].compactMap { values[$0] } }

  private func part(_ address: UInt64, _ size: UInt64) -> (address: UInt64, size: UInt64)? {
    guard let size = values[size], size > 0, let address = values[address] else { return nil }
    return (address, size)
  }

  var strings: (address: UInt64, size: UInt64)? {
    guard let address = values[Tag.strings], let size = values[Tag.stringsSize] else { return nil }
    return (address, size)
  }

  /// Returns the names of the needed libraries, in order.
  func libraries(_ image: ELFImage) throws(Refusal) -> [String] {
    var names: [String] = []
    for offset in needed { names.append(try string(image, at: offset)) }
    return names
  }

  /// Returns the string at `offset` in the table of strings; at most as long as a path.
  func string(_ image: ELFImage, at offset: UInt64) throws(Refusal) -> String {
    let what = "a name"
    guard let (address, size) = strings, offset < size else {
      throw .damaged("\(what) lies outside of the table of strings")
    }
    let table = try image.table(at: address + offset, count: min(size - offset, 4096), what)
    guard let end = table.bytes.firstIndex(of: 0) else { throw .damaged("\(what) is not terminated") }
    return String(decoding: table.bytes[..<end], as: UTF8.self)
  }
}
