import Schedules
import Values

extension ExpressionEvaluation {
  /// Returns the value of `formatDate`.
  mutating func formattedDate(
    _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> String {
    let function = node.function
    let moment = try read(0, node, in: contexts) { text throws(ExpressionError) in try function.moment(text) }
    let place = argumentNode(1, node)
    let format = try read(1, node, in: contexts) { text throws(ExpressionError) in
      try function.dateFormat(text, at: place, isLiteral: place.kind == .literal)
    }
    let zone =
      node.second < 3
      ? .utc
      : try read(2, node, in: contexts) { text throws(ExpressionError) in
        do throws(TimeZoneError) {
          return try function.zone(text)
        } catch {
          throw ExpressionFunction.error(error)
        }
      }
    let text = format.text(of: moment, in: zone)
    guard text.utf8.count <= Self.maximumText else { throw tooMuchText(node) }
    return text
  }

  /// Returns the value of `addDuration`.
  mutating func laterDate(
    _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> String {
    let function = node.function
    let moment = try read(0, node, in: contexts) { text throws(ExpressionError) in try function.moment(text) }
    let nanoseconds = try read(1, node, in: contexts) { text throws(ExpressionError) in try function.nanoseconds(text) }
    guard let text = moment.adding(nanoseconds) else {
      throw ExpressionError(.numberTooLarge, "'addDuration' leaves the years 1 to 9999").placed(at: node)
    }
    return text
  }

  /// Returns the result of `body` for an argument that must be a string.
  private mutating func read<Value>(
    _ place: Int32, _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts,
    _ body: (String) throws(ExpressionError) -> Value
  ) throws(ExpressionError) -> Value {
    let value = try argument(place, node, in: contexts)
    do throws(ExpressionError) {
      guard let text = value.stringValue else {
        let wanted = ["an instant or a date", node.function == .formatDate ? "a format" : "a duration", "a time zone"]
        throw ExpressionError(
          .argumentType, "'\(node.function.name)' takes \(wanted[Int(place)]), not \(value.kind)")
      }
      return try body(text)
    } catch {
      throw error.placed(at: argumentNode(place, node))
    }
  }
}
