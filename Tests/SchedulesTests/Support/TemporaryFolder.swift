import Glibc
import Testing

/// A temporary folder that is deleted with the value.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/schedules-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit {
    if let stream = opendir(path) {
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        unlink(path + "/" + name)
      }
      closedir(stream)
    }
    rmdir(path)
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    let file = try #require(fopen(path + "/" + name, "w"))
    defer { fclose(file) }
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }
}
