import PipelineLanguage
import PipelineService
import RunHistory
import RunReports

/// What the log says of a failed run.
enum FailureCause {
  /// Returns why a run failed, and the command that shows more; nil if its operations cannot be read.
  static func words(for run: RunRecord, in history: History, at location: WorkspaceLocation) -> String? {
    guard let operations = try? history.operations(of: run.id) else { return nil }
    let failed = operations.filter { $0.parent == nil && $0.state == .failed }
    var text = run.reason ?? ""
    if let first = failed.first {
      text = "operation '\(first.title)' failed"
      if let error = first.error { text += ": \(error.message)" }
      if failed.count > 1 { text += " (and \(failed.count - 1) more)" }
    }
    let workspace = location.isNamed ? " --workspace \(ShellText.quoted(location.path))" : ""
    return (text.isEmpty ? "" : "\(text); ") + "see `penstock explain \(run.id)\(workspace)`"
  }
}
