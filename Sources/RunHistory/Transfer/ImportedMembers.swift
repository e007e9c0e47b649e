import Values

/// Reads the members of an object, and reports which one is invalid.
struct ImportedMembers {
  let object: JSONValue
  let owner: String

  init(_ object: JSONValue, of owner: String) throws(ImportError) {
    guard object.objectValue != nil else { throw ImportError("\(owner) must be an object, found \(object.shown)") }
    self.object = object
    self.owner = owner
  }

  func wrong(_ name: String, _ problem: String) -> ImportError { ImportError("'\(name)' of \(owner) \(problem)") }

  /// Returns the error for an invalid value: `'state' of the run must be a string, found 1`.
  func wrong(_ name: String, mustBe expected: String, found value: JSONValue) -> ImportError {
    wrong(name, "must be \(expected), found \(value.shown)")
  }

  func text(_ name: String) throws(ImportError) -> String {
    guard let text = try optionalText(name) else { throw wrong(name, "is missing") }
    return text
  }

  func optionalText(_ name: String) throws(ImportError) -> String? {
    guard let value = object[name], value != .null else { return nil }
    guard let text = value.stringValue else { throw wrong(name, mustBe: "a string", found: value) }
    return text
  }

  func optionalNumber(_ name: String) throws(ImportError) -> Int64? {
    guard let value = object[name], value != .null else { return nil }
    guard let number = value.intValue else { throw wrong(name, mustBe: "a whole number", found: value) }
    return number
  }

  func count(_ name: String, atLeast first: Int64 = 0, atMost limit: Int64 = 1 << 31) throws(ImportError) -> Int {
    guard let number = try optionalNumber(name) else { throw wrong(name, "is missing") }
    guard first...limit ~= number else { throw wrong(name, mustBe: "from \(first) to \(limit)", found: .int(number)) }
    return Int(number)
  }

  func time(_ name: String) throws(ImportError) -> RecordTime {
    guard let time = try optionalTime(name) else { throw wrong(name, "is missing") }
    return time
  }

  /// `ended_at`, which is not before `started_at`.
  func end() throws(ImportError) -> RecordTime? {
    guard let end = try optionalTime("ended_at") else { return nil }
    if let start = try optionalTime("started_at"), end < start { throw wrong("ended_at", "is before 'started_at'") }
    return end
  }

  func optionalTime(_ name: String) throws(ImportError) -> RecordTime? {
    guard let text = try optionalText(name) else { return nil }
    guard let time = RecordTime(exactText: text) else {
      throw wrong(name, mustBe: "a time such as 2026-11-20T18:03:01.250Z", found: .string(text))
    }
    return time
  }

  func state<State: RawRepresentable & CaseIterable>(_ name: String, _ type: State.Type) throws(ImportError) -> State
  where State.RawValue == String {
    let word = try text(name)
    guard let state = State(rawValue: word) else {
      throw wrong(
        name, mustBe: "one of \(State.allCases.map(\.rawValue).joined(separator: ", "))", found: .string(word))
    }
    return state
  }

  func error() throws(ImportError) -> RecordedError? {
    guard let code = try optionalText("error_code") else { return nil }
    return RecordedError(code: code, message: try optionalText("error") ?? "")
  }

  func result() throws(ImportError) -> RecordedResult {
    if let path = try file("result_file", of: nil) {
      return .file(path: path, size: Int64(try count("result_size", atMost: .max)))
    }
    return object["result"].map { .inline($0.text) } ?? .none
  }

  /// Returns the path of a file of a run, `runs/<id>/<name>` and nothing else, because readers open it. It may belong to any run if `run` is nil,
  /// because results may be reused.
  func file(_ name: String, of run: RunID?) throws(ImportError) -> String? {
    guard let path = try optionalText(name) else { return nil }
    guard let file = RunFilePath(path), run == nil || run == file.run else {
      throw wrong(name, mustBe: "the path of a file of the run, below runs/ID/", found: .string(path))
    }
    return path
  }
}

extension JSONValue {
  /// The value for the end of a message, truncated if it is long.
  var shown: String {
    switch self {
    case .array: "a list"
    case .object: "an object"
    case .string(let text): "'\(text.prefix(40))\(text.count > 40 ? "…" : "")'"
    case .null, .bool, .int, .double: text
    }
  }
}
