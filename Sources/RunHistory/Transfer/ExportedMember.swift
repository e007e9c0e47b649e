import OrderedCollections
import Values

/// A member of an exported record: how it is written, and how an import reads it. A column of attempts or operations is one of these, and nothing
/// else in this folder.
struct ExportedMember<Record>: Sendable {
  typealias Path<Value> = any WritableKeyPath<Record, Value> & Sendable

  let write: @Sendable (Record, inout ExportedMembers) -> Void
  let read: @Sendable (ImportedMembers, inout Record) throws(ImportError) -> Void

  /// A member that is derived from others, or passed when the record is created: the import does not read it here.
  static func written(_ name: String, _ value: @escaping @Sendable (Record) -> JSONValue) -> Self {
    Self(write: { $1.add(name, value($0)) }, read: { _, _ in })
  }

  static func text(_ name: String, _ path: Path<String?>) -> Self {
    Self(
      write: { $1.add(name, JSONValue($0[keyPath: path])) },
      read: { members, record throws(ImportError) in record[keyPath: path] = try members.optionalText(name) })
  }

  /// A text that contains JSON.
  static func json(_ name: String, _ path: Path<String?>) -> Self {
    Self(
      write: { $1.add(recorded: name, $0[keyPath: path]) },
      read: { members, record throws(ImportError) in record[keyPath: path] = members.object[name]?.text })
  }

  static func number(_ name: String, _ path: Path<Int?>) -> Self {
    Self(
      write: { $1.add(name, JSONValue($0[keyPath: path])) },
      read: { members, record throws(ImportError) in
        record[keyPath: path] = try members.optionalNumber(name).map { Int($0) }
      })
  }

  static func time(_ name: String, _ path: Path<RecordTime?>) -> Self {
    Self(
      write: { $1.add(name, .exact($0[keyPath: path])) },
      read: { members, record throws(ImportError) in record[keyPath: path] = try members.optionalTime(name) })
  }

  /// Microseconds, which are exported as milliseconds.
  static func milliseconds(_ name: String, _ path: Path<Int64?>) -> Self {
    Self(
      write: { $1.add(name, $0[keyPath: path].map { .double(Double($0) / 1000) } ?? .null) },
      read: { members, record throws(ImportError) in
        record[keyPath: path] = members.object[name]?.doubleValue.map { Int64(min(max($0 * 1000, 0), 1e18).rounded()) }
      })
  }

  /// `ended_at`, which is not before `started_at`.
  static func end(_ path: Path<RecordTime?>) -> Self {
    Self(
      write: { $1.add("ended_at", .exact($0[keyPath: path])) },
      read: { members, record throws(ImportError) in record[keyPath: path] = try members.end() })
  }

  /// `error` and `error_code`.
  static func error(_ path: Path<RecordedError?>) -> Self {
    Self(
      write: { record, members in
        members.add("error", JSONValue(record[keyPath: path]?.message))
        members.add("error_code", JSONValue(record[keyPath: path]?.code))
      },
      read: { members, record throws(ImportError) in record[keyPath: path] = try members.error() })
  }

  /// `result`, or `result_file` and `result_size`. The operation has the result of its last attempt.
  static func result(_ path: Path<RecordedResult>) -> Self {
    Self(
      write: { $1.add(result: $0[keyPath: path]) },
      read: { members, record throws(ImportError) in record[keyPath: path] = try members.result() })
  }
}

extension ExportedMember<AttemptRecord> {
  /// The members of an attempt, in order.
  static let all: [Self] = [
    .written("number") { JSONValue($0.number) },
    .written("state") { .string($0.state.rawValue) },
    .written("started_at") { .exact($0.startedAt) },
    .end(\.endedAt),
    .written("duration_ms") { .milliseconds($0.startedAt, $0.endedAt) },
    .number("exit_code", \.exitCode),
    .number("signal", \.signal),
    .error(\.error),
    .result(\.result),
    .file("stdout_file", \.standardOutput),
    .file("stderr_file", \.standardError),
    .milliseconds("retry_delay_ms", \.retryDelay),
    .time("retry_due", \.retryDue),
    .text("wake_cause", \.wakeCause),
    Self(
      write: { $1.add("pid", JSONValue($0.pid.map(Int.init))) },
      read: { members, record throws(ImportError) in
        record.pid = try members.optionalNumber("pid").flatMap { Int32(exactly: $0) }
      }),
    .text("executor", \.executor),
    .text("handle", \.handle),
    .milliseconds("user_ms", \.userTime),
    .milliseconds("system_ms", \.systemTime),
  ]

  /// A log of the run.
  private static func file(_ name: String, _ path: Path<String?>) -> Self {
    Self(
      write: { $1.add(name, JSONValue($0[keyPath: path])) },
      read: { members, record throws(ImportError) in
        record[keyPath: path] = try members.file(name, of: record.run)
      })
  }
}

extension ExportedMember<OperationRecord> {
  /// The members of an operation, in order, after `operation`, `ordinal`, `position` and `parent`.
  static let all: [Self] = [
    .json("item", \.item),
    .written("label") { JSONValue($0.label) },
    .written("state") { .string($0.state.rawValue) },
    .text("reason", \.reason),
    .json("detail", \.detail),
    .error(\.error),
    Self(
      write: { $1.add("attempt_count", JSONValue($0.attempts)) },
      read: { members, record throws(ImportError) in record.attempts = try members.count("attempt_count") }),
    .time("waiting_since", \.waitingSince),
    .time("started_at", \.startedAt),
    .end(\.endedAt),
    .written("duration_ms") { .milliseconds($0.startedAt, $0.endedAt) },
    .result(\.result),
    Self(
      write: { $1.add("reused_from", JSONValue($0.reusedFrom?.text)) },
      read: { members, record throws(ImportError) in
        record.reusedFrom = try members.optionalText("reused_from").flatMap { RunID($0) }
      }),
    .text("fingerprint", \.fingerprint),
  ]
}

/// The members of an object while it is built.
struct ExportedMembers {
  var members: OrderedDictionary<String, JSONValue> = [:]

  mutating func add(_ name: String, _ value: JSONValue) {
    if value != .null { members[name] = value }
  }

  /// Adds recorded JSON text, in which null differs from an absent value.
  mutating func add(recorded name: String, _ text: String?) {
    if text != nil { members[name] = JSONValue(recorded: text) }
  }

  mutating func add(result: RecordedResult) {
    switch result {
    case .none: break
    case .inline(let text): add(recorded: "result", text)
    case .file(let path, let size):
      members["result_file"] = .string(path)
      members["result_size"] = .int(size)
    }
  }
}
