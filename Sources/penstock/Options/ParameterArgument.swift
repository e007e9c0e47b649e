import PipelineLanguage

/// Parses `-p name=value`.
enum ParameterArgument {
  /// Returns the names and values, in order.
  ///
  /// - Throws: `CommandFailure` for an argument without a name.
  static func parse(_ arguments: [String]) throws -> [(name: String, text: String)] {
    try arguments.map { argument in
      guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
        throw CommandFailure("-p needs name=value, found '\(TerminalText.visible(argument))'")
      }
      return (name: String(argument[..<equals]), text: String(argument[argument.index(after: equals)...]))
    }
  }
}
