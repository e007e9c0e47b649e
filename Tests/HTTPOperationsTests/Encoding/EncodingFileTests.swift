import Glibc
import HTTPOperations
import OperationsTesting
import Testing

@Suite("Files that are sent")
struct EncodingFileTests {
  @Test("a pipe is rejected immediately, without waiting for it")
  func pipe() throws {
    var template = Array("/tmp/penstock-pipe-XXXXXX".utf8CString)
    let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
    let path = "\(directory)/pipe"
    defer {
      unlink(path)
      rmdir(directory)
    }
    try #require(mkfifo(path, 0o600) == 0)
    var random = SeededRandom(seed: 1)
    let form = HTTPForm([.init("f", .file(path: path, type: .octetStream))])
    #expect(throws: HTTPEncodingError.self) { try form.encoded(using: &random) }
    #expect(throws: HTTPEncodingError.self) { try NetrcFile(path: path) }
  }
}
