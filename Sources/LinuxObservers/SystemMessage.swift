import Glibc
import Operations

/// What the C library says of an error number.
func systemMessage(of error: Int32) -> String {
  var text = [CChar](repeating: 0, count: 256)
  guard strerror_r(error, &text, text.count) == 0 else { return "error \(error)" }
  return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
