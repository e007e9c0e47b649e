/// A specification that cannot say anything at first: it has to read a file, or wait for a machine to answer.
///
/// While it has no answer the host is told nothing. Where a pipeline asks it only once, as at a gate with
/// `otherwise: skip`, the host waits some seconds for the first answer; that something is unknown would be one.
public protocol DeferredSpecification: OperationRunSpecification {
  /// Whether there is something to tell, be it that the answer cannot be known. Once true it stays true.
  ///
  /// Asked on any thread, after the subscription and after each change.
  func hasAnswer(in context: OperationContext) -> Bool
}
