import Glibc
import Synchronization

/// Counts how often this process could not inspect something for lack of descriptors or memory. Safe to use on any thread.
///
/// "Does not exist" and "could not check" are different answers. Code that acts on the absence of something, such as a running process or a file to hash,
/// compares the count before and after. Failures on other threads count as well, which at worst postpones the decision once more.
package enum LookFailures {
  private static let times = Atomic<Int>(0)

  /// The number of failures so far.
  package static var count: Int { times.load(ordering: .acquiring) }

  /// Returns whether an error number means that resources were lacking.
  package static func isShortage(_ number: Int32) -> Bool {
    number == EMFILE || number == ENFILE || number == ENOMEM
  }

  /// Counts a failed call if its error number means a shortage.
  package static func note(_ number: Int32) {
    if isShortage(number) { note() }
  }

  /// Counts something that could not be inspected.
  package static func note() {
    times.add(1, ordering: .acquiringAndReleasing)
    var next = scope
    while let scope = next {
      scope.times.add(1, ordering: .acquiringAndReleasing)
      next = scope.outer
    }
  }

  /// The failures of one task during an observed call.
  private final class Scope: Sendable {
    let times = Atomic<Int>(0)
    let outer: Scope?

    init(in outer: Scope?) { self.outer = outer }
  }

  @TaskLocal private static var scope: Scope?

  /// Returns the result of `body`, and whether its task and the tasks that it waits for could inspect everything. Failures of other tasks do not count.
  package static func observe<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async rethrows -> (value: Value, isComplete: Bool) {
    let scope = Scope(in: scope)
    let value = try await $scope.withValue(scope, operation: body, isolation: isolation)
    return (value, scope.times.load(ordering: .acquiring) == 0)
  }
}
