/// The ELF header of a file.
struct ELFHeader {
  /// The offset and the number of the program headers.
  let segments: (offset: UInt64, count: Int)

  /// The size of a program header in files for 64-bit processors.
  static let segmentSize = 56

  /// - Throws: `not-a-shared-object` or `wrong-architecture` if this process could not load the file.
  init(_ bytes: ELFBytes) throws(Refusal) {
    guard bytes.size > 0 else {
      throw Refusal(.notASharedObject, "it is empty", fix: "build or install it again")
    }
    let start = try bytes.table(at: 0, count: min(bytes.size, 16), "the header").bytes
    guard start.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]) else {
      throw Refusal(
        .notASharedObject, "it is not a shared object\(Self.kind(of: start))",
        fix: "name one that was built with 'cc -shared' or similar")
    }
    guard start.count == 16 else { throw .damaged("it ends within the header") }
    try Self.checkIdentification(start)
    let header = try bytes.table(at: 0, count: 64, "the header")
    try Self.checkMachine(header.u16(18))
    try Self.checkType(header.u16(16))
    guard header.u32(20) == 1 else {
      throw .damaged("its format has the version \(header.u32(20)), but only version 1 exists")
    }
    guard header.u16(54) == Self.segmentSize else {
      throw .damaged("its program headers have \(header.u16(54)) bytes each, not \(Self.segmentSize)")
    }
    segments = (header.u64(32), Int(header.u16(56)))
  }

  private static func checkIdentification(_ start: [UInt8]) throws(Refusal) {
    let bits = Int.bitWidth
    guard start[4] == (bits == 64 ? 2 : 1) else {
      guard start[4] == 1 || start[4] == 2 else { throw .damaged("it is neither for 32 nor for 64 bits") }
      throw wrong("processors of \(start[4] == 1 ? 32 : 64) bits", "one of \(bits) bits")
    }
    let order = UInt16(1).littleEndian == 1 ? 1 : 2
    guard start[5] == order else {
      guard start[5] == 1 || start[5] == 2 else { throw .damaged("its byte order is unknown") }
      throw wrong("\(start[5] == 1 ? "little" : "big")-endian processors", "\(order == 1 ? "little" : "big")-endian")
    }
    guard start[6] == 1 else { throw .damaged("its format has the version \(start[6]), but only version 1 exists") }
    // System V and GNU/Linux, which shared objects for Linux state.
    guard start[7] == 0 || start[7] == 3 else {
      throw wrong(systems[start[7]] ?? "the system number \(start[7])", "Linux")
    }
  }

  private static func checkMachine(_ machine: UInt16) throws(Refusal) {
    guard machine != ProcessorArchitecture.ownMachine else { return }
    throw wrong(ProcessorArchitecture.name(ofMachine: machine), ProcessorArchitecture.own)
  }

  private static func checkType(_ type: UInt16) throws(Refusal) {
    switch type {
    case 3: return
    case 1:
      throw Refusal(
        .notASharedObject, "it is an object file that was not linked",
        fix: "link it with 'cc -shared -o NAME.so FILE.o'")
    case 2: throw program
    case 4: throw Refusal(.notASharedObject, "it is a core dump", fix: "name a shared object")
    default: throw .damaged("it is of the unknown type \(type)")
    }
  }

  /// The refusal of a file that is to be run rather than loaded.
  static let program = Refusal(
    .notASharedObject, "it is a program, not a shared object", fix: "link it with '-shared' instead of '-pie'")

  private static func wrong(_ theirs: String, _ ours: String) -> Refusal {
    Refusal(
      .wrongArchitecture, "it is for \(theirs), but this computer is \(ours)", fix: "get or build it for this computer")
  }

  /// The values of ELF's `EI_OSABI`.
  private static let systems: [UInt8: String] = [2: "NetBSD", 6: "Solaris", 9: "FreeBSD", 12: "OpenBSD"]

  /// Returns the actual kind of the file, if its beginning reveals it.
  private static func kind(of start: [UInt8]) -> String {
    let kinds: [(start: [UInt8], kind: String)] = [
      (Array("#!".utf8), "a script"), (Array("!<arch>".utf8), "a static library"),
      (Array("MZ".utf8), "a file for Windows"),
      ([0xCF, 0xFA, 0xED, 0xFE], "a file for macOS"), ([0xCA, 0xFE, 0xBA, 0xBE], "a file for macOS"),
      ([0, 0x61, 0x73, 0x6D], "WebAssembly"), ([0x1F, 0x8B], "a compressed file"),
      (Array("INPUT".utf8), "a linker script"), (Array("/* GNU ld".utf8), "a linker script"),
    ]
    return kinds.first { start.starts(with: $0.start) }.map { ", but \($0.kind)" } ?? ""
  }
}
