import Glibc
import Operations

/// Whether something is at a path.
struct FileExistsSpecification: LoopSpecification {
  /// The absolute path.
  let path: String
  /// How the condition is written.
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
    return SpecificationDescription(
      formula: text, reason: isThere ? "\(path) is there" : "\(path) is not there", isSatisfied: isThere)
  }
}
