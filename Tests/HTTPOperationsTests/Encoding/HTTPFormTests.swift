import HTTPOperations
import OperationsTesting
import Testing

@Suite("Forms")
struct HTTPFormTests {
  private func encoded(_ form: HTTPForm) throws -> (text: String, type: String) {
    var random = SeededRandom(seed: 1)
    let (bytes, type) = try form.encoded(using: &random)
    return (String(decoding: bytes, as: UTF8.self), type)
  }

  @Test("Text alone is urlencoded, and no value can end its parameter")
  func urlencoded() throws {
    let form = HTTPForm([.init("a b", "1&c=2"), .init("é", "x+y =\r\n")])
    let (text, type) = try encoded(form)
    #expect(type == "application/x-www-form-urlencoded")
    #expect(text == "a+b=1%26c%3D2&%C3%A9=x%2By+%3D%0D%0A")
  }

  @Test("A file makes the form multipart, and neither name nor content can end a part")
  func multipart() throws {
    let content = Array("--penstock-\r\nContent-Disposition: form-data; name=\"evil\"\r\n".utf8)
    let form = HTTPForm([
      .init("text\"\r\nX: y", "value"), .init("file", .bytes(content, name: "a\"b\n.txt", type: .octetStream)),
    ])
    let (text, type) = try encoded(form)
    let boundary = try #require(MediaType(type)?.parameter("boundary"))
    #expect(type == "multipart/form-data; boundary=\(boundary)")
    #expect(
      text == """
        --\(boundary)\r
        Content-Disposition: form-data; name="text%22%0D%0AX: y"\r
        \r
        value\r
        --\(boundary)\r
        Content-Disposition: form-data; name="file"; filename="a%22b%0A.txt"\r
        Content-Type: application/octet-stream\r
        \r
        \(String(decoding: content, as: UTF8.self))\r
        --\(boundary)--\r

        """)
  }

  @Test("A boundary that occurs in a part is drawn again")
  func boundaries() throws {
    let first = try encoded(HTTPForm([], encoding: .multipart)).type
    let boundary = try #require(MediaType(first)?.parameter("boundary"))
    let form = HTTPForm([.init("a", "p\(boundary)")], encoding: .multipart)
    #expect(try encoded(form).type != first)
  }

  @Test("The content of a file is sent under its own name")
  func files() throws {
    let folder = try TemporaryFolder()
    try folder.make("data.bin", [1, 2, 3])
    let form = HTTPForm([.init("f", .file(path: "\(folder.path)/data.bin", type: .octetStream))])
    #expect(
      try encoded(form).text.contains(
        "filename=\"data.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n\u{1}\u{2}\u{3}\r\n"))
    let missing = HTTPForm([.init("f", .file(path: "\(folder.path)/none", type: .octetStream))])
    let error = #expect(throws: HTTPEncodingError.self) { try encoded(missing) }
    #expect(error?.code == .unreadableFile)
    #expect(error?.message.contains("none: No such file or directory") == true)
  }

  @Test("A form over the limit is rejected, and so is a file in an urlencoded form")
  func limits() {
    for form in [
      HTTPForm([.init("a", "12345")], limit: 6), HTTPForm([.init("a", "12345")], encoding: .multipart, limit: 20),
      HTTPForm([.init("a", .bytes([], name: "x", type: .json))], encoding: .urlencoded),
    ] {
      let error = #expect(throws: HTTPEncodingError.self) { try encoded(form) }
      #expect(error?.code == .invalidForm)
    }
  }
}
