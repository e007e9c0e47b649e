import PipelineLanguage
import RunHistory
import Values

/// Explains where the logs are that a run lacks because it reused another run's results or was imported.
package struct LogWhereabouts {
  private let reference: RunReference
  private let run: RunRecord

  package init(of run: RunRecord, in reference: RunReference) {
    self.run = run
    self.reference = reference
  }

  /// A group of reused records: the items of one loop, or a single operation, reused from one run.
  private struct Origin: Hashable {
    let ordinal: Int
    let source: RunID
  }

  /// Returns one sentence for each place that has logs of `instances`.
  package func sentences(for instances: [OperationRecord]) -> [String] {
    let byOrdinal = Dictionary(instances.map { ($0.ordinal, $0) }) { $1 }
    var order: [Origin] = []
    var reused: [Origin: [OperationRecord]] = [:]
    for record in instances {
      guard record.state == .reused, let source = record.reusedFrom else { continue }
      // A selected item may stand alone, without its loop.
      let owner = record.parent.flatMap { byOrdinal[$0] } ?? record
      let origin = Origin(ordinal: owner.ordinal, source: source)
      if reused[origin] == nil { order.append(origin) }
      reused[origin, default: []].append(record)
    }
    var sentences = order.map { origin in
      sentence(reused[origin] ?? [], owner: byOrdinal[origin.ordinal], from: origin.source)
    }
    if let imported = importSentence(instances) { sentences.append(imported) }
    return sentences
  }

  private func sentence(_ records: [OperationRecord], owner: OperationRecord?, from source: RunID) -> String {
    let first = records.first
    let isSeveral = records.count > 1
    let name = isSeveral ? owner?.name ?? "" : first?.name ?? ""
    let subject =
      isSeveral
      ? "\(records.count) items of '\(TerminalText.visible(name))' were"
      : "'\(TerminalText.name(name, label: first?.label))' was"
    guard let found = try? reference.history.run(source), found.id == source else {
      return "\(subject) reused from run \(source.short), which is no longer in this workspace"
    }
    let short = reference.short(source)
    let command = TerminalText.visible("penstock logs \(short) \(ShellText.quoted(name))")
    return "\(subject) reused from run \(short): \(command)"
  }

  /// Only some logs of an imported run may have been imported with it; whether there were others is unknown.
  private func importSentence(_ instances: [OperationRecord]) -> String? {
    guard run.isImported, let attempts = try? reference.history.attempts(of: run.id) else { return nil }
    let ordinals = Set(instances.map(\.ordinal))
    let own = attempts.filter { ordinals.contains($0.ordinal) }
    guard !own.isEmpty, own.allSatisfy({ $0.standardOutput == nil && $0.standardError == nil }) else { return nil }
    return
      "run \(reference.short(run.id)) was imported without these logs: if there are any, they are in the workspace "
      + "that it was exported from, on \(TerminalText.visible(run.host))"
  }
}
