import OrderedCollections
import Values

/// What a run was to execute and to reuse when it was created, which a host that resumes it has to follow as well.
public struct RunOrigin: Sendable, Hashable {
  /// The run whose results are used for operations that are not executed.
  public var source: RunID?
  /// Which operations are executed. Default all.
  public var selection = RunOptions.Selection.all
  /// Whether nothing is reused, whatever `stale_when` and `stale_after` are.
  public var isForced = false
  /// Names of operations that are executed, but reuse parts of what they did in `source`: items of a loop that succeeded, or what a nested run has done.
  public var partial: [String] = []

  /// Creates the origin of a run that executes everything, and reuses nothing.
  public init() {}
}

extension RunOrigin {
  /// The selection and the partially reused operations as JSON text for the history; nil if there are none.
  var text: String? {
    var members: OrderedDictionary<String, JSONValue> = [:]
    if case .operations(let from, let only) = selection {
      members["from"] = Self.value(of: from)
      members["only"] = Self.value(of: only)
    }
    if isForced { members["force"] = .bool(true) }
    if !partial.isEmpty { members["partial"] = .array(partial.map { .string($0) }) }
    return members.isEmpty ? nil : JSONValue.object(members).text
  }

  /// Parses what ``text`` has written. What this version does not know is ignored.
  init(source: RunID?, text: String?) {
    self.source = source
    guard let members = text.flatMap({ try? JSONValue.parse($0) })?.objectValue else { return }
    selection = RunOptions.Selection(from: Self.names(members["from"]), only: Self.names(members["only"]))
    isForced = members["force"] == .bool(true)
    partial = members["partial"]?.arrayValue?.compactMap(\.stringValue) ?? []
  }
  /// Returns one name as a string, as earlier versions wrote it, and several as a list.
  private static func value(of names: [String]) -> JSONValue? {
    if names.count == 1 { return .string(names[0]) }
    return names.isEmpty ? nil : .array(names.map { .string($0) })
  }

  private static func names(_ value: JSONValue?) -> [String] {
    value?.stringValue.map { [$0] } ?? value?.arrayValue?.compactMap(\.stringValue) ?? []
  }
}
