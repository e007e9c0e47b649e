/// The environment of one attempt: that of its run, and what the operation adds.
struct AttemptEnvironment {
  private let base: ProcessEnvironment
  private var changed: ProcessEnvironment?
  /// What the operation itself set, for its own expressions.
  private(set) var own: [(name: String, value: String)] = []

  private let basePath: String?

  /// Nothing but `base`, whose `PATH` is `path`.
  init(base: ProcessEnvironment, path: String?) {
    self.base = base
    basePath = path
  }

  mutating func set(_ name: String, to value: String) throws(OperationFailure) {
    guard !value.utf8.contains(0) else {
      throw OperationFailure(
        code: "nul-character",
        message: "'\(name)' contains a NUL character, which no environment variable can hold; use standard input")
    }
    var environment = changed ?? base
    environment[name] = value
    changed = environment
    own.append((name, value))
  }

  /// The `PATH` that programs are searched in.
  var path: String? { changed.map { $0["PATH"] } ?? basePath }

  /// As `envp`, with the marks of the attempt.
  func list(operation: String, attempt: Int, files: LogFiles, shared: CStringList) -> CStringList {
    let number = attempt == 1 ? Self.firstAttempt : CString("PENSTOCK_ATTEMPT=\(attempt)")
    return (changed?.list ?? shared).appending([
      CString("PENSTOCK_OPERATION=\(operation)"), number, files.resultVariable,
    ])
  }

  private static let firstAttempt = CString("PENSTOCK_ATTEMPT=1")
}
