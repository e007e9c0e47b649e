import Glibc
import Operations

/// Whether a file or directory exists at a path.
struct FileExistsSpecification: LoopSpecification {
  /// The absolute path.
  let path: String
  /// The text of the specification.
  let text: String
  let watch: PathWatch
  let loop: EventLoop

  func isSatisfied(in context: OperationContext) -> Bool { access(path, F_OK) == 0 }

  func begin(_ onChange: @escaping @Sendable () -> Void) -> () -> Void {
    let entry = watch.add(path, onChange)
    return { watch.remove(entry) }
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    let isThere = isSatisfied(in: context)
    var reason = isThere ? "\(path) exists" : "\(path) does not exist"
    if isThere, let since = FileClock.latestChange(atPath: path) {
      reason = "\(path) has existed since \(context.operationTimestampFormat(since))"
    }
    // Only for people to read: a file whose directory was moved here keeps its times, and holds must not count from before that.
    return SpecificationDescription(formula: text, reason: reason, isSatisfied: isThere)
  }
}
