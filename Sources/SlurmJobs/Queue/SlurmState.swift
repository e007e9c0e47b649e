/// A state of a job in Slurm.
package enum SlurmState: Sendable, Hashable {
  /// It waits.
  case waiting
  /// Its nodes are being prepared.
  case configuring
  case running
  /// It runs, but is stopped for the moment.
  case suspended
  /// It waits until a person releases it.
  case held
  case ended(SlurmEnd)
  /// Slurm of this cluster does not have it.
  case revoked
  /// A state that this version does not know; the job counts as running.
  case unknown(String)

  /// Slurm's names, which are those of `squeue -o %T`.
  private static let names: [String: SlurmState] = [
    "PENDING": .waiting, "REQUEUED": .waiting, "REQUEUE_FED": .waiting, "POWER_UP_NODE": .waiting,
    "EXPEDITING": .waiting, "CONFIGURING": .configuring, "RUNNING": .running, "COMPLETING": .running,
    "SIGNALING": .running, "STAGE_OUT": .running, "RESIZING": .running, "UPDATE_DB": .running,
    "SUSPENDED": .suspended, "STOPPED": .suspended, "REQUEUE_HOLD": .held, "SPECIAL_EXIT": .held,
    "RESV_DEL_HOLD": .held, "REVOKED": .revoked,
  ]

  package init(name: some StringProtocol) {
    let name = String(name)
    self = Self.names[name] ?? SlurmEnd(rawValue: name).map(SlurmState.ended) ?? .unknown(name)
  }

  /// The final state; nil if it may still change.
  package var end: SlurmEnd? { if case .ended(let end) = self { end } else { nil } }
}

/// A final state of a job in Slurm.
package enum SlurmEnd: String, Sendable, CaseIterable {
  case completed = "COMPLETED"
  case failed = "FAILED"
  case outOfMemory = "OUT_OF_MEMORY"
  case timeLimit = "TIMEOUT"
  case deadline = "DEADLINE"
  case cancelled = "CANCELLED"
  case preempted = "PREEMPTED"
  case nodeFailed = "NODE_FAIL"
  case bootFailed = "BOOT_FAIL"
  case launchFailed = "LAUNCH_FAILED"
  case reconfigurationFailed = "RECONFIG_FAIL"
}
