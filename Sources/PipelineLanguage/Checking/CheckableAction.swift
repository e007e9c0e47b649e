import Values

/// The checks of one kind of action, in addition to reading it.
protocol CheckableAction: ReadableAction {
  /// Returns the result type of one execution, as far as it is known without the action's expressions. In a repetition, it is the type of the previous
  /// round's result.
  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType
  /// Returns the result type of one execution and reports a mismatch with the declared type. `types` are the types of the operation's expressions.
  static func resultType(of operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker) -> ValueType
  /// The source of the result if the file declares no type.
  static var undeclaredResult: UndeclaredResult { get }
  /// Returns the reason that an operation of this kind has no result; nil if only the file can have declared that.
  static func reasonForNoResult(of operation: OperationDraft) -> String?
  /// Performs the remaining checks of the kind.
  static func check(_ operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker)
}

extension CheckableAction {
  static func resultType(
    of operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker
  ) -> ValueType {
    knownResult(of: operation, in: checker)
  }

  static func check(_ operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker) {}
}

/// The source of an action's result if the file declares no type.
enum UndeclaredResult {
  /// The printed output: text, a list or an object.
  case printed
  /// The value of its expressions, of any type.
  case computed
  /// A value that the kind itself determines.
  case given
}
