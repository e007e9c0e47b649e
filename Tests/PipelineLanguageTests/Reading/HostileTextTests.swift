import PipelineLanguage
import Testing

@Suite("Hostile pipeline files")
struct HostileTextTests {
  /// SplitMix64, which yields the same mutations everywhere.
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
  }

  private static let scraps = [
    "${{", "}}", "${{ results.", "results.fetch", " || ", "- ", ": ", "{", "}", "[", "]", "'", "\"", "\n", "\t", "  ",
    "&a ",
    "*a", "!!int ", "|", ">-", "#", "null", "~", "0", "-1", "9223372036854775808", "1e999", "name: x", "needs: fetch",
    "inject: [x]", "when: ", "for_each: ", "matrix: {}", "\u{0}", "\u{FEFF}", "é", "\u{2028}", "🚰", "<<: *a", "---\n",
    "...\n", "? ", "%YAML 1.1\n", "format('{0}{1}', 1)", "!", "((((((((", "run: ", "pipeline: ./sample.yaml",
  ]

  private func mutated(_ source: [UInt8], _ random: inout Seeded) -> [UInt8] {
    var bytes = source
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 0...40, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes.removeSubrange(place..<end)
      case 1: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
      case 2: bytes.insert(contentsOf: (Self.scraps.randomElement(using: &random) ?? "").utf8, at: place)
      case 3: bytes.replaceSubrange(place..<end, with: (Self.scraps.randomElement(using: &random) ?? "").utf8)
      case 4: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
      default:
        let other = Int.random(in: 0...bytes.count, using: &random)
        let piece = Array(bytes[place..<end])
        bytes.removeSubrange(place..<end)
        bytes.insert(contentsOf: piece, at: min(other, bytes.count))
      }
    }
    return bytes
  }

  @Test("3,000 mutations of a large file yield findings or pipelines, in order and at places that exist")
  func mutations() {
    var random = Seeded(state: 2026)
    let source = Array(samplePipeline.utf8)
    for round in 0..<3_000 {
      let text = String(decoding: mutated(source, &random), as: UTF8.self)
      let result = PipelineLoader.load(text: text, path: "sample.yaml")
      #expect(result.isValid == !result.diagnostics.contains { $0.severity == .error }, "round \(round)")
      var last = SourceMark(line: 1, column: 1)
      for finding in result.diagnostics where finding.file == "sample.yaml" {
        #expect(finding.range.start >= last, "round \(round): \(shown(finding))")
        #expect(finding.range.start.line <= result.source.lineCount, "round \(round): \(shown(finding))")
        #expect(finding.range.end >= finding.range.start, "round \(round): \(shown(finding))")
        last = finding.range.start
      }
    }
  }

  @Test("the sample itself has no findings")
  func sample() {
    #expect(findings(samplePipeline) == [])
  }

  @Test(
    "empty and strange files yield findings", arguments: ["", "\n", "~", "[]", "{}", "text", "\u{0}", "%", "a: &a *a"])
  func strangeFiles(text: String) {
    #expect(!findings(text).isEmpty)
  }

  @Test("deeply nested data in an operation is rejected without a stack overflow")
  func deepData() {
    let deep = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
    #expect(!findings(inOperation: "value: \(deep)").isEmpty)
    let type = String(repeating: "[", count: 90) + "int" + String(repeating: "]", count: 90)
    _ = findings(inOperation: "run: ls", "result: \(type)")
    let expression = String(repeating: "(", count: 50_000)
    #expect(!findings(inOperation: "value: ${{ \(expression) }}").isEmpty)
  }

  @Test("the first fifty of very many errors in a text are reported")
  func manyMistakes() {
    let calls = String(repeating: "nat(", count: 3_000) + "1" + String(repeating: ")", count: 3_000)
    let result = PipelineLoader.load(
      text: "operations: [{ name: a, value: '${{ \(calls) }}' }]", path: "/p/main.yaml")
    #expect(result.pipeline == nil)
    #expect(result.diagnostics.count == 50)
    #expect(result.diagnostics.allSatisfy { $0.code == "unknown-function" })
  }
}
