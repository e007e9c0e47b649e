import Glibc
import SQLite
import Values
import Workspace

/// The outcome of an import.
public struct ImportReport: Sendable, Hashable {
  /// The runs that were imported.
  public var imported: [RunID] = []
  /// How many existed already, and were not changed.
  public var known = 0
  /// How many had not ended when they were exported. They are skipped, because they are not continued here.
  public var unfinished = 0
  /// How many logs and large results were copied from the other workspace.
  public var copiedFiles = 0
  /// How many logs and large results are not in the workspace. An export contains only their names; the records do not refer to missing files.
  public var missingFiles = 0

  /// Creates a report.
  public init() {}
}

extension History {
  /// In bytes; what is read takes several times as much memory.
  private static let longestBatch = 16 << 20

  /// Imports runs that ``export(_:line:)`` wrote, in this workspace or another.
  ///
  /// An existing run is not changed, so importing twice has no effect, and importing the rest after an error is equivalent to importing everything.
  /// Runs are written in batches of 200, or fewer if they reach 16 MiB; if a line is invalid, those before it are imported.
  ///
  /// - Parameters:
  ///   - other: The directory of the workspace that the runs come from, or of a copy of it: logs and large results are copied from there. Without it,
  ///     records refer only to files that already exist here.
  ///   - line: Returns one line after another, without its line feed, then nil. Empty lines are ignored.
  /// - Returns: What was imported.
  /// - Throws: ``ImportError`` with the number of the invalid line; `WorkspaceError`; ``RunFileError`` if a file cannot be copied; the error of `line`.
  public func importRuns(filesFrom other: String? = nil, _ line: () throws -> [UInt8]?) throws -> ImportReport {
    try importRuns(in: nil, filesFrom: other, line)
  }

  /// Imports runs, recorded in an audit entry.
  package func importRuns(
    in entry: CountedEntry?, filesFrom other: String?, _ line: () throws -> [UInt8]?
  ) throws -> ImportReport {
    let copier = other.map { RunFileCopier(source: $0, target: workspace.directory) }
    var report = ImportReport()
    var batch: [RecordedRun] = []
    var batchSize = 0
    var number = 0
    func write() throws {
      guard !batch.isEmpty else { return }
      if let copier {
        // Before the transaction, so that other writers do not wait for files, and before the records, which would not refer to the files otherwise.
        let new = try unknown(among: batch.map(\.run.id))
        for run in batch where new.contains(run.run.id) {
          report.copiedFiles += try copier.copy(run.files)
          try copier.copyIndexes(of: run.run.id)
          report.copiedFiles += try copier.copy(run.operations.flatMap(\.artifacts))
        }
      }
      let (part, written) = try self.write { db in
        let part = try RunImport(workspace: workspace.directory).add(batch, in: db)
        return (part, try entry?.write(part.imported.count, in: db))
      }
      if let written { entry?.confirm(written) }
      report.imported += part.imported
      report.known += part.known
      report.missingFiles += part.missingFiles
      (batch, batchSize) = ([], 0)
    }
    while let bytes = try line() {
      number += 1
      guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) else { continue }
      do {
        let value: JSONValue
        do throws(JSONError) {
          value = try JSONValue.parse(bytes)
        } catch {
          throw ImportError("it is not JSON: \(error)")
        }
        let run = try ImportedRun(value).whole
        if run.run.state.isFinal { batch.append(run) } else { report.unfinished += 1 }
      } catch var error as ImportError {
        try write()
        error.line = number
        throw error
      }
      batchSize += bytes.count
      if batch.count == 200 || batchSize > Self.longestBatch { try write() }
    }
    try write()
    return report
  }
}

/// Writes runs that were read from an export. Requires a write transaction.
private struct RunImport {
  let workspace: String

  func add(_ runs: [RecordedRun], in db: Database) throws -> ImportReport {
    var report = ImportReport()
    let statements = HistoryStatements()
    for var run in runs {
      guard try RunRows.number(of: run.run.id, in: db) == nil else {
        report.known += 1
        continue
      }
      leaveOutMissingFiles(of: &run, &report)
      var changes: [HistoryChange] = [.runCreated(run.run, definition: run.definition)]
      changes += run.operations.map { .operation($0) }
      changes += run.attempts.map { .attempt($0) }
      changes += run.approvals.map { .approvalRequested($0) }
      try statements.apply(changes[...], to: db)
      for approval in run.approvals {
        guard let answer = approval.answer, let number = try RunRows.number(of: run.run.id, in: db) else { continue }
        try ApprovalRows.record(answer, of: approval, number: number, in: db)
      }
      report.imported.append(run.run.id)
    }
    return report
  }

  private func leaveOutMissingFiles(of run: inout RecordedRun, _ report: inout ImportReport) {
    // Records may share a file, which is counted once.
    var missing: Set<String> = []
    defer { report.missingFiles += missing.count }
    for index in run.operations.indices { report.missingFiles += run.operations[index].keepArtifacts(in: workspace) }
    func isMissing(_ path: String?) -> Bool {
      guard let path, access("\(workspace)/\(path)", F_OK) != 0 else { return false }
      missing.insert(path)
      return true
    }
    func known(_ result: RecordedResult) -> RecordedResult {
      if case .file(let path, _) = result, isMissing(path) { return .none }
      return result
    }
    for index in run.operations.indices { run.operations[index].result = known(run.operations[index].result) }
    for index in run.attempts.indices {
      run.attempts[index].result = known(run.attempts[index].result)
      if isMissing(run.attempts[index].standardOutput) { run.attempts[index].standardOutput = nil }
      if isMissing(run.attempts[index].standardError) { run.attempts[index].standardError = nil }
    }
  }
}

extension RecordedRun {
  /// The paths of the logs and large results that the records refer to, relative to the workspace, each once.
  fileprivate var files: [String] {
    var seen: Set<String> = []
    func path(_ result: RecordedResult) -> String? {
      if case .file(let path, _) = result { path } else { nil }
    }
    return
      (operations.map { path($0.result) }
      + attempts.flatMap { [path($0.result), $0.standardOutput, $0.standardError] })
      .compactMap(\.self).filter { seen.insert($0).inserted }
  }
}
