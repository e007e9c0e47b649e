import Glibc
import SQLite
import Values
import Workspace

/// What `penstock doctor` checks: whether this computer and a workspace are suitable for running pipelines.
package struct Checkup {
  /// The result of one check.
  package struct Finding: Sendable, Hashable {
    package enum Grade: String, Sendable {
      case ok, warn, fail
      /// It was wrong, and has been repaired.
      case fixed
    }
    package var grade: Grade
    /// What was checked, in a word or two.
    package var subject: String
    /// What was found, and what to do about it.
    package var message: String

    /// What is wrong, in one line; nil if nothing is.
    package var problem: String? { grade == .fail ? "\(subject): \(message)" : nil }

    package init(grade: Grade, subject: String, message: String) {
      self.grade = grade
      self.subject = subject
      self.message = message
    }
  }

  let location: WorkspaceLocation
  /// Whether problems are repaired if possible.
  let isRepairing: Bool

  package init(of location: WorkspaceLocation, isRepairing: Bool = false) {
    self.location = location
    self.isRepairing = isRepairing
  }

  /// Performs all checks, and calls `report` with each finding. Unless it repairs, it changes no more than every command does: runs whose host no
  /// longer exists become interrupted, and their unrecorded results are removed.
  ///
  /// - Parameters:
  ///   - processes: Returns the findings about the processes of runs; by default, these are not checked.
  ///   - report: Called with each finding.
  package func run(processes: (History) -> [Finding] = { _ in [] }, report: (Finding) -> Void) {
    var hasLostRecords = false
    var isDamaged = false
    let history = checkWorkspace { finding in
      if finding.grade == .fixed, finding.subject == "database" { hasLostRecords = true }
      if finding.grade == .fail, finding.subject == "database" { isDamaged = true }
      report(finding)
    }
    checkDisk(report)
    for finding in ComputerCheckup.findings() { report(finding) }
    guard let history else { return }
    checkRecords(history, hasLostRecords: hasLostRecords, isDamaged: isDamaged, report)
    checkRuns(history, report)
    for finding in processes(history) { report(finding) }
    history.workspace.close()
  }

  private func checkWorkspace(_ report: (Finding) -> Void) -> History? {
    let path = location.path
    guard location.hasDatabase else {
      report(
        Finding(
          grade: .ok, subject: "workspace",
          message: "none yet at \(path) (\(location.originText)); the first run creates it"))
      return nil
    }
    let history: History
    do {
      history = isRepairing ? try History.open(at: path, mode: .readWrite) : try History.openForReading(at: path)
    } catch {
      return checkUnreadable(error, report)
    }
    report(Finding(grade: .ok, subject: "workspace", message: "\(path) (\(location.originText))"))
    if let name = location.networkFileSystem {
      report(
        Finding(
          grade: .warn, subject: "file system",
          message:
            "the workspace is on a network file system (\(name)): no host serves it, and processes of other computers must not use it; move it to a local disk"
        ))
    }
    checkPermissions(history, report)
    checkSQLite(history, report)
    return checkDatabase(history, report)
  }

  /// A workspace that cannot even be opened is repaired only if it is damaged: a newer workspace, or another program's database, is not.
  private func checkUnreadable(_ error: WorkspaceError, _ report: (Finding) -> Void) -> History? {
    guard error.isDamage, isRepairing else {
      report(Finding(grade: .fail, subject: "workspace", message: error.advice))
      return nil
    }
    report(Finding(grade: .ok, subject: "workspace", message: "\(location.path) (\(location.originText))"))
    return replaceDatabase(because: "damaged: it cannot be opened", report)
  }

  private func checkPermissions(_ history: History, _ report: (Finding) -> Void) {
    let foreign = history.workspace.foreignFiles
    for (path, reason) in foreign {
      let message = "\(path): \(reason); no run can be recorded until you own it or remove it"
      report(Finding(grade: .fail, subject: "permissions", message: message))
    }
    var others: [String] = []
    for name in ["", "/workspace.db", "/runs"] {
      var status = stat()
      if stat(location.path + name, &status) == 0, status.st_mode & 0o077 != 0 { others.append(location.path + name) }
    }
    if others.isEmpty, foreign.isEmpty {
      report(Finding(grade: .ok, subject: "permissions", message: "readable by the owner alone"))
    } else if !others.isEmpty {
      let message = "other users have access to \(others.joined(separator: ", ")); remove it with chmod go="
      report(Finding(grade: .warn, subject: "permissions", message: message))
    }
    let isWritable = access(location.path, W_OK | X_OK) == 0 && access(location.path + "/workspace.db", W_OK) == 0
    if !isWritable {
      report(
        Finding(
          grade: .fail, subject: "permissions", message: "the workspace cannot be written; runs cannot be recorded"))
    }
  }

  private func checkSQLite(_ history: History, _ report: (Finding) -> Void) {
    guard let version = try? history.read({ try String.fetchOne($0, sql: "SELECT sqlite_version()") }) else { return }
    // Before 3.51.3, two connections that checkpoint and write at the same instant can damage a WAL file.
    let note =
      Self.isOlder(version, than: [3, 51, 3]) ? "; a lock prevents its checkpoint bug (before 3.51.3)" : ""
    report(Finding(grade: .ok, subject: "SQLite", message: version + note))
  }

  static func isOlder(_ version: String, than other: [Int]) -> Bool {
    version.split(separator: ".").map { Int($0) ?? 0 }.lexicographicallyPrecedes(other)
  }

  private func checkDisk(_ report: (Finding) -> Void) {
    if let finding = Self.disk(of: location.path) { report(finding) }
  }

  /// Returns how much room there is where the directory is, or will be, or nil if that cannot be determined.
  package static func disk(of directory: String) -> Finding? {
    var place = directory
    while access(place, F_OK) != 0, let slash = place.lastIndex(of: "/"), place.count > 1 {
      place = slash == place.startIndex ? "/" : String(place[..<slash])
    }
    var status = statvfs()
    guard statvfs(place, &status) == 0 else { return nil }
    let free = Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    let grade: Finding.Grade = free < 16 << 20 ? .fail : free < 1 << 30 ? .warn : .ok
    let message =
      "\(SizeNotation.format(free)) free at \(place)"
      + (grade == .ok ? "" : "; `penstock history prune` deletes old runs and their logs")
    return Finding(grade: grade, subject: "disk", message: message)
  }

  private func checkRuns(_ history: History, _ report: (Finding) -> Void) {
    guard let interrupted = try? history.runs(RunFilter(states: [.interrupted], limit: 100)) else { return }
    if interrupted.isEmpty {
      report(Finding(grade: .ok, subject: "runs", message: "none interrupted"))
    } else {
      let names = interrupted.prefix(3).map { "\((try? history.shortForm(of: $0.id)) ?? $0.id.text) of \($0.pipeline)" }
        .joined(separator: ", ")
      let message =
        "\(interrupted.count) interrupted (\(names)\(interrupted.count > 3 ? ", …" : "")); `penstock resume` resumes the latest"
      report(Finding(grade: .warn, subject: "runs", message: message))
    }
  }
}
