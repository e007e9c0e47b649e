import Glibc
import Testing

@testable import SlurmJobs

@Suite("The directory of an attempt")
final class AttemptFolderTests {
  private let folder: AttemptFolder

  init() throws {
    var template = Array("/tmp/penstock-attempt-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkdtemp($0) != nil } ?? false }
    try #require(made)
    let run = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    folder = AttemptFolder(run: run, token: AttemptToken(run: "01abc", ordinal: 3, attempt: 2))
    mkdir(folder.path, 0o700)
    mkdir(AttemptFolder.ends(of: run), 0o700)
  }

  deinit {
    for name in ["claim", "end.json", "batch"] { unlink("\(folder.path)/\(name)") }
    unlink("\(AttemptFolder.ends(of: folder.run))/\(folder.token.text)")
    rmdir(AttemptFolder.ends(of: folder.run))
    rmdir(folder.path)
    rmdir(folder.run)
  }

  @Test("only the first claim counts")
  func claim() throws {
    #expect(folder.claim == nil)
    #expect(try folder.claim(as: .worker("13_0 on n1")))
    #expect(try !folder.claim(as: .host))
    #expect(folder.claim == .worker("13_0 on n1"))
  }

  @Test(
    "an end record is read as it was written",
    arguments: [
      EndRecord.Cause.exited(0), .exited(3), .signal(9), .timedOut,
      .refused(code: "command-not-found", message: "no 'x'\n", exitCode: 127),
      .refused(code: "submit-refused", message: "no", exitCode: nil),
    ])
  func record(cause: EndRecord.Cause) throws {
    let record = EndRecord(
      cause: cause, wasStopped: true, node: "n1", userTime: 1, systemTime: 2, peakMemory: 3)
    try folder.write(record)
    #expect(folder.record == record)
  }

  @Test("an end record that is cut off, foreign or too large does not count")
  func noRecord() throws {
    let path = "\(folder.path)/end.json"
    try folder.write(EndRecord(cause: .exited(0), node: "n1"))
    let bytes = try #require(SharedFile.read(path, limit: 4096))
    try SharedFile.write(Array(bytes.dropLast(4)), to: path)
    #expect(folder.record == nil)
    try SharedFile.write(bytes + Array(repeating: UInt8(ascii: " "), count: 64 << 10), to: path)
    #expect(folder.record == nil)
    let other = AttemptFolder(run: folder.run, token: AttemptToken(run: "01abc", ordinal: 3, attempt: 3))
    try SharedFile.write(
      Array(String(decoding: bytes, as: UTF8.self).replacing(folder.token.text, with: other.token.text).utf8), to: path)
    #expect(folder.record == nil)
  }

  @Test("an end record takes the room that was reserved for it")
  func reserved() throws {
    func number(_ name: String) -> ino_t? {
      var status = stat()
      return stat("\(folder.path)/\(name)", &status) == 0 ? status.st_ino : nil
    }
    try folder.reserveRecord()
    let reserved = try #require(number("end.new"))
    // By another start of the same job.
    try folder.reserveRecord()
    try folder.write(EndRecord(cause: .exited(3), node: "n1"))
    #expect(folder.record?.cause == .exited(3))
    #expect(number("end.json") == reserved)
    #expect(number("end.new") == nil)
  }

  @Test("a job is read as it was written, whatever is in it")
  func order() {
    let order = JobOrder(
      token: folder.token, arguments: ["/bin/sh", "-c", "echo \"$(id)\" %j '\n'"],
      environment: ["A": "x=\"y\"\n$(z)", "EMPTY": ""], directory: "/tmp/a b", hasInput: true, grace: 10_000,
      timeout: nil)
    #expect(JobOrder(bytes: order.bytes) == order)
    #expect(JobOrder(bytes: Array(order.bytes.dropLast())) == nil)
  }

  @Test("a token is read as it was written, and nothing else is one")
  func token() {
    #expect(AttemptToken(folder.token.text) == folder.token)
    #expect(AttemptToken("penstock-a-1-2") == nil)
    #expect(AttemptToken("penstock-../a-1-2-abcdef") == nil)
    #expect(AttemptToken("penstock-A-1-2-abcdef") == nil)
  }
}
