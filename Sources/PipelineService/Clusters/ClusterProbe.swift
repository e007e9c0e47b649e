import Glibc
import OperatingSystem
import PipelineLanguage
import RunHistory
import SlurmJobs
import Values

/// Submits one job to a cluster and reports how it fares: whether it starts, which `penstock` runs it, how late its files are seen here, and whether a
/// request to end reaches it.
struct ClusterProbe {
  /// How long the job may wait for its start, its file and its end, in seconds.
  private static let patience = (start: 60.0, file: 30.0, end: 30.0)
  /// The exit code of the job after a request to end.
  private static let stopped: Int32 = 7
  private static let script = """
    trap 'exit \(stopped)' TERM
    date +%s.%N
    "$SLURM_SUBMIT_DIR/penstock" --version
    echo ready
    n=0
    while [ $n -lt 600 ]; do sleep 0.1; n=$((n+1)); done
    """

  private let cluster: SiteDefinition.Cluster
  private let attempt: AttemptFolder
  private let batch: BatchFolder

  init(of cluster: SiteDefinition.Cluster) {
    self.cluster = cluster
    let token = AttemptToken(run: "probe", ordinal: 0, attempt: 1)
    let run = "\(cluster.shared)/\(token.text)-run"
    attempt = AttemptFolder(run: run, token: token)
    batch = BatchFolder(run: run, token: AttemptToken(run: "probe", ordinal: 0, attempt: 1))
  }

  func run(_ report: (Checkup.Finding) -> Void) {
    defer { remove() }
    do throws(SystemError) {
      try create()
    } catch {
      return report(finding(.fail, "'\(cluster.shared)' cannot be written: \(error)"))
    }
    let demand = ExecutorUse().demand(attempt: 1, site: cluster.defaults)
    let reply = SlurmCommand.run(
      "sbatch",
      [
        "--parsable", "--export=ALL", "--no-requeue", "--job-name=\(batch.token.text)", "--output=\(batch.logPattern)",
        "--array=0-0",
      ] + cluster.submitOptions(demand), input: BatchFolder.script, directory: batch.path)
    guard reply.code == 0, let id = reply.output.split(separator: ";").first.flatMap({ SlurmJobID($0.trimmed) }) else {
      return report(finding(.fail, "the job was not accepted: \(reply.complaint)"))
    }
    let job = "\(id.job)_0"
    let begin = Self.now
    guard Self.await(Self.patience.start, { isThere(attempt.beginning) }) else {
      report(finding(.fail, reason(for: id.job)))
      _ = try? attempt.claim(as: .host)
      _ = SlurmCommand.run("scancel", [job])
      return
    }
    report(finding(.ok, "job \(job) started after \(Self.text(Self.now - begin))"))
    watch(job, report)
  }

  /// Follows a job that has started to its end.
  private func watch(_ job: String, _ report: (Checkup.Finding) -> Void) {
    var lines: [Substring] = []
    let isReady = Self.await(Self.patience.file) {
      lines = SharedFile.end(of: attempt.output).split(separator: "\n")
      return lines.last == "ready"
    }
    let seen = Self.now
    guard isReady, lines.count == 3, let written = Double(lines[0]) else {
      let log = SharedFile.end(of: batch.log(0)).trimmed
      report(finding(.fail, "the output of job \(job) was not seen here\(log.isEmpty ? "" : ": \(log)")"))
      _ = SlurmCommand.run("scancel", [job])
      return
    }
    let version = lines[1].trimmed
    report(
      version == Version.current
        ? finding(.ok, "the node runs penstock \(version)")
        : finding(
          .fail, "the node runs penstock \(version), but this is \(Version.current); install the same under 'program'"))
    let delay = seen - written
    report(
      delay < -1
        ? finding(.warn, "the clock of the node is ahead by at least \(Self.text(-delay)); synchronize the clocks")
        : finding(
          delay > 30 ? .warn : .ok,
          "its output was seen here after \(Self.text(max(0, delay)))"
            + (delay > 30 ? "; the file system is slow, or the clock of the node is behind" : "")))
    _ = SlurmCommand.run("scancel", ["--batch", "--signal=TERM", job])
    var record: EndRecord?
    _ = Self.await(Self.patience.end) {
      record = attempt.record
      return record != nil
    }
    guard let record else {
      report(finding(.fail, "a request to end did not reach job \(job), or its end is not seen here"))
      _ = SlurmCommand.run("scancel", [job])
      return
    }
    report(
      record.cause == .exited(Self.stopped)
        ? finding(.ok, "a request to end reached the job on node \(record.node)")
        : finding(.fail, "a request to end did not reach the program of the job on node \(record.node)"))
  }

  /// Returns why a job has not started, as Slurm reports it.
  private func reason(for job: Int64) -> String {
    let seconds = Int(Self.patience.start)
    let reply = SlurmCommand.run("squeue", ["--me", "--states=all", "--format=\(QueueListing.format)"])
    guard let entry = QueueListing(text: reply.output)?.entry(batch: batch.token.text, job: job, index: 0) else {
      return "job \(job) did not start within \(seconds)s, and Slurm does not know it any more"
    }
    let log = SharedFile.end(of: batch.log(0)).trimmed
    if entry.state.end != nil || !log.isEmpty {
      let words = log.isEmpty ? "is '\(cluster.shared)' visible on the nodes?" : log
      return "job \(job) is \(entry.stateName), but did nothing: \(words)"
    }
    let reason = WaitReason(entry.reason)
    let meaning = reason?.sentence.map { ": \($0)" } ?? ""
    return
      "job \(job) did not start within \(seconds)s: \(entry.stateName)\(reason.map { " (\($0.word))" } ?? "")\(meaning); try again when the cluster is less busy, or choose another partition"
  }

  // MARK: Files

  private func create() throws(SystemError) {
    for path in [attempt.run, AttemptFolder.ends(of: attempt.run), attempt.path] {
      guard mkdir(path, 0o700) == 0 else { throw SystemError("mkdir", errno) }
    }
    let order = JobOrder(
      token: attempt.token, arguments: ["/bin/sh", "-c", Self.script], environment: [:], directory: "/",
      hasInput: false,
      grace: 5000, timeout: 120_000)
    try SharedFile.write(order.bytes, to: attempt.order)
    try batch.create(for: [attempt], program: cluster.program)
  }

  private func isThere(_ name: String) -> Bool { access("\(AttemptFolder.ends(of: attempt.run))/\(name)", F_OK) == 0 }

  private func remove() {
    guard let shared = try? Folder(cluster.shared), let slash = attempt.run.lastIndex(of: "/") else { return }
    shared.remove(String(attempt.run[attempt.run.index(after: slash)...]))
  }

  // MARK: Time

  private static var now: Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }

  /// Waits until a condition holds, for at most so many seconds. Returns whether it does.
  private static func await(_ seconds: Double, _ condition: () -> Bool) -> Bool {
    let limit = now + seconds
    while !condition() {
      guard now < limit else { return false }
      usleep(100_000)
    }
    return true
  }

  private static func text(_ seconds: Double) -> String { DurationText.format(microseconds: Int64(seconds * 1e6)) }

  private func finding(_ grade: Checkup.Finding.Grade, _ message: String) -> Checkup.Finding {
    Checkup.Finding(grade: grade, subject: "probe", message: message)
  }
}

extension StringProtocol {
  /// The text without white space around it.
  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }
}
