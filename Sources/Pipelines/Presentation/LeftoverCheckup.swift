import Glibc
import Workspace

/// What `penstock doctor` says about processes of runs that nobody runs any more.
struct LeftoverCheckup {
  let history: History

  func findings() -> [Checkup.Finding] {
    let interrupted = (try? history.runs(RunFilter(states: [.interrupted], includesNested: true, limit: 100))) ?? []
    var left = LeftProcesses.of(workspace: history.workspace.directory) { id in
      guard let record = try? history.run(id) else { return true }
      return record.state.isFinal
    }
    var undecided: Set<ProcessTable.Entry> = []
    for run in interrupted {
      let result = LeftoverProcesses.look(RunTraces(of: run.id, host: run.owner, in: history))
      for process in result.found where !left.contains(where: { $0.pid == process.pid }) {
        left.append((process.pid, run.id))
      }
      undecided.formUnion(result.undecided)
    }
    if let first = interrupted.filter(\.owner.isVisible).map(\.createdAt).min() {
      undecided.formUnion(LeftProcesses.hidden(since: first))
    }
    let unknown = undecided.filter { process in !left.contains { $0.pid == process.pid } }
    return [finding(left), finding(undecided: unknown), finding(elsewhere: interrupted.filter(\.owner.isElsewhere))]
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

  private func finding(undecided: Set<ProcessTable.Entry>) -> Checkup.Finding? {
    guard !undecided.isEmpty else { return nil }
    let shown = LeftoverProcesses.text(of: undecided.sorted { ($1.started, $1.pid) < ($0.started, $0.pid) })
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

/// Processes of runs that nobody runs any more.
enum LeftProcesses {
  /// The processes whose environment names the workspace, and a run that `isOver`.
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

  /// What a process was told of the run that it belongs to.
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

  /// Processes started since an instant that have lost their parent or the leader of their session, and show no environment: nothing tells whose they are.
  static func hidden(since instant: RecordTime) -> [ProcessTable.Entry] {
    let started = ProcessTable.ticksSinceBoot(at: instant)
    let table = ProcessTable.entries()
    let known = Set(table.map(\.pid))
    return table.filter { process in
      // Threads of the kernel are in session 0, like what whoever made the container started.
      guard process.started >= started, process.session != 0, process.pid != getpid(),
        process.parent == 1 || !known.contains(process.session)
      else { return false }
      return ProcessTable.environment(of: process.pid)?.isEmpty ?? true
    }
  }
}
