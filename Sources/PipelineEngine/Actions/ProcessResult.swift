import Glibc
import OperatingSystem
import PipelineLanguage
import RunHistory
import Values

/// The result of a process: what it wrote to `$PENSTOCK_RESULT`, or printed.
struct ProcessResult {
  let run: Run
  let ordinal: Int
  /// The working directory of the process, if that is not the host's.
  let directory: String?

  private var node: OperationNode { run.state.instances[ordinal].node }

  /// Returns the result that a successful process has left in its file or printed, checked against the declared type.
  nonisolated(nonsending) func take(from files: LogFiles, outputSize: Int64) async throws -> OperationResult {
    let type = node.definition.result
    var status = stat()
    let isFile = files.hasResult(&status)
    guard !isFile || stat(files.result.pointer, &status) == 0 && status.st_mode & S_IFMT == S_IFREG else {
      remove(files.result.pointer)
      if type == ValueType.none { return .none }
      throw OperationFailure(
        code: "result-invalid", message: "the process created something other than a regular file at $PENSTOCK_RESULT")
    }
    if type == ValueType.none {
      if isFile { unlink(files.result.pointer) }
      return .none
    }
    let size = isFile ? Int64(status.st_size) : outputSize
    // Computed only when needed: most results are small.
    var path: String { isFile ? files.result.string : files.output.string }
    // Without a declared type, empty output is not a result; a declared string may be empty.
    if size == 0, type == nil { return .none }
    let isText = type == nil || type == .string
    if size > Int64(RecordedResult.inlineLimit), isText || size > ResultFile.memoryLimit {
      guard isText else {
        throw OperationFailure(
          code: "result-too-large",
          message:
            "the result of \(SizeNotation.format(size)) is too large to be checked as \(type?.description ?? "json") (limit \(SizeNotation.format(ResultFile.memoryLimit))); declare `result: string` to pass it on unchecked"
        )
      }
      guard isFile else { return .file(ResultFile(path: path, size: size, type: type)) }
      let kept = try await keep(path, masked: node.definition.receivesSecret)
      run.logs.keepResult(path)
      return .file(ResultFile(path: path, size: kept, type: type))
    }
    let bytes = try await isFile ? resultFile(path, size) : printedResult(files, size)
    if isFile { unlink(files.result.pointer) }
    do {
      let value = try await parsed(bytes, as: type)
      // Masked after parsing as well: JSON can spell a secret in ways that its bytes don't show.
      guard type == .file, case .string(let name) = value else {
        return .value(try await run.withoutSecrets(value, of: node, isLarge: bytes.count > BlockingWork.large))
      }
      return .value(try run.secrets.without(.string(try existingFile(name)), of: node))
    } catch {
      if let type, node.definition.receivesSecret, !run.state.given.masker.isEmpty, error.code != "result-secret",
        SecretMasker.hasMask(bytes)
      {
        throw RunSecrets.secretInResult(of: type)
      }
      // Output that is not declared to be a result may be anything; it stays in its file.
      guard type == nil, !isFile, error.code == "result-invalid" else { throw error }
      return .file(ResultFile(path: path, size: size, type: nil))
    }
  }

  /// Returns the value of a text, which is parsed off the event loop if that takes long.
  private nonisolated(nonsending) func parsed(_ bytes: [UInt8], as type: ValueType?) async throws(OperationFailure)
    -> JSONValue
  {
    try await BlockingWork.run(if: bytes.count > BlockingWork.large) { () throws(OperationFailure) in
      try ResultText.value(of: bytes, as: type)
    }
  }

  /// Returns what the process wrote to `$PENSTOCK_RESULT`, which processes it started may still change.
  private nonisolated(nonsending) func resultFile(_ path: String, _ size: Int64) async throws -> [UInt8] {
    let isHolding = run.services.writing.isHolding
    return try await run.waitingOut(ordinal) {
      try await BlockingWork.run(if: size > BlockingWork.large) { () throws -> [UInt8] in
        do throws(InputFileError) {
          return try InputFile.read(path, limit: Int(ResultFile.memoryLimit))
        } catch {
          let failure = ResultFile.unreadable(error)
          guard isHolding, case .system(_, let number) = error else { throw failure }
          let shortage = EngineError.systemCall("open '\(path)'", number)
          throw shortage.isShortage ? shortage : failure
        }
      }
    }
  }

  private nonisolated(nonsending) func printedResult(_ files: LogFiles, _ size: Int64) async throws(OperationFailure)
    -> [UInt8]
  {
    let descriptor = files.outputDescriptor
    // The descriptor is used until this returns.
    defer { extendLifetime(files) }
    return try await BlockingWork.run(if: size > BlockingWork.large) { () throws(OperationFailure) in
      guard let bytes = FileBytes.read(descriptor: descriptor, limit: Int(ResultFile.memoryLimit)) else {
        throw OperationFailure(
          code: "result-missing", message: "the result cannot be read: \(SystemError.text(of: errno))")
      }
      return bytes
    }
  }

  /// Restricts a large result file to its owner, removes secrets from it, and returns its size.
  private nonisolated(nonsending) func keep(_ path: String, masked: Bool) async throws -> Int64 {
    chmod(path, 0o600)
    var status = stat()
    guard masked, !run.state.given.masker.isEmpty else { return stat(path, &status) == 0 ? Int64(status.st_size) : 0 }
    let copy = path + ".masked"
    do {
      let size = try await run.waitingOut(ordinal) {
        try await SecretFileCopy(from: path, to: copy, masker: run.state.given.masker).run(
          on: run.services.executors.local.masking.loop())
      }
      guard rename(copy, path) == 0 else { throw EngineError.file(path, errno) }
      return size
    } catch {
      unlink(path)
      throw error
    }
  }

  private func existingFile(_ name: String) throws(OperationFailure) -> String {
    let path = name.hasPrefix("/") ? name : "\(directory ?? run.services.directory)/\(name)"
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw OperationFailure(
        code: "result-mismatch", message: "the result should be a file, but '\(path.escapedForMessage)' does not exist")
    }
    return path
  }
}
