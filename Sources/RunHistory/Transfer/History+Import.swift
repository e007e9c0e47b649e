import Glibc
import SQLite
import Values
import Workspace

/// What came of an import.
public struct ImportReport: Sendable, Hashable {
  /// The runs that were taken in.
  public var imported: [RunID] = []
  /// How many were there already, and were left as they are.
  public var known = 0
  /// How many had not ended when they were exported. They are left out: nothing here goes on with them.
  public var unfinished = 0
  /// How many logs and large results were copied from the other workspace.
  public var copiedFiles = 0
  /// How many logs and large results are not in the workspace. An export holds their names alone; records without the file do without it.
  public var missingFiles = 0

  /// A report.
  public init() {}
}

extension History {
  /// In bytes: what is read takes several times as much memory.
  private static let longestBatch = 16 << 20

  /// Takes in runs that ``export(_:line:)`` wrote, in this workspace or another.
  ///
  /// A run that is there already is left as it is, so that to import twice changes nothing, and to import the rest after an error is the
  /// same as to import everything. Runs are written 200 at a time, or fewer that have 16 MiB; when a line is wrong, those before it are in.
  ///
  /// - Parameters:
  ///   - other: The directory of the workspace that the runs come from, or of a copy of it: logs and large results are copied from there. Without
  ///     it, records have those files that are here already.
  ///   - line: Hands out a line after the other, without its line feed, then nil. Empty lines do not count.
  /// - Returns: What was done.
  /// - Throws: ``ImportError`` with the number of the line that is wrong; ``WorkspaceError``; ``RunFileError`` if a file cannot be copied; what
  ///   `line` throws.
  public func importRuns(filesFrom other: String? = nil, _ line: () throws -> [UInt8]?) throws -> ImportReport {
    try importRuns(in: nil, filesFrom: other, line)
  }

  /// The same, recorded in an entry of the audit.
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
        // Before the transaction, so that other writers wait for no file; and before the records, which would be without the file otherwise.
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

/// Writes runs that were read from an export. Needs a write transaction.
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
    // The records may share a file, which is told once.
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
  /// The paths of the logs and large results that the records name, relative to the workspace, each once.
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
