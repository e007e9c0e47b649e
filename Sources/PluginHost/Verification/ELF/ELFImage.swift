/// A shared object as the dynamic linker would see it, read from its file.
///
/// Like the dynamic linker, it uses only the program headers and the dynamic section: section headers may be missing. It checks what the dynamic
/// linker does not check, and would crash on.
struct ELFImage {
  let bytes: ELFBytes
  /// The segments to be mapped, ascending and without overlap.
  private(set) var loaded: [Segment] = []
  private(set) var dynamic = ELFDynamic()

  /// A part of the file that is mapped at an address.
  struct Segment {
    let kind: UInt32
    /// Bits: 1 for executable, 2 for writable, 4 for readable.
    let flags: UInt32
    let offset, address, fileSize, memorySize, alignment: UInt64

    var fileEnd: UInt64 { address + fileSize }
    var memoryEnd: UInt64 { address + memorySize }
  }

  private enum Kind {
    static let load: UInt32 = 1
    static let dynamic: UInt32 = 2
    static let note: UInt32 = 4
    static let tls: UInt32 = 7
    static let relro: UInt32 = 0x6474_E552
    static let property: UInt32 = 0x6474_E553
  }

  /// The limit of an object's size in memory: 4 GiB, more than any shared object takes.
  private static let mostMemory: UInt64 = 1 << 32

  init(_ bytes: ELFBytes) throws(Refusal) {
    self.bytes = bytes
    let header = try ELFHeader(bytes)
    let count = header.segments.count
    guard count > 0 else { throw .damaged("it has no program headers") }
    let table = try bytes.table(
      at: header.segments.offset, count: UInt64(count * ELFHeader.segmentSize), "the table of program headers")
    var others: [Segment] = []
    for index in 0..<count {
      let segment = Self.segment(table, index * ELFHeader.segmentSize)
      switch segment.kind {
      case Kind.load: loaded.append(try checked(segment))
      case Kind.dynamic, Kind.note, Kind.tls, Kind.relro, Kind.property: others.append(segment)
      default: break
      }
    }
    guard let first = loaded.first, let last = loaded.last else { throw .damaged("it has no loadable segment") }
    guard last.memoryEnd - first.address <= Self.mostMemory else {
      throw .damaged("it would take more than 4 GiB of memory")
    }
    for segment in others where segment.kind != Kind.dynamic {
      let size = segment.kind == Kind.note || segment.kind == Kind.property ? segment.fileSize : segment.memorySize
      // Thread-local variables without initial values take no space in a segment.
      let needed = segment.kind == Kind.tls ? segment.fileSize : size
      guard needed == 0 || isMapped(segment.address, needed) else {
        throw .damaged("a program header of the type \(segment.kind) lies outside the loaded segments")
      }
    }
    let dynamics = others.filter { $0.kind == Kind.dynamic }
    guard let section = dynamics.first else {
      throw Refusal(.notASharedObject, "it is linked statically", fix: "link it with 'cc -shared'")
    }
    guard dynamics.count == 1 else { throw .damaged("it has more than one dynamic section") }
    dynamic = try ELFDynamic(self, at: section.address, count: section.memorySize)
  }

  private static func segment(_ table: ELFTable, _ at: Int) -> Segment {
    Segment(
      kind: table.u32(at), flags: table.u32(at + 4), offset: table.u64(at + 8), address: table.u64(at + 16),
      fileSize: table.u64(at + 32),
      memorySize: table.u64(at + 40), alignment: table.u64(at + 48))
  }

  private func checked(_ segment: Segment) throws(Refusal) -> Segment {
    let (fileEnd, overflow) = segment.offset.addingReportingOverflow(segment.fileSize)
    // Accessing a page beyond the end of the file would end the process with SIGBUS.
    guard !overflow, fileEnd <= bytes.size else { throw .damaged("it is truncated, or its program headers are wrong") }
    guard segment.memorySize >= segment.fileSize else {
      throw .damaged("a segment is larger in the file than in memory")
    }
    let (end, wraps) = segment.address.addingReportingOverflow(segment.memorySize)
    guard !wraps, end < 1 << 47, end >= loaded.last?.memoryEnd ?? 0, segment.address >= loaded.last?.memoryEnd ?? 0
    else {
      throw .damaged("its segments overlap or are out of order")
    }
    guard segment.alignment.nonzeroBitCount == 1, segment.alignment >= 4096, segment.alignment <= 1 << 30,
      (segment.address &- segment.offset) & (segment.alignment - 1) == 0
    else { throw .damaged("a segment is not aligned to pages") }
    return segment
  }

  // MARK: Addresses

  /// Whether `count` bytes from `address` on are loaded, including bytes that the file does not contain and that are zero.
  func isMapped(_ address: UInt64, _ count: UInt64) -> Bool {
    let (end, overflow) = address.addingReportingOverflow(count)
    return !overflow && loaded.contains { $0.address <= address && end <= $0.memoryEnd }
  }

  /// Returns the file offset of `count` bytes loaded at `address`; nil if the file does not contain all of them.
  func offset(of address: UInt64, _ count: UInt64) -> UInt64? {
    let (end, overflow) = address.addingReportingOverflow(count)
    guard !overflow, let segment = loaded.first(where: { $0.address <= address && end <= $0.fileEnd }) else {
      return nil
    }
    return segment.offset + (address - segment.address)
  }

  /// Returns the table `what` of `count` bytes that is loaded at `address`.
  func table(at address: UInt64, count: UInt64, _ what: String) throws(Refusal) -> ELFTable {
    guard let offset = offset(of: address, count) else { throw .damaged("\(what) lies outside the loaded segments") }
    return try bytes.table(at: offset, count: count, what)
  }
}
