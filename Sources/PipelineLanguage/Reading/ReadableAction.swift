/// How one kind of action is read: its key, what may stand around it, and how it becomes part of a definition.
///
/// What is asked here has no answer of its own unless that is right for whoever forgets it. `ActionList` has the type for each key.
protocol ReadableAction {
  /// The row of its key, and behind it those of keys that go with no other kind.
  static var rows: [KeyRow] { get }
  /// The tables of the mappings that may stand behind its key, for the reference.
  static var tables: [KeySection] { get }
  /// The keys around an action that go with some kinds only, and with this one.
  static var takes: Set<OperationKey> { get }
  /// What of `defaults` is meant for it.
  static var share: DefaultsShare { get }
  /// Whether what is injected reaches it as data, rather than by standard input and the environment. It is shown then, so that no secret may be injected.
  static var takesRequirementAsData: Bool { get }
  /// Whether only handlers have it.
  static var isOnlyForHandlers: Bool { get }

  /// Reads what stands behind its key.
  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader)
  /// Puts together what was read of the whole operation, `node`, whose keys may stand in any order.
  static func finish(_ draft: OperationDraft, _ node: YAMLNode, by reader: DocumentReader)
}

extension ReadableAction {
  static var isOnlyForHandlers: Bool { false }

  static func finish(_ draft: OperationDraft, _ node: YAMLNode, by reader: DocumentReader) {}
}

/// What of `defaults` is meant for a kind of action.
enum DefaultsShare {
  /// Nothing: waiting for time or a person is not bounded by what is meant for work.
  case nothing
  /// `timeout`, `grace` and `retry`.
  case work
  /// These, and what is around a process: `env`, `directory` and `shell`.
  case process
}
