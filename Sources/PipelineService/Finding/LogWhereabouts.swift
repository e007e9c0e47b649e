import PipelineLanguage
import RunHistory
import Values

/// Where the logs are that a run does not have, because it took over what another run had done, or was imported.
package struct LogWhereabouts {
  private let reference: RunReference
  private let run: RunRecord

  package init(of run: RunRecord, in reference: RunReference) {
    self.run = run
    self.reference = reference
  }

  /// What was taken over by one loop, or is no item, from one run.
  private struct Origin: Hashable {
    let ordinal: Int
    let source: RunID
  }

  /// A sentence for each place where logs of `instances` are.
  package func sentences(for instances: [OperationRecord]) -> [String] {
    let byOrdinal = Dictionary(instances.map { ($0.ordinal, $0) }) { $1 }
    var order: [Origin] = []
    var reused: [Origin: [OperationRecord]] = [:]
    for record in instances {
      guard record.state == .reused, let source = record.reusedFrom else { continue }
      // Items that stand for themselves have no loop beside them.
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
      return "\(subject) reused from run \(source.short), which is not in this workspace any more"
    }
    let short = reference.short(source)
    let command = TerminalText.visible("penstock logs \(short) \(ShellText.quoted(name))")
    return "\(subject) reused from run \(short): \(command)"
  }

  /// Of an imported run, only some logs may have come along; which of the others there were, nobody knows.
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
