import Glibc
import OperatingSystem
import PipelineEngine
import RunHistory
import Workspace

/// Checks for processes left behind by runs that no host runs any more.
package struct LeftoverCheckup {
  let history: History

  package init(history: History) { self.history = history }

  package func findings() -> [Checkup.Finding] {
    var left = LeftProcesses.of(workspace: history.workspace.directory) { id in
      guard let record = try? history.run(id) else { return true }
      return record.state.isFinal
    }
    let former = FormerProcesses.look(in: history)
    for (process, run) in former.left where !left.contains(where: { $0.pid == process.pid }) {
      left.append((process.pid, run))
    }
    let unknown = former.undecided.filter { process in !left.contains { $0.pid == process.pid } }
    return [finding(left), finding(undecided: unknown), finding(elsewhere: former.runs.filter(\.owner.isElsewhere))]
      .compactMap(\.self)
  }

  private func finding(_ left: [(pid: Int32, run: RunID)]) -> Checkup.Finding {
    if left.isEmpty { return Checkup.Finding(grade: .ok, subject: "processes", message: "none left over") }
    let shown = left.prefix(5).map { "\($0.pid) of run \($0.run.short)" }.joined(separator: ", ")
    return Checkup.Finding(
      grade: .warn, subject: "processes",
      message:
        "left over: \(shown)\(left.count > 5 ? ", …" : ""); `penstock resume` ends those of its run, kill ends them otherwise"
    )
  }

  private func finding(undecided: [ProcessTable.Entry]) -> Checkup.Finding? {
    guard !undecided.isEmpty else { return nil }
    let shown = LeftoverProcesses.text(of: undecided)
    return Checkup.Finding(
      grade: .warn, subject: "processes",
      message:
        "cannot tell whether an interrupted run left \(shown): started since it began, with a session leader or a parent that has ended, and nothing that names a run; look with `ps -o pid,user,lstart,args -p PID` and end what belongs to the run before `penstock resume`"
    )
  }

  private func finding(elsewhere: [RunRecord]) -> Checkup.Finding? {
    guard !elsewhere.isEmpty else { return nil }
    let names = elsewhere.prefix(3).map { "\($0.id.short) of \($0.pipeline)" }.joined(separator: ", ")
    return Checkup.Finding(
      grade: .warn, subject: "processes",
      message:
        "cannot see what the host of \(names)\(elsewhere.count > 3 ? ", …" : "") left running: it ran in another container (pid namespace); make sure that the container has ended before `penstock resume`"
    )
  }
}

/// Finds processes left behind by runs that no host runs any more.
enum LeftProcesses {
  /// Returns the processes whose environment names the workspace and a run for which `isOver` is true.
  static func of(workspace: String, isOver: (RunID) -> Bool) -> [(pid: Int32, run: RunID)] {
    var found: [(pid: Int32, run: RunID)] = []
    for pid in ProcessTable.all() where pid != getpid() {
      guard let variables = variables(of: pid), variables["PENSTOCK_WORKSPACE"] == workspace,
        let run = variables["PENSTOCK_RUN_ID"].flatMap({ RunID($0) }),
        isOver(run)
      else { continue }
      found.append((pid, run))
    }
    return found.sorted { $0.pid < $1.pid }
  }

  /// Returns a process's `PENSTOCK_` variables, which identify its run.
  private static func variables(of pid: Int32) -> [String: String]? {
    guard let environment = ProcessTable.environment(of: pid) else { return nil }
    var variables: [String: String] = [:]
    for part in environment {
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")), part.starts(with: "PENSTOCK_".utf8) else { continue }
      variables[String(decoding: part[..<equals], as: UTF8.self)] = String(
        decoding: part[(equals + 1)...], as: UTF8.self)
    }
    return variables
  }
}
