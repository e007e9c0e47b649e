/// The changes that the dynamic linker makes to a shared object while loading it, and the functions that it then calls.
///
/// The linker trusts all of this: it writes to places outside the object, and calls a function at any stated address. The trial in a child process
/// does not make these checks superfluous: the child's memory is laid out differently, so a write that crashes the child may hit something in the
/// host, and one that the child survives may crash the host. Together with the rest of `ELF/`, the checks take 740 lines.
///
/// So they come first: places must be writable parts of the object, symbols must exist, and functions must be code.
struct ELFRelocations {
  /// The size of a relocation with an addend, in bytes.
  private static let size: UInt64 = 24
  /// The number of bytes of a table that are read at a time.
  private static let piece: UInt64 = 240 * 4096

  private let image: ELFImage
  private let dynamic: ELFDynamic
  /// The addresses that relocations may change.
  private let writable: [Range<UInt64>]
  private let executable: [Range<UInt64>]
  /// The range in `writable` of the previous relocation, which usually holds the next one too.
  private var last = 0..<UInt64(0)
  /// The numbers of the symbols that relocations use.
  private var symbols: Set<UInt32> = []
  /// The functions that relocations write to the tables of functions.
  private var functions: [UInt64: Function] = [:]
  private let functionArrays: [Range<UInt64>]

  /// The function that an entry of a table of functions has after relocation.
  private enum Function {
    /// The function at this address of the object.
    case address(UInt64)
    /// The function at the address that the file has in this entry.
    case addressInFile
    /// The function of the symbol with this number.
    case symbol(UInt32)
  }

  /// Checks all relocations and functions.
  ///
  /// - Throws: `not-a-shared-object`, with a description of the damage.
  static func check(_ image: ELFImage) throws(Refusal) {
    var relocations = ELFRelocations(image)
    for table in image.dynamic.relocations { try relocations.check(table.address, table.size) }
    if let table = image.dynamic.relativeRelocations { try relocations.checkRelative(table.address, table.size) }
    try relocations.checkSymbols()
    try relocations.checkFunctions()
  }

  private init(_ image: ELFImage) {
    self.image = image
    dynamic = image.dynamic
    let all = image.dynamic.changesCode
    writable = image.loaded.filter { all || $0.flags & 2 != 0 }.map { $0.address..<$0.memoryEnd }
    executable = image.loaded.filter { $0.flags & 1 != 0 }.map { $0.address..<$0.fileEnd }
    functionArrays = image.dynamic.functionArrays.map { $0.address..<($0.address + $0.size) }
  }

  // MARK: Tables

  private mutating func check(_ address: UInt64, _ size: UInt64) throws(Refusal) {
    guard size % Self.size == 0 else { throw .damaged("the table of relocations ends within one") }
    for start in stride(from: 0, to: size, by: Int(Self.piece)) {
      let table = try image.table(
        at: address + start, count: min(Self.piece, size - start), "the table of relocations")
      for at in stride(from: 0, to: table.count, by: Int(Self.size)) {
        try check(place: table.u64(at), info: table.u64(at + 8), addend: table.u64(at + 16))
      }
    }
  }

  private mutating func check(place: UInt64, info: UInt64, addend: UInt64) throws(Refusal) {
    let kind = UInt32(truncatingIfNeeded: info)
    let symbol = UInt32(truncatingIfNeeded: info >> 32)
    guard kind != 0 else { return }
    // The descriptor of a thread-local variable has two words.
    try checkPlace(place, kind == Self.variableDescriptor ? 16 : 8)
    if symbol != 0 { symbols.insert(symbol) }
    if kind == Self.resolvedFunction { try checkFunction(addend) }
    guard isOfFunctionArray(place) else { return }
    switch kind {
    // These overwrite the whole entry, including the effect of relative relocations, which are applied first.
    case Self.relative: functions[place] = .address(addend)
    case Self.absolute where addend == 0: functions[place] = .symbol(symbol)
    default: throw Self.noFunction
    }
  }

  /// Checks a table of addresses (even numbers) and of bit masks (odd numbers) for the 63 words that follow the last address.
  private mutating func checkRelative(_ address: UInt64, _ size: UInt64) throws(Refusal) {
    guard size % 8 == 0 else { throw .damaged("the table of relative relocations ends within one") }
    var next: UInt64 = 0
    for start in stride(from: 0, to: size, by: Int(Self.piece)) {
      let table = try image.table(
        at: address + start, count: min(Self.piece, size - start), "the table of relative relocations")
      for at in stride(from: 0, to: table.count, by: 8) {
        let entry = table.u64(at)
        if entry & 1 == 0 {
          try checkRelative(place: entry)
          next = entry + 8
        } else {
          var bits = entry >> 1
          while bits != 0 {
            let place = next.addingReportingOverflow(8 * UInt64(bits.trailingZeroBitCount))
            guard !place.overflow else { throw Self.outside }
            try checkRelative(place: place.partialValue)
            bits &= bits - 1
          }
          next = next &+ 8 * 63
        }
      }
    }
  }

  private mutating func checkRelative(place: UInt64) throws(Refusal) {
    try checkPlace(place, 8)
    guard isOfFunctionArray(place) else { return }
    // Relocated twice, the value is no longer an address.
    guard functions.updateValue(.addressInFile, forKey: place) == nil else { throw Self.noFunction }
  }

  private mutating func checkPlace(_ place: UInt64, _ count: UInt64) throws(Refusal) {
    let (end, overflow) = place.addingReportingOverflow(count)
    guard !overflow else { throw Self.outside }
    guard end <= dynamic.range.lowerBound || place >= dynamic.range.upperBound else {
      throw .damaged("a relocation changes the dynamic section")
    }
    for array in functionArrays where place < array.upperBound && array.lowerBound < end {
      guard place >= array.lowerBound, (place - array.lowerBound) % 8 == 0 else { throw Self.noFunction }
    }
    if last.lowerBound <= place, end <= last.upperBound { return }
    guard let range = writable.first(where: { $0.lowerBound <= place && end <= $0.upperBound }) else {
      throw Self.outside
    }
    last = range
  }

  private static let outside = Refusal.damaged("a relocation lies outside the writable segments")

  // MARK: Targets

  private func checkSymbols() throws(Refusal) {
    guard !symbols.isEmpty, let table = dynamic.symbols, let strings = dynamic.strings else { return }
    // If the table ends with a NUL, every name ends.
    let end = try image.table(at: strings.address + strings.size - 1, count: 1, "the table of strings")
    guard end.bytes == [0] else { throw .damaged("the table of strings is not terminated") }
    for symbol in symbols {
      let (address, overflow) = table.addingReportingOverflow(ELFSymbol.size * UInt64(symbol))
      guard !overflow else { throw Self.noSymbol }
      let name = try image.table(at: address, count: 4, "the table of symbols").u32(0)
      guard UInt64(name) < strings.size else { throw Self.noSymbol }
    }
  }

  private static let noSymbol = Refusal.damaged("a relocation refers to a symbol that does not exist")

  private func checkFunctions() throws(Refusal) {
    for function in dynamic.functions where function != 0 { try checkFunction(function) }
    for array in functionArrays {
      guard array.count % 8 == 0 else { throw .damaged("the table of initializers ends within one") }
      for place in stride(from: array.lowerBound, to: array.upperBound, by: 8) {
        // Every entry is called, including 0, so an entry that no relocation turns into an address in the object is an error.
        guard let function = functions[place] else { throw Self.noFunction }
        switch function {
        case .address(let address): try checkFunction(address)
        case .addressInFile: try checkFunction(image.table(at: place, count: 8, "the table of initializers").u64(0))
        case .symbol(let number): try checkFunction(symbol: number)
        }
      }
    }
  }

  private func checkFunction(_ address: UInt64) throws(Refusal) {
    guard executable.contains(where: { $0.contains(address) }) else { throw Self.noFunction }
  }

  /// Checks the function of a symbol, whose number has been checked. If another object defines the function, loading finds it or fails.
  private func checkFunction(symbol: UInt32) throws(Refusal) {
    guard let table = dynamic.symbols else { throw Self.noSymbol }
    let address = table + ELFSymbol.size * UInt64(symbol)
    let entry = try image.table(at: address, count: ELFSymbol.size, "the table of symbols")
    if entry.u16(6) != 0 { try checkFunction(entry.u64(8)) }
  }

  /// Whether the place must hold the address of a function to call.
  private func isOfFunctionArray(_ place: UInt64) -> Bool { functionArrays.contains { $0.contains(place) } }

  private static let noFunction = Refusal.damaged(
    "a function to call when it is loaded lies outside its code")

  // MARK: Kinds of relocations, by processor

  #if arch(x86_64)
    private static let absolute: UInt32 = 1
    private static let relative: UInt32 = 8
    private static let resolvedFunction: UInt32 = 37
    private static let variableDescriptor: UInt32 = 36
  #elseif arch(arm64)
    private static let absolute: UInt32 = 257
    private static let relative: UInt32 = 1027
    private static let resolvedFunction: UInt32 = 1032
    private static let variableDescriptor: UInt32 = 1031
  #elseif arch(riscv64)
    private static let absolute: UInt32 = 2
    private static let relative: UInt32 = 3
    private static let resolvedFunction: UInt32 = 58
    private static let variableDescriptor: UInt32 = 12
  #elseif arch(s390x)
    private static let absolute: UInt32 = 22
    private static let relative: UInt32 = 12
    private static let resolvedFunction: UInt32 = 61
    private static let variableDescriptor: UInt32 = .max
  #elseif arch(powerpc64le)
    private static let absolute: UInt32 = 38
    private static let relative: UInt32 = 22
    private static let resolvedFunction: UInt32 = 248
    private static let variableDescriptor: UInt32 = .max
  #endif
}
