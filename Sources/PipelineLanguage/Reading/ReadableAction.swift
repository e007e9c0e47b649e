/// How a kind of action is read: its key, the keys allowed beside it, and its conversion to a definition.
///
/// A requirement has a default implementation only if it is right for a new kind. `ActionList` maps each key to its type.
protocol ReadableAction {
  /// The row of its key, followed by those of keys that apply only to this kind.
  static var rows: [KeyRow] { get }
  /// The tables of the mappings that its key may have as value, for the reference.
  static var tables: [KeySection] { get }
  /// The keys beside an action that apply only to some kinds, including this one.
  static var takes: Set<OperationKey> { get }
  /// The part of `defaults` that applies to it.
  static var share: DefaultsShare { get }
  /// Whether injected values reach it as data, rather than through standard input and the environment. They are then visible, so no secret may be injected.
  static var takesRequirementAsData: Bool { get }
  /// Whether only handlers may use it.
  static var isOnlyForHandlers: Bool { get }

  /// Reads the value of its key.
  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader)
  /// Combines the parts read of the whole operation, `node`, whose keys may come in any order.
  static func finish(_ draft: OperationDraft, _ node: YAMLNode, by reader: DocumentReader)
}

extension ReadableAction {
  static var isOnlyForHandlers: Bool { false }

  static func finish(_ draft: OperationDraft, _ node: YAMLNode, by reader: DocumentReader) {}
}

/// The part of `defaults` that applies to a kind of action.
enum DefaultsShare {
  /// None: limits meant for work do not apply to waiting for time or a person.
  case nothing
  /// `timeout`, `grace` and `retry`.
  case work
  /// These, and the keys of a process: `env`, `directory` and `shell`.
  case process
}
