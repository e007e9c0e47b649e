import Glibc
import Synchronization

/// How often this process could not look at something, because it or the system was out of descriptors or memory. Any thread.
///
/// "Not there" and "could not look" are different answers. Whoever decides by what is not there, be it a process that still runs or a file that is hashed, compares the
/// count before with that after. Another thread's failure counts as well: then the decision is put off once more than it had to be.
package enum LookFailures {
  private static let times = Atomic<Int>(0)

  /// How many there have been.
  package static var count: Int { times.load(ordering: .acquiring) }

  /// Whether an error number says that something was lacking for looking at all.
  package static func isShortage(_ number: Int32) -> Bool {
    number == EMFILE || number == ENFILE || number == ENOMEM
  }

  /// Notes a failed call by its error number, if that is a shortage.
  package static func note(_ number: Int32) {
    if isShortage(number) { note() }
  }

  /// Notes that something could not be looked at.
  package static func note() {
    times.add(1, ordering: .acquiringAndReleasing)
    var next = scope
    while let scope = next {
      scope.times.add(1, ordering: .acquiringAndReleasing)
      next = scope.outer
    }
  }

  /// The failures of one task while it does something.
  private final class Scope: Sendable {
    let times = Atomic<Int>(0)
    let outer: Scope?

    init(in outer: Scope?) { self.outer = outer }
  }

  @TaskLocal private static var scope: Scope?

  /// Returns what `body` does, and whether it, in its own task and those that it waits for, could look at everything: failures of others do not count.
  package static func observe<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async rethrows -> (value: Value, isComplete: Bool) {
    let scope = Scope(in: scope)
    let value = try await $scope.withValue(scope, operation: body, isolation: isolation)
    return (value, scope.times.load(ordering: .acquiring) == 0)
  }
}
