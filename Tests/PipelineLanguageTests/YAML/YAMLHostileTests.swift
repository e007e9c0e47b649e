import PipelineLanguage
import Testing

@Suite("Hostile YAML")
struct YAMLHostileTests {
  private static let sample = """
    %YAML 1.2
    ---
    # A sample of everything.
    name: &name release-digest
    text: |2-
        indented
      é 日本 👩‍🚀
    folded: >+
      one

      two
    "quoted\\t\\u00e9": 'it''s'
    params: { feed: { type: string, default: "http://127.0.0.1/x" }, limit: !!int 20, ? odd : [a: b, *name] }
    operations:
      - name: fetch
        run: echo ${{ params.feed }} && true
      - &op
        name: *name
        needs: [fetch,
          "x"]
      - *op
    ...
    """

  @Test("mutated files yield a tree or findings within the text, and never a crash", arguments: 0..<20)
  func mutations(seed: UInt64) {
    var random = SplitMix(state: seed)
    for _ in 0..<100 {
      var bytes = Array(Self.sample.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &random) { mutate(&bytes, using: &random) }
      check(bytes)
    }
  }

  @Test("random bytes yield findings and never a crash")
  func randomBytes() {
    var random = SplitMix(state: 42)
    let letters = Array("\0\t\n\r -?:,[]{}#&*!|>'\"%@`a1\\é\u{FEFF}\u{2028}".utf8)
    for _ in 0..<500 {
      let length = Int.random(in: 0...200, using: &random)
      check((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
      check((0..<length).map { _ in letters.randomElement(using: &random) ?? 0 })
    }
  }

  private func mutate(_ bytes: inout [UInt8], using random: inout SplitMix) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    let end = min(bytes.count, place + Int.random(in: 0...12, using: &random))
    switch Int.random(in: 0..<7, using: &random) {
    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 1: bytes.removeSubrange(place..<end)
    case 2: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
    case 3: bytes.insert(Array("\n\t :-[]{}'\"|>&*!#%".utf8).randomElement(using: &random) ?? 0, at: place)
    case 4: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
    case 5: bytes.removeSubrange(place...)
    default: bytes.insert(contentsOf: Array(repeating: UInt8(ascii: "["), count: 120), at: place)
    }
  }

  private func check(_ bytes: [UInt8]) {
    let source = SourceText(path: "t.yaml", bytes: bytes)
    let (root, diagnostics) = YAMLReader.read(source)
    #expect(root != nil || !diagnostics.isEmpty)
    for diagnostic in diagnostics { check(diagnostic.range, in: source) }
    if let root {
      check(root, in: source)
      _ = root.jsonValue()
    }
    let renderer = DiagnosticRenderer(width: 40)
    let shown = renderer.render(diagnostics, in: [source])
    #expect(shown.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
  }

  private func check(_ node: YAMLNode, in source: SourceText) {
    check(node.range, in: source)
    switch node.content {
    case .scalar(let text, _):
      let part = source.range(from: text.unicodeScalars.count / 2, length: 1, in: node)
      #expect(part.start >= node.range.start && part.end.line <= node.range.end.line)
    case .sequence(let items):
      for item in items { check(item, in: source) }
    case .mapping(let entries):
      for entry in entries {
        check(entry.key, in: source)
        check(entry.value, in: source)
      }
    }
  }

  private func check(_ range: SourceRange, in source: SourceText) {
    let isInside =
      range.start <= range.end && range.start.line >= 1 && range.start.column >= 1
      && range.end.line <= source.lineCount
      && range.start.column <= source.line(range.start.line).unicodeScalars.count + 1
    #expect(isInside, "\(range) in \(source.text.debugDescription)")
  }
}

/// A small random generator that depends only on its seed.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
