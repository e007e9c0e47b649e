import PipelineLanguage
import RunHistory
import SlurmJobs

/// Compares the configuration of a cluster with what the file of the site asks of it.
struct SlurmSettingsCheckup {
  private let settings: SlurmSettings
  private let queue: SiteDefinition.Queue

  init(_ settings: SlurmSettings, _ queue: SiteDefinition.Queue) {
    self.settings = settings
    self.queue = queue
  }

  var findings: [Checkup.Finding] {
    [age, arraySize, jobCount, ends, accounting, memory, rate].compactMap(\.self)
  }

  private func finding(_ grade: Checkup.Finding.Grade, _ subject: String, _ message: String) -> Checkup.Finding {
    Checkup.Finding(grade: grade, subject: subject, message: message)
  }

  /// How long Slurm knows a job that has ended.
  private var age: Checkup.Finding? {
    // Zero keeps them all.
    guard let age = settings.number("MinJobAge"), age > 0 else { return nil }
    let poll = queue.poll.components.seconds
    guard poll * 3 > age else {
      return finding(.ok, "MinJobAge", "ended jobs are known for \(age)s; 'queue.poll' is \(poll)s")
    }
    return finding(
      .fail, "MinJobAge",
      "ended jobs are known for \(age)s, so that 'queue.poll' must be at most \(max(1, age / 3))s; it is \(poll)s")
  }

  private var arraySize: Checkup.Finding? {
    guard let size = settings.number("MaxArraySize") else { return nil }
    guard size > 1 else {
      return finding(.fail, "MaxArraySize", "this cluster allows no arrays; ask the administrator to allow them")
    }
    guard queue.array >= size else {
      return finding(.ok, "MaxArraySize", "\(size); 'queue.array' is \(queue.array)")
    }
    return finding(
      .fail, "MaxArraySize",
      "arrays have less than \(size) jobs, but 'queue.array' is \(queue.array); set it to \(size - 1)")
  }

  private var jobCount: Checkup.Finding? {
    guard let most = settings.number("MaxJobCount") else { return nil }
    let isLow = queue.most > most / 2
    return finding(
      isLow ? .warn : .ok, "MaxJobCount",
      "the controller knows at most \(most) jobs of all users; 'queue.most' is \(queue.most)"
        + (isLow ? "; lower it, so that others have room" : ""))
  }

  private var ends: Checkup.Finding? {
    guard let wait = settings.number("KillWait") else { return nil }
    let requeue = settings.number("JobRequeue").map {
      $0 == 0 ? "off" : "on, but Penstock's jobs are not started again"
    }
    return finding(
      .ok, "ends",
      "at the time limit of a job, its operation has \(wait)s (KillWait) to end"
        + (requeue.map { "; JobRequeue is \($0)" } ?? ""))
  }

  private var accounting: Checkup.Finding? {
    guard let kind = settings["AccountingStorageType"] else { return nil }
    let isOff = kind.hasSuffix("/none") || kind == "(null)"
    return finding(.ok, "accounting", isOff ? "off; Penstock does not need it" : kind)
  }

  private var memory: Checkup.Finding? {
    switch settings.limitsMemory {
    case true?: finding(.ok, "memory limits", "kept by control groups")
    case false?:
      finding(
        .warn, "memory limits",
        "not kept by control groups; that a job was killed for its memory is seen by the text in its log alone, if at all"
      )
    case nil: nil
    }
  }

  private var rate: Checkup.Finding? {
    guard settings.contains("rl_enable", in: "SlurmctldParameters") else {
      return finding(.ok, "rate limit", "none")
    }
    let isFast = queue.interval < .milliseconds(500)
    return finding(
      isFast ? .warn : .ok, "rate limit",
      "the controller limits the calls of each user (rl_enable)" + (isFast ? "; set 'queue.calls' to 2/s" : ""))
  }
}
