import Synchronization

/// Whether somebody wants the watching to end, whoever heard of it: a run, its last moments or the wait between two of them.
final class Interruption: Sendable {
  private let flag = Atomic(false)

  var hasCome: Bool { flag.load(ordering: .sequentiallyConsistent) }

  func come() { flag.store(true, ordering: .sequentiallyConsistent) }
}
