import Testing
import Values

@testable import PipelineLanguage

@Suite("Params and secrets")
struct ParameterTests {
  private let tail = "\noperations: [{name: x, run: ls}]\n"

  @Test("a param's type is declared, or that of its default, or string")
  func types() throws {
    let parameters = try pipeline(
      """
      params:
        a: { type: int, default: 20, min: 1, max: 500 }
        b: { default: [x] }
        c: { description: plain }
        d: bool
        e: { type: [string] }
      """ + tail
    ).parameters
    #expect(parameters.map(\.type) == [.int, .list(.string), .string, .bool, .list(.string)])
    #expect(parameters.map(\.defaultValue) == [20, ["x"], nil, nil, nil])
    #expect(parameters[0].minimum == 1)
    #expect(parameters[0].maximum == 500)
  }

  @Test("a default must match its param's declaration")
  func defaults() {
    #expect(
      findings(
        """
        params:
          a: { type: int, default: ten }
          b: { type: string, default: 12 }
          c: { type: int, default: 0, min: 1 }
          d: { default: x, enum: [a, b] }
          e: { default: abc, pattern: "[a-b]+" }
          f: { default: "${{ run.id }}" }
          g: { type: bool, min: 1 }
          h: { type: int, enum: [1, x] }
          i: { pattern: "(" }
          j: { type: strng }
        """ + tail) == [
          "2:28 invalid-default the default of 'a' has the wrong type: expected int, found string \"ten\"",
          "3:31 invalid-default the default of 'b' has the wrong type: expected string, found int 12 (put it in quotes: \"12\")",
          "4:28 invalid-default the default of 'c' must be at least 1, found 0",
          "5:17 invalid-default the default of 'd' must be one of a, b, found 'x'",
          "6:17 invalid-default the default of 'e' must match the pattern [a-b]+, found 'abc'",
          "7:18 expression-not-allowed a default cannot contain an expression: it is read before anything runs",
          "8:20 misplaced-key 'min' has no effect on a bool",
          "9:29 type-mismatch a value of 'enum' is not of the parameter's type: expected int, found string \"x\"",
          "10:18 invalid-pattern the pattern cannot be read: a '(' lacks its ')'",
          "11:14 invalid-type unknown type 'strng' (did you mean 'string'?)",
        ])
  }

  @Test("given params are parsed by type, checked, and completed with defaults")
  func resolution() throws {
    let definition = try pipeline(
      """
      params:
        feed: { type: string, default: here }
        limit: { type: int, min: 1, max: 10 }
        tags: { type: [string], default: [] }
        since: { type: duration, default: 1d }
      """ + tail)
    let values = try ParameterResolver.resolve(definition, given: [("limit", "3"), ("tags", #"["a"]"#)]).get()
    #expect(values == ["feed": "here", "limit": 3, "tags": ["a"], "since": "1d"])
    guard
      case .failure(let failure) = ParameterResolver.resolve(
        definition, given: [("limt", "3"), ("tags", "a"), ("since", "soon")])
    else { return #expect(Bool(false), "resolved") }
    #expect(
      failure.problems.map(\.description) == [
        "the pipeline 'test' has no param 'limt', did you mean 'limit'?",
        "the param 'tags' needs JSON: \(jsonMessage("a"))",
        "the param 'since' has the wrong type: expected duration, found string \"soon\"",
        "the param 'limit' is required: it is an int and has no default, add '-p limit=…'",
      ])
    guard case .failure(let range) = ParameterResolver.resolve(definition, given: [("limit", "11")]) else {
      return #expect(Bool(false), "resolved")
    }
    #expect(range.problems.map(\.code) == ["invalid-param"])
    #expect(range.description == "the param 'limit' must be at most 10, found 11")
    guard case .failure(let word) = ParameterResolver.resolve(definition, given: [("limit", "many")]) else {
      return #expect(Bool(false), "resolved")
    }
    #expect(word.description == "the param 'limit' has the wrong type: expected int, found 'many'")
    guard case .failure(let twice) = ParameterResolver.resolve(definition, given: [("limit", "1"), ("limit", "2")])
    else {
      return #expect(Bool(false), "resolved")
    }
    #expect(twice.problems.map(\.code) == ["duplicate-param"])
    #expect(twice.description == "the param 'limit' is given more than once")
  }

  private func jsonMessage(_ text: String) -> String {
    do {
      _ = try JSONValue.parse(text)
      return ""
    } catch { return error.message }
  }

  @Test("a secret has exactly one source")
  func secrets() throws {
    let secrets = try pipeline(
      """
      secrets:
        a: { env: TOKEN }
        b: { file: ./token }
        c: { command: [pass, show, x] }
      """ + tail
    ).secrets
    #expect(secrets.map(\.origin) == [.environment("TOKEN"), .file("./token"), .command(["pass", "show", "x"])])
    #expect(
      findings(
        """
        secrets:
          a: { env: A, file: b }
          b: plain
          c: { evn: X }
          d: { command: pass }
        """ + tail) == [
          "2:6 wrong-form a secret needs exactly one of 'env', 'file' and 'command', found a mapping",
          "3:6 wrong-form a secret needs a mapping, found 'plain'",
          "4:8 unknown-key a secret has no key 'evn' (did you mean 'env'?)",
          "5:17 wrong-form 'command' needs a list, found 'pass'",
        ])
  }

  @Test("a newer check yields only warnings for a recorded definition")
  func recorded() {
    let text = "params: { Feed: { default: a }, feed: { default: b } }\noperations: [{ name: a, run: ls }]"
    #expect(PipelineLoader.load(text: text, path: "/p/main.yaml").pipeline == nil)
    let loaded = PipelineLoader.load(text: text, path: "/p/main.yaml", isRecorded: true)
    #expect(loaded.pipeline != nil)
    #expect(loaded.diagnostics.map(\.code) == ["duplicate-name"])
    #expect(
      PipelineLoader.load(text: "operations: [{ nam: a }]", path: "/p/main.yaml", isRecorded: true).pipeline == nil)
  }
}
