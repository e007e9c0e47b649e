/// Why Slurm has not started a job, as `squeue -o %r` reports it.
package struct WaitReason: Sendable, Hashable {
  /// What has to happen before the job can start.
  package enum Outlook: Sendable, Hashable {
    /// The reason passes by itself.
    case passes
    /// The user or an administrator has to do something.
    case needsPerson
    /// Slurm has accepted the job but never starts it.
    case never
  }

  /// Slurm's own word: `Resources`.
  package let word: String

  /// Reads what Slurm prints; nil if there is no reason. Details after the word, such as `ReqNodeNotAvail, UnavailableNodes:n1`, are dropped.
  package init?(_ text: some StringProtocol) {
    let word = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    guard !word.isEmpty, word != "None" else { return nil }
    self.word = String(word)
  }

  /// What has to happen before the job can start.
  package var outlook: Outlook {
    if let known = Self.known[word] { return known.outlook }
    // Limits on what one job may ask for, which accounting adds to Slurm: `QOSMaxCpuPerJobLimit`, `AssocMaxWallDurationPerJobLimit`, `QOSMinGRES`.
    let isLimit = word.hasPrefix("QOS") || word.hasPrefix("Assoc")
    return isLimit && (word.contains("PerJob") || word.hasPrefix("QOSMin")) ? .never : .passes
  }

  /// What the word means, as a sentence without a full stop; nil if it is not known.
  package var sentence: String? {
    if let known = Self.known[word] { return known.sentence }
    guard word.hasPrefix("QOS") || word.hasPrefix("Assoc") else { return nil }
    return outlook == .never
      ? "the job asks for more or less than a limit of the \(Self.owner(of: word)) allows for one job"
      : "a limit of the \(Self.owner(of: word)) is reached; it starts when other jobs have ended"
  }

  private static func owner(of word: String) -> String { word.hasPrefix("QOS") ? "quality of service" : "account" }

  /// The words that Slurm is known to print for waiting jobs.
  static let known: [String: (outlook: Outlook, sentence: String)] = [
    // Others go first.
    "Resources": (.passes, "it is next, and starts when enough processors, memory and devices are free"),
    "Priority": (.passes, "jobs with a higher priority are before it"),
    "BeginTime": (.passes, "its earliest start time has not been reached"),
    "Cleaning": (.passes, "its former start is still being cleaned up"),
    "Prolog": (.passes, "the nodes are being prepared"),
    "Dependency": (.passes, "it waits for another job, because of an option of the site"),
    "JobArrayTaskLimit": (.passes, "as many jobs of its array as are allowed are running"),
    "Licenses": (.passes, "all licenses that it needs are in use"),
    "Reservation": (.passes, "its reservation has not begun"),
    "BurstBufferResources": (.passes, "the burst buffer has no room"),
    "BurstBufferStageIn": (.passes, "its data is being copied to the burst buffer"),
    "SchedDefer": (.passes, "Slurm is about to look for nodes"),
    "AssociationJobLimit": (.passes, "as many jobs of the account as are allowed are running"),
    "AssociationResourceLimit": (.passes, "the jobs of the account use as much as is allowed"),
    "QOSJobLimit": (.passes, "as many jobs of the quality of service as are allowed are running"),
    "QOSResourceLimit": (.passes, "the jobs of the quality of service use as much as is allowed"),
    "QOSUsageThreshold": (.passes, "the account has used more than its share"),
    // Somebody has to act.
    "JobHeldUser": (.needsPerson, "the user holds it; `scontrol release` lets it start"),
    "JobHeldAdmin": (.needsPerson, "an administrator holds it and has to release it"),
    "JobHoldMaxRequeue": (.needsPerson, "it was started too often; an administrator has to release it"),
    "PartitionDown": (.needsPerson, "the partition is down; it starts when an administrator has opened the partition"),
    "PartitionInactive": (.needsPerson, "the partition starts no jobs until an administrator has opened it"),
    "ReqNodeNotAvail": (.needsPerson, "a node that it needs is down, drained or reserved"),
    "NodeDown": (.needsPerson, "a node that it needs is down"),
    "FrontEndDown": (.needsPerson, "no front end of the cluster is up"),
    // Slurm accepts such a job, but nothing changes it.
    "PartitionTimeLimit": (.never, "its time limit is over that of the partition"),
    "PartitionNodeLimit": (.never, "it needs more nodes than the partition has, or allows for one job"),
    "PartitionConfig": (.never, "the partition does not allow what it asks for"),
    "BadConstraints": (.never, "no node has the features, processors, memory and devices that it asks for"),
    "AccountNotAllowed": (.never, "the partition does not allow its account"),
    "QOSNotAllowed": (.never, "the partition or the account does not allow its quality of service"),
    "InvalidAccount": (.never, "the account does not exist, or the user does not belong to it"),
    "InvalidQOS": (.never, "the quality of service does not exist, or the user does not have it"),
    "AssociationTimeLimit": (.never, "the account has used all of its time"),
    "QOSTimeLimit": (.never, "the quality of service has used all of its time"),
    "MaxMemPerLimit": (.never, "it asks for more memory than the partition allows"),
    "DependencyNeverSatisfied": (.never, "a job that it depends on did not end as required"),
    "ReservationDeleted": (.never, "its reservation has been deleted"),
    "DeadLine": (.never, "it cannot end before its deadline"),
  ]
}
