import PipelineLanguage
import PipelineService
import RunHistory
import RunReports

/// The text of the log about a failed run.
enum FailureCause {
  /// Returns why a run failed, and the command that shows more; nil if its operations cannot be read.
  static func words(for run: RunRecord, in history: History, at location: WorkspaceLocation) -> String? {
    guard let failed = try? history.failedOperations(of: run.id) else { return nil }
    var text = run.reason ?? ""
    if let first = failed.first {
      text = "operation '\(first.title)' failed"
      if let error = first.error { text += ": \(error.message)" }
      if failed.count > 1 { text += " (and \(failed.count - 1) more)" }
    }
    let workspace = location.isNamed ? ShellText.option("--workspace", location.path) : ""
    return (text.isEmpty ? "" : "\(text); ") + "see `penstock explain \(run.id)\(workspace)`"
  }
}
