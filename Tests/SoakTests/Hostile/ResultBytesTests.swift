import OperationsTesting
import Testing

extension Soak {
  @Suite("Results of any bytes become a value, a file or a defined error") struct ResultBytesTests {
    /// What a process prints, and what it becomes for each declared type.
    struct Shape: Sendable, CustomTestStringConvertible {
      var name: String
      var bytes: [UInt8]
      var undeclared: String
      var string: String
      var json: String
      var testDescription: String { name }
    }

    private static let brackets = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)

    static let shapes = [
      Shape(
        name: "random bytes", bytes: noise(4096), undeclared: "succeeded - file", string: "failed result-invalid -",
        json: "failed result-invalid -"),
      Shape(
        name: "text without a newline", bytes: Array("abc".utf8), undeclared: #"succeeded - "abc""#,
        string: #"succeeded - "abc""#, json: "failed result-invalid -"),
      Shape(
        name: "only newlines", bytes: [10, 10], undeclared: #"succeeded - "\n""#, string: #"succeeded - "\n""#,
        json: "failed result-invalid -"),
      Shape(
        name: "a NUL in text", bytes: Array("a\0b\n".utf8), undeclared: #"succeeded - "a\u0000b""#,
        string: #"succeeded - "a\u0000b""#, json: "failed result-invalid -"),
      Shape(
        name: "a NUL in a JSON string", bytes: Array(#""a\u0000b""#.utf8),
        undeclared: #"succeeded - "\"a\\u0000b\"""#,
        string: #"succeeded - "\"a\\u0000b\"""#, json: #"succeeded - "a\u0000b""#),
      Shape(
        name: "text cut in the middle of a character", bytes: [0x61, 0xE2, 0x82], undeclared: "succeeded - file",
        string: "failed result-invalid -", json: "failed result-invalid -"),
      Shape(
        name: "a lone surrogate", bytes: [0x22, 0xED, 0xA0, 0x80, 0x22], undeclared: "succeeded - file",
        string: "failed result-invalid -", json: "failed result-invalid -"),
      Shape(
        name: "nothing", bytes: [], undeclared: "succeeded - -", string: #"succeeded - """#,
        json: "failed result-invalid -"),
      Shape(
        name: "JSON that is nested too deeply", bytes: Array(brackets.utf8), undeclared: "succeeded - \"\(brackets)\"",
        string: "succeeded - \"\(brackets)\"", json: "failed result-invalid -"),
    ]

    @Test("as standard output, and as the file in PENSTOCK_RESULT", arguments: shapes)
    func bytes(of shape: Shape) async throws {
      let scratch = try Scratch()
      try scratch.write(shape.bytes, to: "bytes")
      let tool = Tool(scratch: scratch)
      let ending = try await tool.run(
        pipeline: """
          operations:
            - { name: undeclared, run: cat bytes }
            - { name: string, run: cat bytes, result: string }
            - { name: json, run: cat bytes, result: json }
            - { name: none, run: cat bytes, result: none }
            - { name: int, run: cat bytes, result: int }
            - { name: by-file, run: 'cat bytes >"$PENSTOCK_RESULT"', result: string }
          """, "--quiet")
      #expect(ending.code == 1, ending.summary)
      let outcomes = try tool.outcomes()
      #expect(outcomes["undeclared"] == shape.undeclared)
      #expect(outcomes["string"] == shape.string)
      #expect(outcomes["by-file"] == shape.string)
      #expect(outcomes["json"] == shape.json)
      #expect(outcomes["none"] == "succeeded - -")
      #expect(outcomes["int"]?.hasPrefix("failed result-") == true)
      try tool.expectRest()
    }

    @Test("a line of 64 MiB stays in its file")
    func longLine() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch)
      let line = "head -c 67108864 /dev/zero | tr '\\\\0' x"
      let ending = try await tool.run(
        pipeline: """
          operations:
            - { name: undeclared, run: "\(line)" }
            - { name: string, run: "\(line)", result: string }
            - { name: json, run: "\(line)", result: json, allow_failure: true }
            - { name: none, run: "\(line)", result: none }
            - { name: list, run: "\(line)", result: [int], allow_failure: true }
            - { name: count, inject: string, run: wc -c, result: int }
            - { name: as-variable, inject: { x: "${{ results.string }}" }, run: 'true', allow_failure: true }
          """, "--quiet")
      #expect(ending.code == 0, ending.summary)
      let outcomes = try tool.outcomes()
      #expect(outcomes["undeclared"] == "succeeded - file")
      #expect(outcomes["string"] == "succeeded - file")
      #expect(outcomes["json"] == "failed result-invalid -")
      #expect(outcomes["none"] == "succeeded - -")
      #expect(outcomes["list"] == "failed result-invalid -")
      #expect(outcomes["count"] == "succeeded - 67108864")
      #expect(outcomes["as-variable"] == "failed arguments-too-long -")
      try tool.expectRest()
    }

    @Test("injected bytes arrive unchanged or not at all")
    func injected() async throws {
      let scratch = try Scratch()
      try scratch.write(Self.noise(100_000), to: "bytes")
      let tool = Tool(scratch: scratch)
      let ending = try await tool.run(
        pipeline: """
          operations:
            - { name: noise, run: cat bytes }
            - { name: nul, run: "printf 'a\\\\0b'", result: string }
            - { name: noise-stdin, inject: noise, run: cmp - bytes && echo same }
            - { name: noise-variable, inject: { x: "${{ results.noise }}" }, run: 'true' }
            - { name: noise-argument, command: [echo, "${{ results.noise }}"] }
            - { name: nul-stdin, inject: nul, run: wc -c, result: int }
            - { name: nul-variable, inject: { x: "${{ results.nul }}" }, run: 'true' }
            - { name: nul-env, env: { X: "${{ results.nul }}" }, run: 'true' }
            - { name: nul-argument, command: [echo, "${{ results.nul }}"] }
            - { name: nul-value, value: "${{ results.nul }}" }
            - { name: hostile, value: "$(touch pwned); `touch pwned`\\n${HOME} -rf" }
            - { name: hostile-argument, command: [echo, "${{ results.hostile }}"], result: string }
            - { name: hostile-variable, inject: { x: "${{ results.hostile }}" }, run: "printf '%s' \\"$x\\"", result: string }
          """, "--quiet")
      #expect(ending.code == 1, ending.summary)
      let outcomes = try tool.outcomes()
      #expect(outcomes["noise-stdin"] == #"succeeded - "same""#)
      #expect(outcomes["noise-variable"] == "failed result-invalid -")
      #expect(outcomes["noise-argument"] == "failed result-invalid -")
      #expect(outcomes["nul-stdin"] == "succeeded - 3")
      for name in ["nul-variable", "nul-env", "nul-argument"] { #expect(outcomes[name] == "failed nul-character -") }
      #expect(outcomes["nul-value"] == #"succeeded - "a\u0000b""#)
      #expect(outcomes["hostile-argument"] == outcomes["hostile"])
      #expect(outcomes["hostile-variable"] == outcomes["hostile"])
      #expect(contents(of: scratch("pwned")) == nil)
      try tool.expectRest()
    }

    static func noise(_ count: Int) -> [UInt8] {
      var random = SeededRandom(seed: Soak.seed, round: -2)
      return (0..<count).map { _ in .random(in: 0...255, using: &random) }
    }
  }
}
