import Glibc

/// Reads what the kernel tells in files.
enum KernelFile {
  /// The text of a file; empty where there is none.
  static func text(_ path: String) -> String {
    // Files in /proc say that they are empty, so their size must not be asked for.
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The number behind a word that begins a line: `Threads:	12`.
  static func number(_ name: String, in text: String) -> Int? {
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }
    return nil
  }

  /// The names of what is in a directory.
  static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
