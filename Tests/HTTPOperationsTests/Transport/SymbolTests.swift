import Foundation
import HTTPOperations
import Testing

/// Returns the names of the functions and variables that an ELF file for this computer's architecture defines, including local ones.
private func definedSymbols(of path: String) throws -> Set<String> {
  let file = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
  func number<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> Int {
    file.withUnsafeBytes { Int(truncatingIfNeeded: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
  }
  let sections = number(UInt64.self, at: 0x28)
  func section(_ index: Int) -> (type: Int, offset: Int, size: Int, link: Int) {
    let header = sections + index * 64
    return (
      number(UInt32.self, at: header + 4), number(UInt64.self, at: header + 24), number(UInt64.self, at: header + 32),
      number(UInt32.self, at: header + 40)
    )
  }
  var names: Set<String> = []
  for index in 0..<number(UInt16.self, at: 0x3c) {
    let symbols = section(index)
    // A symbol table; symbols without a section are undefined.
    guard symbols.type == 2 else { continue }
    let texts = section(symbols.link)
    for entry in stride(from: symbols.offset, to: symbols.offset + symbols.size, by: 24)
    where number(UInt16.self, at: entry + 6) != 0 {
      let start = texts.offset + number(UInt32.self, at: entry)
      // The beginning is enough, since most Swift names are long.
      names.insert(String(decoding: file[start..<min(start + 40, file.count)].prefix { $0 != 0 }, as: UTF8.self))
    }
  }
  return names
}

@Suite("The symbols of the HTTP client")
struct SymbolTests {
  @Test("do not use libcurl's names, since a program using the library may link libcurl itself")
  func libcurl() throws {
    let names = try definedSymbols(of: "/proc/self/exe")
    #expect(names.contains("penstock_curl_easy_init"))
    #expect(names.filter { $0.hasPrefix("curl_") } == [])
  }
}
