import Glibc
import OperatingSystem
import PipelineLanguage
import RunHistory
import SlurmJobs
import Values

/// What `penstock doctor --executor` checks: whether a cluster can run operations as the file of the site describes it.
package struct ClusterCheckup {
  private typealias Finding = Checkup.Finding
  private typealias Grade = Checkup.Finding.Grade

  private let cluster: SiteDefinition.Cluster
  private let workspace: String

  package init(of cluster: SiteDefinition.Cluster, workspace: String) {
    self.cluster = cluster
    self.workspace = workspace
  }

  /// Checks the executor with this name in the file of the site. What is wrong with the file is a finding, too.
  package static func run(
    _ name: String, workspace: String, probing: Bool, report: (Checkup.Finding) -> Void
  ) {
    let loaded = SiteDefinition.find(workspace: workspace)
    for diagnostic in loaded.diagnostics {
      let fix = diagnostic.fix.map { "; \($0)" } ?? ""
      report(
        Finding(
          grade: .fail, subject: "site",
          message: "\(diagnostic.file):\(diagnostic.range.start.line): \(diagnostic.message)\(fix)"))
    }
    guard let site = loaded.site else {
      guard loaded.source == nil else { return }
      let places = SiteDefinition.places(workspace: workspace).map { "'\($0)'" }.joined(separator: ", ")
      return report(
        Finding(grade: .fail, subject: "site", message: "there is none of \(places); create one to define '\(name)'"))
    }
    guard let cluster = site.cluster(name) else {
      let names = site.clusters.map(\.name).joined(separator: ", ")
      return report(
        Finding(grade: .fail, subject: "site", message: "\(site.path) has no executor '\(name)'; it has \(names)"))
    }
    report(Finding(grade: .ok, subject: "site", message: site.path))
    ClusterCheckup(of: cluster, workspace: workspace).run(probing: probing, report: report)
  }

  /// Performs all checks, and with `probing` submits a job. Calls `report` with each finding as soon as it is known.
  package func run(probing: Bool, report: (Checkup.Finding) -> Void) {
    let hasClients = checkClients(report)
    report(program)
    let isUsable = checkShared(report)
    guard hasClients, checkController(report) else { return }
    report(defaults)
    checkSettings(report)
    if probing, isUsable { ClusterProbe(of: cluster).run(report) }
  }

  // MARK: The computer

  /// Returns whether the clients that run operations are there.
  private func checkClients(_ report: (Checkup.Finding) -> Void) -> Bool {
    let required = ["sbatch", "squeue", "scancel"]
    let missing = (required + ["scontrol", "sinfo", "sacct"]).filter { SlurmCommand.locate($0) == nil }
    let words = missing.map { "'\($0)'" }.joined(separator: ", ")
    guard !missing.contains(where: required.contains), !missing.contains("scontrol") else {
      report(
        Finding(
          grade: .fail, subject: "clients",
          message: "not found in PATH: \(words); install Slurm's clients, or run this on a computer that has them"))
      return false
    }
    let reply = SlurmCommand.run("sbatch", ["--version"])
    guard let version = SlurmVersion(reply.output) else {
      report(Finding(grade: .fail, subject: "clients", message: "'sbatch --version' failed: \(reply.complaint)"))
      return false
    }
    let isOld = version < .oldest
    let rest = missing.isEmpty ? "" : "; not found in PATH: \(words), which only checks use"
    report(
      Finding(
        grade: isOld ? .fail : missing.isEmpty ? .ok : .warn, subject: "clients",
        message: "Slurm \(version.text)" + (isOld ? " is too old; \(SlurmVersion.oldest.text) or later is needed" : "")
          + rest))
    return true
  }

  private var program: Checkup.Finding {
    var status = stat()
    guard stat(cluster.program, &status) == 0 else {
      return Finding(
        grade: .fail, subject: "program",
        message:
          "'\(cluster.program)' cannot be used: \(SystemError.text(of: errno)); install penstock there, or correct 'program'"
      )
    }
    guard status.st_mode & S_IFMT == S_IFREG, access(cluster.program, X_OK) == 0 else {
      return Finding(
        grade: .fail, subject: "program",
        message: "'\(cluster.program)' cannot be executed; chmod +x lets nodes execute it")
    }
    return Finding(grade: .ok, subject: "program", message: cluster.program)
  }

  /// Returns whether attempts can have their directories there.
  private func checkShared(_ report: (Checkup.Finding) -> Void) -> Bool {
    let shared = cluster.shared
    if let problem = cluster.problemWithShared {
      report(Finding(grade: .fail, subject: "shared", message: "'\(shared)' \(problem)"))
      return false
    }
    if "\(workspace)/".hasPrefix("\(shared)/") || "\(shared)/".hasPrefix("\(workspace)/") {
      report(
        Finding(
          grade: .fail, subject: "shared",
          message: "'\(shared)' must not contain the workspace or be in it (\(workspace)); use another directory"))
      return false
    }
    var status = stat()
    if stat(shared, &status) == 0, status.st_mode & 0o077 != 0 {
      report(
        Finding(
          grade: .warn, subject: "shared", message: "other users have access to '\(shared)'; remove it with chmod go="))
    }
    let system = FileSystem.networkName(at: shared)
    report(
      Finding(
        grade: system == nil ? .warn : .ok, subject: "shared",
        message: system.map { "\(shared), on a network file system (\($0))" }
          ?? "\(shared) is on a local file system; if the nodes are other computers, use a directory that they see, too"
      ))
    report(room)
    report(clock)
    return true
  }

  private var room: Checkup.Finding {
    var status = statvfs()
    guard statvfs(cluster.shared, &status) == 0 else {
      return Finding(grade: .warn, subject: "room", message: "unknown: \(SystemError.text(of: errno))")
    }
    let free = Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    // Some file systems do not limit the number of files.
    let files = status.f_files == 0 ? Int.max : Int(clamping: status.f_favail)
    let grade: Grade = free < 16 << 20 || files < 1000 ? .fail : free < 1 << 30 || files < 100_000 ? .warn : .ok
    let number = files == .max ? "" : ", \(files) files"
    return Finding(
      grade: grade, subject: "room",
      message: "\(SizeNotation.format(free))\(number) free" + (grade == .ok ? "" : "; an attempt needs about ten files")
    )
  }

  /// Compares the clock of the file server with this one, because times of files tell whether a worker is alive.
  private var clock: Checkup.Finding {
    let path = "\(cluster.shared)/.clock-\(getpid())"
    defer { unlink(path) }
    do {
      let before = time(nil)
      try SharedFile.write([0], to: path)
      let after = time(nil)
      var status = stat()
      guard stat(path, &status) == 0 else { throw SystemError("stat", errno) }
      let difference =
        status.st_mtim.tv_sec < before - 1 ? before - status.st_mtim.tv_sec : max(0, status.st_mtim.tv_sec - after - 1)
      return Finding(
        grade: difference > 5 ? .warn : .ok, subject: "clock",
        message: difference == 0
          ? "the file server agrees with this computer"
          : "the clock of the file server differs by \(difference)s\(difference > 5 ? "; synchronize the clocks" : "")")
    } catch {
      return Finding(grade: .fail, subject: "shared", message: "'\(cluster.shared)' cannot be written: \(error)")
    }
  }

  // MARK: The cluster

  private func checkController(_ report: (Checkup.Finding) -> Void) -> Bool {
    let reply = SlurmCommand.run("scontrol", ["ping"])
    let isUp = reply.output.contains(" is UP")
    let line = reply.output.split(separator: "\n").first.map(String.init) ?? reply.complaint
    report(
      Finding(
        grade: isUp ? .ok : .fail, subject: "controller",
        message: isUp ? line : "\(line); ask the administrator; jobs that run continue meanwhile"))
    return isUp
  }

  /// Whether Slurm would accept a job with the defaults of the site.
  private var defaults: Checkup.Finding {
    let demand = ExecutorUse().demand(attempt: 1, site: cluster.defaults)
    let reply = SlurmCommand.run(
      "sbatch", ["--test-only"] + cluster.submitOptions(demand), input: BatchFolder.script)
    guard reply.code == 0 else {
      return Finding(
        grade: .fail, subject: "defaults",
        message: "Slurm refuses a job with the defaults of the site: \(reply.complaint); correct \(Self.keys)")
    }
    let place = reply.errors.firstMatch(of: /in partition (\S+)/).map { " in the partition '\($0.1)'" } ?? ""
    return Finding(
      grade: .ok, subject: "defaults", message: "Slurm accepts a job with the defaults of the site\(place)")
  }

  private static let keys = "'partition', 'account', 'qos', 'defaults' or 'options'"

  private func checkSettings(_ report: (Checkup.Finding) -> Void) {
    let reply = SlurmCommand.run("scontrol", ["show", "config"])
    guard reply.code == 0, let settings = SlurmSettings(text: reply.output) else {
      return report(
        Finding(grade: .warn, subject: "settings", message: "'scontrol show config' failed: \(reply.complaint)"))
    }
    for finding in SlurmSettingsCheckup(settings, cluster.queue).findings { report(finding) }
  }
}
