/// A specification whose first value takes time: it must read a file, or wait for a machine to answer.
///
/// Until it has an answer, nothing is reported to the host. Where a pipeline evaluates it only once, as at a gate with `otherwise: skip`, the host
/// waits some seconds for the first answer; reporting unknown would count as one.
public protocol DeferredSpecification: OperationRunSpecification {
  /// Whether there is an answer, which may be that the value cannot be known. Once true, it stays true.
  ///
  /// Called on any thread, after the subscription and after each change.
  func hasAnswer(in context: OperationContext) -> Bool
}
