import Expressions
import Values

/// A snapshot of what some templates use of a run, taken on the event loop so that they can be evaluated off it. Each of their references is a member
/// or a whole context here.
struct FrozenContexts: ExpressionContexts, Sendable {
  /// Thrown for a value that was not noted. The template is then evaluated on the event loop, where everything is known.
  static let unforeseen = ExpressionError(
    otherCode: "unforeseen", "the expression uses a value that was not recorded beforehand")

  private struct Member: Hashable {
    let context: String
    let name: String

    init(_ context: String, _ name: String) {
      self.context = context.lowercased()
      self.name = name
    }
  }

  /// Where a value is found.
  enum Place: Sendable {
    case known(Result<JSONValue?, ExpressionError>)
    /// In the result of this operation, which is read from its file off the event loop.
    case result(Int)
    /// In the result of the previous round, which is read in the same way: this member of it, or all of it.
    case previous(member: String?)
  }

  private(set) var status = ExpressionStatus()
  private var members: [Member: Place] = [:]
  private var wholes: [String: Place] = [:]
  private var readings: FileReadings?
  private var directory = ""

  /// Notes what the references refer to, as the operation sees it now. Returns false, and the snapshot is unusable, if that would require reading
  /// files on the event loop or if some values are not known yet: the operation's own `variables` are computed one after another.
  mutating func note(
    _ references: [ExpressionReference], in contexts: RunContexts, besides variables: [String]
  ) -> Bool {
    status = contexts.status
    for reference in references {
      if reference.context == "env", reference.path.first.map(variables.contains) ?? true { return false }
      if let name = reference.path.first {
        members[Member(reference.context, name)] = contexts.place(of: name, in: reference.context)
      } else {
        guard let place = contexts.place(ofWhole: reference.context) else { return false }
        wholes[reference.context.lowercased()] = place
      }
    }
    return true
  }

  /// Adds what was read from files.
  mutating func add(_ readings: FileReadings, directory: String) {
    self.readings = readings
    self.directory = directory
  }

  func member(_ name: String, of context: String) throws(ExpressionError) -> JSONValue? {
    guard let place = members[Member(context, name)] else { throw Self.unforeseen }
    return try value(at: place)
  }

  func whole(_ context: String) throws(ExpressionError) -> JSONValue? {
    guard let place = wholes[context.lowercased()] else { throw Self.unforeseen }
    return try value(at: place)
  }

  func hashFiles(_ patterns: [String]) throws(ExpressionError) -> String {
    try (readings?.hashes[patterns] ?? FileReadings.hash(patterns, in: directory) { Task.isCancelled }).get()
  }

  private func value(at place: Place) throws(ExpressionError) -> JSONValue? {
    switch place {
    case .known(let value): return try value.get()
    case .result(let position):
      guard let read = readings?.results[position] else { throw Self.unforeseen }
      return try read.get()
    case .previous(let member):
      guard let read = try readings?.previous?.get() else { throw Self.unforeseen }
      guard let member else { return read }
      if case .object = read { return read.expressionMember(member) } else { return nil }
    }
  }
}
