import Synchronization

/// A flag that ends the watching, whichever part receives the interruption: a run, its last moments, or the wait between two runs.
final class Interruption: Sendable {
  private let flag = Atomic(false)

  var hasCome: Bool { flag.load(ordering: .sequentiallyConsistent) }

  func come() { flag.store(true, ordering: .sequentiallyConsistent) }
}
