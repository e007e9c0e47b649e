import Schedules
import Values

extension ExpressionTypeCheck {
  /// Returns the type of a call of `formatDate` or `addDuration`; reports invalid arguments.
  mutating func inferDate(
    _ function: ExpressionFunction, _ arguments: [Int32], _ types: [ValueType]
  ) -> ValueType {
    checkTexts(function, arguments, types)
    if let text = text(arguments[0]) {
      note(at: arguments[0]) { () throws(ExpressionError) in _ = try function.moment(text) }
    }
    guard function == .addDuration else {
      if let text = text(arguments[1]) {
        let node = program.nodes[Int(arguments[1])]
        note(at: arguments[1]) { () throws(ExpressionError) in
          _ = try function.dateFormat(text, at: node, isLiteral: true)
        }
      }
      if arguments.count > 2, let text = text(arguments[2]) { checkZone(text, of: function, at: arguments[2]) }
      return .string
    }
    guard let text = text(arguments[1]) else { return types[0] == .timestamp ? .timestamp : .string }
    note(at: arguments[1]) { () throws(ExpressionError) in _ = try function.nanoseconds(text) }
    switch types[0] {
    case .timestamp: return .timestamp
    case .date: return ExpressionMoment.nanoseconds(text).map(ExpressionMoment.isWholeDays) ?? true ? .date : .timestamp
    default: return .string
    }
  }

  /// Reports arguments whose types never have the right form.
  private mutating func checkTexts(_ function: ExpressionFunction, _ arguments: [Int32], _ types: [ValueType]) {
    let second: (name: String, type: ValueType) =
      function == .addDuration ? ("a duration", .duration) : ("a format", .string)
    let wanted: [(name: String, types: Set<ValueType>)] = [
      ("an instant or a date", [.timestamp, .date]), (second.name, [second.type]), ("a time zone", [.string]),
    ]
    for (place, type) in types.enumerated() {
      guard type != .string, type != .json, !wanted[place].types.contains(type) else { continue }
      reportWhole(
        program.nodes[Int(arguments[place])], .argumentType,
        "'\(function.name)' takes \(wanted[place].name), not \(Self.phrase(type))")
    }
  }

  private func text(_ index: Int32) -> String? { program.literal(index)?.stringValue }

  /// Reports the error that `body` throws, at the whole node unless it has a place.
  private mutating func note(at index: Int32, _ body: () throws(ExpressionError) -> Void) {
    do throws(ExpressionError) {
      try body()
    } catch {
      note(error.placed(at: program.nodes[Int(index)]))
    }
  }

  /// Reports an unknown time zone. A missing or damaged time zone database is not reported: only the host that runs the pipeline needs one.
  private mutating func checkZone(_ text: String, of function: ExpressionFunction, at index: Int32) {
    do throws(TimeZoneError) {
      _ = try function.zone(text)
    } catch {
      switch error {
      case .invalidName, .unknown: note(ExpressionFunction.error(error).placed(at: program.nodes[Int(index)]))
      case .noDatabase, .unreadable, .damaged: break
      }
    }
  }
}
