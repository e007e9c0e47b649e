import OrderedCollections
import Values

/// What a run was told to execute and to take over when it was created, which a host that resumes it must do as well.
public struct RunOrigin: Sendable, Hashable {
  /// The run whose results stand in for operations that are not executed.
  public var source: RunID?
  /// Which operations are executed. Default all.
  public var selection = RunOptions.Selection.all
  /// Names of operations that are executed, but take over parts of what they did in `source`: the items of a loop that succeeded, or what a nested run
  /// has done.
  public var partial: [String] = []

  /// An origin of a run that executes everything, and takes over nothing.
  public init() {}
}

extension RunOrigin {
  /// The selection and the operations that take over parts, as JSON text for the history; nil where there is nothing to say.
  var text: String? {
    var members: OrderedDictionary<String, JSONValue> = [:]
    switch selection {
    case .all: break
    case .from(let name): members["from"] = .string(name)
    case .only(let name): members["only"] = .string(name)
    }
    if !partial.isEmpty { members["partial"] = .array(partial.map { .string($0) }) }
    return members.isEmpty ? nil : JSONValue.object(members).text
  }

  /// Reads what ``text`` has written. What this version does not know is ignored.
  init(source: RunID?, text: String?) {
    self.source = source
    guard let members = text.flatMap({ try? JSONValue.parse($0) })?.objectValue else { return }
    if let name = members["from"]?.stringValue { selection = .from(operation: name) }
    if let name = members["only"]?.stringValue { selection = .only(operation: name) }
    partial = members["partial"]?.arrayValue?.compactMap(\.stringValue) ?? []
  }
}
