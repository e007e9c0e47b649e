import Glibc
import HTTPOperations
import HTTPTypes
import Operations
import OperationsTesting
import Testing

@Suite("Downloads")
struct HTTPDownloadTests {
  private let folder: TemporaryFolder
  private let whole = Array("0123456789".utf8)
  private let tag: HTTPFields = [.eTag: "\"v1\"", .contentLength: "10"]

  init() throws {
    folder = try TemporaryFolder()
  }

  private func operation(
    _ transport: FakeTransport, _ change: (inout HTTPDownload) -> Void = { _ in }
  ) -> HTTPOperation<HTTPDownloadedFile> {
    var download = HTTPDownload(to: "\(folder.path)/file.txt")
    change(&download)
    var operation = HTTPOperation(.init(url: "http://h/file"), by: transport, to: download)
    operation.retry.budget = nil
    return operation
  }

  private func run(_ operation: HTTPOperation<HTTPDownloadedFile>) async throws -> HTTPDownloadedFile {
    try await OperationRunner(operation, context: .testing(ImmediateClock())).run()
  }

  private func rest(_ first: Int, tag: String = "\"v1\"", total: Int = 10) -> FakeTransport.Answer {
    .response(
      206, [.eTag: tag, .contentRange: "bytes \(first)-9/\(total)", .contentLength: "\(10 - first)"],
      Array(whole[first...]))
  }

  @Test("A file gets its name only when it is complete, and nothing is left beside it")
  func whole() async throws {
    let transport = FakeTransport(.response(200, tag, whole))
    let file = try await run(operation(transport))
    #expect(file.path == "\(folder.path)/file.txt")
    #expect(file.length == 10 && file.resumedFrom == 0)
    #expect(folder.content("file.txt") == whole)
    #expect(folder.names == ["file.txt"])
    #expect(transport.requests.first?.options.decompresses == false)
  }

  @Test("An interrupted download resumes where it stopped if there is a strong tag")
  func resumes() async throws {
    let transport = FakeTransport(
      .cut(200, tag, Array(whole[..<4])),
      .cut(206, [.eTag: "\"v1\"", .contentRange: "bytes 4-9/10"], Array(whole[4..<7])), rest(7))
    let file = try await run(operation(transport))
    #expect(file.resumedFrom == 7)
    #expect(folder.content("file.txt") == whole)
    #expect(folder.names == ["file.txt"])
    #expect(transport.requests.map { $0.fields[.range] } == [nil, "bytes=4-", "bytes=7-"])
    #expect(transport.requests.map { $0.fields[.ifRange] } == [nil, "\"v1\"", "\"v1\""])
  }

  @Test("Another process resumes the part beside the target")
  func survives() async throws {
    let first = FakeTransport(.cut(200, tag, Array(whole[..<4])))
    var once = operation(first)
    once.retry = .none
    await #expect(throws: HTTPOperationError.self) { try await run(once) }
    #expect(folder.names == [".file.txt.penstock-part", ".file.txt.penstock-part.state"])
    let state = try #require(folder.content(".file.txt.penstock-part.state"))
    #expect(!String(decoding: state, as: UTF8.self).contains("http"))
    let second = FakeTransport(rest(4))
    #expect(try await run(operation(second)).resumedFrom == 4)
    #expect(folder.content("file.txt") == whole)
    #expect(folder.names == ["file.txt"])
  }

  @Test("The content is fetched again if the server has changed it")
  func changed() async throws {
    let new = Array("abcdefghij".utf8)
    let answers: [[FakeTransport.Answer]] = [
      // The whole content, since If-Range does not match.
      [.response(200, [.eTag: "\"v2\"", .contentLength: "10"], new)],
      // The range no longer exists.
      [.response(416), .response(200, [.eTag: "\"v2\""], new)],
      [.response(412), .response(200, [.eTag: "\"v2\""], new)],
      // A server that ignores If-Range: another tag, length or beginning, or none at all.
      [rest(4, tag: "\"v2\""), .response(200, [.eTag: "\"v2\""], new)],
      [rest(4, total: 11), .response(200, [.eTag: "\"v2\""], new)],
      [
        .response(206, [.contentRange: "bytes 4-9/10"], Array(whole[4...])), .response(200, [.eTag: "\"v2\""], new),
      ],
      [rest(3), .response(200, [.eTag: "\"v2\""], new)],
      [.response(206, [:], [1]), .response(200, [.eTag: "\"v2\""], new)],
    ]
    for (index, answers) in answers.enumerated() {
      let transport = FakeTransport(all: [.cut(200, tag, Array(whole[..<4]))] + answers)
      let file = try await run(operation(transport) { $0.collision = .replace })
      #expect(file.resumedFrom == 0, "\(index)")
      #expect(folder.content("file.txt") == new, "\(index)")
      #expect(folder.names == ["file.txt"], "\(index)")
      #expect(transport.requests.count == 1 + answers.count, "\(index)")
      #expect(transport.requests.last?.fields[.range] == (answers.count == 1 ? "bytes=4-" : nil), "\(index)")
    }
  }

  @Test("A part with another modification date belongs to another content, whatever If-Range said")
  func otherDate() async throws {
    let dates = ["Sat, 05 Nov 1994 08:48:37 GMT", "Sun, 06 Nov 1994 08:00:00 GMT"]
    let first: HTTPFields = [.lastModified: dates[0], .date: "Sun, 06 Nov 1994 08:49:37 GMT"]
    let new = Array("abcdefghij".utf8)
    for (date, isSame) in [(dates[0], true), (nil, true), (dates[1], false)] {
      var fields: HTTPFields = [.contentRange: "bytes 4-9/10"]
      fields[.lastModified] = date
      let transport = FakeTransport(
        .cut(200, first, Array(whole[..<4])), .response(206, fields, Array(whole[4...])), .response(200, [:], new))
      let file = try await run(operation(transport) { $0.collision = .replace })
      #expect(file.resumedFrom == (isSame ? 4 : 0))
      #expect(folder.content("file.txt") == (isSame ? whole : new))
    }
  }

  @Test("A download without a strong tag or an old date is not resumed")
  func validators() async throws {
    let now = "Sun, 06 Nov 1994 08:49:37 GMT"
    let cases: [(HTTPFields, String?)] = [
      ([:], nil), ([.eTag: "W/\"v1\""], nil), ([.eTag: "v1"], nil), ([.lastModified: now, .date: now], nil),
      ([.lastModified: now], nil),
      ([.lastModified: "Sun, 06 Nov 1994 08:48:37 GMT", .date: now], "Sun, 06 Nov 1994 08:48:37 GMT"),
      (
        [.eTag: "W/\"v1\"", .lastModified: "Sat, 05 Nov 1994 08:48:37 GMT", .date: now], "Sat, 05 Nov 1994 08:48:37 GMT"
      ),
    ]
    for (fields, validator) in cases {
      let transport = FakeTransport(.cut(200, fields, Array(whole[..<4])), .response(200, [:], whole))
      _ = try await run(operation(transport) { $0.collision = .replace })
      #expect(transport.requests.last?.fields[.ifRange] == validator, "\(fields)")
      #expect(folder.content("file.txt") == whole)
    }
  }

  @Test("Several downloads to one name run at the same time only if each gets its own name")
  func severalAtOnce() async throws {
    let other = open("\(folder.path)/.file.txt.penstock-part", O_RDWR | O_CREAT, 0o600)
    defer { close(other) }
    try #require(flock(other, LOCK_EX | LOCK_NB) == 0)
    let transport = FakeTransport(.response(200, tag, whole))
    let file = try await run(operation(transport) { $0.collision = .number })
    #expect(file.path == "\(folder.path)/file.txt")
    #expect(folder.content("file.txt") == whole)
    let error = await #expect(throws: HTTPOperationError.self) {
      try await run(operation(transport) { $0.collision = .replace })
    }
    #expect(error?.code == "target-busy")
    #expect(folder.names == [".file.txt.penstock-part", "file.txt"])
  }

  @Test("A download of another URL does not resume the file, nor does one that must not resume")
  func otherSource() async throws {
    for change in [false, true] {
      let first = FakeTransport(.cut(200, tag, Array(whole[..<4])))
      var once = operation(first) { $0.collision = .replace }
      once.retry = .none
      await #expect(throws: HTTPOperationError.self) { try await run(once) }
      let second = FakeTransport(.response(200, tag, whole))
      var other = operation(second) {
        $0.collision = .replace
        $0.resumes = change
      }
      if change { other.request.url += "?other" }
      _ = try await run(other)
      #expect(second.requests.first?.fields[.range] == nil)
      #expect(folder.content("file.txt") == whole)
    }
  }

  @Test("Length and checksum are verified, and a resumed file that is wrong is fetched again")
  func verified() async throws {
    let sum = try #require(HTTPChecksum("sha256:84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"))
    let transport = FakeTransport(.cut(200, tag, Array("wron".utf8)), rest(4), .response(200, tag, whole))
    _ = try await run(operation(transport) { $0.checksum = sum })
    #expect(folder.content("file.txt") == whole)
    #expect(transport.requests.map { $0.fields[.range] } == [nil, "bytes=4-", nil])
    for (change, code): ((inout HTTPDownload) -> Void, String) in [
      ({ $0.checksum = HTTPChecksum("md5:00000000000000000000000000000000") }, "checksum-mismatch"),
      ({ $0.length = 11 }, "length-mismatch"),
    ] {
      let transport = FakeTransport(.response(200, tag, whole))
      let error = await #expect(throws: HTTPOperationError.self) {
        try await run(
          operation(transport) {
            $0.collision = .replace
            change(&$0)
          })
      }
      #expect(error?.code == code)
      #expect(transport.requests.count == 1)
      #expect(folder.names == ["file.txt"])
    }
  }

  @Test("Checksums are parsed with their algorithm and length")
  func checksums() {
    #expect(
      HTTPChecksum("SHA1:DA39A3EE5E6B4B0D3255BFEF95601890AFD80709")?.description
        == "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709")
    for text in [
      "", "sha256:", "sha256:00", "sha3:00", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
      "md5:0000000000000000000000000000000g",
    ] {
      #expect(HTTPChecksum(text) == nil, "\(text)")
    }
  }

  @Test("An existing target is kept, replaced, or given a neighbour")
  func collisions() async throws {
    try folder.make("file.txt", [1])
    let transport = FakeTransport(.response(200, tag, whole))
    let error = await #expect(throws: HTTPOperationError.self) { try await run(operation(transport)) }
    #expect(error?.code == "target-exists")
    #expect(transport.requests.isEmpty)
    #expect(folder.content("file.txt") == [1])
    for name in ["file-2.txt", "file-3.txt"] {
      #expect(try await run(operation(transport) { $0.collision = .number }).path == "\(folder.path)/\(name)")
    }
    _ = try await run(operation(transport) { $0.collision = .replace })
    #expect(folder.content("file.txt") == whole)
    #expect(folder.names == ["file-2.txt", "file-3.txt", "file.txt"])
  }

  @Test(
    "A target that is not a regular file is never replaced, not even behind a link",
    arguments: HTTPDownload.Collision.allCases, ["fifo", "link", "directory"])
  func unusual(collision: HTTPDownload.Collision, name: String) async throws {
    #expect(mkfifo("\(folder.path)/fifo", 0o600) == 0)
    #expect(symlink("fifo", "\(folder.path)/link") == 0)
    #expect(mkdir("\(folder.path)/directory", 0o700) == 0)
    let transport = FakeTransport(.response(200, tag, whole))
    let error = await #expect(throws: HTTPOperationError.self) {
      _ = try await run(
        operation(transport) {
          $0.path = "\(folder.path)/\(name)"
          $0.collision = collision
        })
    }
    #expect(error?.code == "unwritable-target")
    #expect(transport.requests.isEmpty)
    #expect(Set(folder.names) == ["directory", "fifo", "link"])
    var status = stat()
    #expect(stat("\(folder.path)/link", &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test("Two downloads to one target do not write to the same file")
  func busy() async throws {
    let inner = FakeTransport(.response(200, tag, whole))
    var outer = operation(FakeTransport(.response(200, tag, whole)))
    let busy = operation(inner)
    let code = Log<String?>()
    outer.validators = [
      HTTPResponseCheck { [self] _, _ in
        let error = await #expect(throws: HTTPOperationError.self) { try await run(busy) }
        code.append(error?.code)
      }
    ]
    _ = try await run(outer)
    #expect(code.elements == ["target-busy"])
    #expect(inner.requests.isEmpty)
    #expect(folder.content("file.txt") == whole)
  }

  @Test("A rejected response keeps the existing part for later and creates no file")
  func rejected() async throws {
    let transport = FakeTransport(.cut(200, tag, Array(whole[..<4])), .response(503), rest(4))
    #expect(try await run(operation(transport)).resumedFrom == 4)
    let none = FakeTransport(.response(404))
    await #expect(throws: HTTPOperationError.self) { try await run(operation(none) { $0.path += "2" }) }
    #expect(folder.names == ["file.txt"])
  }

  @Test("Missing directories are created, and a target that cannot be written reports the reason")
  func directories() async throws {
    let path = "\(folder.path)/a/b/file"
    _ = try await run(operation(FakeTransport(.response(200, tag, whole))) { $0.path = path })
    #expect(unlink(path) == 0 && rmdir("\(folder.path)/a/b") == 0 && rmdir("\(folder.path)/a") == 0)
    let error = await #expect(throws: HTTPOperationError.self) {
      try await run(operation(FakeTransport(.response(200))) { $0.path = "/proc/none/file" })
    }
    #expect(error?.code == "unwritable-target")
    #expect(error?.description == "/proc/none/file cannot be written: /proc/none: No such file or directory")
  }

  @Test("A damaged state file is ignored")
  func damaged() async throws {
    for text in ["", "penstock-download 1\n", "penstock-download 2\na\nb\n-\nc\n", "penstock-download 1\na\nb\n-\nc"] {
      try folder.make(".file.txt.penstock-part", [9, 9, 9])
      try folder.make(".file.txt.penstock-part.state", Array(text.utf8))
      let transport = FakeTransport(.response(200, tag, whole))
      _ = try await run(operation(transport) { $0.collision = .replace })
      #expect(transport.requests.first?.fields[.range] == nil)
      #expect(folder.content("file.txt") == whole)
      #expect(folder.names == ["file.txt"])
    }
  }
}
