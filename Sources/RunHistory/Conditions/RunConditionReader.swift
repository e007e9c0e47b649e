import Expressions
import Values

/// Checks the names in a history filter, and parses times and durations into the values that they are compared with.
struct RunConditionReader {
  var program: ExpressionProgram
  let now: RecordTime

  mutating func check() throws(ExpressionError) {
    for reference in program.references { try check(reference) }
    for index in program.nodes.indices {
      let node = program.nodes[index]
      switch node.kind {
      case .call where node.function.isStatus || node.function == .hashFiles:
        throw ExpressionError(
          otherCode: "no-run", "'\(node.function.name)' needs an active run", position: Int(node.position),
          length: Int(node.length), fix: node.function.isStatus ? "compare 'state', as in state == 'failed'" : nil)
      case .computedMember:
        try check(
          ExpressionReference(
            context: program.names[Int(node.first)], path: ["…"], position: Int(node.start),
            length: Int(node.end - node.start)))
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
        try read(node.second, comparedWith: node.first)
        try read(node.first, comparedWith: node.second)
      default: break
      }
    }
  }

  private func check(_ reference: ExpressionReference) throws(ExpressionError) {
    let length = reference.context.unicodeScalars.count
    guard let name = RunConditionName(rawValue: reference.context.lowercased()) else {
      let names = RunConditionName.allCases.map(\.rawValue)
      let near = NearestName.suggestion(for: reference.context, among: names)
      throw ExpressionError(
        otherCode: "unknown-name", "runs have no '\(reference.context)'", position: reference.position, length: length,
        fix: near.map { "did you mean '\($0)'?" } ?? "they have \(names.joined(separator: ", "))")
    }
    guard reference.path.isEmpty || name.kind == .json else {
      throw ExpressionError(
        .noMembers, "'\(name.rawValue)' has no members", position: reference.position,
        length: reference.length)
    }
  }

  /// Parses the literal at `literal`, if it is one and `other` is an instant or a duration.
  private mutating func read(_ literal: Int32, comparedWith other: Int32) throws(ExpressionError) {
    let node = program.nodes[Int(literal)]
    guard let name = name(of: other), let value = program.literal(literal), value != .null else { return }
    switch name.kind {
    case .instant:
      guard let text = value.stringValue, let time = TimeFilter.parse(text, now: now) else {
        throw wrong(
          node, "'\(name.rawValue)' is compared with a time",
          fix: "write it like '2h' (ago), 'today', 'yesterday', '2026-11-20' or '2026-11-20 18:30'")
      }
      program.literals[Int(node.first)] = .string(time.text)
    case .duration:
      guard let text = value.stringValue, let duration = DurationNotation.parse(text) else {
        throw wrong(
          node, "'duration' is compared with a duration",
          fix: "write it like '5m', '1h30m' or '200ms'; 'duration_ms' is a number of milliseconds")
      }
      let (seconds, attoseconds) = duration.components
      program.literals[Int(node.first)] = .double(Double(seconds) * 1000 + Double(attoseconds) / 1e15)
    case .text, .number, .json: break
    }
  }

  /// Returns the name that a node consists of.
  func name(of index: Int32) -> RunConditionName? {
    let node = program.nodes[Int(index)]
    return node.kind == .context ? RunConditionName(rawValue: program.names[Int(node.first)].lowercased()) : nil
  }

  private func wrong(_ node: ExpressionProgram.Node, _ message: String, fix: String) -> ExpressionError {
    ExpressionError(
      otherCode: "wrong-comparison", message, position: Int(node.start), length: Int(node.end - node.start), fix: fix)
  }
}
