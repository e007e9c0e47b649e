/// The environment of all processes of a run.
struct RunEnvironment {
  private(set) var values: ProcessEnvironment
  /// The environment as `envp`, which most attempts share.
  let list: CStringList
  /// The `PATH` in which programs are searched for.
  let path: String?

  init(_ values: ProcessEnvironment) {
    self.values = values
    list = values.list
    path = values["PATH"]
  }
}

/// The environment of one attempt: that of its run, and what the operation adds.
struct AttemptEnvironment {
  private let run: RunEnvironment
  private var changed: ProcessEnvironment?
  /// The variables that the operation itself set, for its own expressions.
  private(set) var own: [(name: String, value: String)] = []

  /// Creates the environment of the run, without additions.
  init(_ run: RunEnvironment) { self.run = run }

  mutating func set(_ name: String, to value: String) throws(OperationFailure) {
    guard !value.utf8.contains(0) else {
      throw OperationFailure(
        code: "nul-character",
        message: "'\(name)' contains a NUL character, which no environment variable can hold; use standard input")
    }
    var environment = changed ?? run.values
    environment[name] = value
    changed = environment
    own.append((name, value))
  }

  /// The `PATH` in which programs are searched for.
  var path: String? { changed.map { $0["PATH"] } ?? run.path }

  /// The values by name. Bytes that are not UTF-8 are replaced.
  var values: [String: String] { (changed ?? run.values).values }

  /// Returns the environment as `envp`, with the variables that identify the attempt.
  func list(operation: String, attempt: Int, files: LogFiles) -> CStringList {
    let number = attempt == 1 ? Self.firstAttempt : CString("PENSTOCK_ATTEMPT=\(attempt)")
    return (changed?.list ?? run.list).appending([
      CString("PENSTOCK_OPERATION=\(operation)"), number, files.resultVariable,
    ])
  }

  private static let firstAttempt = CString("PENSTOCK_ATTEMPT=1")
}
