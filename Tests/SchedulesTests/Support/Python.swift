import Glibc

/// The computer's Python, used for comparison.
enum Python {
  /// Whether there is a Python that supports time zones.
  static let isThere = run("import zoneinfo; print('yes')") == "yes\n"

  /// Returns the output of `script`; nil if there is no Python.
  static func run(_ script: String) -> String? {
    let quoted = script.replacing("'", with: "'\\''")
    guard let stream = popen("python3 -c '\(quoted)' 2>/dev/null", "r") else { return nil }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, stream)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return pclose(stream) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
