import PipelineLanguage
import RunHistory

/// Describes the wait of a running operation for its executor.
extension OperationReason.ExecutorWait {
  /// Returns the text that follows the name of the operation: `waits in Slurm job 4711_17: PENDING (Resources), partition main, 8 CPUs`.
  func text(now: RecordTime?) -> String {
    let parts = [head("waits", nil), silence(now: now)].compactMap(\.self)
    return parts.joined(separator: "; ")
  }

  /// Returns the reasons of an explanation, each a sentence without a full stop. `attempt` says how long the attempt has been running.
  func sentences(now: RecordTime, attempt: [String]) -> [String] {
    let length = since.map { " for \(ClockText.length(since: $0, now: now))" }
    let first = head("has been waiting", length).map {
      phase == .waiting ? "it \($0)\(estimate(now: now))" : "it \($0)"
    }
    let meaning = job == nil || phase != .waiting ? nil : why
    let sentences = (phase == .waiting ? [] : attempt) + [first, meaning, silence(now: now)].compactMap(\.self)
    return sentences
  }

  /// Returns what it waits for; nil if its job runs.
  private func head(_ verb: String, _ length: String?) -> String? {
    switch phase {
    case .running: return nil
    case .suspended: return "is suspended in Slurm job \(job ?? "?")"
    case .waiting: break
    }
    let details = [partition.map { "partition \($0)" }, demand].compactMap(\.self)
    guard let job else {
      let rest = [why.map { [$0] } ?? [], details].joined().joined(separator: ", ")
      return "\(verb) to be submitted to '\(executor)'\(length ?? "")\(rest.isEmpty ? "" : ": \(rest)")"
    }
    let state = state.map { state in [state + (word.map { " (\($0))" } ?? "")] } ?? []
    let rest = (state + details).joined(separator: ", ")
    return "\(verb) in Slurm job \(job)\(length ?? "")\(rest.isEmpty ? "" : ": \(rest)")"
  }

  private func estimate(now: RecordTime) -> String {
    guard let start, start > now else { return "" }
    let distance = DurationText.format(microseconds: start.microseconds - now.microseconds)
    return "; estimated start \(ClockText.moment(start, seenFrom: now)), in \(distance)"
  }

  private func silence(now: RecordTime?) -> String? {
    silentSince.map {
      "Slurm has not answered since \(ClockText.moment($0, seenFrom: now ?? $0)); running jobs continue"
    }
  }
}
