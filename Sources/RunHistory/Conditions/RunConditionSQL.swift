import Expressions
import Values

/// What a condition lets the database leave out: SQL that holds of every run of which the condition holds, and of some others.
///
/// The condition itself is evaluated for each run that is left, so that this decides how much is read, and never what is found. So what is not known to
/// mean the same in SQL (comparisons of different types, letter case beyond ASCII, `!`) is simply not said here.
struct RunConditionSQL {
  let program: ExpressionProgram
  let now: RecordTime
  private var reader: RunConditionReader { RunConditionReader(program: program, now: now) }

  init(_ condition: RunCondition) {
    program = condition.expression.storage.program
    now = condition.now
  }

  /// A condition on `run_record`; nil where nothing can be said.
  var text: String? { sql(program.root) }

  /// The states that the run must be in, as readers see them; nil for any.
  var states: Set<RunState>? {
    conjuncts.compactMap(states).reduce(nil) { ($0 ?? $1).intersection($1) }
  }

  /// The texts of which the name of the pipeline must be one, in any letter case; nil for any.
  var pipelines: [String]? { conjuncts.lazy.compactMap { texts($0, of: .pipeline) }.first }

  /// From when on the run must have been created.
  var since: RecordTime? {
    conjuncts.compactMap { bound($0, [.createdAt], [.greater, .greaterOrEqual, .equal], slack: 0) }.max()
  }

  /// Before when. Whatever began or ended before an instant was created before it.
  var until: RecordTime? {
    conjuncts.compactMap { bound($0, [.createdAt, .startedAt, .endedAt], [.less, .lessOrEqual, .equal], slack: 1000) }
      .min()
  }

  /// What must hold together.
  private var conjuncts: [Int32] {
    let root = program.nodes[Int(program.root)]
    return root.kind == .and ? Array(program.children(of: root)) : [program.root]
  }

  // MARK: What a node says by itself

  /// A comparison as name, operator and literal, whichever side the literal is on.
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

  /// `name == 'a'`, or several of these joined by `||`.
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
      // Rounding must not leave anything out.
      return
        "coalesce(run_record.ended_at, \(now.microseconds)) - run_record.started_at >= \(Int64(milliseconds.clamped * 1000) - 1)"
    case .number: return number(name, kind, literal)
    case .json: return nil
    }
  }

  private func equality(_ name: RunConditionName, _ literal: JSONValue) -> String? {
    guard let text = literal.stringValue, text.isComparable, name != .definition else { return nil }
    if name == .state {
      // A run whose host is gone may be recorded as going on.
      let going = text.lowercased() == RunState.interrupted.rawValue ? ", 'running', 'queued'" : ""
      return "run_record.state IN (\(text.lowercased().quoted)\(going))"
    }
    // On the column: SQLite makes `IN` of several of these, and takes the collation of its left side.
    return "run_record.\(name.rawValue) COLLATE NOCASE = \(text.quoted)"
  }

  private func instant(_ name: RunConditionName, _ kind: ExpressionProgram.Kind, _ time: RecordTime) -> String? {
    // Compared to the millisecond, which is cut and not rounded.
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
    // The counts of a run that goes on are not recorded yet.
    return signs[kind].map { "(run_record.ended_at IS NULL OR run_record.\(name.rawValue) \($0) \(number))" }
  }

  /// A member of `params`, `labels` or `event`: at least its text must stand there somewhere.
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

  /// Whether nothing but a text of the same letters can be equal to it: what is no number is not, and neither is null.
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
  /// Within what an integer of microseconds holds.
  fileprivate var clamped: Double { Swift.min(Swift.max(self, 0), 1e15) }
}
