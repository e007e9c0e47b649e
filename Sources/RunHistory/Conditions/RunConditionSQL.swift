import Expressions
import Values

/// The part of a history filter that the database can evaluate: SQL that is true for every matching run, and for some others.
///
/// The filter itself is evaluated for each remaining run, so this determines how much is read, but never what is found. Anything not known to mean
/// the same in SQL (comparisons of different types, letter case beyond ASCII, `!`) is therefore omitted.
struct RunConditionSQL {
  let program: ExpressionProgram
  let now: RecordTime
  private var reader: RunConditionReader { RunConditionReader(program: program, now: now) }

  init(_ condition: RunCondition) {
    program = condition.expression.storage.program
    now = condition.now
  }

  /// A condition on `run_record`; nil if there is none.
  var text: String? { sql(program.root) }

  /// The states that the run must be in, as readers see them; nil for any.
  var states: Set<RunState>? {
    conjuncts.compactMap(states).reduce(nil) { ($0 ?? $1).intersection($1) }
  }

  /// The possible names of the pipeline, in any letter case; nil for any.
  var pipelines: [String]? { conjuncts.lazy.compactMap { texts($0, of: .pipeline) }.first }

  /// The earliest time at which the run must have been created.
  var since: RecordTime? {
    conjuncts.compactMap { bound($0, [.createdAt], [.greater, .greaterOrEqual, .equal], slack: 0) }.max()
  }

  /// The time before which the run must have been created. A run that began or ended before an instant was created before it.
  var until: RecordTime? {
    conjuncts.compactMap { bound($0, [.createdAt, .startedAt, .endedAt], [.less, .lessOrEqual, .equal], slack: 1000) }
      .min()
  }

  /// The terms of the top-level conjunction.
  private var conjuncts: [Int32] {
    let root = program.nodes[Int(program.root)]
    return root.kind == .and ? Array(program.children(of: root)) : [program.root]
  }

  // MARK: Conditions of single nodes

  /// Returns a comparison as name, operator and literal, whichever side the literal is on.
  private func comparison(_ index: Int32) -> (name: Int32, kind: ExpressionProgram.Kind, literal: JSONValue)? {
    let node = program.nodes[Int(index)]
    switch node.kind {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      if let literal = program.literal(node.second) { return (node.first, node.kind, literal) }
      guard let literal = program.literal(node.first) else { return nil }
      let flipped: [ExpressionProgram.Kind: ExpressionProgram.Kind] = [
        .less: .greater, .lessOrEqual: .greaterOrEqual, .greater: .less, .greaterOrEqual: .lessOrEqual,
      ]
      return (node.second, flipped[node.kind] ?? node.kind, literal)
    default: return nil
    }
  }

  private func states(_ index: Int32) -> Set<RunState>? {
    if let texts = texts(index, of: .state) { return Set(texts.compactMap { RunState(rawValue: $0.lowercased()) }) }
    guard let (name, kind, literal) = comparison(index), reader.name(of: name) == .state, kind == .notEqual,
      let text = literal.stringValue
    else { return nil }
    return Set(RunState.allCases).subtracting(RunState(rawValue: text.lowercased()).map { [$0] } ?? [])
  }

  /// Returns the texts of `name == 'a'`, or of several of these joined by `||`.
  private func texts(_ index: Int32, of wanted: RunConditionName) -> [String]? {
    let node = program.nodes[Int(index)]
    if node.kind == .or {
      let parts = program.children(of: node).map { texts($0, of: wanted) }
      return parts.contains { $0 == nil } ? nil : parts.flatMap { $0 ?? [] }
    }
    guard let (name, kind, literal) = comparison(index), kind == .equal, reader.name(of: name) == wanted else {
      return nil
    }
    return literal.stringValue.map { [$0] }
  }

  private func bound(
    _ index: Int32, _ names: [RunConditionName], _ kinds: [ExpressionProgram.Kind], slack: Int64
  ) -> RecordTime? {
    guard let (node, kind, literal) = comparison(index), kinds.contains(kind), let name = reader.name(of: node),
      names.contains(name)
    else { return nil }
    return Self.instant(literal)?.advanced(by: slack)
  }

  private static func instant(_ literal: JSONValue) -> RecordTime? {
    literal.stringValue.flatMap(TimestampNotation.parse).map(RecordTime.init(secondsSince1970:))
  }

  // MARK: SQL

  private func sql(_ index: Int32) -> String? {
    let node = program.nodes[Int(index)]
    switch node.kind {
    case .and:
      let parts = program.children(of: node).compactMap(sql)
      return parts.isEmpty ? nil : "(" + parts.joined(separator: " AND ") + ")"
    case .or:
      let parts = program.children(of: node).map(sql)
      return parts.contains { $0 == nil } ? nil : "(" + parts.compactMap(\.self).joined(separator: " OR ") + ")"
    case .call: return call(node)
    default: return comparison(index).flatMap { comparison($0, $1, $2) }
    }
  }

  private func comparison(_ node: Int32, _ kind: ExpressionProgram.Kind, _ literal: JSONValue) -> String? {
    guard let name = reader.name(of: node) else { return member(node, kind, literal) }
    switch name.kind {
    case .text: return kind == .equal ? equality(name, literal) : nil
    case .instant: return Self.instant(literal).flatMap { instant(name, kind, $0) }
    case .duration:
      guard kind == .greater || kind == .greaterOrEqual, case .double(let milliseconds) = literal else { return nil }
      // Rounding must not exclude anything.
      return
        "coalesce(run_record.ended_at, \(now.microseconds)) - run_record.started_at >= \(Int64(milliseconds.clamped * 1000) - 1)"
    case .number: return number(name, kind, literal)
    case .json: return nil
    }
  }

  private func equality(_ name: RunConditionName, _ literal: JSONValue) -> String? {
    guard let text = literal.stringValue, text.isComparable, name != .definition else { return nil }
    if name == .state {
      // A run whose host no longer exists may be recorded as active.
      let going = text.lowercased() == RunState.interrupted.rawValue ? ", 'running', 'queued'" : ""
      return "run_record.state IN (\(text.lowercased().quoted)\(going))"
    }
    // On the column: SQLite combines several of these to `IN`, and uses the collation of the left side.
    return "run_record.\(name.rawValue) COLLATE NOCASE = \(text.quoted)"
  }

  private func instant(_ name: RunConditionName, _ kind: ExpressionProgram.Kind, _ time: RecordTime) -> String? {
    // Compared to the millisecond, which is truncated rather than rounded.
    switch kind {
    case .greater, .greaterOrEqual: "run_record.\(name.column) >= \(time.microseconds)"
    case .less, .lessOrEqual: "run_record.\(name.column) < \(time.microseconds + 1000)"
    default: nil
    }
  }

  private func number(_ name: RunConditionName, _ kind: ExpressionProgram.Kind, _ literal: JSONValue) -> String? {
    guard name != .durationMilliseconds, case .int(let number) = literal else { return nil }
    let signs: [ExpressionProgram.Kind: String] = [
      .equal: "=", .notEqual: "<>", .less: "<", .lessOrEqual: "<=", .greater: ">", .greaterOrEqual: ">=",
    ]
    // The counts of an active run are not recorded yet.
    return signs[kind].map { "(run_record.ended_at IS NULL OR run_record.\(name.rawValue) \($0) \(number))" }
  }

  /// Returns a condition for a member of `params`, `labels` or `event`: its text must at least occur somewhere.
  private func member(_ index: Int32, _ kind: ExpressionProgram.Kind, _ literal: JSONValue) -> String? {
    guard kind == .equal, let text = literal.stringValue, text.isComparable, text.isPlain,
      let place = program.fixedPlace(of: index)?.first, ["params", "labels", "event"].contains(place)
    else { return nil }
    return "run_record.\(place) LIKE \("%\(text)%".quoted)"
  }

  private func call(_ node: ExpressionProgram.Node) -> String? {
    let arguments = Array(program.children(of: node))
    guard node.function == .startsWith || node.function == .contains, arguments.count == 2,
      let name = reader.name(of: arguments[0]), name.kind == .text, name != .state, name != .definition,
      let text = program.literal(arguments[1])?.stringValue, !text.isEmpty, text.isASCIIText, !text.contains("%")
    else { return nil }
    let pattern = (node.function == .contains ? "%" : "") + text + "%"
    return "run_record.\(name.rawValue) LIKE \(pattern.quoted)"
  }
}

extension String {
  fileprivate var isASCIIText: Bool { utf8.allSatisfy { $0 < 0x80 && $0 > 0 } }

  /// Whether only a string with the same letters can be equal to it, and neither a number nor null.
  fileprivate var isComparable: Bool { isASCIIText && expressionNumber.isNaN }

  /// Whether it looks the same in JSON.
  fileprivate var isPlain: Bool {
    utf8.allSatisfy { byte in
      byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "_")
    }
  }

  fileprivate var quoted: String { "'" + replacing("'", with: "''") + "'" }
}

extension Double {
  /// The value limited to what an integer of microseconds can hold.
  fileprivate var clamped: Double { Swift.min(Swift.max(self, 0), 1e15) }
}
