import Testing
import Values

@testable import PipelineEngine

@Suite("Output that becomes a result") struct ResultTextTests {
  @Test(
    "without a declared type is an object or a list if it is one in JSON, and text otherwise",
    arguments: [
      ("{\"a\":1}\n", JSONValue.object(["a": .int(1)])), ("[1]", .array([.int(1)])),
      (" [1.10]\n", .array([.double(1.1)])),
      ("42\n", .string("42")), ("1.10\n", .string("1.10")), ("007", .string("007")), ("true", .string("true")),
      ("null", .string("null")), ("\"a\"\n", .string("\"a\"")), ("[1] and more", .string("[1] and more")),
      ("42 apples\n", .string("42 apples")), ("{broken", .string("{broken")),
      ("two\nlines\n\n", .string("two\nlines\n")),
      ("nothing", .string("nothing")),
    ])
  func undeclared(text: String, value: JSONValue) throws {
    #expect(try ResultText.value(of: Array(text.utf8), as: nil) == value)
  }

  @Test("as a string is text, even if it looks like JSON") func string() throws {
    #expect(try ResultText.value(of: Array("42\n".utf8), as: .string) == .string("42"))
  }

  @Test("is checked against its type") func mismatch() {
    #expect(throws: OperationFailure.self) { try ResultText.value(of: Array("\"x\"".utf8), as: .int) }
    let failure = #expect(throws: OperationFailure.self) {
      try ResultText.value(of: Array("oops\n".utf8), as: .list(.int))
    }
    #expect(failure?.code == "result-invalid")
    #expect(failure?.message.contains("'oops\\n'") == true)
  }

  @Test("must be UTF-8 to be text") func encoding() {
    let failure = #expect(throws: OperationFailure.self) { try ResultText.value(of: [0x61, 0xFF], as: .string) }
    #expect(failure?.code == "result-invalid")
  }
}
