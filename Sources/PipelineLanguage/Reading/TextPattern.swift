/// A regular expression that must match a whole text.
///
/// Patterns come from pipeline files and are matched while a file is loaded, so matching takes time proportional to the text's length for any
/// pattern: all alternatives are followed in parallel, without backtracking. Therefore there are no back references and no lookaround. Otherwise the
/// syntax is the common one: `.` `[a-z]` `[^…]` `\d \w \s` and their negations, groups, `|`, `* + ?`, `{2}`, `{2,}`, `{2,5}`, `^` and `$`.
struct TextPattern: Sendable {
  /// The reason that a pattern is invalid.
  struct Failure: Error {
    var message: String
    /// The position, as the number of Unicode scalars before it.
    var offset: Int
  }

  /// The scalars that a step of a pattern matches.
  struct ScalarSet: Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    var isNegated = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      ranges.contains { $0.contains(scalar.value) } != isNegated
    }
  }

  /// A step of a compiled pattern.
  enum Step: Sendable {
    case take(ScalarSet)
    /// Continues at both positions.
    case split(Int, Int)
    case jump(Int)
    case atStart
    case atEnd
    case done
  }

  private let steps: [Step]

  /// Compiles a pattern.
  init(_ text: String) throws(Failure) {
    var parser = TextPatternParser(text)
    let tree = try parser.parse()
    var compiler = TextPatternCompiler()
    try compiler.compile(tree)
    steps = compiler.steps + [.done]
  }

  /// Returns whether the pattern matches all of `text`.
  func matchesWhole(_ text: String) -> Bool {
    var current = Front(count: steps.count)
    var next = Front(count: steps.count)
    let scalars = Array(text.unicodeScalars)
    follow(0, at: 0, of: scalars.count, into: &current)
    for (position, scalar) in scalars.enumerated() {
      next.removeAll()
      for place in current.places {
        guard case .take(let set) = steps[place], set.contains(scalar) else { continue }
        follow(place + 1, at: position + 1, of: scalars.count, into: &next)
      }
      swap(&current, &next)
      if current.places.isEmpty { return false }
    }
    return current.isDone
  }

  /// The active positions of the program.
  private struct Front {
    private(set) var places: [Int] = []
    private var seenIn: [Int]
    private var round = 1
    var isDone = false

    init(count: Int) { seenIn = Array(repeating: 0, count: count) }

    mutating func removeAll() {
      places.removeAll(keepingCapacity: true)
      isDone = false
      round += 1
    }

    /// Marks a position as visited; returns whether it is new.
    mutating func insert(_ place: Int) -> Bool {
      if seenIn[place] == round { return false }
      seenIn[place] = round
      return true
    }

    mutating func append(_ place: Int) { places.append(place) }
  }

  private func follow(_ start: Int, at position: Int, of count: Int, into front: inout Front) {
    var open = [start]
    while let place = open.popLast() {
      guard front.insert(place) else { continue }
      switch steps[place] {
      case .take: front.append(place)
      case .split(let first, let second): open += [second, first]
      case .jump(let target): open.append(target)
      case .atStart: if position == 0 { open.append(place + 1) }
      case .atEnd: if position == count { open.append(place + 1) }
      case .done:
        front.append(place)
        front.isDone = true
      }
    }
  }
}

/// The syntax tree of a pattern.
indirect enum TextPatternTree {
  case set(TextPattern.ScalarSet)
  case atStart, atEnd
  case sequence([TextPatternTree])
  case either([TextPatternTree])
  case times(TextPatternTree, minimum: Int, maximum: Int?)
}

/// Compiles the tree of a pattern to steps.
struct TextPatternCompiler {
  /// The maximum number of steps: `(a{100}){100}` is short to write but large to execute.
  private static let limit = 5_000

  private(set) var steps: [TextPattern.Step] = []

  mutating func compile(_ tree: TextPatternTree) throws(TextPattern.Failure) {
    guard steps.count < Self.limit else {
      throw TextPattern.Failure(message: "it repeats too much", offset: 0)
    }
    switch tree {
    case .set(let set): steps.append(.take(set))
    case .atStart: steps.append(.atStart)
    case .atEnd: steps.append(.atEnd)
    case .sequence(let parts): for part in parts { try compile(part) }
    case .either(let branches): try compile(branches[...])
    case .times(let part, let minimum, let maximum):
      for _ in 0..<minimum { try compile(part) }
      if let maximum {
        for _ in minimum..<max(minimum, maximum) { try optional(part) }
      } else {
        let split = steps.count
        steps.append(.split(split + 1, 0))
        try compile(part)
        steps.append(.jump(split))
        steps[split] = .split(split + 1, steps.count)
      }
    }
  }

  private mutating func compile(_ branches: ArraySlice<TextPatternTree>) throws(TextPattern.Failure) {
    guard let first = branches.first else { return }
    guard branches.count > 1 else { return try compile(first) }
    let split = steps.count
    steps.append(.split(split + 1, 0))
    try compile(first)
    let jump = steps.count
    steps.append(.jump(0))
    steps[split] = .split(split + 1, steps.count)
    try compile(branches.dropFirst())
    steps[jump] = .jump(steps.count)
  }

  private mutating func optional(_ part: TextPatternTree) throws(TextPattern.Failure) {
    let split = steps.count
    steps.append(.split(split + 1, 0))
    try compile(part)
    steps[split] = .split(split + 1, steps.count)
  }
}
